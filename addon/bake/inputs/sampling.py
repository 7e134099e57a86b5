# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate the scene at other frames, and return to its own frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import bpy
import numpy as np

from ...bridge.model_objects import all_evaluated
from ...bridge.posing.link_poses import keeping_scales, pose_of_matrix, world_scale
from ...bridge.scene.read import depsgraph_of
from ...bridge.values.numbers import unit_length
from ...nodes import Node, evaluated, world_matrix

Poses = dict[str, np.ndarray]
"""Poses X_WL of links at frames [m], shape (F, 7), by name."""

FrameCallback = Callable[[bpy.types.Depsgraph], None]
"""A function that is called with the dependency graph of each frame that is shown."""


@contextmanager
def _frame_restored(scene: bpy.types.Scene) -> Iterator[None]:
    """Return the scene to its own frame at the end of this context."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)


def at_frames(scene: bpy.types.Scene, frames: np.ndarray) -> Iterator[tuple[int, bpy.types.Depsgraph]]:
    """Show frames, and yield the index of each and the dependency graph that evaluates it.

    Objects that are disabled in viewports are evaluated, too.

    Args:
        frames: frame numbers with fractions, shape (F,).
    """
    with all_evaluated(scene), _frame_restored(scene):
        for number, frame in enumerate(np.asarray(frames, dtype=np.float64).tolist()):
            _show_frame(scene, frame)
            yield number, depsgraph_of(scene)


def poses_at(
    scene: bpy.types.Scene,
    objects: Mapping[str, Node],
    frames: np.ndarray,
    on_frame: FrameCallback | None = None,
) -> Poses:
    """Return the poses X_WL of links at frames as Blender evaluates them [m], shape (F, 7), by name.

    Args:
        frames: shape (F,).
        on_frame: called with the dependency graph at every frame.
    """
    found = {name: np.empty((len(frames), 7)) for name in objects}
    with keeping_scales():
        sizes, unit = {name: world_scale(obj) for name, obj in objects.items()}, unit_length(scene)
    for number, depsgraph in at_frames(scene, frames) if len(frames) and (objects or on_frame) else ():
        for name, obj in objects.items():
            matrix = world_matrix(evaluated(obj, depsgraph))
            found[name][number] = pose_of_matrix(matrix, sizes[name])
        if on_frame:
            on_frame(depsgraph)
    for poses in found.values():
        poses[:, :3] *= unit
    return found


def _show_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Show a frame, which may have a fraction."""
    whole = int(np.floor(frame))
    scene.frame_set(whole, subframe=frame - whole)
