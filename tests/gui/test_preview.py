# SPDX-License-Identifier: GPL-3.0-or-later
"""Play in a real window: mouse, keys, timeline, undo, files and scenes, while the links move."""

import time

import bpy
import harness
from harness import OUT, Steps, move, on_screen, over_viewport, press, screenshot, send, until
from mathutils import Vector
from scenes import GRIP, action_of, hanging_bars
from sidebar import click_button, open_tab
from test_pull import look_at, undo
from test_same_keys import SOURCE, open_file

from support.plan import walk

WIRE_EDGE = GRIP + Vector((0.15, 0.0, 0.15))
"""A point of an edge of the bar `Lower`, which faces the view along X."""

FROM_X = (0.5, 0.5, 0.5, 0.5)
"""A view along X, across the plane in which the bar swings."""


def matrices() -> dict[str, tuple]:
    bpy.context.view_layer.update()
    return {obj.name: tuple(map(tuple, obj.matrix_world)) for obj in bpy.context.scene.objects}


def preview():
    return harness.module("preview").current()


def swinging_bars(frames: int = 240) -> Steps:
    """A bar on a ball, level, so that it swings when time goes on; seen from the side, with our tab open."""
    hanging_bars(frames)
    yield from compiled()
    yield from look_at(Vector((0.0, 0.0, 0.5)), 8.0, FROM_X)
    yield from open_tab()


def compiled() -> Steps:
    warming = harness.module("kernel_compilation")
    if warming.KernelCompilation.is_needed():
        child = warming.KernelCompilation()
        yield from until(lambda: child.is_done, "the solver is compiled", timeout=300)


def play() -> Steps:
    yield from click_button("limberjack.preview()", across=0.2)
    yield from until(lambda: preview() is not None, "the preview begins")
    yield from until(lambda: preview().shown >= 5, "some frames are shown")


def tip() -> Vector:
    return bpy.data.objects["Lower"].matrix_world @ GRIP


def caught_up(old) -> Steps:
    """Until a motion has taken the place of an old one, and come to the frame that is shown."""
    yield from until(
        lambda: preview().motion is not old and not preview().is_behind, "the change is taken up", timeout=60
    )
    yield from harness.drawn()


def paused(at_least: int = 5) -> Steps:
    """With so many frames shown before."""
    yield from until(lambda: preview().shown >= at_least, "frames are shown", timeout=60)
    yield from over_viewport()
    if preview().is_playing:
        yield from press("SPACE")
    yield from until(lambda: not preview().is_playing, "it pauses")


@walk
def test_play_pull_pause_scrub_and_put_back():
    """The whole of it: a motion that nobody keyed, a link taken by the mouse, frames back and forth, and Esc."""
    yield from swinging_bars()
    before, frame = matrices(), bpy.context.scene.frame_current
    yield from play()
    yield from screenshot("preview_plays")
    assert matrices() != before
    assert all(obj.animation_data is None for obj in bpy.data.objects)
    yield from paused()  # or it would swing away from under the mouse
    bpy.context.scene.frame_set(5)  # where no link hides another, however late it was paused
    yield from until(lambda: preview().shown == 4, "the timeline leads it")
    start = on_screen(tip())
    yield from move((start[0] - 3, start[1]))
    yield from move(on_screen(tip()))
    send("LEFTMOUSE", "PRESS")
    yield from until(lambda: preview().is_pulling, "the mouse holds a link")
    goal = Vector((0.0, 1.2, 1.8))
    for part in range(1, 21):
        yield from move(on_screen(tip() + (goal - tip()) * (part / 20)))
    yield from until(lambda: (tip() - goal).length < 0.4, "the link comes to where it is pulled", timeout=60)
    yield from screenshot("preview_pulls")
    send("LEFTMOUSE", "RELEASE")
    yield from until(lambda: not preview().is_pulling, "the link is let go")
    yield from paused()
    done = preview().motion.done
    yield from press("LEFT_ARROW")
    yield from press("LEFT_ARROW")
    yield from until(lambda: preview().shown == done - 3, "it goes back two frames")
    bpy.context.scene.frame_set(4)
    yield from until(lambda: preview().shown == 3, "the timeline leads it")
    yield from screenshot("preview_scrubbed")
    assert preview().motion.done == done
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
    assert matrices() == before, "Esc does not put every link back"
    assert bpy.context.scene.frame_current == frame


def test_a_link_in_wire_display_is_pulled():
    """Guards pulls of links that are displayed as wire or bounds: pressed on an edge, and between the edges.

    A ray through the mouse goes through such a link, and the drag was a box select.
    """
    goal = Vector((0.0, 1.2, 1.8))
    for display, place in (("WIRE", WIRE_EDGE), ("BOUNDS", WIRE_EDGE), ("WIRE", GRIP)):
        yield from swinging_bars()
        bpy.data.objects["Lower"].display_type = display
        yield from play()
        yield from paused()
        bpy.context.scene.frame_set(5)
        yield from until(lambda: preview().shown == 4, "the timeline leads it")
        at = on_screen(bpy.data.objects["Lower"].matrix_world @ place)
        yield from move((at[0] - 3, at[1]))
        yield from move(at)
        send("LEFTMOUSE", "PRESS")
        yield from until(lambda: preview().is_pulling, f"the mouse holds a link in {display} display")
        for part in range(1, 21):
            yield from move(on_screen(tip() + (goal - tip()) * (part / 20)))
        yield from until(lambda: (tip() - goal).length < 0.5, "the link comes to where it is pulled", timeout=60)
        yield from screenshot(f"preview_pulls_{display.lower()}")
        send("LEFTMOUSE", "RELEASE")
        yield from until(lambda: not preview().is_pulling, "the link is let go")
        yield from over_viewport()
        yield from press("ESC")
        yield from until(lambda: preview() is None, "Esc ends it")


def test_a_pose_is_kept_and_undone():
    """Apply Pose leaves the links, and one undo brings them back to where they were drawn."""
    yield from swinging_bars()
    before = matrices()
    yield from play()
    yield from paused()
    there = matrices()
    yield from click_button("limberjack.preview_keep_pose", across=0.25)
    assert preview() is None
    assert matrices() == there != before
    yield from undo()
    found = matrices()
    assert all(
        abs(a - b) < 1e-6
        for name, rows in before.items()
        for one, other in zip(found[name], rows, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def test_a_bake_is_kept():
    """Bake Preview writes what was seen, and the rest of the range, as keys."""
    yield from swinging_bars(48)
    yield from play()
    yield from paused()
    number = preview().shown
    there = matrices()["Lower"]
    yield from click_button("limberjack.preview_keep_bake", across=0.75)
    yield from harness.simulated()
    assert preview() is None
    assert action_of("Lower"), "nothing was keyed"
    bpy.context.scene.frame_set(1 + number)
    assert all(
        abs(a - b) < 1e-5
        for one, other in zip(matrices()["Lower"], there, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    yield from screenshot("preview_kept")


def test_a_limit_that_is_changed_acts_at_once():
    """While it plays, the ball's cone becomes narrow: the bar stops there, and no frame is from before."""
    yield from swinging_bars()
    joint = next(
        obj for obj in bpy.data.objects if obj.limberjack_joint.type == "ball" and obj.limberjack_joint.is_joint
    )
    yield from play()
    yield from paused(20)
    free = preview().motion.poses(preview().shown)["Lower"]
    cone = joint.limberjack_joint.axes[3]
    old = preview().motion
    cone.use_upper, cone.upper = True, 0.2
    joint.update_tag()  # as Blender's own panels do
    yield from caught_up(old)
    held = preview().motion.poses(preview().shown)["Lower"]
    assert held != free, "the limit has changed nothing"
    yield from screenshot("preview_limited")
    yield from press("ESC")


def test_undo_takes_a_change_back_and_it_plays_on():
    """Undo during a preview: the motion is again that without the change, and Esc still puts every link back."""
    yield from swinging_bars()
    before = matrices()
    yield from play()
    yield from paused()
    number = preview().shown
    plain = preview().motion.poses(number)
    link = bpy.data.objects["Lower"].limberjack_link
    old = preview().motion
    link.linear_damping = 5.0
    bpy.data.objects["Lower"].update_tag()  # as Blender's own panels do
    bpy.ops.ed.undo_push(message="Damping")
    yield from caught_up(old)
    assert preview().motion.poses(number) != plain
    old = preview().motion
    yield from undo()
    assert bpy.data.objects["Lower"].limberjack_link.linear_damping == 0.0
    yield from caught_up(old)
    assert preview().motion.poses(number) == plain
    yield from press("SPACE")
    yield from until(lambda: preview().is_playing, "it plays on")
    yield from paused()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
    assert matrices() == before
    yield from undo()
    assert matrices()["Lower"] == before["Lower"], "an undo after the preview shows a link where it had it"


def test_a_link_that_is_deleted():
    """The link under play is deleted: the panel says what is missing, nothing moves, and Esc ends it."""
    yield from swinging_bars()
    before = matrices()
    yield from play()
    bpy.data.objects.remove(bpy.data.objects["Lower"])
    yield from until(lambda: preview().problem, "it says what is wrong")
    yield from screenshot("preview_deleted")
    assert "Lower" in preview().problem
    assert matrices()["Upper"] == before["Upper"]
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")


def test_blender_plays_and_jumps_frames():
    """Blender's own playback and its jumps lead the preview through what is computed."""
    yield from swinging_bars(60)
    yield from play()
    yield from paused()
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.screen.frame_jump(end=True)
    yield from until(lambda: preview().shown == 59, "it comes to the last frame", timeout=30)
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.screen.frame_jump(end=False)
    yield from until(lambda: preview().shown == 0, "it comes to the first frame")
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.screen.animation_play()
    yield from until(lambda: 0 < preview().shown < 59, "it plays along", timeout=60)
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.screen.animation_cancel()
    yield from over_viewport()
    yield from press("ESC")


def test_saving_while_it_plays():
    """A file that is saved during a preview has the links where they were, and the preview goes on."""
    yield from swinging_bars()
    before = matrices()
    yield from play()
    bpy.ops.wm.save_as_mainfile(filepath=str(OUT / "previewed.blend"))
    number = preview().shown
    yield from until(lambda: preview().shown > number, "it plays on")
    bpy.ops.wm.open_mainfile(filepath=str(OUT / "previewed.blend"))
    yield from harness.at_rest()
    assert preview() is None
    found = matrices()
    assert {name: found[name] for name in before} == before
    assert "LIMBERJACK_OT_preview" not in [operator.bl_idname for operator in harness.window().modal_operators]


def test_another_scene_ends_it():
    """Going to another scene puts the links of the first one back."""
    yield from swinging_bars()
    scene, before = bpy.context.scene, matrices()
    yield from play()
    harness.window().scene = bpy.data.scenes.new("Other")
    yield from until(lambda: preview() is None, "it ends")
    harness.window().scene = scene
    yield from harness.at_rest()
    assert matrices() == before


def test_a_humanoid():
    """The puppet hung by its hand plays, and is pulled by its foot; its pace against real time is told."""
    yield from compiled()
    yield from open_file(SOURCE / "sample_scenes" / "ragdoll.blend")
    before = matrices()
    yield from look_at(Vector((0.0, 0.0, 0.75)), 3.2, (0.75, 0.65, 0.05, 0.05))
    yield from open_tab()
    yield from play()
    begun, first = time.perf_counter(), preview().playhead
    works: list[float] = []
    tick = type(preview()).tick
    type(preview()).tick = lambda self, seconds: _timed(works, tick, self, seconds)
    yield from until(lambda: preview().playhead > first + 24, "it plays", timeout=60)
    type(preview()).tick = tick
    seconds, motion = time.perf_counter() - begun, preview().motion
    pace = (preview().playhead - first) / bpy.context.scene.render.fps / seconds
    print(
        f"PREVIEW ragdoll: {len(motion.inputs.model.links)} links, {pace:.2f} of real time, {len(works) / seconds:.0f} "
        f"pictures a second, {1e3 * sum(works) / len(works):.1f} ms of work for each",
        flush=True,
    )
    yield from screenshot("preview_ragdoll")
    assert preview().playhead > first + 5
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
    assert matrices() == before


def _timed(works: list[float], tick, session, seconds: float) -> None:
    begun = time.perf_counter()
    tick(session, seconds)
    works.append(time.perf_counter() - begun)


def test_a_pull_in_the_past_of_a_long_motion():
    """The puppet, taken at frame 200 of 250, moves on from there: what came before is not simulated again."""
    yield from compiled()
    yield from open_file(SOURCE / "sample_scenes" / "ragdoll.blend")
    bpy.context.scene.frame_end = 250
    yield from look_at(Vector((0.0, 0.0, 0.75)), 3.2, (0.75, 0.65, 0.05, 0.05))
    yield from open_tab()
    yield from play()
    yield from paused()
    while preview().motion.done < 250:
        preview().motion.compute(250, 0.05)
        yield harness.TURN
    bpy.context.scene.frame_set(200)
    yield from until(lambda: preview().shown == 199, "the timeline leads it")
    place = on_screen(bpy.data.objects["head"].matrix_world.translation)
    yield from move((place[0] - 3, place[1]))
    yield from move(place)
    begun = time.perf_counter()
    send("LEFTMOUSE", "PRESS")
    yield from until(lambda: preview().is_pulling, "the mouse holds a link")
    yield from until(lambda: preview().shown > 199, "it moves on", timeout=60)
    print(f"PREVIEW pull at frame 200 of 250: moves on after {time.perf_counter() - begun:.2f} s", flush=True)
    assert preview().motion.done < 250
    send("LEFTMOUSE", "RELEASE")
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
