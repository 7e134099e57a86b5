# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of many states, against the same functions of one state after the other."""

import numpy as np
import pytest

import limberjack as lj
from support.mechanisms import four_bar
from support.models import random_state, random_tree

COUNT = 5


@pytest.fixture(scope="module")
def compiled():
    return lj.compile_model(random_tree(2, 15))


@pytest.fixture(scope="module")
def states(compiled):
    """(q, qd, qdd, tau), a row for each state."""
    rng = np.random.default_rng(0)
    q, qd = (np.array(rows) for rows in zip(*(random_state(compiled, seed) for seed in range(COUNT)), strict=True))
    return q, qd, *rng.normal(size=(2, COUNT, compiled.nv))


FUNCTIONS = {
    "poses": lambda m, q, qd, qdd, tau: lj.forward_kinematics(m, q, qd)[0],
    "twists": lambda m, q, qd, qdd, tau: lj.forward_kinematics(m, q, qd=qd)[1],
    "some": lambda m, q, qd, qdd, tau: lj.forward_kinematics(m, q, links=["link3", "link1"])[0],
    "jacobian": lambda m, q, qd, qdd, tau: lj.jacobian(m, q, "link7", (0.1, 0.2, 0.3)),
    "mass_matrix": lambda m, q, qd, qdd, tau: lj.mass_matrix(m, q),
    "inverse_dynamics": lambda m, q, qd, qdd, tau: lj.inverse_dynamics(m, q, qd, qdd, {"link3": (1, 2, 3, 4, 5, 6)}),
    "forward_dynamics": lambda m, q, qd, qdd, tau: lj.forward_dynamics(m, q=q, qd=qd, tau=tau),
    "gravity_forces": lambda m, q, qd, qdd, tau: lj.gravity_forces(m, q),
    "velocity_forces": lambda m, q, qd, qdd, tau: lj.velocity_forces(m, q, qd),
    "link_accelerations": lambda m, q, qd, qdd, tau: lj.link_accelerations(m, q, qd, qdd),
    "bias_acceleration": lambda m, q, qd, qdd, tau: lj.bias_acceleration(m, q, qd, "link7"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_are_the_results_of_single_states(compiled, states, name):
    """Guards each function: the same bits, by arrays, lists of lists, and a model that is not compiled."""
    function = FUNCTIONS[name]
    expected = np.array([function(compiled, *state) for state in zip(*states, strict=True)])
    assert np.array_equal(function(compiled, *states), expected)
    assert np.array_equal(function(compiled, *(rows.tolist() for rows in states)), expected)
    assert np.array_equal(function(compiled.source, *(rows[:1] for rows in states)), expected[:1])


def test_what_has_no_rows_is_the_same_for_all(compiled, states):
    """Guards mixed arguments: one q for many velocities, by array, by name, and left out."""
    q, qd, *_ = states
    named = compiled.q_by_joint(q[0])
    expected = [lj.inverse_dynamics(compiled, q[0], one) for one in qd]
    assert np.array_equal(lj.inverse_dynamics(compiled, q[0], qd), expected)
    assert np.array_equal(lj.inverse_dynamics(compiled, named, qd), expected)
    assert lj.inverse_dynamics(compiled, qd=qd).shape == (COUNT, compiled.nv)


def test_mechanisms_have_the_jacobian_of_what_leads():
    """Guards other arguments, such as leading, and the number of the state that is open."""
    compiled = lj.compile_model(four_bar())
    lead, link = next(iter(compiled.spans)), compiled.link_names[-1]
    q = np.array([lj.closed_state(compiled, {lead: angle})[0] for angle in (0.1, 0.2)])
    assert lj.jacobian(compiled, q, link, leading=[lead]).shape == (2, 6, 1)
    q[1] += 0.1
    with pytest.raises(lj.StateError, match=r"state 1: loop joint .* is open"):
        lj.forward_kinematics(compiled, q)


def test_help_tells_of_rows():
    """Guards docstrings, which are written once, in `batched`."""
    first, note, *_ = lj.inverse_dynamics.__doc__.split("\n\n")
    assert first.startswith("Return all joint forces")
    assert note.startswith("For n states at once, give q, qd or qdd a row for each state")
    assert "give q a row" in lj.jacobian.__doc__


def test_rows_that_do_not_fit_are_refused(compiled, states):
    """Guards the messages."""
    q, qd, *_ = states
    with pytest.raises(lj.StateError, match=r"q has 5 row\(s\) and qd 4"):
        lj.forward_kinematics(compiled, q, qd[:4])
    with pytest.raises(lj.StateError, match=r"state 0: q takes \d+ number\(s\), found shape"):
        lj.mass_matrix(compiled, q[:, :-1])
    with pytest.raises(lj.StateError, match="q takes one state, or a row"):
        lj.mass_matrix(compiled, [[0.0], [0.0, 1.0]])
    with pytest.raises(lj.StateError, match="q takes one state, or a row"):
        lj.mass_matrix(compiled, q[:0])
    with pytest.raises(TypeError, match="out takes the results of one state"):
        lj.forward_kinematics(compiled, q, out=lj.forward_kinematics(compiled, q[0]))
    with pytest.raises(lj.StateError, match="found shape"):
        lj.transform(compiled, q, "link3")
