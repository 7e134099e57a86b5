# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial state of a simulation: the present poses of links, or their animation up to the first frame.

A simulation from the initial pose does not use this module, because the model itself stores that pose.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np

from ....core.kinematics import state_of_links
from ....core.model import Model
from ....core.spatial import Pose, Quat, quat_mul, rotvec_of_quat
from ....core.spatial.arrays import matmul
from ...bridge.animation.keyed_joints import Numbers, keyed_numbers
from ...bridge.animation.motion_sources import follows_keyed_joint, has_own_motion
from ...bridge.links.contact_settings import ground_poses
from ...bridge.scene.read import SceneReading
from ...bridge.values.joint_numbers import q_index_of, whole_turn
from ...bridge.values.numbers import frame_rate
from ...nodes import Node
from ...props import ancestors
from ...props.settings import link_settings
from ..receipts.receipt import digest_of_curves
from ..receipts.restore import curves_without_bake, without_bake
from .sampling import poses_at

DERIVATIVE_WEIGHTS = np.array([25.0, -48.0, 36.0, -16.0, 3.0]) / 12.0
"""Weights of five evenly spaced samples, the last first, for the derivative at the last one, of fourth order.

Source: Fornberg, Generation of Finite Difference Formulas on Arbitrarily Spaced Grids (1988), table 3.
"""

SAMPLE_SPACING = 0.25
"""Distance between two samples of a motion that is smooth between frames [frames]."""


@dataclass(frozen=True)
class InitialState:
    """The initial state of a motion.

    Attributes:
        state: as `Simulation` takes it, {"q": …, "qd": …}; None for the initial pose.
        X_WL: poses of the links at the start [m], by name; empty for the initial pose.
        frames: at which there is animation before, shape (B,). before: poses of each link at these, shape (B, 7) [m].
    """

    state: dict | None = None
    X_WL: dict[str, Pose] = field(default_factory=dict)
    frames: np.ndarray = field(default_factory=lambda: np.empty(0))
    before: dict[str, np.ndarray] = field(default_factory=dict)


def from_present_poses(scene: bpy.types.Scene, model: Model, present_poses: dict[str, Pose]) -> InitialState:
    """Return a start from the present poses, at rest except for initial velocities.

    Args:
        model: what moves, at the first frame. present_poses: pose of every link [m].
    """
    every = present_poses | ground_poses(model, present_poses)
    state = _with_whole_turns(state_of_links(model, every), model, keyed_numbers(scene, scene.frame_current_final))
    return InitialState({"q": state["q"]}, present_poses)  # without "qd", links start with their initial velocity


def from_animation(
    scene: bpy.types.Scene, reading: SceneReading, model: Model, first: int, step: float
) -> InitialState:
    """Return a start with pose and velocity of the animation at the first frame.

    The velocity is that before the first frame, or that after it if the animation begins there. Instead of a bake, the
    animation that it has replaced counts.

    Args:
        step: distance between samples of the animation before the first frame [frames].
    """
    with without_bake(scene):
        keys = _key_frames(reading.objects.values())
        begin = int(np.floor(min(keys, default=first)))
        direction = 1.0 if begin >= first else -1.0
        spacing = 1.0 if _is_keyed_on_every_frame(reading.objects.values(), first, direction) else SAMPLE_SPACING
        samples = poses_at(scene, reading.objects, first + direction * spacing * np.arange(len(DERIVATIVE_WEIGHTS)))
        frames = np.arange(begin, first - 1e-6, step)
        before = poses_at(scene, reading.objects, frames)
        seconds = -direction * spacing / frame_rate(scene)
        V_WL = {name: _twist(poses, seconds) for name, poses in samples.items()}
        first_poses: dict[str, Pose] = {name: tuple(poses[0].tolist()) for name, poses in samples.items()}
        every = first_poses | ground_poses(model, first_poses)
        twists = dict.fromkeys(every, np.zeros(6)) | V_WL
        state = _with_whole_turns(state_of_links(model, every, twists), model, keyed_numbers(scene, first))
    return InitialState(state, first_poses, frames, before)


def _with_whole_turns(state: dict[str, dict], model: Model, keyed: Mapping[str, Numbers]) -> dict[str, dict]:
    """Return the state with the number of whole turns that each joint's keys have. Poses of links do not show them."""
    for name in state["q"].keys() & keyed.keys():
        joint, q = model.joint(name), state["q"][name]
        for number, value in keyed[name].items():
            turn, q_index = whole_turn(joint, number), q_index_of(joint, number)
            if turn and q_index is not None:
                q[q_index] += turn * round((value - q[q_index]) / turn)
    return state


def digest_of_motion(objects: Collection[Node]) -> str:
    """Return a digest of the F-curves that move objects, directly, through joints or through parents, except those of a
    bake.
    """
    return digest_of_curves(_moving_curves(objects))


def _twist(poses: np.ndarray, seconds: float) -> np.ndarray:
    """Return V_WL at the first of five poses.

    Args:
        poses: [m], shape (5, 7), backward in time. seconds: time between them [s].
    """
    last_orientation: Quat = tuple(poses[0, 3:].tolist())
    turns = np.array([_turn(last_orientation, tuple(pose.tolist())) for pose in poses[:, 3:]])
    return np.concatenate([matmul(DERIVATIVE_WEIGHTS, poses[:, :3]), matmul(DERIVATIVE_WEIGHTS, turns)]) / seconds


def _turn(start: Quat, end: Quat) -> tuple[float, float, float]:
    """Return the rotation vector from one orientation to another, in world axes [rad]."""
    w, x, y, z = start
    return rotvec_of_quat(quat_mul(end, (w, -x, -y, -z)))


def _moving_curves(objects: Collection[Node]) -> list[bpy.types.FCurve]:
    """Return the F-curves that move the objects, except those of a bake, each once."""
    movers: dict[Node, None] = {}
    for obj in objects:
        for carrier in (obj, *ancestors(obj)):
            movers[carrier] = None
            if joint := link_settings(carrier).led_by_node:
                movers[joint] = None
    return [curve for mover in movers for curve in curves_without_bake(mover)]


def _key_frames(objects: Collection[Node]) -> list[float]:
    """Return the first frames of the F-curves that move links."""
    moved = [
        obj for obj in objects if any(has_own_motion(it) or follows_keyed_joint(it) for it in (obj, *ancestors(obj)))
    ]
    return [curve.range()[0] for curve in _moving_curves(moved) if len(curve.keyframe_points)]


def _is_keyed_on_every_frame(objects: Collection[Node], first: int, direction: float) -> bool:
    """Return whether all F-curves are linear with a key at each of the five frames, as those of a bake are.

    Such a motion has no information between frames.
    """
    wanted = {first + direction * number for number in range(len(DERIVATIVE_WEIGHTS))}
    curves = [curve for curve in _moving_curves(objects) if len(curve.keyframe_points) > 1]
    return bool(curves) and all(
        wanted <= {point.co.x for point in curve.keyframe_points if point.interpolation == "LINEAR"} for curve in curves
    )
