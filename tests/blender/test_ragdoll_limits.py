# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a ragdoll's parts: which way they bend, which poses their limits contain, and what widens them."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector
from scipy.spatial.transform import Rotation

from .conftest import joint
from .humanoids import HUMANOIDS
from .ragdolls import make, told


@pytest.fixture(params=HUMANOIDS)
def kind(request):
    return HUMANOIDS[request.param]


def axis_in_world(rig, name):
    """Axis of a bone's hinge in the world, as the bone stands."""
    turn = np.array((rig.matrix_world @ rig.pose.bones[name].matrix).to_3x3())
    axis = turn @ np.array(joint(rig.pose.bones[name]).axes[0].xyz)
    return axis / np.linalg.norm(axis)


def test_elbows_and_knees_bend_the_right_way(scene, kind):
    """Guards hinges in rigs of any units, axes and directions of bones: bent by 90 degrees, forearms point more to the
    front than to any side, and shins to the back, on both sides; each straight limb is an end of the range."""
    rig, _ = kind.build()
    make(rig)
    parts = kind.parts()
    for part, above, toward in (("forearm", "upper arm", (0, -1, 0)), ("shin", "thigh", (0, 1, 0))):
        for side in kind.sides:
            name, upper = (kind.names[each].format(side) for each in (part, above))
            own = joint(rig.pose.bones[name])
            assert own.type == "revolute"
            along = np.array(
                (
                    parts[kind.names[{"forearm": "hand", "shin": "foot"}[part]].format(side)][1] - parts[name][1]
                ).normalized()
            )
            whole = np.array((parts[name][1] - parts[upper][1]).normalized())
            axis, limits = axis_in_world(rig, name), own.axes[0]
            bent = Rotation.from_rotvec(0.5 * math.pi * axis).apply(along)
            assert np.argmax(np.abs(bent)) == 1
            assert bent @ toward > 0.9
            straight = Rotation.from_rotvec(limits.lower * axis).apply(along)
            assert straight @ whole == pytest.approx(1.0, abs=0.02)
            assert math.degrees(limits.upper - limits.lower) == pytest.approx(
                {"forearm": 145, "shin": 140}[part], abs=10
            )


def displaced(rig, name, above):
    """Turn of a bone from its rest in the axes of the part above it, seen in the joint's own frame at zero."""
    own, upper = (rig.pose.bones[each] for each in (name, above))
    rest = upper.bone.matrix_local.inverted() @ own.bone.matrix_local
    now = (upper.matrix.inverted() @ own.matrix).to_quaternion()
    zero = rest.to_quaternion()
    turn = joint(own).limit_turn
    zero = zero @ turn_of(turn)
    return zero.inverted() @ now


def turn_of(angles):
    x, y, z = (Quaternion(axis, angle) for axis, angle in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), angles, strict=True))
    return z @ y @ x


def swing_of(rig, name, above):
    """Angle between a bone's cone axis now and its axis in the middle of the cone [rad]."""
    axis = Vector(joint(rig.pose.bones[name]).axes[3].xyz)
    return (displaced(rig, name, above) @ axis).angle(axis)


def test_cones_contain_the_rest_pose(scene, kind):
    """Guards shoulders and hips: the frame of the limits is turned to the middle of the range, and the rest pose is
    within the cone."""
    rig, _ = kind.build()
    make(rig)
    for part, above, middle in (("upper arm", "shoulder", 37.0), ("thigh", "hips", 46.0)):
        for side in kind.sides:
            name, upper = (kind.names[each].format(side) for each in (part, above))
            swing = swing_of(rig, name, upper)
            assert math.degrees(swing) == pytest.approx(middle, abs=6.0)
            assert swing < joint(rig.pose.bones[name]).axes[3].upper
    assert "since its pose lies beyond" not in told()


def test_a_pose_beyond_the_limits_widens_them(scene):
    """Guards characters that are posed, or drawn, as bodies cannot be: an elbow that is overstretched by 50 degrees and
    a shoulder that points back are within their limits with a degree of room, and it is told by name."""
    kind = HUMANOIDS["makehuman"]
    rig, _ = kind.build()
    make(rig)
    free = {
        name: joint(rig.pose.bones[name]).axes[3 * is_ball].upper
        for name, is_ball in (("upperarm01.L", True), ("lowerarm01.L", False))
    }
    axis = joint(rig.pose.bones["lowerarm01.L"]).axes[0]
    lower = axis.lower
    rig.pose.bones["lowerarm01.L"].rotation_mode = "QUATERNION"
    rig.pose.bones["lowerarm01.L"].rotation_quaternion = Quaternion(axis.xyz, lower - math.radians(50.0))
    upper = rig.pose.bones["upperarm01.L"]
    back = Vector(upper.bone.matrix_local.to_3x3().inverted() @ Vector((0.0, 1.0, 0.3)))
    upper.rotation_mode, upper.rotation_quaternion = "QUATERNION", Vector((0.0, 1.0, 0.0)).rotation_difference(back)
    bpy.context.view_layer.update()
    make(rig)
    assert math.degrees(joint(rig.pose.bones["lowerarm01.L"]).axes[0].lower) == pytest.approx(
        math.degrees(lower) - 51.0, abs=0.1
    )
    assert joint(rig.pose.bones["lowerarm01.L"]).axes[0].upper == pytest.approx(free["lowerarm01.L"], abs=1e-5)
    cone = joint(upper).axes[3].upper
    assert cone > free["upperarm01.L"]
    assert math.degrees(cone) == pytest.approx(math.degrees(swing_of(rig, "upperarm01.L", "clavicle.L")) + 1.0, abs=0.1)
    assert told().count("since its pose lies beyond") == 2
    assert "'Rig:lowerarm01.L': the lower limit of its angle is" in told()
