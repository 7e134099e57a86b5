# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature whose bones are links, and what Blender shows of it."""

import itertools

import bpy
import numpy as np

from limberjack.addon.bridge.joints.bone_joints import add_bone_joint
from limberjack.addon.nodes import animation

from .baked import show, turns_of, turns_of_poses
from .conftest import joint, link

ACCURACY = 1e-5
"""Largest distance between a bone and the trajectory, relative to the size of the rig, and largest angle [rad]."""

NAMES = ("root", "upper", "middle", "lower", "tip")

SIZE = 4.0
"""Length of the rig with all of its bones [Blender units of the armature]."""


def armature(scene, name="Rig"):
    """An armature with a chain of bones with roll: connected ones, one that is offset, and one that is not tagged."""
    obj = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    root, upper, middle, lower, tip = (obj.data.edit_bones.new(each) for each in NAMES)
    places = {
        root: ((0.1, 0.0, 4.0), (0.8, 0.1, 4.1)),
        upper: ((0.8, 0.1, 4.1), (1.5, 0.3, 3.8)),
        middle: ((1.7, 0.2, 3.9), (2.3, 0.1, 3.9)),
        lower: ((2.3, 0.1, 3.9), (2.9, 0.0, 4.2)),
        tip: ((2.9, 0.0, 4.2), (3.4, -0.3, 4.3)),
    }
    for number, (bone, (head, tail)) in enumerate(places.items()):
        bone.head, bone.tail, bone.roll = head, tail, 0.5 * number - 0.8
    upper.parent, middle.parent, lower.parent, tip.parent = root, upper, middle, lower
    upper.use_connect = tip.use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def tag(obj, names=("root", "upper", "lower", "tip"), to_world=("root",)):
    """Tag bones as links with ball joints. Those of `to_world` hang on the world."""
    for name in names:
        bone = obj.pose.bones[name]
        link(bone).is_link = True
        add_bone_joint(bone)
        joint(bone).to_world = name in to_world
    bpy.context.view_layer.update()
    return [obj.pose.bones[name] for name in names]


def errors(scene, run, size, growth=1e-5, stretched=()):
    """How far, relative to the size of the rig, and how much turned [rad] the bones are, the worst of all frames.

    Args:
        growth: by how much their scale may change. stretched: names of links whose scale may change at will.
    """
    names, X_WL = run.trajectory.link_names, run.trajectory.X_WL
    way = turned = 0.0
    assert len(names) > 0
    seen = np.empty((len(run.frames), len(names), 4, 4))
    for number, frame in enumerate(run.frames.tolist()):
        show(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for column, name in enumerate(names):
            owner, bone = name.split(":", 1)
            shown = bpy.data.objects[owner].evaluated_get(depsgraph)
            seen[number, column] = np.array(shown.matrix_world, dtype=np.float64) @ shown.pose.bones[bone].matrix
    for column in range(len(names)):
        matrices = seen[:, column]
        scale = np.linalg.norm(matrices[:, :3, :3], axis=1)
        if names[column] in stretched:
            matrices[:, :3, :3] /= scale[:, None]
            scale = np.ones_like(scale)
        assert np.ptp(scale, axis=0).max() < growth * scale.max()
        way = max(way, np.abs(matrices[:, :3, 3] - X_WL[:, column, :3]).max() / size)
        apart = turns_of_poses(X_WL[:, column]).inv() * turns_of(matrices, scale[0])
        turned = max(turned, apart.magnitude().max())
    moved = np.abs(X_WL[:, :, :3] - X_WL[:1, :, :3]).max()
    assert moved > 0.05 * size, "nothing moves"
    return way, turned


def assert_exact(scene, run, size=SIZE):
    way, turned = errors(scene, run, size)
    assert max(way, turned) < ACCURACY, (way, turned)


def curves_of(rig):
    return {
        (curve.data_path, curve.array_index): [
            (*point.co, *point.handle_left, *point.handle_right, point.interpolation) for point in curve.keyframe_points
        ]
        for curve in animation.fcurves_of(rig)
    }


def key_others(rig):
    """Give the armature an action of the user: keys of a bone that is no link, of a baked one, and of the armature."""
    bones = rig.pose.bones
    for frame, angle in ((1, 0.0), (10, 0.7), (24, -0.3)):
        bones["middle"].rotation_mode = "XYZ"
        bones["middle"].rotation_euler = (angle, 0.2 * angle, -angle)
        bones["middle"].keyframe_insert("rotation_euler", frame=frame, group="middle")
        bones["upper"].rotation_quaternion = (1.0, angle, 0.0, 0.0)
        bones["upper"].keyframe_insert("rotation_quaternion", frame=frame)
        rig.location.x = angle
        rig.keyframe_insert("location", index=0, frame=frame)
        bones["upper"]["stretch"] = angle
        bones["upper"].keyframe_insert('["stretch"]', frame=frame)
    scene = bpy.context.scene
    scene.frame_set(scene.frame_current)


def dump(scene):
    """All that a bake of bones changes and Clear Bake restores."""
    found = {}
    for obj in scene.objects:
        data = obj.animation_data
        found[obj.name] = (
            [*itertools.chain(*obj.matrix_basis)],
            (data.action.name if data.action else "", data.action_slot.identifier if data.action_slot else "")
            if data
            else None,
            curves_of(obj),
        )
        for bone in obj.pose.bones if obj.pose else ():
            channels = [*bone.location, *bone.rotation_euler, *bone.rotation_quaternion, *bone.rotation_axis_angle]
            found[obj.name, bone.name] = [*channels, *bone.scale, bone.rotation_mode]
    found["actions"] = sorted(
        (action.name, action.use_fake_user, [slot.identifier for slot in action.slots], [*action.keys()])
        for action in bpy.data.actions
    )
    return found


def pose_of(scene, rig, name, frame):
    show(scene, frame)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(shown.matrix_world @ shown.pose.bones[name].matrix)
