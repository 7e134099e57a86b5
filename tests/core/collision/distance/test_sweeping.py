# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards that nothing fast or thin is missed: the time of the first touch is that of a closed form, or of a search."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.collision.broad_phase import SOLID_POSE, write_solid_poses
from limberjack.core.collision.distance.sweeping import find_impacts, sweep_boxes
from limberjack.core.collision.meshes import triangle_mesh
from limberjack.core.collision.packing import ball, box, capsule, cylinder, meshed, pack
from limberjack.core.collision.pairs import SEPARATION, make_pair_work, write_signed_distances
from limberjack.core.spatial import quat_of_rotvec, quat_to_mat
from support.surfaces import sphere_from_inside, tube

SKIN = 1e-7
PAIR = np.array([[0, 1]])


class Flight:
    """Two solids, each with a pose and a twist."""

    def __init__(self, first, second):
        self.solids, self.store = pack([replace(first, body=0), replace(second, body=1)])
        self.poses, self.twists = np.zeros((2, 12)), np.zeros((2, 6))
        self.poses[:, :9] = np.eye(3).ravel()
        self.placed, self.room = np.zeros(2, SOLID_POSE).view(np.recarray), make_pair_work()

    def first_touch(self, duration):
        times = np.zeros(1)
        find_impacts(
            self.solids, self.store, self.poses, self.twists, duration, PAIR, 1, SKIN, self.placed, self.room, times
        )
        return float(times[0])

    def gap(self, time):
        poses = self.poses.copy()
        for pose, twist in zip(poses, self.twists, strict=True):
            turn = np.reshape(quat_to_mat(quat_of_rotvec(tuple(twist[3:] * time))), (3, 3))
            pose[:9], pose[9:] = (turn @ pose[:9].reshape(3, 3)).ravel(), pose[9:] + twist[:3] * time
        write_solid_poses(self.solids, self.store, poses, self.placed)
        found = np.zeros(1, SEPARATION).view(np.recarray)
        write_signed_distances(self.solids, self.store, self.placed, PAIR, math.inf, self.room, found)
        return float(found.gap[0])


def test_a_bullet_does_not_pass_a_plate():
    flight = Flight(box((2.0, 2.0, 0.001)), ball(0.005))
    flight.poses[1, 9:], flight.twists[1, 2] = [0.3, 0.2, 3.0], -100.0
    assert flight.first_touch(0.1) == pytest.approx((3.0 - 0.0055) / 100.0, abs=1e-8)
    assert math.isinf(flight.first_touch(0.029))


def test_a_blade_does_not_pass_a_finger():
    flight = Flight(box((2.0, 0.001, 0.05)), capsule(0.004, 0.1))
    flight.poses[1, 9:], flight.twists[0, 5] = [0.8, 0.6, 0.0], 300.0
    wanted = (math.atan2(0.6, 0.8) - math.asin(0.0045)) / 300.0
    assert flight.first_touch(0.02) == pytest.approx(wanted, abs=1e-8)


def test_a_bullet_does_not_pass_a_sheet_of_triangles():
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    flight = Flight(meshed(triangle_mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))), ball(0.005))
    flight.poses[1, 9:], flight.twists[1] = [0.3, 0.2, 3.0], [10.0, 0.0, -100.0, 5.0, 0.0, 0.0]
    assert flight.first_touch(0.1) == pytest.approx((3.0 - 0.005) / 100.0, abs=1e-8)


def test_random_flights_touch_no_later_than_a_search_finds():
    """Until the time that is told nothing touches; at it the gap is the skin; and what is told to miss misses."""
    rng = np.random.default_rng(4)
    flight, hits = Flight(box((0.5, 0.02, 0.3)), cylinder(0.05, 0.4)), 0
    for _ in range(150):
        flight.poses[1, 9:] = rng.normal(size=3) * 0.5
        flight.twists[:] = rng.normal(size=(2, 6)) * 20.0
        if flight.gap(0.0) < 0.01:
            continue
        time = flight.first_touch(0.08)
        end = 0.08 if math.isinf(time) else time * (1.0 - 1e-9)
        assert min(flight.gap(at) for at in np.linspace(0.0, end, 60)) > 0.0
        if not math.isinf(time):
            hits += 1
            assert 0.0 <= flight.gap(time) <= 1.01 * SKIN
    assert hits > 10


def test_what_touches_at_first_touches_at_once():
    flight = Flight(ball(0.5), ball(0.5))
    flight.poses[1, 11], flight.twists[1, 2] = 0.9, 10.0
    assert flight.first_touch(1.0) == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_bullets_all_hit(seed):
    """Guards against what is too fast or too thin to be seen between two frames: whatever goes through is met.

    Each aims at a point of a plate that is as thin as 0.1 mm, from a few metres away, at up to 500 m/s, turning.
    """
    rng = np.random.default_rng(seed)
    for _ in range(250):
        thickness = 10.0 ** rng.uniform(-4.0, -2.0)
        shape = rng.integers(3)
        size = 10.0 ** rng.uniform(-3.0, -1.5)
        bullet = ball(size) if shape == 0 else capsule(size, 3.0 * size) if shape == 1 else box((size, size, 4 * size))
        flight = Flight(box((1.0, 1.0, thickness)), bullet)
        aim = np.append(rng.uniform(-0.4, 0.4, 2), 0.0)
        way = rng.normal(size=3)
        way[2] = abs(way[2]) + 0.3
        way /= np.linalg.norm(way)
        far, speed = rng.uniform(0.5, 3.0), 10.0 ** rng.uniform(1.0, 2.7)
        flight.poses[1, 9:], flight.twists[1, :3] = aim + far * way, -speed * way
        flight.twists[1, 3:] = rng.normal(size=3) * 30.0
        time = flight.first_touch(2.0 * far / speed)
        assert time <= far / speed
        assert 0.0 <= flight.gap(time) <= 1.01 * SKIN


def reflected(flight: Flight, seconds: float, steps: int) -> float:
    """Let solid 1, a ball, fly and bounce from solid 0 without a loss; by how much it was ever inside, at most [m]."""
    worst, left = 0.0, seconds
    for _ in range(steps):
        time = min(flight.first_touch(left), left)
        flight.poses[1, 9:] += flight.twists[1, :3] * time
        write_solid_poses(flight.solids, flight.store, flight.poses, flight.placed)
        found = np.zeros(1, SEPARATION).view(np.recarray)
        write_signed_distances(flight.solids, flight.store, flight.placed, PAIR, math.inf, flight.room, found)
        gap, n, v = float(found.gap[0]), found.normal[0], flight.twists[1, :3].copy()
        worst = max(worst, -gap)
        if gap < 2.0 * SKIN:
            flight.twists[1, :3] = v - 2.0 * min(v @ n, 0.0) * n
            flight.poses[1, 9:] += n * (2.0 * SKIN - gap)
        left -= time
        if left <= 0.0:
            break
    return worst


@pytest.mark.parametrize("speed", [1.0, 7.0, 50.0])
def test_a_ball_never_leaves_a_bent_tube_by_its_wall(speed):
    """Guards meshes from inside: a ball that bounces along a tube bent by 90 degrees comes out at its ends alone."""
    rng = np.random.default_rng(8)
    wall = meshed(triangle_mesh(*tube(1.0, 0.1, along=60, around=32)))
    for _ in range(3):
        flight = Flight(wall, ball(0.04))
        heading = np.array([0.1, 1.0, 0.0]) + 0.7 * rng.normal(size=3)
        flight.poses[1, 9:], flight.twists[1, :3] = [1.0, 0.02, 0.0], speed * heading / np.linalg.norm(heading)
        for _ in range(60):
            assert reflected(flight, 0.05 / speed, 20) <= 1e-9
            x, y, z = flight.poses[1, 9:]
            if min(x, y) < 0.0:  # beyond an end
                break
            assert math.hypot(math.hypot(x, y) - 1.0, z) < 0.1 - 0.04 + 1e-6


@pytest.mark.parametrize("speed", [1.0, 50.0])
def test_a_marble_never_leaves_a_closed_bowl(speed):
    """Guards the same where there is no way out: a sphere of triangles, from inside."""
    rng = np.random.default_rng(9)
    flight = Flight(meshed(triangle_mesh(*sphere_from_inside(0.5, 24, 48))), ball(0.05))
    heading = rng.normal(size=3)
    flight.twists[1, :3] = speed * heading / np.linalg.norm(heading)
    for _ in range(40):
        assert reflected(flight, 0.5 / speed, 20) <= 1e-9
        assert np.linalg.norm(flight.poses[1, 9:]) < 0.45 + 1e-6


def test_swept_boxes_hold_all_that_is_passed_through():
    rng = np.random.default_rng(6)
    flight = Flight(box((0.5, 0.1, 0.3)), capsule(0.1, 0.4))
    for _ in range(40):
        flight.poses[:, 9:], flight.twists[:] = rng.normal(size=(2, 3)), rng.normal(size=(2, 6)) * 5.0
        write_solid_poses(flight.solids, flight.store, flight.poses, flight.placed)
        sweep_boxes(flight.solids, flight.poses, flight.twists, 0.1, flight.placed)
        swept = flight.placed.copy()
        for time in np.linspace(0.0, 0.1, 7):
            flight.gap(time)
            assert (swept.lower <= flight.placed.lower + 1e-12).all()
            assert (swept.upper >= flight.placed.upper - 1e-12).all()
