# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators in Object Mode that find the links and joints of a scene: bones count as objects do."""

import bpy
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.ids import SCENE
from limberjack.addon.ops.joints import chain as joint_chain
from limberjack.addon.ops.joints.pick import are_joined
from limberjack.addon.props.members import joints_in

from .conftest import joint, link
from .rigs import chain, hang_up, select_bones, tag
from .test_chain import Driven, by_name


@pytest.fixture
def bones(scene):
    """Three bones that are links, the first of which is joined to the world."""
    bones = tag(chain(3))
    hang_up(bones[0])
    bpy.context.view_layer.update()
    return bones


def test_joined_bones_are_not_joined_again(scene, bones):
    """Guards chains and picked joints between bones that their own joints join: a second joint would be a loop."""
    with pytest.raises(RuntimeError, match="'Rig:b1' is joined to 'Rig:b0' already, by 'Rig:b1'"):
        by_name("Rig:b0", "Rig:b1")
    assert are_joined(scene, bones[1], bones[0])
    assert not are_joined(scene, bones[2], bones[0])


def test_a_chain_by_clicks_takes_bones(scene, build, bones, monkeypatch):
    """Guards a click on a shape of a bone: the armature is selected meanwhile, and the bone is joined."""
    monkeypatch.setattr(joint_chain, "object_under", lambda context, event: event.at)
    shape, bar = build.cube("shape"), build.tagged_cube("bar", (0.0, 6.0, 2.0))
    shape.parent, shape.parent_type, shape.parent_bone = bones[2].id_data, "BONE", "b2"
    build.select(bar)
    driven = Driven()
    driven.click(bar)
    driven.click(shape)
    assert {obj.name for obj in bpy.context.selected_objects} == {"bar", "Rig"}
    assert driven.press("RET") == {"FINISHED"}
    assert ("bar", "Rig:b2") in {(found.parent, found.child) for found in read_scene(scene).joints}


def test_bones_are_thrown(scene, bones):
    """Guards the button that lets simulations start at the last key: keys of bones are found."""
    for frame, angle in ((1, 0.0), (11, 1.0)):
        bones[0].rotation_mode = "XYZ"
        bones[0].rotation_euler.x = angle
        bones[0].keyframe_insert("rotation_euler", frame=frame)
    assert bpy.ops.limberjack.throw_from_animation() == {"FINISHED"}
    own = getattr(scene, SCENE).bake
    assert own.start == "KEYS"
    assert 1 < own.first <= 11


def test_bones_follow_a_leader_whose_zero_moves(scene, build, bones):
    """Guards the references of bones that follow a joint, after that counts from elsewhere."""
    _, joints = build.pendulum(1)
    for node in (bones[1], bones[2]):
        joint(node).type = "revolute"
    follower = joint(bones[2])
    follower.use_mimic, follower.mimic.leader_node = True, joints[0]
    bpy.context.view_layer.update()
    assert len(joints_in(scene)) == 4
    build.select(joints[0])
    bpy.ops.limberjack.joint_pose(value=0.5)
    bpy.ops.limberjack.joint_zero_here()
    assert follower.mimic.reference == pytest.approx(-0.5)


def test_bones_in_the_ground_are_not_lifted(scene, bones):
    """Guards a machine of bones that starts in the ground: the message names the armature, which is to be moved."""
    joint(bones[0]).is_joint = False
    bones[0].id_data.location.z = -2.5
    scene.limberjack.ground = True
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="'Rig:b0' is a bone, so it cannot be lifted: move the armature 'Rig' up"):
        bpy.ops.limberjack.lift_out_of_ground()


def test_operators_of_pose_mode(scene, bones):
    """Guards operators that were grey in Pose Mode: they change the selected bones, and not the armature."""
    select_bones(bones[0].id_data, "b1", "b2")
    assert bpy.ops.limberjack.link_pin(pin="POSE") == {"FINISHED"}
    assert [link(bone).pin for bone in bones] == ["NONE", "POSE", "POSE"]
    assert bpy.ops.limberjack.joint_hold() == {"FINISHED"}
    assert [joint(bone).is_held for bone in bones] == [False, True, True]
    assert bpy.ops.limberjack.release_all() == {"FINISHED"}
    assert bpy.ops.limberjack.contact_pair_add(how="PASS") == {"FINISHED"}
    pair = getattr(scene, SCENE).pairs[0]
    assert {pair.a_node, pair.b_node} == {bones[1], bones[2]}
    assert bpy.ops.limberjack.ground() == {"FINISHED"}
    assert bpy.ops.limberjack.pose_add(name="hanging") == {"FINISHED"}
    assert bpy.ops.limberjack.problem_select(name="Rig:b0") == {"FINISHED"}
    assert [bone.name for bone in bpy.context.selected_pose_bones] == ["b0"]
    for name in ("joint_pick", "joint_add", "joint_chain", "joint_frames_from_empty"):
        assert not getattr(bpy.ops.limberjack, name).poll()
    with pytest.raises(RuntimeError, match="Bones have their joints already: Tag as Links joins them"):
        bpy.ops.limberjack.joint_pick()
