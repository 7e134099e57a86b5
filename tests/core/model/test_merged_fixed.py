# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that share a body must move as if each had its own."""

from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.dynamics import (
    centre_of_mass,
    forward_dynamics,
    inverse_dynamics,
    joint_wrenches,
    mass_matrix,
    mechanical_energy,
    momentum,
)
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import forward_kinematics, link_jacobian, make_work
from limberjack.core.model.compiling.compile import compile_model
from support.conformance import mixed_tree, random_tree_state


def fixed_everywhere(seed):
    """A tree in which every second joint is fixed, or has all of its axes locked away from zero."""
    rng = np.random.default_rng(seed)
    types = [name for moving in rng.permutation(list(JOINT_TYPES)) for name in (moving, rng.choice(["fixed", "d6"]))]
    model = mixed_tree(rng, types)
    for joint in model.joints:
        if joint.type == "d6" and rng.random() < 0.7:
            joint.axes = [replace(axis, locked=True) for axis in joint.axes]
    return model, rng


def off(found, wanted) -> float:
    found, wanted = np.asarray(found), np.asarray(wanted)
    return np.abs(found - wanted).max(initial=0.0) / max(1e-300, np.abs(wanted).max(initial=0.0))


@pytest.mark.parametrize("seed", range(6))
def test_merged_links_move_as_if_each_had_a_body(seed):
    """Guards merged inertias, the poses and twists of links off their body's origin, and reactions inside a body."""
    model, rng = fixed_everywhere(seed)
    merged, apart = compile_model(model), compile_model(model, merge_fixed=False)
    assert len(merged.arrays.bodies) < len(apart.arrays.bodies)
    q, qd = random_tree_state(merged, rng)
    tau = rng.normal(size=merged.nv)
    pushed = {name: rng.normal(size=6) for name in merged.link_names[::4]}
    counts_alike = (
        0 not in merged.link_body
    )  # else the body of a link fixed to the world counts as moving, if it has one
    each = {}
    for compiled in (merged, apart):
        qdd = forward_dynamics(merged, q, qd, tau, pushed)
        wrenches = joint_wrenches(compiled, q, qd, qdd, pushed)
        each[id(compiled)] = {
            "qdd": forward_dynamics(compiled, q, qd, tau, pushed),
            "tau": inverse_dynamics(compiled, q, qd, qdd, pushed),
            "mass matrix": mass_matrix(compiled, q),
            "poses": forward_kinematics(compiled, q, qd)[0],
            "twists": forward_kinematics(compiled, q, qd)[1],
            "jacobian": link_jacobian(compiled, q, model.links[-1].name),
            "momentum": momentum(compiled, q, qd) if counts_alike else 0.0,
            "centre": centre_of_mass(compiled, q) if counts_alike else 0.0,
            "energy": mechanical_energy(compiled.arrays, make_work(compiled.arrays), q, qd) if counts_alike else 0.0,
            "wrenches": [wrenches[name] for name in sorted(wrenches)],
        }
        assert {joint.name for joint in model.joints} <= set(wrenches)
    for what, wanted in each[id(apart)].items():
        assert off(each[id(merged)][what], wanted) <= (1e-10 if what == "tau" else 1e-12), what
