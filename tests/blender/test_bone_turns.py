# SPDX-License-Identifier: GPL-3.0-or-later
"""Turned capsules (`bone_turn`) and turned limits (`limit_turn`) of bones."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler, Quaternion, Vector
from scipy.spatial.transform import Rotation

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.geometry.shape_mass import solid_properties

from .baked import bake
from .bone_rig import armature as bent_armature
from .bone_rig import assert_exact
from .bone_rig import tag as tag_bent
from .conftest import joint, link
from .rigs import armature, chain, hang_up, in_mode, select_bones, tag

TURN = (0.7, -0.4, 1.1)
"""Angles about the axes of a bone, as Euler angles XYZ [rad]."""


def turn_matrix(angles):
    return np.array(Euler(angles, "XYZ").to_matrix())


# ---- limits


def test_bakes_with_turned_limits_are_exact(scene):
    """Guards bakes: bones with balls and hinges whose frames are turned are where the trajectory has them."""
    rig = bent_armature(scene)
    bones = tag_bent(rig)
    joint(bones[2]).type = "revolute"
    joint(bones[2]).axes[0].xyz = (0.3, 0.2, 0.9)
    for number, bone in enumerate(bones):
        joint(bone).limit_turn = [angle * (number + 1) / 3.0 for angle in TURN]
    scene.limberjack.contact = False
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize("kind", ["ball", "revolute"])
def test_turned_limits_do_not_change_a_motion_that_meets_none(scene, kind):
    """Guards the frame: without limits, a chain of balls moves as before; a hinge turns about the same line if its axis
    is given in the turned frame."""
    motions = []
    for turn in ((0.0, 0.0, 0.0), TURN):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end, scene.limberjack.contact = 1, 24, False
        bones = tag(chain(3))
        hang_up(bones[0])
        for bone in bones[1:]:
            joint(bone).type = kind
            joint(bone).limit_turn = turn
            joint(bone).axes[0].xyz = turn_matrix(turn).T @ (1.0, 0.2, 0.0)
        motions.append(bake(scene).trajectory.X_WL)
    assert np.ptp(motions[0], axis=0).max() > 0.5
    np.testing.assert_allclose(motions[1][:, :, :3], motions[0][:, :, :3], atol=2e-6)
    same = np.abs((motions[1][:, :, 3:] * motions[0][:, :, 3:]).sum(axis=2))
    np.testing.assert_allclose(same, 1.0, atol=1e-10)


def test_a_cone_is_about_its_turned_axis(scene):
    """Guards the middle of a cone: a bone whose cone of 20 degrees is about an axis 60 degrees from its rest starts
    in the cone, falls, and comes to rest at its edge."""
    bones = tag(chain(2, tail=(0.0, 0.0, -1.0)))
    scene.limberjack.contact = False
    hang_up(bones[0])
    own = joint(bones[1])
    own.limit_turn = (math.radians(60.0), 0.0, 0.0)
    own.axes[3].use_upper, own.axes[3].upper = True, math.radians(20.0)
    link(bones[0]).motion = "STATIC"
    model = read_scene(scene)
    assert model.joint("Rig:b1").home, "at rest, it is turned away from the middle"
    bones[1].rotation_mode, bones[1].rotation_euler = "XYZ", (math.radians(55.0), 0.0, 0.0)
    for axis in own.axes[:3]:
        axis.damping = 0.1
    bpy.context.view_layer.update()
    scene.limberjack.bake.start, scene.frame_end = "POSE", 60
    X_WL = bake(scene).trajectory.X_WL[:, 1]
    middle = Vector((0.0, 0.0, -1.0))
    middle.rotate(Quaternion(bones[0].bone.matrix_local.to_3x3() @ Vector((1.0, 0.0, 0.0)), math.radians(60.0)))
    swings = [math.degrees((Quaternion(pose[3:]) @ Vector((0.0, 1.0, 0.0))).angle(middle)) for pose in X_WL]
    assert swings[0] == pytest.approx(5.0, abs=0.1)
    assert max(swings) < 20.5
    assert swings[-1] == pytest.approx(20.0, abs=0.5)


# ---- capsules


def inertia_of(sym):
    xx, xy, xz, yy, yz, zz = sym
    return np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.3, -0.2)])
def test_mass_properties_of_a_turned_capsule(scene, offset):
    """Guards mass, centre and inertia: those of the shape that core computes, turned by the angles about the head and
    moved with it, and of the shape that the link collides with."""
    rig = chain(1, tail=(0.2, 0.9, -0.3))
    (bone,) = tag(rig)
    own, length = link(bone), bone.bone.length
    own.bone_radius, own.bone_start, own.bone_end, own.bone_offset, own.bone_turn = 0.1, -0.2, 1.3, offset, TURN
    own.mass_source, own.mass = "MASS", 5.0
    item = read_scene(scene, with_shapes=True).link("Rig:b0")
    (shape,) = item.collisions
    assert shape.geometry.radius == pytest.approx(0.1 * length)
    assert shape.geometry.length == pytest.approx((1.5 - 0.2) * length)
    turn = turn_matrix(TURN)
    centre = turn @ (np.array((offset[0], 0.55, offset[1])) * length)
    np.testing.assert_allclose(shape.pose[:3], centre, atol=1e-6)
    np.testing.assert_allclose(
        np.abs(Rotation.from_quat(np.roll(shape.pose[3:], -1)).apply((0, 0, 1)) @ turn[:, 1]), 1.0
    )
    np.testing.assert_allclose(item.com, centre, atol=1e-6)
    known = solid_properties(shape.geometry)
    to_link = Rotation.from_quat(np.roll(shape.pose[3:], -1)).as_matrix()
    expected = to_link @ known.inertia @ to_link.T * (5.0 / known.volume)
    np.testing.assert_allclose(inertia_of(item.inertia), expected, rtol=1e-5, atol=1e-7)


def test_bakes_with_turned_capsules_are_exact(scene):
    """Guards bakes: the frame of a link is that of its bone, however its capsule is turned."""
    rig = bent_armature(scene)
    for number, bone in enumerate(tag_bent(rig)):
        link(bone).bone_turn, link(bone).bone_offset = [angle * (number + 1) / 2.0 for angle in TURN], (0.1, 0.2)
    scene.limberjack.contact = False
    assert_exact(scene, bake(scene))


def test_a_turned_capsule_lies_on_the_floor(scene):
    """Guards collisions: a bone that stands, with a capsule across it, comes to rest on its capsule's radius."""
    rig = armature([("stand", (0, 0, 0.5), (0, 0, 1.5), "")])
    (bone,) = tag(rig)
    own = link(bone)
    own.bone_radius, own.bone_start, own.bone_end = 0.1, -0.5, 0.5
    own.bone_turn = (0.0, 0.0, 0.5 * math.pi)
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(0.0, 0.0, -1.0))
    floor = bpy.context.object
    tag_object(floor)
    run = bake(scene)
    names = run.trajectory.link_names
    assert run.trajectory.X_WL[-1, names.index("Rig:stand"), 2] == pytest.approx(0.1, abs=2e-3)


def tag_object(obj):
    in_mode(obj, "OBJECT")
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}
    link(obj).motion = "STATIC"


# ---- mirrored


@pytest.fixture
def arms(scene):
    """An arm with roll on both sides, of which the left one is set up."""
    rig = armature(
        [
            ("spine", (0.0, 0.0, 1.0), (0.0, 0.0, 1.5), ""),
            ("arm.L", (0.2, 0.0, 1.5), (0.6, 0.1, 1.3), "spine", 0.4),
        ]
    )
    in_mode(rig, "EDIT")
    bpy.ops.armature.select_all(action="SELECT")
    bpy.ops.armature.symmetrize()
    tag(rig, "spine", "arm.L")
    hang_up(rig.pose.bones["spine"])
    own = rig.pose.bones["arm.L"]
    link(own).bone_turn, link(own).bone_offset = TURN, (0.2, -0.1)
    joint(own).limit_turn = (0.3, -0.5, 0.8)
    joint(own).axes[3].use_upper, joint(own).axes[3].upper = True, 0.6
    select_bones(rig, "arm.L")
    return rig


def capsule_ends(rig, name):
    """Ends of a bone's capsule in the world."""
    (shape,) = read_scene(bpy.context.scene, with_shapes=True).link(f"Rig:{name}").collisions
    bone = rig.pose.bones[name].matrix
    turn = Quaternion(shape.pose[3:])
    ends = (Vector(shape.pose[:3]) + turn @ Vector((0, 0, sign * shape.geometry.length / 2.0)) for sign in (1, -1))
    return np.array([rig.matrix_world @ bone @ end for end in ends])


def middle_of_cone(rig, name):
    """Axis of the middle of a bone's cone in the world."""
    own = joint(rig.pose.bones[name])
    turned = Euler(own.limit_turn, "XYZ").to_matrix() @ Vector(own.axes[3].xyz)
    return np.array(rig.matrix_world.to_3x3() @ rig.pose.bones[name].bone.matrix_local.to_3x3() @ turned)


def test_turns_are_mirrored(scene, arms):
    """Guards both sides of a character: the capsules and the middles of the cones are mirror images in the world."""
    assert bpy.ops.limberjack.mirror() == {"FINISHED"}
    flip = np.array((-1.0, 1.0, 1.0))
    ours, image = capsule_ends(arms, "arm.L"), capsule_ends(arms, "arm.R")
    assert np.abs(ours[0] - ours[1]).max() > 0.1
    distances = [np.abs(image - flip * ends).max() for ends in (ours, ours[::-1])]
    assert min(distances) < 1e-5
    ours, image = middle_of_cone(arms, "arm.L"), middle_of_cone(arms, "arm.R")
    assert abs(image @ (flip * ours)) == pytest.approx(1.0, abs=1e-6)  # a cone is the same about the opposite axis


@pytest.mark.parametrize("motion", ["FREE", "STATIC", "KINEMATIC"])
def test_mirroring_changes_the_other_side_only(scene, arms, motion):
    """Guards settings that are computed from others, such as those of a whole ragdoll: the image has the motion and the
    strength of its original, and no other bone is changed."""
    own, spine = arms.pose.bones["arm.L"], arms.pose.bones["spine"]
    link(own).motion, joint(own).drive_strength, joint(spine).drive_strength = motion, 0.25, 0.75
    link(own).body_part, link(spine).body_part = "upper_arm", "spine"
    link(spine).mass_source = "DENSITY"
    assert bpy.ops.limberjack.mirror() == {"FINISHED"}
    image = arms.pose.bones["arm.R"]
    assert (link(image).motion, link(image).body_part) == (motion, "upper_arm")
    assert joint(image).drive_strength == 0.25
    assert (joint(own).drive_strength, joint(spine).drive_strength) == (0.25, 0.75)
    assert link(spine).mass_source == "DENSITY"
