# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of ragdolls that come from the rig: those for inverse kinematics, and the range of an animation."""

import math

import bpy
import pytest

from limberjack.addon.ops.characters.making import RagdollOptions, make_ragdoll
from limberjack.addon.props import axes_in_use

from .conftest import joint
from .rigs import armature

ARM = (
    ("upper", (0.0, 0.0, 1.0), (0.0, 0.0, 1.4), ""),
    ("middle", (0.0, 0.0, 1.4), (0.0, 0.0, 1.8), "upper"),
    ("lower", (0.0, 0.0, 1.8), (0.0, 0.0, 2.2), "middle"),
)
"""Bones in a row, whose names tell no part of a body."""


@pytest.fixture
def rig(scene):
    return armature(ARM)


def made(rig, limits):
    return make_ragdoll(bpy.context, rig, RagdollOptions(limits=limits))


def range_of(bone, number=0):
    axis = axes_in_use(joint(bone))[number]
    return math.degrees(axis.lower), math.degrees(axis.upper)


def set_ik(bone, axis, low, high):
    setattr(bone, f"use_ik_limit_{axis}", True)
    setattr(bone, f"ik_min_{axis}", math.radians(low))
    setattr(bone, f"ik_max_{axis}", math.radians(high))


def test_one_free_axis_gives_a_hinge(rig):
    """Guards knees of rigs: a bone that inverse kinematics turns about x only gets a hinge with the range of x."""
    bone = rig.pose.bones["middle"]
    bone.lock_ik_y = bone.lock_ik_z = True
    set_ik(bone, "x", -5.0, 140.0)
    made(rig, "IK")
    assert joint(bone).type == "revolute"
    assert tuple(axes_in_use(joint(bone))[0].xyz) == (1.0, 0.0, 0.0)
    assert range_of(bone) == pytest.approx((-5.0, 140.0), abs=1e-4)


def test_several_axes_give_a_ball_about_their_middle(rig):
    """Guards shoulders of rigs: the cone is as wide as the larger range, about the middle of both; the twist is y's."""
    bone = rig.pose.bones["middle"]
    set_ik(bone, "x", -20.0, 80.0)
    set_ik(bone, "y", -30.0, 45.0)
    set_ik(bone, "z", -40.0, 40.0)
    made(rig, "IK")
    assert joint(bone).type == "ball"
    assert range_of(bone, 3)[1] == pytest.approx(50.0, abs=1e-4)
    assert range_of(bone, 4) == pytest.approx((-30.0, 45.0), abs=1e-4)
    assert math.degrees(joint(bone).limit_turn[0]) == pytest.approx(30.0, abs=1e-4)


def test_bones_without_limits_keep_those_of_a_body(rig):
    """Guards rigs with few limits: a bone without any has the same joint as without the option."""
    made(rig, "BODY")
    before = [range_of(rig.pose.bones["lower"], number) for number in (3, 4)]
    set_ik(rig.pose.bones["middle"], "x", -5.0, 140.0)
    made(rig, "IK")
    assert [range_of(rig.pose.bones["lower"], number) for number in (3, 4)] == before


def test_limits_of_the_animation(scene, rig):
    """Guards limits from an action: the cone is the largest bend of the animation, and a tenth more; bones that do not
    move keep the limits of a body."""
    bone = rig.pose.bones["middle"]
    bone.rotation_mode = "XYZ"
    scene.frame_end = 20
    for frame, angle in ((1, 0.0), (20, 30.0)):
        bone.rotation_euler.x = math.radians(angle)
        bone.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    assert not [note for note in made(rig, "ACTION").notes if "no bone moves" in note]
    assert range_of(bone, 3)[1] == pytest.approx(33.0, abs=0.01)
    assert range_of(rig.pose.bones["lower"], 3)[1] == pytest.approx(45.0, abs=1e-4)


def test_no_animation_is_told(scene, rig):
    """Guards the choice Animation for a character that stands still: limits of a body, and a note."""
    notes = made(rig, "ACTION").notes
    assert [note for note in notes if f"no bone moves from frame {scene.frame_start} to {scene.frame_end}" in note]
    assert range_of(rig.pose.bones["middle"], 3)[1] == pytest.approx(45.0, abs=1e-4)
