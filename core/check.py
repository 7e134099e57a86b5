"""Every finding about a model: one function a finding, gathered by `check_model`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from .model import WORLD, Axis, Joint, Link, Model
from .spatial import cross, norm

UNIT_TOLERANCE = 1e-4
"""How far from 1 the length of an axis may be before it counts as a mistake and not as rounded digits."""

INERTIA_TOLERANCE = 1e-6
"""Part of the largest principal moment by which rounding may break the triangle inequality."""

PARALLEL_TOLERANCE = 1e-6
"""Sine of the angle [1] below which two axes count as parallel."""


@dataclass
class Issue:
    """One finding.

    Attributes:
        severity: an error is a model that cannot be used; a warning is one whose numbers are suspect, and kept.
        code: a short slug, the same for all findings of a kind.
        subject: what it is about, such as "link 'arm'".
        message: what is wrong, the value, what is allowed, how to mend it.
        line: in the file that the model came from; None where there is none.
    """

    severity: Literal["error", "warning"]
    code: str
    subject: str
    message: str
    line: int | None = None

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def format(self, path: object) -> str:
        """`FILE:LINE: error code: subject: message`, as compilers print it."""
        where = f"{path}:{self.line}" if self.line else f"{path}"
        return f"{where}: {self.severity} {self.code}: {self.subject}: {self.message}"


def check_model(model: Model) -> list[Issue]:
    """Everything that is wrong or suspect in a model, errors and warnings in the order of its links and joints."""
    return [issue for finding in FINDINGS for issue in finding(model)]


def count_issues(issues: Iterable[Issue]) -> tuple[int, int]:
    """How many errors and how many warnings."""
    severities = Counter(issue.severity for issue in issues)
    return severities["error"], severities["warning"]


def _error(code: str, subject: str, message: str) -> Issue:
    return Issue("error", code, subject, message)


def _warning(code: str, subject: str, message: str) -> Issue:
    return Issue("warning", code, subject, message)


def _of(item: Link | Joint) -> str:
    return f"{type(item).__name__.lower()} '{item.name}'"


def _finite(values: Iterable[float]) -> bool:
    return all(map(math.isfinite, values))


def _text(values: Iterable[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


def _axes(model: Model) -> Iterator[tuple[Joint, str, Axis]]:
    """Each axis that counts, with the words that name it."""
    for joint in model.joints:
        for i, axis in enumerate(joint.axes[: joint.axis_count]):
            yield joint, "axis" if i == 0 else f"axis {i + 1}", axis


# ---- the model as a whole


def no_links(model: Model) -> Iterator[Issue]:
    if not model.links:
        yield _error("no-links", f"model '{model.name}'", "has no links; a model needs at least one: add a link")


def repeated_names(model: Model) -> Iterator[Issue]:
    for items in (model.links, model.joints):
        counts = Counter(item.name for item in items)
        for item in {item.name: item for item in items}.values():
            if counts[item.name] > 1:
                yield _error(
                    "repeated-name", _of(item), f"{counts[item.name]} have this name; give each a name of its own"
                )


def reserved_names(model: Model) -> Iterator[Issue]:
    for link in model.links:
        if link.name == WORLD:
            yield _error("reserved-name", _of(link), "'world' names the ground itself; give the link another name")


# ---- links


def bad_mass(model: Model) -> Iterator[Issue]:
    for link in model.links:
        if not math.isfinite(link.mass):
            yield _error("mass-not-finite", _of(link), f"mass is {link.mass:g} kg; give a finite number, 0 or more")
        elif link.mass < 0.0:
            yield _error("negative-mass", _of(link), f"mass is {link.mass:g} kg; give 0 or more")


def massless(model: Model) -> Iterator[Issue]:
    for link in model.links:
        if link.mass == 0.0:
            yield _warning(
                "massless",
                _of(link),
                "mass is 0 kg; only a link that is fixed to another can do without: give it mass",
            )


def numbers_of_links(model: Model) -> Iterator[Issue]:
    for link in model.links:
        for what, values in (("pose", link.pose), ("centre of mass", link.com), ("inertia", link.inertia)):
            if not _finite(values):
                yield _error("not-finite", _of(link), f"{what} is {_text(values)}; give finite numbers")


def inertia_not_physical(model: Model) -> Iterator[Issue]:
    for link in model.links:
        if not (link.mass > 0.0 and _finite(link.inertia)):
            continue
        xx, xy, xz, yy, yz, zz = link.inertia
        small, middle, large = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        moments = _text((small, middle, large))
        if small <= 0.0:
            yield _warning(
                "inertia-not-positive", _of(link), f"principal moments are {moments} kg m^2; all three must be above 0"
            )
        elif small + middle < large * (1.0 - INERTIA_TOLERANCE):
            yield _warning(
                "inertia-not-physical",
                _of(link),
                f"principal moments are {moments} kg m^2; no body has one above the sum of the others: compute it anew",
            )


# ---- joints


def unknown_links(model: Model) -> Iterator[Issue]:
    known = {link.name for link in model.links}
    for joint in model.joints:
        if joint.parent not in known | {WORLD}:
            yield _error("unknown-parent", _of(joint), f"parent '{joint.parent}' is not there; name a link, or world")
        if joint.child not in known | {WORLD}:
            yield _error("unknown-child", _of(joint), f"child '{joint.child}' is not there; name a link")


def child_is_world(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if joint.child == WORLD != joint.parent:
            yield _error("child-is-world", _of(joint), "the world cannot be a child; swap parent and child")


def same_parent_and_child(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if joint.parent == joint.child:
            yield _error(
                "parent-is-child", _of(joint), f"joins '{joint.child}' with itself; parent and child must be two links"
            )


def numbers_of_joints(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        for what, values in (
            ("frame in the parent", joint.X_PJ),
            ("frame in the child", joint.X_CJ),
            ("home", joint.home),
            ("pitch", (joint.pitch,)),
        ):
            if not _finite(values):
                yield _error("not-finite", _of(joint), f"{what} is {_text(values)}; give finite numbers")
    for joint, which, axis in _axes(model):
        for what, value in vars(axis).items():
            if isinstance(value, str):
                continue
            values = value if isinstance(value, tuple) else (value,)
            if any(map(math.isnan, values)) or (isinstance(value, tuple) and not _finite(values)):
                yield _error("not-finite", _of(joint), f"{what} of its {which} is {_text(values)}; give finite numbers")


def zero_axis(model: Model) -> Iterator[Issue]:
    for joint, which, axis in _axes(model):
        if norm(axis.xyz) == 0.0:
            yield _error("zero-axis", _of(joint), f"its {which} is 0 0 0, which has no direction; write 0 0 1, say")


def axis_not_unit(model: Model) -> Iterator[Issue]:
    for joint, which, axis in _axes(model):
        length = norm(axis.xyz)
        if length > 0.0 and math.isfinite(length) and abs(length - 1.0) > UNIT_TOLERANCE:
            yield _warning(
                "axis-not-unit",
                _of(joint),
                f"its {which} {_text(axis.xyz)} has length {length:g}; only its direction is used: give length 1",
            )


def parallel_axes(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        for a, b in combinations(joint.axes[: len(joint.columns)], 2):
            lengths = norm(a.xyz) * norm(b.xyz)
            if lengths > 0.0 and norm(cross(a.xyz, b.xyz)) < PARALLEL_TOLERANCE * lengths:
                yield _warning(
                    "parallel-axes",
                    _of(joint),
                    f"its axes {_text(a.xyz)} and {_text(b.xyz)} are parallel; turn one of them",
                )


def crossed_limits(model: Model) -> Iterator[Issue]:
    for joint, which, axis in _axes(model):
        if axis.lower > axis.upper:
            yield _warning(
                "crossed-limits",
                _of(joint),
                f"on its {which} lower {axis.lower:g} is above upper {axis.upper:g}; swap them",
            )


def negative_numbers(model: Model) -> Iterator[Issue]:
    for joint, which, axis in _axes(model):
        for what in ("damping", "friction", "armature", "spring_stiffness", "stiffness", "dissipation"):
            if getattr(axis, what) < 0.0:
                yield _warning(
                    f"negative-{what.replace('_', '-')}",
                    _of(joint),
                    f"{what} of its {which} is {getattr(axis, what):g}, which feeds it energy; give 0 or more",
                )


def spring_outside_limits(model: Model) -> Iterator[Issue]:
    for joint, which, axis in _axes(model):
        if axis.spring_stiffness and _outside(axis.spring_reference, axis):
            yield _warning(
                "spring-outside-limits",
                _of(joint),
                f"on its {which} the spring pulls to {axis.spring_reference:g}, outside the limits"
                f" {axis.lower:g} to {axis.upper:g}; it will press against a stop",
            )


def home_outside_limits(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if joint.kind.chart:
            continue
        for column, at in zip(joint.all_columns, joint.home, strict=False):
            axis = joint.axes[column.axis]
            if joint.kind.slot(column.axis).limited and _outside(at, axis):
                yield _warning(
                    "home-outside-limits",
                    _of(joint),
                    f"home {at:g} is outside the limits {axis.lower:g} to {axis.upper:g}; move one of them",
                )


def _outside(value: float, axis: Axis) -> bool:
    return axis.lower <= axis.upper and not axis.lower <= value <= axis.upper


def unknown_leader(model: Model) -> Iterator[Issue]:
    known = {joint.name for joint in model.joints}
    for joint in model.joints:
        if joint.mimic and joint.mimic.leader not in known - {joint.name}:
            yield _error(
                "unknown-leader", _of(joint), f"mimics '{joint.mimic.leader}', which is no other joint; name one"
            )


FINDINGS = (
    no_links,
    repeated_names,
    reserved_names,
    bad_mass,
    massless,
    numbers_of_links,
    inertia_not_physical,
    unknown_links,
    child_is_world,
    same_parent_and_child,
    numbers_of_joints,
    zero_axis,
    axis_not_unit,
    parallel_axes,
    crossed_limits,
    negative_numbers,
    spring_outside_limits,
    home_outside_limits,
    unknown_leader,
)
