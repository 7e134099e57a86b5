# SPDX-License-Identifier: GPL-3.0-or-later
"""A link that is keyed by hand and thrown: from its animation, or by the switch Animated."""

import bpy
import harness
import sidebar
from harness import Steps, over_viewport, press, screenshot, status, type_text, until
from mathutils import Vector
from scenes import select
from sidebar import click_button, find_button, open_tab
from test_bake import assert_as_it_was, escape, everything
from test_exchange import info_lines
from test_handles import look_at, redo, undo

from support.plan import walk

G = 9.81
"""Gravity of Blender's own first scene [m/s²]."""

RATE = 24.0
"""Frames per second of Blender's own first scene."""

LAST = 20
"""Frame of the last key that the user sets."""

END = 48
"""Last frame of the scene."""

LONG = 4_000
"""Last frame of a bake that takes long enough to be left by Esc."""

ANIMATED = 'bpy.data.objects["Cube"].limberjack_link.animated'
"""What a click in the panel Link changes, as Blender names it."""


def cube() -> bpy.types.Object:
    return bpy.data.objects["Cube"]


def bake_settings() -> bpy.types.PropertyGroup:
    return bpy.context.scene.limberjack.bake


def places(first: int, last: int) -> list[Vector]:
    """Where the cube is at each frame from `first` to `last` [m]."""
    scene = bpy.context.scene
    before = scene.frame_current
    found = []
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        found.append(cube().matrix_world.translation.copy())
    scene.frame_set(before)
    return found


def assert_parabola(path: list[Vector], velocity: Vector) -> None:
    """Each place must be where a body is that flies from the first one with this velocity [m/s]."""
    for frame, seen in enumerate(path):
        t = frame / RATE
        expected = path[0] + t * velocity + Vector((0.0, 0.0, -0.5 * G * t * t))
        assert (seen - expected).length < 1e-3, f"{frame} frames after the throw, the cube is at {seen}, not {expected}"


def tagged_cube() -> Steps:
    """Blender's own cube as a link, made by a click, high above the ground, seen from the front."""
    look_at((3.0, 0.0, 2.0), 22.0, (0.7071, 0.7071, 0.0, 0.0))
    bpy.context.scene.frame_end = END
    select("Cube")
    yield from open_tab()
    yield from click_button("limberjack.link_tag", across=0.25)
    assert harness.links() == ["Cube"], harness.links()


def key_by_hand() -> Steps:
    """Press I at frame 1, move the cube by 4 m along X, and press I at frame LAST, as a user does."""
    yield from over_viewport()
    yield from press("I")
    bpy.context.scene.frame_set(LAST)
    yield from press("G")
    yield from press("X")
    yield from type_text("4")
    yield from press("RET")
    yield from press("I")
    yield from harness.at_rest()
    bpy.context.scene.frame_set(1)
    moved = places(1, LAST)[-1] - places(1, 1)[0]
    assert (moved - Vector((4.0, 0.0, 0.0))).length < 1e-5, f"by its keys, the cube moves by {moved}"


def keyed_evenly() -> Steps:
    """The cube as a link whose keys move it by 4 m/s along X over the whole range."""
    yield from tagged_cube()
    for frame in (1, END):
        cube().location = (4.0 * (frame - 1) / RATE, 0.0, 0.0)
        cube().keyframe_insert("location", frame=frame)
    for layer in cube().animation_data.action.layers:
        for curve in layer.strips[0].channelbags[0].fcurves:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Keys")
    yield from harness.at_rest()


def velocity_of_keys(frame: int, part: float = 0.01) -> Vector:
    """Velocity with which the cube's own keys come to a frame [m/s], from where they have it within `part` of one."""
    scene = bpy.context.scene
    before = scene.frame_current
    near = []
    for back in (1.0 - part, 1.0):
        scene.frame_set(frame - 1, subframe=back) if back < 1.0 else scene.frame_set(frame)
        near.append(cube().matrix_world.translation.copy())
    scene.frame_set(before)
    return (near[1] - near[0]) * (RATE / part)


def problems() -> list[str]:
    """Codes of what the panel Problems shows."""
    rig = harness.module("bridge.rig").last_rig(bpy.context.scene)
    return [problem.code for problem in rig.problems] if rig else []


def bake_after_the_question() -> Steps:
    """Press Simulate and Bake, and Return in the dialog that asks whether the keys may be replaced."""
    yield from click_button("limberjack.simulate", across=0.6)
    yield from screenshot("throw_question")
    yield from press("RET")
    yield from harness.simulated()


@walk
def test_keys_become_a_throw():
    """The note in Problems names the keys; its button and a bake let the cube fly on along a parabola, as fast as the
    keys moved it; each of the two is one step of undo."""
    yield from tagged_cube()
    yield from screenshot("throw_tagged")
    yield from key_by_hand()
    assert problems() == ["keys-replaced"], problems()
    by_hand = places(1, END)
    place = yield from find_button("limberjack.problem_mend")
    yield from screenshot("throw_note")
    yield from harness.move(place)
    yield harness.TOOLTIP
    yield from screenshot("throw_note_tooltip")
    yield from click_button("limberjack.problem_mend")
    yield from until(lambda: not problems(), "the note is gone")
    own = bake_settings()
    release = own.first
    speed = velocity_of_keys(release)
    assert (own.start, own.use_range, own.last) == ("KEYS", True, END)
    assert 1 < release < LAST, f"keys that Blender eases are fastest between the first and the last, not at {release}"
    told = info_lines().splitlines()[-1]
    assert f"start at frame {release}, where the keys are fastest" in told, told
    yield from screenshot("throw_pressed")

    yield from bake_after_the_question()
    flown = places(1, END)
    for frame in range(1, release + 1):
        assert (flown[frame - 1] - by_hand[frame - 1]).length < 1e-5, f"frame {frame}, before the throw, is changed"
    assert_parabola(flown[release - 1 :], speed)
    bpy.context.scene.frame_set(release + 12)
    yield from screenshot("throw_baked")

    yield from undo()
    assert (places(1, END)[-1] - by_hand[-1]).length < 1e-5, "one Ctrl-Z does not take the bake back"
    assert bake_settings().start == "KEYS", "one Ctrl-Z takes back more than the bake"
    yield from undo()
    assert (bake_settings().start, bake_settings().use_range) == ("HOME", False), "Ctrl-Z leaves the throw's settings"
    yield from until(lambda: problems() == ["keys-replaced"], "the note is there again")


def test_let_go_at_this_frame():
    """A click keys the switch Animated off at the frame that is shown, in one step of undo; a bake follows the keys up
    to there and the parabola after it."""
    yield from keyed_evenly()
    yield from sidebar.open_panel("LIMBERJACK_PT_link_start")
    yield from find_button("limberjack.link_let_go")
    yield harness.TOOLTIP
    yield from screenshot("let_go_tooltip")
    yield from click_button(ANIMATED, across=0.45)
    assert cube().limberjack_link.animated, "the switch Animated was clicked, and is off"
    yield from until(lambda: not problems(), "the note that keys are replaced is gone")
    yield from screenshot("let_go_animated")
    yield from undo()
    assert not cube().limberjack_link.animated, "one Ctrl-Z does not take the switch back"
    bpy.context.scene.frame_set(11)
    yield from click_button("limberjack.link_let_go")
    assert keys_of_switch() == [(1.0, 1.0), (11.0, 0.0)], keys_of_switch()
    yield from screenshot("let_go_keyed")
    yield from undo()
    assert not keys_of_switch(), f"one Ctrl-Z leaves keys of the switch: {keys_of_switch()}"
    yield from redo()
    assert keys_of_switch() == [(1.0, 1.0), (11.0, 0.0)], keys_of_switch()

    yield from click_button("limberjack.simulate", across=0.6)
    yield from harness.simulated()  # without a question: the bake follows these keys, and the next bake does, too
    flown = places(1, END)
    for frame in range(1, 12):
        expected = Vector((4.0 * (frame - 1) / RATE, 0.0, 0.0))
        assert (flown[frame - 1] - expected).length < 1e-4, f"at frame {frame} the cube does not follow its keys"
    assert_parabola(flown[10:], Vector((4.0, 0.0, 0.0)))
    bpy.context.scene.frame_set(24)
    yield from screenshot("let_go_baked")


def keys_of_switch() -> list[tuple[float, float]]:
    """The keys of the cube's switch Animated: frame, and 1 for on."""
    curves = harness.module("bridge.animation.motion_sources").fcurves_of(cube())
    return [tuple(key.co) for curve in curves if curve.data_path.endswith(".animated") for key in curve.keyframe_points]


def test_escape_during_the_bake_of_a_throw():
    """Esc leaves the keys, the switch Animated and all settings as they were."""
    yield from keyed_evenly()
    bpy.context.scene.frame_set(11)
    select("Cube")
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.limberjack.link_let_go()
    bpy.context.scene.frame_end, bpy.context.scene.limberjack.bake.step = LONG, 0.05
    bpy.ops.ed.undo_push(message="A long bake")
    before, switch = everything(), keys_of_switch()
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from until(lambda: status().factor > 0.0, "frames are simulated", timeout=100)
    yield from escape()
    yield from screenshot("throw_escaped")
    assert_as_it_was(before)
    assert keys_of_switch() == switch, f"the switch has these keys now: {keys_of_switch()}"
    assert "Cancelled: the scene is as it was" in info_lines(), info_lines()
