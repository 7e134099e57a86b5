# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics and dynamics of whole models against maximal coordinates, which know of no tree."""

import numpy as np
import pytest

from limberjack.core.dynamics import (
    centre_of_mass,
    forward_dynamics,
    inverse_dynamics,
    joint_wrenches,
    mass_matrix,
    momentum,
)
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import forward_kinematics, joint_coordinates, link_jacobian
from limberjack.core.model.compiling.compile import compile_model
from support.cases import some
from support.conformance import mixed_tree, random_chain, random_tree_state
from support.exponentials import matrix_of, moved, slope, twist_along
from support.maximal import Maximal
from support.models import MOVING_TYPES

TREES = some(range(6), [0, 1])


def off(found, wanted) -> float:
    """Relative to the largest number there is."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert np.isfinite(found).all()
    return np.abs(found - wanted).max(initial=0.0) / max(1e-300, np.abs(wanted).max(initial=0.0))


def tree(seed):
    """A tree of every type, in which joints are walked from either end, axes locked and one piece floats."""
    rng = np.random.default_rng(seed)
    compiled = compile_model(mixed_tree(rng, [*JOINT_TYPES, *rng.permutation(list(JOINT_TYPES))]))
    return compiled, *random_tree_state(compiled, rng), rng


def advanced(compiled, q, qd, time):
    """q after a while at constant qd."""
    out = q.copy()
    for span in compiled.spans.values():
        out[span.q] = moved(span.joint, q[span.q], qd[span.v], time)
    return out


def agrees(compiled, q, qd, rng):
    tau = rng.normal(size=compiled.nv) * 5.0
    pushed = {name: rng.normal(size=6) for name in compiled.link_names[::3]}
    for wrenches in (None, pushed):
        wanted, _ = Maximal(compiled, q, qd).accelerations(tau, wrenches)
        assert off(forward_dynamics(compiled, q, qd, tau, wrenches), wanted) <= 1e-8
        assert off(inverse_dynamics(compiled, q, qd, wanted, wrenches), tau) <= 1e-8


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("joint_type", MOVING_TYPES)
def test_a_chain_of_one_type(joint_type, seed):
    """Guards forward and inverse dynamics of each type by itself, so that a wrong one has a name."""
    rng = np.random.default_rng(seed)
    compiled = compile_model(random_chain(rng, joint_type))
    agrees(compiled, *random_tree_state(compiled, rng), rng)


@pytest.mark.parametrize("seed", TREES)
def test_a_tree_of_every_type(seed):
    """Guards them where types meet, joints are walked backward, axes are locked and armatures turn."""
    compiled, q, qd, rng = tree(seed)
    assert compiled.floating
    assert any(branch.backward for branch in compiled.tree.branches)
    agrees(compiled, q, qd, rng)


@pytest.mark.parametrize("seed", TREES)
def test_the_mass_matrix_is_the_links_inertia_reduced(seed):
    """Guards the composite-body algorithm, split joints and armatures included."""
    compiled, q, qd, _ = tree(seed)
    assert off(mass_matrix(compiled, q), Maximal(compiled, q, qd).mass_matrix()) <= 1e-10


@pytest.mark.parametrize("seed", TREES)
def test_momentum_is_the_sum_over_the_links(seed):
    """Guards momentum about the centre of mass, and where that is."""
    compiled, q, qd, _ = tree(seed)
    wanted = Maximal(compiled, q, qd)
    assert off(centre_of_mass(compiled, q), wanted.centre_of_mass()) <= 1e-10
    assert off(momentum(compiled, q, qd), wanted.momentum()) <= 1e-10


@pytest.mark.parametrize("seed", TREES)
def test_twists_are_the_rates_of_poses(seed):
    """Guards link twists and Jacobians, of points off the origin too, by differences of poses from exponentials."""
    compiled, q, qd, rng = tree(seed)
    X_WL, V_WL = forward_kinematics(compiled, q, qd)
    point = tuple(rng.normal(size=3))

    def pose(name, time):
        return Maximal(compiled, advanced(compiled, q, qd, time), qd).poses[name]

    still = Maximal(compiled, q, qd).poses
    for row, name in enumerate(compiled.link_names[::7]):
        row *= 7
        R = still[name][:3, :3]
        V = twist_along(lambda t, name=name: pose(name, t), 0.0)
        at_point = slope(lambda t, name=name: pose(name, t) @ np.array([*point, 1.0]))[:3]
        assert off(matrix_of(X_WL[row]), still[name]) <= 1e-12
        assert off(V_WL[row], [*(R @ V[:3]), *(R @ V[3:])]) <= 1e-8
        assert off(link_jacobian(compiled, q, name) @ qd, V_WL[row]) <= 1e-12
        assert off(link_jacobian(compiled, q, name, point) @ qd, [*at_point, *(R @ V[3:])]) <= 1e-8


@pytest.mark.parametrize("seed", TREES)
def test_joint_wrenches_are_the_multipliers(seed):
    """Guards the reactions of every joint, fixed ones and those that are walked backward included."""
    compiled, q, qd, rng = tree(seed)
    tau = rng.normal(size=compiled.nv)
    pushed = {name: rng.normal(size=6) for name in compiled.link_names[::3]}
    wanted = Maximal(compiled, q, qd)
    qdd, reactions = wanted.accelerations(tau, pushed)
    found = joint_wrenches(compiled, q, qd, qdd, pushed)
    backward = {branch.joint.name for branch in compiled.tree.branches if branch.backward}
    scale = max(np.abs(wrench).max() for wrench in reactions.values())
    assert set(found) == set(reactions)
    for hinge in wanted.hinges:
        name = hinge.joint.name
        R = (wanted.poses[hinge.joint.child] @ matrix_of(hinge.joint.X_CJ))[:3, :3]
        given = np.concatenate([R @ reactions[name][:3], R @ reactions[name][3:]])
        assert np.abs(found[name] - (-given if name in backward else given)).max() <= 1e-9 * scale


@pytest.mark.parametrize("seed", TREES)
def test_coordinates_come_back_from_poses_and_twists(seed):
    """Guards `joint_coordinates` over whole models: with links' poses and twists from exponentials, q and qd return."""
    compiled, q, qd, _ = tree(seed)
    wanted = Maximal(compiled, q, qd)
    X_WL, V_WL = forward_kinematics(compiled, q, qd)
    for row, name in enumerate(compiled.link_names):
        R = wanted.poses[name][:3, :3]
        V_WL[row] = *(R @ wanted.twists[name][:3]), *(R @ wanted.twists[name][3:])
    found = joint_coordinates(compiled, X_WL, V_WL, near=(q, np.zeros(compiled.nv)))
    assert np.abs(found.q - q).max() <= 1e-10
    assert np.abs(found.qd - qd).max() <= 1e-9
    assert found.residual <= 1e-10
