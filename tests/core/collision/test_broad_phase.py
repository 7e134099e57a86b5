# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree finds the pairs that looking at all pairs finds, in order, and only those that may meet."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.collision.broad_phase import SOLID_POSE, find_pairs, make_tree, write_solid_poses
from limberjack.core.collision.collision_filter import CollisionFilter
from limberjack.core.collision.packing import pack
from limberjack.core.collision.solids import BALL, HULL, PLANE
from support.solids import Crowd, poses_of, random_crowd, random_rotations, reaches

CASES = [pytest.param(range(12), id="quick"), pytest.param(range(12, 300), id="all", marks=pytest.mark.slow)]


def free_filter(count: int, **told) -> CollisionFilter:
    """All of `count` owners may meet, but for what is told."""
    zeros = np.zeros(count, np.int64)
    excepted = told.get("excepted", {})
    codes = sorted(a * count + b for a, b in excepted)
    answers = [excepted[code // count, code % count] for code in codes]
    return CollisionFilter(
        told.get("groups", np.arange(count)),
        told.get("parts", np.arange(count)),
        told.get("families", np.arange(count)),
        told.get("keens", zeros),
        np.array(codes, np.int64),
        np.array(answers, np.int64),
        np.array(sorted(min(a, b) * count + max(a, b) for a, b in told.get("neighbours", ())), np.int64),
    )


def scene(rng: np.random.Generator, count: int, planes: int = 0, spread: float = 4.0) -> list[Crowd]:
    """Solids of all kinds in a cube, each an owner."""
    kinds = np.sort(rng.integers(BALL, HULL + 1, count))
    crowds = [random_crowd(PLANE, "plain", planes, rng)] if planes else []
    crowds += [random_crowd(kind, "mixed", n, rng) for kind in range(BALL, HULL + 1) if (n := (kinds == kind).sum())]
    for crowd in crowds:
        crowd.R = random_rotations(rng, len(crowd))
        crowd.t = rng.uniform(-spread, spread, (len(crowd), 3))
    return crowds


def asked(
    crowds: list[Crowd], margin: float, collision_filter: CollisionFilter | None = None, room: int = 100_000, **fields
):
    """(pairs found, how many were counted, records)."""
    solids = [solid for crowd in crowds for solid in crowd.solids]
    solids = [
        replace(solid, body=i, owner=i, **{name: int(values[i]) for name, values in fields.items()})
        for i, solid in enumerate(solids)
    ]
    records, hulls = pack(solids)
    placed = np.zeros(len(records), SOLID_POSE).view(np.recarray)
    write_solid_poses(records, hulls, poses_of(*crowds), placed)
    pairs = np.zeros((room, 2), np.int64)
    count = find_pairs(
        records, placed, collision_filter or free_filter(len(records)), margin, make_tree(len(records)), pairs
    )
    return pairs[: min(count, room)], count, records


def boxes_of(crowds: list[Crowd]) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest coordinates of each solid, by numpy's own support points."""
    both = []
    for sign in (-1.0, 1.0):
        parts = []
        for crowd in crowds:
            axes = np.broadcast_to(sign * np.eye(3), (len(crowd), 3, 3))
            reach = np.full((len(crowd), 3), np.inf) if crowd.kind == PLANE else reaches(crowd, axes)
            parts.append(crowd.t + sign * reach)
        both.append(np.vstack(parts))
    return both[0], both[1]


def near_pairs(crowds: list[Crowd], margin: float, slack: float) -> np.ndarray:
    """Which of all pairs are near, shape (n, n), by their boxes."""
    lower, upper = boxes_of(crowds)
    margin += slack
    near = ((lower[:, None] <= upper + margin) & (lower <= upper[:, None] + margin)).all(axis=2)
    kinds = np.repeat([crowd.kind for crowd in crowds], [len(crowd) for crowd in crowds])
    t, R = np.vstack([crowd.t for crowd in crowds]), np.vstack([crowd.R for crowd in crowds])
    others = kinds != PLANE
    middle, half = 0.5 * (lower[others] + upper[others]), 0.5 * (upper[others] - lower[others])
    for i in np.flatnonzero(kinds == PLANE):
        normal = R[i, :, 2]
        near[i] = False
        near[i, others] = (middle - t[i]) @ normal - half @ np.abs(normal) <= margin
        near[:, i] = False
    return np.triu(near, 1)


@pytest.mark.parametrize("seeds", CASES)
def test_pairs_are_those_of_all_pairs(seeds):
    """Guards the tree and the boxes, in scenes of all kinds, thin and dense, with half-spaces and margins."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        count, planes = int(rng.integers(1, 200)), int(rng.integers(0, 4))
        crowds = scene(rng, count, planes, spread=10.0 ** rng.uniform(-1, 2))
        margin = float(rng.choice([0.0, 0.01, 0.5]))
        pairs, told, _ = asked(crowds, margin)
        assert told == len(pairs)
        assert (pairs[:, 0] < pairs[:, 1]).all()
        assert pairs.tolist() == sorted(pairs.tolist())
        found = np.zeros((count + planes, count + planes), bool)
        found[tuple(pairs.T)] = True
        assert len(pairs) == found.sum(), "none twice"
        assert not (near_pairs(crowds, margin, -1e-9) & ~found).any()
        assert not (found & ~near_pairs(crowds, margin, 1e-9)).any()


@pytest.mark.parametrize("seed", range(6))
def test_who_may_meet_is_asked(seed):
    """Guards layers and masks, groups, pairs with an answer, parts that a joint joins, families with keen members."""
    rng = np.random.default_rng(seed)
    count = 60
    crowds = scene(rng, count, spread=0.5)
    owners = count
    groups, families = rng.integers(0, 20, owners), rng.integers(0, 5, owners)
    keens, category_bits, collide_bits = (
        rng.integers(0, 2, owners),
        rng.integers(0, 8, count),
        rng.integers(0, 8, count),
    )
    some = {tuple(sorted(rng.choice(owners, 2, replace=False).tolist())): int(rng.integers(0, 2)) for _ in range(300)}
    parts, joined = groups % 13, {(0, 3), (5, 2), (7, 12)}
    told = {"groups": groups, "parts": parts, "families": families, "keens": keens}
    collision_filter = free_filter(owners, **told, excepted=some, neighbours=joined)
    pairs, _, _ = asked(crowds, 0.1, collision_filter, category_bits=category_bits, collide_bits=collide_bits)
    every, _, _ = asked(crowds, 0.1)

    def may(a, b):
        if groups[a] == groups[b] or not (category_bits[a] & collide_bits[b] or category_bits[b] & collide_bits[a]):
            return False
        if (a, b) in some:
            return bool(some[a, b])
        if {(parts[a], parts[b]), (parts[b], parts[a])} & joined:
            return False
        return bool(families[a] != families[b] or keens[a] or keens[b])

    expected = [pair for pair in every.tolist() if may(*pair)]
    assert pairs.tolist() == expected
    assert 0 < len(expected) < len(every)


def test_what_finds_no_room_is_counted():
    """Guards the room: none is written beyond it, and all are counted; where it is just enough, it is as any."""
    crowds = scene(np.random.default_rng(1), 80, spread=0.5)
    every, told, _ = asked(crowds, 0.1)
    for room in (0, 1, len(every) - 1, len(every)):
        pairs, count, _ = asked(crowds, 0.1, room=room)
        assert count == told == len(every)
        assert {tuple(pair) for pair in pairs.tolist()} <= {tuple(pair) for pair in every.tolist()}
    assert pairs.tolist() == every.tolist()


def test_half_spaces_come_first_and_do_not_meet_each_other():
    """Guards the order that the kernels lean on, wherever half-spaces stand in what is told."""
    crowds = scene(np.random.default_rng(2), 10, planes=3, spread=0.1)
    pairs, _, records = asked([*crowds[1:], crowds[0]], 0.0)
    assert (records.kind[:3] == PLANE).all()
    assert (records.kind[3:] != PLANE).all()
    assert not (pairs < 3).all(axis=1).any()
    assert (pairs[:, 0] < 3).any()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300, -1e300])
def test_poses_that_are_no_numbers_do_not_hang(bad):
    """Guards the loops: a solid that has flown off leaves the pairs of the others as they are."""
    crowds = scene(np.random.default_rng(3), 40, spread=0.5)
    moved = [replace(crowd, t=crowd.t.copy()) for crowd in crowds]
    moved[0].t[0] = (0.0, bad, 0.0)
    before, _, _ = asked(crowds, 0.1)
    pairs, _, _ = asked(moved, 0.1)
    others = [pair for pair in before.tolist() if 0 not in pair]
    assert [pair for pair in pairs.tolist() if 0 not in pair] == others
    for crowd in moved:
        crowd.t[:] = bad
    asked(moved, 0.1)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 8, 9])
def test_few_solids_at_one_place(count):
    """Guards trees of one leaf and of two, and codes that are all the same."""
    rng = np.random.default_rng(4)
    crowd = random_crowd(BALL, "plain", count, rng)
    pairs, _, _ = asked([crowd], 0.0)
    assert pairs.tolist() == [[i, j] for i in range(count) for j in range(i + 1, count)]
