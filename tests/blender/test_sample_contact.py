# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples in which things touch: each moves as a closed form, or what is kept, has it."""

import json
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from limberjack.addon import preview as previews
from limberjack.core.spatial import compose

from .baked import bake, matrices_at, turns_of_poses
from .conftest import joint
from .samples import SAMPLES, maker, open_sample

FPS, G = 24.0, 9.81


def paths(run, *names):
    """Places of links [m], shape (F, 3) each."""
    known = run.trajectory.link_names
    return [run.trajectory.X_WL[:, known.index(name), :3] for name in names]


def test_newtons_cradle():
    """Guards impacts without loss: the first ball stops, the last one swings as high, and back it goes."""
    make = maker("cradle")
    run = bake(open_sample("cradle"))
    first, *middle, last = (path - (0.0, 0.0, make.TOP) for path in paths(run, *(f"ball {n}" for n in range(1, 6))))
    angles = [
        np.degrees(np.arctan2(path[:, 0] - path0, -path[:, 2])) for path, path0 in _hung(make, first, *middle, last)
    ]
    assert angles[0][0] == pytest.approx(-40.0, abs=1e-4)
    assert angles[-1].max() == pytest.approx(40.0, abs=0.3)  # gaps let each ball be struck a little beyond its lowest
    leaving = np.nonzero(angles[-1] > 1.0)[0][0]
    assert max(np.abs(angle[: leaving + 8]).max() for angle in angles[1:-1]) < 0.5
    assert abs(angles[0][leaving + 4]) < 0.5
    assert run.report.relative_drift < 1e-8
    assert len(run.trajectory.impacts) >= 40


def _hung(make, *seen):
    pitch = 2.0 * make.RADIUS + make.GAP
    return [(path, (number - (make.COUNT - 1) / 2.0) * pitch) for number, path in enumerate(seen)]


def test_dominoes():
    """Guards a front of contacts: all fall, and it runs at about the speed of a model of one degree of freedom."""
    make, numbers = maker("dominoes"), json.loads((SAMPLES / "dominoes.json").read_text())["front"]
    run = bake(open_sample("dominoes"), step=0.1)
    times = run.trajectory.times
    fallen = []
    for number in range(1, make.COUNT + 1):
        w, _, y, _ = run.trajectory.X_WL[:, run.trajectory.link_names.index(f"domino {number}"), 3:].T
        tilt = 2.0 * np.arctan2(y, w)
        assert tilt[-1] > math.radians(60.0), number
        fallen.append(
            float(np.interp(math.radians(5.0), tilt[: int(tilt.argmax()) + 1], times[: int(tilt.argmax()) + 1]))
        )
    assert np.all(np.diff(fallen) > 0.0)
    speed = 14 * (make.THICKNESS + make.GAP) / (fallen[28] - fallen[14])
    assert speed == pytest.approx(numbers["speed"], rel=numbers["part"])


def test_gripper():
    """Guards friction that holds: nothing creeps, fingers press with their drives' force, friction bears the weight."""
    make = maker("gripper")
    run = bake(open_sample("gripper"))
    bar, hand = paths(run, "bar", "hand")
    held = bar[25:] - hand[25:]
    assert np.abs(held - held[0])[:, 1:].max() < 1e-6
    assert bar[-1] == pytest.approx((make.OVER, 0.0, bar[0, 2] + make.LIFT), abs=2e-3)
    last = run.trajectory.contacts.at(len(run.trajectory) - 1)
    forces = np.where((last.second == "bar")[:, None], last.force, -last.force)
    assert forces.sum(axis=0) == pytest.approx((0.0, 0.0, make.MASS * G), abs=1e-4)
    assert np.abs(forces[:, 0]).sum() == pytest.approx(2.0 * make.FORCE, rel=1e-4)


def test_rimless_wheel():
    """Guards a gait: McGeer's mean speed, whatever it began with, when it has settled."""
    pace = json.loads((SAMPLES / "wheel.json").read_text())["pace"]
    make = maker("wheel")
    run = bake(open_sample("wheel"))
    landings = np.unique(np.round(run.trajectory.impacts.time, 4))
    landings = landings[np.diff(landings, prepend=-1.0) > 0.1][-5:]
    assert landings[-1] > 8.0
    step = 2.0 * make.LENGTH * math.sin(math.pi / make.SPOKES)
    assert step / np.diff(landings).mean() == pytest.approx(pace, rel=2e-3)
    (hub,) = paths(run, "wheel")
    along = hub @ (math.cos(make.SLOPE), 0.0, -math.sin(make.SLOPE))
    assert (along[-1] - along[0]) / 10.0 == pytest.approx(pace, rel=0.25)  # it has to find its pace first
    assert np.abs(hub[:, 1]).max() < 0.01


def test_marble_run():
    """Guards rolling: the marbles gain 5/7 g sin(slope) on the first chute, and lie in the tray in the end."""
    make = maker("marbles")
    run = bake(open_sample("marbles"))
    seen = paths(run, *(f"marble {number + 1}" for number in range(make.COUNT)))
    times = np.arange(13) / FPS
    for number, path in enumerate(seen):
        marble = run.model.link(f"marble {number + 1}")  # whose mesh weighs by its facets: not quite 2/5 m R^2
        share = 1.0 / (1.0 + marble.inertia[3] / (marble.mass * make.RADIUS**2))
        assert share == pytest.approx(5.0 / 7.0, rel=5e-3)
        way = np.linalg.norm(path[:13] - path[0], axis=1)
        assert way == pytest.approx(0.5 * share * G * math.sin(make.SLOPE) * times**2, abs=5e-5)
        assert path[-1, 2] < 0.15
        assert 0.4 < path[-1, 0] < 0.7


def test_a_puppet_in_the_air_is_played_without_a_halt():
    """Guards Play where stops strike again and again in the air: 700 evaluations an event, every 4 us, held it up."""
    scene = open_sample("tumble")
    scene.render.fps, scene.limberjack.accuracy, scene.limberjack.preview.pace = 24, "draft", "EVERY"
    preview = previews.begin(scene)
    preview.play()
    try:
        while preview.playhead < scene.frame_start + 48:
            preview.tick(1.0 / 24.0)
        assert preview.motion.done >= 48
        assert preview.motion.simulation.report.evaluations < 20_000
    finally:
        previews.end()


def test_tumble():
    """Guards many contacts on a jointed body: down the stairs to rest, nothing sinks in, no joint gapes."""
    make, scene = maker("tumble"), open_sample("tumble")
    run = bake(scene)
    names = [name for name in run.trajectory.link_names if name in maker("puppet").LINKS]
    assert run.diagnose() == []
    assert run.trajectory.contacts.gap.min() > -0.02  # in the step of a blow, at draft
    assert run.trajectory.contacts.at(119).gap.min() > -1e-3
    assert run.trajectory.kinetic[-1] < 1e-3
    lost = np.diff(run.trajectory.kinetic + run.trajectory.potential)
    assert lost[10:].max() < 0.05
    pelvis, *others = paths(run, "pelvis", *names)
    assert pelvis[0, 2] > make.TOP
    assert pelvis[-1, 2] < 0.2
    assert pelvis[-1, 1] < -make.STEPS * make.TREAD
    assert min(path[-1, 2] for path in others) > 0.0
    seen = matrices_at(scene, [scene.objects[name] for name in ("thigh.L", "shin.L")], [1, 30, 60, 120])
    knees = np.array(make._lifted(maker("puppet").KNEE))
    for matrices in seen:
        local = [np.linalg.inv(first) @ (*knees, 1.0) for first in _drawn(scene, "thigh.L", "shin.L")]
        one, other = (matrix @ point for matrix, point in zip(matrices, local, strict=True))
        assert one == pytest.approx(other, abs=1e-5)


def _drawn(scene, *names):
    """Matrices of links where they were drawn, from their rest poses."""
    from limberjack.addon.bridge.posing.link_poses import matrix_of_pose
    from limberjack.addon.bridge.values.numbers import parse_pose

    return [matrix_of_pose(parse_pose(scene.objects[name].limberjack_link.rest_pose, name)) for name in names]


# The rattlebacks


def inertia_of(make):
    """Of a stone about its centre of mass, shape (3, 3)."""
    xx, xy, xz, yy, yz, zz = make.INERTIA
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def rolling(make, state):
    """Rates of a stone that rolls on the ground: Newton and Euler about the point that touches, in the stone's axes.

    state: its quaternion, x y z w, and its angular velocity. A stone that rolls has v = -w x r, where r reaches from
    its centre of mass to where it touches; so the ground's force F follows from m (v' + w x v) = F - m g n, and the
    moments about the centre of mass give I w' + w x I w = r x F, which is linear in w'.
    """
    turn, w = state[:4] / np.linalg.norm(state[:4]), state[4:]
    n = Rotation.from_quat(turn).inv().apply((0.0, 0.0, 1.0))
    squares, I = np.square(make.RADII), inertia_of(make)
    span = math.sqrt(n @ (squares * n))
    r = -squares * n / span - (0.0, 0.0, -make.LOW)
    tips = np.cross(n, w)
    moves = -squares * tips / span + squares * n * (n @ (squares * tips)) / span**3
    known = np.cross(w, -np.cross(w, r)) - np.cross(w, moves) + G * n
    across = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    torque = make.MASS * np.cross(r, known) - np.cross(w, I @ w)
    faster = np.linalg.solve(I - make.MASS * across @ across, torque)
    turning = 0.5 * np.append(w * turn[3] + np.cross(turn[:3], w), -turn[:3] @ w)
    return np.concatenate([turning, faster])


def test_rattlebacks():
    """Guards rolling on an ellipsoid: one stone turns back, the other goes on, as rolling has both."""
    make = maker("rattleback")
    run = bake(open_sample("rattleback"))
    times = run.trajectory.times[make.HELD - 1 :] - run.trajectory.times[make.HELD - 1]
    spins = {}
    for name, (sign, _, _) in make.STONES.items():
        poses = run.trajectory.X_WL[make.HELD - 1 :, run.trajectory.link_names.index(name)]
        turns = turns_of_poses(poses)
        begins = np.append(turns[0].as_quat(), turns[0].inv().apply((0.0, 0.0, sign * make.SPIN)))
        found = solve_ivp(
            lambda t, state: rolling(make, state), (0.0, times[-1]), begins, "DOP853", times, rtol=1e-9, atol=1e-12
        )
        apart = turns * Rotation.from_quat(found.y[:4].T).inv()
        assert apart.magnitude().max() < 2e-4  # the file has places and turns in single precision
        ahead = turns.as_matrix()[:, :, 0]
        spins[name] = np.gradient(np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])), times)
    assert spins["wrong way"][2] < -4.0
    assert spins["wrong way"][-30:].mean() > 4.0
    assert spins["right way"].min() > 3.5
    assert make.INERTIA[1] < 0.0  # which decides what the wrong way is
    energy = (run.trajectory.kinetic + run.trajectory.potential)[make.HELD - 1 :]
    moving = energy[0] - make.MASS * G * sum(make.RADII[2] - make.LOW for _ in spins)
    assert np.diff(energy).max() < 1e-7 * moving
    assert energy[-1] == pytest.approx(energy[0], abs=1e-5 * moving)


def test_a_rattleback_rattles():
    """Guards the small motions of a stone at rest: both frequencies are those of Bondi's linear theory without spin.

    About where it touches, M a'' + K a = 0 for small turns a about its long and its short way: M is the inertia there,
    and K is m g times how far the centres of curvature, b^2 / c and a^2 / c up, are above the centre of mass.
    """
    make, scene = maker("rattleback"), open_sample("rattleback")
    for name, (_, at, _) in make.STONES.items():
        joint(scene.objects[f"hand {name}"]).enabled = False
        make.put(scene.objects[name], at, math.radians(0.1))
    scene.render.fps = 480
    run = bake(scene, first=1, last=721)
    a, b, c = make.RADII
    height = c - make.LOW
    M = inertia_of(make)[:2, :2] + make.MASS * height**2 * np.eye(2)
    K = make.MASS * G * np.diag([b * b / c - height, a * a / c - height])
    squares, shapes = eigh(K, M)
    for name in make.STONES:
        ups = turns_of_poses(run.trajectory.X_WL[:, run.trajectory.link_names.index(name)]).as_matrix()[:, 2]
        tilts = np.stack([ups[:, 1], -ups[:, 0]])
        for way, frequency in zip(shapes.T @ M @ tilts, np.sqrt(squares) / math.tau, strict=True):
            before = np.nonzero((way[:-1] < 0.0) & (way[1:] >= 0.0))[0]
            crossed = run.trajectory.times[before] - way[before] * (1.0 / 480.0) / (way[before + 1] - way[before])
            assert len(crossed) >= 7
            assert 1.0 / np.diff(crossed).mean() == pytest.approx(frequency, rel=5e-3)


# The car over bumps


def heights_over(make, x):
    """Of a wheel's middle, at places along the road: over a bump, it is on a circle about the bump's axis."""
    reach = make.RADIUS + make.BUMP_RADIUS
    arcs = [
        height - make.BUMP_RADIUS + np.sqrt(np.maximum(reach**2 - (x - at) ** 2, 0.0))
        for at, height in make.BUMPS.items()
    ]
    return np.maximum(make.RADIUS, np.max(arcs, axis=0))


def test_a_car_over_bumps():
    """Guards rigid wheels on rigid bumps: they roll, rise as a circle over a circle does, and stay on the ground."""
    make = maker("bumps")
    run = bake(open_sample("bumps"))
    assert run.diagnose() == []
    wheels = [f"wheel.{name}" for name in make.CORNERS]
    for name, path in zip(wheels, paths(run, *wheels), strict=True):
        assert path[:, 2] == pytest.approx(heights_over(make, path[:, 0]), abs=1e-5), name
        for at, height in make.BUMPS.items():
            near = np.abs(path[:, 0] - at) < 0.1
            assert path[near, 2].max() - make.RADIUS == pytest.approx(height, abs=6e-4)  # 6 cm lie between two frames
        turns = turns_of_poses(run.trajectory.X_WL[:, run.trajectory.link_names.index(name)]).as_matrix()
        rolled = np.unwrap(np.arctan2(turns[:, 0, 0], turns[:, 2, 0])) * make.RADIUS
        flat = path[:, 0] < min(make.BUMPS) - 0.5
        assert flat.sum() > 30
        assert rolled[flat] - rolled[0] == pytest.approx(path[flat, 0] - path[0, 0], abs=1e-4)
    (body,) = paths(run, "body")
    assert np.diff(body[-24:, 0]).mean() * FPS == pytest.approx(make.SPEED, rel=5e-3)


def test_a_car_stands_as_its_springs_were_chosen():
    """Guards the ride height, by statics: nothing moves before the car sets off, and each wheel bears a quarter."""
    make = maker("bumps")
    run = bake(open_sample("bumps"), last=10)
    for path in paths(run, "body", *(f"wheel.{name}" for name in make.CORNERS)):
        assert path - path[0] == pytest.approx(np.zeros_like(path), abs=2e-5)
    weight = (make.BODY + 4.0 * (2.0 * make.ARM + make.UPRIGHT + make.WHEEL)) * G
    last = run.trajectory.contacts.at(9)
    assert set(last.second) == {f"wheel.{name}" for name in make.CORNERS}
    for name in make.CORNERS:
        assert abs(last.force[last.second == f"wheel.{name}", 2].sum()) == pytest.approx(weight / 4.0, rel=1e-3)


def test_a_cars_loops_stay_closed():
    """Guards loops under blows: an arm's ball stays in its upright, which does not turn in the body."""
    make = maker("bumps")
    run = bake(open_sample("bumps"))
    poses = {name: run.trajectory.X_WL[:, number] for number, name in enumerate(run.trajectory.link_names)}
    for name in make.CORNERS:
        ball = run.model.joint(f"upper knuckle.{name}")
        ends = [
            np.array([compose(pose, frame)[:3] for pose in poses[link]])
            for link, frame in ((ball.parent, ball.X_PJ), (ball.child, ball.X_CJ))
        ]
        assert np.linalg.norm(ends[0] - ends[1], axis=1).max() < 1e-9
        turned = turns_of_poses(poses["body"]).inv() * turns_of_poses(poses[f"upright.{name}"])
        assert (turned * turned[0].inv()).magnitude().max() < 1e-6  # the arms are drawn in single precision
    arms = turns_of_poses(poses["body"]).inv() * turns_of_poses(poses["lower arm.front.L"])
    assert (arms * arms[0].inv()).magnitude().max() > 0.05
