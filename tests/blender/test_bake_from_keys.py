# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that takes over from an animation: where things were, and as fast, and all that was before it."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.receipt import receipt_of
from limberjack.addon.bake.receipts.restore import bake_of
from limberjack.addon.nodes.animation import fcurves_of
from support.cases import some

from .baked import bake, coordinates, keys_of, matrices_at, thrown, twist_at, weigh
from .conftest import joint, link
from .test_posing import four_bar

FIRST = 20
"""The frame of the release, between two keys: there, everything moves."""

SMOOTH = 1e-3
"""What velocities before and after a release may differ by [m/s, rad/s]: keys and matrices are of single precision."""


def pose_keys(scene, empties, angles, what):
    """Press Key Pose at frames; angles: {frame: an angle for each joint}."""
    for frame, values in angles.items():
        scene.frame_set(frame)
        for empty, value in zip(empties, values, strict=True):
            joint(empty).coordinates[0].value_angle = value
        bpy.context.view_layer.update()
        bpy.ops.limberjack.pose_key(what=what)


SWING = {frame: (0.6 - 0.04 * frame, 0.3 - 0.001 * frame * frame) for frame in range(1, 34, 4)}


def by_hand(scene, build):
    """Links keyed now and then: Béziers between keys, which a chain's joints do not quite allow, but one bar's do."""
    bars, empties = build.pendulum(1)
    pose_keys(scene, empties, {1: (0.6,), 33: (-1.2,)}, "LINKS")
    return bars


def every_frame(scene, build):
    bars, empties = build.pendulum(2)
    pose_keys(scene, empties, {frame: (0.6 - 0.04 * frame, 0.03 * frame) for frame in range(1, 34)}, "LINKS")
    return bars


def by_joints(scene, build):
    bars, empties = build.pendulum(2)
    pose_keys(scene, empties, SWING, "JOINTS")
    return bars


def parented(scene, build):
    bars, empties = build.pendulum(2)
    bars[1].parent = bars[0]
    bars[1].matrix_parent_inverse = bars[0].matrix_world.inverted()
    bpy.context.view_layer.update()
    build.tag(*bars)
    pose_keys(scene, empties, SWING, "JOINTS")
    return bars


def linkage(scene, build):
    bars, pins = four_bar(build)
    pose_keys(scene, [pins["a"]], {1: (0.0,), 33: (1.0,)}, "JOINTS")
    for name in "bcd":
        pins[name].animation_data_clear()
    return list(bars.values())


def floating(scene, build):
    """A cube that is thrown by keys, off its centre of mass and turning about all axes."""
    cube = build.cube(size=1.0, rotation_mode="XYZ")
    weigh(cube)
    link(cube).com = (0.2, 0.1, -0.1)
    build.tag(cube)
    for frame, place, turn in ((1, (0, 0, 0), (0, 0, 0)), (15, (1, 2, 1), (1, 0.4, 2)), (33, (3, 2, 4), (2, 0.5, 5))):
        cube.location, cube.rotation_euler = place, turn
        cube.keyframe_insert("location", frame=frame)
        cube.keyframe_insert("rotation_euler", frame=frame)
    return [cube]


ANIMATED = (by_hand, every_frame, by_joints, parented, linkage, floating)


def require_same_twists(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert np.abs(a - b).max() < SMOOTH, (a, b)


@pytest.mark.parametrize("onto", some(["LINKS", "JOINTS", "BOTH"], ["BOTH"]))
@pytest.mark.parametrize("animate", ANIMATED, ids=lambda how: how.__name__)
def test_release(scene, build, animate, onto):
    """Guards what a release must be: all as it was up to the frame, and no jump of place or velocity there."""
    bars = animate(scene, build)
    frames = np.arange(1.0, FIRST + 0.5)
    before = matrices_at(scene, bars, frames)
    twists = [twist_at(scene, bar, FIRST, -0.1) for bar in bars]
    assert max(np.abs(twist).max() for twist in twists) > 0.5
    run = bake(scene, start="KEYS", onto=onto, first=FIRST, last=FIRST + 2, step=0.1, overwrite=True)
    assert not [note for note in run.notes if "does not start where it stands" in note]
    assert np.abs(matrices_at(scene, bars, frames) - before).max() < 1e-5
    require_same_twists([twist_at(scene, bar, FIRST, 0.1) for bar in bars], twists)


@pytest.mark.parametrize("animate", [by_hand, by_joints, parented, linkage, floating], ids=lambda how: how.__name__)
def test_released_where_the_animation_begins(scene, build, animate):
    """Guards animation that only begins at the first frame: it gives the velocity that it has from there on."""
    bars = animate(scene, build)
    for curve in [curve for obj in scene.objects for curve in fcurves_of(obj)]:
        for point in curve.keyframe_points:
            for place in (point.co, point.handle_left, point.handle_right):
                place.x += 40.0
        curve.keyframe_points[0].interpolation = "LINEAR"  # where a Bézier would begin at rest
        curve.update()
    twists = [twist_at(scene, bar, 41, 0.1) for bar in bars]
    assert max(np.abs(twist).max() for twist in twists) > 0.1
    run = bake(scene, start="KEYS", first=41, last=43, step=0.1, overwrite=True)
    assert run.frames[0] == 41
    assert not any(point.co.x < 41 for bar in bars for curve in fcurves_of(bar) for point in curve.keyframe_points)
    require_same_twists([twist_at(scene, bar, 41, 0.1) for bar in bars], twists)


def test_a_release_again(scene, build):
    """Guards that a bake does not feed on itself: pressed again at any frame, the same keys; cleared, all as it was."""
    bars = parented(scene, build)
    joints = [obj for obj in scene.objects if joint(obj).is_joint]
    watched = [*bars, *joints]
    kept = {obj.name: keys_of(obj) for obj in watched}
    scene.frame_set(7)
    before = matrices_at(scene, bars, np.arange(1, 34))
    scene.frame_set(7)
    values = [coordinates(empty) for empty in joints]
    options = {"start": "KEYS", "first": FIRST, "last": 30, "overwrite": True}
    bake(scene, **options)
    keys = [keys_of(bar) for bar in bars]
    for frame in (25, 3):
        scene.frame_set(frame)
        bake(scene, **options)
        assert [keys_of(bar) for bar in bars] == keys
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    assert {obj.name: keys_of(obj) for obj in watched} == kept
    scene.frame_set(7)
    assert [coordinates(empty) for empty in joints] == values
    assert np.array_equal(matrices_at(scene, bars, np.arange(1, 34)), before)


def test_a_release_under_reduction_keeps_what_was_before(scene, build):
    """Guards animation before the first frame where keys are reduced: it stays within the tolerance, too."""
    bars = by_joints(scene, build)
    frames = np.arange(1, FIRST + 1)
    before = matrices_at(scene, bars, frames)
    panel = scene.limberjack.bake
    panel.reduces, panel.distance, panel.angle = True, 1e-3, math.radians(0.2)
    bake(scene, start="KEYS", first=FIRST, last=40, overwrite=True)
    receipt = receipt_of(bake_of(scene))
    assert receipt.written < receipt.possible
    apart = matrices_at(scene, bars, frames)[:, :, :3, 3] - before[:, :, :3, 3]
    assert np.linalg.norm(apart, axis=2).max() <= 1e-3 + 1e-6


def test_from_the_pose_of_a_linkage(scene, build):
    """Guards a pose with a loop in it: the crank is set by hand, and the bake begins there, at rest, with no remark."""
    bars, pins = four_bar(build)
    joint(pins["a"]).coordinates[0].value_angle = 0.7
    bpy.context.view_layer.update()
    stood = [np.array(bar.matrix_world) for bar in bars.values()]
    run = bake(scene, start="POSE", step=0.1, last=3)
    assert not [note for note in run.notes if "does not start" in note]
    found = matrices_at(scene, list(bars.values()), [1])[0]
    assert np.abs(found - stood).max() < 1e-5
    assert max(np.abs(twist_at(scene, bar, 1, 0.1)).max() for bar in bars.values()) < SMOOTH


def test_from_the_pose_of_a_floating_body(scene, build):
    """Guards bodies on no joint: moved and turned by hand, they fall from there."""
    cube = build.cube(size=1.0)
    build.tag(cube)
    cube.location, cube.rotation_euler = (3.0, -1.0, 5.0), (0.3, -0.8, 2.0)
    bpy.context.view_layer.update()
    stood = np.array(cube.matrix_world)
    run = bake(scene, start="POSE")
    found = matrices_at(scene, [cube], [1, 24])[:, 0]
    assert np.abs(found[0] - stood).max() < 1e-6
    assert found[1, 2, 3] == pytest.approx(5.0 - 0.5 * 9.81 * (23 / 24) ** 2, abs=2e-3)
    assert np.abs(found[1, :3, :3] - stood[:3, :3]).max() < 1e-5
    assert not [note for note in run.notes if "does not start" in note]


def test_from_a_pose_off_its_joint(scene, build):
    """Guards a link that was pulled off its joint: the bake holds it in the joint, and says by how much it was off."""
    bars, _ = build.pendulum(2)
    bars[1].location.z += 0.01
    bpy.context.view_layer.update()
    notes = bake(scene, start="POSE").notes
    told = [note for note in notes if note.startswith("link 'bar1' does not start where it stands, but ")]
    assert len(told) == 1
    assert " 0.01 m " in told[0] or " 1 cm " in told[0] or "10 mm" in told[0], told
    assert "put it back to its joint" in told[0]


def test_a_thrown_ball_joint_is_released(scene, build):
    """Guards ball joints: their velocity is one of the world, whatever chart the joint has."""
    bars, _ = thrown(build, 1)
    bars[0].rotation_mode = "XYZ"
    for frame, turn in ((1, (0.0, 0.0, 0.0)), (33, (1.0, 2.0, -1.5))):
        bars[0].rotation_euler = turn
        bars[0].keyframe_insert("rotation_euler", frame=frame)
    before = twist_at(scene, bars[0], FIRST, -0.1)
    bake(scene, start="KEYS", first=FIRST, last=FIRST + 2, step=0.1, overwrite=True)
    require_same_twists([twist_at(scene, bars[0], FIRST, 0.1)], [before])
