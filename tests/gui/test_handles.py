# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles of a joint, dragged with the mouse."""

import math

import bpy
import harness
import scenes
from harness import drag, hold, on_screen, over_viewport, press, screenshot, send, type_text
from mathutils import Vector

from support.plan import walk


def handle(role: str, number: int = 0):
    """Where a handle of the active joint is on the screen."""
    return on_screen(handle_in_world(role, number))


def handle_in_world(role: str, number: int = 0) -> Vector:
    obj = bpy.context.object
    view = harness.module("bridge.joints.axis_views").view_joint(obj, bpy.context.scene)
    handles = harness.module("gizmos.joint").handles_of(view, radius())
    return [point for kind, _, _, point in handles if kind == role][number]


def radius() -> float:
    """Of the active joint's ring."""
    view = harness.viewport().spaces.active.region_3d
    return harness.module("overlays.sizes").active_radius(bpy.context.object, harness.region(), view)


def hinged(kind="revolute"):
    """Two bars, the first held by the world, and the joint between them active, seen from above and near."""
    scenes.two_bars()
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        scenes.select("Upper", "Lower")
        bpy.ops.limberjack.link_tag()
        scenes.select("Upper")
        bpy.ops.limberjack.joint_add(type="fixed")
        scenes.select("Upper", "Lower")
        bpy.ops.limberjack.joint_add(type=kind)
    look_at((0.0, 0.0, 1.0), 4.0)
    bpy.ops.ed.undo_push(message="Hinged")
    yield from harness.at_rest()


def look_at(point, distance, turn=(0.85, 0.45, 0.1, 0.25)):
    view = harness.viewport().spaces.active.region_3d
    view.view_location, view.view_distance = point, distance
    view.view_rotation = turn


def axis(number=0):
    return bpy.context.object.limberjack_joint.axes[number]


def undo() -> harness.Steps:
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    yield from harness.at_rest()


def redo() -> harness.Steps:
    yield from over_viewport()
    yield from press("Z", ctrl=True, shift=True)
    yield from harness.at_rest()


def beside(position, x, y):
    return position[0] + x, position[1] + y


def on_ring(angle: float, part: float = 1.0):
    """Where a turn of the hinge by `angle` is on the screen, at a part of the joint's size from its axis."""
    obj = bpy.context.object
    view = harness.module("bridge.joints.axis_views").view_joint(obj, bpy.context.scene)
    return on_screen(view.axes[0].point_at(angle, part * radius()))


@walk
def test_limits_are_dragged():
    """A drag takes one end, with Ctrl both alike; each is one step of undo and redo, and Esc gives it back."""
    yield from hinged()
    yield from screenshot("handles")
    yield from hold(handle("upper"), on_ring(1.0), ctrl=True)
    yield from screenshot("handles_limit")
    send("LEFTMOUSE", "RELEASE")
    send("LEFT_CTRL", "RELEASE")
    yield from harness.at_rest()
    assert (axis().use_lower, axis().use_upper) == (True, True), "dragging a limit does not switch the limits on"
    assert abs(axis().upper - 1.0) < 0.05, f"the upper limit was dragged to 1 rad, it is {axis().upper}"
    assert abs(axis().lower + axis().upper) < 1e-6, f"both ends do not go alike: {axis().lower}, {axis().upper}"
    kept = (axis().lower, axis().upper)

    yield from drag(handle("lower"), on_ring(-0.4))
    assert axis().upper == kept[1], "the other end has moved too"
    assert abs(axis().lower + 0.4) < 0.05, f"the lower limit was dragged to -0.4 rad, it is {axis().lower}"
    changed = (axis().lower, axis().upper)
    yield from undo()
    assert (axis().lower, axis().upper) == kept, "one undo does not take the second drag back"
    yield from undo()
    assert not axis().use_upper, "one undo does not take the first drag back"
    yield from redo()
    yield from redo()
    assert (axis().lower, axis().upper) == changed, "redo does not bring both drags again"

    yield from hold(handle("upper"), on_ring(2.0))
    assert axis().upper > 1.5, "the limit does not follow the mouse"
    yield from press("ESC")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    assert (axis().lower, axis().upper) == changed, "Esc does not give the limits back"


def test_a_limit_is_typed():
    """Degrees can be typed while an end is held."""
    yield from hinged()
    yield from hold(handle("upper"), on_ring(1.0))
    yield from type_text("37.5")
    yield from screenshot("handles_typed")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    assert math.isclose(math.degrees(axis().upper), 37.5, abs_tol=1e-4), math.degrees(axis().upper)
    assert not axis().use_lower, "the other end is switched on, too"


def test_the_position_is_dragged():
    """The link follows its handle, stops at the limit, and undo and redo take the drag as one step."""
    yield from hinged()
    axis().use_upper, axis().upper = True, 1.0
    bpy.ops.ed.undo_push(message="A limit")
    lower = bpy.data.objects["Lower"]
    before = lower.rotation_euler.z
    yield from hold(handle("pose"), on_ring(0.5, 0.7))
    yield from screenshot("handles_posed")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    turned = lower.rotation_euler.z - before
    assert abs(turned - 0.5) < 0.05, f"the link was dragged by 0.5 rad, and turned by {turned}"
    yield from undo()
    assert abs(bpy.data.objects["Lower"].rotation_euler.z - before) < 1e-6, "one undo does not put the link back"
    yield from redo()
    assert abs(bpy.data.objects["Lower"].rotation_euler.z - before - turned) < 1e-6, "redo does not pose it again"
    yield from drag(handle("pose"), on_ring(1.8, 0.7))
    turned = bpy.data.objects["Lower"].rotation_euler.z - before
    assert abs(turned - 1.0) < 1e-4, f"the link does not stop at its limit of 1 rad: {turned}"


def test_the_axis_is_aimed():
    """The axis points where its arrow is dragged, no link moves, Ctrl snaps, and Esc and undo give it back."""
    yield from hinged()
    stood = bpy.data.objects["Lower"].matrix_world.copy()
    yield from hold(handle("aim"), beside(handle("aim"), 70, -50))
    yield from screenshot("handles_aiming")
    assert axis().xyz[2] < 0.99, "the axis does not follow the mouse"
    yield from press("ESC")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    assert tuple(axis().xyz) == (0.0, 0.0, 1.0), f"Esc leaves the axis at {tuple(axis().xyz)}"
    yield from drag(handle("aim"), beside(handle("aim"), 70, -50))
    aimed = tuple(axis().xyz)
    assert aimed[2] < 0.99, "the axis is not where it was dragged"
    assert bpy.data.objects["Lower"].matrix_world == stood, "aiming the axis has moved the link"
    yield from undo()
    assert tuple(axis().xyz) == (0.0, 0.0, 1.0), "one undo does not give the axis back"
    yield from redo()
    assert tuple(axis().xyz) == aimed, "redo does not aim it again"
    origin = bpy.context.object.matrix_world.translation
    reach = 1.3 * radius()
    yield from drag(handle("aim"), on_screen(origin + Vector((reach, 0.08, 0.05))), ctrl=True)
    assert (Vector(axis().xyz) - Vector((1.0, 0.0, 0.0))).length < 1e-6, f"Ctrl does not snap to X: {axis().xyz[:]}"


def test_several_joints_get_one_limit():
    """What is dragged on the active joint is given to every selected joint of its type."""
    yield from hinged()
    second = bpy.context.object
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        scenes.select("Lower")
        bpy.ops.limberjack.joint_add(type="revolute")
        other = bpy.context.object
        scenes.select(other.name, second.name)
    bpy.ops.ed.undo_push(message="Two joints")
    yield from harness.at_rest()
    yield from drag(handle("upper"), on_ring(1.0))
    limits = [(item.limberjack_joint.axes[0].lower, item.limberjack_joint.axes[0].upper) for item in (second, other)]
    assert limits[0] == limits[1], f"the two joints have other limits: {limits}"


def test_handles_of_many_axes():
    """A ball, a universal and a six-axis joint show a handle for everything that they have: looked at."""
    yield from hinged("ball")
    cone = axis(3)
    cone.use_upper, cone.upper = True, 0.9
    bpy.context.view_layer.update()
    harness.module("watch").note_change()
    yield from screenshot("handles_ball")
    before = bpy.data.objects["Lower"].matrix_world.copy()
    start = handle("swing")
    yield from drag(start, beside(start, 40, 40))
    assert bpy.data.objects["Lower"].matrix_world != before, "the ball's link does not follow its handle"
    yield from undo()
    for kind in ("universal", "d6", "cylindrical"):
        bpy.context.object.limberjack_joint.type = kind
        for item in bpy.context.object.limberjack_joint.axes[:6]:
            item.use_lower = item.use_upper = True
            item.lower, item.upper = -0.5, 0.7
        harness.module("watch").note_change()
        yield from screenshot(f"handles_{kind}")
