# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses of constraints against finite differences, and what makes their potentials convex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limberjack.core.solvers.convex_step.constraint_potentials import (
    BOUNDED,
    CONVEX_CONSTRAINT,
    UNILATERAL,
    hessian_at,
    impulse_at,
    update_friction_bounds,
)

numbers = st.floats(-3.0, 3.0)


def constraint_of(kind=UNILATERAL, rows=1, bias_impulse=(1.0, 0.5), stiffness=2.0, dissipation=0.0, bound=0.7):
    constraint = np.zeros(1, CONVEX_CONSTRAINT).view(np.recarray)[0]
    constraint.kind, constraint.rows = kind, rows
    constraint.bias_impulse, constraint.stiffness = bias_impulse, stiffness
    constraint.dissipation, constraint.bound = dissipation, bound
    return constraint


CONSTRAINTS = [
    constraint_of(),
    constraint_of(dissipation=0.4),
    constraint_of(BOUNDED),
    constraint_of(BOUNDED, rows=2),
    constraint_of(BOUNDED, rows=2, bound=np.inf),
    constraint_of(BOUNDED, rows=2, bound=0.0),
]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@given(x=numbers, y=numbers)
def test_hessians_are_the_derivatives_of_impulses(constraint, x, y):
    """Guards Newton's method: central differences, away from where an impulse has a corner."""
    e = 1e-6
    if constraint.kind == UNILATERAL and min(abs(1.0 - 2.0 * x), abs(1.0 - constraint.dissipation * x)) < 1e-3:
        return
    size = np.hypot(
        constraint.bias_impulse[0] - constraint.stiffness * x,
        constraint.bias_impulse[1] - constraint.stiffness * y if constraint.rows == 2 else 0.0,
    )
    if constraint.kind == BOUNDED and (abs(size - constraint.bound) < 1e-3 or size < 1e-3):
        return
    along = [
        (np.array(impulse_at(constraint, x - dx, y - dy)) - np.array(impulse_at(constraint, x + dx, y + dy)))
        / (2.0 * e)
        for dx, dy in ((e, 0.0), (0.0, e))
    ]
    xx, xy, yy = hessian_at(constraint, x, y)
    if constraint.rows == 2:
        assert_allclose(np.column_stack(along), [[xx, xy], [xy, yy]], atol=1e-6)
    else:
        assert_allclose(along[0][0], xx, atol=1e-6)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@given(x=numbers, y=numbers, u=numbers, v=numbers)
def test_impulses_grow_against_the_velocity(constraint, x, y, u, v):
    """Guards that there is one solution: the impulse is minus the gradient of a convex potential, and bounded."""
    one, other = np.array(impulse_at(constraint, x, y)), np.array(impulse_at(constraint, u, v))
    assert (other - one) @ np.array([u - x, v - y]) <= 1e-12
    if constraint.kind == BOUNDED:
        assert np.hypot(*one) <= constraint.bound * (1.0 + 1e-12)
    else:
        assert one[0] >= 0.0


def test_friction_is_bounded_by_what_presses():
    """Guards Coulomb's law: a bound is a coefficient times the impulse of the normal constraint."""
    constraints = np.zeros(2, CONVEX_CONSTRAINT).view(np.recarray)
    normal, friction = constraints
    normal.impulse[0], normal.normal_constraint = 5.0, -1
    friction.normal_constraint, friction.coefficient = 0, 0.3
    assert update_friction_bounds(constraints, 0, 2, 0.5) == (1.5, 1.5)
    assert constraints[1].bound == 0.75
