# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of a crowd against finite differences, and what makes their potentials convex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limberjack.core.solvers.convex_step.constraint_potentials import (
    HOLDS,
    LAW,
    PUSHES,
    impulse_at,
    renew_bounds,
    yield_at,
)

numbers = st.floats(-3.0, 3.0)


def law_of(kind=PUSHES, rows=1, force=(1.0, 0.5), stiffness=2.0, dissipation=0.0, bound=0.7):
    law = np.zeros(1, LAW).view(np.recarray)[0]
    law.kind, law.rows, law.force, law.stiffness = kind, rows, force, stiffness
    law.dissipation, law.bound = dissipation, bound
    return law


LAWS = [
    law_of(),
    law_of(dissipation=0.4),
    law_of(HOLDS),
    law_of(HOLDS, rows=2),
    law_of(HOLDS, rows=2, bound=np.inf),
    law_of(HOLDS, rows=2, bound=0.0),
]


@pytest.mark.parametrize("law", LAWS)
@given(x=numbers, y=numbers)
def test_yields_are_the_slopes_of_impulses(law, x, y):
    """Guards Newton's method: central differences, away from where a law bends."""
    e = 1e-6
    if law.kind == PUSHES and min(abs(1.0 - 2.0 * x), abs(1.0 - law.dissipation * x)) < 1e-3:
        return
    size = np.hypot(law.force[0] - law.stiffness * x, law.force[1] - law.stiffness * y if law.rows == 2 else 0.0)
    if law.kind == HOLDS and (abs(size - law.bound) < 1e-3 or size < 1e-3):
        return
    along = [
        (np.array(impulse_at(law, x - dx, y - dy)) - np.array(impulse_at(law, x + dx, y + dy))) / (2.0 * e)
        for dx, dy in ((e, 0.0), (0.0, e))
    ]
    xx, xy, yy = yield_at(law, x, y)
    if law.rows == 2:
        assert_allclose(np.column_stack(along), [[xx, xy], [xy, yy]], atol=1e-6)
    else:
        assert_allclose(along[0][0], xx, atol=1e-6)


@pytest.mark.parametrize("law", LAWS)
@given(x=numbers, y=numbers, u=numbers, v=numbers)
def test_impulses_grow_against_the_velocity(law, x, y, u, v):
    """Guards that there is one solution: the impulse is the slope of a convex potential, and within its bound."""
    one, other = np.array(impulse_at(law, x, y)), np.array(impulse_at(law, u, v))
    assert (other - one) @ np.array([u - x, v - y]) <= 1e-12
    if law.kind == HOLDS:
        assert np.hypot(*one) <= law.bound * (1.0 + 1e-12)
    else:
        assert one[0] >= 0.0


def test_friction_is_bounded_by_what_presses():
    """Guards Coulomb's law: a bound is a share of another law's impulse."""
    laws = np.zeros(2, LAW).view(np.recarray)
    laws[0].impulse[0], laws[0].of, laws[1].of, laws[1].share = 5.0, -1, 0, 0.3
    assert renew_bounds(laws, 0, 2, 0.5) == (1.5, 1.5)
    assert laws[1].bound == 0.75
