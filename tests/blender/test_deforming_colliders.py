# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders whose form changes over time: refused by the bake, by the preview and by checks, in one sentence."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.cli.blend import load_open_scene
from limberjack.addon.ids import SCENE
from limberjack.addon.preview.session import Preview

from .baked import bake, matrix_at
from .conftest import link


@pytest.fixture
def stage(scene, build):
    """A slab that is a collider, and a cube above it."""
    slab = build.cube("slab", (0.0, 0.0, -0.5), 1.0, scale=(4.0, 4.0, 1.0))
    cube = build.cube("cube", (0.0, 0.0, 0.3), 0.5)
    build.tag(slab, cube)
    link(slab).motion = "KINEMATIC"
    getattr(scene, SCENE).contact = True
    scene.frame_end = 12
    return slab, cube


def key(owner, path, *values, index=-1):
    for frame, value in zip((1, 12), values, strict=True):
        setattr(owner, path, value)
        owner.keyframe_insert(path, index=index, frame=frame)


def rig_with_bone(scene, is_posed):
    armature = bpy.data.armatures.new("bones")
    rig = bpy.data.objects.new("Rig", armature)
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.edit_bones.new("bone")
    bone.tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    if is_posed:
        key(rig.pose.bones["bone"], "location", (0.0, 0.0, 0.0), (0.0, 0.5, 0.0))
    return rig


def with_armature(scene, slab):
    slab.modifiers.new("Armature", "ARMATURE").object = rig_with_bone(scene, True)


def with_constrained_bone(scene, slab):
    rig = rig_with_bone(scene, False)
    rig.pose.bones["bone"].constraints.new("COPY_LOCATION")
    slab.modifiers.new("Armature", "ARMATURE").object = rig


def with_shape_keys(scene, slab):
    slab.shape_key_add(name="Basis")
    swollen = slab.shape_key_add(name="swollen")
    swollen.data[0].co.z += 1.0
    key(swollen, "value", 0.0, 1.0)


def with_modifier(kind):
    def change(scene, slab):
        slab.modifiers.new("it", kind)

    change.__name__ = kind.lower()
    return change


def with_build(scene, slab):
    """Built up long before, so that there is something to weigh."""
    slab.modifiers.new("it", "BUILD").frame_start = -200.0


def with_ocean(scene, slab):
    key(slab.modifiers.new("it", "OCEAN"), "time", 1.0, 5.0)


def with_keyed_modifier(scene, slab):
    key(slab.modifiers.new("it", "SOLIDIFY"), "thickness", 0.1, 0.4)


def with_moving_mirror(scene, slab):
    mirror = bpy.data.objects.new("mirror", None)
    scene.collection.objects.link(mirror)
    key(mirror, "location", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    slab.modifiers.new("it", "MIRROR").mirror_object = mirror


def with_lattice(scene, slab):
    """The lattice stands still, and its own shape keys move."""
    lattice = bpy.data.objects.new("lattice", bpy.data.lattices.new("lattice"))
    scene.collection.objects.link(lattice)
    lattice.shape_key_add(name="Basis")
    key(lattice.shape_key_add(name="bent"), "value", 0.0, 1.0)
    slab.modifiers.new("it", "LATTICE").object = lattice


def with_scene_time(scene, slab):
    tree = bpy.data.node_groups.new("nodes", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    taken, given = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(taken.outputs[0], given.inputs[0])
    tree.nodes.new("GeometryNodeInputSceneTime")
    slab.modifiers.new("it", "NODES").node_group = tree


def with_object_input(scene, slab):
    with_nodes(scene, slab, is_moving=True)


def with_nodes(scene, slab, is_moving):
    """A node group that is given an object by its modifier."""
    tree = bpy.data.node_groups.new("nodes", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    socket = tree.interface.new_socket("Guide", in_out="INPUT", socket_type="NodeSocketObject").identifier
    taken, given = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    info = tree.nodes.new("GeometryNodeObjectInfo")
    tree.links.new(taken.outputs["Guide"], info.inputs["Object"])
    tree.links.new(taken.outputs["Geometry"], given.inputs[0])
    guide = bpy.data.objects.new("guide", None)
    scene.collection.objects.link(guide)
    if is_moving:
        key(guide, "location", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    modifier = slab.modifiers.new("it", "NODES")
    modifier.node_group = tree
    if hasattr(modifier, "properties"):  # Blender 5
        getattr(modifier.properties.inputs, socket).value = guide
    else:
        modifier[socket] = guide


CHANGES = {
    with_armature: "the armature 'Rig' deforms it over time, and a collider keeps its form: press Bones as Colliders",
    with_constrained_bone: "the armature 'Rig' deforms it over time",
    with_shape_keys: "its form is changed over time by its shape keys, and a collider keeps its form: delete",
    with_modifier("CLOTH"): "by the modifier 'it', and a collider keeps its form: apply the modifier, or let it",
    with_modifier("SOFT_BODY"): "by the modifier 'it'",
    with_modifier("WAVE"): "by the modifier 'it'",
    with_build: "by the modifier 'it'",
    with_ocean: "by the modifier 'it'",
    with_keyed_modifier: "by the modifier 'it'",
    with_moving_mirror: "by the modifier 'it'",
    with_lattice: "by the modifier 'it'",
    with_scene_time: "by the modifier 'it'",
    with_object_input: "by the modifier 'it'",
}


@pytest.mark.parametrize("motion", ["STATIC", "KINEMATIC"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_collider_that_deforms_is_refused(scene, stage, change, motion):
    """Guards a collider that kept its first pose in silence: bake, Problems and check refuse it alike, at any frame."""
    slab, _ = stage
    link(slab).motion = motion
    change(scene, slab)
    with pytest.raises(BakeError) as told:
        bake(scene)
    assert str(told.value).startswith("link 'slab': ")
    assert CHANGES[change] in str(told.value)
    assert "\n" not in str(told.value)
    forget_rigs()
    errors = [item for item in show_rig(scene).problems if item.severity == "error"]
    code = "collider-follows-bones" if "armature" in CHANGES[change] else "collider-deforms"
    assert [(item.code, item.name, item.message) for item in errors] == [(code, "slab", str(told.value))]
    reading = load_open_scene()
    assert not reading.ok
    (issue,) = [item for item in reading.issues if item.is_error]
    assert (issue.code, f"{issue.subject}: {issue.message}") == (code, str(told.value))


def test_a_preview_is_refused(scene, stage):
    """Guards Play: it says the same, and moves nothing."""
    with_armature(scene, stage[0])
    with pytest.raises(BakeError, match="the armature 'Rig' deforms it over time"):
        Preview(scene)


def test_an_export_only_warns(scene, stage):
    """Guards exports of scenes, which are of one frame."""
    with_armature(scene, stage[0])
    reading = load_open_scene(with_surroundings=True)
    assert reading.ok
    assert [(item.severity, item.code) for item in reading.issues] == [("warning", "collider-follows-bones")]


def at_rest(scene, slab):
    """Modifiers and shape keys that never change, an armature that nothing moves, and a modifier that is off."""
    slab.modifiers.new("bevel", "BEVEL")
    slab.shape_key_add(name="Basis")
    slab.shape_key_add(name="swollen").value = 0.3
    slab.modifiers.new("Armature", "ARMATURE").object = rig_with_bone(scene, False)
    slab.modifiers.new("wave", "WAVE").show_viewport = False
    with_nodes(scene, slab, is_moving=False)


def moved_as_a_whole(scene, slab):
    """Keys of the collider itself, and a mirror that goes along with it."""
    key(slab, "location", (0.0, 0.0, -0.5), (0.1, 0.0, -0.5))
    mirror = bpy.data.objects.new("mirror", None)
    scene.collection.objects.link(mirror)
    mirror.parent = slab
    slab.modifiers.new("it", "MIRROR").mirror_object = mirror


def carried_with_its_armature(scene, slab):
    """Armature and mesh hang on one keyed Empty."""
    holder, rig = bpy.data.objects.new("holder", None), rig_with_bone(scene, False)
    scene.collection.objects.link(holder)
    slab.parent = rig.parent = holder
    key(holder, "location", (0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
    slab.modifiers.new("Armature", "ARMATURE").object = rig


def only_seen(scene, slab):
    """What is seen deforms, and a box collides in its place."""
    with_armature(scene, slab)
    slab_shape = bpy.data.objects.new("box", slab.data.copy())
    scene.collection.objects.link(slab_shape)
    slab_shape.parent = slab
    link(slab_shape).role = "COLLISION"


def collides_with_nothing(scene, slab):
    with_armature(scene, slab)
    link(slab).collides = False


@pytest.mark.parametrize(
    "change", [at_rest, moved_as_a_whole, carried_with_its_armature, only_seen, collides_with_nothing]
)
def test_a_collider_that_keeps_its_form_is_simulated(scene, stage, change):
    """Guards against false alarms: what never changes, what moves as a whole, and what does not collide."""
    slab, cube = stage
    change(scene, slab)
    bpy.context.view_layer.update()
    bake(scene)
    falls = change is collides_with_nothing
    assert (matrix_at(scene, cube, 12)[2, 3] < 0.2) == falls
    forget_rigs()
    assert not {"collider-deforms", "collider-follows-bones"} & {item.code for item in show_rig(scene).problems}


def test_contact_that_is_off(scene, stage):
    """Guards scenes without contact: a form does not matter there."""
    slab, cube = stage
    with_armature(scene, slab)
    getattr(scene, SCENE).contact = False
    bake(scene)
    assert load_open_scene().ok
    assert matrix_at(scene, cube, 12)[2, 3] == pytest.approx(0.3 - 0.5 * 9.81 * (11 / 24) ** 2, abs=1e-4)


def test_a_free_link_stays_a_warning(scene, stage):
    """Guards rigid bodies that look soft: a link that is free is simulated as it is, with the warning as before."""
    _, cube = stage
    with_modifier("WAVE")(scene, cube)
    bake(scene)
    forget_rigs()
    (told,) = [item for item in show_rig(scene).problems if "changes its form" in item.message]
    assert (told.severity, told.code) == ("warning", "deformed")
    assert np.isfinite(matrix_at(scene, cube, 12)).all()
