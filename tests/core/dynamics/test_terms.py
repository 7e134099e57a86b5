# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity and velocity forces, against potential energy, closed forms, and the sum that they make up."""

import numpy as np
import pytest

from limberjack.core.dynamics import (
    centre_of_mass,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
    passive_forces,
    velocity_forces,
)
from limberjack.core.kinematics import integrate, random_configuration
from limberjack.core.model import Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from support.models import random_tree


@pytest.mark.parametrize("seed", range(3))
def test_gravity_forces_are_the_slope_of_the_potential(seed):
    """Guards G(q): by how much a small step of each velocity lifts the centre of mass."""
    model = random_tree(seed, 20)
    model.wind = (1.0, -2.0, 0.5)
    for link in model.links:
        link.linear_damping = 0.3  # wind pushes on it, and is none of gravity
    compiled = compile_model(model)
    q = random_configuration(compiled, seed)
    mass = sum(link.mass for link, body in zip(model.links, compiled.link_body, strict=True) if body)
    G = gravity_forces(compiled, q)
    for dof, alone in enumerate(np.eye(compiled.nv)):
        low, high = (centre_of_mass(compiled, integrate(compiled, q, alone, step)) for step in (-1e-6, 1e-6))
        slope = -mass * np.dot(model.gravity, high - low) / 2e-6
        assert G[dof] == pytest.approx(slope, abs=2e-5 * (1.0 + np.abs(G).max()))


@pytest.mark.parametrize("seed", range(3))
def test_the_terms_add_up(seed):
    """Guards M qdd + C + G = tau, M by another algorithm."""
    compiled = compile_model(random_tree(seed, 20))
    rng = np.random.default_rng(seed)
    q, qd, qdd = random_configuration(compiled, rng), rng.normal(size=compiled.nv), rng.normal(size=compiled.nv)
    total = mass_matrix(compiled, q) @ qdd + velocity_forces(compiled, q, qd) + gravity_forces(compiled, q)
    tau = inverse_dynamics(compiled, q, qd, qdd)
    assert total == pytest.approx(tau, abs=1e-9 * np.abs(tau).max())


def test_two_bars_have_the_forces_of_the_textbook():
    """Guards signs: a planar arm of point masses; Spong, Hutchinson, Vidyasagar (2006), section 7.4, in our frames."""
    m1, m2, l1, l2, q1, q2, v1, v2, g = 2.0, 3.0, 0.7, 0.4, 0.3, -0.9, 1.1, 0.6, 9.81
    axis = [Axis((0.0, -1.0, 0.0))]  # x horizontal, turned upward
    point = (0.0,) * 6
    links = [Link("one", m1, (l1, 0.0, 0.0), point), Link("two", m2, (l2, 0.0, 0.0), point)]
    joints = [
        Joint("a", "revolute", "world", "one", axes=axis),
        Joint("b", "revolute", "one", "two", (l1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), axes=axis),
    ]
    model, q, qd = Model(links=links, joints=joints), {"a": q1, "b": q2}, {"a": v1, "b": v2}
    elbow = m2 * l2 * g * np.cos(q1 + q2)
    assert gravity_forces(model, q) == pytest.approx([(m1 + m2) * l1 * g * np.cos(q1) + elbow, elbow])
    h = -m2 * l1 * l2 * np.sin(q2)
    assert velocity_forces(model, q, qd) == pytest.approx([h * (2.0 * v1 * v2 + v2**2), -h * v1**2])
    assert passive_forces(model, q, qd) == pytest.approx([0.0, 0.0])
