# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that are thrown: by an initial velocity, from their animation, or let go by the switch Animated."""

import json
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.cli.blend import load_open_scene
from limberjack.addon.ids import OP_LET_GO, OP_THROW, SCENE
from limberjack.addon.ops.simulation.bake import LIMBERJACK_OT_simulate_overwriting
from limberjack.addon.preview.session import Preview

from .baked import bake, matrix_at
from .conftest import link
from .paper import Paper, draw, draw_all
from .test_cli import run

RATE, G = 24.0, 9.81


@pytest.fixture
def ball(scene, build):
    scene.frame_end = 49
    return build.tagged_cube("ball")


def keyed(ball, last=21, ease=False, velocity=(4.0, 0.0, 0.0)):
    """Moved evenly from frame 1 on, up to a key; or starting and stopping there, as Blender keys by itself."""
    seconds = (last - 1) / RATE
    for frame, part in ((1, 0.0), (last, seconds)):
        ball.location = np.add((0.0, 0.0, 5.0), np.multiply(part, velocity))
        ball.keyframe_insert("location", frame=frame)
    if not ease:
        for curve in ball.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    bpy.context.scene.frame_set(1)


def place(scene, ball, frame):
    return matrix_at(scene, ball, frame)[:3, 3]


def flown(start, velocity, frames):
    t = frames / RATE
    return np.asarray(start) + t * np.asarray(velocity) + (0.0, 0.0, -0.5 * G * t * t)


# ---- an initial velocity


@pytest.mark.parametrize("start", ["HOME", "POSE"])
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_an_initial_velocity(scene, ball, start, unit):
    """Guards the panel's velocity and spin, in the scene's units, from the initial and from the current pose."""
    scene.unit_settings.scale_length = unit
    link(ball).mass_source, link(ball).mass = "MASS", 1.0
    link(ball).velocity, link(ball).angular_velocity = (2.0, 0.0, 3.0), (0.0, 0.0, 1.5)
    scene.gravity = (0.0, 0.0, -G / unit)
    bake(scene, start=start)
    t = 1.0
    expected = np.add((0.0, 0.0, 5.0), (2.0 * t, 0.0, 3.0 * t - 0.5 * G / unit * t * t))
    seen = matrix_at(scene, ball, 25)
    assert np.abs(seen[:3, 3] - expected).max() < 1e-5 * max(1.0, np.abs(expected).max())
    assert np.arctan2(seen[1, 0], seen[0, 0]) == pytest.approx(1.5, abs=1e-5)
    assert read_scene(scene).link("ball").velocity == pytest.approx((2.0 * unit, 0.0, 3.0 * unit))


def test_an_initial_velocity_is_saved(scene, ball, tmp_path):
    """Guards the file, and that a change of the velocity makes a bake out of date."""
    link(ball).velocity = (2.0, 0.0, 0.0)
    bake(scene)
    assert out_of_date(scene, read_scene(scene)) == ""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "throw.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "throw.blend"))
    scene = bpy.context.scene
    ball = scene.objects["ball"]
    assert tuple(link(ball).velocity) == (2.0, 0.0, 0.0)
    assert out_of_date(scene, read_scene(scene)) == ""
    link(ball).velocity = (3.0, 0.0, 0.0)
    assert "links, joints or gravity" in out_of_date(scene, read_scene(scene))


def test_the_panel_and_the_command_line(scene, ball, tmp_path):
    """Guards that all of it can be found: velocity, spin, the switch, both buttons; and a bake without a window."""
    shown = draw(ball)
    assert {"velocity", "angular_velocity", "animated"} <= set(shown.props)
    assert {OP_THROW, OP_LET_GO} <= set(shown.operators)
    shot, baked = tmp_path / "shot.blend", tmp_path / "baked.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    assert run("bake", shot, "-o", baked, "--set", "ball.velocity=2,0,0", "--frames", 1, 25) == 0
    bpy.ops.wm.open_mainfile(filepath=str(baked))
    scene = bpy.context.scene
    assert place(scene, scene.objects["ball"], 25)[0] == pytest.approx(2.0, abs=1e-4)
    assert tuple(link(scene.objects["ball"]).velocity) == (2.0, 0.0, 0.0)


# ---- from the animation


def note_of(scene):
    forget_rigs()
    return [item for item in show_rig(scene).problems if item.code == "keys-replaced"]


@pytest.mark.parametrize(
    ("count", "others"), [(1, ""), (2, ", and 1 more link has keys"), (3, ", and 2 more links have keys")]
)
def test_links_whose_keys_are_replaced_are_counted(scene, ball, build, count, others):
    """Guards the sentence for one, two and more links with keys."""
    keyed(ball)
    for number in range(count - 1):
        keyed(build.tagged_cube(f"other{number}", (3.0 * number + 3.0, 0.0, 5.0)))
    assert f"to 21{others}: a simulation does not follow them" in note_of(scene)[0].message


def test_keys_that_a_bake_replaces_are_told(scene, ball):
    """Guards a throw that fell straight down in silence: the note names the link and its frames, in Problems, in check
    and in the result of the bake."""
    keyed(ball)
    (note,) = note_of(scene)
    assert [item.code for item in show_rig(scene).problems] == ["keys-replaced"]  # and no "falls-freely" beside it
    assert (note.severity, note.name) == ("note", "ball")
    assert note.message.startswith("link 'ball' has keys from frame 1 to 21: a simulation does not follow them")
    assert note.message.endswith("press Throw from Animation, or Let Go at This Frame in Initial Velocity")
    (issue,) = [item for item in load_open_scene().issues if item.code == "keys-replaced"]
    assert (issue.severity, issue.name) == ("note", "ball")
    run = bake(scene, overwrite=True)
    assert note.message in run.notes
    assert not note_of(scene)  # the bake is no animation of the user's


@pytest.mark.parametrize("way", ["keys", "switch"])
def test_where_a_thrown_link_was_tagged_does_not_matter(scene, build, way):
    """Guards a false warning: a link that was tagged inside a floor and starts at its keys, high above it, overlaps
    nothing. The same link that starts where it was tagged does."""
    floor, ball = build.cube("floor", size=2.0), build.cube("ball", (0.0, 0.0, 1.0), 0.5)
    build.tag(ball)
    build.tag(floor)
    link(floor).motion = "STATIC"
    scene.limberjack.contact = True
    keyed(ball)
    assert "overlapping" in codes(scene)
    if way == "keys":
        scene.limberjack.bake.start = "KEYS"
    else:
        link(ball).animated = True
    assert "overlapping" not in codes(scene)


def codes(scene):
    forget_rigs()
    return [item.code for item in show_rig(scene).problems]


def test_the_question_before_a_throw(scene, ball):
    """Guards a dialog that said that the bake replaces the keys, all of them, while it keeps those before the throw."""
    keyed(ball)
    sheet = SimpleNamespace(layout=Paper())
    LIMBERJACK_OT_simulate_overwriting.draw(sheet, bpy.context)
    assert "The bake will replace it. The actions are kept in the file," in sheet.layout.texts
    bpy.ops.limberjack.throw_from_animation()
    sheet = SimpleNamespace(layout=Paper())
    LIMBERJACK_OT_simulate_overwriting.draw(sheet, bpy.context)
    assert "The bake keeps it up to frame 21. The actions are kept in the file," in sheet.layout.texts


def test_the_panel_says_whose_velocity_counts(scene, ball):
    """Guards fields that looked as if they counted for a link that follows its keys until it is let go."""
    told = "While Animated is on, the link moves as its keys do"
    keyed(ball, last=49)
    assert told not in draw_all(ball)
    scene.frame_set(11)
    bpy.ops.limberjack.link_let_go()
    assert not link(ball).animated  # at this frame; its keys are what counts
    assert told in draw_all(ball)


def test_one_click_throws(scene, ball):
    """Guards the button beside the note: the link goes on from its last key as fast as the keys move it."""
    keyed(ball)
    bpy.ops.limberjack.problem_mend(name="ball", code="keys-replaced")
    own = getattr(scene, SCENE).bake
    assert (own.start, own.use_range, own.first, own.last) == ("KEYS", True, 21, 49)
    assert not note_of(scene)
    bake(scene, overwrite=True)
    assert np.abs(place(scene, ball, 11) - (4.0 * 10 / RATE, 0.0, 5.0)).max() < 1e-5
    start = (4.0 * 20 / RATE, 0.0, 5.0)
    assert np.abs(place(scene, ball, 45) - flown(start, (4.0, 0.0, 0.0), 24)).max() < 1e-4


def test_keys_that_stop_are_let_go_before(scene, ball, capfd):
    """Guards Blender's own easing, by which a link stands still at its last key: it is let go where it is fastest, and
    the message says so."""
    keyed(ball, ease=True)
    bpy.ops.limberjack.throw_from_animation()
    own = getattr(scene, SCENE).bake
    assert 9 <= own.first <= 13  # the middle of an S-curve
    told = capfd.readouterr().out
    assert f"Simulations start at frame {own.first}, where the keys are fastest" in told
    assert "since they slow down to the last one at frame 21" in told
    bake(scene, overwrite=True)
    step = place(scene, ball, own.first + 1) - place(scene, ball, own.first)
    assert step[0] * RATE > 5.0  # the even speed would be 4


def test_a_throw_after_a_bake(scene, ball):
    """Guards who has seen it fall: the keys that the bake took the place of are found."""
    keyed(ball)
    bake(scene, overwrite=True)
    bpy.ops.limberjack.throw_from_animation()
    assert getattr(scene, SCENE).bake.first == 21


def test_nothing_to_throw(scene, ball):
    """Guards the operator where no link has keys: one line, and nothing changes."""
    with pytest.raises(RuntimeError, match="no free link has keys that move it"):
        bpy.ops.limberjack.throw_from_animation()
    assert getattr(scene, SCENE).bake.start == "HOME"


# ---- the switch Animated


def let_go_at(scene, ball, frame, build):
    scene.frame_set(frame)
    build.select(ball)
    assert bpy.ops.limberjack.link_let_go() == {"FINISHED"}
    scene.frame_set(1)


def test_let_go(scene, ball, build):
    """Guards the hand-over: the link follows its keys up to the frame, and flies on with their velocity, though later
    keys say otherwise. The keys come back when the bake is cleared, and another bake follows them again."""
    keyed(ball, last=41)
    let_go_at(scene, ball, 21, build)
    assert not note_of(scene)
    start = (4.0 * 20 / RATE, 0.0, 5.0)
    for _ in range(2):
        bake(scene)
        assert np.abs(place(scene, ball, 11) - (4.0 * 10 / RATE, 0.0, 5.0)).max() < 1e-5
        assert np.abs(place(scene, ball, 21) - start).max() < 1e-5
        assert np.abs(place(scene, ball, 45) - flown(start, (4.0, 0.0, 0.0), 24)).max() < 1e-4
        assert out_of_date(scene, read_scene(scene)) == ""
    bpy.ops.limberjack.bake_clear()
    assert np.abs(place(scene, ball, 41) - (4.0 * 40 / RATE, 0.0, 5.0)).max() < 1e-5


def test_a_change_of_the_keys_is_noticed(scene, ball, build, tmp_path):
    """Guards receipts: other keys, or another frame at which the link is let go, make the bake out of date, and a file
    that is opened again does not."""
    keyed(ball, last=41)
    let_go_at(scene, ball, 21, build)
    bake(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "throw.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "throw.blend"))
    scene = bpy.context.scene
    ball = scene.objects["ball"]
    assert out_of_date(scene, read_scene(scene)) == ""
    link(ball).animated = True
    ball.keyframe_insert("limberjack_link.animated", frame=24)
    assert out_of_date(scene, read_scene(scene)) == "the animation that drives it was changed"


def test_what_is_led_pushes_others(scene, ball, build):
    """Guards a racket: while it is animated, it pushes a ball that is a thousand times heavier, and is not slowed."""
    getattr(scene, SCENE).contact = True
    scene.use_gravity = False
    heavy = build.cube("heavy", (1.0, 0.0, 5.0), 0.5)
    build.tag(heavy)
    for obj, mass in ((ball, 0.001), (heavy, 1.0)):
        link(obj).mass_source, link(obj).mass, link(obj).primitive = "MASS", mass, "SPHERE"
    keyed(ball, last=41, velocity=(1.0, 0.0, 0.0))
    let_go_at(scene, ball, 31, build)
    bake(scene)
    assert np.abs(place(scene, ball, 31) - (30 / RATE, 0.0, 5.0)).max() < 1e-4
    assert place(scene, heavy, 31)[0] == pytest.approx(30 / RATE + 0.5, abs=1e-3)  # pushed along, at its side
    assert place(scene, heavy, 49)[0] == pytest.approx(48 / RATE + 0.5, abs=1e-3)  # and slides on


def test_animated_all_the_time(scene, ball):
    """Guards the switch without keys: the link moves as its keys say, to the end."""
    keyed(ball, last=41)
    link(ball).animated = True
    bake(scene)
    for frame in (1, 20, 41, 49):
        assert place(scene, ball, frame)[0] == pytest.approx(4.0 * (min(frame, 41) - 1) / RATE, abs=1e-4)


def test_a_link_is_let_go_once(scene, ball, build):
    """Guards a switch that turns on again, which no simulation can follow: the sentence names the frame."""
    keyed(ball)
    let_go_at(scene, ball, 11, build)
    link(ball).animated = True
    ball.keyframe_insert("limberjack_link.animated", frame=31)
    with pytest.raises(
        BakeError, match="link 'ball': its switch Animated turns on at frame 31, and a link can only let go"
    ):
        bake(scene)


def test_play_lets_go_too(scene, ball, build):
    """Guards Play, which shows what a bake gives."""
    keyed(ball, last=41)
    let_go_at(scene, ball, 21, build)
    preview = Preview(scene)
    preview.pause()
    preview.scrub(45.0)
    while preview.motion.done <= 44:
        preview.tick(1.0)
    start = (4.0 * 20 / RATE, 0.0, 5.0)
    found = preview.motion.poses(44)["ball"][:3]
    preview.stop()
    assert np.abs(np.subtract(found, flown(start, (4.0, 0.0, 0.0), 24))).max() < 1e-4


def test_let_go_needs_a_later_frame(scene, ball, build):
    """Guards the operator at the first frame, where there is no velocity yet."""
    build.select(ball)
    scene.frame_set(1)
    with pytest.raises(RuntimeError, match="Go to a frame after the first one, 1"):
        bpy.ops.limberjack.link_let_go()
    assert not link(ball).animated


def test_let_go_is_one_step_of_undo(scene, ball, build):
    """Guards Ctrl-Z: both keys of the switch go at once."""
    keyed(ball)
    bpy.ops.ed.undo_push(message="keyed")
    scene.frame_set(11)
    build.select(ball)
    bpy.ops.ed.undo_push(message="selected")
    bpy.ops.limberjack.link_let_go("EXEC_DEFAULT", True)
    paths = [curve.data_path for curve in curves(bpy.data.objects["ball"])]
    assert "limberjack_link.animated" in paths
    bpy.ops.ed.undo()
    ball = bpy.data.objects["ball"]
    assert "limberjack_link.animated" not in [curve.data_path for curve in curves(ball)]
    assert not link(ball).animated


def curves(obj):
    return obj.animation_data.action.layers[0].strips[0].channelbags[0].fcurves


def test_a_receipt_is_of_both(scene, ball, build):
    """Guards receipts of bakes that had no such link: their digests are what they were, without anything added."""
    bake(scene)
    action = ball.animation_data.action
    assert len(json.loads(action["limberjack_bake"])["motion"]) == 64  # a bare SHA-256
