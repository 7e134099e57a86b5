# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake onto joints: played through them, every link is where the trajectory has it."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.receipt import receipt_of
from limberjack.addon.bake.receipts.restore import bake_of
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.animation.motion_sources import is_bake
from limberjack.addon.nodes.animation import fcurves_of

from .baked import bake, coordinates, matrices_at, show, thrown, turning_holder, turns_of, turns_of_poses, weigh
from .conftest import joint, link
from .test_posing import four_bar

CLOSE = 1e-4
"""Most that a link may be off by [m, rad]: coordinates are of single precision, and add up along a chain."""

VALUE = "limberjack_joint.coordinates[0].q"


def require_close(scene, run, unit=1.0):
    """Links as evaluated against the trajectory; returns how much they have moved [m, or of a quaternion]."""
    names, X_WL = run.trajectory.link_names, run.trajectory.X_WL
    objects = [run.reading.objects[name] for name in names]
    seen = matrices_at(scene, objects, run.frames)
    for number, (name, obj) in enumerate(zip(names, objects, strict=True)):
        off = np.linalg.norm(unit * seen[:, number, :3, 3] - X_WL[:, number, :3], axis=1).max()
        turned = (turns_of_poses(X_WL[:, number]).inv() * turns_of(seen[:, number], np.array(obj.scale))).magnitude()
        assert off <= CLOSE, name
        assert turned.max() <= CLOSE, name
    return np.ptp(X_WL, axis=0).max()


def linkage(scene, build):
    bars, pins = four_bar(build)
    return bars.values(), {"qd": {pins["a"].name: 4.0}}


def balls(scene, build):
    return thrown(build)


def slider(scene, build):
    """A rail that leans, in a scene of centimetres."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube(location=(30.0, 0.0, 0.0), size=20.0)
    build.tag(cube)
    weigh(cube)
    empty = build.join(cube, type="prismatic")
    joint(empty).axes[0].xyz = (0.6, 0.0, 0.8)
    return [cube], {"qd": {empty.name: 2.0}}


def screw(scene, build):
    cube = build.cube(size=0.5)
    build.tag(cube)
    empty = build.join(cube, type="screw")
    joint(empty).pitch = 0.3
    return [cube], {"qd": {empty.name: 15.0}}


def letting_go(scene, build):
    """The lower bar lets go of the upper one at frame 9, and flies on."""
    bars, empties = build.pendulum(2)
    settings = joint(empties[1])
    settings.use_released_at, settings.released_at = True, 9.0
    return bars, {"qd": {empty.name: 3.0 for empty in empties}}


def soft_stop(scene, build):
    """A bar that falls far into a stop that gives way."""
    bars, empties = build.pendulum(1)
    weigh(*bars)
    axis = joint(empties[0]).axes[0]
    axis.use_upper, axis.upper, axis.use_stiffness, axis.stiffness = True, 0.2, True, 20.0
    return bars, {"qd": {empties[0].name: 3.0}}


def floating_chain(scene, build):
    """Two bars on a bar that no joint holds."""
    bars, empties = build.pendulum(3)
    bpy.data.objects.remove(empties[0])
    bars[0].rotation_mode = "YZX"
    return bars, {"qd": {empties[1].name: 5.0, empties[2].name: -4.0}}


def universal(scene, build):
    bars, empties = build.pendulum(2)
    joint(empties[0]).type = "universal"
    return bars, {"qd": {empties[0].name: [4.0, -3.0], empties[1].name: 2.0}}


SCENES = (linkage, balls, slider, screw, letting_go, soft_stop, floating_chain, universal)


@pytest.mark.parametrize("onto", ["JOINTS", "BOTH"])
@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_played_through_joints(scene, build, make, onto):
    """Guards that values of joints say all: loops, balls, sliders, screws, stops and what lets go, at every frame."""
    bars, throw = make(scene, build)
    unit = scene.unit_settings.scale_length
    run = bake(scene, initial=throw, onto=onto)
    assert require_close(scene, run, unit) > 0.1
    assert any(is_bake(getattr(obj.animation_data, "action", None)) for obj in scene.objects if joint(obj).is_joint)
    before = set(bpy.data.actions)
    bpy.ops.limberjack.bake_clear()
    assert len(before) == 1
    assert not bpy.data.actions
    assert all(obj.animation_data is None for obj in bars)


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_reduced_on_joints(scene, build, make):
    """Guards the stated error where joints lead: it holds for every link, loops and long chains among them."""
    _, throw = make(scene, build)
    unit = scene.unit_settings.scale_length
    panel = scene.limberjack.bake
    panel.reduces, panel.distance, panel.angle = True, 1e-3 / unit, math.radians(0.2)
    run = bake(scene, initial=throw, onto="JOINTS")
    receipt = receipt_of(bake_of(scene))
    names, X_WL = run.trajectory.link_names, run.trajectory.X_WL
    objects = [run.reading.objects[name] for name in names]
    seen = matrices_at(scene, objects, run.frames)
    off = np.linalg.norm(unit * seen[..., :3, 3] - X_WL[..., :3], axis=2).max()
    turned = max(
        (turns_of_poses(X_WL[:, number]).inv() * turns_of(seen[:, number], np.array(obj.scale))).magnitude().max()
        for number, obj in enumerate(objects)
    )
    assert off <= 1e-3 + 1e-5
    assert turned <= math.radians(0.2) + 1e-5
    assert (receipt.off_by, receipt.turned_by) == pytest.approx((off, turned), abs=1e-5)


def test_a_stop_is_run_into(scene, build):
    """Guards values beyond a limit: a soft stop gives way, and the keys say so, unclamped."""
    bars, throw = soft_stop(scene, build)
    run = bake(scene, initial=throw, onto="JOINTS")
    assert run.trajectory.q[:, 0].max() > 0.3
    empty = next(obj for obj in scene.objects if joint(obj).is_joint)
    frame = int(run.frames[run.trajectory.q[:, 0].argmax()])
    show(scene, frame)
    assert coordinates(empty)[0] == pytest.approx(run.trajectory.q[:, 0].max(), abs=1e-6)
    assert joint(empty).coordinates[0].value_angle == pytest.approx(run.trajectory.q[:, 0].max(), abs=1e-5)
    assert len(bars) == 1


def led(scene, build):
    """A bar that is keyed to swing, and two that hang on it."""
    bars, empties = build.pendulum(3)
    bpy.data.objects.remove(empties[0])  # or the joint would hold it in the world
    holder = turning_holder(scene)
    show(scene, 1)
    bars[0].parent, bars[0].matrix_parent_inverse = holder, holder.matrix_world.inverted()
    link(bars[0]).motion = "KINEMATIC"
    bpy.context.view_layer.update()
    build.tag(*bars)
    return bars


@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
def test_an_animated_link_leads(scene, build, onto):
    """Guards links that move as they are animated: they keep their animation, and what hangs on them has the bake."""
    bars = led(scene, build)
    before = matrices_at(scene, bars[:1], np.arange(1, 25))
    run = bake(scene, onto=onto)
    assert require_close(scene, run) > 0.3
    assert bars[0].animation_data is None
    assert np.array_equal(matrices_at(scene, bars[:1], np.arange(1, 25)), before)
    bpy.ops.limberjack.bake_clear()
    assert not [action for action in bpy.data.actions if is_bake(action)]


def test_a_leader_that_plays_a_bake_is_named(scene, build):
    """Guards against a link that would lead itself: baked first, then called kinematic, it is refused in words."""
    bars, _ = build.pendulum(2)
    bake(scene)
    link(bars[0]).motion = "KINEMATIC"
    with pytest.raises(BakeError, match=r"'bar0' is to move as it is animated, but plays an earlier bake.*Clear Bake"):
        SimulationBake(scene)


@pytest.mark.parametrize("onto", ["JOINTS", "BOTH"])
def test_a_driver_reads_the_values(scene, build, onto):
    """Guards the use of keys on joints: a driver that reads a joint's value follows the trajectory."""
    _, empties = build.pendulum(2)
    gauge = build.cube("gauge")
    driver = gauge.driver_add("location", 2).driver
    driver.type = "SUM"
    target = driver.variables.new().targets[0]
    target.id, target.data_path = empties[1], VALUE
    run = bake(scene, onto=onto)
    column = [name for name, _ in run.trajectory.q_names].index("bar1_joint")
    heights = matrices_at(scene, [gauge], run.frames)[:, 0, 2, 3]
    assert np.ptp(heights) > 0.5
    assert heights == pytest.approx(run.trajectory.q[:, column], abs=1e-5)


def test_what_lets_go_keeps_its_last_value(scene, build):
    """Guards a released joint's value: it stays as it was then, and the link that flies on has its own keys."""
    bars, throw = letting_go(scene, build)
    run = bake(scene, initial=throw, onto="JOINTS")
    values = [point.co.y for point in next(fcurves_of(scene.objects["bar1_joint"])).keyframe_points]
    assert np.isfinite(values).all()
    assert len(set(np.round(values[9:], 6))) == 1
    assert bars[0].animation_data is None
    assert {curve.data_path for curve in fcurves_of(bars[1])} >= {"location"}
    assert require_close(scene, run) > 0.1
