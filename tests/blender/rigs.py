# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures for tests, and their bones as links."""

import bpy

from .conftest import joint


def armature(bones, name="Rig"):
    """An armature object in Object Mode.

    Args:
        bones: name, head, tail, name of the parent (or "") and, if it is not 0, roll [rad] of each bone, parents first.
            A bone whose head is the tail of its parent is connected.
    """
    data = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    in_mode(obj, "EDIT")
    for bone, head, tail, parent, *roll in bones:
        made = data.edit_bones.new(bone)
        made.head, made.tail, made.roll = head, tail, *(roll or [0.0])
        if parent:
            made.parent = data.edit_bones[parent]
            made.use_connect = made.head == made.parent.tail
    in_mode(obj, "OBJECT")
    return obj


def in_mode(obj, mode):
    """Make an object the active and only selected one, and switch its mode."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode=mode)


def select_bones(obj, *names):
    """Switch an armature to Pose Mode and select these bones only, or all if none are named."""
    in_mode(obj, "POSE")
    for bone in obj.pose.bones:
        chosen = bone if bpy.app.version >= (5, 0, 0) else bone.bone
        chosen.select = not names or bone.name in names


def tag(obj, *names):
    """Tag bones of an armature by the operator, or all if none are named, and return to Object Mode."""
    select_bones(obj, *names)
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    return [obj.pose.bones[name] for name in names] or list(obj.pose.bones)


def chain(count=2, name="Rig", tail=(0.0, 1.0, 0.0)):
    """An armature of bones b0, b1, ... in a row from (0, 0, 2), each as long and as directed as `tail`."""
    heads = [tuple(2.0 * (axis == 2) + number * step for axis, step in enumerate(tail)) for number in range(count + 1)]
    bones = [(f"b{i}", heads[i], heads[i + 1], f"b{i - 1}" if i else "") for i in range(count)]
    return armature(bones, name)


def hang_up(bone):
    """Join a bone to the world."""
    joint(bone).to_world = True
    return bone
