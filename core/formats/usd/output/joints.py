# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints as prims of UsdPhysics.

A joint of one axis is a revolute or prismatic one about X. Others become generic joints, if the lines of their axes are
those of one frame: USD slides along X, Y and Z, and turns about X, then Y, then Z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

from ....joints import SCREWS
from ....model import WORLD, Axis, Joint
from ....model.drives import OFF
from ....spatial import Pose, Quat, Vec3, compose, cross, dot, quat_normalized, quat_of_mat, quat_rotate, scale
from ...breaking import losses_of_breaking
from ..coordinates import DOFS
from ..joints import STRENGTHS
from .usda import Prim

DEGREE = 180.0 / math.pi
"""Degrees per radian."""

SAME_LINE = 1e-9
"""Largest difference of two directions that count as one, or as perpendicular [1]."""

LOCKED = (1.0, -1.0)
"""Limits that lock an axis of a generic joint."""


@dataclass(frozen=True)
class _Dof:
    """A degree of freedom of a generic joint: its name, and our axis with the sign of its direction."""

    name: str
    axis: Axis
    sign: float


class JointWriter:
    """Writes joints.

    Attributes:
        written: prims by the names of the joints. losses: lines about what USD cannot express.
    """

    def __init__(self, links: dict[str, Prim], scope: Prim):
        """links: prims of links by their names. scope: the prim that holds the joints."""
        self._links, self._scope = links, scope
        self.written: dict[str, Prim] = {}
        self.losses: list[str] = []

    def write(self, joint: Joint, closes_loop: bool) -> Prim | None:
        """Write a joint. Return its prim, or None if it needs none or USD has no such joint."""
        if joint.has_no_effect and joint.parent == WORLD:
            return None
        kind = joint.kind.name
        if kind == "ball":
            prim = self._ball(joint)
        elif kind == "distance":
            prim = self._distance(joint)
        elif joint.kind.code == SCREWS and (found := _dofs(joint)) is not None:
            prim = self._of_dofs(joint, *found)
        else:
            self.losses.append(f"joint '{joint.name}': USD has no {joint.type} joint; left out, so its links are loose")
            return None
        if closes_loop:
            prim.set("bool", "physics:excludeFromArticulation", True)
        if not joint.enabled:
            prim.set("bool", "physics:jointEnabled", False)
        for what, name in STRENGTHS.items():
            if math.isfinite(load := getattr(joint, what)):
                prim.set("float", name, load)
        self.losses += [f"joint '{joint.name}': {line}" for line in losses_of_breaking(joint, "USD", knows_loads=True)]
        self.written[joint.name] = prim
        return prim

    def _begin(self, kind: str, joint: Joint, turn: Quat) -> Prim:
        """Begin a prim. turn: rotation of its frame in ours."""
        prim = Prim(kind, joint.name, self._scope)
        rotation: Pose = (0.0, 0.0, 0.0, *turn)
        ends = ((0, joint.parent, joint.X_PJ), (1, joint.child, joint.X_CJ))
        for number, link, frame in ends:
            if link != WORLD:
                prim.relate(f"physics:body{number}", self._links[link])
            pose = compose(frame, rotation)
            prim.set("point3f", f"physics:localPos{number}", pose[:3])
            prim.set("quatf", f"physics:localRot{number}", pose[3:])
        return prim

    def _ball(self, joint: Joint) -> Prim:
        cone, twist = joint.axes[3], joint.axes[4]
        prim = self._begin("PhysicsSphericalJoint", joint, _turn_of(joint.unit_direction(3), None))
        prim.set("uniform token", "physics:axis", "X")
        if math.isfinite(cone.upper):
            for number in range(2):
                prim.set("float", f"physics:coneAngle{number}Limit", cone.upper * DEGREE)
        if not twist.is_unlimited:
            self.losses.append(f"joint '{joint.name}': a spherical joint of USD has no twist limits; they are left out")
        plain = Axis()
        for axis in joint.axes[:3]:
            if replace(axis, xyz=plain.xyz) != plain:
                words = "a spherical joint of USD has no damping, friction, armature, springs and drives; left out"
                self.losses.append(f"joint '{joint.name}': {words}")
                break
        return prim

    def _distance(self, joint: Joint) -> Prim:
        axis = joint.axes[0]
        prim = self._begin("PhysicsDistanceJoint", joint, (1.0, 0.0, 0.0, 0.0))
        prim.set("float", "physics:minDistance", axis.lower if axis.lower > 0.0 else -1.0)
        prim.set("float", "physics:maxDistance", axis.upper if math.isfinite(axis.upper) else -1.0)
        if axis.spring_stiffness or axis.damping:
            self.losses.append(f"joint '{joint.name}': a distance joint of USD has no spring and no damper; left out")
        return prim

    def _of_dofs(self, joint: Joint, dofs: list[_Dof], turn: Quat) -> Prim:
        if not dofs:
            return self._begin("PhysicsFixedJoint", joint, turn)
        if len(dofs) == 1:
            (dof,) = dofs
            slides = dof.name.startswith("trans")
            prim = self._begin("PhysicsPrismaticJoint" if slides else "PhysicsRevoluteJoint", joint, turn)
            prim.set("uniform token", "physics:axis", "X")
            self._limits(prim, "physics:lowerLimit", "physics:upperLimit", dof)
            self._forces(prim, "linear" if slides else "angular", dof, joint)
            return prim
        prim = self._begin("PhysicsJoint", joint, turn)
        by_name = {dof.name: dof for dof in dofs}
        for name in DOFS:
            if dof := by_name.get(name):
                if not dof.axis.is_unlimited:
                    prim.apply(f"PhysicsLimitAPI:{name}")
                    self._limits(prim, f"limit:{name}:physics:low", f"limit:{name}:physics:high", dof)
                self._forces(prim, name, dof, joint)
            else:
                prim.apply(f"PhysicsLimitAPI:{name}")
                for end, value in zip(("low", "high"), LOCKED, strict=True):
                    prim.set("float", f"limit:{name}:physics:{end}", value)
        return prim

    def _limits(self, prim: Prim, low: str, high: str, dof: _Dof) -> None:
        unit = 1.0 if dof.name.startswith("trans") else DEGREE
        ends = sorted((dof.axis.lower * dof.sign * unit, dof.axis.upper * dof.sign * unit))
        for name, value in zip((low, high), ends, strict=True):
            if math.isfinite(value):
                prim.set("float", name, value)

    def _forces(self, prim: Prim, name: str, dof: _Dof, joint: Joint) -> None:
        """Write the drive, and what only other schemas can say. A spring alone is a drive that holds its rest."""
        axis, unit = self._with_drive(dof.axis, joint), 1.0 if dof.name.startswith("trans") else DEGREE
        if axis.drive_mode != OFF.name:
            prim.apply(f"PhysicsDriveAPI:{name}")
            start = f"drive:{name}:physics:"
            prim.set("uniform token", f"{start}type", "force")
            if axis.drive_mode == "position":
                prim.set("float", f"{start}targetPosition", axis.drive_target * dof.sign * unit)
                prim.set("float", f"{start}stiffness", axis.drive_stiffness / unit)
            elif axis.drive_mode == "velocity":
                prim.set("float", f"{start}targetVelocity", axis.drive_target * dof.sign * unit)
            else:
                self.losses.append(f"joint '{joint.name}': USD has no drives that only push; its force is left out")
            prim.set("float", f"{start}damping", axis.drive_damping / unit)
            if math.isfinite(axis.effort):
                prim.set("float", f"{start}maxForce", axis.effort)
        by_others = {"newton:armature": axis.armature, "newton:friction": axis.friction, "mjc:damping": axis.damping}
        for attribute, value in by_others.items():
            if value:
                prim.set("float", attribute, value)
                words = f"its {attribute.partition(':')[2]} is said as {attribute}, which not all simulators read"
                self.losses.append(f"joint '{joint.name}': {words}")
        if math.isfinite(axis.velocity_limit):
            self.losses.append(f"joint '{joint.name}': USD has no velocity limits; {axis.velocity_limit:g} is left out")

    def _with_drive(self, axis: Axis, joint: Joint) -> Axis:
        """Return an axis whose spring, if it has one, is a drive."""
        if not axis.spring_stiffness:
            return axis
        if axis.drive_mode != OFF.name:
            self.losses.append(f"joint '{joint.name}': USD has no springs beside drives; its spring is left out")
            return axis
        self.losses.append(f"joint '{joint.name}': its spring is written as a drive, which acts alike")
        spring = {"drive_stiffness": axis.spring_stiffness, "drive_target": axis.spring_reference}
        return replace(axis, drive_mode="position", drive_damping=axis.damping, damping=0.0, effort=math.inf, **spring)


def _dofs(joint: Joint) -> tuple[list[_Dof], Quat] | None:
    """Return the degrees of freedom of a joint of columns, and the rotation of USD's frame in ours.

    None if a column is a screw, or if the columns are not along the axes of one frame, in the order of USD.
    """
    columns = joint.columns
    if any(column.threaded or (column.turn and column.slide) for column in columns):
        return None
    if any(joint.axes[column.axis].point != (0.0, 0.0, 0.0) for column in columns if joint.kind.is_open):
        return None
    if joint.kind.is_open and any(abs(column.turn or column.slide) != 1.0 for column in columns):
        return None
    if any(joint.is_locked(number) for number in range(joint.axis_count)) and any(_home_of_locked(joint)):
        return None
    directions = [joint.unit_direction(column.axis) for column in columns]
    turns = [d for d, column in zip(directions, columns, strict=True) if column.turn]
    base = turns or directions
    if not base:
        return [], (1.0, 0.0, 0.0, 0.0)
    x = base[0]
    y = next((d for d in [*base[1:], *directions] if abs(dot(d, x)) < SAME_LINE), None)
    turn = _turn_of(x, y)
    axes = (x, _column(turn, 1), _column(turn, 2))
    found: list[_Dof] = []
    for column, direction in zip(columns, directions, strict=True):
        letter = next((n for n in range(3) if abs(abs(dot(direction, axes[n])) - 1.0) < SAME_LINE), None)
        name = f"{'rot' if column.turn else 'trans'}{'XYZ'[letter]}" if letter is not None else ""
        if letter is None or any(dof.name == name for dof in found):
            return None
        if not column.turn and any(dof.name.startswith("rot") and dof.name[-1] != name[-1] for dof in found):
            return None  # it slides along a line that has turned
        sign = math.copysign(1.0, dot(direction, axes[letter]) * (column.turn or column.slide))
        if column.turn and letter != [dof.name[:3] for dof in found].count("rot"):
            return None
        if column.turn and sign < 0.0 and len(turns) > 1:
            return None
        found.append(_Dof(name, joint.axes[column.axis], sign))
    return found, turn


def _home_of_locked(joint: Joint) -> list[float]:
    pairs = zip(joint.all_columns, joint.home, strict=False)
    return [value for column, value in pairs if joint.is_locked(column.axis)]


def _turn_of(x: Vec3, y: Vec3 | None) -> Quat:
    """Return the rotation of a frame whose X is a unit vector, and whose Y is one perpendicular to it, if given."""
    if y is None:
        least = min(range(3), key=lambda n: abs(x[n]))
        other = cast(Vec3, tuple(float(n == least) for n in range(3)))
        across = cross(x, other)
        y = scale(across, 1.0 / math.sqrt(dot(across, across)))
    z = cross(x, y)
    return quat_normalized(quat_of_mat((x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])))


def _column(turn: Quat, number: int) -> Vec3:
    """Return an axis of a frame, by its rotation and the number of the axis."""
    return quat_rotate(turn, cast(Vec3, tuple(float(n == number) for n in range(3))))
