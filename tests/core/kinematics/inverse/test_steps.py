# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps towards targets: the least of all that keep what must be kept, as trying every set of bounds finds it."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.kinematics.inverse.steps import find_step, make_step

SEEDS = st.integers(0, 2**32 - 1)
TRIED = {"deadline": None, "max_examples": 200}


class Asked(NamedTuple):
    """minimize |E s + e|^2 + damping |s - wish|^2 subject to K s + k = 0, low <= B s <= high."""

    E: np.ndarray
    e: np.ndarray
    K: np.ndarray
    k: np.ndarray
    B: np.ndarray
    low: np.ndarray
    high: np.ndarray
    damping: float
    preferred_dq: np.ndarray

    def cost(self, s: np.ndarray) -> float:
        return float(np.sum((self.E @ s + self.e) ** 2) + self.damping * np.sum((s - self.preferred_dq) ** 2))

    def opening(self, s: np.ndarray) -> float:
        return float(np.abs(self.K @ s + self.k).max(initial=0.0))

    def excess(self, s: np.ndarray) -> float:
        return float(np.maximum(self.low - self.B @ s, self.B @ s - self.high).max(initial=0.0))


def random_problem(seed: int, is_closed: bool = True) -> Asked:
    """With rows of K that say what others say already, bounds without room, and ones without an end.

    is_closed: nothing is asked of K's rows but to stay as they are.
    """
    rng = np.random.default_rng(seed)
    nv, n, p = rng.integers(1, 7), rng.integers(0, 7), rng.integers(0, 6)
    K = rng.normal(size=(rng.integers(0, nv + 1), nv))
    K = rng.permutation(np.vstack([K, rng.normal(size=(rng.integers(0, 3), len(K))) @ K]))
    B = rng.normal(size=(p, nv))
    for row in B[rng.random(p) < 0.7]:
        row[:] = np.eye(nv)[rng.integers(nv)]
    low, high = -0.5 * rng.exponential(size=p), 0.5 * rng.exponential(size=p)
    low[rng.random(p) < 0.2] = 0.0
    high[rng.random(p) < 0.2] = 0.0
    low[rng.random(p) < 0.1] = -np.inf
    s = np.zeros(nv) if is_closed else 0.3 * rng.normal(size=nv)
    ways = B @ s
    room = np.where(ways > high, high, np.where(ways < low, low, ways))
    s *= np.divide(room, ways, out=np.ones(p), where=ways != 0.0).min(initial=1.0)
    preferred_dq = rng.normal(size=nv) * (rng.random() < 0.5)
    damping = 10.0 ** rng.uniform(-4.0, 0.0) if n else 1.0  # where nothing is followed, wishes are all there is
    return Asked(rng.normal(size=(n, nv)), rng.normal(size=n), K, -K @ s, B, low, high, damping, preferred_dq)


def step_of(asked: Asked) -> np.ndarray:
    kept, end = len(asked.K), len(asked.K) + len(asked.E)
    step = make_step(kept, len(asked.B), len(asked.E), len(asked.preferred_dq))
    step.preferred_dq[:] = asked.preferred_dq
    error, slope = np.concatenate([asked.k, asked.e]), np.vstack([asked.K, asked.E])
    find_step(step, error, slope, kept, end, asked.B, asked.low, asked.high, 0.0, asked.damping)
    return step.dq


def least_cost(asked: Asked) -> float:
    """Of the minima with each choice of bounds kept as equations, the least that passes none."""
    found = []
    for sides in itertools.product((0, -1, 1), repeat=len(asked.B)):
        sides = np.array(sides, int)
        at = np.where(sides < 0, asked.low, asked.high)[sides != 0]
        if not np.isfinite(at).all():
            continue
        A, a = np.vstack([asked.K, asked.B[sides != 0]]), np.concatenate([-asked.k, at])
        s = least_along(asked, A, a)
        if np.abs(A @ s - a).max(initial=0.0) < 1e-9 and asked.excess(s) < 1e-9:
            found.append(asked.cost(s))
    return min(found)


def least_along(asked: Asked, A: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The minimum with A s = a and no bounds, in a basis of A's null space by singular values."""
    start = np.linalg.pinv(A, rcond=1e-9) @ a
    _, sizes, axes = np.linalg.svd(A)
    N = axes[np.sum(sizes > 1e-9) :].T
    M = np.vstack([asked.E @ N, np.sqrt(asked.damping) * N])
    m = np.concatenate([asked.E @ start + asked.e, np.sqrt(asked.damping) * (start - asked.preferred_dq)])
    return start - N @ np.linalg.pinv(M) @ m


@settings(**TRIED)
@given(SEEDS)
def test_least_of_all_choices_of_bounds(seed):
    """Guards the active set, what it keeps and lets go: no other choice of bounds leads lower."""
    asked = random_problem(seed)
    s = step_of(asked)
    assert asked.excess(s) < 1e-10
    assert asked.opening(s) < 1e-10
    assert asked.cost(s) == pytest.approx(least_cost(asked), rel=1e-8, abs=1e-12)


@settings(**TRIED)
@given(SEEDS)
def test_what_is_open_is_closed(seed):
    """Guards rows that ask for a step of their own, redundant ones among them, where no bound is in the way."""
    asked = random_problem(seed, is_closed=False)
    asked = asked._replace(low=np.full_like(asked.low, -np.inf), high=np.full_like(asked.high, np.inf))
    s = step_of(asked)
    assert asked.opening(s) < 1e-9 * max(1.0, float(np.abs(s).max()))
    assert asked.cost(s) == pytest.approx(least_cost(asked), rel=1e-8, abs=1e-12)


@settings(**TRIED)
@given(SEEDS)
def test_no_bound_is_passed_to_close(seed):
    """Guards limits: a step that would have to pass a bound to close all ends there and leaves the rest open."""
    asked = random_problem(seed, is_closed=False)
    assert asked.excess(step_of(asked)) < 1e-9


@settings(**TRIED)
@given(SEEDS)
def test_what_is_beyond_a_bound_comes_back(seed):
    """Guards cones of balls, along whose edge a step leads out: the next one leads back, and on as far as it may."""
    asked = random_problem(seed)
    asked = asked._replace(K=asked.K[:0], k=asked.k[:0], B=asked.B[:1], low=asked.low[:1], high=asked.high[:1] - 1.0)
    asked = asked._replace(low=np.minimum(asked.low, asked.high - 0.1))
    s = step_of(asked)
    assert asked.excess(s) < 1e-10
    assert asked.cost(s) == pytest.approx(least_cost(asked), rel=1e-8, abs=1e-12)


def test_rows_that_a_bound_contradicts():
    """Guards the case that the rows and a bound ask for one coordinate to be at two places: the bound is kept."""
    for size in (0.1, 1.0, 10.0):  # the larger of two rows that say the same is the one that counts
        one = np.array([[size, 0.0]])
        none, bound = np.zeros((0, 2)), np.array([[1.0, 0.0]])
        asked = Asked(
            none, np.zeros(0), one, np.array([-size]), bound, np.array([-0.5]), np.array([0.5]), 1.0, np.zeros(2)
        )
        assert step_of(asked) == pytest.approx([0.5, 0.0], abs=1e-12)


def test_wish_is_followed_in_what_is_free():
    """Guards the null space: a wish moves what no row asks about, and only that."""
    E, preferred_dq = np.array([[1.0, 1.0, 0.0]]), np.array([1.0, -1.0, 2.0])
    none = np.zeros((0, 3))
    asked = Asked(E, np.array([-0.4]), none, np.zeros(0), none, np.zeros(0), np.zeros(0), 1e-12, preferred_dq)
    assert step_of(asked) == pytest.approx([1.2, -0.8, 2.0], abs=1e-9)


def test_far_beyond_reach_a_step_stays_small():
    """Guards damping: along a way that E barely sees, the step is as long as damping lets it be, and no longer."""
    E, none = np.diag([1.0, 1e-9]), np.zeros((0, 2))
    asked = Asked(E, np.array([-1.0, -1.0]), none, np.zeros(0), none, np.zeros(0), np.zeros(0), 1e-4, np.zeros(2))
    assert step_of(asked) == pytest.approx([1.0 / (1.0 + 1e-4), 1e-5], rel=1e-6)
