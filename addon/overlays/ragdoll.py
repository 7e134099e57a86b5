# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the parts of the active ragdoll over the 3D view: translucent shapes, coloured by what each part follows.

The shapes are computed again when the scene has changed, and moved when something has moved. Without a ragdoll, a
redraw compares the keys of the last one only.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from .. import bridge, watch
from ..nodes import Node, is_visible, model_name
from ..props.chosen import meant_active_node
from ..props.ragdoll import ragdoll_bones, ragdoll_of
from ..props.settings import link_settings
from .lines import Lines
from .outlines import outline_of
from .surfaces import surface_of
from .triangles import Triangles

COLORS = {"FREE": "physics_color", "KINEMATIC": "animation_color"}
"""Preference with the colour of a part, by the motion of its link. A static part has that of an animated one."""

ACTIVE_OPACITY = 2.2
"""Factor of the opacity of the active part."""

OUTLINE_OPACITY = 0.9
"""Opacity of the outline of the active part."""

OUTLINE_WIDTH = 1.3
"""Ratio between the widths of that outline and of other lines."""

LIGHT = np.array((0.25, -0.45, 0.86))
"""Direction to the light by which the shapes are shaded, a unit vector in world axes. It makes them look round."""

DARKEST = 0.45
"""Brightness of a surface that faces away from the light."""


class Part(NamedTuple):
    """A part of a ragdoll that is drawn.

    Attributes:
        points, normals: of its surface in the axes of the bone [Blender units], shape (n, 3).
        triangles: indices of the points of each triangle, shape (t, 3).
        outline: shape (m, 2, 3).
        color: name of the preference.
    """

    bone: str
    points: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    outline: np.ndarray
    color: str


class _Drawing:
    """The drawing of the ragdoll of one scene, and the keys of the state that it was made from."""

    def __init__(self):
        self.layout_key: tuple = ()
        self.placement_key: tuple = ()
        self.armature = ""
        self.parts: list[Part] = []
        self.shapes: list[Triangles] = []
        self.outlines: list[Lines] = []


_drawings: dict[int, _Drawing] = {}
"""The drawings, by session uid of the scene."""


def forget() -> None:
    _drawings.clear()


def draw(context, style) -> None:
    """Draw the ragdoll of the active armature, in Object Mode and in Pose Mode."""
    if not style.show_ragdolls or context.mode not in ("OBJECT", "POSE") or context.object is None:
        return
    drawing = up_to_date(context, style)
    for shapes in drawing.shapes:
        shapes.draw()
    for lines in drawing.outlines:
        lines.draw(style.width * OUTLINE_WIDTH)


def up_to_date(context, style) -> _Drawing:
    """Return the drawing of the scene. It is made again if something that it depends on has changed."""
    drawing = _drawings.setdefault(context.scene.session_uid, _Drawing())
    wanted = (watch.changes, context.object.session_uid)
    if wanted != drawing.layout_key:
        armature = ragdoll_of(context.object)
        drawing.armature = armature.name if armature else ""
        drawing.parts = _layout(armature, context.scene) if armature else []
        drawing.layout_key, drawing.placement_key = wanted, ()
    active = meant_active_node(context) if drawing.parts and context.mode == "POSE" else None
    colors = (tuple(style.physics_color), tuple(style.animation_color))
    placed = (watch.moves, model_name(active) if active else "", colors)
    if placed != drawing.placement_key:
        drawing.shapes, drawing.outlines = _place(drawing, active, style)
        drawing.placement_key = placed
    return drawing


def _layout(armature: bpy.types.Object, scene: bpy.types.Scene) -> list[Part]:
    """Return the parts of a ragdoll in the axes of their bones."""
    unit, found = bridge.values.numbers.unit_length(scene), []
    with bridge.posing.link_poses.keeping_scales():
        for bone in ragdoll_bones(armature):
            shape = bridge.links.bone_shapes.shape_of(bone, unit)
            assert shape is not None  # every bone has one
            points, normals, triangles = surface_of(shape)
            color = COLORS.get(link_settings(bone).motion, COLORS["KINEMATIC"])
            found.append(Part(bone.name, points / unit, normals, triangles, outline_of(shape) / unit, color))
    return found


def _place(drawing: _Drawing, active: Node | None, style) -> tuple[list[Triangles], list[Lines]]:
    """Return the surfaces of all visible parts and the outline of the active one, in world axes."""
    armature = bpy.data.objects.get(drawing.armature)
    seen = _visible_parts(drawing.parts, armature) if armature else []
    if not seen:
        return [], []
    points, colors, triangles, outlines = [], [], [], []
    with bridge.posing.link_poses.keeping_scales():
        for part, bone in seen:
            X_WB = bridge.posing.link_poses.matrix_of_pose(bridge.posing.link_poses.live_pose(bone))
            color = np.array(getattr(style, part.color), dtype=np.float64)
            if bone == active:
                color[3] = min(color[3] * ACTIVE_OPACITY, 1.0)
                outline = part.outline @ X_WB[:3, :3].T + X_WB[:3, 3]
                outlines.append(Lines(outline, (*color[:3].tolist(), OUTLINE_OPACITY)))
            triangles.append(part.triangles + sum(map(len, points)))
            points.append(part.points @ X_WB[:3, :3].T + X_WB[:3, 3])
            colors.append(_shaded(color, part.normals @ X_WB[:3, :3].T))
    return [Triangles(np.concatenate(points), np.concatenate(triangles), np.concatenate(colors))], outlines


def _visible_parts(parts: list[Part], armature: bpy.types.Object) -> list[tuple[Part, Node]]:
    """Return the parts whose armature is visible, with their bones. A bone is drawn even if only it is hidden.

    Bones that are links are hidden in many rigs, since they are no controls.
    """
    if armature.pose is None or not is_visible(armature):
        return []
    bones = armature.pose.bones
    return [(part, bone) for part in parts if (bone := bones.get(part.bone)) is not None]


def _shaded(color: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return the colours of points, shape (n, 4), which depend on the directions of their surface."""
    bright = DARKEST + (1.0 - DARKEST) * (0.5 + 0.5 * normals @ LIGHT)
    return np.column_stack([bright[:, None] * color[:3], np.full(len(normals), color[3])])
