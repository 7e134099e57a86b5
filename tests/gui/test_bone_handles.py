# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of bones in Pose Mode: handles, IK drag, lists and menus, by mouse and keys."""

import bpy
import harness
from harness import Steps, drag, hold, on_screen, over_viewport, press, screenshot, send, until
from mathutils import Vector
from sidebar import click_button, click_tab, open_panel
from test_bones import armature_in_pose_mode, leg, places, tag_all_bones
from test_handles import look_at, undo

from support.plan import walk


def tagged_leg(kind="revolute") -> Steps:
    """A chain of three tagged bones, held at its hip, with the thigh active, whose joint is of a type."""
    armature_in_pose_mode()
    yield from click_tab()
    yield from tag_all_bones()
    bones = leg().pose.bones
    bones["hip"].limberjack_joint.to_world = True
    bones["thigh"].limberjack_joint.type = kind
    if kind == "revolute":
        bones["thigh"].limberjack_joint.axes[0].xyz = (1.0, 0.0, 0.0)  # towards the viewer
    for bone in bones:
        bone.select = bone.name == "thigh"
    leg().data.bones.active = bones["thigh"].bone
    bpy.ops.ed.undo_push(message="Leg")
    yield from harness.at_rest()


def axis(number=0):
    return leg().pose.bones["thigh"].limberjack_joint.axes[number]


def view():
    return harness.module("bridge.joints.axis_views").view_joint(bpy.context.active_pose_bone, bpy.context.scene)


def radius() -> float:
    region_3d = harness.viewport().spaces.active.region_3d
    return harness.module("overlays.sizes").active_radius(bpy.context.active_pose_bone, harness.region(), region_3d)


def handle(role: str):
    """Where a handle of the active bone's joint is on the screen."""
    handles = harness.module("gizmos.joint").handles_of(view(), radius())
    return on_screen(next(point for kind, _, _, point in handles if kind == role))


def on_ring(angle: float, part: float = 1.0):
    return on_screen(view().axes[0].point_at(angle, part * radius()))


@walk
def test_limits_of_a_bone_are_dragged():
    """The limits and the position of a bone's hinge are dragged in Pose Mode; each drag is one step of undo."""
    yield from tagged_leg()
    yield from screenshot("bone_handles")
    yield from hold(handle("upper"), on_ring(0.8), ctrl=True)
    yield from screenshot("bone_limits")
    send("LEFTMOUSE", "RELEASE")
    send("LEFT_CTRL", "RELEASE")
    yield from harness.at_rest()
    assert abs(axis().upper - 0.8) < 0.05, f"the upper limit was dragged to 0.8 rad, it is {axis().upper}"
    assert abs(axis().lower + axis().upper) < 1e-6, f"both ends do not go alike: {axis().lower}, {axis().upper}"
    at_rest = places()
    yield from drag(handle("pose"), on_ring(2.0, 0.7))
    yield from screenshot("bone_posed")
    assert abs(view().axes[0].value - axis().upper) < 1e-4, (
        f"the bone does not stop at its limit: {view().axes[0].value}"
    )
    yield from undo()
    assert places() == at_rest, "one undo does not take the pose back"
    yield from undo()
    assert not axis().use_upper, "one undo does not take the limits back"
    assert bpy.context.mode == "POSE"


def test_the_cone_of_a_bone_is_dragged():
    """A ball joint's cone gets a limit and another direction by its handles, and the bone is swung to its edge."""
    yield from tagged_leg("ball")
    look_at((1.0, 0.0, 2.0), 5.0)
    yield from harness.at_rest()
    cone = next(each for each in view().axes if each.kind == "cone")
    start, end = handle("upper"), on_screen(cone.point_at(0.6, radius()))
    yield from drag(start, end)
    assert axis(3).use_upper, "dragging the cone does not switch its limit on"
    assert abs(axis(3).upper - 0.6) < 0.08, f"the cone was dragged to 0.6 rad: {axis(3).upper}"
    before = tuple(axis(3).xyz)
    yield from drag(handle("aim"), (handle("aim")[0] + 60, handle("aim")[1] + 60))
    yield from screenshot("bone_cone")
    assert tuple(axis(3).xyz) != before, "the cone was not turned"


def test_a_bone_is_dragged_by_ik():
    """The tool IK Drag moves a bone by its joints in Pose Mode, in one step of undo."""
    yield from tagged_leg("ball")
    at_rest = places()
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        assert bpy.ops.wm.tool_set_by_id(name="limberjack.pull_links", space_type="VIEW_3D") == {"FINISHED"}
    yield from harness.at_rest()
    start = on_screen(Vector((2.9, 0.0, 2.0)))
    yield from hold(start, (start[0] - 120, start[1] + 120))
    yield from screenshot("bone_pulled")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    assert places() != at_rest, "the leg was not moved"
    yield from undo()
    assert places() == at_rest, "one undo does not take the drag back"


def test_lists_of_bones():
    """The panels Model and Pose list the bones in Pose Mode."""
    yield from tagged_leg()
    yield from open_panel("LIMBERJACK_PT_model")
    yield from screenshot("bone_rows")
    yield from open_panel("LIMBERJACK_PT_pose")
    yield from over_viewport()
    yield from screenshot("bone_sliders")
    bpy.context.scene.limberjack.bone_row = 2
    assert bpy.context.active_pose_bone.name == "shin"
    yield from over_viewport()
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.wm.call_menu(name="VIEW3D_MT_pose_context_menu")
    yield from screenshot("bone_menu")
    yield from press("ESC")


def test_a_bone_is_pulled_in_play():
    """During Play in Pose Mode, a bone follows the mouse; the timeline is scrubbed, and Esc puts all bones back."""
    yield from tagged_leg("ball")
    preview = harness.module("preview").current
    at_rest = places()
    yield from click_button("limberjack.preview()", across=0.2)
    yield from until(lambda: preview() is not None and preview().shown >= 2, "the leg plays", timeout=60)
    yield from over_viewport()
    yield from press("SPACE")  # so that the bone waits for the mouse
    bone = leg().pose.bones["shin"]
    start = on_screen(leg().matrix_world @ bone.center)
    yield from hold(start, (start[0], start[1] + 200))
    assert preview().is_pulling, "the press has not taken the bone"
    assert preview().line is not None
    yield from screenshot("bone_pulled_in_play")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.drawn()
    assert not preview().is_pulling
    yield from press("SPACE")
    shown = preview().shown
    yield from press("LEFT_ARROW")
    yield from until(lambda: preview().shown == shown - 1, "the frame before is shown")
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
    assert places() == at_rest, "the bones are not back after Play"
