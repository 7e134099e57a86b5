# SPDX-License-Identifier: GPL-3.0-or-later
"""A type that no one foresaw: an entry in the list is all that it takes, and any order of columns compiles."""

from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.dynamics import forward_dynamics
from limberjack.core.joints import JOINT_TYPES, Column, JointType
from limberjack.core.model import WORLD, Axis, Joint, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation
from support.conformance import alone, check_type, random_chain, random_joint, random_tree_state
from support.maximal import Maximal
from support.models import random_link, random_pose

SKEW_SCREWS = JointType(
    "skew_screws",
    "Skew Screws",
    "Two screws of different pitch about lines that never meet",
    columns=(
        Column(axis=0, turn=1.0, slide=0.05),
        Column(axis=1, turn=1.0, slide=-0.02, point=(0.1, 0.2, 0.0)),
    ),
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
OFF = (0.4, 0.0, 0.0)


def turn(xyz, point=(0.0, 0.0, 0.0)):
    return Axis(xyz=xyz, point=point)


def slide(xyz):
    return Axis(xyz=xyz, turn=0.0, slide=1.0)


def screw(xyz, climb, point=(0.0, 0.0, 0.0)):
    return Axis(xyz=xyz, turn=1.0, slide=climb, point=point)


ORDERS = {
    "slide-turn": ([slide(X), turn(Z)], 1),
    "turn-slide along it": ([turn(Z), slide(Z)], 2),
    "turn-slide": ([turn(Z), slide(X)], 2),
    "slide-turn-slide": ([slide(X), turn(Z), slide(X)], 2),
    "turn-slide-turn": ([turn(Z), slide(X), turn(Z)], 2),
    "crossed turns": ([turn(Z), turn(X), turn((0.6, 0.0, 0.8))], 1),
    "crossed turns off the origin": ([turn(Z, OFF), turn(X, OFF)], 1),
    "scara": ([turn(Z), turn(Z, OFF), slide(Z)], 3),
    "planar arm": ([turn(Z), turn(Z, OFF), turn(Z, (0.7, 0.1, 0.0))], 3),
    "screw-turn about one line": ([screw(Z, 0.1), turn(Z)], 1),
    "screw-screw": ([screw(Z, 0.1), screw(X, -0.2)], 2),
    "screw-slide along it-turn": ([screw(Z, 0.1), slide(Z), turn(X)], 2),
    "skew screws": ([screw(Z, 0.1), screw(X, 0.2, (0.0, 0.3, 0.5))], 2),
    "locked between": ([turn(Z), replace(slide(X), locked=True), turn(Z)], 2),
}
"""Axes, and how many bodies they must become."""


@pytest.fixture
def skew_screws(monkeypatch):
    """The type, in the list for as long as a test lasts."""
    monkeypatch.setitem(JOINT_TYPES, SKEW_SCREWS.name, SKEW_SCREWS)
    return SKEW_SCREWS.name


def custom(name, ends, axes, rng):
    home = tuple(0.3 + 0.2 * i for i in range(len(axes)))
    return Joint(name, "custom", *ends, random_pose(rng), random_pose(rng), list(axes), home=home)


def agrees_with_maximal_coordinates(model, rng):
    compiled = compile_model(model)
    q, qd = random_tree_state(compiled, rng)
    tau = rng.normal(size=compiled.nv)
    wanted, _ = Maximal(compiled, q, qd).accelerations(tau)
    assert np.abs(forward_dynamics(compiled, q, qd, tau) - wanted).max() <= 1e-8 * np.abs(wanted).max()


def keeps_its_energy(joint, rng):
    joint.axes = [replace(axis, damping=0.0, armature=0.5) for axis in joint.axes]  # so that none is ever singular
    run = Simulation(alone(joint, rng), np.linspace(0.0, 2.0, 49), "exact")
    run.run()
    assert run.report.energy_scale > 0.01
    assert run.report.relative_drift <= 1e-8


@pytest.mark.parametrize("seed", range(6))
def test_a_new_type_conforms(skew_screws, seed):
    """Guards that an entry in the list is all that a type needs: the suite that judges ours judges it as well."""
    rng = np.random.default_rng(seed)
    check_type(random_joint(skew_screws, rng), rng)


def test_a_new_type_compiles_to_two_bodies(skew_screws):
    """Guards the split: the second screw's line goes round with the first, past any one origin."""
    joint = Joint("joint", skew_screws, WORLD, "link", axes=[Axis(xyz=Z), Axis(xyz=X)])
    compiled = compile_model(alone(joint, np.random.default_rng(0)))
    assert len(compiled.arrays.bodies) == 1 + 2
    assert (compiled.nq, compiled.nv) == (2, 2)
    assert compiled.spans["joint"].body == 2


def test_a_new_type_moves(skew_screws):
    """Guards that it simulates, and keeps its energy."""
    rng = np.random.default_rng(1)
    keeps_its_energy(Joint("joint", skew_screws, WORLD, "link", axes=[Axis(xyz=X), Axis(xyz=Y)]), rng)


def test_a_chain_of_a_new_type(skew_screws):
    """Guards its forward dynamics in series, with armatures and locked axes."""
    rng = np.random.default_rng(2)
    agrees_with_maximal_coordinates(random_chain(rng, skew_screws), rng)


@pytest.mark.parametrize("order", tuple(ORDERS))
def test_any_order_of_columns(order):
    """Guards the split of orders that no one body can take, and that no other is split."""
    axes, bodies = ORDERS[order]
    rng = np.random.default_rng(3)
    joint = custom("joint", (WORLD, "link"), axes, rng)
    assert len(compile_model(alone(joint, rng)).arrays.bodies) == 1 + bodies
    check_type(joint, rng)
    keeps_its_energy(joint, rng)


@pytest.mark.parametrize("order", tuple(ORDERS))
def test_chains_of_any_order(order):
    """Guards forward dynamics of the same, where what carries them turns."""
    axes, _ = ORDERS[order]
    rng = np.random.default_rng(4)
    model = Model()
    for i in range(4):
        model.links.append(random_link(rng, f"link{i}"))
        ends = (f"link{i - 1}" if i else WORLD, f"link{i}")
        ends = ends if i % 2 else ends[::-1]
        model.joints.append(custom(f"joint{i}", ends, axes, rng))
    agrees_with_maximal_coordinates(model, rng)
