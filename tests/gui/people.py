# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters on rigs that artists use, for tests in the window: Rigify's, before and after generation, and Mixamo's."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import addon_utils
import bpy
import harness
from figures import BONES, add_limb
from mathutils import Matrix, Vector
from traces import traces

RADII = {
    "spine": 0.125,
    "spine.001": 0.125,
    "spine.002": 0.135,
    "spine.003": 0.14,
    "spine.004": 0.055,
    "spine.006": 0.1,
    "upper_arm": 0.048,
    "forearm": 0.04,
    "hand": 0.035,
    "thigh": 0.085,
    "shin": 0.058,
    "foot": 0.045,
    "toe": 0.035,
}
"""Radii of the limbs around the bones of Rigify's human [m], without sides."""

VOXEL = 0.025
"""Size of the voxels by which the limbs become one mesh [m]."""

MIXAMO = {
    "hips": "Hips",
    "chest": "Spine",
    "head": "Head",
    "upper_arm": "Arm",
    "forearm": "ForeArm",
    "hand": "Hand",
    "finger": "HandIndex1",
    "thigh": "UpLeg",
    "shin": "Leg",
    "foot": "Foot",
}
"""Mixamo's names of the bones of `figures`, without sides."""

CENTIMETRE = 0.01

ABOVE = 0.05
"""Height at which Rigify's human stands, so that its soles are above the ground [m]."""

STEPS = ((1, 0.0), (8, 0.5), (16, 0.0), (24, -0.5), (32, 0.0), (48, 0.5), (64, 0.0))
"""Frames of the keys of a walk, and how far the left foot is in front of the body [m]."""

PACE = 1.2
"""Speed of the walk along -y [m/s]."""


def in_view() -> bpy.types.Context:
    return bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region())


def empty_scene() -> None:
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)


@contextmanager
def with_rigify() -> Iterator[None]:
    """Rigify, which stays enabled. What it adds to Blender is none of what this add-on leaves behind."""
    before = traces()
    addon_utils.enable("rigify", default_set=True)
    yield
    for where, names in traces().items():
        harness.traces_before_install.setdefault(where, set()).update(names - before[where])


def metarig() -> bpy.types.Object:
    """Rigify's human as it is before generation, with a mesh by automatic weights."""
    with with_rigify(), in_view():
        bpy.ops.object.armature_human_metarig_add()
        rig = bpy.context.object
        skin(rig, rig, "")
    rig.location.z = ABOVE
    return rig


def rigify() -> bpy.types.Object:
    """Rigify's human with a walk on its controls, and with a mesh by automatic weights."""
    with with_rigify(), in_view():
        bpy.ops.object.armature_human_metarig_add()
        before = bpy.context.object
        bpy.ops.pose.rigify_generate()
        (rig,) = (obj for obj in bpy.context.scene.objects if obj.type == "ARMATURE" and obj != before)
        skin(rig, before, "DEF-")
        bpy.data.objects.remove(before)
    rig.location.z = ABOVE
    walk(rig)
    return rig


def walk(rig: bpy.types.Object) -> None:
    """Key a walk along -y on the controls of Rigify's human."""
    seconds = bpy.context.scene.render.fps
    for frame, swing in STEPS:
        way = -PACE * (frame - 1) / seconds
        for name, place in {
            "root": (0.0, way, 0.0),
            "foot_ik.L": (0.0, -0.5 * swing, 0.2 * max(swing, 0.0)),
            "foot_ik.R": (0.0, 0.5 * swing, 0.2 * max(-swing, 0.0)),
        }.items():
            rig.pose.bones[name].location = place
            rig.pose.bones[name].keyframe_insert("location", frame=frame)
    for bag in (
        bag for layer in rig.animation_data.action.layers for strip in layer.strips for bag in strip.channelbags
    ):
        for curve in bag.fcurves:
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"


def skin(rig: bpy.types.Object, shape: bpy.types.Object, prefix: str) -> bpy.types.Object:
    """Add a mesh with automatic weights to a rig.

    Args:
        shape: armature around whose bones the mesh is.
    """
    vertices, faces = [], []
    for bone in shape.data.bones:
        radius = RADII.get(bone.name.removesuffix(".L").removesuffix(".R"))
        if radius:
            add_limb(bone, radius, vertices, faces)
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(vertices, [], faces)
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    remesh = body.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", VOXEL, True
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    body.select_set(True)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.modifier_apply(modifier="Remesh")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    used = {group.group for vertex in body.data.vertices for group in vertex.groups}
    names = {body.vertex_groups[number].name for number in used}
    assert {f"{prefix}thigh.L", f"{prefix}upper_arm.R"} <= names, names
    return body


def mixamo() -> bpy.types.Object:
    """A character with Mixamo's names, in centimetres and turned, as its importer leaves it, with a mesh."""
    rig = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    to_rig = Matrix.Rotation(-math.pi / 2.0, 3, "X") * (1.0 / CENTIMETRE)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head, tail, parent, _ in BONES:
        bone = rig.data.edit_bones.new(mixamo_name(name))
        bone.head, bone.tail = to_rig @ Vector(head), to_rig @ Vector(tail)
        bone.parent = rig.data.edit_bones[mixamo_name(parent)] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    vertices, faces, groups = [], [], {}
    for name, *_, radius in BONES:
        groups[mixamo_name(name)] = add_limb(rig.data.bones[mixamo_name(name)], radius / CENTIMETRE, vertices, faces)
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(vertices, [], faces)
    mesh.shade_smooth()
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.parent = rig
    for name, own in groups.items():
        body.vertex_groups.new(name=name).add(list(own), 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    rig.scale, rig.rotation_euler.x = (CENTIMETRE,) * 3, math.pi / 2.0
    return rig


def mixamo_name(name: str) -> str:
    part, _, side = name.partition(".")
    return f"mixamorig:{ {'L': 'Left', 'R': 'Right', '': ''}[side] }{MIXAMO[part]}"


def in_pose_mode(rig: bpy.types.Object) -> None:
    """Enter Pose Mode of a rig with no bone selected."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        bone.select = False
    bpy.ops.ed.undo_push(message="Character")
