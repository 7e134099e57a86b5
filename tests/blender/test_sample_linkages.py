# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample linkages move as plane trigonometry, statics and the geometry of six legs have it."""

import math

import bpy
import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

from .baked import bake, matrices_at
from .conftest import joint
from .samples import maker, open_sample

pytestmark = pytest.mark.slow

SINGLE = 1e-6
"""Metres and radians that single precision is off by."""


def seen(scene, run, *names):
    """Matrices of links as Blender shows them, by name, shape (F, 4, 4)."""
    matrices = matrices_at(scene, [scene.objects[name] for name in names], run.frames)
    return {name: matrices[:, number] for number, name in enumerate(names)}


def turned(matrices, rest):
    """Angles [rad] by which an object has turned towards who looks along +y, shape (F,), whole turns counted."""
    turns = matrices[:, :3, :3] @ np.array(rest)[:3, :3].T
    return np.unwrap(np.arctan2(turns[:, 2, 0], turns[:, 0, 0]))


def rest_of(scene, *names):
    """Matrices of the scene as it is drawn, all joints at 0."""
    for obj in scene.objects:
        joint(obj).use_home = False
    bpy.ops.limberjack.pose_reset()
    return [scene.objects[name].matrix_world.copy() for name in names]


def test_the_four_bar_draws_its_line():
    """Guards a loop with a motor: Freudenstein's equation, and the pen where two circles have it, so on its line."""
    made, scene = maker("four_bar"), open_sample("four_bar")
    crank_rest, rocker_rest = (scene.objects[name].matrix_world.copy() for name in ("crank", "rocker"))
    run = bake(scene)
    found = seen(scene, run, "crank", "rocker", "coupler")
    crank = made.START + turned(found["crank"], crank_rest)
    first = math.atan2(made.rocker_pin(made.START)[1], made.rocker_pin(made.START)[0] - made.GROUND)
    rocker = first + turned(found["rocker"], rocker_rest)
    a, b, c, d = made.CRANK, made.COUPLER, made.ROCKER, made.GROUND
    constant = (a * a - b * b + c * c + d * d) / (2.0 * a * c)
    freudenstein = d / a * np.cos(rocker) - d / c * np.cos(crank) + constant - np.cos(crank - rocker)
    assert np.abs(freudenstein).max() < 1e-5
    expected = np.array([made.pen(angle) for angle in crank])
    pen = found["coupler"][:, [0, 2], 3] - (0.0, made.HEIGHT)
    assert np.abs(pen - expected).max() < SINGLE
    straight = np.abs(np.mod(crank, math.tau) - math.pi) < math.radians(80.0)
    assert np.ptp(pen[straight, 1]) < 0.003 * np.ptp(pen[straight, 0])
    seconds = (run.frames[-1] - run.frames[24]) / 24.0
    assert (crank[-1] - crank[24]) / seconds == pytest.approx(made.SPEED, rel=0.01)


def test_the_desk_lamp_comes_to_rest_in_balance():
    """Guards springs between links: arms settle where the potential, written down by hand, has its minimum."""
    made, scene = maker("desk_lamp"), open_sample("desk_lamp")
    run = bake(scene)
    found = seen(scene, run, "lower arm", "upper arm", "elbow", "bracket")
    rest = rest_of(scene, "lower arm", "upper arm")
    arms = zip(("lower arm", "upper arm"), (made.LOWER, made.UPPER), rest, made.PUSHED, strict=True)
    for name, arm, drawn, push in arms:
        angles = arm.balance + turned(found[name], drawn)
        assert angles[0] == pytest.approx(arm.balance + push, abs=SINGLE)
        low = minimize_scalar(arm.potential, (arm.balance - 0.1, arm.balance + 0.1), tol=1e-10).x
        assert angles[-1] == pytest.approx(low, abs=0.01)
    for name in ("elbow", "bracket"):  # carried level by the parallelograms
        assert np.abs(found[name][:, :3, :3] - found[name][0, :3, :3]).max() < SINGLE


def test_the_desk_lamp_stays_in_balance():
    """Guards statics exactly: let go where the springs were made to balance it, the lamp does not move."""
    scene = open_sample("desk_lamp")
    rest_of(scene)
    run = bake(scene, accuracy="exact")
    names = ["lower arm", "upper arm", "bracket", "shade"]
    for name, matrices in seen(scene, run, *names).items():
        assert np.abs(matrices - matrices[0]).max() < 2e-4, name


def test_the_stewart_platform_goes_where_its_legs_reach():
    """Guards loops and keyed drives: legs as long as geometry has it, and the platform where it is keyed to be."""
    made, scene = maker("stewart"), open_sample("stewart")
    rest = scene.objects["platform"].matrix_world.copy()
    run = bake(scene)
    legs = [f"leg {number + 1} {part}" for part in ("cylinder", "piston") for number in range(made.LEGS)]
    found = seen(scene, run, "platform", *legs)
    feet, heads = (np.stack([found[name][:, :3, 3] for name in names], axis=1) for names in (legs[:6], legs[6:]))
    assert np.abs(feet - made.FEET).max() < SINGLE
    for i, frame in enumerate(run.frames):
        turn = found["platform"][i, :3, :3] @ np.array(rest)[:3, :3].T
        way = found["platform"][i, :3, 3] - made.CENTRE
        assert np.abs(heads[i] - made.heads(way, turn)).max() < SINGLE
        lengths = np.linalg.norm(heads[i] - feet[i], axis=1)
        assert lengths == pytest.approx(made.leg_lengths(way, turn), abs=SINGLE)
        keyed_way, keyed_turn = made.pose(int(frame))
        assert np.linalg.norm(way - keyed_way) < 0.003
        assert Rotation.from_matrix(turn @ keyed_turn.T).magnitude() < math.radians(1.0)
