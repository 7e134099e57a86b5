# SPDX-License-Identifier: GPL-3.0-or-later
"""Gimbal lock at the start is found where the mass matrix has no inverse, and nowhere else."""

import math

import numpy as np
import pytest

from limberjack.core.check import check_definition
from limberjack.core.dynamics import mass_matrix
from limberjack.core.model import WORLD, Axis, Joint, Link, Model

INERTIA = (0.2, 0.01, 0.02, 0.3, 0.03, 0.4)
EULER = ("euler_xyz", "euler_yxz", "euler_zxy", "euler_zyx")
ANGLES = (0.0, 0.3, 0.5 * math.pi, -0.5 * math.pi, math.pi, 2.0)


def hand(mass=1.0, **more):
    return Link("hand", mass, (0.1, 0.2, 0.3) if mass else (0.0, 0.0, 0.0), INERTIA if mass else (0.0,) * 6, **more)


def codes(model):
    return [issue.code for issue in check_definition(model) if issue.code == "gimbal-lock"]


def is_singular(model, q):
    sizes = np.linalg.svd(mass_matrix(model, q), compute_uv=False)
    return bool(sizes[-1] < 1e-9 * sizes[0])


@pytest.mark.parametrize("middle", ANGLES)
@pytest.mark.parametrize("kind", EULER)
def test_each_order_of_euler_angles(kind, middle):
    """Guards the finding by the mass matrix, which has no inverse at 90 degrees, whatever the order of the axes."""
    home = (0.4, middle, -0.7)
    model = Model("m", [hand()], [Joint("wrist", kind, WORLD, "hand", home=home, X_PJ=(1, 2, 3, 0.6, 0.8, 0, 0))])
    assert codes(model) == ["gimbal-lock"] * is_singular(model, {"wrist": home})


def chain(between=0.0, roll=(0.0, 0.0, 1.0), backward=False, **last):
    """Hinges about Z, Y and `roll`, with two links between them."""
    links = [Link(name, between, (0.0,) * 3, INERTIA if between else (0.0,) * 6) for name in ("a", "b")] + [hand()]
    ends = [(WORLD, "a", (0.0, 0.0, 1.0), {}), ("a", "b", (0.0, 1.0, 0.0), {}), ("b", "hand", roll, last)]
    joints = []
    for name, (parent, child, xyz, more) in zip(("yaw", "pitch", "roll"), ends, strict=True):
        if backward and parent != WORLD:
            parent, child = child, parent
        joints.append(Joint(name, "revolute", parent, child, axes=[Axis(xyz=xyz, **more)]))
    return Model("m", links, joints)


@pytest.mark.parametrize(
    ("model", "locks"),
    [
        (chain(), True),
        (chain(backward=True), True),
        (chain(roll=(1.0, 0.0, 0.0)), False),
        (chain(between=0.5), False),
        (chain(armature=0.1), False),
    ],
    ids=["massless links", "joints that point inward", "axes that differ", "links that weigh", "a rotor"],
)
def test_hinges_of_several_joints(model, locks):
    """Guards robot wrists: three joints with massless links between them lock as one joint does."""
    assert bool(codes(model)) == locks
    assert is_singular(model, {"yaw": 0.0, "pitch": 0.0, "roll": 0.0}) == locks


def test_a_fixed_tool_weighs():
    """Guards against a false alarm: what is fixed to a massless link makes it weigh, and a bent wrist is not locked."""
    model = chain()
    model.links.append(Link("tool", 0.5))
    model.joints.append(Joint("grip", "fixed", "b", "tool"))
    assert codes(model) == []
    model = chain()
    model.joints[1].home = (0.5,)
    assert codes(model) == []


def test_hinges_about_one_line_are_no_gimbal():
    """Guards against a false alarm: without a bend between them, hinges about one line are parallel axes."""
    model = chain()
    model.joints[1].axes[0].xyz = (0.0, 0.0, 1.0)
    assert codes(model) == []
