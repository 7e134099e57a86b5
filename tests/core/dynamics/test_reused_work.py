# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of compiled models, which use the same work arrays again: no call changes what another one returns."""

import threading

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.dynamics import tree_inverse_dynamics, tree_mass_matrix
from limberjack.core.dynamics.singular import is_singular
from support.models import random_state, random_tree


def functions(compiled, q, qd, tau):
    """Calls of all functions that use work arrays, by name."""
    link = compiled.link_names[-1]
    return {
        "forward": lambda: lj.forward_dynamics(compiled, q, qd, tau, {link: np.arange(6.0)}),
        "inverse": lambda: tree_inverse_dynamics(compiled, q, qd, tau),
        "mass": lambda: tree_mass_matrix(compiled, q),
        "passive": lambda: lj.passive_forces(compiled, q, qd),
        "momentum": lambda: lj.momentum(compiled, q, qd),
        "com": lambda: lj.com_jacobian(compiled, q),
        "wrenches": lambda: np.array([*lj.joint_wrenches(compiled, q, qd, tau).values()]),
        "poses": lambda: np.hstack(lj.forward_kinematics(compiled, q, qd)),
        "jacobian": lambda: lj.jacobian(compiled, q, link),
        "singular": lambda: np.array(is_singular(compiled, q, qd, tau)),
    }


def damped_tree(seed):
    """A tree with every joint type, springs, dampers, armatures and drag."""
    model, rng = random_tree(seed, 24), np.random.default_rng(seed)
    for joint in model.joints:
        for number in range(joint.axis_count):
            for name in {"damping", "armature", "spring_stiffness"} & joint.kind.slot(number).fields:
                setattr(joint.axes[number], name, rng.uniform(0.1, 1.0))
    for link in model.links:
        link.linear_damping = rng.uniform(0.0, 0.5)
    return model


@pytest.mark.parametrize("seed", range(3))
def test_calls_in_any_order_give_what_a_first_call_gives(seed):
    """Guards work arrays that are used again: bit for bit what a newly compiled model gives, whatever came before."""
    model, rng = damped_tree(seed), np.random.default_rng(seed)
    compiled = lj.compile_model(model)
    states = [(*random_state(compiled, number), rng.normal(size=compiled.nv)) for number in range(3)]
    expected = {
        (number, name): functions(lj.compile_model(model), *state)[name]()
        for number, state in enumerate(states)
        for name in functions(compiled, *state)
    }
    calls = [*expected] * 3
    for place in rng.permutation(len(calls)):
        number, name = calls[place]
        assert np.array_equal(functions(compiled, *states[number])[name](), expected[number, name]), name


def test_threads_do_not_disturb_each_other():
    """Guards work arrays: each thread has its own, also while another one computes with the same model."""
    model = damped_tree(7)
    compiled = lj.compile_model(model)
    states = [(*random_state(compiled, number), np.full(compiled.nv, 0.5)) for number in range(4)]
    expected = [lj.forward_dynamics(lj.compile_model(model), *state) for state in states]
    wrong = []

    def run(number):
        for _ in range(200):
            if not np.array_equal(lj.forward_dynamics(compiled, *states[number]), expected[number]):
                wrong.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_named(wrong):
    """Guards the quick check of arrays: a sum that overflows is no fault, and one number that is not finite is."""
    compiled = lj.compile_model(damped_tree(1))
    q, qd = random_state(compiled, 1)
    tau = np.zeros(compiled.nv)
    tau[:2] = 1.5e308
    assert compiled.velocities(tau, "tau") is tau
    tau[3] = wrong
    with pytest.raises(lj.StateError, match=r"tau takes finite numbers, found .* in tau\[3\]"):
        lj.forward_dynamics(compiled, q, qd, tau)
