# SPDX-License-Identifier: GPL-3.0-or-later
"""The start of the fall of an animated character: with its motion, unless the user has chosen another one."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.characters.ragdoll_joints import widen_to_present_pose
from limberjack.addon.props.pairs import overlapping_parts
from limberjack.addon.props.ragdoll import ragdoll_bones

from .baked import bake
from .characters import character, choose
from .conftest import joint
from .ragdolls import told

SPEED = 1.5
"""Speed of the walk along -y [m/s]."""

FPS = 24.0


@pytest.fixture
def rig(scene):
    rig, _ = character()
    choose(rig)
    return rig


def walk(owner, path="location"):
    """Key a walk at constant speed from frame 1."""
    for frame in (1, 49):
        owner.location.y = -SPEED * (frame - 1) / FPS
        owner.keyframe_insert(path, frame=frame)
    channelbag = owner.id_data.animation_data.action.layers[0].strips[0].channelbags[0]
    for key in (key for curve in channelbag.fcurves for key in curve.keyframe_points):
        key.interpolation = "LINEAR"


def by_object(rig):
    walk(rig)


def by_bone(rig):
    rig.pose.bones["hips"].bone.use_local_location = False
    walk(rig.pose.bones["hips"])


def by_parent(rig):
    rig.parent = bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(rig.parent)
    walk(rig.parent)


def by_target(rig):
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    constraint = rig.pose.bones["hips"].constraints.new("COPY_LOCATION")
    constraint.target, constraint.use_offset, constraint.target_space = target, True, "WORLD"
    walk(target)


def by_strip(rig):
    walk(rig)
    data = rig.animation_data
    track = data.nla_tracks.new()
    track.strips.new("Walk", 1, data.action)
    data.action = None


def start(scene):
    return scene.limberjack.bake.start, scene.limberjack.bake.is_property_set("start")


@pytest.mark.parametrize("animate", [by_object, by_bone, by_parent, by_target, by_strip], ids=lambda how: how.__name__)
def test_a_walking_character_falls_as_fast_as_it_walks(scene, rig, animate, capfd):
    """Guards Make Ragdoll on an animated character: the fall has the speed of the walk, as is told."""
    animate(rig)
    scene.frame_set(1)
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert "'Rig' is animated, so its fall begins with its motion at frame 1" in capfd.readouterr().out
    assert start(scene) == ("KEYS", True)
    if animate is not by_strip:  # strips would play over the keys of a bake
        run = bake(scene, last=3, overwrite=True)
        trajectory, number = run.simulation.trajectory, run.simulation.trajectory.link_names.index("Rig:chest")
        moved = (trajectory.X_WL[1, number, :2] - trajectory.X_WL[0, number, :2]) * FPS
        np.testing.assert_allclose(moved, (0.0, -SPEED), atol=0.05)
    choose(rig)
    assert bpy.ops.limberjack.remove_ragdoll() == {"FINISHED"}
    assert start(scene) == ("HOME", False)


def test_limits_contain_the_pose_at_the_start(scene, rig):
    """Guards a ragdoll that is made at another frame than that at which it falls: joints may not start beyond their
    limits, and limbs that overlap there do not collide. The frame stays, and the note names the pose."""
    shin = rig.pose.bones["shin"]
    shin.rotation_mode = "XYZ"
    for frame, angle in ((1, -1.5), (20, 0.0)):
        shin.rotation_euler.x = angle
        shin.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(20)
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert scene.frame_current == 20
    assert "since its pose at frame 1 lies beyond" in told()
    scene.frame_set(1)
    for bone in ragdoll_bones(rig):
        if joint(bone).parent_node is not None:
            assert not widen_to_present_pose(bone, scene), bone.name


def test_limbs_that_overlap_at_the_start(scene, rig):
    """Guards the same for pairs: a hand that is in the chest at the first frame only does not collide with it."""
    arm = rig.pose.bones["arm"]
    arm.rotation_mode = "XYZ"
    for frame, angle in ((1, 2.6), (20, 0.0)):
        arm.rotation_euler.z = angle
        arm.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    pairs = overlapping_parts(rig)
    assert bpy.ops.limberjack.remove_ragdoll() == {"FINISHED"}
    scene.frame_set(20)
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert overlapping_parts(rig) == pairs
    assert len(pairs) > 0


def test_a_character_at_rest(scene, rig):
    """Guards a pose that was keyed once, and drivers within a rig: neither moves the character."""
    rig.pose.bones["arm"].keyframe_insert("rotation_quaternion", frame=1)
    rig.pose.bones["hand"].driver_add("location", 0).driver.expression = "0.1"
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert start(scene) == ("HOME", False)


@pytest.mark.parametrize("chosen", ["HOME", "POSE"])
def test_the_choice_of_the_user_stays(scene, rig, chosen):
    """Guards who has set Start From, before Make Ragdoll or after it."""
    walk(rig)
    scene.limberjack.bake.start = chosen
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert start(scene) == (chosen, True)
    bpy.ops.limberjack.remove_ragdoll()
    assert start(scene) == (chosen, True)
    scene.limberjack.bake.property_unset("start")
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    scene.limberjack.bake.start = chosen
    bpy.ops.limberjack.remove_ragdoll()
    assert start(scene) == (chosen, True)


def test_the_last_ragdoll_takes_it_back(scene, rig):
    """Guards two characters: the start is that of both, until both are removed."""
    walk(rig)
    other, _ = character("Other")
    for each in (rig, other):
        choose(each)
        assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    choose(rig)
    bpy.ops.limberjack.remove_ragdoll()
    assert start(scene) == ("KEYS", True)
    choose(other)
    bpy.ops.limberjack.remove_ragdoll()
    assert start(scene) == ("HOME", False)
