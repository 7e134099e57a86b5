# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels in every state that a user can bring them into. The session looks for complaints in Blender's log."""

from collections import Counter

import bpy
import harness
import sidebar
from figures import figure
from harness import PACKAGE, move, over_viewport, press, region, screenshot, status, until
from scenes import hanging_bars, select
from sidebar import click_button, open_tab, turn_wheel

from support.plan import walk

drawn: Counter[str] = Counter()

X_BUTTON = 0.824  # of the sidebar's width: the last thing in an axis's header


def _panels() -> list[type]:
    return [cls for cls in bpy.types.Panel.__subclasses__() if cls.__module__.startswith(f"{PACKAGE}.")]


def _count_draws() -> None:
    """Blender asks the class for `draw` each time, so a wrapper put there later counts."""
    for cls in _panels():
        cls.draw = _counting(cls.__name__, cls.draw)


def _counting(name: str, draw):
    def wrapper(self, context):
        draw(self, context)
        drawn[name] += 1

    return wrapper


OPEN = ("link", "joint", "axes")
"""Of what also stands in the Properties editor: the panels that are open at first."""


def _redraw():
    """Until the tab's last panel is drawn, so that those above it are, too."""
    before = drawn.copy()
    region("UI").tag_redraw()
    yield from until(
        lambda: all(drawn[name] > before[name] for name in ("LIMBERJACK_PT_main", "LIMBERJACK_PT_exchange")),
        "all panels of the tab are drawn without an exception",
    )


@walk
def test_every_panel_draws_in_every_state():
    """A panel that raises shows half of its rows, and says so only where no user looks: in the terminal."""
    originals = {cls: cls.draw for cls in _panels()}
    _count_draws()
    try:
        yield from _through_all_states()
    finally:
        for cls, draw in originals.items():
            cls.draw = draw
    names = {cls.__name__ for cls in originals}
    closed = {name for name in names if name.endswith("_physics")} - {f"LIMBERJACK_PT_{it}_physics" for it in OPEN}
    missing = sorted(name for name in names - closed if not drawn[name])
    assert not missing, f"never drawn: {missing}"


def _through_all_states():
    yield from open_tab()
    editor = next(area for area in harness.window().screen.areas if area.type == "PROPERTIES")
    hanging_bars()
    select("Lower")
    editor.spaces.active.context = "PHYSICS"
    bpy.data.objects["Lower_joint"].limberjack_joint.type = "universal"
    select("Lower_joint")
    yield from _open_all_panels("LIMBERJACK_PT_axes", "LIMBERJACK_PT_home", "LIMBERJACK_PT_exchange")
    select("Upper")
    yield from _redraw()
    yield from _open_all_panels("LIMBERJACK_PT_link", "LIMBERJACK_PT_link_air")
    yield from _links()
    yield from _joints()
    yield from _lights()
    yield from _ragdoll()
    status().error = "An error, long enough for two lines of the sidebar at the least"
    yield from _redraw()
    status().running = True
    yield from _redraw()
    yield from screenshot("panels_running")
    status().running, status().error = False, ""


def _open_all_panels(*names: str):
    """All that are there with what is selected; names: of those that must be."""
    for _ in range(3):
        yield from sidebar.toggle_panels()
        if all(drawn[name] for name in names):
            return
    raise AssertionError(f"the panels do not open; drawn so far: {sorted(drawn)}")


def _links():
    select("Lower")
    for source in ("MASS", "DENSITY", "CUSTOM"):
        bpy.data.objects["Lower"].limberjack_link.mass_source = source
        yield from _redraw()
    shape = bpy.data.objects.new("Shape", bpy.data.objects["Lower"].data)
    shape.parent = bpy.data.objects["Lower"]
    bpy.context.scene.collection.objects.link(shape)
    select("Shape")
    yield from _redraw()
    yield from screenshot("panels_shape")


def _joints():
    obj = bpy.data.objects["Lower_joint"]
    joint = obj.limberjack_joint
    select(obj.name)
    for turn, kind in enumerate(joint.bl_rna.properties["type"].enum_items):
        joint.type = kind.identifier
        yield from _redraw()
        for number, axis in enumerate(joint.axes):
            axis.show_expanded = axis.use_lower = axis.use_upper = True
            axis.spring_stiffness = 1.0
            axis.use_stiffness = number % 2 == 0
            axis.locked = number == 1
            modes = axis.bl_rna.properties["drive_mode"].enum_items
            axis.drive_mode = modes[(turn + number) % len(modes)].identifier
        yield from _redraw()
    joint.use_home = joint.use_mimic = joint.use_released_at = True
    obj.location.x += 1.0
    yield from _redraw()
    yield from screenshot("panels_joint")


def _lights():
    for kind in ("SUN", "POINT", "SPOT"):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(kind, bpy.data.lights.new(kind, kind)))
        select(kind)
        while not drawn["LIMBERJACK_PT_light"]:  # it is closed at first
            yield from sidebar.toggle_panels()
        yield from _redraw()
    yield from screenshot("panels_light")


def _ragdoll():
    armature, body = figure()
    select(body.name)
    bpy.ops.limberjack.make_ragdoll()
    yield from _redraw()
    select(armature.name)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in ("hips", "thigh.L", "shin.L"):
        armature.data.bones.active = armature.data.bones[bone]
        yield from _redraw()
    status().shows_part_panels = True
    yield from _redraw()
    yield from screenshot("panels_ragdoll")
    status().shows_part_panels = False
    bpy.ops.object.mode_set(mode="OBJECT")


def test_axes_can_be_read_at_a_glance():
    """For the eye: the axes of a new joint, then with one of them unfolded."""
    for kind, number in (("d6", 3), ("ball", 3)):
        joint = yield from _new_joint(kind)
        yield from _scroll_to_axes()
        yield from screenshot(f"axes_{kind}")
        axis = joint.axes[number]
        axis.show_expanded = axis.use_upper = axis.use_lower = True
        joint.axes[1].locked = True
        region("UI").tag_redraw()
        yield from harness.at_rest()
        yield from screenshot(f"axes_{kind}_unfolded")


def test_a_drive_can_be_read_at_a_glance():
    """For the eye: a hinge and a slider with limits and a release, a drive in each mode; then one that is off."""
    for kind in ("revolute", "prismatic"):
        joint = yield from _new_joint(kind)
        axis = joint.axes[0]
        axis.use_lower = axis.use_upper = axis.use_effort = joint.use_released_at = True
        axis.lower, axis.upper, axis.drive_target, axis.drive_stiffness, axis.effort = -0.5, 1.0, 0.75, 200.0, 50.0
        yield from _scroll_to_axes()
        for mode in ("position", "velocity", "force"):
            axis.drive_mode = mode
            axis.use_stiffness = mode == "position"
            region("UI").tag_redraw()
            yield from harness.at_rest()
            yield from screenshot(f"drive_{kind}_{mode}")
    joint.enabled = False
    yield from _scroll_to_axes()
    yield from harness.at_rest()
    yield from screenshot("joint_off")


def test_axes_are_added_and_removed_with_the_mouse():
    """The buttons of a custom joint do what they say, each in one step of undo."""
    joint = yield from _new_joint("custom")
    bpy.ops.ed.undo_push(message="A custom joint")
    yield from click_button("limberjack.joint_axis_add")
    assert joint.open_axes == 2, f"Add Axis was clicked: there are {joint.open_axes} axes"
    yield from screenshot("axes_custom")
    yield from click_button("limberjack.joint_axis_remove", across=X_BUTTON)
    assert joint.open_axes == 1, f"Remove Axis was clicked: there are {joint.open_axes} axes"
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    joint = bpy.data.objects["Lower_joint"].limberjack_joint
    assert joint.open_axes == 2, f"one Ctrl-Z gives back {joint.open_axes} axes, not 2"
    yield from press("Z", ctrl=True)
    joint = bpy.data.objects["Lower_joint"].limberjack_joint
    assert joint.open_axes == 1, f"two Ctrl-Z give back {joint.open_axes} axes, not 1"


def _new_joint(kind: str):
    hanging_bars()
    joint = bpy.data.objects["Lower_joint"].limberjack_joint
    joint.type = kind
    select("Lower_joint")
    yield from open_tab()
    return joint


def _scroll_to_axes():
    sidebar = region("UI")
    yield from move((sidebar.x + sidebar.width // 2, sidebar.y + sidebar.height // 2))
    yield from turn_wheel(10)
