# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of bones as their animators expect them to move: limits and joints hold, and nothing adds energy."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.simulation import Simulation

from .baked import bake
from .conftest import joint, link
from .rigs import armature, chain, hang_up, tag

SHIN = 0.45
"""Length of each of the two bones of a leg [m]."""


def leg():
    """A thigh above a shin, which bends backward about x up to 150 degrees, and a foot."""
    bones = [
        ("thigh", (0.0, 0.0, 1.2), (0.0, 0.0, 1.2 - SHIN), ""),
        ("shin", (0.0, 0.0, 1.2 - SHIN), (0.0, 0.0, 1.2 - 2.0 * SHIN), "thigh"),
        ("foot", (0.0, 0.0, 1.2 - 2.0 * SHIN), (0.0, -0.2, 1.15 - 2.0 * SHIN), "shin"),
    ]
    rig = armature(bones)
    bones = tag(rig)
    hinge(bones[1], 0.0, math.radians(150.0))
    hinge(bones[2], -0.5, 0.5)
    return bones


def hinge(bone, lower, upper):
    joint(bone).type = "revolute"
    axis = joint(bone).axes[0]
    axis.xyz, axis.use_lower, axis.use_upper, axis.lower, axis.upper = (1.0, 0.0, 0.0), True, True, lower, upper


def total(trajectory):
    return trajectory.kinetic + trajectory.potential


def test_a_knee_that_falls_on_the_floor_keeps_its_limits(scene):
    """Guards knees that bend the wrong way, and limbs that drift apart, when a leg falls on a floor and over."""
    thigh, _, foot = leg()
    thigh.id_data.rotation_euler.x = 0.6
    link(foot).velocity, scene.limberjack.ground = (0.0, -6.0, 0.0), True
    scene.frame_end = 60
    run = bake(scene)
    knee = run.trajectory.joint("Rig:shin")
    assert -math.radians(0.1) < knee.min()
    assert knee.max() < math.radians(150.1)
    assert np.ptp(knee) > 0.2, "the knee is not bent at all"
    for frame in (1, 20, 40, 60):
        scene.frame_set(frame)
        evaluated = thigh.id_data.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        assert (evaluated["thigh"].tail - evaluated["shin"].head).length < 1e-5
        assert (evaluated["shin"].tail - evaluated["foot"].head).length < 1e-5


def test_a_strong_blow_parts_no_joint(scene):
    """Guards joints under impulses: the last of five bones is hit at 60 m/s, and all heads stay on their tails."""
    bones = tag(chain(5))
    hang_up(bones[0])
    link(bones[-1]).velocity = (60.0, 0.0, 0.0)
    run = Simulation(read_scene(scene), np.linspace(0.0, 1.0, 25)).run()
    X_WL = run.X_WL
    assert np.abs(X_WL[:, -1, :3] - X_WL[0, -1, :3]).max() > 1.0
    apart = np.linalg.norm(np.diff(X_WL[:, :, :3], axis=1), axis=2)
    assert np.abs(apart - 1.0).max() < 1e-9


def test_limits_that_exclude_the_pose_add_no_energy(scene):
    """Guards limits that the bind pose exceeds: the limb comes back into them, without gaining energy on the way."""
    bones = tag(chain(3))
    hang_up(bones[0])
    hinge(bones[1], math.radians(20.0), math.radians(60.0))
    (note,) = bake(scene).notes
    assert note.startswith(
        "joint 'Rig:b1' starts at a limit, since the limits exclude the pose in which the links were"
    )
    bpy.ops.limberjack.bake_clear()
    run = Simulation(read_scene(scene), np.linspace(0.0, 2.0, 49)).run()
    energy = total(run)
    assert np.ptp(run.kinetic) > 100.0
    assert (energy - energy[0]).max() < 1e-3 * np.ptp(run.potential)


def test_air_only_slows(scene):
    """Guards drag: without gravity, a bone that tumbles through air loses speed and spin at each moment, in place."""
    (bone,) = tag(chain(1))
    scene.use_gravity = False
    settings = link(bone)
    settings.velocity, settings.angular_velocity = (3.0, 0.0, 0.0), (0.0, 0.0, 4.0)
    settings.linear_damping = settings.angular_damping = 20.0
    run = Simulation(read_scene(scene), np.linspace(0.0, 3.0, 73)).run()
    assert (np.diff(run.kinetic) < 0.0).all()
    speed = np.linalg.norm(run.qd[:, :3], axis=1)
    assert speed[-1] < 0.5 * speed[0]
    assert run.qd[:, 0].min() > 0.0, "the air pushes backward"


@pytest.mark.parametrize("fps", [12, 60, 240])
def test_the_frame_rate_makes_no_difference(scene, fps):
    """Guards chains that swing otherwise at another frame rate: after a second, a hair and a chain are where they were
    at 24 frames a second."""
    bones = tag(chain(4, tail=(0.3, 0.4, 0.0)))
    hang_up(bones[0])
    ends = []
    for rate in (24, fps):
        scene.render.fps, scene.frame_start, scene.frame_end = rate, 0, rate
        run = bake(scene, overwrite=True, accuracy="exact")
        ends.append(run.trajectory.X_WL[-1])
        bpy.ops.limberjack.bake_clear()
    assert np.abs(ends[0] - run.trajectory.X_WL[0]).max() > 0.5
    np.testing.assert_allclose(ends[1], ends[0], rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_the_scale_of_the_armature_makes_no_difference(scene, scale):
    """Guards springs and chains below a scaled armature: a rig of the same size in the world moves the same way."""
    runs = []
    for size in (1.0, scale):
        rig = chain(3, name=f"Rig{size:g}", tail=(0.0, 0.5 / size, 0.0))
        rig.scale = (size, size, size)
        rig.location.z = 2.0 - 2.0 * size
        bones = tag(rig)
        hang_up(bones[0])
        for axis in joint(bones[1]).axes[:3]:
            axis.spring_stiffness = 40.0
        bpy.context.view_layer.update()
        runs.append(Simulation(read_scene(scene), np.linspace(0.0, 1.0, 25)).run().X_WL)
        bpy.data.objects.remove(rig)
    assert np.ptp(runs[0][..., 2]) > 0.1
    np.testing.assert_allclose(runs[1], runs[0], rtol=0.0, atol=1e-5)
