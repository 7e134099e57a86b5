# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses where they were once wrong: beyond half a turn, after a zero has moved, beside others, after deletions."""

import math

import bpy
import pytest
from mathutils import Vector

from limberjack.addon import ids
from limberjack.addon.bridge.animation.motion_sources import follows_keyed_joint
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.nodes.animation import fcurves_of

from .conftest import joint, link
from .test_joint_values import coordinate, limit
from .test_keying import apart, key_at, place


def status():
    return getattr(bpy.context.window_manager, ids.STATUS)


def test_turns_are_counted_from_the_middle_of_the_limits(scene, build):
    """A hinge at 5.5 rad within 0 to 6 is there for poses, keys, starts and pulls, and not at 5.5 less a turn."""
    bars, joints = build.pendulum(1)
    limit(joints[0], 0.0, 6.0)
    coordinate(joints[0]).value_angle = 5.5
    stood = place(bars[0])
    assert Posing(scene).coordinate(joints[0].name, 0) == pytest.approx(5.5, abs=1e-5)
    bpy.ops.limberjack.pose_add(name="far")
    bpy.ops.limberjack.pose_key(what="JOINTS")
    bpy.ops.limberjack.pose_apply(name="far")
    assert apart(place(bars[0]), stood) < 1e-5
    scene.frame_set(scene.frame_current + 1)
    assert apart(place(bars[0]), stood) < 1e-5
    build.select(joints[0])
    bpy.ops.limberjack.joint_start_here()
    assert coordinate(joints[0]).home == pytest.approx(5.5, abs=1e-5)


def test_a_zero_that_is_moved_takes_poses_and_keys_along(scene, build):
    """After Set as Zero, a pose and a key lead to where they led before."""
    bars, joints = build.pendulum(1)
    key_at(scene, 5, {joints[0]: 0.7}, "JOINTS")
    bpy.ops.limberjack.pose_add(name="seven")
    there = place(bars[0])
    coordinate(joints[0]).value_angle = 0.3
    build.select(joints[0])
    bpy.ops.limberjack.joint_zero_here()
    assert coordinate(joints[0]).value_angle == pytest.approx(0.0, abs=1e-6)
    bpy.ops.limberjack.pose_apply(name="seven")
    assert apart(place(bars[0]), there) < 1e-5
    coordinate(joints[0]).value_angle = 0.0
    scene.frame_set(6)
    assert apart(place(bars[0]), there) < 1e-5


def test_a_machine_beside_stays_where_it_was_put(scene, build):
    """A slider of one machine does not put back a link of another that was moved off its joint."""
    _, joints = build.pendulum(1)
    other = build.cube("Other", (6.0, 0.0, 3.0), 1.0)
    build.tag(other)
    build.join(other)
    hinge = scene.objects["Other_joint"]
    other.location += Vector((0.0, 3.0, 0.0))
    before = place(other)
    coordinate(joints[0]).value_angle = 0.4
    assert apart(place(other), before) == 0.0
    assert coordinate(joints[0]).value_angle == pytest.approx(0.4, abs=1e-6)
    assert joint(hinge).is_joint


def test_a_deleted_joint_leads_nothing(scene, build):
    """Keys of a joint that was deleted, which its links still point at, animate nothing any more."""
    bars, joints = build.pendulum(1)
    key_at(scene, 1, {joints[0]: 0.3}, "JOINTS")
    assert follows_keyed_joint(bars[0])
    bpy.data.objects.remove(joints[0])
    assert not follows_keyed_joint(bars[0])
    scene.frame_set(2)


def test_unlinked_joint_leads_nothing(scene, build):
    """As above, of one that the pointer alone keeps in the file."""
    bars, joints = build.pendulum(1)
    key_at(scene, 1, {joints[0]: 0.3}, "JOINTS")
    for collection in joints[0].users_collection:
        collection.objects.unlink(joints[0])
    assert link(bars[0]).led_by == joints[0]
    assert not follows_keyed_joint(bars[0])


def test_muted_keys_move_nothing(scene, build):
    """Curves of joint values that are muted count as little as those of any object."""
    bars, joints = build.pendulum(1)
    key_at(scene, 1, {joints[0]: 0.0}, "JOINTS")
    key_at(scene, 21, {joints[0]: 1.0}, "JOINTS")
    scene.frame_set(1)
    for curve in fcurves_of(joints[0]):
        curve.mute = True
    before = place(bars[0])
    scene.frame_set(21)
    assert apart(place(bars[0]), before) == 0.0


@pytest.mark.parametrize("kind", ["fixed", "ball"])
def test_keys_of_a_type_that_it_had_before(scene, build, kind):
    """A keyed hinge that becomes another type is not led by numbers that mean something else, and raises nothing."""
    bars, joints = build.pendulum(1)
    key_at(scene, 1, {joints[0]: 0.2}, "JOINTS")
    key_at(scene, 9, {joints[0]: 0.9}, "JOINTS")
    joint(joints[0]).type = kind
    before = place(bars[0])
    scene.frame_set(5)
    assert apart(place(bars[0]), before) < 1e-6
    assert status().error == ""


def test_no_number(build):
    """A driver's or script's NaN is refused in a word, and the link keeps its place."""
    bars, joints = build.pendulum(1)
    before = place(bars[0])
    coordinate(joints[0]).value_angle = math.nan
    assert "takes a finite number" in status().error
    assert apart(place(bars[0]), before) == 0.0
    coordinate(joints[0]).value_angle = 0.1
    assert status().error == ""


def test_a_pose_needs_a_name(scene, build):
    """An empty name, by which scripts mean the chosen pose, becomes one that can be told."""
    build.pendulum(1)
    bpy.ops.limberjack.pose_add(name="first")
    pose = getattr(scene, ids.SCENE).poses[0]
    pose.name = ""
    assert pose.name == "Pose"


def test_a_long_way_is_gone_at_once(scene, build):
    """A hinge that nothing ties is led over a thousand turns in one step, and not in small ones."""
    _, joints = build.pendulum(1)
    posing = Posing(scene)
    calls = []
    close = posing._poser._close
    posing._poser._close = lambda *arguments: (calls.append(arguments), close(*arguments))[1]
    assert posing.set_coordinate(joints[0].name, 0, 6283.0) == pytest.approx(6283.0)
    assert len(calls) == 1


def test_a_thing_on_a_rope_is_pulled(scene, build):
    """What hangs in the world by a rope of its own is no base that has to stay."""
    cube = build.cube("Weight", (0.0, 0.0, 0.0), 0.5)
    build.tag(cube)
    build.join(cube, type="distance")
    rope = joint(scene.objects["Weight_joint"])
    rope.axes[0].use_upper, rope.axes[0].upper = True, 2.0
    bpy.ops.limberjack.link_pull(link="Weight", place=(0.5, 0.0, 0.0))
    assert place(cube).translation.x == pytest.approx(0.5, abs=1e-5)
    bpy.ops.limberjack.link_pull(link="Weight", place=(5.0, 0.0, 0.0))
    assert place(cube).translation.length == pytest.approx(2.0, abs=1e-3)
