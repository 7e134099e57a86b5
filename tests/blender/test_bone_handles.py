# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of bones in Pose Mode: where their coordinates count from, their handles, and operators on the active one."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.joints.joint_edits import aim_axis
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.gizmos.drags import triangles_of
from limberjack.addon.gizmos.handle import tip_of
from limberjack.addon.gizmos.joint import LIMBERJACK_GGT_joint, handles_of
from limberjack.addon.overlays import labels

from .conftest import joint
from .rigs import chain, hang_up, select_bones, tag


@pytest.fixture
def arm(scene):
    """A chain of three bones, the first of which hangs on the world, with a hinge and then a ball below it."""
    bones = tag(chain(3))
    hang_up(bones[0])
    joint(bones[1]).type = "revolute"
    bpy.context.view_layer.update()
    return bones


def turn(bone, angle):
    """Turn a bone about its own z axis, which is that of a new hinge, as the user does."""
    bone.rotation_mode, bone.rotation_euler = "XYZ", (0.0, 0.0, angle)
    bpy.context.view_layer.update()


def value(bone, scene):
    return view_joint(bone, scene).axes[0].value


def roles(bone, scene):
    return [role for role, _, _, _ in handles_of(view_joint(bone, scene), 1.0)]


def test_values_count_from_the_rest_pose(scene, arm):
    """Guards limits and sliders of bones: a bone that the user poses shows its angle, and its limits stay in place."""
    settings = joint(arm[1]).axes[0]
    settings.use_upper, settings.upper = True, 1.0
    axis = view_joint(arm[1], scene).axes[0]
    limit = axis.point_at(axis.upper, 1.0)
    turn(arm[1], 0.4)
    axis = view_joint(arm[1], scene).axes[0]
    assert axis.value == pytest.approx(0.4, abs=1e-6)
    assert (axis.point_at(axis.upper, 1.0) - limit).length < 1e-5
    assert joint(arm[1]).coordinates[0].value_angle == pytest.approx(0.4, abs=1e-6)
    model = read_scene(scene)
    assert model.joint("Rig:b1").home == (pytest.approx(0.4, abs=1e-6),)
    assert Posing(scene).set_coordinate("Rig:b1", 0, 2.0) == pytest.approx(1.0)
    assert value(arm[1], scene) == pytest.approx(1.0, abs=1e-6)


def test_a_pose_that_the_joint_does_not_allow_is_kept(scene, arm):
    """Guards bones that are posed beside their hinge: links start where they are drawn."""
    arm[1].rotation_mode, arm[1].rotation_euler = "XYZ", (0.3, 0.2, 0.4)
    bpy.context.view_layer.update()
    from limberjack.core.kinematics import tree_poses

    model = read_scene(scene)
    pose = tree_poses(model, model.home())["Rig:b1"]
    drawn = arm[1].id_data.matrix_world @ arm[1].matrix
    assert abs(np.dot(pose[3:], drawn.to_quaternion())) == pytest.approx(1.0, abs=1e-6)


def test_an_edit_of_the_armature_moves_the_zero(scene, arm):
    """Guards rest poses that are applied: the present pose becomes the zero, as the message of Set as Zero says."""
    turn(arm[1], 0.4)
    select_bones(arm[1].id_data, "b1")
    arm[1].id_data.data.bones.active = arm[1].bone
    with pytest.raises(RuntimeError, match="counts from the rest pose of its bone: Pose > Apply"):
        bpy.ops.limberjack.joint_zero_here()
    assert bpy.ops.pose.armature_apply(selected=False) == {"FINISHED"}
    bpy.context.view_layer.update()
    assert value(arm[1], scene) == pytest.approx(0.0, abs=1e-6)


def test_handles_of_bones(scene, arm):
    """Guards handles in Pose Mode: those of an object's joint, but for the zero, which the rest pose of the bone is."""
    select_bones(arm[1].id_data, "b1")
    assert {*roles(arm[1], scene)} == {"lower", "upper", "pose", "home", "aim"}
    assert {*roles(arm[2], scene)} == {"upper", "lower", "aim", "swing"}
    joint(arm[1]).type = "euler_xyz"
    assert "aim" not in roles(arm[1], scene)
    assert LIMBERJACK_GGT_joint.bl_region_type == "WINDOW"


def test_axes_of_bones_are_aimed(scene, arm):
    """Guards the axis of a hinge and the cone of a ball, which are turned while the bones keep their poses."""
    turn(arm[1], 0.4)
    for bone, number in ((arm[1], 0), (arm[2], 3)):
        before = [obj.matrix.copy() for obj in arm]
        wanted = Vector((0.0, 0.6, 0.8))
        aim_axis(bone, scene, number, wanted)
        bpy.context.view_layer.update()
        axis = next(axis for axis in view_joint(bone, scene).axes if axis.number == number)
        assert axis.direction.angle(wanted) < 1e-5
        assert all((obj.matrix - old).to_3x3().to_scale().length < 1e-6 for obj, old in zip(arm, before, strict=True))


def test_fixed_directions_of_bones_are_told(scene, arm):
    """Guards a joint whose type fixes its directions: they are those of the bone, and the message says what to do."""
    joint(arm[1]).type = "euler_xyz"
    select_bones(arm[1].id_data, "b1")
    arm[1].id_data.data.bones.active = arm[1].bone
    with pytest.raises(RuntimeError, match="'Rig:b1' has the axes of its bone: change the bone's roll"):
        bpy.ops.limberjack.joint_aim(direction=(1.0, 0.0, 0.0))


def test_ghosts_of_bones(scene, arm):
    """Guards the ghost at a limit that is dragged: a bone without a mesh is shown as Blender draws it."""
    triangles = triangles_of(arm[1], bpy.context).reshape(-1, 3)
    to_bone = (arm[1].id_data.matrix_world @ arm[1].matrix).inverted()
    along = [(to_bone @ Vector(point.tolist())).y for point in triangles]
    assert (min(along), max(along)) == (pytest.approx(0.0, abs=1e-6), pytest.approx(arm[1].length, rel=1e-6))
    assert len(triangles) == 24


def test_texts_of_handles(scene, arm):
    """Guards the text of a handle under the mouse: a cone has one limit, the largest swing, and a hinge has two."""
    found = {(axis.number, role): tip_of(role, axis) for bone in arm[1:] for role, axis in limits_of(bone, scene)}
    assert found == {
        (0, "lower"): "Lower limit. Ctrl: both ends",
        (0, "upper"): "Upper limit. Ctrl: both ends",
        (3, "upper"): "Largest swing",
        (4, "lower"): "Lower limit. Ctrl: both ends",
        (4, "upper"): "Upper limit. Ctrl: both ends",
    }


def limits_of(bone, scene):
    handles = handles_of(view_joint(bone, scene), 1.0)
    return [(role, axis) for role, axis, _, _ in handles if role in ("lower", "upper")]


def test_the_text_of_a_handle_hides_what_it_would_cover(monkeypatch):
    """Guards the text of a handle near numbers of limits: those that it would overlap are left out, others are not."""
    drawn = []
    spots = {"tip": (100.0, 100.0), "near": (110.0, 75.0), "far": (100.0, 200.0)}
    monkeypatch.setattr(labels, "location_3d_to_region_2d", lambda _region, _data, point: Vector(spots[point]))
    monkeypatch.setattr(labels.blf, "draw", lambda _font, text: drawn.append(text))
    monkeypatch.setattr(labels, "hovered", [("tip", "Largest swing")])
    context = SimpleNamespace(
        region=None, region_data=None, preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))
    )
    labels.draw([("near", "15.0°"), ("far", "35.0°")], context)
    assert drawn == ["Largest swing", "35.0°"]
    drawn.clear()
    labels.draw([("near", "15.0°")], context)
    assert drawn == ["15.0°"], "the text stays without the mouse"
