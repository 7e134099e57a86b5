# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for a pose: on links, or on the joints that lead them."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from limberjack.addon import ids
from limberjack.addon.bridge.joints.frames import store_frames, stored_frames
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core.kinematics import link_poses

from .conftest import joint
from .test_joint_values import coordinate, limit
from .test_posing import distance, four_bar

MODES = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle", "ZYX": "rotation_euler"}


def key_at(scene, frame, pose, what):
    """pose: the value of each joint."""
    scene.frame_set(frame)
    for obj, value in pose.items():
        coordinate(obj).value_angle = value
    bpy.ops.limberjack.pose_key(what=what)


def place(obj):
    bpy.context.view_layer.update()
    return obj.matrix_world.copy()


def apart(one, other):
    return max((one.col[i] - other.col[i]).length for i in range(4))


def straighten(obj):
    for curve in fcurves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def paths_of(obj):
    return sorted({curve.data_path for curve in fcurves_of(obj)})


@pytest.mark.parametrize("mode", MODES)
def test_links_are_keyed_in_their_rotation_mode(scene, build, mode):
    """Location and the rotation of the mode get keys, no others do, and both poses come back with their frames."""
    bars, joints = build.pendulum(2, rotation_mode=mode)
    key_at(scene, 1, {joints[0]: 0.3, joints[1]: -0.4}, "LINKS")
    first = [place(bar) for bar in bars]
    key_at(scene, 20, {joints[0]: 1.3, joints[1]: 0.9}, "LINKS")
    second = [place(bar) for bar in bars]
    for frame, stood in ((1, first), (20, second)):
        scene.frame_set(frame)
        assert max(apart(place(bar), before) for bar, before in zip(bars, stood, strict=True)) < 1e-6
    assert all(paths_of(bar) == sorted(["location", MODES[mode]]) for bar in bars)
    assert all(len(curve.keyframe_points) == 2 for bar in bars for curve in fcurves_of(bar))


@pytest.mark.parametrize("mode", MODES)
def test_keyed_rotations_do_not_jump(scene, build, mode):
    """A full turn in small steps is a steady motion between its keys, too: no number goes the long way round."""
    bars, joints = build.pendulum(1, rotation_mode=mode)
    steps = 12
    for step in range(steps + 1):
        key_at(scene, 1 + 10 * step, {joints[0]: math.tau * step / steps}, "LINKS")
    straighten(bars[0])
    for half in range(steps):
        scene.frame_set(6 + 10 * half)
        angle = math.tau * (half + 0.5) / steps
        along = place(bars[0]).col[0].xyz.normalized()
        assert (along - Vector((math.cos(angle), 0.0, -math.sin(angle)))).length < 0.05


def test_only_what_joints_move_is_keyed(scene, build):
    """Links that stand still, or that no joint moves, have no keys."""
    bars, joints = build.pendulum(3)
    joint(joints[0]).type = "fixed"
    lone = build.cube("lone", (9.0, 0.0, 0.0))
    build.tag(lone)
    bpy.context.view_layer.update()
    bpy.ops.limberjack.pose_key()
    assert [obj.name for obj in (*bars, lone) if obj.animation_data] == ["bar1", "bar2"]


def test_keyed_joint_values_move_the_links(scene, build):
    """Between two keys the links are where core's forward kinematics puts the interpolated values, at every frame."""
    bars, joints = build.pendulum(3)
    model = read_scene(scene)
    key_at(scene, 1, dict(zip(joints, (0.0, 0.5, -0.5), strict=True)), "JOINTS")
    key_at(scene, 21, dict(zip(joints, (1.0, -0.5, 0.7), strict=True)), "JOINTS")
    for obj in joints:
        assert paths_of(obj) == [f"{ids.JOINT}.coordinates[0].q"]
        straighten(obj)
    for frame in (21, 5, 11, 1):
        scene.frame_set(frame)
        part = (frame - 1) / 20.0
        q = {"bar0_joint": part, "bar1_joint": 0.5 - part, "bar2_joint": -0.5 + 1.2 * part}
        expected = link_poses(model, q)
        for bar in bars:
            assert tuple(place(bar).translation) == pytest.approx(expected[bar.name][:3], abs=2e-6)
            turn = bar.matrix_world.to_quaternion().rotation_difference(Quaternion(expected[bar.name][3:]))
            assert abs(turn.angle) < 1e-5 or abs(turn.angle - math.tau) < 1e-5
        assert coordinate(joints[1]).value_angle == pytest.approx(0.5 - part, abs=1e-5)


def test_a_slider_that_is_keyed_in_centimetres(scene, build):
    """Keys hold the user's own lengths."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube(location=(3.0, 0.0, 0.0))
    build.tag(cube)
    empty = build.join(cube, type="prismatic")
    for frame, value in ((1, 2.0), (11, 6.0)):
        scene.frame_set(frame)
        coordinate(empty).value_length = value
        bpy.ops.limberjack.pose_key(what="JOINTS")
        assert coordinate(empty).q == pytest.approx(value, abs=1e-6)
    scene.frame_set(6)
    assert tuple(place(cube).translation) == pytest.approx((3.0, 0.0, 4.0), abs=1e-5)


def test_a_keyed_crank_turns_its_four_bar(scene, build):
    """With keys on the crank alone, the loop is closed at each frame, whichever frame comes before."""
    bars, pins = four_bar(build)
    for frame, value in ((1, 0.0), (31, 0.8)):
        key_at(scene, frame, {pins["a"]: value}, "JOINTS")
    for name in "bcd":
        pins[name].animation_data_clear()
    for frame in (31, 1, 16, 9, 24):
        scene.frame_set(frame)
        wanted = next(fcurves_of(pins["a"])).evaluate(frame)
        assert coordinate(pins["a"]).value_angle == pytest.approx(wanted, abs=1e-5)
        assert distance(bars, "coupler", "rocker", (1.0, 0.0, 0.0), (0.0, 0.0, 0.75)) < 1e-6


def test_a_four_bar_whose_joints_are_all_keyed(scene, build):
    """Between keys, values that no four-bar can have are met as nearly as can be, and the loop stays closed."""
    bars, pins = four_bar(build)
    for frame, value in ((1, 0.0), (31, 0.8)):
        key_at(scene, frame, {pins["a"]: value}, "JOINTS")
    for frame in (1, 16, 31):
        scene.frame_set(frame)
        assert distance(bars, "coupler", "rocker", (1.0, 0.0, 0.0), (0.0, 0.0, 0.75)) < 2e-6
    assert coordinate(pins["a"]).value_angle == pytest.approx(0.8, abs=1e-5)


def test_a_keyed_ball(scene, build):
    """A ball's four numbers have keys, of the sign that is nearest to the key before."""
    bars, joints = build.pendulum(1)
    joint(joints[0]).type = "ball"
    bars[0].rotation_mode = "QUATERNION"
    bpy.context.view_layer.update()
    before = np.array([1.0, 0.0, 0.0, 0.0])
    axis = Vector((1.0, 2.0, 3.0)).normalized()
    for step in range(8):
        scene.frame_set(1 + 10 * step)
        bars[0].rotation_quaternion = Quaternion(axis, math.tau * step / 7)
        bpy.context.view_layer.update()
        bpy.ops.limberjack.pose_key(what="JOINTS")
        now = np.array([part.q for part in joint(joints[0]).coordinates])
        assert now @ before > 0.0
        before = now
    scene.frame_set(11)
    turn = place(bars[0]).to_quaternion().rotation_difference(Quaternion(axis, math.tau / 7))
    assert abs(math.remainder(turn.angle, math.tau)) < 1e-5


def test_whole_turns_are_keyed_as_turns(scene, build):
    """A wheel that is turned on and on has values that grow, and never jump back; limits are kept none the less."""
    _, joints = build.pendulum(2)
    limit(joints[1], -3.1, 3.1)
    for step, value in enumerate((0.0, 2.0, 4.0, 6.0, 8.0)):
        key_at(scene, 1 + 10 * step, {joints[0]: value, joints[1]: 3.0 * (-1) ** step}, "JOINTS")
    curves = [next(fcurves_of(obj)) for obj in joints]
    assert [point.co[1] for point in curves[0].keyframe_points] == pytest.approx([0.0, 2.0, 4.0, 6.0, 8.0], abs=1e-5)
    assert [point.co[1] for point in curves[1].keyframe_points] == pytest.approx([3.0, -3.0, 3.0, -3.0, 3.0], abs=1e-5)


def test_links_with_keys_of_their_own_keep_them(scene, build):
    """A base that is animated leads, and keyed joints move what hangs on it relative to it."""
    bars, joints = build.pendulum(2)
    bpy.data.objects.remove(joints[0])
    key_at(scene, 1, {joints[1]: 0.0}, "JOINTS")
    key_at(scene, 11, {joints[1]: 0.5}, "JOINTS")
    for frame, height in ((1, 2.0), (11, 5.0)):
        bars[0].location.z = height
        bars[0].keyframe_insert("location", frame=frame)
    for frame, height, angle in ((11, 5.0, 0.5), (1, 2.0, 0.0)):
        scene.frame_set(frame)
        assert tuple(place(bars[0]).translation) == pytest.approx((0.0, 0.0, height), abs=1e-6)
        end = place(bars[1]) @ Vector((1.0, 0.0, 0.0))
        expected = (1.0 + math.cos(angle), 0.0, height - math.sin(angle))
        assert tuple(end) == pytest.approx(expected, abs=1e-5)


def test_a_joint_without_keys_rides_on_an_animated_base(scene, build):
    """A base that turns by its own keys takes along, as they stand, the joints that have none."""
    bars, joints = build.pendulum(3)
    bpy.data.objects.remove(joints[0])
    coordinate(joints[1]).value_angle = 0.3
    key_at(scene, 1, {joints[2]: 0.1}, "JOINTS")
    joints[1].animation_data_clear()
    for frame, angle in ((1, 0.0), (11, 1.0)):
        bars[0].rotation_euler.y = angle
        bars[0].keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    show_rig(scene)
    for frame, angle in ((1, 0.0), (11, 1.0), (1, 0.0)):
        scene.frame_set(frame)
        place(bars[0])
        assert coordinate(joints[1]).value_angle == pytest.approx(0.3, abs=1e-5)
        assert coordinate(joints[2]).value_angle == pytest.approx(0.1, abs=1e-5)
        elbow = (math.cos(angle), 0.0, 2.0 - math.sin(angle))
        assert tuple(bars[1].matrix_world.translation) == pytest.approx(elbow, abs=1e-5)


def test_keys_of_a_link_go_before_those_of_its_joint(scene, build):
    """Where both have keys, the link's own hold, and what hangs on it is placed from where it really is."""
    bars, joints = build.pendulum(2)
    key_at(scene, 1, {joints[0]: 0.5, joints[1]: 0.2}, "LINKS")
    bars[1].animation_data_clear()
    key_at(scene, 1, {joints[0]: 1.5, joints[1]: 0.4}, "JOINTS")
    scene.frame_set(2)
    assert place(bars[0]).col[0].xyz.normalized().x == pytest.approx(math.cos(0.5), abs=1e-5)
    end = place(bars[1]) @ Vector((1.0, 0.0, 0.0))
    expected = (math.cos(0.5) + math.cos(0.9), 0.0, 2.0 - math.sin(0.5) - math.sin(0.9))
    assert tuple(end) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("is_read", [False, True])
def test_playing_does_not_depend_on_the_cache(scene, build, is_read):
    """Links are at the same places whether the posing is kept from frame to frame or made anew each time."""
    bars, joints = build.pendulum(2)
    key_at(scene, 1, {joints[0]: 0.0, joints[1]: 0.2}, "JOINTS")
    key_at(scene, 11, {joints[0]: 1.0, joints[1]: 0.4}, "JOINTS")
    if is_read:
        show_rig(scene)
    for frame in range(1, 12):
        scene.frame_set(frame)
    end = place(bars[1]) @ Vector((1.0, 0.0, 0.0))
    expected = (math.cos(1.0) + math.cos(1.4), 0.0, 2.0 - math.sin(1.0) - math.sin(1.4))
    assert tuple(end) == pytest.approx(expected, abs=1e-5)


def test_a_frame_that_cannot_be_met_is_told(scene, build):
    """A loop that is torn apart ends in a sentence in the panel, and not in a traceback at each frame."""
    bars, pins = four_bar(build)
    key_at(scene, 1, {pins["a"]: 0.0}, "JOINTS")
    key_at(scene, 11, {pins["a"]: 0.5}, "JOINTS")
    stood = [place(bar) for bar in bars.values()]
    store_frames(pins["d"], (50.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), stored_frames(pins["d"])[1])
    scene.frame_set(2)
    status = getattr(bpy.context.window_manager, ids.STATUS)
    assert "cannot be closed there" in status.error
    assert [place(bar) for bar in bars.values()] == stood


def test_a_keyed_quaternion_of_nothing_is_told(scene, build):
    """Keys that were edited to 0 0 0 0 are named in the panel, and the link stays where it is."""
    bars, joints = build.pendulum(1)
    joint(joints[0]).type = "ball"
    bpy.context.view_layer.update()
    bpy.ops.limberjack.pose_key(what="JOINTS")
    for curve in fcurves_of(joints[0]):
        curve.keyframe_points[0].co.y = 0.0
    stood = place(bars[0])
    scene.frame_set(5)
    assert "0 0 0 0" in getattr(bpy.context.window_manager, ids.STATUS).error
    assert place(bars[0]) == stood


def test_a_kinematic_link_is_led_by_keyed_joints(scene, build):
    """A simulation takes a link as keyed joint values move it, and what hangs on it swings."""
    bars, joints = build.pendulum(2)
    getattr(bars[0], ids.LINK).motion = "KINEMATIC"
    key_at(scene, 1, {joints[0]: 0.0}, "JOINTS")
    key_at(scene, 21, {joints[0]: 0.8}, "JOINTS")
    straighten(joints[0])
    joints[1].animation_data_clear()
    bpy.ops.limberjack.simulate()
    for frame, angle in ((1, 0.0), (11, 0.4), (21, 0.8)):
        scene.frame_set(frame)
        elbow = (math.cos(angle), 0.0, 2.0 - math.sin(angle))
        assert tuple(place(bars[0]) @ Vector((1.0, 0.0, 0.0))) == pytest.approx(elbow, abs=1e-5)
        assert tuple(place(bars[1]).translation) == pytest.approx(elbow, abs=1e-3)
    assert [bar.animation_data is None for bar in bars] == [True, False]


def test_library_objects_are_told(scene, build, tmp_path):
    """Links of a library are passed over by name, and the others get their keys."""
    build.pendulum(2)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = ["bar0", "bar1", "bar0_joint", "bar1_joint"]
    for obj in into.objects:
        bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    for what in ("LINKS", "JOINTS"):
        with pytest.raises(RuntimeError, match=r"bar0.*was not keyed: it comes from a library: make it local"):
            bpy.ops.limberjack.pose_key(what=what)
