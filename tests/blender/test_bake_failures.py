# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that cannot be, or is given up, leaves everything as it was and says why in one line."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.restore import objects_with_user_animation
from limberjack.addon.bake.settings import Tolerance
from limberjack.addon.bake.simulation_bake import SimulationBake

from .baked import bake, coordinates, errors, keys_of, matrices_at, show, thrown, turning_holder
from .conftest import joint, link
from .test_bake_from_keys import SWING, pose_keys

LOOSE = Tolerance(1e-4, 1e-3)
FRAMES = (1, 9, 24)


def state(scene):
    """All that a bake could change, exactly."""
    show(scene, 9)
    objects = list(scene.objects)
    own = [
        (obj.name, link(obj).rest_pose, link(obj).mass, link(obj).led_by, coordinates(obj), keys_of(obj))
        for obj in objects
    ]
    actions = [(action.name, action.use_fake_user, action.users) for action in bpy.data.actions]
    playing = [getattr(obj.animation_data, "action", None) for obj in objects]
    stored = scene.limberjack
    told = stored.last_result, stored.last_notes, [finding.message for finding in stored.findings]
    seen = matrices_at(scene, objects, FRAMES).tobytes()
    show(scene, 9)
    return own, actions, playing, told, seen, (scene.frame_current, scene.frame_subframe)


def a_bit(run):
    """The least that a run can be told to do."""
    assert next(run._pending, run) is not run


def never_begun(run):
    pass


def half_simulated(run):
    while run.frames_done < 12:
        a_bit(run)


def half_fitted(run):
    while not run.doing.startswith("Fitting keys, object 1 of"):
        a_bit(run)


def all_done(run):
    while not run.step(1.0):
        continue


PHASES = (never_begun, half_simulated, half_fitted, all_done)


@pytest.mark.parametrize("before", ["nothing", "keys", "a bake"])
@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.__name__)
def test_cancelled(scene, build, phase, onto, before):
    """Guards Esc at any time: actions, places, rest poses, values, results and the frame are as they were."""
    _, empties = build.pendulum(3)
    bpy.data.objects.remove(empties[0])  # so that there is a link to fit with every target
    if before == "keys":
        pose_keys(scene, empties[1:], SWING, "JOINTS")
    elif before == "a bake":
        bake(scene, onto="BOTH")
    expected = state(scene)
    run = SimulationBake(
        scene, onto=onto, tolerance=LOOSE, overwrite=True, start="KEYS" if before == "keys" else "HOME"
    )
    phase(run)
    run.cancel()
    assert state(scene) == expected
    run.cancel()
    assert state(scene) == expected


@pytest.mark.parametrize("tolerance", [None, LOOSE], ids=["every", "reduced"])
@pytest.mark.parametrize("phase", PHASES[:-1], ids=lambda phase: phase.__name__)
def test_a_link_is_deleted_meanwhile(scene, build, phase, tolerance):
    """Guards scripts and undo at work while a bake is: the link is named, nothing is written, no action is left."""
    bars, _ = build.pendulum(3)
    run = SimulationBake(scene, tolerance=tolerance)
    phase(run)
    bpy.data.objects.remove(bars[2])
    before = matrices_at(scene, bars[:2], FRAMES)
    with pytest.raises(BakeError, match=r"^link 'bar2' was deleted while it was simulated: simulate again$"):
        run.run()
    assert not bpy.data.actions
    assert all(bar.animation_data is None for bar in bars[:2])
    assert np.array_equal(matrices_at(scene, bars[:2], FRAMES), before)


@pytest.mark.parametrize("onto", ["JOINTS", "BOTH"])
@pytest.mark.parametrize("phase", PHASES[:-1], ids=lambda phase: phase.__name__)
def test_a_joint_is_deleted_meanwhile(scene, build, phase, onto):
    """Guards joints as well, which have keys of their own: named, and nothing is written."""
    _, empties = build.pendulum(3)
    bpy.data.objects.remove(empties[0])
    run = SimulationBake(scene, onto=onto, tolerance=LOOSE)
    phase(run)
    bpy.data.objects.remove(empties[2])
    with pytest.raises(BakeError, match=r"^joint 'bar2_joint' was deleted while it was simulated: simulate again$"):
        run.run()
    assert not bpy.data.actions


@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize("tolerance", [None, LOOSE], ids=["every", "reduced"])
def test_a_single_frame(scene, build, onto, tolerance):
    """Guards a range of one frame: one key a channel, and the links where they start."""
    bars, throw = thrown(build)
    run = bake(scene, initial=throw, first=5, last=5, onto=onto, tolerance=tolerance)
    assert run.frames.tolist() == [5]
    way, turned, _ = errors(scene, run, {bar.name: tuple(bar.scale) for bar in bars})
    assert max(way, turned) < 1e-5
    counts = {len(keys) for obj in scene.objects for keys in keys_of(obj).values()}
    assert counts == {1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"first": 10, "last": 9}, "the last frame, 9, lies before the first, 10: change the range"),
        ({"last": 9_000_000}, "Blender's frames end at 1048574"),
        ({"step": 0.0}, "a step of 0 frames from 1 to 24: take a larger one"),
        ({"step": -1.0}, "a step of -1 frames from 1 to 24: take a larger one"),
        ({"step": float("nan")}, "a step of nan frames from 1 to 24: take a larger one"),
        ({"step": 1e-9}, "a step of 1e-09 frames from 1 to 24: take a larger one"),
    ],
)
def test_frames_that_cannot_be(scene, build, changes, words):
    """Guards ranges without a frame, or with far too many: refused before anything is computed."""
    build.pendulum(1)
    expected = state(scene)
    with pytest.raises(BakeError, match=words):
        SimulationBake(scene, **changes)
    assert state(scene) == expected


def test_a_scene_without_links(scene, build):
    """Guards the first thing a script does wrong; one that has only static and led links has nothing to bake either."""
    with pytest.raises(BakeError, match="there are no links in the scene: select objects and tag them as links"):
        SimulationBake(scene)
    cube = build.cube()
    cube.parent = turning_holder(scene)
    build.tag(cube)
    link(cube).motion = "KINEMATIC"
    with pytest.raises(BakeError, match="all links move as they are animated: there is nothing to simulate"):
        SimulationBake(scene)


def test_a_scene_that_is_asked_about_is_left(scene, build):
    """Guards keyed joints: a bake onto joints would lose their keys, and asks; one onto links does not touch them."""
    bars, empties = build.pendulum(2)
    joint(empties[1]).coordinates[0].q = 0.3
    empties[1].keyframe_insert("limberjack_joint.coordinates[0].q", frame=1)
    expected = state(scene)
    assert objects_with_user_animation(empties) == [empties[1]]
    for onto in ("JOINTS", "BOTH"):
        scene.limberjack.bake.onto = onto
        with pytest.raises(RuntimeError, match="'bar1_joint' is animated already"):
            bpy.ops.limberjack.simulate()
        assert state(scene) == expected
    assert len(bars) == 2
