# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that move by their own animation in a simulation and drive the links that are joined to them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import bpy
import numpy as np

from ....core.controls.paths import pose_path
from ....core.model import Model
from ....core.spatial import norm, quat_mul, rotvec_of_quat
from ...bridge.animation.motion_sources import may_follow_own_keys
from ...bridge.scene.read import SceneReading
from ...nodes import Node, model_name
from ...props import ancestors, is_kinematic, is_link
from ..errors import BakeError
from ..receipts.restore import is_baked, plays_bake, without_bake
from .inputs import InputSampler
from .sampling import FrameCallback, Poses, poses_at

SAMPLE_FRACTIONS = (0.25, 0.5, 0.75)
"""Fractions of the interval between two frames at which a link that may jump is sampled."""

ABRUPT_RATIO = 4.0
"""Ratio between the motion of a link in a frame and that in the neighbouring frames above which it may jump."""

JUMP_SHARE = 0.9
"""Part of the motion in a frame that must lie between two consecutive samples of a jump. It is 0.25 for a link that
moves evenly, and 0.42 between two keys with Blender's default ease.
"""

SMALLEST_MOTION = 1e-5
"""Distance [m] or angle [rad] up to which a step is no jump, because of the rounding of Blender's single precision."""

Jumps = dict[str, dict[int, np.ndarray]]
"""The poses from which links jump, shape (7,), by link name and number of the frame after the jump."""


def sample_animated_links(
    scene: bpy.types.Scene, reading: SceneReading, frames: np.ndarray, on_frame: FrameCallback | None = None
) -> Poses:
    """Return the poses of the animated links at frames, shape (F,), as Blender evaluates them.

    These are the kinematic links, and the free links whose switch Animated is on or has keys. The latter are sampled as
    they would move without a bake.

    Args:
        on_frame: as for `poses_at`.

    Raises:
        BakeError: if a kinematic link plays an earlier bake, or if a simulated link carries an animated link.
    """
    free = {name: obj for name, obj in reading.objects.items() if may_follow_own_keys(obj)}
    objects = {name: reading.objects[name] for name in reading.kinematic_joints} | free
    for obj in objects.values():
        _require_own_motion(obj)
    with without_bake(scene) if any(map(is_baked, free.values())) else nullcontext():
        return poses_at(scene, objects, frames, on_frame)


def truncate_at_let_go(
    animated_poses: Poses, reading: SceneReading, inputs: InputSampler, frames: np.ndarray
) -> dict[str, int]:
    """End the poses of free links where their switch Animated turns off, and return the indices of these frames.

    Links whose switch is off from the first frame on are removed from `animated_poses`. The frame at which a link is
    let go is the last one for which it has a pose.

    Raises:
        BakeError: if a switch turns on again.
    """
    found = {}
    for name in [name for name in animated_poses if name not in reading.kinematic_joints]:
        states = inputs.states_of_switch(name) or [True] * len(frames)
        count = states.index(False) if False in states else len(states)
        if True in states[count:]:
            frame = frames[count + states[count:].index(True)]
            raise BakeError(
                f"link '{name}': its switch Animated turns on at frame {frame:g}, and a link can only let go: key it "
                "on from the first frame, and off once"
            )
        if count == 0:
            del animated_poses[name]
        elif count < len(states):
            animated_poses[name] = animated_poses[name][: count + 1]
            found[name] = count
    return found


def _require_own_motion(obj: Node) -> None:
    if is_kinematic(obj) and plays_bake(obj):
        raise BakeError(
            f"link '{model_name(obj)}' is to move as it is animated, but plays an earlier bake: press Clear Bake, then "
            "animate it"
        )
    for above in ancestors(obj):
        if is_link(above) and not (is_kinematic(above) or may_follow_own_keys(above)):
            raise BakeError(
                f"link '{model_name(obj)}' is to move as it is animated, but hangs on link '{model_name(above)}', "
                f"which is simulated: let it be Free, make '{model_name(above)}' Kinematic too, or unparent it"
            )


def with_animated_links(reading: SceneReading, animated_poses: Poses) -> Model:
    """Return the model without the joints that hold animated links, and with these links at their first poses."""
    model = reading.model
    released = {reading.kinematic_joints[name] for name in animated_poses if name in reading.kinematic_joints}
    links = [
        replace(link, pose=tuple(animated_poses[link.name][0].tolist())) if link.name in animated_poses else link
        for link in model.links
    ]
    return replace(model, links=links, joints=[joint for joint in model.joints if joint.name not in released])


def paths_of(animated_poses: Poses, fps: float, jumps: Jumps) -> dict[str, Callable[[float], np.ndarray]]:
    """Return the pose of each link as a function of the time since the first frame [s], smooth except for its jumps."""
    return {name: pose_path(0.0, 1.0 / fps, poses, jumps.get(name)) for name, poses in animated_poses.items()}


def jumps_of(scene: bpy.types.Scene, reading: SceneReading, animated_poses: Poses, frames: np.ndarray) -> Jumps:
    """Return the jumps of animated links from one frame to the next, as stepped keys cause them.

    A link may jump if it moves much farther in a frame than in the neighbouring frames. Samples between the two frames
    decide: if nearly all of the motion is between two consecutive samples, the link jumps; otherwise it moves fast.

    Args:
        animated_poses: `sample_animated_links`' poses at the frames, shape (F,).
    """
    suspects = {name: _abrupt_frames(poses) for name, poses in animated_poses.items()}
    numbers = sorted({number for found in suspects.values() for number in found})
    if not numbers:
        return {}
    objects = {name: reading.objects[name] for name, found in suspects.items() if found}
    spacing = float(frames[1] - frames[0])
    between = np.array([frames[number - 1] + part * spacing for number in numbers for part in SAMPLE_FRACTIONS])
    with without_bake(scene) if any(map(is_baked, objects.values())) else nullcontext():
        samples = poses_at(scene, objects, between)
    found: dict[str, dict[int, np.ndarray]] = {}
    for name in objects:
        for number in suspects[name]:
            offset = numbers.index(number) * len(SAMPLE_FRACTIONS)
            poses, between_frames = animated_poses[name], samples[name][offset : offset + len(SAMPLE_FRACTIONS)]
            poses_in_frame = np.vstack([poses[number - 1], between_frames, poses[number]])
            before = _before_jump(poses_in_frame)
            if before is not None:
                found.setdefault(name, {})[number] = before
    return found


def _abrupt_frames(poses: np.ndarray) -> list[int]:
    """Return the indices of the poses, shape (F, 7), before which a link moves much farther than in neighbouring
    frames.

    There are none for a link that stays at one pose within rounding errors.
    """
    distances = np.array([_pose_distance(one, other) for one, other in itertools.pairwise(poses)])
    neighbours = np.maximum(np.append(0.0, distances[:-1]), np.append(distances[1:], 0.0))
    return (np.flatnonzero(distances > np.maximum(SMALLEST_MOTION, ABRUPT_RATIO * neighbours)) + 1).tolist()


def _before_jump(poses_in_frame: np.ndarray) -> np.ndarray | None:
    """Return the pose from which a link jumps; None if it does not jump.

    The poses before the jump are extrapolated to the end of the frame.

    Args:
        poses_in_frame: poses in a frame, evenly spaced, shape (n, 7).
    """
    steps = np.array([_pose_distance(one, other) for one, other in itertools.pairwise(poses_in_frame)])
    step = int(np.argmax(steps))
    if steps[step] < JUMP_SHARE * steps.sum():
        return None
    if step == 0:
        return poses_in_frame[0]
    return poses_in_frame[0] + (poses_in_frame[step] - poses_in_frame[0]) * (len(steps) / step)


def _pose_distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return the larger of the distance [m] and the angle [rad] between two poses."""
    turn = rotvec_of_quat(quat_mul((one[3], *(-one[4:])), tuple(other[3:])))
    return max(norm(tuple(other[:3] - one[:3])), norm(turn))
