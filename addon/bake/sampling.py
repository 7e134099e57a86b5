# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene at other frames than its own, as Blender evaluates it, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import bpy
import numpy as np

from ..bridge.numbers import unit_length
from ..bridge.poses import pose_of_matrix, to_array, world_scale
from ..bridge.present import all_evaluated
from ..bridge.read import depsgraph_of

Poses = dict[str, np.ndarray]
"""X_WL of links at frames [m], shape (F, 7), by name."""

Look = Callable[[bpy.types.Depsgraph], None]


@contextmanager
def _frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Whatever frames are shown meanwhile, the scene comes back to its own."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)


def at_frames(scene: bpy.types.Scene, frames: np.ndarray) -> Iterator[tuple[int, bpy.types.Depsgraph]]:
    """Show frame after frame, shape (F,), with fractions; yields its number in the array and what it looks like.

    What is disabled in viewports is looked at, too.
    """
    with all_evaluated(scene), _frame_kept(scene):
        for number, frame in enumerate(np.asarray(frames, dtype=np.float64).tolist()):
            _show_frame(scene, frame)
            yield number, depsgraph_of(scene)


def poses_at(
    scene: bpy.types.Scene, objects: Mapping[str, bpy.types.Object], frames: np.ndarray, look: Look | None = None
) -> Poses:
    """X_WL of links at frames, shape (F,), as Blender evaluates them [m], shape (F, 7), by name.

    look: sees every frame, too.
    """
    found = {name: np.empty((len(frames), 7)) for name in objects}
    sizes, unit = {name: world_scale(obj) for name, obj in objects.items()}, unit_length(scene)
    for number, depsgraph in at_frames(scene, frames) if len(frames) and (objects or look) else ():
        for name, obj in objects.items():
            matrix = to_array(obj.evaluated_get(depsgraph).matrix_world)
            found[name][number] = pose_of_matrix(matrix, sizes[name])
        if look:
            look(depsgraph)
    for poses in found.values():
        poses[:, :3] *= unit
    return found


def _show_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Go to a frame, which may lie between two."""
    whole = int(np.floor(frame))
    scene.frame_set(whole, subframe=frame - whole)
