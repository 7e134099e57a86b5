# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of bones, compared with the trajectory in the matrices that Blender evaluates."""

import itertools

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from limberjack.addon.nodes import animation

from .baked import bake, show
from .bone_rig import ACCURACY, SIZE, armature, assert_exact, curves_of, dump, errors, key_others, pose_of, tag
from .conftest import link


def test_a_chain_of_bones_moves_as_simulated(scene):
    """Guards keys of bones with roll and offset, connected or not, with one between them that is not tagged."""
    tag(armature(scene))
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_every_rotation_mode_is_keyed_and_kept(scene, mode):
    """Guards keys in the rotation mode of each bone, which stays as it is."""
    bones = tag(armature(scene))
    for bone in bones:
        bone.rotation_mode = mode
    assert_exact(scene, bake(scene))
    assert {bone.rotation_mode for bone in bones} == {mode}
    keyed = {animation.path_in(bone, curve) for bone in bones for curve in animation.fcurves_of(bone)}
    assert len(keyed) == 2  # location of the root, which is not connected, and one kind of rotation


INHERITANCE = [*itertools.product(("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"), (0, 1), (0, 1))]


@pytest.mark.parametrize(("scale", "rotation", "location"), INHERITANCE)
def test_every_way_to_inherit_is_undone(scene, scale, rotation, location):
    """Guards keys of bones, and of those between them, that inherit rotation, scale or location only in part."""
    rig = armature(scene)
    for bone in rig.data.bones:
        bone.inherit_scale, bone.use_inherit_rotation = scale, bool(rotation)
        bone.use_local_location = bool(location)
    tag(rig)
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_an_armature_has_any_scale_place_and_parent(scene, scale):
    """Guards keys below an armature that is scaled, turned and parented to an object."""
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    holder.location, holder.rotation_euler = (1.0, -2.0, 0.5), (0.3, -0.2, 0.7)
    rig = armature(scene)
    rig.parent = holder
    rig.location, rig.rotation_euler, rig.scale = (0.5, 0.2, -0.3), (0.4, 0.1, -0.6), (scale, scale, scale)
    scene.gravity = (0.0, 0.0, -9.81 * scale)
    tag(rig)
    assert_exact(scene, bake(scene), SIZE * scale)


def test_what_carries_the_bones_may_be_animated(scene):
    """Guards bones below an animated bone of an animated armature, also those that inherit no rotation from above."""
    rig = armature(scene)
    for frame, turn in ((1, 0.0), (24, 0.8)):
        rig.pose.bones["root"].rotation_quaternion = Quaternion((0.0, 0.0, 1.0), turn)
        rig.pose.bones["root"].keyframe_insert("rotation_quaternion", frame=frame)
        rig.rotation_euler.x = turn
        rig.keyframe_insert("rotation_euler", frame=frame)
    rig.data.bones["lower"].use_inherit_rotation = False
    tag(rig, ("upper", "lower", "tip"), ("upper",))
    rig.data.bones["upper"].inherit_scale = "NONE"
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["upper"].use_connect = False
    bpy.ops.object.mode_set(mode="OBJECT")
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize(("fps", "first"), [(24, 1), (30, 117), (60, 0)])
def test_any_frame_rate_and_start(scene, fps, first):
    """Guards keys at other frame rates, and from a frame in the middle of the timeline on."""
    scene.render.fps = fps
    scene.frame_start, scene.frame_end = first, first + fps
    tag(armature(scene))
    run = bake(scene)
    assert_exact(scene, run)
    assert list(run.frames[[0, -1]]) == [first, first + fps]


def test_reduced_keys_stay_within_their_tolerance(scene):
    """Guards the reduction of keys of bones: children compensate for the errors of their parents."""
    settings = scene.limberjack.bake
    settings.reduces, settings.distance, settings.angle = True, 1e-3, 1e-3
    tag(armature(scene))
    run = bake(scene)
    way, turned = errors(scene, run, 1.0)
    assert way < 1.1e-3
    assert turned < 1.1e-3


def test_animation_of_other_bones_plays_on(scene):
    """Guards a user's action: keys of the armature and of a bone between baked ones play on, and are compensated."""
    rig = armature(scene)
    key_others(rig)
    before = curves_of(rig)
    tag(rig)
    assert_exact(scene, bake(scene, overwrite=True))
    after = curves_of(rig)
    kept = {key: keys for key, keys in before.items() if 'bones["upper"].rotation' not in key[0]}
    assert len(kept) == 5
    assert {key: after[key] for key in kept} == kept
    assert any("stretch" in path for path, _ in kept)


@pytest.mark.parametrize("start", ["POSE", "KEYS"])
def test_a_simulation_starts_from_the_pose_or_the_animation(scene, start):
    """Guards starts of bones from the present pose, and from keys, whose motion before the first frame is kept."""
    rig = armature(scene)
    for frame, angle in ((1, 0.0), (10, 0.4), (20, 1.4)):
        bone = rig.pose.bones["upper"]
        bone.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), angle)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    tag(rig)
    show(scene, 7)
    before = {frame: pose_of(scene, rig, "tip", frame) for frame in (3, 7)}
    run = bake(scene, start=start, overwrite=True, first=7)
    assert_exact(scene, run)
    np.testing.assert_allclose(pose_of(scene, rig, "tip", 7), before[7], atol=SIZE * ACCURACY)
    if start == "KEYS":
        np.testing.assert_allclose(pose_of(scene, rig, "tip", 3), before[3], atol=SIZE * ACCURACY)


@pytest.mark.parametrize("onto", ["BOTH", "JOINTS"])
def test_keys_on_joints_move_the_bones(scene, onto):
    """Guards keys of joint values on bones, alone and beside those of the bones."""
    rig = armature(scene)
    tag(rig)
    before = dump(scene)
    assert_exact(scene, bake(scene, onto=onto))
    assert any("coordinates" in path for path, _ in curves_of(rig))
    scene.frame_set(1)
    bpy.ops.limberjack.bake_clear()
    assert dump(scene) == before


def test_a_kinematic_bone_follows_its_armature_and_moves_others(scene):
    """Guards a bone whose motion is Kinematic: it moves as it is animated, and the bones below it follow."""
    rig = armature(scene)
    for frame, turn in ((1, 0.0), (24, 0.6)):
        rig.pose.bones["root"].rotation_quaternion = Quaternion((0.0, 0.0, 1.0), turn)
        rig.pose.bones["root"].keyframe_insert("rotation_quaternion", frame=frame)
    tag(rig, to_world=())
    link(rig.pose.bones["root"]).motion = "KINEMATIC"
    before = pose_of(scene, rig, "root", 13)
    run = bake(scene)
    assert_exact(scene, run)
    np.testing.assert_allclose(pose_of(scene, rig, "root", 13), before, atol=1e-6)
    bake(scene)
    assert_exact(scene, run)
