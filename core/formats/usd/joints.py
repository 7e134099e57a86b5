# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a stage: their types, frames, limits, and coordinates as drawn.

Body 0 is the parent and body 1 the child. A body that is missing, and a prim that belongs to no body, is the world. A
joint's frames need not coincide as drawn: the coordinates that its home has then are those of the drawn pose.

Source: OpenUSD documentation, "Rigid Body Physics in USD", section "Joints"; UsdPhysicsJoint and its types.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ...model import WORLD, Axis, Joint
from ...model.naming import TakenNames
from ...model.screws import joint_pose
from ...spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    Pose,
    Quat,
    Vec3,
    compose,
    dot,
    inverse,
    norm,
    quat_mul,
    quat_normalized,
    rotvec_of_quat,
)
from ...spatial.arrays import matmul
from ..findings import Findings
from ..substitutes import hinge_angles
from .bodies import RADIAN, Bodies
from .drives import DriveReader
from .stage import Stage, rotation_of

DIRECTIONS: dict[str, Vec3] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
DOFS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
"""Names of the six degrees of freedom of a generic joint, in the order of the axes of a d6."""

APART = 1e-4
"""Distance [m] or angle [rad] between what a joint allows and the drawn pose, above which a warning tells it."""


@dataclass(frozen=True)
class End:
    """One side of a joint.

    Attributes:
        link: name of the link. frame: the joint's frame in it [m]. drawn: the same in the world, as drawn [m].
        is_given: whether the joint names a prim there; otherwise the side is the world.
    """

    link: str
    frame: Pose
    drawn: Pose
    is_given: bool = True


class JointReader:
    """Reads the joints of a stage.

    Attributes:
        found: the joints by the paths of their prims.
    """

    def __init__(self, stage: Stage, bodies: Bodies, findings: Findings):
        self._stage, self._bodies, self._findings = stage, bodies, findings
        self._drives = DriveReader(stage, findings)
        self._taken = TakenNames()
        self.found: dict[str, Joint] = {}

    def read(self, prim: Any) -> Joint | None:
        """Return a joint; None, with a finding, if it joins nothing."""
        ends = self._ends(prim)
        if ends is None:
            return None
        parent, child = ends
        kind = str(prim.GetTypeName())
        make = self._makers.get(kind)
        if make is None:
            message = f"<{kind}> is not read; its bodies move without it"
            self._findings.warning(self._stage.place(prim), "unknown-joint", message)
            return None
        joint = Joint(
            self._taken.claim(self._stage.name_of(prim)), "fixed", parent.link, child.link, parent.frame, child.frame
        )
        make(self, prim, joint)
        joint.enabled = self._stage.flag(prim, "physics:jointEnabled", True)
        joint.closes_loop = self._stage.flag(prim, "physics:excludeFromArticulation", False)
        if self._set_home(joint, compose(inverse(parent.drawn), child.drawn)) > APART:
            self._part(prim, joint, parent, child)
        self._tell_losses(prim)
        self.found[str(prim.GetPath())] = joint
        return joint

    # ---- ends

    def _ends(self, prim: Any) -> tuple[End, End] | None:
        parent, child = sides = (self._end(prim, 0), self._end(prim, 1))
        if all(side.link == WORLD for side in sides):
            self._findings.warning(self._stage.place(prim), "no-body", "it joins no body; it is left out")
            return None
        if parent.link == child.link:
            message = f"both of its ends belong to body '{parent.link}'; it is left out"
            self._findings.warning(self._stage.place(prim), "one-body", message)
            return None
        return (child, parent) if child.link == WORLD else (parent, child)

    def _end(self, prim: Any, number: int) -> End:
        stage = self._stage
        targets = stage.targets(prim, f"physics:body{number}")
        body = stage.prim_at(targets[0]) if targets else stage.root
        if body is None:
            message = f"physics:body{number} names {targets[0]}, which is not there; the world is taken"
            self._findings.warning(stage.place(prim), "unknown-body", message)
            body = stage.root
        at = stage.numbers(prim, f"physics:localPos{number}", (0.0, 0.0, 0.0))
        turn = stage.numbers(prim, f"physics:localRot{number}", IDENTITY_QUAT)
        linear, origin = stage.matrix(body)
        place = matmul(linear, np.array(at)[:, None])[:, 0] + origin
        turned = quat_mul(rotation_of(linear), quat_normalized(cast(Quat, turn)) if any(turn) else IDENTITY_QUAT)
        drawn = (*cast(Vec3, tuple(place.tolist())), *turned)
        owner = self._bodies.owner.get(str(body.GetPath()), "")
        if not owner:
            return End(WORLD, drawn, drawn, body != stage.root)
        link = self._bodies.links[owner]
        return End(link.name, compose(inverse(link.pose), drawn), drawn)

    # ---- types

    def _axis(self, prim: Any) -> Axis:
        return Axis(DIRECTIONS.get(self._stage.word(prim, "physics:axis", "X"), DIRECTIONS["X"]))

    def _limits(self, prim: Any, low: str, high: str, unit: float) -> tuple[float, float]:
        lower, upper = self._stage.number(prim, low, -math.inf), self._stage.number(prim, high, math.inf)
        return lower * unit, upper * unit

    def _revolute(self, prim: Any, joint: Joint) -> None:
        axis = self._axis(prim)
        axis.lower, axis.upper = self._limits(prim, "physics:lowerLimit", "physics:upperLimit", RADIAN)
        self._drives.read(prim, "angular", axis)
        joint.type = "continuous" if axis.is_unlimited else "revolute"
        joint.axes = [axis]

    def _prismatic(self, prim: Any, joint: Joint) -> None:
        axis = self._axis(prim)
        axis.lower, axis.upper = self._limits(prim, "physics:lowerLimit", "physics:upperLimit", self._stage.unit)
        self._drives.read(prim, "linear", axis)
        joint.type, joint.axes = "prismatic", [axis]

    def _spherical(self, prim: Any, joint: Joint) -> None:
        joint.type = "ball"
        angles = [self._stage.number(prim, f"physics:coneAngle{number}Limit", -1.0) for number in range(2)]
        limits = [angle * RADIAN for angle in angles if 0.0 <= angle < 180.0]
        cone = joint.axes[3]
        cone.xyz = joint.axes[4].xyz = self._axis(prim).xyz
        if limits:
            cone.upper = max(limits)
        if limits and (len(limits) == 1 or limits[0] != limits[1]):
            message = f"its two cone angles differ; the larger one, {max(angles):g} degrees, is taken all around"
            self._findings.warning(self._stage.place(prim), "approximated", message)

    def _distance(self, prim: Any, joint: Joint) -> None:
        joint.type = "distance"
        least, most = (self._stage.number(prim, f"physics:{name}Distance", -1.0) for name in ("min", "max"))
        axis = joint.axes[0]
        axis.lower = max(least, 0.0) * self._stage.unit
        axis.upper = most * self._stage.unit if most >= 0.0 else math.inf

    def _fixed(self, prim: Any, joint: Joint) -> None:
        """A fixed joint has nothing to read."""

    def _generic(self, prim: Any, joint: Joint) -> None:
        """Make a joint of six axes, or a simpler type that moves in the same way."""
        axes = [self._generic_axis(prim, number) for number in range(6)]
        free = [number for number, axis in enumerate(axes) if not axis.locked]
        if not free:
            return
        if len(free) == 1:
            (number,) = free
            joint.type = "prismatic" if number < 3 else "continuous" if axes[number].is_unlimited else "revolute"
            joint.axes = [axes[number]]
            return
        plain = [not axes[n].locked and axes[n] == Axis(axes[n].xyz) for n in range(6)]
        if all(plain[3:]) and all(axis.locked for axis in axes[:3]):
            joint.type = "ball"
        elif all(plain):
            joint.type = "free"
        else:
            joint.type, joint.axes = "d6", axes

    def _generic_axis(self, prim: Any, number: int) -> Axis:
        dof = DOFS[number]
        axis, unit = Axis(DIRECTIONS[dof[-1]]), self._stage.unit if number < 3 else RADIAN
        axis.lower, axis.upper = self._limits(prim, f"limit:{dof}:physics:low", f"limit:{dof}:physics:high", unit)
        if axis.lower > axis.upper:
            axis.lower, axis.upper, axis.locked = -math.inf, math.inf, True
        self._drives.read(prim, dof, axis)
        return axis

    _makers: dict[str, Callable[[JointReader, Any, Joint], None]] = {
        "PhysicsRevoluteJoint": _revolute,
        "PhysicsPrismaticJoint": _prismatic,
        "PhysicsSphericalJoint": _spherical,
        "PhysicsDistanceJoint": _distance,
        "PhysicsFixedJoint": _fixed,
        "PhysicsJoint": _generic,
    }

    # ---- coordinates as drawn

    def _set_home(self, joint: Joint, X_J: Pose) -> float:
        """Set the coordinates that come nearest to the pose X_J of the child-side frame in the other one, as drawn.

        Return how far apart the frames are then [m or rad].
        """
        joint.home = tuple(value + 0.0 for value in home_of(joint, X_J))
        rest = compose(inverse(joint_pose(joint, joint.q_home)), X_J)
        return max(norm(rest[:3]), norm(rotvec_of_quat(rest[3:])))

    def _part(self, prim: Any, joint: Joint, parent: End, child: End) -> None:
        """Place a joint whose frames are drawn apart: at its child if the parent is no prim, else as given."""
        apart = self._set_home(joint, compose(inverse(parent.drawn), child.drawn))
        if not parent.is_given:
            joint.X_PJ = child.drawn
            self._set_home(joint, IDENTITY)
            return
        message = f"its frames are drawn {apart:.2g} m or rad apart, where it cannot move; its child follows"
        self._findings.warning(self._stage.place(prim), "drawn-apart", message)

    def _tell_losses(self, prim: Any) -> None:
        for name in ("physics:breakForce", "physics:breakTorque"):
            if math.isfinite(value := self._stage.number(prim, name, math.inf)) and value < 1e30:
                self._findings.note(
                    f"{name} is not read: joints do not break at a force (first at {prim.GetPath()})", name
                )


def home_of(joint: Joint, X_J: Pose) -> tuple[float, ...]:
    """Return the coordinates at which a joint's frames are nearest to a pose of one in the other."""
    if joint.kind.chart:
        return X_J[3:] if joint.type == "ball" else X_J
    turn = rotvec_of_quat(X_J[3:])
    if joint.type in ("revolute", "continuous"):
        return (dot(turn, joint.axes[0].xyz),)
    if joint.type == "prismatic":
        return (dot(X_J[:3], joint.axes[0].xyz),)
    if joint.type != "d6":
        return ()
    values = (*X_J[:3], *hinge_angles(X_J))
    return tuple(0.0 if joint.is_locked(number) else value for number, value in enumerate(values))


def merged(joints: list[Joint]) -> list[Joint]:
    """Return the joints with those of one axis that share both frames, between the same links, as one.

    Files write them for what is one joint of several axes, such as a cylinder's turn and slide.
    """
    found: list[Joint] = []
    for joint in joints:
        other = next((known for known in found if _are_one(known, joint)), None)
        if other is None:
            found.append(joint)
            continue
        if other.type != "custom":
            first, home = _as_screw(replace(other.axes[0]), other.type == "prismatic"), other.home
            other.type = "custom"
            other.axes, other.home = [first], home
        other.axes = [*other.axes, _as_screw(replace(joint.axes[0]), joint.type == "prismatic")]
        other.home = (*other.home, *joint.home)
    return found


def _are_one(a: Joint, b: Joint) -> bool:
    single = ("revolute", "continuous", "prismatic")
    if (a.parent, a.child) != (b.parent, b.child) or b.type not in single or a.type not in (*single, "custom"):
        return False
    return a.closes_loop == b.closes_loop and _near(a.X_PJ, b.X_PJ) and _near(a.X_CJ, b.X_CJ)


def _near(X: Pose, Y: Pose) -> bool:
    rest = compose(inverse(X), Y)
    return max(norm(rest[:3]), norm(rotvec_of_quat(rest[3:]))) <= APART


def _as_screw(axis: Axis, is_slide: bool) -> Axis:
    axis.turn, axis.slide = (0.0, 1.0) if is_slide else (1.0, 0.0)
    return axis
