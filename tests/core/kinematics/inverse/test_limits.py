# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits as bounds of a step: which there are, how far each lets go, and how what they measure changes."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import compile_for_posing
from limberjack.core.kinematics.inverse.limits import limits_of, make_bounds, write_bounds
from limberjack.core.kinematics.inverse.task_builder import dof_scales_of
from limberjack.core.kinematics.motion import integrate_positions
from limberjack.core.model import WORLD, Axis, Joint, Link, Model

SIZE = 2.0
NUDGE = 1e-6


def compiled_joint(kind: str, *axes: Axis):
    return compile_for_posing(Model(links=[Link("arm")], joints=[Joint("joint", kind, WORLD, "arm", axes=list(axes))]))


def bounds_at(compiled, q: np.ndarray):
    limits = limits_of(compiled, SIZE)
    bounds = make_bounds(limits, compiled.nv)
    write_bounds(compiled.arrays, limits, dof_scales_of(compiled, SIZE), q, bounds)
    return bounds


def test_how_far_a_hinge_may_go():
    """Bounds are what is left to either limit; one that has none is infinitely far."""
    bounds = bounds_at(compiled_joint("revolute", Axis(lower=-0.5, upper=2.0)), np.array([0.3]))
    assert bounds.low == pytest.approx([-0.8])
    assert bounds.high == pytest.approx([1.7])
    assert bounds.rows.tolist() == [[1.0]]
    assert bounds_at(compiled_joint("revolute", Axis(upper=2.0)), np.array([0.3])).low == [-math.inf]


def test_a_slide_is_measured_by_the_models_size():
    """A unit of a step is the model's size, and so is what is left of it."""
    bounds = bounds_at(compiled_joint("prismatic", Axis(lower=-1.0, upper=3.0)), np.array([1.0]))
    assert (bounds.low / bounds.rows[:, 0]) * SIZE == pytest.approx([-2.0])
    assert (bounds.high / bounds.rows[:, 0]) * SIZE == pytest.approx([2.0])


def test_beyond_a_limit():
    """What has gone beyond may come back, and go no farther."""
    bounds = bounds_at(compiled_joint("revolute", Axis(lower=-0.5, upper=0.5)), np.array([0.7]))
    assert bounds.high == [0.0]
    assert bounds.low == pytest.approx([-1.2])


@pytest.mark.parametrize(
    ("kind", "axes", "count"),
    [
        ("continuous", [Axis(lower=-1.0, upper=1.0)], 0),  # turns without end, whatever its numbers say
        ("revolute", [Axis(lower=1.0, upper=-1.0)], 0),  # crossed ones mean nothing
        ("revolute", [Axis(lower=0.2, upper=0.2)], 1),  # no room at all is a limit, too
        ("universal", [Axis(upper=1.0), Axis()], 1),
        ("ball", [Axis(), Axis(), Axis()], 0),
    ],
)
def test_which_axes_have_limits(kind, axes, count):
    """Guards types whose limits mean nothing, and numbers that do."""
    assert len(limits_of(compiled_joint(kind, *axes), SIZE)) == count


@pytest.mark.parametrize("kind", ["ball", "distance"])
def test_what_is_measured_of_a_chart(kind):
    """Rates of cone, twist and distance are the central differences of what is left to their limits."""
    joint = Joint("joint", kind, WORLD, "arm")
    for axis in joint.axes:
        axis.upper = 1.5
    compiled = compile_for_posing(Model(links=[Link("arm")], joints=[joint]))
    rng = np.random.default_rng(3)
    q = compiled.q_home.copy()
    q[-4:] = [0.9, 0.2, -0.3, 0.1]
    q[-4:] /= np.linalg.norm(q[-4:])
    q[:-4] = rng.uniform(-0.5, 0.5, len(q) - 4)
    rows = bounds_at(compiled, q).rows
    assert len(rows)
    for j, dof_scale in enumerate(dof_scales_of(compiled, SIZE)):
        ends = []
        for sign in (1.0, -1.0):
            at, step = q.copy(), np.zeros(compiled.nv)
            step[j] = sign * NUDGE * dof_scale
            integrate_positions(compiled.arrays, at, step, 1.0)
            ends.append(bounds_at(compiled, at).high)
        assert rows[:, j] == pytest.approx((ends[1] - ends[0]) / (2.0 * NUDGE), abs=1e-6)
