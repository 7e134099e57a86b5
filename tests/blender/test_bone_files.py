# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters in files: appended, linked, overridden, added to scenes of version 0.1.0, and freed of all that we did."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import action_of, fcurves_of

from .baked import bake
from .bone_rig import NAMES, armature, assert_exact, key_others, pose_of, tag
from .conftest import joint, link
from .rigs import in_mode, select_bones
from .test_library_overrides import empty_scene, link_machine, override, save
from .test_versions import BAKED

COLLECTION = "character"
FRAMES = (1, 7, 13)


@pytest.fixture
def library(scene, tmp_path):
    """A file with a character of bones in a collection, and its poses when it is baked there."""
    collection = bpy.data.collections.new(COLLECTION)
    scene.collection.children.link(collection)
    rig = armature(scene)
    scene.collection.objects.unlink(rig)
    collection.objects.link(rig)
    tag(rig)
    scene.frame_end = FRAMES[-1]
    save(tmp_path / "character.blend")
    bake(scene)
    return tmp_path / "character.blend", poses(scene, rig)


def poses(scene, rig):
    return np.array([[pose_of(scene, rig, name, frame) for name in NAMES] for frame in FRAMES])


def test_an_appended_character_is_another_machine(library):
    """Guards File > Append, also twice: each copy joins its own bones, whose names are the same, and moves alike."""
    path, expected = library
    scene = empty_scene()
    rigs = []
    for _ in range(2):
        with bpy.data.libraries.load(str(path), link=False) as (_, here):
            here.collections = [COLLECTION]
        scene.collection.children.link(here.collections[0])
        rigs += here.collections[0].objects
    assert [rig.name for rig in rigs] == ["Rig", "Rig.001"]
    for link_settings in (link(bone) for rig in rigs for bone in rig.pose.bones):
        link_settings.collides = False  # they stand in one place
    joints = {item.name: item.parent for item in read_scene(scene).joints}
    assert joints["Rig:lower"] == "Rig:upper"
    assert joints["Rig.001:lower"] == "Rig.001:upper"
    bake(scene)
    for rig in rigs:
        np.testing.assert_allclose(poses(scene, rig), expected, rtol=0.0, atol=1e-5)


def test_a_linked_character_is_refused_with_the_way_out(library):
    """Guards bones of a library, which no bake can key: one sentence offers the override."""
    path, _ = library
    scene = empty_scene()
    scene.collection.children.link(link_machine(path, COLLECTION))
    bpy.context.view_layer.update()
    with pytest.raises(BakeError, match="comes from a library and cannot be keyed: make it local, or override"):
        bake(scene)


def test_an_overridden_character_is_baked_saved_and_cleared(library, tmp_path):
    """Guards characters of libraries: exact keys on the override, there again when the file is opened, and cleared."""
    path, expected = library
    scene = empty_scene()
    (rig,) = override(scene, link_machine(path, COLLECTION)).all_objects
    at_rest = poses(scene, rig)
    assert_exact(scene, bake(scene))
    np.testing.assert_allclose(poses(scene, rig), expected, rtol=0.0, atol=1e-6)
    save(tmp_path / "shot.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene = bpy.context.scene
    (rig,) = (obj for obj in scene.objects if obj.pose)
    np.testing.assert_allclose(poses(scene, rig), expected, rtol=0.0, atol=1e-6)
    scene.frame_set(1)
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    np.testing.assert_allclose(poses(scene, rig), at_rest, rtol=0.0, atol=1e-7)


def test_bones_join_the_links_of_a_file_of_version_0_1_0():
    """Guards old files: a character that is added to one stands beside its baked links, and holds on to one of them."""
    bpy.ops.wm.open_mainfile(filepath=str(BAKED))
    scene = bpy.context.scene
    rig = armature(scene)
    (root, *_) = tag(rig, ("root", "upper"), to_world=())
    joint(root).parent_node = scene.objects["hand"]
    parents = {item.name: item.parent for item in read_scene(scene).joints}
    assert parents["Rig:root"] == "hand"
    assert parents["hand_joint"] == "arm"
    run = bake(scene, overwrite=True)
    assert set(run.trajectory.link_names) == {"arm", "hand", "Rig:root", "Rig:upper"}
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    assert action_of(scene.objects["hand"]) is not None, "the animation before the bake of 0.1.0 is lost"
    assert action_of(rig) is None


def values_of(data):
    """All values that Blender stores of a data-block or a part of one, except those of Limberjack's own properties."""
    found = {}
    for prop in data.bl_rna.properties:
        name = prop.identifier
        if name.startswith("limberjack") or prop.is_readonly or prop.type == "COLLECTION":
            continue
        value = getattr(data, name)
        if prop.type == "POINTER":
            found[name] = value.name if isinstance(value, bpy.types.ID) else value is not None
        elif getattr(prop, "is_array", False):
            found[name] = [*map(float, np.ravel(np.array(value)))]
        else:
            found[name] = value
    return found


def everything(scene):
    """Return all values that the file holds of a scene's objects, bones, constraints and actions."""
    return {
        "scene": values_of(scene) | {"frame": scene.frame_current_final},
        "objects": {obj.name: (values_of(obj), [values_of(each) for each in obj.constraints]) for obj in scene.objects},
        "bones": {
            (obj.name, bone.name): (values_of(bone), [values_of(each) for each in bone.constraints], custom_of(bone))
            for obj in scene.objects
            if obj.pose
            for bone in obj.pose.bones
        },
        "actions": {action.name: (values_of(action), custom_of(action)) for action in bpy.data.actions},
        "curves": {
            obj.name: [
                (curve.data_path, curve.array_index, [tuple(point.co) for point in curve.keyframe_points])
                for curve in fcurves_of(obj)
            ]
            for obj in scene.objects
        },
    }


def custom_of(data):
    """Custom properties of the user."""
    return {key: _plain(value) for key, value in data.items() if not key.startswith("limberjack")}


def _plain(value):
    """Arrays and groups compare by identity."""
    for convert in ("to_list", "to_dict"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value


@pytest.mark.parametrize("onto", ["LINKS", "BOTH"])
def test_nothing_is_left_once_all_is_taken_back(scene, onto):
    """Guards what an artist gets back: after tagging, a bake, Play and Untag, every value of the file is as before."""
    rig = armature(scene)
    key_others(rig)
    bones = rig.pose.bones
    limited = bones["tip"].constraints.new("LIMIT_ROTATION")
    limited.mute, limited.influence = True, 0.4
    bones["root"].rotation_mode, bones["root"].custom_shape_scale_xyz = "ZYX", (2.0, 1.0, 1.0)
    select_bones(rig, "root", "upper", "lower", "tip")
    scene.frame_set(5)
    before = everything(scene)
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}
    joint(bones["root"]).to_world = True
    scene.limberjack.bake.onto = onto
    bake(scene, overwrite=True, onto=onto)
    scene.frame_set(5)
    assert everything(scene)["curves"] != before["curves"]
    bpy.ops.limberjack.bake_clear()
    assert bpy.ops.limberjack.link_untag() == {"FINISHED"}
    in_mode(rig, "POSE")
    scene.frame_set(5)
    assert everything(scene) == before
