# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that no body can have become ones that a body can, and those that one can stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core.model import Link, Model
from limberjack.core.model.editing.mending import (
    is_physical,
    mended_inertia,
    principal_moments,
    with_mended_inertias,
)

NUMBERS = st.floats(-1e3, 1e3)


@given(st.lists(NUMBERS, min_size=6, max_size=6).filter(lambda it: max(map(abs, it)) > 1e-9))
def test_what_is_mended_is_physical(numbers):
    """Guards the promise for any numbers: afterwards a body can have it, so that libsdformat takes it."""
    assert is_physical(mended_inertia(tuple(numbers)))


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, st.floats(0.1, 10.0)), min_size=5, max_size=9))
def test_inertias_of_points_are_nearest_themselves(points):
    """Guards against changing what is right: the inertia of any points is that of a body, whose nearest is itself."""
    places, masses = np.array([point[:3] for point in points]), np.array([point[3] for point in points])
    places = places + np.random.default_rng(0).normal(size=places.shape)  # no flat body, where rounding decides
    squares = np.einsum("k,ki,kj->ij", masses, places, places)
    if np.linalg.cond(squares) > 1e5:
        return
    inertia = np.trace(squares) * np.eye(3) - squares
    told = tuple(inertia[np.triu_indices(3)].tolist())
    assert is_physical(told)
    assert mended_inertia(told) == pytest.approx(told, rel=1e-9, abs=1e-9 * np.abs(inertia).max())


def test_the_nearest_of_a_rod_that_is_too_stiff():
    """Guards "nearest" by a closed form: of moments 1, 1, 3 the spreads 1.5, 1.5, -0.5 become 1.5, 1.5, 0."""
    assert principal_moments(mended_inertia((1.0, 0.0, 0.0, 1.0, 0.0, 3.0))) == pytest.approx([1.5, 1.5, 3.0], rel=1e-5)


def test_a_model_tells_what_was_mended():
    """Guards the report: a line names the link, with both sets of moments; the model that was given is not changed."""
    good, bad = Link("good"), Link("bad", inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 3.0))
    mended, told = with_mended_inertias(Model("two", [good, bad]))
    assert [line.partition(":")[0] for line in told] == ["link 'bad'"]
    assert "1 1 3 kg m^2" in told[0]
    assert mended.links[0].inertia == good.inertia
    assert is_physical(mended.links[1].inertia)
    assert bad.inertia[5] == 3.0
