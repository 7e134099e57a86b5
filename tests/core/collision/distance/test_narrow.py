# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances, normals and points of every pair of kinds, each with a proof that needs nothing of core.

A separation along any unit vector bounds the signed distance from below. Where two solids are apart, a point of each
bounds it from above. Where they overlap, a search of many starts must find no greater separation.
"""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from limberjack.core.collision.hulls import convex_hull
from limberjack.core.collision.packing import Solid
from limberjack.core.collision.solids import BALL, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE
from support.proofs import rounding
from support.solids import (
    NAMES,
    SHAPES,
    Crowd,
    best_separations,
    distances_to_ellipsoids,
    measured,
    outside,
    random_crowds,
    random_directions,
    random_rotations,
    separations,
)

PAIRS = [(a, b) for a in range(PLANE, HULL + 1) for b in range(max(a, BALL), HULL + 1)]
CURVED = {CYLINDER, CONE, ELLIPSOID}
COUNTS = [pytest.param(33, id="quick"), pytest.param(200, id="all", marks=pytest.mark.slow)]
"""Placements of each pair of kinds in each of nine shapes; docs/make_distances.py proves 20,000."""

TOLERANCE = 1e-12
"""Of the sizes: distances and normals."""
COINCIDENT = 1e-4
"""Distances of solids of which one is round, with one middle: a whole ring of normals is nearly as good."""
BESIDE = 2e-8
"""Of the sizes: witness points of a pair of which one is curved, and that is apart."""
ROUGH = 1e-4
"""The same where they overlap: one in some ten thousand has a normal that lacks a few digits."""


def named(pair) -> str:
    return f"{NAMES[pair[0]]}-{NAMES[pair[1]]}"


def sizes_of(A: Crowd, B: Crowd) -> np.ndarray:
    return A.sizes + B.sizes


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_no_direction_parts_two_solids_better_and_none_is_needed(pair, count):
    """Guards distance and normal: the normal has the separation that is told, and no other has a greater one."""
    for shape in SHAPES:
        A, B = random_crowds(*pair, shape, count)
        found, size = measured(A, B), sizes_of(A, B)
        assert np.isfinite(found.gap).all()
        assert np.abs(np.linalg.norm(found.normal, axis=1) - 1.0).max() < 1e-14
        told = separations(A, B, found.normal[:, None])[:, 0]
        # Cores that are nearly in touch leave few digits in the vector between them.
        slack = TOLERANCE + 1e-15 * size / np.maximum(np.abs(found.gap), 1e-10 * size)
        rounding = 4.0 * np.spacing(np.abs([A.t, B.t]).max())  # which the places of both have
        assert (np.abs(told - found.gap) <= slack * size + rounding).all(), shape
        starts, rounds = (150, 5) if count < 100 else (600, 8)
        better = best_separations(A, B, starts=starts, rounds=rounds) - found.gap
        middles = (A.t == B.t).all(axis=1) & bool(CURVED & set(pair))
        assert (better <= np.where(middles, COINCIDENT, TOLERANCE) * size + rounding).all(), shape


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_solids_have_their_witness_points(pair, count):
    """Guards the points, and the distance from above: each lies in its solid, and they are as far apart as is told."""
    for shape in SHAPES:
        A, B = random_crowds(*pair, shape, count)
        found, size = measured(A, B), sizes_of(A, B)
        between = np.linalg.norm(found.second_point - found.first_point, axis=1)
        assert (np.abs(between - np.abs(found.gap)) <= TOLERANCE * size + rounding(A, B)).all()
        slack = np.where(found.gap > 0.0, BESIDE, ROUGH) if CURVED & set(pair) else TOLERANCE
        for crowd, points in ((A, found.first_point), (B, found.second_point)):
            assert (outside(crowd, points) <= slack * size + rounding(A, B)).all(), shape


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_derivative_of_the_distance_is_the_velocity_along_the_normal(pair):
    """Guards normals and points of overlapping solids as well, by finite differences along a random rigid motion."""
    h, count = 1e-6, 33
    for shape in SHAPES:
        A, B = random_crowds(*pair, shape, count)
        size, rng = sizes_of(A, B), np.random.default_rng(1)
        turn, slide = rng.normal(size=(count, 3)), rng.normal(size=(count, 3)) * size[:, None]

        def at(time, A=A, B=B, turn=turn, slide=slide):
            return measured(A, replace(B, R=turned(time * turn) @ B.R, t=B.t + time * slide))

        before, found, after = at(-h), measured(A, B), at(h)
        rate = (after.gap - before.gap) / (2.0 * h)
        kink = np.abs(after.gap - 2.0 * found.gap + before.gap) / h
        unique = (kink < 1e-5 * size) & ~(A.t == B.t).all(axis=1)
        assert unique.mean() > 0.5 or shape == "aligned"
        velocity = slide + np.cross(turn, found.second_point - B.t)
        wrong = np.abs(rate - (found.normal * velocity).sum(axis=1)) - rounding(A, B) / h
        is_wrong = unique & (wrong > 5e-5 * size)
        assert not is_wrong.any(), shape


def turned(turn: np.ndarray) -> np.ndarray:
    """Rotation matrices of rotation vectors, shape (n, 3): Rodrigues."""
    angle = np.linalg.norm(turn, axis=1)[:, None, None]
    x, y, z = (turn / angle[:, 0]).T
    zero = np.zeros_like(x)
    K = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_order_and_place_do_not_matter(pair):
    """Guards the frames: a pair told the other way around, or moved as one, is as far apart along the same normal."""
    rng = np.random.default_rng(3)
    for shape in SHAPES:
        A, B = random_crowds(*pair, shape, 33)
        found, size = measured(A, B), sizes_of(A, B)
        swapped = measured(A, B, swapped=True)
        if pair[0] != pair[1]:
            assert (swapped.gap == found.gap).all()
            assert (swapped.normal == -found.normal).all()
            assert (swapped.first_point == found.second_point).all()
        middles = (A.t == B.t).all(axis=1) & bool(CURVED & set(pair))
        assert (np.abs(swapped.gap - found.gap) <= np.where(middles, COINCIDENT, TOLERANCE) * size).all()
        Q, shift = random_rotations(rng, 1)[0], 10.0 * rng.normal(size=3)
        C, D = A.moved(Q, shift), B.moved(Q, shift)
        there = measured(C, D)
        slack = np.where(middles, COINCIDENT, 1e-9) * size + rounding(A, B) + rounding(C, D)
        assert (np.abs(there.gap - found.gap) <= slack).all(), shape
        along = separations(C, D, (found.normal @ Q.T)[:, None])[:, 0]
        assert (np.abs(along - there.gap) <= slack + 1e-15 * size**2 / np.maximum(abs(found.gap), 1e-10 * size)).all()


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_beyond_the_margin_the_gap_is_beyond_it(pair):
    """Guards the quick way out: what is farther than the margin is told to be, and what is not has its distance."""
    for shape in SHAPES:
        A, B = random_crowds(*pair, shape, 33)
        exact = measured(A, B)
        margin = float(np.median(exact.gap))
        quick = measured(A, B, margin)
        near = exact.gap <= margin - TOLERANCE * sizes_of(A, B)
        assert (quick.gap[near] == exact.gap[near]).all()
        far = exact.gap > margin + TOLERANCE * sizes_of(A, B)
        assert (quick.gap[far] > margin).all()


# Closed forms, in the axes of the second solid


def ball_and(kind: int, B: Crowd, x: np.ndarray) -> np.ndarray:
    """The distance of points, shape (n, 3), from solids in their own axes, by textbook forms; below 0 inside."""
    half, across = B.half, np.hypot(x[:, 0], x[:, 1])
    if kind == BALL:
        return np.linalg.norm(x, axis=1) - B.radius
    if kind == CAPSULE:
        return np.hypot(across, np.maximum(abs(x[:, 2]) - half[:, 2], 0.0)) - B.radius
    if kind == BOX:
        over = abs(x) - half
        return np.linalg.norm(np.maximum(over, 0.0), axis=1) + np.minimum(over.max(axis=1), 0.0)
    if kind == CYLINDER:
        over = np.column_stack([across - half[:, 0], abs(x[:, 2]) - half[:, 2]])
        return np.linalg.norm(np.maximum(over, 0.0), axis=1) + np.minimum(over.max(axis=1), 0.0)
    if kind == ELLIPSOID:
        return distances_to_ellipsoids(half, x)
    corners = [(half[:, 0], -half[:, 2]), (0.0 * across, half[:, 2]), (-half[:, 0], -half[:, 2])]
    return in_triangle(across, x[:, 2], corners)


def in_triangle(x: np.ndarray, y: np.ndarray, corners: list) -> np.ndarray:
    """The signed distance of a point in the plane from a triangle, counter-clockwise: a cone cut along its axis."""
    nearest, inside = np.full(len(x), np.inf), np.ones(len(x), bool)
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        ux, uy, px, py = bx - ax, by - ay, x - ax, y - ay
        t = np.clip((px * ux + py * uy) / (ux**2 + uy**2), 0.0, 1.0)
        nearest = np.minimum(nearest, np.hypot(px - t * ux, py - t * uy))
        inside &= ux * py - uy * px >= 0.0
    return np.where(inside, -nearest, nearest)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", [BALL, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID], ids=lambda kind: NAMES[kind])
def test_balls_are_as_far_as_points(kind, count):
    """Guards the pairs of a ball, by formulas of points: a ball's distance is its middle's less its radius."""
    for shape in SHAPES:
        A, B = random_crowds(BALL, kind, shape, count)
        found = measured(A, B)
        x = np.einsum("nij,ni->nj", B.R, A.t - B.t)
        expected = ball_and(kind, B, x) - A.radius
        known = (expected + A.radius > 0.0) if kind == ELLIPSOID else np.full(count, True)
        known &= ~((A.t == B.t).all(axis=1) & (kind in CURVED))
        wrong = np.abs(found.gap - expected)[known]
        assert (wrong <= (TOLERANCE * sizes_of(A, B) + rounding(A, B))[known]).all(), shape


@pytest.mark.parametrize("pair", [(BOX, BOX), (BOX, HULL), (HULL, HULL)], ids=named)
def test_depth_of_polyhedra_is_that_of_their_difference(pair):
    """Guards depths, by scipy's hull of all differences of corners: its nearest facet to the origin is as far."""
    for shape in ("plain", "long", "flat", "aligned", "huge", "mixed"):
        A, B = random_crowds(*pair, shape, 40)
        found, size = measured(A, B), sizes_of(A, B)
        for i in np.flatnonzero(found.gap < -1e-6 * size):
            a, b = corners_of(A, i), corners_of(B, i)
            facets = ConvexHull((b[:, None] - a).reshape(-1, 3) / size[i]).equations
            assert found.gap[i] / size[i] == pytest.approx(facets[:, 3].max(), abs=1e-10), shape


def corners_of(crowd: Crowd, i: int) -> np.ndarray:
    own = crowd.clouds[i] if crowd.kind == HULL else crowd.half[i] * (2.0 * np.array(list(np.ndindex(2, 2, 2))) - 1.0)
    return own @ crowd.R[i].T + crowd.t[i]


def test_capsules_are_as_far_as_segments():
    """Guards two capsules: their segments' nearest points are inside both, or one of them is an end."""
    for shape in ("plain", "long", "mixed", "aligned"):
        A, B = random_crowds(CAPSULE, CAPSULE, shape, 200)
        found, size = measured(A, B), sizes_of(A, B)
        u, v, d = A.R[:, :, 2] * A.half[:, 2:], B.R[:, :, 2] * B.half[:, 2:], B.t - A.t
        nearest = np.full(200, np.inf)
        for end in (-1.0, 1.0):
            for p, along in ((d + end * v, u), (d - end * u, -v)):
                t = np.clip((p * along).sum(axis=1) / (along**2).sum(axis=1), -1.0, 1.0)
                nearest = np.minimum(nearest, np.linalg.norm(p - t[:, None] * along, axis=1))
        for i in range(200):
            (s, t), *_ = np.linalg.lstsq(np.column_stack([u[i], -v[i]]), d[i], rcond=None)
            if abs(s) <= 1.0 and abs(t) <= 1.0:
                nearest[i] = min(nearest[i], np.linalg.norm(d[i] + t * v[i] - s * u[i]))
        assert (np.abs(found.gap - nearest + A.radius + B.radius) <= TOLERANCE * size).all(), shape


def test_a_capsule_that_lies_on_a_box_is_not_taken_to_be_inside_of_it():
    """Guards the walk against flat simplices, whose inside is rounding: in one of 150,000 placements, which this is,
    the capsule's axis was taken to meet the box, and the gap was minus the radius. Its lower end stands on a face.
    """
    half = np.array([0.31195183057155534, 2.6641715264676042, 0.7361175663221262])
    radius, reach = 0.020014174306507867, 0.09483093331630908
    R = np.array(
        [
            [0.020989049926563252, -0.36691551284398227, -0.9300174547919072],
            [-0.6682039410288934, 0.6867938459940265, -0.28603794555650913],
            [0.7436820241048153, 0.6274449932377903, -0.23075924138416148],
        ]
    )
    t = np.array([0.20277332182408472, -1.8233941619243204, 0.7780009658064747])
    along = (0.0, 0.0, reach)
    capsule = Crowd(
        CAPSULE, [Solid(CAPSULE, along, radius)], np.array([along]), np.array([radius]), [], R[None], t[None]
    )
    box = Crowd(BOX, [Solid(BOX, tuple(half))], half[None], np.zeros(1), [], np.eye(3)[None], np.zeros((1, 3)))
    found = measured(capsule, box)
    gap = t[2] - abs(R[2, 2]) * reach - radius - half[2]
    assert -1e-4 < gap < 0.0
    assert found.gap[0] == pytest.approx(gap, abs=TOLERANCE)
    np.testing.assert_allclose(found.normal[0], (0.0, 0.0, -1.0), atol=TOLERANCE)


def test_two_points_are_as_far_apart_as_they_are():
    """Guards what has no size, for which distances have their rounding all the same: each keeps its own point."""
    rng = np.random.default_rng(5)
    count = 200
    cloud, size = np.zeros((1, 3)), np.zeros((count, 3))
    points = [Solid(HULL, hull=convex_hull(cloud))] * count
    A, B = (Crowd(HULL, points, size, size[:, 0], [cloud] * count, *at_origin(count)) for _ in range(2))
    A.R, B.R, B.t = random_rotations(rng, count), random_rotations(rng, count), rng.normal(size=(count, 3))
    found = measured(A, B)
    assert np.abs(found.gap - np.linalg.norm(B.t, axis=1)).max() < 4e-15
    assert np.abs(found.first_point).max() < 4e-15
    assert np.abs(found.second_point - B.t).max() < 4e-15


@pytest.mark.parametrize("kind", [ELLIPSOID, CAPSULE, CYLINDER, CONE, HULL], ids=lambda kind: NAMES[kind])
def test_what_just_touches_a_box_over_a_diagonal_has_no_depth(kind):
    """Guards against walks that end on a needle with the origin in it: one in twelve ellipsoids was told to be deep.

    The lowest point lies on the line between two opposite corners of the box's face, or in its middle, wherever both
    are and however they are turned.
    """
    rng, count = np.random.default_rng(8), 4000
    half, reach = np.tile([0.5, 0.25, 0.75], (count, 1)), np.full((count, 3), 0.75)
    A = Crowd(BOX, [Solid(BOX, tuple(size)) for size in half], half, np.zeros(count), [], *at_origin(count))
    octahedron = 0.75 * np.vstack([np.eye(3), -np.eye(3)])
    solid = Solid(HULL, hull=convex_hull(octahedron)) if kind == HULL else Solid(kind, (0.75, 0.75, 0.75))
    if kind == CAPSULE:
        solid = Solid(kind, (0.0, 0.0, 0.5), 0.25)
    B = Crowd(kind, [solid] * count, reach, np.zeros(count), [octahedron] * count, *at_origin(count))
    if kind == CONE:  # on its tip
        B.R = np.tile(np.diag([1.0, -1.0, -1.0]), (count, 1, 1))
    B.t = np.where(rng.random((count, 1)) < 0.5, [0.25, 0.125, 1.5], [0.0, 0.0, 1.5])
    Q, shift = random_rotations(rng, count), 10.0 * rng.normal(size=(count, 3))
    found = measured(A.moved(Q, shift), B.moved(Q, shift))
    assert np.abs(found.gap).max() < 1e-13


def at_origin(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))


def test_uncompiled_kernels_give_the_same_bits():
    """Guards the two ways of running against each other, in a process that runs plain Python."""
    environment = os.environ | {"LIMBERJACK_KERNELS": "python", "PYTHONPATH": os.pathsep.join(sys.path)}
    code = f"import runpy; print(runpy.run_path({__file__!r})['digest']())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest()


def digest() -> str:
    """All numbers of a few hundred pairs."""
    parts = []
    for a, b in PAIRS:
        for shape in ("plain", "aligned", "mixed"):
            found = measured(*random_crowds(a, b, shape, 4))
            parts.append(np.column_stack([found.gap, found.normal, found.first_point, found.second_point]).tobytes())
    return b"".join(parts).hex()


def test_far_along_a_random_direction_the_distance_is_that_of_supports():
    """Guards the sign: the farther a solid goes, the farther it is."""
    A, B = random_crowds(CONE, HULL, "plain", 50)
    away = random_directions(np.random.default_rng(5), 50)
    near, far = (measured(A, replace(B, t=A.t + k * away)) for k in (50.0, 100.0))
    assert (far.gap - near.gap > 49.0).all()
