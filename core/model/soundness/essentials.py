# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings that prevent every computation: repeated names, negative masses, and numbers that are not finite."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from ...joints.parts import MAY_BE_INFINITE
from ..elements import BREAKING, Joint
from ..model import Model
from ..text import as_text
from .issue import Issue, all_finite, error, name_of

DAMPINGS = ("linear_damping", "angular_damping")
"""Damping fields of a `Link`."""

NO_NUMBERS = ("drive_mode", "locked")
"""Fields of an `Axis` that are not numbers."""


def repeated_names(model: Model) -> Iterator[Issue]:
    """Yield an error for each name that several links, joints or couplings have."""
    for items in (model.links, model.joints, model.couplings):
        counts = Counter(item.name for item in items)
        for item in {item.name: item for item in items}.values():
            if counts[item.name] > 1:
                yield error(
                    "repeated-name", name_of(item), f"{counts[item.name]} have this name; give each a name of its own"
                )


def gravity_not_finite(model: Model) -> Iterator[Issue]:
    """Yield an error if gravity is not finite."""
    if not all_finite(model.gravity):
        message = f"gravity is {as_text(model.gravity)}; give finite numbers, 0 0 0 for none"
        yield error("not-finite", f"model '{model.name}'", message)


def bad_mass(model: Model) -> Iterator[Issue]:
    """Yield an error for each link whose mass is negative or not finite."""
    for link in model.links:
        if not math.isfinite(link.mass):
            yield error("mass-not-finite", name_of(link), f"mass is {link.mass:g} kg; give a finite number, 0 or more")
        elif link.mass < 0.0:
            yield error("negative-mass", name_of(link), f"mass is {link.mass:g} kg; give 0 or more")


def numbers_of_links(model: Model) -> Iterator[Issue]:
    """Yield an error for each quantity of a link that is not finite."""
    for link in model.links:
        for what, values in (
            ("pose", link.pose),
            ("centre of mass", link.com),
            ("inertia", link.inertia),
            ("force", link.force),
            ("torque", link.torque),
            ("velocity", link.velocity),
            ("angular velocity", link.angular_velocity),
            *((name.replace("_", " "), (getattr(link, name),)) for name in DAMPINGS),
        ):
            if not all_finite(values):
                yield error("not-finite", name_of(link), f"{what} is {as_text(values)}; give finite numbers")


def numbers_of_joints(model: Model) -> Iterator[Issue]:
    """Yield an error for each quantity of a joint that is not finite, unless it may be infinite."""
    for joint in model.joints:
        for what, values in (
            ("frame in the parent", joint.X_PJ),
            ("frame in the child", joint.X_CJ),
            ("home", joint.home),
            ("pitch", (joint.pitch,)),
        ):
            if not all_finite(values):
                yield error("not-finite", name_of(joint), f"{what} is {as_text(values)}; give finite numbers")
        if math.isnan(joint.released_at):
            yield error("not-finite", name_of(joint), "released_at is nan; give a number, or inf for never")
        for what in BREAKING:
            if not (load := getattr(joint, what)) > 0.0:
                message = f"{what} is {as_text((load,))}; give a number above 0, or inf for a joint that bears any load"
                yield error("no-strength", name_of(joint), message)
        for number, axis in enumerate(joint.axes[: joint.axis_count]):
            for what in joint.kind.slot(number).fields:
                if what in NO_NUMBERS:
                    continue
                value = getattr(axis, what)
                if isinstance(value, float) and math.isfinite(value):  # the usual case, tested first for speed
                    continue
                values = (value,) if isinstance(value, int | float) else value
                may_be_infinite = what in MAY_BE_INFINITE
                if any(map(math.isnan, values)) or not (may_be_infinite or all_finite(values)):
                    wanted = "a number, or inf" if may_be_infinite else "finite numbers"
                    message = f"{what} of its {which_axis(joint, number)} is {as_text(values)}; give {wanted}"
                    yield error("not-finite", name_of(joint), message)


def which_axis(joint: Joint, number: int) -> str:
    """Return the axis of a joint in the words of messages: "axis", "axis 2", or "steering axis"."""
    name = joint.kind.slot(number).name
    return "axis" if not name else f"axis {name}" if name.isdigit() else f"{name} axis"


FINDINGS = (repeated_names, gravity_not_finite, bad_mass, numbers_of_links, numbers_of_joints)
"""Functions that yield the findings of this module for a model."""
