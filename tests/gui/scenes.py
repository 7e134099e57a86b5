# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests start from, made without the mouse."""

import bmesh
import bpy
import harness
from mathutils import Matrix, Vector

LENGTH = 2.0

# On a bar, beyond the arrows of a joint at its origin
GRIP = Vector((0.0, 0.8 * LENGTH, 0.0))


def two_bars(frames: int = 24) -> None:
    """Nothing but `Upper` and `Lower`, end to end along Y, each with its origin at its left end."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.context.scene.frame_end = frames
    for name, y in (("Upper", -LENGTH), ("Lower", 0.0)):
        _add_bar(name, y)
    bpy.ops.ed.undo_push(message="Two bars")


def _add_bar(name: str, y: float) -> None:
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    box = Matrix.LocRotScale((0.0, LENGTH / 2, 0.0), None, (0.3, LENGTH - 0.05, 0.3))
    bmesh.ops.create_cube(shape, size=1.0, matrix=box)
    shape.to_mesh(mesh)
    shape.free()
    obj = bpy.data.objects.new(name, mesh)
    obj.location = (0.0, y, 1.0)
    bpy.context.scene.collection.objects.link(obj)


def hanging_bars(frames: int = 24) -> None:
    """`Upper` held by the world, `Lower` hanging from it by a ball joint."""
    two_bars(frames)
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        select("Upper", "Lower")
        bpy.ops.limberjack.link_tag()
        select("Upper")
        bpy.ops.limberjack.joint_add(type="fixed")
        select("Upper", "Lower")
        bpy.ops.limberjack.joint_add(type="ball")
        select("Lower")
    bpy.ops.ed.undo_push(message="Hanging bars")


def select(*names: str) -> None:
    """These objects and no others; the last is active, or none."""
    for obj in bpy.context.scene.objects:
        obj.select_set(obj.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]] if names else None


def motion() -> dict[int, dict[str, tuple]]:
    """Where every object is drawn, at some frames: matrices to be compared bit by bit."""
    scene = bpy.context.scene
    before = scene.frame_current
    poses = {frame: _poses_at(frame) for frame in (1, 8, 16, 24)}
    scene.frame_set(before)
    return poses


def _poses_at(frame: int) -> dict[str, tuple]:
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return {obj.name: tuple(map(tuple, obj.evaluated_get(depsgraph).matrix_world)) for obj in bpy.context.scene.objects}


def action_of(name: str) -> str:
    """The name of the action that an object plays, or ""."""
    data = bpy.data.objects[name].animation_data
    return data.action.name if data and data.action else ""
