# SPDX-License-Identifier: GPL-3.0-or-later
"""Drive modes: one entry of `DRIVES` for each. No other code depends on the name of a mode."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .axis import Axis


class Aim(Enum):
    """The unit of `Axis.drive_target`: U, U/s, or N m and N, with U the unit of the axis's coordinate."""

    PLACE = "place"
    SPEED = "speed"
    FORCE = "force"


class DriveLaw(NamedTuple):
    """The force of a drive: stiffness * (target - q) + damping * (rate - qd) + push."""

    stiffness: float = 0.0
    damping: float = 0.0
    target: float = 0.0
    rate: float = 0.0
    push: float = 0.0


class DriveMode(NamedTuple):
    """A kind of drive.

    Attributes:
        name: in files, scenes and scripts. label, help: in Blender.
        exerts: the fields of `Axis` that cause its force; if all are 0, there is none.
        aim: unit of its target; None if there is no drive.
    """

    name: str
    label: str
    help: str
    exerts: tuple[str, ...] = ()
    aim: Aim | None = None

    @property
    def scales(self) -> tuple[str, ...]:
        """The fields that are halved for a drive of half the strength."""
        return (*self.exerts, "effort") if self.exerts else ()

    @property
    def fields(self) -> frozenset[str]:
        """All fields that have an effect."""
        return frozenset(("drive_target", *self.scales)) if self.exerts else frozenset()

    def is_on(self, axis: Axis) -> bool:
        """Return whether there is a drive. One whose effort limit is 0 does not count."""
        return bool(self.exerts) and axis.effort > 0.0

    def law(self, axis: Axis) -> DriveLaw:
        if not self.is_on(axis):
            return DriveLaw()
        stiffness, damping = (
            getattr(axis, name) if name in self.exerts else 0.0 for name in ("drive_stiffness", "drive_damping")
        )
        target, rate, push = (axis.drive_target if self.aim is aim else 0.0 for aim in Aim)
        return DriveLaw(stiffness, damping, target, rate, push)


OFF = DriveMode("off", "Off", "Nothing drives the joint")

DRIVES: dict[str, DriveMode] = {
    mode.name: mode
    for mode in (
        OFF,
        DriveMode(
            "position",
            "Position",
            "Pull the joint to a position, like a servo, by a spring and a damper",
            ("drive_stiffness", "drive_damping"),
            Aim.PLACE,
        ),
        DriveMode(
            "velocity",
            "Speed",
            "Keep the joint at a speed, like a motor, by a damper",
            ("drive_damping",),
            Aim.SPEED,
        ),
        DriveMode(
            "force", "Force", "Push with a steady force, or turn with a steady torque", ("drive_target",), Aim.FORCE
        ),
    )
}
