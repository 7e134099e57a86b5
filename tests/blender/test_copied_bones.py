# SPDX-License-Identifier: GPL-3.0-or-later
"""Deforming bones that only copy others, in rigs of any make: the others become links, and the copies tell their tree.

The rigs here have two chains: `d0`, `d1`, ... deform meshes and hang on each other, and `c0`, `c1`, ... do not.
"""

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.props import is_link
from limberjack.addon.props.members import links_in

from .baked import bake
from .conftest import joint, link
from .rigs import armature, chain, hang_up, select_bones, tag


def rig_of(count=3):
    """An armature with a chain of deforming bones, and as many others at the same places that hang on nothing."""
    places = [((0.0, 0.5 * number, 2.0), (0.0, 0.5 * number + 0.5, 2.0)) for number in range(count)]
    bones = [(f"d{number}", *place, f"d{number - 1}" if number else "") for number, place in enumerate(places)]
    rig = armature([*bones, *((f"c{number}", *place, "") for number, place in enumerate(places))])
    for number in range(count):
        rig.data.bones[f"c{number}"].use_deform = False
    return rig


def copy(rig, number, *kinds):
    """Let a deforming bone copy the other one at its place."""
    made = []
    for kind in kinds or ("COPY_TRANSFORMS",):
        constraint = rig.pose.bones[f"d{number}"].constraints.new(kind)
        constraint.target, constraint.subtarget = rig, f"c{number}"
        made.append(constraint)
    return made


def as_it_is(rig, copying):
    pass


def weak(rig, copying):
    copying[-1].influence = 0.5


def muted(rig, copying):
    copying[-1].mute = True


def local(rig, copying):
    copying[-1].owner_space = copying[-1].target_space = "LOCAL"


def from_another_armature(rig, copying):
    copying[-1].target = rig_of()


def of_a_deforming_bone(rig, copying):
    rig.data.bones["c1"].use_deform = True


def with_a_stretch(rig, copying):
    stretch = rig.pose.bones["d1"].constraints.new("STRETCH_TO")
    stretch.target, stretch.subtarget = rig, "c2"


def with_a_muted_stretch(rig, copying):
    with_a_stretch(rig, copying)
    rig.pose.bones["d1"].constraints[-1].mute = True


def along_two_axes(rig, copying):
    copying[0].use_z = False


def keyed(rig, copying):
    for frame, influence in ((1, 1.0), (20, 0.0)):
        copying[-1].influence = influence
        copying[-1].keyframe_insert("influence", frame=frame)
    bpy.context.scene.frame_set(1)


def driven(rig, copying):
    copying[-1].driver_add("influence").driver.expression = "1.0"


TWO = ("COPY_LOCATION", "COPY_ROTATION")


@pytest.mark.parametrize(
    ("kinds", "change", "expected"),
    [
        (("COPY_TRANSFORMS",), as_it_is, "c1"),
        (TWO, as_it_is, "c1"),
        (TWO[::-1], as_it_is, "c1"),
        (("COPY_TRANSFORMS",), with_a_muted_stretch, "c1"),
        (TWO[:1], as_it_is, "d1"),
        (TWO[1:], as_it_is, "d1"),
        (TWO, along_two_axes, "d1"),
        *((("COPY_TRANSFORMS",), change, "d1") for change in (weak, muted, local, from_another_armature)),
        *((("COPY_TRANSFORMS",), change, "d1") for change in (of_a_deforming_bone, with_a_stretch, keyed, driven)),
    ],
)
def test_a_bone_that_does_nothing_but_copy_is_replaced(scene, kinds, change, expected):
    """Guards deforming bones that move in part by themselves: only a full copy is replaced by what it copies."""
    rig = rig_of()
    change(rig, copy(rig, 1, *kinds))
    bpy.context.view_layer.update()
    select_bones(rig, "d1")
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}
    assert [bone.name for bone in links_in(scene) if bone.id_data == rig] == [expected]


def test_the_tree_is_that_of_the_copies(scene):
    """Guards bones that hang on nothing: deforming bones, also those that are not tagged, show their parents."""
    rig = rig_of(4)
    for number in range(4):
        copy(rig, number)
    tag(rig, "d3", "d1", "d0")
    parents = {item.child: item.parent for item in read_scene(scene).joints}
    assert parents == {"Rig:c1": "Rig:c0", "Rig:c3": "Rig:c1"}


def test_parents_come_before_copies(scene):
    """Guards a bone whose own parents have a link: what its copy hangs on does not count, and no loop is made."""
    rig = rig_of(2)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["c0"].parent = rig.data.edit_bones["c1"]  # the reverse of the deforming bones
    bpy.ops.object.mode_set(mode="OBJECT")
    for number in range(2):
        copy(rig, number)
    tag(rig, "d0", "d1")
    assert [(item.parent, item.child) for item in read_scene(scene).joints] == [("Rig:c1", "Rig:c0")]


def test_the_tree_is_the_same_at_all_frames(scene):
    """Guards readings at any frame: a constraint that is keyed is no copy, also while it has its full influence."""
    rig = rig_of()
    for number in range(3):
        keyed(rig, copy(rig, number))
    tag(rig, "c0", "c1", "c2")
    for frame in (1, 10, 24):
        scene.frame_set(frame)
        rig.update_tag()
        bpy.context.view_layer.update()
        assert read_scene(scene).joints == []


def test_copies_show_the_bake_of_what_they_copy(scene):
    """Guards what is seen: deforming bones follow the links, and get no keys."""
    rig = rig_of(2)
    for number in range(2):
        copy(rig, number)
    tag(rig, "d0", "d1")
    hang_up(rig.pose.bones["c0"])
    bake(scene)
    keyed_bones = {
        curve.data_path.split('"')[1] for curve in rig.animation_data.action.layers[0].strips[0].channelbags[0].fcurves
    }
    assert keyed_bones == {"c0", "c1"}
    for frame in (10, 20):
        scene.frame_set(frame)
        bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        for number in range(2):
            np.testing.assert_allclose(bones[f"d{number}"].matrix, bones[f"c{number}"].matrix, atol=1e-6)
        assert abs(bones["c1"].tail.z - 2.0) > 0.1, "it does not fall"


def test_all_children_of_a_bone_become_links(scene):
    """Guards bones with several children (godot#72395): each child is a link and joined to the bone."""
    trunk = ("hips", (0.0, 0.0, 1.0), (0.0, 0.0, 1.5), "")
    limbs = [(f"limb{i}", (0.1 * i, 0.0, 1.5), (0.1 * i, 0.3, 1.5), "hips") for i in range(4)]
    tag(armature([trunk, *limbs]))
    parents = {item.child: item.parent for item in read_scene(scene).joints}
    assert parents == {f"Rig:limb{i}": "Rig:hips" for i in range(4)}


def test_hidden_bones_are_not_tagged(scene):
    """Guards helpers that their author has hidden (jiggle-physics#7), selected or not: they are no links unasked."""
    rig = chain(3)
    helper = rig.pose.bones["b2"]
    select_bones(rig)
    (helper if bpy.app.version >= (5, 0, 0) else helper.bone).hide = True
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}
    assert [is_link(bone) for bone in rig.pose.bones] == [True, True, False]


def test_the_last_of_two_bones_moves(scene):
    """Guards the end of a chain (jiggle-physics#24): it bends at its own joint, and does not only follow the first."""
    first, last = tag(chain(2))
    hang_up(first)
    joint(last).type = "revolute"
    joint(last).axes[0].xyz = (1.0, 0.0, 0.0)
    link(last).mass_source, link(last).mass = "CUSTOM", 0.1
    run = bake(scene)
    assert np.ptp(run.trajectory.joint("Rig:b1")) > 0.1
    scene.frame_set(scene.frame_end)
    shown = first.id_data.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    assert shown["b1"].matrix_basis.to_quaternion().angle > 0.05
