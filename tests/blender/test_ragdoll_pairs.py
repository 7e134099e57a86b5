# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of a ragdoll's parts that do not collide: on the armature, so they come along, and after those of the scene."""

import bpy
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.ids import BONE_UID
from limberjack.addon.props.pairs import overlapping_parts, set_pair
from limberjack.addon.props.ragdoll import ragdoll_bones

from .characters import choose
from .conftest import joint, link
from .humanoids import HUMANOIDS, RADII, skin_of
from .ragdolls import appended, make, names_of, remove
from .rigs import select_bones

KIND = HUMANOIDS["makehuman"]

FAT = {**RADII, "thigh": 0.12}
"""Radii of a body whose thighs overlap [m]."""

THIGHS = frozenset(("upperleg01.L", "upperleg01.R"))


@pytest.fixture
def rig(scene):
    rig, _ = KIND.build()
    skin_of(KIND, rig, radii=FAT)
    make(rig)
    return rig


def pairs_in(scene, rig="Rig"):
    """The pairs of the model, with whether they collide, by the names of the bones of an armature."""
    return {
        frozenset(name.removeprefix(f"{rig}:") for name in (pair.a, pair.b)): pair.meets
        for pair in read_scene(scene).contact_pairs
    }


def test_the_armature_has_them(scene, rig):
    """Guards the place: the scene has no pair, and the model has those of the armature."""
    assert len(scene.limberjack.pairs) == 0
    assert pairs_in(scene)[THIGHS] is False
    assert pairs_in(scene).keys() == {frozenset(bone.name for bone in pair) for pair in overlapping_parts(rig)}


def test_an_appended_ragdoll_has_them(scene, rig, tmp_path):
    """Guards characters that are appended to a shot: their limbs may overlap there as in their own file."""
    expected = pairs_in(scene)
    path = str(tmp_path / "hero.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    scene = appended(path)
    assert pairs_in(scene) == expected


def test_a_copy_has_its_own(scene, rig):
    """Guards crowds made by copies: each has the pairs of its own bones, also after bones were renamed, and removing
    one ragdoll leaves those of the other."""
    expected = {pair for pair in pairs_in(scene) if THIGHS != pair}
    choose(rig)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    copy.location.x = 3.0
    rig.data.bones["upperleg01.L"].name = "haunch.L"
    bpy.context.view_layer.update()
    assert frozenset(("haunch.L", "upperleg01.R")) in pairs_in(scene)
    assert expected <= pairs_in(scene, copy.name).keys()
    count = len(overlapping_parts(copy))
    assert count == len(expected) + 1
    remove(rig)
    assert overlapping_parts(rig) == []
    assert len(overlapping_parts(copy)) == count


def test_the_pairs_of_the_scene_come_first(scene, rig):
    """Guards the user's choice, Always Collide: it holds for limbs that Make Ragdoll lets overlap."""
    set_pair(scene, rig.pose.bones["upperleg01.R"], rig.pose.bones["upperleg01.L"], True)
    assert pairs_in(scene)[THIGHS] is True
    assert len(read_scene(scene).contact_pairs) == len(overlapping_parts(rig))


def test_pairs_that_a_scene_stores_for_a_ragdoll(scene, rig):
    """Guards scenes from before: their pairs still hold, and Make Ragdoll moves them to the armature."""
    expected = pairs_in(scene)
    for a, b in overlapping_parts(rig):
        set_pair(scene, a, b, False)
    link(rig).overlapping_parts.clear()
    assert pairs_in(scene) == expected
    make(rig)
    assert len(scene.limberjack.pairs) == 0
    assert pairs_in(scene) == expected


def test_pairs_of_some_bones_only(scene, rig):
    """Guards Make Ragdoll for a few bones: pairs of the others stay, and Remove takes away all of them."""
    before = pairs_in(scene)
    select_bones(rig, "upperleg01.L")
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert pairs_in(scene) == before
    remove(rig)
    assert pairs_in(scene) == {}


# ---- what Remove Ragdoll restores besides


@pytest.mark.parametrize("chosen", [None, False, True])
def test_contact_is_as_before(scene, chosen):
    """Guards the scene's Contact: Make Ragdoll switches it on in a scene whose user has not chosen, and Remove takes
    that back."""
    rig, _ = KIND.build()
    settings = scene.limberjack
    if chosen is not None:
        settings.contact = chosen
    make(rig)
    assert settings.contact == (chosen is not False)
    remove(rig)
    assert settings.contact == bool(chosen)
    assert settings.is_property_set("contact") == (chosen is not None)


def test_contact_that_others_need_stays(scene, rig, build):
    """Guards what came later: with another link, or after the user has set it, Contact stays as it is."""
    cube = build.cube()
    build.select(cube)
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}
    remove(rig)
    assert scene.limberjack.contact
    link(cube).is_link = False
    make(rig)
    scene.limberjack.contact = True
    remove(rig)
    assert scene.limberjack.contact


def test_identifiers_of_bones_are_removed(scene, rig):
    """Guards files: no custom property stays on a bone, except on one to which a joint of the user's refers."""
    assert any(BONE_UID in bone for bone in rig.pose.bones)
    hand = KIND.names["hand"].format(KIND.sides[0])
    foot = KIND.names["foot"].format(KIND.sides[1])
    empty = bpy.data.objects.new("tie", None)
    scene.collection.objects.link(empty)
    joint(empty).parent_node, joint(empty).child_node = rig.pose.bones[hand], rig.pose.bones[foot]
    remove(rig)
    assert ragdoll_bones(rig) == []
    assert {bone.name for bone in rig.pose.bones if BONE_UID in bone} == {hand, foot}
    assert joint(empty).parent_node == rig.pose.bones[hand]
    bpy.data.objects.remove(empty)
    make(rig)
    assert names_of(rig)
    remove(rig)
    assert not any(BONE_UID in bone for bone in rig.pose.bones)
