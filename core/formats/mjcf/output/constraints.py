# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that close loops, and coordinates that follow others, as equality constraints.

MuJoCo keeps them softly, here as little as it can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from ....model import Joint
from ....model.couplings import Equation
from ....spatial import Pose, add, quat_rotate, scale
from ...xml.output import number, numbers
from .joints import MovedAxis, put_pose
from .names import Names

EXACT = "0.9999 0.9999 0.001"
"""Value of `solimp`: the largest impedance that MuJoCo allows, at any error. By its default of 0.9 to 0.95, constraints
give way to a part of the forces on them, and a four-bar is 53 mm off after a second in place of 0.05 mm."""

ARM = 0.1
"""Distance of the second point that a hinge of a loop keeps on its axis [m]."""


@dataclass(frozen=True)
class Ties:
    """The sections <equality> and <tendon>, with lines about what they cannot express."""

    equality: Element
    tendon: Element
    losses: list[str]


class ConstraintWriter:
    """Writes constraints between bodies and joints that are in the file already."""

    def __init__(
        self,
        bodies: Mapping[str, Element],
        axes: Sequence[MovedAxis],
        constants: Mapping[tuple[str, int], float],
        names: Names,
    ):
        """Take what the constraints refer to.

        Args:
            bodies: elements of bodies by links, with <worldbody> for the world. axes: MuJoCo's joints.
            constants: coordinates of axes that are written as constant poses, by (joint, number of the axis).
        """
        self.constants = constants
        self.bodies, self.names = bodies, names
        self.axes = {(axis.joint, axis.number): axis for axis in axes if axis.joint}
        self.ties = Ties(Element("equality"), Element("tendon"), [])
        for axis in axes:
            if axis.follows:
                leader, ratio = axis.follows
                self._follow(axis.name, leader, 0.0, ratio, f"{axis.name}_follows")

    # ---- loops

    def loop(self, joint: Joint) -> None:
        """Write a joint that closes a loop, as points that stay together or frames that do."""
        active = {} if joint.enabled else {"active": "false"}
        if joint.type == "fixed":
            self._sites(joint, "weld", "", joint.X_PJ, joint.X_CJ, active)
        elif joint.type == "ball":
            self._sites(joint, "connect", "", joint.X_PJ, joint.X_CJ, active)
        elif len(joint.columns) == 1 and joint.columns[0].turn and not joint.columns[0].slide:
            along = scale(joint.unit_direction(joint.columns[0].axis), ARM)
            self._sites(joint, "connect", "", joint.X_PJ, joint.X_CJ, active)
            self._sites(joint, "connect", "_axis", _shifted(joint.X_PJ, along), _shifted(joint.X_CJ, along), active)
        else:
            if joint.enabled:
                words = f"closes a loop, which MJCF cannot do with type {joint.type}"
            else:
                words = f"is switched off, which MJCF cannot say of type {joint.type}; it is left out"
            self.ties.losses.append(f"joint '{joint.name}' {words}")
            return
        acting = [axis for axis in joint.axes if axis.damping or axis.friction or axis.spring_stiffness]
        if acting or any(axis.drive_mode != "off" or not axis.is_unlimited for axis in joint.axes):
            words = "its limits, springs, friction and drives are left out"
            self.ties.losses.append(f"joint '{joint.name}' closes a loop by an equality constraint; {words}")

    def _sites(self, joint: Joint, tag: str, suffix: str, X_PJ: Pose, X_CJ: Pose, active: Mapping[str, str]) -> None:
        """Write two sites, one on each link, and the constraint that keeps them together."""
        found = []
        for link, pose, end in ((joint.parent, X_PJ, "parent"), (joint.child, X_CJ, "child")):
            name = self.names.claim("site", f"{joint.name}{suffix}_{end}", is_told=False)
            site = SubElement(self.bodies[link], "site", name=name)
            put_pose(site, pose)
            found.append(name)
        name = self.names.claim("equality", f"{joint.name}{suffix}", is_told=False)
        ends = {"site1": found[0], "site2": found[1]}
        SubElement(self.ties.equality, tag, {"name": name, **ends, **active, "solimp": EXACT})

    # ---- coordinates

    def equation(self, equation: Equation) -> None:
        """Write an equation between coordinates: of two by one that follows, of more by a tendon of constant length.

        What a coordinate that is constant adds to the equation becomes a part of the constant.
        """
        constant = equation.constant
        weights: list[tuple[str, float]] = []
        for term in equation.terms:
            place, value = self.axes.get((term.joint, term.axis)), self.constants.get((term.joint, term.axis))
            if value is not None:
                constant -= term.weight * value
            elif place is not None and place.kind != "ball":
                weights.append((place.name, term.weight / place.factor))
            else:
                self.ties.losses.append(f"the coupling '{equation.name}' is left out: it couples what MJCF has not")
                return
        weights = [(name, weight) for name, weight in weights if weight]
        if not weights:
            return
        if len(weights) < 3:
            (first, a), *others = weights
            leader, b = others[0] if others else ("", 0.0)
            self._follow(first, leader, constant / a, -b / a, equation.name)
            return
        name = self.names.claim("tendon", equation.name, is_told=False)
        tendon = SubElement(self.ties.tendon, "fixed", name=name)
        for joint, weight in weights:
            SubElement(tendon, "joint", joint=joint, coef=number(weight))
        tie = self.names.claim("equality", equation.name, is_told=False)
        polycoef = numbers((constant, 0.0, 0.0, 0.0, 0.0))
        SubElement(self.ties.equality, "tendon", name=tie, tendon1=name, polycoef=polycoef, solimp=EXACT)

    def _follow(self, follower: str, leader: str, constant: float, factor: float, name: str) -> None:
        given = self.names.claim("equality", name, is_told=False)
        joints = {"joint1": follower, "joint2": leader} if leader else {"joint1": follower}
        polycoef = numbers((constant, factor, 0.0, 0.0, 0.0))
        SubElement(self.ties.equality, "joint", {"name": given, **joints, "polycoef": polycoef, "solimp": EXACT})


def _shifted(X: Pose, along: tuple[float, float, float]) -> Pose:
    """Return a frame that is moved in its own axes."""
    return add(X[:3], quat_rotate(X[3:], along)) + X[3:]
