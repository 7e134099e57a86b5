# SPDX-License-Identifier: GPL-3.0-or-later
"""Actuators as drives of joints.

An actuator pulls on a length l with the force f = g u + b0 + b1 l + b2 l', where u is its control. On an axis with
l = n q + l0, this is a drive with stiffness -b1 n^2, damping -b2 n^2, and a target that u sets. Several actuators of
one axis add up.

Source: MuJoCo documentation, Computation, "Actuation model", and XML Reference, "actuator".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ....files.xml import Element
from ....model import Model
from ...findings import Findings
from ..defaults import MAIN
from ..model_file import ModelFile
from ..poses import numbers_of
from ..settings import SWITCHES, word
from ..tree.assembly import Assembled
from ..tree.bodies import OWN, Affixes
from .inertias import Inertias
from .tendons import Pull, Tendons

READ = ("general", "motor", "position", "velocity")
"""Tags of actuators that become drives; the others are told as lost."""


@dataclass
class Force:
    """The force of an actuator, f = gain u + bias[0] + bias[1] l + bias[2] l'.

    Attributes:
        is_affine: whether the bias counts.
        damping_ratio: of a servo whose damping follows from the inertia that it moves; 0 if bias[2] is given.
        problem: why it cannot be read; "" if it can.
    """

    gain: float = 1.0
    bias: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    is_affine: bool = False
    damping_ratio: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class Actuator:
    """An actuator that drives an axis.

    Attributes:
        name: in the whole model.
        force: on its transmission.
        control: u at the start.
        controls: least and largest u. forces: least and largest f.
    """

    name: str
    element: Element
    force: Force
    pull: Pull
    control: float
    controls: tuple[float, float]
    forces: tuple[float, float]


class ActuatorReader:
    """Reads the actuators of one file after another.

    Attributes:
        found: those that drive an axis, in order; None for one that is not read.
    """

    def __init__(self, model: Model, assembled: Assembled, tendons: Tendons, findings: Findings):
        self.model, self.assembled, self.tendons, self.findings = model, assembled, tendons, findings
        self.found: list[Actuator] = []

    def read(self, file: ModelFile, affixes: Affixes = OWN, controls: dict[Element, float] | None = None) -> None:
        """Read the actuators of a file.

        Args:
            affixes: of its names, if it was attached.
            controls: u at the start; 0, or the nearest allowed value, for the others.
        """
        if not file.settings.drives:
            return
        for element in file.document.entries("actuator"):
            if element.tag in READ:
                self._read(element, file, affixes, controls or {})

    def _read(self, element: Element, file: ModelFile, affixes: Affixes, controls: dict[Element, float]) -> None:
        complete, force = _force_of(element, file, self.findings)
        pull = self._transmission(complete, affixes)
        if pull is None:
            return
        if force.problem:
            self._lose(element, force.problem)
            return
        gear = numbers_of(complete, "gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), self.findings)
        if any(gear[1:]):
            self._lose(element, "a gear of six numbers")
            return
        if not gear[0] * pull.ratio:
            return  # its force is 0
        pull = Pull(pull.joint, pull.axis, pull.ratio * gear[0], pull.offset * gear[0])
        least, most = self._range(complete, "ctrl", file)
        control = min(max(controls.get(element, 0.0), least), most)
        forces = self._range(complete, "force", file)
        self.found.append(Actuator(affixes.of(element.name), complete, force, pull, control, (least, most), forces))

    def _transmission(self, element: Element, affixes: Affixes) -> Pull | None:
        """Return the axis that an actuator drives; None if it drives none, which is told."""
        attributes = element.attributes
        target = attributes.get("joint") or attributes.get("jointinparent")
        if target:
            place = self.assembled.joints.get(affixes.of(target))
            if place is not None and place.kind in ("hinge", "slide"):
                return Pull(place.joint, place.axis, 1.0)
            if place is not None:
                self._lose(element, f"a drive of a {place.kind} joint")
            elif affixes.is_own:
                message = f"it drives the joint '{target}', which is not there; check the name"
                self.findings.error(element, "unknown-joint", message)
            return None
        tendon = affixes.of(attributes.get("tendon", ""))
        if tendon in self.tendons:
            pull = self.tendons.pull(tendon)
            if pull is None:
                self._lose(element, "a tendon over joints that do not follow each other")
            return pull
        if "tendon" in attributes and tendon not in self.tendons.names and affixes.is_own:
            message = f"it drives the tendon '{tendon}', which is not there; check the name"
            self.findings.error(element, "unknown-tendon", message)
            return None
        self._lose(element, "a transmission other than a joint or a fixed tendon")
        return None

    def _lose(self, element: Element, why: str) -> None:
        subject = f"first in {element.subject}, line {element.line}"
        self.findings.note(f"an actuator is not read, because of {why} ({subject})", once=f"actuator {why}")

    def _range(self, element: Element, kind: str, file: ModelFile) -> tuple[float, float]:
        """Return the limits of control or force; infinite ones if there are none."""
        least, most = self.findings.attribute_vector(element, f"{kind}range", (0.0, 0.0))
        has_range = file.settings.autolimits and (least, most) != (0.0, 0.0)
        is_on = word(element, f"{kind}limited", {**SWITCHES, "auto": has_range}, has_range, self.findings)
        return (least, most) if is_on else (-math.inf, math.inf)


def _force_of(element: Element, file: ModelFile, findings: Findings) -> tuple[Element, Force]:
    """Return an actuator with the attributes of its class, and its force.

    In a class, actuators of all kinds set the same values, one after the other.
    """
    name = file.defaults.known(element, "class") or MAIN
    force = Force()
    complete = element
    for number, each in enumerate([*file.defaults.actuators[name], element]):
        complete = each if number == 0 else file.defaults.over(complete, each)
        _apply(each, complete, force, findings)
    return complete, force


def _apply(element: Element, complete: Element, force: Force, findings: Findings) -> None:
    """Change the force as one element of a class, or the actuator itself, says."""

    def given(name: str, before: float) -> float:
        return findings.attribute(element, name, before)

    if element.tag == "motor":
        force.gain, force.is_affine = 1.0, False
    elif element.tag == "position":
        force.gain, force.is_affine = given("kp", force.gain), True
        force.bias[1] = -force.gain
        if "kv" in element.attributes:
            force.bias[2], force.damping_ratio = -given("kv", 0.0), 0.0
        if "dampratio" in element.attributes:
            force.bias[2], force.damping_ratio = 0.0, given("dampratio", 0.0)
    elif element.tag == "velocity":
        force.gain, force.is_affine = given("kv", force.gain), True
        force.bias, force.damping_ratio = [0.0, 0.0, -force.gain], 0.0
    elif element.tag == "general":
        _apply_general(element, complete, force, findings)
    else:
        force.problem = f"<{element.tag}>"


def _apply_general(element: Element, complete: Element, force: Force, findings: Findings) -> None:
    gain, bias = complete.attributes.get("gaintype", "fixed"), element.attributes.get("biastype")
    if gain != "fixed" or bias not in (None, "none", "affine"):
        force.problem = f"gaintype {gain} and biastype {bias or 'none'}"
    force.is_affine = force.is_affine if bias is None else bias == "affine"
    if "gainprm" in element.attributes:
        force.gain = _numbers(element, "gainprm", findings)[0]
    if "biasprm" in element.attributes:
        force.bias = [*_numbers(complete, "biasprm", findings)[:3]]
        force.damping_ratio = max(force.bias[2], 0.0)  # a positive number is a damping ratio
        force.bias[2] = min(force.bias[2], 0.0)


def _numbers(element: Element, name: str, findings: Findings) -> tuple[float, ...]:
    return numbers_of(element, name, (0.0,) * 10, findings)


def set_drives(model: Model, actuators: Sequence[Actuator], inertias: Inertias, findings: Findings) -> None:
    """Give each axis that actuators pull on one drive, which does what they do together."""
    by_axis: dict[tuple[str, int], list[Actuator]] = {}
    for actuator in actuators:
        by_axis.setdefault((actuator.pull.joint, actuator.pull.axis), []).append(actuator)
    for (name, number), group in by_axis.items():
        axis = model.joint(name).axes[number]
        stiffness = damping = steady = effort = 0.0
        for each in group:
            force, n = each.force, each.pull.ratio
            b0, b1, b2 = force.bias if force.is_affine else (0.0, 0.0, 0.0)
            if force.damping_ratio and force.is_affine:
                b2 = -2.0 * force.damping_ratio * math.sqrt(max(0.0, -b1 * inertias.diagonal(name, number))) / abs(n)
            stiffness -= b1 * n * n
            damping -= b2 * n * n
            steady += n * (force.gain * each.control + b0 + b1 * each.pull.offset)
            effort += abs(n) * _largest(each, has_bias=bool(b0 or b1 or b2))
        if stiffness < 0.0 or damping < 0.0:
            at = group[0].element
            message = f"its actuators push it away from where it is (stiffness {stiffness:g}, damping {damping:g})"
            findings.warning(at, "unstable-drive", f"joint '{name}': {message}; they are left out: turn their signs")
            continue
        axis.effort = min(axis.effort, effort)
        axis.drive_stiffness, axis.drive_damping = stiffness, damping
        if stiffness > 0.0:
            axis.drive_mode, axis.drive_target = "position", steady / stiffness
        elif damping > 0.0:
            axis.drive_mode, axis.drive_target = "velocity", steady / damping
        elif steady:
            axis.drive_mode, axis.drive_target = "force", steady  # a motor that is off leaves its effort limit


def _largest(actuator: Actuator, has_bias: bool) -> float:
    """Return the largest force of an actuator on its transmission [N m or N]."""
    limit = max(map(abs, actuator.forces))
    if has_bias:
        return limit
    return min(limit, abs(actuator.force.gain) * max(map(abs, actuator.controls)))
