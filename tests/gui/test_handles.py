"""The handles of a joint, dragged with the mouse."""

import importlib
import math

import bpy
import harness
import scenes
from harness import drag, hold, on_screen, over_viewport, press, screenshot, send, type_text


def module(name: str):
    return importlib.import_module(f"{harness.PACKAGE}.addon.{name}")


def handle(role: str, number: int = 0):
    """Where a handle of the active joint is on the screen."""
    obj = bpy.context.object
    view = module("bridge.dials").view_joint(obj, bpy.context.scene)
    found = [
        point for kind, _, _, point in module("gizmos.joint").handles_of(view, obj.empty_display_size) if kind == role
    ]
    return on_screen(found[number])


def hinged(kind="revolute"):
    scenes.two_bars()
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        scenes.select("Upper", "Lower")
        bpy.ops.limberjack.link_tag()
        scenes.select("Upper")
        bpy.ops.limberjack.joint_add(type="fixed")
        scenes.select("Upper", "Lower")
        bpy.ops.limberjack.joint_add(type=kind)
    bpy.ops.ed.undo_push(message="Hinged")
    return bpy.context.object


def test_look():
    obj = hinged()
    axis = obj.limberjack_joint.axes[0]
    yield 1.0
    yield from screenshot("handles")
    print("HANDLES", {role: handle(role) for role in ("lower", "upper", "pose", "home", "zero", "aim")})
    start = handle("upper")
    yield from hold(start, (start[0] - 60, start[1] + 20))
    yield from screenshot("handles_dragging_upper")
    send("LEFTMOUSE", "RELEASE")
    yield 0.3
    print("LIMITS", axis.use_lower, axis.lower, axis.use_upper, axis.upper)
    start = handle("pose")
    yield from drag(start, (start[0] + 60, start[1] + 60))
    yield from screenshot("handles_posed")
    print("POSE", bpy.data.objects["Lower"].rotation_euler[:])
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    print("UNDONE", bpy.data.objects["Lower"].rotation_euler[:])
    start = handle("aim")
    yield from hold(start, (start[0] + 50, start[1] - 30))
    yield from screenshot("handles_aiming")
    yield from press("ESC")
    print("AIM esc", bpy.context.object.limberjack_joint.axes[0].xyz[:])
    start = handle("upper")
    yield from hold(start, (start[0] - 20, start[1] + 20))
    yield from type_text("45")
    yield from screenshot("handles_typed")
    send("LEFTMOUSE", "RELEASE")
    yield 0.3
    axis = bpy.context.object.limberjack_joint.axes[0]
    print("TYPED", math.degrees(axis.upper), math.degrees(axis.lower))
