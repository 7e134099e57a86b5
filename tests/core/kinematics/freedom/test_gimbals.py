# SPDX-License-Identifier: GPL-3.0-or-later
"""Gimbal lock is found where the determinant of a joint's turns vanishes, by matrix exponentials, and nowhere else."""

import math

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics.freedom.gimbals import Gimbals
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from support.exponentials import subspace_at

GIMBALS = [name for name, kind in JOINT_TYPES.items() if sum(column.turn != 0.0 for column in kind.columns) == 3]
NOTHING = (0.0,) * 6
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def gimbals_of(*joints, **links):
    """Of joints in a row, from the world outward; links are named by their joints, and weigh what is said, or 1 kg."""
    names = [WORLD, *(joint.name for joint in joints)]
    for joint, parent, child in zip(joints, names, names[1:], strict=False):
        joint.parent, joint.child = parent, child
    masses = {joint.name: links.get(joint.name, 1.0) for joint in joints}
    bodies = [Link(name, mass, inertia=(mass, 0.0, 0.0, mass, 0.0, mass)) for name, mass in masses.items()]
    compiled = compile_model(Model("m", bodies, list(joints)))
    return compiled, Gimbals(compiled)


def joint(name, joint_type, *axes, **more):
    given = [Axis(xyz=axis) for axis in axes]
    return Joint(name, joint_type, WORLD, name, axes=[] if joint_type in ("fixed", "free") else given, **more)


@pytest.mark.parametrize("joint_type", GIMBALS)
def test_how_near_a_lock_is_follows_the_determinant(joint_type):
    """Guards the measure: of axes at right angles, one after the other, |det| is the sine between the outer two."""
    alone = joint("j", joint_type)
    _, gimbals = gimbals_of(alone)
    rng = np.random.default_rng(3)
    for middle in (0.0, 0.7, 1.5, 0.5 * math.pi, -0.5 * math.pi, 4.5):
        q = rng.normal(size=alone.nq)
        q[-2] = middle
        lock = gimbals.nearest(q, 1.1)
        assert lock.apart == pytest.approx(abs(np.linalg.det(subspace_at(alone, q)[3:, -3:])), abs=1e-12)
        assert (lock.first, lock.middle, lock.last) == (alone.nv - 3, alone.nv - 2, alone.nv - 1)
        assert lock.angle == middle
        assert (gimbals.nearest(q, 1e-3) is None) == (abs(math.cos(middle)) > 1e-3)


def test_hinges_of_several_joints_are_a_gimbal_if_nothing_weighs_between_them():
    """Guards what is built of a universal joint and a hinge, whatever the types are called."""
    for mass, shift, locks in ((0.0, 0.0, True), (1.0, 0.0, False), (0.0, 0.1, False)):
        hinge = joint("h", "revolute", X, X_PJ=(shift, shift, shift, 1.0, 0.0, 0.0, 0.0))
        compiled, gimbals = gimbals_of(joint("u", "universal", Z, Y), hinge, u=mass)
        q = compiled.q_from({"u": [0.3, 0.5 * math.pi], "h": 0.2})
        assert (gimbals.nearest(q, 1e-6) is not None) is locks
        assert gimbals.nearest(compiled.q_from({"u": [0.3, 0.4]}), 1e-3) is None


@pytest.mark.parametrize(
    "joint_type", [name for name, kind in JOINT_TYPES.items() if name not in GIMBALS and not kind.is_open]
)
def test_other_types_have_none(joint_type):
    """Guards against false alarms: fewer hinges, or a quaternion."""
    kind = JOINT_TYPES[joint_type]
    axes = (Z, Y) if kind.axes and kind.slot(0).is_pointed else ()
    assert not gimbals_of(joint("j", joint_type, *axes))[1]


def test_hinges_that_are_parallel_all_along_are_no_gimbal():
    """Guards SCARAs, whose three hinges are parallel and apart, and what has no bend between."""
    custom = Joint("c", "custom", WORLD, "c", axes=[Axis(xyz=Z, point=(float(i), 0.0, 0.0)) for i in range(3)])
    assert gimbals_of(custom)[1].nearest(np.zeros(3), 0.5) is None
    in_line = Joint("c", "custom", WORLD, "c", axes=[Axis(xyz=Z), Axis(xyz=Z), Axis(xyz=Y)])
    assert gimbals_of(in_line)[1].nearest(np.zeros(3), 0.5) is None
    proper = Joint("c", "custom", WORLD, "c", axes=[Axis(xyz=Z), Axis(xyz=X), Axis(xyz=Z)])
    assert gimbals_of(proper)[1].nearest(np.zeros(3), 0.5).angle == 0.0
