# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations that follow keys, drivers and strips: on drives, forces, wind, gravity, and on whether joints act."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.inputs.inputs import Samples, Switch
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.animation.animated import ANIMATED, FOLLOWED, FOLLOWED_ON_AXES, SCENE_PATHS, STRENGTH
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core.controls.schedule import AXIS_FIELDS, LINK_FIELDS

from .baked import bake, matrices_at, show
from .conftest import joint, link

G = 9.81
FPS = 24.0
ON_AXIS = f"{ids.JOINT}.axes[0]."


def key(owner, path, *keys, interpolation="LINEAR"):
    """Give the property at a path, as it is shown, keys: (frame, value) each, straight from one to the next."""
    holder, _, name = path.rpartition(".")
    settings = owner.path_resolve(holder) if holder else owner
    for frame, value in keys:
        setattr(settings, name, value)
        assert owner.keyframe_insert(path, frame=frame)
    for curve in fcurves_of(owner):
        if curve.data_path == path:
            for point in curve.keyframe_points:
                point.interpolation = interpolation


def body(obj, mass=2.0, inertia=1.0):
    own = link(obj)
    own.mass_source, own.mass, own.inertia = "CUSTOM", mass, (inertia, 0.0, 0.0, inertia, 0.0, inertia)


def wheel(build, kind="continuous", **drive):
    """A cube that turns about, or slides along, z in the world, and its joint."""
    cube = build.cube(size=0.5)
    build.tag(cube)
    body(cube)
    empty = build.join(cube, type=kind)
    for name, value in drive.items():
        setattr(joint(empty).axes[0], name, value)
    return cube, empty


def turns(scene, cube, frames):
    """About z [rad], without jumps."""
    seen = matrices_at(scene, [cube], frames)[:, 0]
    return np.unwrap(np.arctan2(seen[:, 1, 0], seen[:, 0, 0]))


def places(scene, cube, frames):
    """[Blender units], shape (F, 3)."""
    return matrices_at(scene, [cube], frames)[:, 0, :3, 3]


def frames_of(scene):
    return np.arange(scene.frame_start, scene.frame_end + 1)


def seconds(scene):
    return (frames_of(scene) - scene.frame_start) / FPS


def test_what_is_followed_is_what_core_can_follow():
    """Guards the two tables against growing apart: what the scene may animate, and what a schedule takes."""
    assert set(AXIS_FIELDS) == FOLLOWED_ON_AXES
    assert FOLLOWED == {*LINK_FIELDS, *SCENE_PATHS.values(), "enabled", STRENGTH, ANIMATED}


def test_samples():
    """Guards reading between samples, and before the first and after the last."""
    number, vector = Samples(np.array([1.0, 3.0, 2.0]), 2.0), Samples(np.array([[0.0, 1.0], [2.0, 5.0]]), 10.0)
    assert [number(time) for time in (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 9.0)] == [1.0, 1.0, 2.0, 3.0, 2.5, 2.0, 2.0]
    assert vector(0.05) == pytest.approx([1.0, 3.0])
    assert vector(0.2) == [2.0, 5.0]
    assert Samples(np.array([4.0]), 24.0)(0.3) == 4.0
    switch = Switch(np.array([True, False, True]), 24.0)
    assert [switch(frame / 24.0) for frame in (-1, 0, 0.9, 1, 1.9, 2, 7)] == [True] * 3 + [False] * 2 + [True] * 2


def test_a_keyed_motor(scene, build):
    """Guards a speed that is keyed: at rest up to frame 40, then by d/I as fast as w (1 - exp(-t d/I)), and no faster.

    The key before is one frame earlier, and in that frame the speed wanted grows evenly.
    """
    scene.frame_end, scene.use_gravity = 96, False
    cube, empty = wheel(build, drive_mode="velocity", drive_damping=3.0)
    w = 4.0
    key(empty, f"{ON_AXIS}drive_target_turning", (40, 0.0), (41, w), (96, w))
    run = bake(scene)
    found = turns(scene, cube, frames_of(scene))
    assert np.abs(found[:40]).max() < 1e-6
    speed = run.trajectory.qd[:, 0]
    time, ramp = np.arange(56) / FPS, 1.0 / FPS
    begun = w / ramp * (ramp - (1.0 - math.exp(-3.0 * ramp)) / 3.0)
    assert speed[40:] == pytest.approx(w + (begun - w) * np.exp(-3.0 * time), rel=1e-6)


WAYS = ["keys", "driver", "strip"]


def animate(obj, path, end, value, way):
    """From 0 at frame 1 to a value at a frame, evenly, by one of the three ways."""
    if way == "driver":
        obj["dial"] = 0.0
        curve = obj.driver_add(path)
        curve.driver.expression = f"(frame - 1) / {end - 1} * {value!r}"
        return
    key(obj, path, (1, 0.0), (end, value))
    if way == "strip":
        data = obj.animation_data
        action, slot = data.action, data.action_slot
        data.action = None
        strip = data.nla_tracks.new().strips.new("drive", 1, action)
        strip.action_slot = slot


@pytest.mark.parametrize("way", WAYS)
def test_faces_are_animated_as_they_are_shown(scene, build, way):
    """Guards the I key over a field in degrees: what it animates is the very number that the model has."""
    _, empty = wheel(build, drive_mode="position")
    axis = joint(empty).axes[0]
    for face in ("angle", "length", "turning", "sliding"):
        animate(empty, f"{ON_AXIS}drive_target_{face}", 25, 2.0, way)
        for frame in (13, 25, 1):
            show(scene, frame)
            assert axis.drive_target == pytest.approx((frame - 1) / 12.0, abs=1e-6)
        empty.animation_data_clear()


@pytest.mark.parametrize("way", WAYS)
def test_a_target_that_moves(scene, build, way):
    """Guards keys, drivers and strips on a target in degrees: from a spring of 10 rad/s, an even lead from rest.

    x'' = w^2 (a t - x) + 2 w (a - x') has x = a t - a t exp(-w t).
    """
    scene.frame_end, scene.use_gravity = 49, False
    w, a = 10.0, math.radians(45.0)
    cube, empty = wheel(build, drive_mode="position", drive_stiffness=w * w, drive_damping=2.0 * w)
    animate(empty, f"{ON_AXIS}drive_target_angle", 49, 2.0 * a, way)
    bake(scene)
    time = seconds(scene)
    assert turns(scene, cube, frames_of(scene)) == pytest.approx(a * time - a * time * np.exp(-w * time), abs=2e-6)


@pytest.mark.parametrize("way", WAYS)
def test_stiffness_damping_effort_and_friction_in_oil(scene, build, way):
    """Guards every other number of a drive: the simulation has it as it is at each frame."""
    _, empty = wheel(build, drive_mode="position", use_effort=True, drive_target_angle=1.0)
    for name, value in (("drive_stiffness", 48.0), ("drive_damping", 4.8), ("effort", 24.0), ("damping", 2.4)):
        animate(empty, ON_AXIS + name, 25, value, way)
    controls = controls_of(scene)
    axes = controls.schedule.axes[(empty.name, 0)]
    assert set(axes) == {"drive_stiffness", "drive_damping", "effort", "damping"}
    for name, value in (("drive_stiffness", 48.0), ("drive_damping", 4.8), ("effort", 24.0), ("damping", 2.4)):
        found = [axes[name](time) for time in (0.0, 0.25, 0.5)]
        assert found == pytest.approx([0.0, 0.25 * value, 0.5 * value], rel=1e-5), name


def controls_of(scene):
    run = SimulationBake(scene)
    try:
        return run.simulation.controls
    finally:
        run.cancel()


def test_force_along_a_way(scene, build):
    """Guards damping that is keyed, by a closed form: a speed under d(t) = c t dies as exp(-c t^2 / 2 I)."""
    scene.frame_end, scene.use_gravity = 49, False
    _, empty = wheel(build)
    animate(empty, f"{ON_AXIS}damping", 49, 3.0, "keys")
    run = bake(scene, initial={"qd": {empty.name: 2.0}})
    time = seconds(scene)
    assert run.trajectory.qd[:, 0] == pytest.approx(2.0 * np.exp(-0.75 * time**2), rel=1e-6)


def test_strength(scene, build):
    """Guards strength: a spring holds a load m g / k s below its target, and at strength 0 lets it fall freely."""
    scene.frame_end = 97
    w = 20.0
    cube, empty = wheel(build, "prismatic", drive_mode="position", drive_stiffness=2 * w * w, drive_damping=8 * w)
    joint(empty).drive_strength = 0.5
    assert scan_scene(scene).model.joints[0].axes[0].drive_stiffness == w * w
    key(empty, f"{ids.JOINT}.drive_strength", (1, 0.5), (72, 0.5), (73, 0.0), interpolation="CONSTANT")
    bake(scene)
    z = places(scene, cube, frames_of(scene))[:, 2]
    sag = G / (0.5 * w * w)
    assert z[71] == pytest.approx(-sag, abs=1e-5)
    time = np.arange(24) / FPS
    fallen = z[73:] - z[73]
    # Between two frames numbers change evenly, so strength fades over one frame: the speed then is what it has come to.
    speed = (z[74] - z[73]) * FPS + 0.5 * G / FPS
    assert fallen == pytest.approx(speed * time - 0.5 * G * time**2, abs=2e-5)


def test_an_effort_without_limit_stays_so(scene, build):
    """Guards strength on drives of any force: no number is made of infinity."""
    _, empty = wheel(build, drive_mode="velocity", drive_damping=1.0, drive_target=1.0)
    key(empty, f"{ids.JOINT}.drive_strength", (1, 0.0), (24, 1.0))
    run = bake(scene)
    assert set(run.simulation.controls.schedule.axes[(empty.name, 0)]) == {"drive_damping"}
    assert run.model.joints[0].axes[0].effort == math.inf


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_switched_off_in_flight(scene, build, unit):
    """Guards a joint that is switched off by keys: a parabola from frame 13 on, to a micrometre, in any unit."""
    scene.unit_settings.scale_length = unit
    scene.gravity = (0.0, 0.0, -G / unit)
    scene.frame_end = 37
    cube = build.cube(size=0.5 / unit, location=(1.0 / unit, 0.0, 0.0))
    build.tag(cube)
    body(cube)
    empty = build.join(cube, type="continuous", origin="CURSOR")
    key(empty, f"{ids.JOINT}.enabled", (1, True), (13, False))
    show(scene, 30)
    run = bake(scene, initial={"qd": {empty.name: 2.0}}, accuracy="exact")
    X_WL = run.trajectory.X_WL[:, 0]
    angle, time = 2.0 * 12 / FPS, np.arange(25) / FPS
    x, y = math.cos(angle) - 2.0 * math.sin(angle) * time, math.sin(angle) + 2.0 * math.cos(angle) * time
    expected = np.column_stack([x, y, -0.5 * G * time**2])
    assert np.abs(X_WL[12:, :3] - expected).max() < 1e-6
    assert np.abs(places(scene, cube, frames_of(scene))[12:] * unit - expected).max() < 2e-6


def test_switched_on_again(scene, build):
    """Guards that a joint takes hold where its link has come to: a fall ends in a swing about the same pivot."""
    scene.frame_end = 49
    cube, empty = wheel(build, "fixed")
    key(empty, f"{ids.JOINT}.enabled", (1, True), (7, False), (19, True))
    bake(scene)
    z = places(scene, cube, frames_of(scene))[:, 2]
    assert np.abs(z[:7]).max() < 1e-6
    assert z[7:19] == pytest.approx(-0.5 * G * (np.arange(1, 13) / FPS) ** 2, abs=2e-6)
    assert np.ptp(z[19:]) < 1e-6


def test_off_at_first_wherever_the_playhead_is(scene, build):
    """Guards the start: a joint that is off at the first frame does not place its link, though it acts at this one."""
    cube, empty = wheel(build, "fixed")
    cube.location.z = 1.5
    key(empty, f"{ids.JOINT}.enabled", (1, False), (20, True))
    found = []
    for frame in (1, 24):
        show(scene, frame)
        found.append(bake(scene).trajectory.X_WL[:, 0, 2])
        bpy.ops.limberjack.bake_clear()
    assert found[0][0] == pytest.approx(1.5)
    assert found[0][18] == pytest.approx(1.5 - 0.5 * G * (18 / FPS) ** 2, abs=1e-6)
    assert np.array_equal(*found)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_keyed_gravity_and_forces(scene, build, unit):
    """Guards what pushes: gravity that grows evenly, a force that fades, and a torque, in any unit.

    z'' = -g t / T + F (1 - t / T) / m, with the force as it is in newtons, wherever the unit is.
    """
    scene.unit_settings.scale_length = unit
    scene.frame_end = 25
    cube = build.cube(size=0.5 / unit)
    build.tag(cube)
    body(cube)
    key(scene, "gravity", (1, (0.0, 0.0, 0.0)), (25, (0.0, 0.0, -6.0 / unit)))
    key(cube, f"{ids.LINK}.force", (1, (0.0, 0.0, 8.0)), (25, (0.0, 0.0, 0.0)))
    key(cube, f"{ids.LINK}.torque", (1, (0.0, 0.0, 0.0)), (25, (0.0, 0.0, 3.0)))
    bake(scene)
    time = seconds(scene)
    z = places(scene, cube, frames_of(scene))[:, 2] * unit
    assert z == pytest.approx(-(time**3) + 4.0 * (time**2 / 2.0 - time**3 / 6.0), abs=2e-6)
    assert turns(scene, cube, frames_of(scene)) == pytest.approx(0.5 * time**3, abs=2e-6)


def test_a_force_that_turns_along(scene, build):
    """Guards an engine's thrust: in the link's own axes a force goes round with it, and in the world's it does not."""
    scene.use_gravity = False
    found = []
    for along in (False, True):
        cube = build.cube(f"cube{along}", size=0.5)
        build.tag(cube)
        body(cube)
        link(cube).force, link(cube).force_turns_along = (4.0, 0.0, 0.0), along
        cube.rotation_euler.z = 0.5 * math.pi
    bpy.context.view_layer.update()
    bake(scene)
    time = 23 / FPS
    found = [places(scene, bpy.data.objects[f"cube{along}"], [24])[0] for along in (False, True)]
    assert found[0] == pytest.approx((time**2, 0.0, 0.0), abs=1e-5)
    assert found[1] == pytest.approx((0.0, time**2, 0.0), abs=1e-5)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_keyed_wind(scene, build, unit):
    """Guards wind and drag: v' = c (u(t) - v) with u = a t has v = a t - a (1 - exp(-c t)) / c."""
    scene.unit_settings.scale_length = unit
    scene.use_gravity = False
    scene.frame_end = 49
    cube = build.cube(size=0.5 / unit)
    build.tag(cube)
    body(cube)
    link(cube).linear_damping = 1.5
    key(scene, f"{ids.SCENE}.wind", (1, (0.0, 0.0, 0.0)), (49, (4.0 / unit, 0.0, 0.0)))
    run = bake(scene)
    assert not [note for note in run.notes if "wind" in note]
    time, a, c = seconds(scene), 2.0, 1.5
    x = 0.5 * a * time**2 - a * time / c + a * (1.0 - np.exp(-c * time)) / c**2
    assert places(scene, cube, frames_of(scene))[:, 0] * unit == pytest.approx(x, abs=2e-6)


def test_a_driver_from_a_property(scene, build):
    """Guards a slider on another object that drives a target by its keys, and hands it on as it is at each frame."""
    scene.use_gravity = False
    cube, empty = wheel(build, drive_mode="velocity", drive_damping=1e7)
    empty.hide_set(True)
    desk = bpy.data.objects.new("desk", None)
    scene.collection.objects.link(desk)
    desk["speed"] = 0.0
    for frame, value in ((1, 0.0), (24, 2.3)):
        desk["speed"] = value
        desk.keyframe_insert('["speed"]', frame=frame)
    for curve in fcurves_of(desk):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    driver = empty.driver_add(f"{ON_AXIS}drive_target_turning").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = desk, '["speed"]'
    driver.expression = "2 * var"
    bake(scene)
    time = seconds(scene)
    assert turns(scene, cube, frames_of(scene)) == pytest.approx(2.4 * time**2, abs=1e-5)


def test_a_driver_reads_a_baked_joint(scene, build):
    """Guards joints as sensors: a needle whose driver reads a joint's value turns as the simulation did."""
    _, empty = wheel(build, drive_mode="velocity", drive_damping=3.0, drive_target=4.0)
    needle = build.cube("needle", location=(3.0, 0.0, 0.0))
    driver = needle.driver_add("rotation_euler", 2).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = empty, f"{ids.JOINT}.coordinates[0].q"
    driver.expression = "var"
    run = bake(scene, onto="BOTH")
    assert run.notes == []
    q = run.trajectory.q[:, 0]
    assert q[-1] > 1.0
    assert turns(scene, needle, frames_of(scene)) == pytest.approx(q, abs=1e-5)
