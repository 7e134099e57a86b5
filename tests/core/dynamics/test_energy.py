# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies against what forces do to them."""

from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.dynamics import articulated_body, mechanical_energy
from limberjack.core.kinematics import make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.solvers.system import rates_of_positions
from support.conformance import mixed_tree
from support.models import random_state, random_tree


def chain_with_armatures(seed: int) -> Model:
    """Ball and free joints, which the world and each other carry."""
    model = mixed_tree(np.random.default_rng(seed), ("ball", "free", "ball", "ball", "free", "ball"))
    for joint in model.joints:
        joint.axes = [replace(axis, spring_stiffness=0.0) for axis in joint.axes]
    return model


@pytest.mark.parametrize("make", [random_tree, chain_with_armatures])
@pytest.mark.parametrize("seed", range(3))
def test_energy_changes_by_the_power_of_the_forces(make, seed):
    """Guards kinetic and potential energy, dq/dt of every joint type, and ABA, by d(T + V)/dt = tau . qd."""
    compiled = compile_model(make(seed))
    arrays, work = compiled.arrays, make_work(compiled.arrays)
    q, qd = random_state(compiled, seed)
    tau, qdd, q_rate = (
        np.random.default_rng(seed).normal(size=compiled.nv),
        np.zeros(compiled.nv),
        np.zeros(compiled.nq),
    )
    articulated_body(arrays, work, q, qd, tau, qdd)
    rates_of_positions(arrays, q, qd, q_rate)

    def energy(time):
        return sum(mechanical_energy(arrays, work, q + time * q_rate, qd + time * qdd))

    h = 1e-5
    slope = (8.0 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12.0 * h)
    assert slope == pytest.approx(tau @ qd, rel=1e-6, abs=1e-5)


def test_a_spring_stores_half_k_x_squared():
    """Guards spring energy and its reference."""
    axis = Axis(xyz=(1.0, 0.0, 0.0), spring_stiffness=50.0, spring_reference=0.2)
    model = Model(links=[Link("cart", 2.0)], joints=[Joint("rail", "prismatic", WORLD, "cart", axes=[axis])])
    compiled = compile_model(model)
    energies = mechanical_energy(compiled.arrays, make_work(compiled.arrays), np.array([0.6]), np.array([3.0]))
    assert energies == pytest.approx((0.5 * 2.0 * 9.0, 0.5 * 50.0 * 0.4**2))
