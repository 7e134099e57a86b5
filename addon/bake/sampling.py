"""The scene at other frames than its own, as Blender evaluates it, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ..bridge.present import all_evaluated
from ..bridge.read import depsgraph_of


@contextmanager
def frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
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
    with all_evaluated(scene), frame_kept(scene):
        for number, frame in enumerate(np.asarray(frames, dtype=np.float64).tolist()):
            show_frame(scene, frame)
            yield number, depsgraph_of(scene)


def show_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Go to a frame, which may lie between two."""
    whole = int(np.floor(frame))
    scene.frame_set(whole, subframe=frame - whole)
