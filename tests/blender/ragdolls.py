# SPDX-License-Identifier: GPL-3.0-or-later
"""Ragdolls of characters for tests: made by the operator, and what is stored about them."""

import bpy
import numpy as np

from limberjack.addon import ids
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.props.ragdoll import ragdoll_bones
from limberjack.addon.props.settings import window_status

from .bone_rig import dump
from .characters import choose
from .test_library_overrides import empty_scene


def make(*rigs, **options):
    """Make ragdolls of armatures in Object Mode, with the options of the operator."""
    choose(*rigs)
    assert bpy.ops.limberjack.make_ragdoll(**options) == {"FINISHED"}


def remove(*rigs):
    choose(*rigs)
    assert bpy.ops.limberjack.remove_ragdoll() == {"FINISHED"}


def told():
    """The notes that the tab shows."""
    return window_status(bpy.context.window_manager).notes


def appended(path):
    """Return an empty scene with contact, to which the armature "Rig" of a file is appended."""
    scene = empty_scene()
    with bpy.data.libraries.load(path) as (source, target):
        target.objects = [name for name in source.objects if name == "Rig"]
    scene.collection.objects.link(target.objects[0])
    scene.limberjack.contact = True
    bpy.context.view_layer.update()
    return scene


def stray_weights(body):
    """Let five vertices of a head follow the thigh, as automatic weights sometimes do."""
    groups = body.vertex_groups
    stray = [
        vertex.index for vertex in body.data.vertices if any(groups[g.group].name == "head" for g in vertex.groups)
    ][:5]
    for group in groups:
        group.remove(stray)
    groups["thigh"].add(stray, 1.0, "REPLACE")


def names_of(rig):
    """Names of the bones that are parts of a ragdoll."""
    return [bone.name for bone in ragdoll_bones(rig)]


def parents_in(scene):
    """The link above each link that has a joint, by name, without the name of the armature."""
    return {
        item.child.partition(":")[2]: item.parent.partition(":")[2] or item.parent for item in read_scene(scene).joints
    }


def stored(rig):
    """All settings of the links and joints of an armature's bones, by name."""
    return {
        (bone.name, group): plain(getattr(bone, group)) for bone in rig.pose.bones for group in (ids.LINK, ids.JOINT)
    }


def plain(group):
    """All properties of a property group that Blender saves, as plain data."""
    found = {}
    for name, prop in group.bl_rna.properties.items():
        if name != "rna_type" and not prop.is_skip_save:
            value = getattr(group, name)
            if prop.type == "COLLECTION":
                found[name] = [plain(item) for item in value]
            elif isinstance(value, bpy.types.PropertyGroup):
                found[name] = plain(value)
            elif getattr(prop, "is_array", False):
                found[name] = [*value]
            else:
                found[name] = value if isinstance(value, (bool, int, float, str)) else str(value)
    return found


def differing(one, other):
    """Keys whose values differ."""
    return sorted(str(key) for key in one.keys() | other.keys() if one.get(key) != other.get(key))


def whole_dump(scene):
    """Return the data that Make Ragdoll may change: bones, actions, constraints, pairs, contact, and which settings of
    bones a file saves. It leaves out the results of the last bake, which have no effect."""
    found = dump(scene)
    for obj in scene.objects:
        for bone in obj.pose.bones if obj.pose else ():
            found["constraints", obj.name, bone.name] = [
                (item.type, item.name, item.influence, item.mute) for item in bone.constraints
            ]
            found["groups", obj.name, bone.name] = [
                group for group in (ids.LINK, ids.JOINT, ids.BEFORE) if bone.is_property_set(group)
            ]
            found["keys", obj.name, bone.name] = sorted(bone.keys())
        found["own", obj.name] = sorted({*obj.keys()} - {ids.LINK, ids.JOINT, ids.BEFORE})
        found["pairs", obj.name] = [
            (pair.a_bone, pair.b_bone)
            for pair in getattr(obj, ids.LINK).overlapping_parts
            if obj.is_property_set(ids.LINK)
        ]
        found["modifiers", obj.name] = [(item.type, item.name) for item in obj.modifiers]
    settings = getattr(scene, ids.SCENE)
    found["pairs"] = plain(settings)["pairs"]
    found["contact"] = (settings.contact, settings.is_property_set("contact"), settings.bake.is_property_set("start"))
    found["data"] = [(name, len(getattr(bpy.data, name))) for name in ("objects", "meshes", "actions", "collections")]
    return found


def rest_ends(rig, name):
    """Head and tail of a bone at rest in the world."""
    bone = rig.data.bones[name]
    return np.array(rig.matrix_world @ bone.head_local), np.array(rig.matrix_world @ bone.tail_local)
