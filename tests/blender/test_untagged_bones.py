# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that are untagged while a bake plays: they lose their own keys, and what does not depend on them keeps its."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.receipt import is_edited
from limberjack.addon.bake.receipts.restore import baked_objects
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.joints.joining import rebind
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import action_of
from limberjack.addon.props.settings import window_status

from .baked import bake
from .bone_rig import armature, curves_of, key_others, pose_of, tag
from .conftest import joint
from .rigs import in_mode, select_bones
from .test_bone_files import everything
from .test_muted_constraints import constrain, goal

FRAMES = (1, 6, 13, 24)


@pytest.fixture
def rig(scene):
    """Four bones that are links, with keys of the user, the last one with a constraint of its own."""
    rig = armature(scene)
    key_others(rig)
    for frame, turn in ((1, 0.0), (20, 0.8)):
        rig.pose.bones["tip"].rotation_quaternion = (1.0, turn, 0.0, -turn)
        rig.pose.bones["tip"].keyframe_insert("rotation_quaternion", frame=frame)
    scene.frame_set(1)
    tag(rig)
    target = goal(scene)
    constrain(rig, "tip", "COPY_ROTATION", target, influence=0.4)
    constrain(rig, "lower", "COPY_ROTATION", target, influence=0.2)
    scene.frame_set(1)
    return rig


def untag(rig, *names) -> str:
    """Untag bones, and return the notes."""
    in_mode(rig, "POSE")
    select_bones(rig, *names)
    assert bpy.ops.limberjack.link_untag() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    return window_status(bpy.context.window_manager).notes


def shown(scene, rig, *names):
    return np.array([[pose_of(scene, rig, name, frame) for name in names] for frame in FRAMES])


def baked(scene):
    return sorted(node.name for node in baked_objects(scene))


def of(curves, name):
    return {path: keys for path, keys in curves.items() if f'"{name}"' in path[0]}


def test_the_last_bone_of_a_chain_leaves_the_bake_to_the_others(scene, rig):
    """Guards the bake of links that do not depend on what is untagged; the bone plays its own keys again."""
    free, own = shown(scene, rig, "tip"), of(curves_of(rig), "tip")
    scene.frame_set(1)
    before = everything(scene)
    bake(scene, overwrite=True)
    played, keys = shown(scene, rig, "root", "upper", "lower"), of(curves_of(rig), "lower")
    scene.frame_set(6)
    assert untag(rig, "tip") == ""
    assert baked(scene) == ["lower", "root", "upper"]
    scene.frame_set(6)
    np.testing.assert_array_equal(shown(scene, rig, "root", "upper", "lower"), played)
    assert of(curves_of(rig), "lower") == keys
    assert of(curves_of(rig), "tip") == own
    tip, lower = (rig.pose.bones[name].constraints[0] for name in ("tip", "lower"))
    scene.frame_set(6)
    assert (tip.enabled, lower.enabled) == (True, False)
    assert np.abs(shown(scene, rig, "tip") - free).max() > 0.01  # what carries it is still baked
    assert not is_edited(action_of(rig))
    assert out_of_date(scene, read_scene(scene)) == "links, joints or gravity were changed"
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    scene.frame_set(1)
    assert everything(scene)["curves"] == before["curves"]
    assert everything(scene)["actions"] == before["actions"]
    np.testing.assert_array_equal(shown(scene, rig, "tip"), free)


@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
def test_what_hangs_on_an_untagged_bone_loses_its_bake(scene, rig, onto):
    """Guards keys relative to a bone that is animated by the user again: they go with it, and one note says so."""
    bake(scene, overwrite=True, onto=onto)
    played = shown(scene, rig, "root")
    note = untag(rig, "upper")
    assert note == (
        "the bake of 2 links, such as 'Rig:lower', was cleared, too: it cannot play without that of what was untagged"
    )
    assert baked(scene) == ["root"]
    np.testing.assert_array_equal(shown(scene, rig, "root"), played)
    bpy.ops.limberjack.bake_clear()
    assert len(bpy.data.actions) == 2  # of the rig and of what the constraints follow
    bake(scene, overwrite=True)


def test_an_object_joined_to_an_untagged_bone_loses_the_keys_of_its_joint(scene, rig, build):
    """Guards values of a joint of another object, which have no meaning without the bone that they count from."""
    ball = build.tagged_cube("ball", (3.4, -0.3, 5.0))
    hinge = build.join(ball)
    joint(hinge).to_world, joint(hinge).parent_node = False, rig.pose.bones["tip"]
    joint(hinge).X_PJ = ""
    rebind([hinge])
    bake(scene, overwrite=True, onto="JOINTS")
    assert {"ball", hinge.name} <= set(baked(scene))
    assert "1 link, such as 'ball'" in untag(rig, "tip")
    assert baked(scene) == ["lower", "root", "upper"]


def test_an_edited_bake_is_kept_as_an_action(scene, rig):
    """Guards work of the user in a bake: an action has all of it, also the keys of the bone that is untagged."""
    bake(scene, overwrite=True)
    curve = next(each for each in action_of(rig).layers[0].strips[0].channelbags[0].fcurves if "tip" in each.data_path)
    curve.keyframe_points[3].co.y += 0.2
    edited = [tuple(point.co) for point in curve.keyframe_points]
    path, index = curve.data_path, curve.array_index
    assert is_edited(action_of(rig))
    untag(rig, "tip")
    assert is_edited(action_of(rig))
    (copy,) = (each for each in bpy.data.actions if each.name.endswith(".001"))
    kept = copy.layers[0].strips[0].channelbags[0].fcurves.find(path, index=index)
    assert [tuple(point.co) for point in kept.keyframe_points] == edited
    assert copy.use_fake_user
    assert not [*copy.keys()]


def test_a_bake_that_another_armature_plays_is_left_to_it(scene, rig):
    """Guards a linked duplicate: its keys stay, so the armature of the bone loses its bake as a whole."""
    bake(scene, overwrite=True)
    copy = rig.copy()
    scene.collection.objects.link(copy)
    count = len(curves_of(copy))
    assert "the bake of 3 links" in untag(rig, "tip")
    assert baked(scene) == ["lower", "root", "tip", "upper"]
    assert all(node.id_data == copy for node in baked_objects(scene))
    assert len(curves_of(copy)) == count
