# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits that are taken from the animation of the links."""

import math

import bpy
import pytest

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.scene.read import read_scene

from .conftest import joint


def limit(build, *joints, **options):
    build.select(*joints)
    return bpy.ops.limberjack.limits_from_motion(**options)


def swing(obj, values, axis=1, first=1, path="rotation_euler"):
    """Keys of one channel, a frame each, straight between them."""
    start = getattr(obj, path)[axis]
    for number, value in enumerate(values):
        getattr(obj, path)[axis] = start + value
        obj.keyframe_insert(path, index=axis, frame=first + number)
    bpy.context.scene.frame_set(first)


@pytest.fixture
def bar(scene, build):
    """A bar that is hinged about y, drawn before it is animated."""
    bars, joints = build.pendulum(1)
    build.select(joints[0])
    bpy.ops.limberjack.joint_frames_from_empty()
    scene.frame_end = 5
    return bars[0], joints[0]


def test_a_swing(scene, build, bar):
    """The limits are the keys' extremes and a tenth of the range on either side; the frame shown stays."""
    obj, empty = bar
    swing(obj, [0.0, 0.3, 0.5, -0.25, 0.1])
    scene.frame_set(4, subframe=0.5)
    limit(build, empty)
    axis = read_scene(scene).joints[0].axes[0]
    assert (axis.lower, axis.upper) == pytest.approx((-0.325, 0.575), abs=1e-5)
    assert (scene.frame_current, scene.frame_subframe) == (4, 0.5)


@pytest.mark.parametrize("margin", [0.0, 50.0])
def test_margin(scene, build, bar, margin):
    """The margin is what the user says, in percent."""
    obj, empty = bar
    swing(obj, [0.0, 0.4, 0.2, 0.4, 0.0])
    limit(build, empty, margin=margin)
    axis = read_scene(scene).joints[0].axes[0]
    assert (axis.lower, axis.upper) == pytest.approx((-0.004 * margin, 0.4 + 0.004 * margin), abs=1e-5)


def test_only_the_scenes_frames(scene, build, bar):
    """Keys beyond the scene's range do not count."""
    obj, empty = bar
    swing(obj, [0.0, 0.2, 0.1, 2.0, 3.0])
    scene.frame_end = 3
    limit(build, empty, margin=0.0)
    assert read_scene(scene).joints[0].axes[0].upper == pytest.approx(0.2, abs=1e-5)


def test_turns_beyond_half_a_turn_count(scene, build, bar):
    """Two turns and a half are that many, not what is left of them."""
    obj, empty = bar
    scene.frame_end = 24
    swing(obj, [5.0 * math.pi * number / 23 for number in range(24)])
    limit(build, empty, margin=0.0)
    axis = read_scene(scene).joints[0].axes[0]
    assert (axis.lower, axis.upper) == pytest.approx((0.0, 5.0 * math.pi), abs=1e-4)


def test_several_axes(scene, build):
    """On a joint of two slides and a turn each gets its own; the one that stands still gets a little room."""
    cube = build.cube(size=1.0)
    build.tag(cube)
    empty = build.join(cube, type="planar")
    scene.frame_end = 3
    swing(cube, [0.0, 0.5, 1.0], axis=0, path="location")
    swing(cube, [0.0, 0.2, -0.2], axis=2)
    limit(build, empty, margin=0.0)
    x, y, turn = read_scene(scene).joints[0].axes
    assert (x.lower, x.upper) == pytest.approx((0.0, 1.0), abs=1e-5)
    assert (y.lower, y.upper) == pytest.approx((-0.001, 0.001), abs=1e-5)
    assert (turn.lower, turn.upper) == pytest.approx((-0.2, 0.2), abs=1e-5)


def test_cone_and_twist(scene, build):
    """A ball's cone gets its upper limit, and its twist both; neither beyond what an angle can be."""
    cube = build.cube(size=1.0)
    build.tag(cube)
    empty = build.join(cube, type="ball")
    scene.frame_end = 3
    swing(cube, [0.0, 0.7, 0.0], axis=0)
    swing(cube, [0.0, 0.0, 0.4], axis=2)
    limit(build, empty, margin=0.0)
    *_, cone, twist = read_scene(scene).joints[0].axes
    assert cone.upper == pytest.approx(0.7, abs=1e-4)
    assert twist.upper == pytest.approx(0.4, abs=1e-4)
    assert twist.lower == pytest.approx(0.0, abs=1e-3)
    swing(cube, [0.0, math.pi, 0.0], axis=0)
    limit(build, empty, margin=100.0)
    assert read_scene(scene).joints[0].axes[3].upper <= math.pi + 1e-6


def test_between_two_moving_links(scene, build):
    """Only what the child does against its parent counts, through a bake."""
    _, joints = build.pendulum(2)
    for empty in joints:
        joint(empty).axes[0].damping = 0.1
    scene.frame_end = 20
    run = SimulationBake(scene)
    run.run()
    limit(build, *joints, margin=0.0)
    trajectory = run.simulation.trajectory
    model = read_scene(scene)
    for number, empty in enumerate(joints):
        q = trajectory.q[:, number]
        axis = model.joint(empty.name).axes[0]
        assert (axis.lower, axis.upper) == pytest.approx((q.min(), q.max()), abs=1e-4)


def test_start_stays_within(scene, build, bar):
    """A start outside the new limits moves to the nearest; where none was set, none is."""
    obj, empty = bar
    swing(obj, [1.0, 1.2, 1.5, 1.2, 1.1])
    limit(build, empty, margin=0.0)
    found = read_scene(scene).joints[0]
    assert not joint(empty).use_home
    assert found.home == pytest.approx((1.0,), abs=1e-5)
    joint(empty).use_home, joint(empty).coordinates[0].home = True, 9.0
    limit(build, empty, margin=0.0)
    assert read_scene(scene).joints[0].home == pytest.approx((1.5,), abs=1e-5)


def test_a_slide_in_centimetres(scene, build):
    """Limits of a slider are in the scene's units."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube(size=10.0)
    build.tag(cube)
    empty = build.join(cube, type="prismatic")
    scene.frame_end = 3
    swing(cube, [0.0, 20.0, 50.0], axis=2, path="location")
    limit(build, empty, margin=0.0)
    assert joint(empty).axes[0].upper == pytest.approx(50.0, abs=1e-3)


def test_what_the_joint_does_not_allow(scene, build, bar, capfd):
    """Motion that leaves the joint is told, since its limits then say little."""
    obj, empty = bar
    swing(obj, [0.0, 0.4, 0.2, 0.4, 0.0])
    swing(obj, [0.0, 1.0, 0.0, 0.0, 0.0], axis=1, path="location")
    limit(build, empty)
    assert "in ways that it does not allow" in capfd.readouterr().out


def test_nothing_moves(scene, build, bar):
    """Links that stand still are refused in words, and so is a joint without limits; nothing is changed."""
    _, empty = bar
    with pytest.raises(RuntimeError, match="'bar0' does not move against the world from frame 1 to 5"):
        limit(build, empty)
    assert not joint(empty).axes[0].use_upper
    joint(empty).type = "continuous"
    with pytest.raises(RuntimeError, match=r"'bar0_joint' \(Continuous\) has nothing to limit"):
        limit(build, empty)


def test_all_or_nothing(scene, build):
    """One joint whose links stand still among the selected: none is changed."""
    bars, joints = build.pendulum(2)
    scene.frame_end = 3
    swing(bars[1], [0.0, 0.5, 1.0])
    with pytest.raises(RuntimeError, match="'bar0' does not move"):
        limit(build, *joints)
    assert not joint(joints[1]).axes[0].use_upper


def test_fixed_joints_are_passed_over(scene, build):
    """Guards imported robots, of which all joints are selected: what has nothing to limit is skipped."""
    bars, joints = build.pendulum(3)
    joint(joints[2]).type = "fixed"
    scene.frame_end = 3
    swing(bars[0], [0.0, 0.5, 1.0])
    swing(bars[1], [0.0, 0.9, 0.0])
    limit(build, *joints)
    assert [joint(empty).axes[0].use_upper for empty in joints[:2]] == [True, True]
