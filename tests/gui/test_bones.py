# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as links in Pose Mode: tag, play, bake and take back, by mouse and keys."""

import bpy
import harness
from harness import Steps, over_viewport, press, screenshot, simulated, status, until
from sidebar import click_button, click_tab
from test_handles import look_at, redo, undo

from support.plan import walk

NAMES = ("hip", "thigh", "shin")

DOT = "limberjack.setting_key"
"""The button beside each setting of a bone that can be keyed."""


def armature_in_pose_mode() -> bpy.types.Object:
    """A chain of three bones, level, two metres above the ground, with nothing selected."""
    look_at((1.5, 0.0, 1.5), 9.0, (0.7071, 0.7071, 0.0, 0.0))
    data = bpy.data.armatures.new("Leg")
    leg = bpy.data.objects.new("Leg", data)
    bpy.context.scene.collection.objects.link(leg)
    for obj in bpy.data.objects:
        obj.select_set(obj == leg)
        obj.hide_viewport = obj != leg
    bpy.context.view_layer.objects.active = leg
    bpy.ops.object.mode_set(mode="EDIT")
    for number, name in enumerate(NAMES):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (float(number), 0.0, 2.0), (number + 1.0, 0.0, 2.0)
        if number:
            bone.parent, bone.use_connect = data.edit_bones[NAMES[number - 1]], True
    bpy.ops.object.mode_set(mode="POSE")
    for bone in leg.pose.bones:
        bone.select = False
    bpy.context.scene.frame_end = 24
    bpy.ops.ed.undo_push(message="Armature")
    return leg


def leg() -> bpy.types.Object:
    return bpy.data.objects["Leg"]


def tagged() -> list[str]:
    return [bone.name for bone in leg().pose.bones if bone.limberjack_link.is_link]


def places() -> list[tuple[float, ...]]:
    """Where the bones' tails are, rounded."""
    return [tuple(round(number, 4) for number in bone.tail) for bone in leg().pose.bones]


def keyed_paths() -> list[str]:
    animation = leg().animation_data
    if animation is None or animation.action is None:
        return []
    bags = [bag for layer in animation.action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve.data_path for bag in bags for curve in bag.fcurves]


def tag_all_bones() -> Steps:
    yield from over_viewport()
    yield from press("A")
    yield from click_button("limberjack.link_tag", across=0.25)


@walk
def test_a_leg_is_tagged_played_and_baked():
    """From an armature in Pose Mode to keys on its bones with the sidebar alone; each undo takes one step back."""
    armature_in_pose_mode()
    yield from click_tab()
    yield from screenshot("pose_mode")
    yield from tag_all_bones()
    assert tagged() == list(NAMES), f"tagged: {tagged()}"
    yield from screenshot("tagged")

    at_rest = places()
    yield from click_button("limberjack.preview", across=0.2)
    yield from until(lambda: places() != at_rest, "the leg moves in Play", timeout=300)
    yield from screenshot("playing")
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: places() == at_rest, "the leg is back after Play")

    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    assert bpy.context.mode == "POSE", f"the bake has left Pose Mode for {bpy.context.mode}"
    bpy.context.scene.frame_set(18)
    yield from screenshot("baked")
    baked = places()
    assert baked != at_rest, "the baked leg does not move"
    yield from undo()
    assert leg().animation_data is None or leg().animation_data.action is None, "an undo leaves the bake"
    assert tagged() == list(NAMES), "an undo of the bake takes the links away"
    yield from redo()
    bpy.context.scene.frame_set(18)
    assert places() == baked, "a redo does not bring the bake again"


def test_untag_takes_joints_along():
    """Untag makes bones ordinary again, joints and all, in one undo step."""
    armature_in_pose_mode()
    yield from click_tab()
    yield from tag_all_bones()
    yield from undo()
    assert tagged() == [], f"one undo leaves {tagged()}"
    yield from redo()
    assert tagged() == list(NAMES), f"a redo tags {tagged()}"
    assert not status().error, status().error
    assert [bone.limberjack_joint.is_joint for bone in leg().pose.bones] == [True] * len(NAMES)
    assert harness.links() == [], "objects became links"


@walk
def test_a_setting_of_a_bone_is_keyed_by_its_dot():
    """The dot beside Animated keys it at this frame; another click deletes the key."""
    armature_in_pose_mode()
    yield from click_tab()
    yield from tag_all_bones()
    leg().data.bones.active = leg().data.bones["shin"]
    yield from click_button(DOT, across=0.83)
    yield from until(lambda: keyed_paths() == ['pose.bones["shin"].limberjack_link.animated'], "the dot inserts a key")
    yield from screenshot("bone_dot")
    yield from click_button(DOT, across=0.83)
    yield from until(lambda: keyed_paths() == [], "the dot deletes the key")
