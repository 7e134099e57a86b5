# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives of joints, and what other schemas say of their axes: armature, friction, damping, speed limits.

Gains of angular drives are per degree, and so is Newton's damping. Attributes whose names begin with "mjc:" are per
radian, as MuJoCo's.

Source: UsdPhysicsDriveAPI; PhysX schema, PhysxJointAPI; Newton's and MuJoCo's schemas of USD.
"""

from __future__ import annotations

import math
from typing import Any

from ...model import Axis
from ..findings import Findings
from .bodies import RADIAN
from .stage import Stage

ARMATURES = ("newton:armature", "physxJoint:armature", "mjc:armature")
FRICTIONS = ("newton:friction", "physxJoint:jointFriction", "mjc:frictionloss")
SPEEDS = ("newton:velocityLimit", "physxJoint:maxJointVelocity")
"""Attributes of which the first that a joint has counts: rotor inertias, dry frictions, and largest speeds."""

LIMITLESS = 1e30
"""Number from which on a limit or a largest force counts as none, since exporters write the largest float."""


class DriveReader:
    """Reads what acts on the axes of joints."""

    def __init__(self, stage: Stage, findings: Findings):
        self._stage, self._findings = stage, findings

    def read(self, prim: Any, dof: str, axis: Axis) -> None:
        """Set the drive and the resistance of an axis.

        Args:
            dof: "angular", "linear", or the name of a degree of freedom of a generic joint.
        """
        turns = dof.startswith(("angular", "rot"))
        self._resistance(prim, axis, turns)
        if f"PhysicsDriveAPI:{dof}" not in self._stage.applied(prim):
            return
        stage, name = self._stage, f"drive:{dof}:physics:"
        force = stage.kilogram * (stage.unit**2 if turns else stage.unit)  # N m or N per unit of the stage
        unit = RADIAN if turns else stage.unit
        is_acceleration = stage.word(prim, name + "type", "force") == "acceleration"
        gain = (1.0 if turns else stage.unit) / unit if is_acceleration else force / unit
        stiffness, damping = (stage.not_negative(prim, name + each) * gain for each in ("stiffness", "damping"))
        most = stage.not_negative(prim, name + "maxForce", math.inf)
        axis.effort = most * force if most < LIMITLESS else math.inf
        place, speed = (
            stage.number(prim, name + each, 0.0, infinite=False) * unit for each in ("targetPosition", "targetVelocity")
        )
        if is_acceleration and (stiffness or damping):
            message = "its drive gives accelerations; the gains are read as those of forces (on 1 kg or 1 kg m^2)"
            self._findings.warning(stage.place(prim), "approximated", message)
        if stiffness:
            axis.drive_mode, axis.drive_stiffness, axis.drive_damping = "position", stiffness, damping
            axis.drive_target = place
            if speed:
                message = f"the target velocity of its position drive ({dof}) is left out"
                self._findings.warning(stage.place(prim), "left-out", message)
        elif damping:
            axis.drive_mode, axis.drive_damping, axis.drive_target = "velocity", damping, speed

    def _resistance(self, prim: Any, axis: Axis, turns: bool) -> None:
        stage = self._stage
        size = stage.unit**2 if turns else 1.0
        force = stage.kilogram * (stage.unit**2 if turns else stage.unit)
        axis.armature = self._first(prim, ARMATURES) * stage.kilogram * size
        axis.friction = self._first(prim, FRICTIONS) * force
        per_radian = stage.number(prim, "mjc:damping", 0.0, infinite=False)
        own = stage.number(prim, "newton:damping", -math.inf)  # Newton's word for "not given"
        per_unit = own / (RADIAN if turns else 1.0) if 0.0 <= own < math.inf else per_radian
        axis.damping = per_unit * stage.kilogram * size
        axis.spring_stiffness = stage.number(prim, "mjc:stiffness", 0.0, infinite=False) * stage.kilogram * size
        fastest = self._first(prim, SPEEDS)
        if 0.0 < fastest < LIMITLESS:
            axis.velocity = fastest * (RADIAN if turns else stage.unit)

    def _first(self, prim: Any, names: tuple[str, ...]) -> float:
        """Return the value of the first of these attributes that a prim has; 0 if it has none."""
        found = (name for name in names if self._stage.raw(prim, name) is not None)
        name = next(found, "")
        value = self._stage.number(prim, name, 0.0) if name else 0.0
        return value if value > 0.0 else 0.0
