# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences of two readings of a model: poses at the start, masses, and poses after a motion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..kinematics import tree_poses
from ..model import Link, Model, ModelError
from ..simulation import SimulationError, simulate
from ..spatial import (
    IDENTITY_QUAT,
    Pose,
    compose,
    inverse,
    norm,
    pose_distance,
    quat_angle,
    quat_to_mat,
    sub,
    sym_rotate,
    sym_sub,
)
from ..text import one_line

FRAMES = 4
"""Number of frames of a simulation of which only the last one counts."""


@dataclass
class Behaviour:
    """Masses and poses of a model, as one reader has them.

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

    @property
    def largest(self) -> float:
        """The larger one of the two numbers."""
        return max(self.distance, self.angle)


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
    """Return what a model does here without contact and without velocity limits, which other simulators lack.

    Args:
        seconds: time to simulate [s]; 0 for none.
    """
    at_home = {joint.name: joint.q_home for joint in model.joints if joint.nq}
    loops = {joint.name for joint in model.tree().loops}
    start = tree_poses(model, {name: values for name, values in at_home.items() if name not in loops})
    found = Behaviour({link.name: link.mass for link in model.links}, dict(start))
    if seconds:
        try:
            motion = simulate(_unhurried(model), seconds, frame_rate=FRAMES / seconds, accuracy="exact", contact=False)
        except (ModelError, SimulationError) as error:
            found.motion_error = one_line(str(error))
        else:
            found.end = dict(zip(motion.link_names, motion.X_WL[-1].tolist(), strict=True))
    return found


def _unhurried(model: Model) -> Model:
    """Return a copy without velocity limits."""
    joints = [replace(joint, axes=[replace(axis, velocity=math.inf) for axis in joint.axes]) for joint in model.joints]
    return replace(model, joints=joints)


def pose_difference(ours: Mapping[str, Sequence[float]], theirs: Mapping[str, Sequence[float]]) -> Difference:
    """Return the largest difference of the poses of links that are in both."""
    worst = Difference()
    for name in ours.keys() & theirs.keys():
        X, Y = _pose(ours[name]), _pose(theirs[name])
        here = Difference(norm(sub(X[:3], Y[:3])), quat_angle(X[3:], Y[3:]), name)
        link = name if not worst.link or here.largest > worst.largest else worst.link
        worst = Difference(max(worst.distance, here.distance), max(worst.angle, here.angle), link)
    return worst


def moved_frames(
    ours: Model, theirs: Model, start: Mapping[str, Sequence[float]], again: Mapping[str, Sequence[float]], least: float
) -> dict[str, Pose]:
    """Return {link: pose of our frame in their frame} of links whose frames a format has moved, as URDF does.

    Such a link is the same body all the same: a shape of the same name is in the same place, or the link has no such
    shape, and its centre of mass and its inertia are.

    Args:
        ours, theirs: the model before and after. start, again: their links' poses X_WL [m].
        least: difference of poses that counts as none [m and rad].
    """
    found = {}
    known = {link.name: link for link in theirs.links}
    for link in ours.links:
        other = known.get(link.name)
        if other is None or link.name not in start or link.name not in again:
            continue
        X, Y = _pose(start[link.name]), _pose(again[link.name])
        if pose_distance(X, Y) <= least:
            continue
        shapes = {shape.name: shape.pose for shape in [*other.visuals, *other.collisions]}
        own = [*link.visuals, *link.collisions]
        places = [(shape.pose, shapes[shape.name]) for shape in own if shape.name in shapes]
        offset = compose(inverse(Y), X)
        if any(pose_distance(compose(X, a), compose(Y, b)) <= least for a, b in places) or (
            not places and _same_body(link, X, other, Y, least)
        ):
            found[link.name] = offset
    return found


def _same_body(link: Link, X: Pose, other: Link, Y: Pose, least: float) -> bool:
    """Return whether two links at the poses X and Y have the same centre of mass and inertia in world axes."""
    a, b = (compose(pose, each.com + IDENTITY_QUAT)[:3] for pose, each in ((X, link), (Y, other)))
    I, J = (sym_rotate(quat_to_mat(pose[3:]), each.inertia) for pose, each in ((X, link), (Y, other)))
    apart = max(map(abs, sym_sub(I, J)))
    return norm(sub(a, b)) <= least and apart <= least * max(map(abs, I))


def in_our_frames(poses: Mapping[str, Sequence[float]], moved: Mapping[str, Pose]) -> dict[str, Sequence[float]]:
    """Return poses of links with the frames that `moved_frames` has found in the place of theirs."""
    return {name: compose(_pose(pose), moved[name]) if name in moved else pose for name, pose in poses.items()}


def _pose(numbers: Sequence[float]) -> Pose:
    x, y, z, qw, qx, qy, qz = numbers
    return x, y, z, qw, qx, qy, qz


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
