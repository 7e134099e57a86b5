# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters for tests: armatures with meshes of known sizes that their bones deform."""

import math

import bpy

from .rigs import armature

BODY = (
    ("hips", (0.0, 0.0, 1.0), (0.0, 0.0, 1.2), ""),
    ("chest", (0.0, 0.0, 1.2), (0.0, 0.0, 1.6), "hips"),
    ("head", (0.0, 0.0, 1.6), (0.0, 0.0, 1.9), "chest"),
    ("thigh", (0.1, 0.0, 1.0), (0.12, 0.0, 0.5), "hips"),
    ("shin", (0.12, 0.0, 0.5), (0.1, 0.05, 0.05), "thigh"),
    ("arm", (0.2, 0.0, 1.5), (0.5, 0.0, 1.5), "chest"),
    ("hand", (0.5, 0.0, 1.5), (0.6, 0.0, 1.5), "arm"),
    ("finger", (0.6, 0.02, 1.5), (0.65, 0.02, 1.5), "hand"),
    ("tip", (0.65, 0.02, 1.5), (0.68, 0.02, 1.5), "finger"),
)
"""Bones of a character of 1.9 m: name, head, tail and parent."""

RADII = {"hips": 0.13, "chest": 0.15, "head": 0.1, "thigh": 0.08, "shin": 0.06, "arm": 0.05, "hand": 0.04}
"""Radii of the tubes around the bones [m]."""

FINGER = 0.01
"""Radius of fingers [m]."""

SIDES, RINGS = 16, 9


def tube_around(bones, radius_of):
    """Vertices and faces of an open tube around each bone, and the vertices of each by name."""
    vertices, faces, owners = [], [], {}
    for bone in bones:
        first, rest, radius = len(vertices), bone.matrix_local, radius_of(bone.name)
        for ring in range(RINGS):
            for side in range(SIDES):
                angle = 2.0 * math.pi * side / SIDES
                y = bone.length * ring / (RINGS - 1)
                at = rest.to_3x3() @ type(rest.translation)((radius * math.cos(angle), y, radius * math.sin(angle)))
                vertices.append(at + rest.translation)
        for ring in range(RINGS - 1):
            for side in range(SIDES):
                a, b = (first + SIDES * ring + each for each in (side, (side + 1) % SIDES))
                faces.append((a, b, b + SIDES, a + SIDES))
        owners[bone.name] = range(first, len(vertices))
    return vertices, faces, owners


def skin(rig, bones=None, radii=RADII, name="Body"):
    """A mesh with an Armature modifier: a tube around each of the named bones, or of all, with all of its weight.

    Args:
        radii: by the name of the bone; of all others, it is that of a finger.
    """
    chosen = [bone for bone in rig.data.bones if bones is None or bone.name in bones]
    vertices, faces, owners = tube_around(chosen, lambda bone: radii.get(bone, FINGER))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.parent = rig
    for bone, own in owners.items():
        obj.vertex_groups.new(name=bone).add(list(own), 0.5, "REPLACE")  # half: only ratios of weights count
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    return obj


def character(name="Rig"):
    """An armature and its mesh: a head, a body, and one leg, arm, hand and finger."""
    rig = armature(BODY, name)
    return rig, skin(rig)


def choose(*objects):
    """Select objects in Object Mode; the last one is active."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj
