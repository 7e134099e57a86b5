# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that a scene keeps by name."""

import math

import bpy
import pytest
from mathutils import Quaternion, Vector

from limberjack.addon import ids
from limberjack.addon.bridge.posing.named_poses import apply_pose
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.bridge.rig import show_rig

from .conftest import joint
from .paper import draw
from .test_joint_values import coordinate
from .test_posing import distance, four_bar


def poses(scene):
    return getattr(scene, ids.SCENE).poses


def values(joints):
    bpy.context.view_layer.update()
    return [coordinate(obj).value_angle for obj in joints]


def test_a_pose_comes_back(scene, build):
    """What was kept is applied again, the chosen pose where none is named; an update keeps what is there instead."""
    _, joints = build.pendulum(2)
    coordinate(joints[0]).value_angle, coordinate(joints[1]).value_angle = 0.3, -0.7
    bpy.ops.limberjack.pose_add(name="bent")
    bpy.ops.limberjack.pose_reset()
    bpy.ops.limberjack.pose_add(name="straight")
    bpy.ops.limberjack.pose_apply(name="bent")
    assert values(joints) == pytest.approx([0.3, -0.7], abs=1e-6)
    bpy.ops.limberjack.pose_apply()
    assert values(joints) == pytest.approx([0.0, 0.0], abs=1e-6)
    coordinate(joints[0]).value_angle = 0.1
    bpy.ops.limberjack.pose_update()
    bpy.ops.limberjack.pose_apply(index=0)
    bpy.ops.limberjack.pose_apply(index=1)
    assert values(joints) == pytest.approx([0.1, 0.0], abs=1e-6)
    bpy.ops.limberjack.pose_remove(name="bent")
    assert [pose.name for pose in poses(scene)] == ["straight"]
    with pytest.raises(RuntimeError, match="there is no pose 'bent'; the scene has 'straight'"):
        bpy.ops.limberjack.pose_apply(name="bent")


def test_names_are_kept_apart(scene, build):
    """Two poses of one name would be one to a script: the second gets a number, when it is made and when renamed."""
    build.pendulum(1)
    for _ in range(3):
        bpy.ops.limberjack.pose_add()
    assert [pose.name for pose in poses(scene)] == ["Pose", "Pose.001", "Pose.002"]
    poses(scene)[1].name = "wave"
    poses(scene)[2].name = "wave"
    assert [pose.name for pose in poses(scene)] == ["Pose", "wave", "wave.001"]


def test_renamed_deleted_and_changed_joints(scene, build):
    """A renamed joint is still the same; one that is gone, or has other axes by now, is passed over and told."""
    _, joints = build.pendulum(4)
    for obj in joints:
        coordinate(obj).value_angle = 0.2
    bpy.ops.limberjack.pose_add()
    bpy.ops.limberjack.pose_reset()
    joints[0].name = "shoulder"
    build.select(joints[2])
    bpy.ops.object.delete()
    joint(joints[1]).type = "universal"
    bpy.context.view_layer.update()
    bpy.ops.limberjack.pose_apply()
    assert values([joints[0], joints[1], joints[3]]) == pytest.approx([0.2, 0.0, 0.2], abs=1e-6)
    assert set(apply_pose(poses(scene)[0], Posing(scene), scene)) == {
        "1 of 4 joints are not there any more",
        "1 of 4 joints have other axes by now",
    }


def test_a_pose_without_joints_says_so(scene, build):
    """A pose whose joints are all gone cannot be applied, and the user is told what to do."""
    _, joints = build.pendulum(2)
    bpy.ops.limberjack.pose_add()
    build.select(joints[0])
    bpy.ops.object.delete()
    joint(joints[1]).type = "planar"
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="pose 'Pose' has no joint that is left"):
        bpy.ops.limberjack.pose_apply()


@pytest.mark.parametrize("led", ["a", "b", "c", "d"])
def test_a_pose_within_a_loop(scene, build, led):
    """A four-bar is closed in a pose that is applied, to the last digit of single precision, wherever it comes from."""
    bars, pins = four_bar(build)
    coordinate(pins[led]).value_angle = 0.4
    stood = [bar.matrix_world.copy() for bar in bars.values()]
    bpy.ops.limberjack.pose_add()
    for name, value in (("a", -0.5), ("d", 0.2)):
        bpy.ops.limberjack.pose_reset()
        coordinate(pins[name]).value_angle = value
        bpy.ops.limberjack.pose_apply()
        assert distance(bars, "coupler", "rocker", (1.0, 0.0, 0.0), (0.0, 0.0, 0.75)) < 1e-6
        for bar, before in zip(bars.values(), stood, strict=True):
            assert max((bar.matrix_world.col[i] - before.col[i]).length for i in range(4)) < 2e-6


def test_a_ball_comes_back(scene, build):
    """All four numbers of a ball's rotation are kept."""
    bars, joints = build.pendulum(1)
    joint(joints[0]).type = "ball"
    bars[0].rotation_mode = "QUATERNION"
    bars[0].rotation_quaternion = Quaternion(Vector((1.0, 2.0, 3.0)).normalized(), 0.8)
    bpy.context.view_layer.update()
    stood = bars[0].matrix_world.copy()
    bpy.ops.limberjack.pose_add()
    bpy.ops.limberjack.pose_reset()
    bpy.context.view_layer.update()
    assert (bars[0].matrix_world.col[0] - stood.col[0]).length > 0.1
    bpy.ops.limberjack.pose_apply()
    bpy.context.view_layer.update()
    assert max((bars[0].matrix_world.col[i] - stood.col[i]).length for i in range(4)) < 1e-6


def test_floating_bases_stay(scene, build):
    """A machine that hangs on nothing takes the pose where it has been put since."""
    bars, joints = build.pendulum(2)
    bpy.data.objects.remove(joints[0])
    coordinate(joints[1]).value_angle = 0.5
    bpy.ops.limberjack.pose_add()
    bpy.ops.limberjack.pose_reset()
    for bar in bars:
        bar.location.x += 3.0
    bpy.context.view_layer.update()
    bpy.ops.limberjack.pose_apply()
    bpy.context.view_layer.update()
    assert tuple(bars[0].matrix_world.translation) == pytest.approx((3.0, 0.0, 2.0), abs=1e-6)
    end = bars[1].matrix_world @ Vector((1.0, 0.0, 0.0))
    assert tuple(end) == pytest.approx((4.0 + math.cos(0.5), 0.0, 2.0 - math.sin(0.5)), abs=1e-6)


def test_saved_and_opened(scene, build, tmp_path):
    """Poses are in the file, with their joints."""
    _, joints = build.pendulum(2)
    coordinate(joints[1]).value_angle = 0.3
    bpy.ops.limberjack.pose_add(name="bent")
    bpy.ops.limberjack.pose_reset()
    path = str(tmp_path / "posed.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.ops.limberjack.pose_apply(name="bent")
    assert values([bpy.data.objects["bar1_joint"]]) == pytest.approx([0.3], abs=1e-6)


def test_the_panel_lists_poses(scene, build):
    """Poses are listed with their names and a button each."""
    _, joints = build.pendulum(1)
    bpy.ops.limberjack.pose_add()
    bpy.context.view_layer.update()
    show_rig(scene)
    assert draw(joints[0]).props.count("name") >= 2
