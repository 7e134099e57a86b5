# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses by the sidebar: sliders, poses that are kept, and keys; each is one step of undo."""

import bpy
import harness
import sidebar
from harness import move, screenshot, send
from mathutils import Vector
from mechanisms import largest_gap, mechanisms, write
from sidebar import click_button, find_button, open_tab
from test_pull import look_at, places, undo

from support.plan import walk

SLIDER = 'bpy.data.objects["crank_pivot"].limberjack_joint.coordinates[0].share'


TO_HEADER = 4.1
"""Rows from the button Pin down to the header of the panel Pose."""

PLUS = 0.824
"""Of the sidebar's width: the buttons beside the list of poses."""


def limited_four_bar() -> harness.Steps:
    """A four-bar whose crank turns by 60 degrees to either side; its joint."""
    objects = write(mechanisms().four_bar())
    axis = objects["crank_pivot"].limberjack_joint.axes[0]
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = -1.047, 1.047
    yield from look_at((1.0, 0.6, 0.0), 6.0)
    yield from open_tab()
    rig = harness.module("bridge.rig")
    yield from harness.until(lambda: rig.last_rig(bpy.context.scene), "the scene is read")
    yield from sidebar.open_panel("LIMBERJACK_PT_pose")
    return objects["crank_pivot"].limberjack_joint


def keys() -> int:
    bags = [bag for action in bpy.data.actions for layer in action.layers for bag in layer.strips[0].channelbags]
    return sum(len(curve.keyframe_points) for bag in bags for curve in bag.fcurves)


def test_a_slider_is_dragged():
    """The mechanism follows the bar at each event with its loop closed, and one undo takes all of it back."""
    joint = yield from limited_four_bar()
    before, gaps = places(), []
    x, y = yield from find_button(SLIDER, across=0.35)
    yield from move((x, y))
    send("LEFTMOUSE", "PRESS")
    yield from harness.drawn()
    for step in range(1, 25):
        yield from move((x + 2 * step, y))
        gaps.append(largest_gap())
    yield from screenshot("slider_dragged")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    assert places() != before, "the links do not follow the slider"
    assert abs(joint.coordinates[0].value_angle) > 0.05, f"the slider is at {joint.coordinates[0].value_angle}"
    assert max(gaps) <= 1e-6, f"a joint stood open by {max(gaps):.2e} m"
    yield from undo()
    assert places() == before, "one undo does not take the slider back"


@walk
def test_poses_are_kept_and_applied():
    """A pose is added, the mechanism goes to the middle of its limits and back to the pose; each is undone at once."""
    joint = yield from limited_four_bar()
    drawn = places()
    joint.coordinates[0].value_angle = 0.5
    bpy.ops.ed.undo_push(message="Posed")
    yield from harness.at_rest()
    posed = places()
    assert posed != drawn
    poses = bpy.context.scene.limberjack.poses
    yield from click_button("limberjack.pose_add", across=PLUS)
    assert [pose.name for pose in poses] == ["Pose"], f"the scene keeps {[pose.name for pose in poses]}"
    yield from click_button("limberjack.pose_mid_limits", across=0.75)
    assert places() == drawn, "the crank is not in the middle of its limits"
    yield from click_button("limberjack.pose_apply", across=0.25)
    assert places() == posed, "the pose is not what it was when it was added"
    yield from screenshot("pose_applied")
    yield from undo()
    assert places() == drawn, "one undo does not take the pose back"
    yield from click_button("limberjack.pose_remove", across=PLUS)
    poses = bpy.context.scene.limberjack.poses
    assert not poses, "the pose is still there"
    yield from undo()
    assert len(bpy.context.scene.limberjack.poses) == 1, "one undo does not bring the pose back"


def test_joint_values_are_keyed():
    """Two poses keyed as joint values: between them the crank turns about its pivot; undo takes the keys away."""
    yield from limited_four_bar()
    scene = bpy.context.scene
    crank = bpy.data.objects["crank"]
    for frame, angle in ((1, -0.8), (25, 0.8)):
        scene.frame_set(frame)
        bpy.data.objects["crank_pivot"].limberjack_joint.coordinates[0].value_angle = angle
        bpy.ops.limberjack.pose_key("EXEC_DEFAULT", True, what="JOINTS")
        yield from harness.at_rest()
    keyed = keys()
    assert keyed
    for frame in range(1, 26, 4):
        scene.frame_set(frame)
        yield from harness.drawn()
        tip = crank.matrix_world @ Vector((0.0, 1.0, 0.0))
        assert abs(tip.length - 1.0) < 1e-5, f"the crank's end is {tip.length} m from its pivot at frame {frame}"
        assert largest_gap() <= 1e-6, f"a joint stands open by {largest_gap():.2e} m at frame {frame}"
    yield from screenshot("joint_values_keyed")
    scene.frame_set(25)
    yield from undo()
    assert keys() == keyed // 2, f"of {keyed} keys, one undo leaves {keys()}"
