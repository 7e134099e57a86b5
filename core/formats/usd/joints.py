# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a stage: their types, frames, limits, and coordinates as drawn.

Body 0 is the parent and body 1 the child, unless that is the world. A body that is missing, and a prim that belongs to
no body, is the world. A joint's frames need not coincide as drawn: its home is then the coordinates of the drawn pose.

Source: OpenUSD documentation, "Rigid Body Physics in USD", section "Joints"; UsdPhysicsJoint and its types.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from ...model import WORLD, Axis, Joint
from ...model.naming import TakenNames
from ...spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    Quat,
    Vec3,
    compose,
    inverse,
    quat_mul,
    quat_normalized,
)
from ...spatial.arrays import matmul
from ..findings import Findings
from .bodies import RADIAN, Bodies
from .coordinates import APART, DOFS, End, ReadJoint, put_world_first, set_home
from .drives import LIMITLESS, DriveReader
from .stage import Stage, rotation_of

DIRECTIONS: dict[str, Vec3] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}

DRIVEN = {"PhysicsRevoluteJoint": ("angular",), "PhysicsPrismaticJoint": ("linear",), "PhysicsJoint": DOFS}
"""Names of the drives that are read, by the types of joints that have any."""

LIMITED = {"PhysicsJoint": DOFS}
"""Names of the limits that are read, by the types of joints that have any of `LimitAPI`."""

STRENGTHS = {"break_force": "physics:breakForce", "break_torque": "physics:breakTorque"}
"""Attributes of the loads at which a joint breaks, by our names."""


class JointReader:
    """Reads the joints of a stage."""

    def __init__(self, stage: Stage, bodies: Bodies, findings: Findings):
        self._stage, self._bodies, self._findings = stage, bodies, findings
        self._drives = DriveReader(stage, findings)
        self._taken = TakenNames()

    def read(self, prim: Any) -> ReadJoint | None:
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
        self._strength(prim, joint)
        joint.enabled = self._stage.flag(prim, "physics:jointEnabled", True)
        joint.closes_loop = self._stage.flag(prim, "physics:excludeFromArticulation", False)
        self._tell_unread(prim, kind)
        return ReadJoint(prim, joint, parent, child)

    def _strength(self, prim: Any, joint: Joint) -> None:
        """Set the loads at which a joint breaks."""
        force = self._stage.kilogram * self._stage.unit
        for (what, name), unit in zip(STRENGTHS.items(), (force, force * self._stage.unit), strict=True):
            load = self._stage.number(prim, name, math.inf)
            if 0.0 < load < LIMITLESS:
                setattr(joint, what, load * unit)
            elif load <= 0.0:
                message = f"{name} is {load:g}, and a joint of that strength never holds; it is taken as unbreakable"
                self._findings.warning(self._stage.place(prim), "no-strength", message)

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
        return parent, child

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

    def _limit(self, prim: Any, axis: Axis, low: str, high: str, unit: float) -> None:
        """Set the limits of an axis; lock it if the low one is above the high one. low, high: their attributes."""
        lower, upper = self._stage.number(prim, low, -math.inf), self._stage.number(prim, high, math.inf)
        if lower > upper:
            axis.locked = True
        else:
            axis.lower = lower * unit if lower > -LIMITLESS else -math.inf
            axis.upper = upper * unit if upper < LIMITLESS else math.inf

    def _revolute(self, prim: Any, joint: Joint) -> None:
        axis = self._axis(prim)
        self._limit(prim, axis, "physics:lowerLimit", "physics:upperLimit", RADIAN)
        self._drives.read(prim, "angular", axis)
        joint.type = "continuous" if axis.is_unlimited else "revolute"
        joint.axes = [axis]

    def _prismatic(self, prim: Any, joint: Joint) -> None:
        axis = self._axis(prim)
        self._limit(prim, axis, "physics:lowerLimit", "physics:upperLimit", self._stage.unit)
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
        if f"PhysicsLimitAPI:{dof}" in self._stage.applied(prim):
            self._limit(prim, axis, f"limit:{dof}:physics:low", f"limit:{dof}:physics:high", unit)
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

    def place(self, found: ReadJoint) -> None:
        """Set the home of a joint, and the ends that a model has, whose parent may be the world.

        If the joint cannot move to the drawn pose, a side without a prim is placed at the other one.
        """
        joint, parent, child = found.joint, found.parent, found.child
        if (apart := set_home(joint, found.X_J)) > APART:
            if not parent.is_given:
                joint.X_PJ = child.drawn
            elif not child.is_given:
                joint.X_CJ = parent.drawn
            else:
                message = f"its frames are drawn {apart:.2g} m or rad apart, where it cannot move; its child follows"
                self._findings.warning(self._stage.place(found.prim), "drawn-apart", message)
            if not (parent.is_given and child.is_given):
                set_home(joint, IDENTITY)
        if joint.child == WORLD:
            put_world_first(joint)

    def _tell_unread(self, prim: Any, kind: str) -> None:
        """Report the drives and limits of a joint that are not those of its degrees of freedom."""
        for word, dofs in (("drive", DRIVEN.get(kind, ())), ("limit", LIMITED.get(kind, ()))):
            prefix = f"Physics{word.title()}API:"
            found = {name.removeprefix(prefix) for name in self._stage.applied(prim) if name.startswith(prefix)}
            if word == "limit":
                found = {dof for dof in found if self._has_limit(prim, dof)}
            if unread := sorted(found - {*dofs}):
                message = f"<{kind}> has no {word} {', '.join(unread)} here; it is left out"
                self._findings.warning(self._stage.place(prim), "left-out", message)

    def _has_limit(self, prim: Any, dof: str) -> bool:
        ends = (self._stage.number(prim, f"limit:{dof}:physics:{end}", math.inf) for end in ("low", "high"))
        return any(abs(end) < LIMITLESS for end in ends)
