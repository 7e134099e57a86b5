# SPDX-License-Identifier: GPL-3.0-or-later
"""A character for tests in the window: an armature, a mesh that it deforms, and a kick."""

import math

import bpy
from mathutils import Quaternion, Vector

SIDES, RINGS = 20, 17

SIDED = (
    ("upper_arm", (0.2, 0.0, 1.42), (0.46, 0.0, 1.36), "chest", 0.055),
    ("forearm", (0.46, 0.0, 1.36), (0.72, -0.08, 1.34), "upper_arm", 0.045),
    ("hand", (0.72, -0.08, 1.34), (0.84, -0.1, 1.34), "forearm", 0.04),
    ("finger", (0.84, -0.1, 1.34), (0.9, -0.11, 1.34), "hand", 0.012),
    ("thigh", (0.1, 0.0, 0.92), (0.11, -0.02, 0.5), "hips", 0.085),
    ("shin", (0.11, -0.02, 0.5), (0.11, 0.0, 0.1), "thigh", 0.06),
    ("foot", (0.11, 0.03, 0.06), (0.11, -0.17, 0.05), "shin", 0.05),
)
BONES = (
    ("hips", (0.0, 0.0, 0.92), (0.0, 0.0, 1.08), "", 0.15),
    ("chest", (0.0, 0.0, 1.08), (0.0, 0.0, 1.45), "hips", 0.165),
    ("head", (0.0, 0.0, 1.5), (0.0, 0.0, 1.75), "chest", 0.12),
    *(
        (
            f"{name}{side}",
            (sign * head[0], *head[1:]),
            (sign * tail[0], *tail[1:]),
            parent if parent in ("chest", "hips") else f"{parent}{side}",
            radius,
        )
        for side, sign in ((".L", 1.0), (".R", -1.0))
        for name, head, tail, parent, radius in SIDED
    ),
)
"""Name, head, tail, parent and radius [m] of the bones of a character that looks along -y."""

SMALL = ("finger.L", "finger.R")


def figure() -> tuple[bpy.types.Object, bpy.types.Object]:
    """An armature in Object Mode, and a mesh that follows it."""
    armature = bpy.data.objects.new("Figure", bpy.data.armatures.new("Figure"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head, tail, parent, _ in BONES:
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = armature.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new("Body")
    vertices, faces, groups = [], [], {}
    for name, *_, radius in BONES:
        groups[name] = add_limb(armature.data.bones[name], radius, vertices, faces)
    mesh.from_pydata(vertices, [], faces)
    mesh.shade_smooth()
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.parent = armature
    for name, own in groups.items():
        body.vertex_groups.new(name=name).add(list(own), 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = armature
    return armature, body


def add_limb(bone: bpy.types.Bone, radius: float, vertices: list, faces: list) -> range:
    """Add a closed, rounded limb around a bone. Return its vertices."""
    first = len(vertices)
    for ring in range(RINGS):
        turn = math.pi * ring / (RINGS - 1)
        y = bone.length / 2.0 - math.cos(turn) * (bone.length / 2.0 + 0.5 * radius)
        thick = radius * max(math.sin(turn), 1e-3) ** 0.4
        for side in range(SIDES):
            angle = 2.0 * math.pi * side / SIDES
            place = Vector((thick * math.cos(angle), y, thick * math.sin(angle)))
            vertices.append(bone.matrix_local @ place)
    for ring in range(RINGS - 1):
        for side in range(SIDES):
            a, b = (first + SIDES * ring + each for each in (side, (side + 1) % SIDES))
            faces.append((a, a + SIDES, b + SIDES, b))
    return range(first, len(vertices))


def kick(armature: bpy.types.Object) -> None:
    """Key a kick of the right leg from frame 1 to 20, with the arms beside the body."""
    bones = armature.pose.bones
    for side, sign in ((".L", 1.0), (".R", -1.0)):
        arm = bones[f"upper_arm{side}"]
        arm.rotation_mode = "QUATERNION"
        down = arm.bone.vector.rotation_difference(Vector((sign * 0.2, 0.1, -1.0)))
        rest = arm.bone.matrix_local.to_quaternion()
        arm.rotation_quaternion = rest.inverted() @ down @ rest
    leg = bones["thigh.R"]
    rest = leg.bone.matrix_local.to_quaternion()
    for frame, angle in ((1, 0.6), (8, 0.0), (12, -0.9), (20, -1.2)):
        leg.rotation_quaternion = rest.inverted() @ Quaternion((1.0, 0.0, 0.0), angle) @ rest
        leg.keyframe_insert("rotation_quaternion", frame=frame)


def boxes() -> list[bpy.types.Object]:
    """A wall of boxes in front of the right leg, which are links."""
    found = []
    for number in range(9):
        bpy.ops.mesh.primitive_cube_add(
            size=0.16, location=(-0.28 + 0.17 * (number % 3), -0.42, 0.08 + 0.161 * (number // 3))
        )
        bpy.context.object.name = f"Box {number}"
        found.append(bpy.context.object)
    bpy.ops.object.select_all(action="DESELECT")
    for box in found:
        box.select_set(True)
    bpy.ops.limberjack.link_tag()
    return found
