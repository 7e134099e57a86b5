"""Samples in which things touch: each moves as a closed form, or what is kept, has it."""

import json
import math

import numpy as np
import pytest

from .baked import bake, matrices_at
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


def test_tumble():
    """Guards a crowd of contacts on a jointed body: down the stairs to rest, nothing sinks in, no joint gapes."""
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
    from limberjack.addon.bridge.numbers import parse_pose
    from limberjack.addon.bridge.poses import matrix_of_pose

    return [matrix_of_pose(parse_pose(scene.objects[name].limberjack_link.rest_pose, name)) for name in names]
