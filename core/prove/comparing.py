# SPDX-License-Identifier: GPL-3.0-or-later
"""How far two readings of a model differ: poses at the start, masses, and poses after a motion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..kinematics import tree_poses
from ..model import Model, ModelError
from ..simulation import SimulationError, simulate
from ..spatial import dot, norm, quat_mul, sub
from ..text import one_line

FRAMES = 4
"""Number of frames of a simulation of which only the last one counts."""


@dataclass
class Behaviour:
    """What a reader makes of a file, or a model itself.

    Attributes:
        masses: by links [kg]. start: X_WL by links [m]. end: the same after the motion; empty without one.
        motion_error: why there is no motion although one was asked for.
    """

    masses: dict[str, float] = field(default_factory=dict)
    start: dict[str, Sequence[float]] = field(default_factory=dict)
    end: dict[str, Sequence[float]] = field(default_factory=dict)
    motion_error: str = ""


@dataclass(frozen=True)
class Difference:
    """The largest difference of link poses.

    Attributes:
        distance: of origins [m]. angle: of axes [rad].
        link: the link with the larger one of the two numbers; "" if no link is in both.
    """

    distance: float = 0.0
    angle: float = 0.0
    link: str = ""


@dataclass(frozen=True)
class MassDifference:
    """The largest difference of link masses.

    Attributes:
        relative: difference divided by the mass, or by `LEAST_MASS` of the whole where that is more.
        total: relative difference of all masses together.
        link: the link of `relative`; "" if no link is in both.
    """

    relative: float = 0.0
    total: float = 0.0
    link: str = ""


LEAST_MASS = 1e-6
"""Part of a model's mass below which the mass of a link counts as that much: MuJoCo gives 1e-9 kg to links that move
without any."""


def behaviour_of(model: Model, seconds: float) -> Behaviour:
    """Return what a model does here without contact.

    Args:
        seconds: time to simulate [s]; 0 for none.
    """
    at_home = {joint.name: joint.q_home for joint in model.joints if joint.nq}
    loops = {joint.name for joint in model.tree().loops}
    start = tree_poses(model, {name: values for name, values in at_home.items() if name not in loops})
    found = Behaviour({link.name: link.mass for link in model.links}, dict(start))
    if seconds:
        try:
            motion = simulate(model, seconds, frame_rate=FRAMES / seconds, accuracy="exact", contact=False)
        except (ModelError, SimulationError) as error:
            found.motion_error = one_line(str(error))
        else:
            found.end = dict(zip(motion.link_names, motion.X_WL[-1].tolist(), strict=True))
    return found


def pose_difference(ours: Mapping[str, Sequence[float]], theirs: Mapping[str, Sequence[float]]) -> Difference:
    """Return the largest difference of the poses of links that are in both."""
    worst = Difference()
    for name in ours.keys() & theirs.keys():
        (x, y, z, *quat), (u, v, w, *other) = ours[name], theirs[name]
        here = Difference(norm(sub((x, y, z), (u, v, w))), _angle(quat, other), name)
        size = max(worst.distance, worst.angle)
        link = name if not worst.link or max(here.distance, here.angle) > size else worst.link
        worst = Difference(max(worst.distance, here.distance), max(worst.angle, here.angle), link)
    return worst


def _angle(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the angle of the rotation from one unit quaternion to another [rad], exact for small ones too."""
    w, x, y, z = quat_mul((a[0], -a[1], -a[2], -a[3]), (b[0], b[1], b[2], b[3]))
    return 2.0 * math.atan2(math.sqrt(dot((x, y, z), (x, y, z))), abs(w))


def mass_difference(ours: Mapping[str, float], theirs: Mapping[str, float]) -> MassDifference:
    """Return the largest difference of the masses of links that are in both."""
    whole = sum(ours.values())
    total = abs(sum(theirs.values()) - whole) / whole if whole else 0.0
    worst, link = 0.0, ""
    for name in ours.keys() & theirs.keys():
        size = max(ours[name], LEAST_MASS * whole)
        apart = abs(theirs[name] - ours[name]) / size if size else 0.0
        if not link or apart > worst:
            worst, link = apart, name
    return MassDifference(worst, total, link)
