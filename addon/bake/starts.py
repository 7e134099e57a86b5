# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a simulation begins: as the scene's links stand, or as they are animated up to the first frame.

Joints that start at home need nothing of this: that is what a model starts from by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np

from ...core.kinematics import state_of_links
from ...core.model import Model
from ...core.spatial import Pose, Quat, quat_mul, rotvec_of_quat
from ...core.spatial.arrays import matmul
from .. import ids
from ..bridge.joint_numbers import place_of, whole_turn
from ..bridge.keyed_joints import Numbers, keyed_numbers
from ..bridge.motion import follows_keys, moves_itself
from ..bridge.numbers import frame_rate
from ..bridge.read import SceneReading
from ..props import ancestors
from .receipt import digest_of_curves
from .restore import as_before_bake, own_curves
from .sampling import poses_at

BACK = np.array([25.0, -48.0, 36.0, -16.0, 3.0]) / 12.0
"""Weights of five even samples, the last first, for the derivative at the last one, of fourth order.

Source: Fornberg, Generation of Finite Difference Formulas on Arbitrarily Spaced Grids (1988), table 3.
"""

BETWEEN = 0.25
"""Frames between two samples of a motion that is smooth between frames."""


@dataclass(frozen=True)
class Beginning:
    """What a motion begins with.

    Attributes:
        state: as a simulation takes it, {"q": …, "qd": …}; None for every joint's start.
        X_WL: where the links were seen to stand [m], by name; empty where nobody looked.
        frames: at which there is animation before, shape (B,). before: pose of each link at these, shape (B, 7) [m].
    """

    state: dict | None = None
    X_WL: dict[str, Pose] = field(default_factory=dict)
    frames: np.ndarray = field(default_factory=lambda: np.empty(0))
    before: dict[str, np.ndarray] = field(default_factory=dict)


def as_posed(scene: bpy.types.Scene, model: Model, stand: dict[str, Pose]) -> Beginning:
    """At rest, but for initial velocities. model: what moves, at the first frame. stand: where every link does [m]."""
    state = _turned_on(state_of_links(model, stand), model, keyed_numbers(scene, scene.frame_current_final))
    return Beginning({"q": state["q"]}, stand)  # without "qd", links start with their initial velocity


def as_animated(scene: bpy.types.Scene, reading: SceneReading, model: Model, first: int, step: float) -> Beginning:
    """As fast as the links are animated up to the first frame, or from there on where that is when they begin to move.

    What our own bake has taken the place of counts, and not that bake. step: of what was animated before [frames].
    """
    with as_before_bake(scene):
        keys = _key_frames(reading.objects.values())
        begin = int(np.floor(min(keys, default=first)))
        way = 1.0 if begin >= first else -1.0
        spacing = 1.0 if _is_keyed_on_every_frame(reading.objects.values(), first, way) else BETWEEN
        near = poses_at(scene, reading.objects, first + way * spacing * np.arange(len(BACK)))
        frames = np.arange(begin, first - 1e-6, step)
        before = poses_at(scene, reading.objects, frames)
        seconds = -way * spacing / frame_rate(scene)
        V_WL = {name: _twist(poses, seconds) for name, poses in near.items()}
        stand: dict[str, Pose] = {name: tuple(poses[0].tolist()) for name, poses in near.items()}
        state = _turned_on(state_of_links(model, stand, V_WL), model, keyed_numbers(scene, first))
    return Beginning(state, stand, frames, before)


def _turned_on(state: dict[str, dict], model: Model, keyed: Mapping[str, Numbers]) -> dict[str, dict]:
    """The state with as many whole turns of each joint as its keys say, which its links do not show."""
    for name in state["q"].keys() & keyed.keys():
        joint, q = model.joint(name), state["q"][name]
        for number, value in keyed[name].items():
            turn, place = whole_turn(joint, number), place_of(joint, number)
            if turn and place is not None:
                q[place] += turn * round((value - q[place]) / turn)
    return state


def digest_of_motion(objects: Collection[bpy.types.Object]) -> str:
    """Of the F-curves that move the objects, directly, through joints or through what carries them, a bake's apart."""
    return digest_of_curves(_curves_moving(objects))


def _twist(poses: np.ndarray, seconds: float) -> np.ndarray:
    """V_WL at the first of five poses [m], shape (5, 7), each of which was `seconds` before the last one."""
    stood: Quat = tuple(poses[0, 3:].tolist())
    turns = np.array([_turn(stood, tuple(pose.tolist())) for pose in poses[:, 3:]])
    return np.concatenate([matmul(BACK, poses[:, :3]), matmul(BACK, turns)]) / seconds


def _turn(start: Quat, end: Quat) -> tuple[float, float, float]:
    """The rotation vector from one orientation to another, in world axes [rad]."""
    w, x, y, z = start
    return rotvec_of_quat(quat_mul(end, (w, -x, -y, -z)))


def _curves_moving(objects: Collection[bpy.types.Object]) -> list[bpy.types.FCurve]:
    """What animates the objects but a bake of ours, each curve once."""
    movers: dict[bpy.types.Object, None] = {}
    for obj in objects:
        for carrier in (obj, *ancestors(obj)):
            movers[carrier] = None
            if joint := getattr(carrier, ids.LINK).led_by:
                movers[joint] = None
    return [curve for mover in movers for curve in own_curves(mover)]


def _key_frames(objects: Collection[bpy.types.Object]) -> list[float]:
    """Frames at which the motion of links begins to have keys."""
    moved = [obj for obj in objects if any(moves_itself(it) or follows_keys(it) for it in (obj, *ancestors(obj)))]
    return [curve.range()[0] for curve in _curves_moving(moved) if len(curve.keyframe_points)]


def _is_keyed_on_every_frame(objects: Collection[bpy.types.Object], first: int, way: float) -> bool:
    """Whether what moves the objects is straight from frame to frame, as a bake is: between them nothing counts."""
    wanted = {first + way * number for number in range(len(BACK))}
    curves = [curve for curve in _curves_moving(objects) if len(curve.keyframe_points) > 1]
    return bool(curves) and all(
        wanted <= {point.co.x for point in curve.keyframe_points if point.interpolation == "LINEAR"} for curve in curves
    )
