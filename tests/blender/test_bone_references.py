# SPDX-License-Identifier: GPL-3.0-or-later
"""References to bones from joints, pairs and poses: through renaming, copies, and files."""

import bpy
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.ids import BONE_UID
from limberjack.addon.props.pairs import pair_of, set_pair
from limberjack.addon.props.references import settle_identifiers
from support.models import dump

from .conftest import joint
from .rigs import chain, in_mode, tag
from .test_library_overrides import empty_scene, link_machine, override, save


@pytest.fixture
def rig(scene):
    """Three bones, the last of which is joined to the first by the user's choice, and a pair of two of them."""
    rig = chain(3)
    tag(rig)
    joint(rig.pose.bones["b2"]).parent_node = rig.pose.bones["b0"]
    set_pair(scene, rig.pose.bones["b0"], rig.pose.bones["b1"], True)
    return rig


def parents(scene):
    """Parent of each joint, by child."""
    return {item.child: item.parent for item in read_scene(scene).joints}


def test_a_chosen_parent_is_used(scene, rig):
    """Guards the choice of a parent: it comes before the nearest link above."""
    assert parents(scene) == {"Rig:b1": "Rig:b0", "Rig:b2": "Rig:b0"}
    joint(rig.pose.bones["b2"]).parent_node = None
    assert parents(scene) == {"Rig:b1": "Rig:b0", "Rig:b2": "Rig:b1"}
    joint(rig.pose.bones["b2"]).to_world = True
    assert parents(scene) == {"Rig:b1": "Rig:b0", "Rig:b2": "world"}


def test_renamed_bones_and_armatures_are_followed(scene, rig):
    """Guards stored names: bones whose names are exchanged, and an armature of another name, stay who they are."""
    first, second = rig.data.bones["b0"], rig.data.bones["b1"]
    first.name, second.name = "old", "b0"
    first.name, rig.name = "b1", "Man"
    bpy.context.view_layer.update()
    assert parents(scene) == {"Man:b0": "Man:b1", "Man:b2": "Man:b1"}
    (pair,) = read_scene(scene, with_shapes=True).contact_pairs
    assert (pair.a, pair.b) == ("Man:b1", "Man:b0")
    assert pair_of(scene, rig.pose.bones["b0"], rig.pose.bones["b1"]) is not None


def test_a_copy_of_the_armature_refers_to_its_own_bones(scene, rig):
    """Guards duplicated characters: their joints join their own bones, also once bones of one are renamed."""
    in_mode(rig, "OBJECT")
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    rig.data.bones["b0"].name = "hip"
    bpy.context.view_layer.update()
    assert parents(scene) == {
        "Rig:b1": "Rig:hip",
        "Rig:b2": "Rig:hip",
        "Rig.001:b1": "Rig.001:b0",
        "Rig.001:b2": "Rig.001:b0",
    }
    assert joint(copy.pose.bones["b2"]).parent_node == copy.pose.bones["b0"]


def test_a_copy_of_a_bone_is_another_bone(scene, rig):
    """Guards bones that Edit Mode duplicates with all they store: references stay with the original, renamed or not."""
    in_mode(rig, "EDIT")
    for bone in rig.data.edit_bones:
        bone.select = bone.select_head = bone.select_tail = bone.name == "b0"
    bpy.ops.armature.duplicate()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    rig.data.bones["b0"].name = "hip"
    bpy.context.view_layer.update()
    assert {bone.name for bone in rig.pose.bones} == {"hip", "b1", "b2", "b0.001"}
    assert parents(scene)["Rig:b2"] == "Rig:hip"
    joint(rig.pose.bones["b1"]).parent_node = rig.pose.bones["b0.001"]
    rig.data.bones["b0.001"].name = "b0"
    bpy.context.view_layer.update()
    assert parents(scene) == {"Rig:b1": "Rig:b0", "Rig:b2": "Rig:hip"}


def test_names_of_bones_may_contain_the_separator_of_stored_texts(scene, rig):
    """Guards names such as "mixamorig:Hips": a duplicate that is renamed to "Hips" is not taken for the original."""
    original, copy = rig.pose.bones["b0"], rig.pose.bones["b1"]
    rig.data.bones["b0"].name, rig.data.bones["b1"].name = "mixamorig:Hips", "Hips"
    original[BONE_UID] = copy[BONE_UID] = "1234abcd:mixamorig:Hips"
    settle_identifiers(rig)
    assert original[BONE_UID] == "1234abcd:mixamorig:Hips"
    assert BONE_UID not in copy


def test_a_deleted_parent_is_missed(scene, rig):
    """Guards a joint whose chosen parent was deleted: it says so, and does not join another bone or the world."""
    in_mode(rig, "EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["b0"])
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(ValueError, match="joint 'Rig:b2' has lost its parent"):
        read_scene(scene)


def test_another_object_takes_the_place_of_a_bone(scene, build, rig):
    """Guards a parent that is chosen in the window after a bone: the object itself is meant."""
    crate = build.tagged_cube("crate")
    joint(rig.pose.bones["b2"]).parent = crate
    assert joint(rig.pose.bones["b2"]).parent_node == crate
    assert parents(scene)["Rig:b2"] == "crate"


def test_a_saved_file_holds_the_same_model(scene, rig, tmp_path):
    """Guards files: what was tagged and chosen on bones is there again when a file is opened."""
    before = dump(read_scene(scene, with_shapes=True))
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    assert dump(read_scene(scene, with_shapes=True)) == before
    scene.objects["Rig"].data.bones["b0"].name = "hip"
    assert parents(scene)["Rig:b2"] == "Rig:hip"


def test_mimic_follows_a_renamed_leader(scene, rig):
    """Guards joints of bones that follow others, by the same reference."""
    for name in ("b1", "b2"):
        joint(rig.pose.bones[name]).type = "revolute"
    follower = joint(rig.pose.bones["b2"])
    follower.use_mimic, follower.mimic.leader_node = True, rig.pose.bones["b1"]
    rig.data.bones["b1"].name = "elbow"
    found = {item.name: item for item in read_scene(scene).joints}["Rig:b2"]
    assert found.mimic is not None
    assert found.mimic.leader == "Rig:elbow"


def test_an_override_keeps_its_bones(scene, tmp_path):
    """Guards characters of libraries: what an override tags and joins is there again when its file is opened."""
    library, path = tmp_path / "rig.blend", tmp_path / "shot.blend"
    rig, collection = chain(3), bpy.data.collections.new("character")
    collection.objects.link(rig)
    tag(rig, "b0", "b1")
    bpy.data.libraries.write(str(library), {collection})
    scene = empty_scene()
    made = override(scene, link_machine(library, "character"))
    (rig,) = made.all_objects
    tag(rig, "b2")
    joint(rig.pose.bones["b2"]).parent_node = rig.pose.bones["b0"]
    before = dump(read_scene(scene, with_shapes=True))
    assert parents(scene) == {"Rig:b1": "Rig:b0", "Rig:b2": "Rig:b0"}
    save(path)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert dump(read_scene(bpy.context.scene, with_shapes=True)) == before
