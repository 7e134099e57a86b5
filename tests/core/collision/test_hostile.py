# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever solids are asked, and wherever they are: numbers come out of numbers, soon, and nothing breaks."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.collision.broad_phase import SOLID_POSE, write_solid_poses
from limberjack.core.collision.hulls import HullError, convex_hull
from limberjack.core.collision.manifold import CONTACT, MAX_POINTS
from limberjack.core.collision.packing import SolidError, hulled, pack
from limberjack.core.collision.pairs import SEPARATION, make_pair_work, write_contact_points, write_signed_distances
from limberjack.core.collision.solids import BALL, HULL, PLANE
from support.solids import made, quarter_turns, random_rotations

COUNTS = [pytest.param(3_000, id="quick"), pytest.param(100_000, id="all", marks=pytest.mark.slow)]
SIZES = (1e-9, 1e-6, 1e-3, 0.1, 1.0, 1.0, 2.0, 10.0, 1e3, 1e6, 1e9)
WRONG = (0.0, -1.0, 1e-300, 1e300, math.nan, math.inf, -math.inf)


def hostile_solid(rng: np.random.Generator):
    """One of any kind and of any size that is allowed; None where it was refused, as it should be."""
    kind = int(rng.integers(PLANE, HULL + 1))
    numbers = rng.choice(SIZES, 3) * (rng.uniform(0.5, 2.0, 3) if rng.random() < 0.5 else 1.0)
    is_wrong = rng.random() < 0.1
    if is_wrong:
        numbers[rng.integers(0, 3)] = rng.choice(WRONG)
    if kind == HULL and rng.random() < 0.5:
        points = rng.integers(-1, 2, (int(rng.integers(1, 9)), 3)) * numbers
        try:
            return hulled(convex_hull(points))
        except (HullError, SolidError):
            assert is_wrong or numbers.max() > 1e8
            return None
    try:
        return made(kind, numbers)
    except (HullError, SolidError):
        assert is_wrong or numbers.max() > 1e8 or numbers.min() < 1e-8
        return None


@pytest.mark.parametrize("count", COUNTS)
def test_finite_questions_have_finite_answers(count):
    """Guards against NaN, endless loops and crashes, in solids of sizes over eighteen decades, at one place, in touch,
    along axes, far off."""
    rng = np.random.default_rng(count)
    solids = [solid for _ in range(count) if (solid := hostile_solid(rng))]
    bodies = len(solids)
    solids = [replace(solid, body=i) for i, solid in enumerate(solids)]
    turns = random_rotations(rng, bodies)
    along = rng.random(bodies) < 0.4
    turns[along] = quarter_turns()[rng.integers(0, 24, along.sum())]
    places = rng.integers(-2, 3, (bodies, 3)) * rng.choice([0.0, 1e-9, 1e-3, 0.5, 1.0, 1e3, 1e9], (bodies, 1))
    records, hulls = pack(solids)
    placed = np.zeros(bodies, SOLID_POSE).view(np.recarray)
    write_solid_poses(records, hulls, np.column_stack([turns.reshape(-1, 9), places]), placed)
    planes = int((records.kind == PLANE).sum())
    firsts, seconds = rng.integers(0, bodies, count), rng.integers(planes, bodies, count)
    same = rng.random(count) < 0.3  # a few neighbours in size
    seconds[same] = np.minimum(firsts[same] + 1, bodies - 1)
    pairs = np.column_stack([firsts, seconds])
    pairs = np.ascontiguousarray(pairs[(pairs[:, 0] != pairs[:, 1]) & (records.kind[pairs[:, 1]] != PLANE)])
    separations = np.zeros(len(pairs), SEPARATION).view(np.recarray)
    write_signed_distances(records, hulls, placed, pairs, math.inf, make_pair_work(), separations)
    assert np.isfinite(separations.gap).all()
    assert np.abs(np.linalg.norm(separations.normal, axis=1) - 1.0).max() < 1e-9
    assert np.isfinite(separations.first_point).all()
    assert np.isfinite(separations.second_point).all()
    contacts = np.zeros(MAX_POINTS * len(pairs), CONTACT).view(np.recarray)
    written = write_contact_points(records, hulls, placed, pairs, len(pairs), 0.01, make_pair_work(), contacts)
    assert written <= len(contacts)
    for name in ("point", "normal", "gap"):
        assert np.isfinite(contacts[:written][name]).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e300])
def test_poses_that_are_no_numbers_come_to_an_end(bad):
    """Guards the loops of every pair of kinds: they end, whatever comes of it, and write within their room."""
    solids = [replace(made(kind, np.array([1.0, 0.7, 0.5])), body=kind) for kind in range(HULL + 1)]
    records, hulls = pack(solids)
    pairs = np.array([[a, b] for a in range(HULL + 1) for b in range(max(a, BALL), HULL + 1)])
    pairs = np.ascontiguousarray(pairs[pairs[:, 0] != pairs[:, 1]])
    for place in (0, 3, 9, 11):
        poses = np.tile([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.1], (HULL + 1, 1)).astype(float)
        poses[:, place] = bad
        placed = np.zeros(len(records), SOLID_POSE).view(np.recarray)
        write_solid_poses(records, hulls, poses, placed)
        separations = np.zeros(len(pairs), SEPARATION).view(np.recarray)
        write_signed_distances(records, hulls, placed, pairs, 1.0, make_pair_work(), separations)
        contacts = np.zeros(MAX_POINTS * len(pairs), CONTACT).view(np.recarray)
        assert write_contact_points(records, hulls, placed, pairs, len(pairs), 0.01, make_pair_work(), contacts) <= len(
            contacts
        )
