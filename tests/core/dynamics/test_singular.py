# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations that forces do not decide are refused, and no number that is none goes in or comes out."""

import math

import numpy as np
import pytest

from limberjack.core.dynamics import centre_of_mass, com_jacobian, forward_dynamics, inverse_dynamics, mass_matrix
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model, ModelError, StateError

NOTHING = (0.0,) * 6


def hinged(*joints, links):
    return Model("m", [*links], [*joints])


def hinge(name, parent, child, **options):
    return Joint(name, "revolute", parent, child, axes=[Axis((0.0, 1.0, 0.0))], **options)


EMPTY, ARM = Link("empty", 0.0, inertia=NOTHING), Link("arm", 1.0, (0.5, 0.0, 0.0))

UNDECIDED = {
    "a root that floats": (Model("m", [EMPTY]), "link 'empty': nothing holds it"),
    "a root with an arm": (hinged(hinge("h", "empty", "arm"), links=[EMPTY, ARM]), "link 'empty': nothing holds it"),
    "at the end": (hinged(hinge("h", WORLD, "empty"), links=[EMPTY]), "link 'empty': it can move by joint 'h'"),
    "beside a mimic": (
        hinged(
            hinge("h", WORLD, "arm"),
            hinge("other", WORLD, "second", mimic=Mimic("h")),
            hinge("tip", "arm", "empty"),
            links=[ARM, Link("second", 1.0), EMPTY],
        ),
        "link 'empty': it can move by joint 'tip'",
    ),
}


@pytest.mark.parametrize(("model", "told"), UNDECIDED.values(), ids=UNDECIDED)
def test_what_forces_do_not_decide_is_refused(model, told):
    """Guards against NaN in silence: the link that has no inertia is named, and what to do."""
    with pytest.raises(StateError, match=f"^{told}.* so forces do not decide how it moves"):
        forward_dynamics(model)


def test_what_inertia_decides_is_answered():
    """Guards small masses: an arm of 1e-9 kg under gravity turns as its equation of motion says, g r m / I."""
    r, m = 0.5, 1e-9
    light = Link("light", m, (r, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    qdd = forward_dynamics(hinged(hinge("h", WORLD, "light"), links=[light]))
    assert qdd == pytest.approx([9.81 / r])


@pytest.mark.parametrize("ask", [mass_matrix, inverse_dynamics, forward_dynamics])
@pytest.mark.parametrize(
    ("q", "told"),
    [
        ([math.nan], r"^q takes finite numbers, found nan in q\[0\]$"),
        ([math.inf], r"^q takes finite numbers, found inf in q\[0\]$"),
        (np.zeros((1, 1, 1)), r"^q takes 1 number\(s\), found shape \(1, 1, 1\)$"),
        (np.zeros((1, 2)), r"^state 0: q takes 1 number\(s\), found shape \(2,\)$"),
        ("left", r"^q takes 1 number\(s\), or \{joint: number or list\}, found 'left'$"),
        ({"h": math.nan}, r"^joint 'h' takes 1 finite number\(s\), found nan$"),
    ],
)
def test_states_are_finite_numbers(ask, q, told):
    """Guards all functions of a state: what is no number is said where it came in, not found in the result."""
    with pytest.raises(StateError, match=told):
        ask(hinged(hinge("h", WORLD, "arm"), links=[ARM]), q)


@pytest.mark.parametrize("wrench", [[math.nan] * 6, [1.0, 2.0, 3.0], 5.0, "up"])
def test_wrenches_are_six_finite_numbers(wrench):
    """Guards forces from outside likewise."""
    with pytest.raises(
        StateError, match=r"^the wrench on link 'arm' takes a force and a torque, 6 finite numbers, found"
    ):
        forward_dynamics(hinged(hinge("h", WORLD, "arm"), links=[ARM]), wrenches={"arm": wrench})


@pytest.mark.parametrize("ask", [centre_of_mass, com_jacobian])
def test_what_weighs_nothing_has_no_centre_of_mass(ask):
    """Guards against NaN in silence: where nothing that can move has mass, that is said."""
    with pytest.raises(
        ModelError, match=r"^model 'm': nothing that can move has mass, so there is no centre of mass; "
    ):
        ask(hinged(hinge("h", WORLD, "empty"), links=[EMPTY]))
