# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a bake begins: at home, as the links stand, or as they are animated."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.replay_bake import ReplayBake
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.nodes.animation import fcurves_of

from .conftest import joint
from .test_bake import bake, require_exact

FPS = 24.0


def test_from_the_current_pose(scene, build):
    """A pendulum that was turned by hand begins where it stands, whatever its Start says."""
    bars, empties = build.pendulum(1)
    joint(empties[0]).coordinates[0].value_angle = 0.7
    bpy.context.view_layer.update()
    stood = np.array(bars[0].matrix_world)
    run = bake(scene, start="POSE")
    scene.frame_set(1)
    assert np.array(bars[0].matrix_world) == pytest.approx(stood, abs=1e-6)
    require_exact(scene, run)
    assert run.simulation.trajectory.q[0, 0] == pytest.approx(0.7, abs=1e-6)


def keyed_bar(scene, bar, empty, angle, frames):
    """Key a bar at frames, turned about its joint by angle(t), t in seconds since frame 1."""
    for frame in frames:
        scene.frame_set(frame)
        joint(empty).coordinates[0].value_angle = angle((frame - 1) / FPS)
        bpy.ops.limberjack.pose_key(what="LINKS")


@pytest.mark.parametrize("keys", [(1, 20, 40), range(1, 31)], ids=["swung by hand", "keyed at every frame"])
def test_a_keyed_pendulum_is_released(scene, build, keys):
    """In the middle of a keyed swing, or at the end of a bake, it is let go: pose and velocity go on as they were."""
    scene.frame_end = 60
    bars, empties = build.pendulum(1, rotation_mode="XYZ")
    keyed_bar(scene, bars[0], empties[0], lambda t: 1.2 * math.sin(2.5 * t), keys)
    is_dense = len(keys) > 3
    if is_dense:
        straight(bars[0])
    frames = np.arange(1, 31)
    before = [np.array(matrix_at(scene, bars[0], frame)) for frame in frames]
    speed = 3.0 * math.cos(2.5 * 29 / FPS) if is_dense else turning(scene, bars[0], 30.0, -0.05)
    assert abs(speed) > 1.0
    run = bake(scene, start="KEYS", first=30, overwrite=True)
    assert run.simulation.trajectory.qd[0, 0] == pytest.approx(speed, abs=1e-3)
    for frame, matrix in zip(frames, before, strict=True):
        assert np.array(matrix_at(scene, bars[0], frame)) == pytest.approx(matrix, abs=1e-5)
    bpy.ops.limberjack.bake_clear()
    assert np.array(matrix_at(scene, bars[0], 15)) == pytest.approx(before[14], abs=1e-6)


def straight(obj):
    for curve in fcurves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def matrix_at(scene, obj, frame):
    scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    return obj.matrix_world.copy()


def turning(scene, obj, frame, step):
    """Of an object about y [rad/s], by two frames."""
    a, b = (matrix_at(scene, obj, frame + part).to_quaternion() for part in (0.0, step))
    way = b.inverted() @ a
    return 2.0 * math.atan2(way.y, way.w) / (-step / FPS)


@pytest.mark.parametrize("start", ["POSE", "KEYS"])
def test_links_start_above_the_ground(scene, build, start):
    """Guards the ground that is a switch: it is a link of the model without an object, so it has no pose to be read."""
    cube = build.cube()
    build.tag(cube)
    for frame, height in ((1, 4.0), (11, 3.0)):
        cube.location.z = height
        cube.keyframe_insert("location", index=2, frame=frame)
    scene.frame_set(1)
    scene.limberjack.ground = scene.limberjack.contact = True
    run = bake(scene, start=start, last=8, overwrite=True)
    assert run.simulation.trajectory.link(cube.name)[0, 2] == pytest.approx(4.0, abs=1e-6)


@pytest.fixture
def limb(scene, build):
    """A ball joint whose start is a turn by 0.5 rad about x, and whose cone about z is 0.2 rad wide."""
    cube = build.tagged_cube("limb", (0.0, 0.0, 2.0))
    empty = build.join(cube, type="ball")
    settings = joint(empty)
    settings.axes[3].xyz, settings.axes[3].use_upper, settings.axes[3].upper = (0.0, 0.0, 1.0), True, 0.2
    settings.use_home = True
    for coordinate, value in zip(settings.coordinates, (math.cos(0.25), math.sin(0.25), 0.0, 0.0), strict=True):
        coordinate.home = value
    bpy.context.view_layer.update()
    return empty


def told_of(result, obj):
    """Notes and findings of a bake about a joint."""
    return [text for text in (*result.notes, *result.diagnoses) if f"joint '{obj.name}'" in text]


def test_a_start_beyond_a_cone_is_told_once(scene, limb):
    """Guards limbs of ragdolls: the check's warning and the doctor's finding about one start were told both."""
    (told,) = told_of(SimulationBake(scene, last=4).run(), limb)
    assert "on its cone angle, it starts at 0.5 rad (28.65°), beyond its upper limit 0.2 rad" in told


def test_a_home_where_nothing_starts_is_not_told(scene, limb):
    """Guards bakes that start at other poses, and motions from files: what a joint's home is has no effect there."""
    initial = {"q": {limb.name: [1.0, 0.0, 0.0, 0.0]}}
    run = SimulationBake(scene, initial=initial, last=4)
    assert told_of(run.run(), limb) == []
    assert told_of(SimulationBake(scene, start="POSE", last=4, overwrite=True).run(), limb) == []
    assert told_of(ReplayBake(scene, run.trajectory, "motion", overwrite=True).run(), limb) == []


def test_rounding_of_a_start_at_a_limit_is_not_told(scene, limb):
    """Guards starts at the end of a range, which scenes store in single precision: nobody could mend these."""
    joint(limb).axes[3].upper = 0.5 - 1e-7
    assert told_of(SimulationBake(scene, last=4).run(), limb) == []
