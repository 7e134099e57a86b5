# SPDX-License-Identifier: GPL-3.0-or-later
"""Render a contact sheet: some frames of a scene, rendered by Workbench, side by side in one PNG."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from ..core.processes.quiet import quiet
from .bridge.animation.motion_sources import is_animated
from .props import is_kinematic

VIEW_FROM = Vector((0.6, -1.0, 0.4)).normalized()
LENS_ANGLE = math.radians(30.0)
MARGIN = 1.06
BACKGROUND = np.array((0.90, 0.92, 0.94), dtype=np.float32)
GROUND = (0.95, 0.96, 0.98, 1.0)
GAP = 4
"""Space between pictures [pixels]."""


def render_contact_sheet(
    scene: bpy.types.Scene, path: Path, columns: int = 4, rows: int = 3, width: int = 400, height: int = 300
) -> None:
    """Render columns x rows frames, evenly spaced over the scene's range, and write them as one PNG.

    The scene keeps the camera and Workbench's settings that this adds. Render a copy of a scene that must not change.

    Args:
        width, height: of each picture [pixels].

    Raises:
        OSError: if the picture cannot be written, or if this machine cannot render.
    """
    frames = np.linspace(scene.frame_start, scene.frame_end, columns * rows).round().astype(int).tolist()
    _set_up_workbench(scene, width, height)
    _look_at_everything(scene, frames)
    sheet = np.ones((rows * (height + GAP) + GAP, columns * (width + GAP) + GAP, 4), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        for i, frame in enumerate(frames):
            row, column = divmod(i, columns)
            top = (rows - 1 - row) * (height + GAP) + GAP  # row 0 of Blender's images is at the bottom
            left = column * (width + GAP) + GAP
            sheet[top : top + height, left : left + width] = _render_frame(scene, frame, Path(folder) / f"{i}.png")
    _save(sheet, path)


def _set_up_workbench(scene: bpy.types.Scene, width: int, height: int) -> None:
    render, shading = scene.render, scene.display.shading
    render.engine = "BLENDER_WORKBENCH"
    render.resolution_x, render.resolution_y, render.resolution_percentage = width, height, 100
    render.image_settings.file_format = "PNG"
    render.film_transparent = True
    shading.light, shading.color_type = "STUDIO", "OBJECT"
    shading.show_cavity, shading.show_shadows = True, True
    scene.view_settings.view_transform = "Standard"


def _look_at_everything(scene: bpy.types.Scene, frames: list[int]) -> None:
    """Add a camera whose view the whole motion fills, and a ground for shadows if the scene has none."""
    points = _points_of_motion(scene, frames)
    low, high = points.min(axis=0), points.max(axis=0)
    if not any(map(_is_surrounding, scene.objects)):
        _lay_ground(scene, Vector(((low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0, low[2])), max(high - low))
    camera = bpy.data.cameras.new("Contact Sheet")
    camera.angle = LENS_ANGLE
    holder = bpy.data.objects.new("Contact Sheet", camera)
    scene.collection.objects.link(holder)
    turn = VIEW_FROM.to_track_quat("Z", "Y")
    holder.rotation_euler = turn.to_euler()
    middle = (low + high) / 2.0
    across, up, back = ((points - middle) @ np.array(turn.to_matrix())).T
    half_width = math.tan(LENS_ANGLE / 2.0) / MARGIN
    half_height = half_width * scene.render.resolution_y / scene.render.resolution_x
    distance = max((np.abs(across) / half_width + back).max(), (np.abs(up) / half_height + back).max())
    holder.location = Vector(middle) + VIEW_FROM * distance
    camera.clip_end = 10.0 * distance
    scene.camera = holder


def _points_of_motion(scene: bpy.types.Scene, frames: list[int]) -> np.ndarray:
    """Return bounding-box corners of all rendered meshes over the frames, in world axes, shape (n, 3).

    Floors and walls are left out, unless there is nothing else.
    """
    shown = [item for item in scene.objects if item.type == "MESH" and not item.hide_render]
    shown = [item for item in shown if not _is_surrounding(item)] or shown
    corners = []
    for frame in frames:
        scene.frame_set(frame)
        corners += [item.matrix_world @ Vector(corner) for item in shown for corner in item.bound_box]
    return np.array(corners or [(-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)])


def _is_surrounding(obj: bpy.types.Object) -> bool:
    """Return whether an object is a floor or a wall: a link for others to touch that does not move."""
    return is_kinematic(obj) and not is_animated(obj)


def _lay_ground(scene: bpy.types.Scene, middle: Vector, size: float) -> None:
    mesh = bpy.data.meshes.new("Ground")
    half = 1.1 * size
    corners = [(x, y, 0.0) for x, y in ((-half, -half), (half, -half), (half, half), (-half, half))]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    ground = bpy.data.objects.new("Ground", mesh)
    ground.location, ground.color = middle, GROUND
    scene.collection.objects.link(ground)


def _render_frame(scene: bpy.types.Scene, frame: int, path: Path) -> np.ndarray:
    scene.frame_set(frame)
    scene.render.filepath = str(path)
    try:
        with quiet():
            bpy.ops.render.render(write_still=True, scene=scene.name)
    except RuntimeError as error:  # Blender raises it for every failure
        raise OSError(str(error).strip()) from error
    if not path.exists():
        raise OSError("Blender rendered nothing")
    picture = bpy.data.images.load(str(path))
    width, height = picture.size
    pixels = np.empty((height, width, 4), dtype=np.float32)
    picture.pixels.foreach_get(pixels.ravel())
    bpy.data.images.remove(picture)
    pixels[..., :3] = pixels[..., :3] * pixels[..., 3:] + BACKGROUND * (1.0 - pixels[..., 3:])
    pixels[..., 3] = 1.0
    return pixels


def _save(sheet: np.ndarray, path: Path) -> None:
    height, width, _ = sheet.shape
    picture = bpy.data.images.new("Contact Sheet", width, height)
    try:
        picture.pixels.foreach_set(sheet.ravel())
        picture.filepath_raw, picture.file_format = str(path), "PNG"
        picture.save()
    finally:
        bpy.data.images.remove(picture)
