# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives and dampers of joints that stand for the muscles of a body.

What hangs on a joint has an inertia about it, so a stiffness can be given as a frequency. Limbs of all sizes then
behave alike (Houdini's ragdolls are set up in the same way).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from ..spatial import Vec3, cross, dot, sub

STIFF = 2.0 * math.pi * 1.5
"""Angular frequency of a stiff joint [rad/s]: 1.5 Hz, at which an arm of 0.6 m sags by some 15 degrees."""

STIFF_DAMPING = 0.7
"""Damping ratio of the drive of a stiff joint: a swing back can be seen, a second one cannot."""

PASSIVE_DAMPING = 0.1
"""Damping ratio that a limp joint has, relative to the frequency of a stiff one: tissue always takes up energy."""

PASSIVE_FRICTION = 0.03
"""Dry friction of a joint, as the angle by which a stiff joint's drive would have to be turned for the same torque
[rad]. Tissue holds small torques without moving, so a body that lies stays as it lies. With damping alone, limbs would
creep to their balance for seconds.
"""

LEAST_INERTIA = 0.1
"""Least inertia about an axis, as a part of the greatest one: a forearm has next to none about its own axis."""

RELAXED = 0.08
"""Default strength of the drives: limbs of a body that falls do not fold up, and it cannot stand."""


class Rod(NamedTuple):
    """A part of a body at rest.

    Attributes:
        mass: [kg].
        middle: its centre of mass [m].
        length: [m].
    """

    mass: float
    middle: Vec3
    length: float


class Muscles(NamedTuple):
    """Drive, damper and friction of a joint about one axis.

    Attributes:
        stiffness: of the drive at full strength [N m/rad].
        drive_damping: of the drive at full strength [N m s/rad].
        damping: of the joint, which does not depend on the strength [N m s/rad].
        friction: torque of the joint's dry friction, which does not depend on the strength either [N m].
    """

    stiffness: float
    drive_damping: float
    damping: float
    friction: float


def muscles_about(rods: Iterable[Rod], point: Vec3, axes: Iterable[Vec3], tone: float) -> list[Muscles]:
    """Return the muscles of a joint about each of its axes.

    Args:
        rods: what the joint moves.
        point: where the joint is [m]. axes: unit vectors.
        tone: factor of the stiffness, relative to that of a limb.
    """
    moved = list(rods)
    inertias = [inertia_about(moved, point, axis) for axis in axes]
    least = LEAST_INERTIA * max(inertias)
    return [_muscles(max(inertia, least), tone) for inertia in inertias]


def inertia_about(rods: Iterable[Rod], point: Vec3, axis: Vec3) -> float:
    """Return the inertia of rods about an axis [kg m^2]. Each counts as if it could point in any direction alike.

    The mean inertia of a thin rod about an axis through its middle is m l^2 / 18: that across the rod, m l^2 / 12,
    times the mean squared sine of its angle to the axis, 2/3.

    Args:
        point: on the axis [m]. axis: unit vector.
    """
    total = 0.0
    for rod in rods:
        arm = cross(axis, sub(rod.middle, point))
        total += rod.mass * (dot(arm, arm) + rod.length * rod.length / 18.0)
    return total


def _muscles(inertia: float, tone: float) -> Muscles:
    stiffness = inertia * STIFF * STIFF
    per_ratio = 2.0 * inertia * STIFF
    return Muscles(
        tone * stiffness,
        STIFF_DAMPING * per_ratio * math.sqrt(tone),
        PASSIVE_DAMPING * per_ratio,
        PASSIVE_FRICTION * stiffness,
    )
