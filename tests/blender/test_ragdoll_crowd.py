# SPDX-License-Identifier: GPL-3.0-or-later
"""No explosion at the start: with self-collision, twenty ragdolls stay in the pose in which their muscles hold them."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from scipy.spatial.transform import Rotation

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.kinematics.proximity.distances import overlaps
from support.cases import some

from .baked import bake
from .conftest import link
from .crowd import CROWD
from .ragdolls import make

SECONDS = 0.5

FASTEST = 0.05
"""Largest root mean square speed of all mass, relative to the size of the character [1/s]: 8 cm/s of a human body.
Muscles that hold a pose give no speed without gravity; measured were less than 2e-8."""

SHARE = 0.9
"""Part of the range of each joint within which random poses are."""


def matrix_of(pose):
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix(), pose[:3]
    return found


def random_turn(joint, rng):
    """A random rotation of a joint within its limits, shape (3, 3)."""
    axis = np.array(joint.unit_direction(0 if joint.type == "revolute" else 3))
    limited = joint.axes[0] if joint.type == "revolute" else joint.axes[4]
    middle, half = 0.5 * (limited.lower + limited.upper), 0.5 * SHARE * (limited.upper - limited.lower)
    turn = Rotation.from_rotvec(axis * (middle + rng.uniform(-half, half)))
    if joint.type == "revolute":
        return turn.as_matrix()
    across = np.cross(axis, rng.normal(size=3))
    swing = across / np.linalg.norm(across) * rng.uniform(0.0, SHARE * joint.axes[3].upper)
    return (Rotation.from_rotvec(swing) * turn).as_matrix()


def pose_at_random(scene, rig, seed):
    """Pose a ragdoll at random, each joint within its limits."""
    rng, model = np.random.default_rng(seed), read_scene(scene)
    places = {item.name: matrix_of(item.pose) for item in model.links}
    for joint in model.joints:  # parents first
        turn = np.eye(4)
        turn[:3, :3] = random_turn(joint, rng)
        places[joint.child] = places[joint.parent] @ matrix_of(joint.X_PJ) @ turn @ np.linalg.inv(matrix_of(joint.X_CJ))
    to_rig, scale = rig.matrix_world.inverted(), Matrix.Scale(rig.matrix_world.median_scale, 4)
    for joint in model.joints:
        bone = rig.pose.bones[joint.child.partition(":")[2]]
        bone.matrix = to_rig @ Matrix(places[joint.child].tolist()) @ scale
        bpy.context.view_layer.update()


def size_of(rig):
    points = np.array([rig.matrix_world @ end for bone in rig.data.bones for end in (bone.head_local, bone.tail_local)])
    return float(np.ptp(points, axis=0).max())


def fastest(scene):
    """The largest root mean square speed of all mass [m/s]."""
    scene.frame_end = round(SECONDS * 24) + 1
    scene.limberjack.bake.start, scene.use_gravity = "POSE", False
    run = bake(scene)
    mass = sum(item.mass for item in read_scene(scene).links)
    return math.sqrt(2.0 * run.trajectory.kinetic.max() / mass)


@pytest.mark.parametrize("pose", ["rest", "posed", "posed later"])
@pytest.mark.parametrize("name", some(CROWD, ["figure", "mixamo", "fat trunk", "six legs"]))
def test_no_explosion_at_the_start(scene, name, pose):
    """Guards self-collision, at rest, in a random pose, and in a random pose of a limp body that Make Ragdoll has not
    seen: without gravity, a body stays at rest. Pairs that overlap at rest, or in the pose of Make Ragdoll, are
    excluded; those that overlap in a later pose are not pushed apart with a jerk."""
    rig = CROWD[name]()
    make(rig, stiffness=1.0)
    if pose != "rest":
        pose_at_random(scene, rig, seed=sorted(CROWD).index(name))
        if pose == "posed":
            make(rig, stiffness=1.0)
        else:
            link(rig).ragdoll_stiffness = 0.0
    assert scene.limberjack.contact
    if pose != "posed later":
        assert overlaps(read_scene(scene, with_shapes=True)) == []
    assert fastest(scene) < FASTEST * size_of(rig)


@pytest.mark.parametrize("shapes", ["BOX", "HULL"])
@pytest.mark.parametrize("name", some(["mixamo", "fat trunk", "horse", "six legs", "bundle"], ["fat trunk"]))
def test_no_explosion_of_other_shapes(scene, name, shapes):
    """Guards boxes and hulls, of which other pairs overlap than of capsules."""
    rig = CROWD[name]()
    make(rig, stiffness=1.0, shapes=shapes)
    assert overlaps(read_scene(scene, with_shapes=True)) == []
    assert fastest(scene) < FASTEST * size_of(rig)


def test_there_are_twenty():
    """Guards the number of armatures."""
    assert len(CROWD) >= 20
