# SPDX-License-Identifier: GPL-3.0-or-later
"""Long drags of what has loops, couplings, pins and limits: all of them are kept at every pose on the way."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.kinematics import Poser, Target
from limberjack.core.kinematics.inverse.warm_up import warm_up
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model
from support.arms import slider_crank
from support.cases import some
from support.conformance import measured
from support.exponentials import inverse_of, matrix_of, pose_at, rotation_angles
from support.mechanisms import Z, bricard, four_bar, join, stewart
from support.models import random_graph

KEPT = 1e-9
PULLS = 40
SEEDS = st.integers(0, 2**32 - 1)
MECHANISMS = {
    "four_bar": four_bar,
    "slider_crank": slider_crank,
    "bricard": bricard,
    "stewart_ball": lambda: stewart("ball"),
    "stewart_universal": lambda: stewart("universal"),
}
CONE, TWIST = 3, 4
"""Numbers of a ball's axes."""


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    """Thousands of pulls take too long uncompiled."""
    warm_up()


def with_limits(model: Model, rng: np.random.Generator) -> Model:
    """Every axis with limits about where it is drawn, every ball with a cone and a twist."""
    for joint in model.joints:
        if joint.type == "ball":
            joint.axes = [Axis() for _ in range(TWIST + 1)]
            joint.axes[CONE].upper = rng.uniform(0.2, 1.0)
            joint.axes[TWIST].lower, joint.axes[TWIST].upper = rng.uniform(-0.5, -0.1), rng.uniform(0.1, 0.5)
        elif not joint.kind.chart:
            for axis in joint.axes:
                axis.lower, axis.upper = rng.uniform(-0.6, -0.05), rng.uniform(0.05, 0.6)
    return model


def opening(model: Model, poser: Poser) -> float:
    """How far any joint's frames are from where its coordinates put them at most [m, rad]."""
    X_WL = {WORLD: np.eye(4)} | {name: matrix_of(pose) for name, pose in poser.poses().items()}
    worst = 0.0
    for joint in model.joints:
        moves = joint.name in poser.compiled.spans
        if joint.nq and not moves:
            continue  # both its ends are on one body
        q = np.array(poser.q_of(joint.name) if moves else ())
        there = X_WL[joint.parent] @ matrix_of(joint.X_PJ) @ pose_at(joint, q)
        off = inverse_of(there) @ X_WL[joint.child] @ matrix_of(joint.X_CJ)
        worst = max(worst, np.abs(off[:3, 3]).max(), np.abs(rotation_angles(off[:3, :3])).max())
    return float(worst)


def excess(model: Model, poser: Poser) -> float:
    """How far anything is beyond its limits at most [rad or m], by geometry."""
    worst = 0.0
    for name, span in poser.compiled.spans.items():
        joint, q = span.joint, np.array(poser.q_of(name))
        if not joint.kind.chart:
            limited = [(column.axis, value) for column, value in zip(joint.columns, q, strict=True)]
        elif math.hypot(*q[-3:]) > 1e-9:
            limited = list(zip((row.axis for row in joint.kind.limited_quantities), measured(joint, q), strict=True))
        else:
            limited = []  # it has not turned
        for axis, value in limited:
            low, high = joint.range_of(axis)
            worst = max(worst, low - value, value - high)
    return worst


def random_pull(model: Model, poser: Poser, rng: np.random.Generator) -> Target:
    """Some link, to some place near or far, and every other time turned as well."""
    link = model.links[rng.integers(len(model.links))].name
    place = np.array(poser.poses()[link][:3]) + rng.choice([0.05, 1.0]) * rng.normal(size=3)
    turn = tuple(rng.normal(size=4)) if rng.random() < 0.5 else None
    return Target(link, place=tuple(place.tolist()), turn=turn)


def drag(model: Model, rng: np.random.Generator, pins=()):
    """Pull links about at random; yields after each pull."""
    poser = Poser(model, {link.name: link.pose for link in model.links}, pins=pins)
    for _ in range(PULLS):
        told = poser.pull([random_pull(model, poser, rng)])
        assert told.is_closed
        yield poser, told


@settings(deadline=None, max_examples=12)
@given(SEEDS, st.booleans())
@pytest.mark.parametrize("name", some(MECHANISMS, ["four_bar"]))
def test_mechanisms_stay_closed_within_limits(name, seed, is_limited):
    """Guards loops and limits, redundant loops and cones of balls among them."""
    rng = np.random.default_rng(seed)
    model = with_limits(MECHANISMS[name](), rng) if is_limited else MECHANISMS[name]()
    for poser, _ in drag(model, rng):
        assert opening(model, poser) < KEPT
        assert excess(model, poser) < KEPT


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 200), st.integers(0, 2))
@pytest.mark.slow
def test_random_models_stay_closed_within_limits(seed, loops):
    """Guards the same of every joint type, also walked from child to parent, in trees and with loops."""
    rng = np.random.default_rng(seed)
    model = with_limits(random_graph(seed, 22, loops=loops), rng)
    for poser, _ in drag(model, rng):
        assert opening(model, poser) < KEPT
        assert excess(model, poser) < KEPT


@settings(deadline=None, max_examples=25)
@given(SEEDS)
@pytest.mark.slow
def test_couplings_are_kept(seed):
    """Guards mimics, chains of them, and what couples three joints, while any of their links is pulled."""
    rng = np.random.default_rng(seed)
    model = Model("gears", [Link(name) for name in "abcd"])
    for i, name in enumerate("abcd"):
        kind, axis = ("prismatic", (1.0, 0.0, 0.0)) if name == "c" else ("revolute", Z)
        join(model, name, kind, "abc"[i - 1] if i else WORLD, name, (0.5 * i, 0.0, 0.0), axis)
    model.joint("b").mimic = Mimic("a", multiplier=-2.0, offset=0.1)
    model.joint("c").mimic = Mimic("b", multiplier=0.3)
    poser = Poser(model, {link.name: link.pose for link in model.links})
    assert poser.satisfy_mimics()
    for _ in range(PULLS):
        assert poser.pull([random_pull(model, poser, rng)]).is_closed
        a, b, c = (poser.value(name, 0) for name in "abc")
        assert b == pytest.approx(-2.0 * a + 0.1, abs=KEPT)
        assert c == pytest.approx(0.3 * b, abs=KEPT)


@settings(deadline=None, max_examples=25)
@given(SEEDS)
@pytest.mark.slow
def test_pins_are_kept(seed):
    """Guards pins: a platform that keeps its place or its turn keeps it exactly, whichever leg is pulled."""
    rng, model = np.random.default_rng(seed), stewart("universal")
    stands = model.link("platform").pose
    is_turn = rng.random() < 0.5
    pin = Target("platform", turn=stands[3:]) if is_turn else Target("platform", place=stands[:3])
    for poser, _ in drag(model, rng, pins=[pin]):
        X = poser.poses()["platform"]
        off = rotation_angles(matrix_of(X)[:3, :3]) if is_turn else np.subtract(X[:3], stands[:3])
        assert np.abs(off).max() < KEPT


@settings(deadline=None, max_examples=25)
@given(SEEDS)
@pytest.mark.slow
def test_bars_between_balls_may_turn_about_themselves(seed):
    """Guards what no row asks about: bars that nothing turns about their own axis stay closed at both ends."""
    rng, model = np.random.default_rng(seed), Model("square", [Link(f"bar{i}") for i in range(3)])
    corners = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    ends = [WORLD, "bar0", "bar1", "bar2", WORLD]
    for i, corner in enumerate(corners):
        join(model, f"ball{i}", "ball", ends[i], ends[i + 1], corner)
    model.joints[-1].parent, model.joints[-1].child = WORLD, "bar2"
    model.joints[-1].X_PJ, model.joints[-1].X_CJ = model.joints[-1].X_CJ, model.joints[-1].X_PJ
    for poser, _ in drag(model, rng):
        assert opening(model, poser) < KEPT


@pytest.mark.parametrize("dq", [(1.0, 0.0, 0.0), (0.0, -1.0, -1.0), (-1.0, 2.0, -3.0)])
def test_a_cone_is_gone_along(dq):
    """An arm on a ball with a cone leans towards its target as far as the cone lets it, and in its plane."""
    model = Model("arm", [Link("arm")], [Joint("shoulder", "ball", WORLD, "arm", axes=[Axis() for _ in range(5)])])
    model.joints[0].axes[CONE] = Axis(xyz=Z, upper=0.4)
    poser = Poser(model, {"arm": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)})
    target = Target("arm", place=dq, point=(0.0, 0.0, 1.0))
    for _ in range(3):
        told = poser.pull([target])
    hand = matrix_of(poser.poses()["arm"])[:3, 2]
    level = math.hypot(dq[0], dq[1])
    wanted = (math.sin(0.4) * dq[0] / level, math.sin(0.4) * dq[1] / level, math.cos(0.4))
    assert hand == pytest.approx(wanted, abs=1e-4)
    assert told.at_limits == ("shoulder",)
