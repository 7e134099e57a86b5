# SPDX-License-Identifier: GPL-3.0-or-later
"""Every joint type of the list, put through the one suite of `support.conformance`."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import Axis, Joint, Model
from limberjack.core.simulation import Simulation
from support import conformance
from support.exponentials import exp_twist, pose_at
from support.models import random_link

SEEDS = range(5)

TURNS = {"x": (0, 0, 0, 1, 0, 0), "y": (0, 0, 0, 0, 1, 0), "z": (0, 0, 0, 0, 0, 1)}
SLIDES = {"X": (1, 0, 0, 0, 0, 0), "Y": (0, 1, 0, 0, 0, 0), "Z": (0, 0, 1, 0, 0, 0)}
PROMISED = {
    "fixed": "",
    "revolute": "z",
    "continuous": "z",
    "prismatic": "Z",
    "universal": "xy",
    "revolute2": "xy",
    "cylindrical": "Zz",
    "planar": "XYz",
    "euler_zyx": "zyx",
    "euler_xyz": "xyz",
    "euler_yxz": "yxz",
    "euler_zxy": "zxy",
    "translation": "XYZ",
    "d6": "XYZxyz",
}
"""What each type's name means: slides along, and turns about, the axes of its frame, outward."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("joint_type", tuple(JOINT_TYPES))
def test_conforms(joint_type, seed):
    """Guards poses, twists, their rates, rows, forces, accelerations and the way back, by other arithmetic."""
    rng = np.random.default_rng([seed, len(joint_type)])
    conformance.check_type(conformance.random_joint(joint_type, rng), rng)


@pytest.mark.parametrize("joint_type", tuple(PROMISED))
def test_is_what_its_name_says(joint_type):
    """Guards the list's own data, which the suite takes as given: which columns, in which order."""
    letters = PROMISED[joint_type]
    xyz = {"z": (0.0, 0.0, 1.0), "x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0)}
    axes = [Axis(xyz=xyz[letter.lower()]) for letter in letters]
    joint = Joint("joint", joint_type, "world", "link", axes=axes)
    q = np.random.default_rng(1).normal(size=len(letters))
    X = np.eye(4)
    for letter, value in zip(letters, q, strict=True):
        X = X @ exp_twist(value * np.array((TURNS | SLIDES)[letter], dtype=float))
    assert joint.nq == joint.nv == len(letters)
    assert conformance.pose_gap(joint, q, X) <= 1e-12
    conformance.check_pose(joint, q, np.random.default_rng(2))


def test_a_screw_climbs_by_its_pitch_in_a_turn():
    """Guards the thread of the suite's own screws: metres per turn, right-handed."""
    joint = Joint("joint", "screw", "world", "link", axes=[Axis(xyz=(0.0, 1.0, 0.0))], pitch=0.02)
    assert pose_at(joint, [math.tau])[:3, 3] == pytest.approx((0.0, 0.02, 0.0))
    conformance.check_pose(joint, np.array([math.tau]), np.random.default_rng(0))


@pytest.mark.parametrize("joint_type", ["ball", "free", "distance", "cable"])
def test_a_quaternion_keeps_its_length(joint_type):
    """Guards the charts against drifting off the unit sphere, over a thousand steps of the solver."""
    rng = np.random.default_rng(3)
    joint = conformance.random_joint(joint_type, rng)
    joint.axes = [replace(axis, damping=0.0) for axis in joint.axes]
    model = Model(links=[random_link(rng, "link")], joints=[joint], gravity=(0.0, 0.0, 0.0))
    spin = {"joint": [*[0.0] * (joint.nv - 3), 3.0, -4.0, 5.0]}
    run = Simulation(model, np.linspace(0.0, 30.0, 601), "exact", {"qd": spin})
    run.run()
    assert run.report.steps >= 1000
    assert np.abs(np.linalg.norm(run.trajectory.q[:, -4:], axis=1) - 1.0).max() <= 1e-12


def negative(function):
    def flipped(*arguments):
        return tuple(tuple(-number for number in part) for part in function(*arguments))

    return flipped


@pytest.mark.parametrize("joint_type", ["universal", "planar", "euler_zyx", "d6", "custom"])
def test_the_suite_sees_a_flipped_bias(joint_type, monkeypatch):
    """Guards the suite: with a wrong sign in the bias of acceleration it must fail. Nothing compiles here."""
    from limberjack.core.kinematics import motion

    rng = np.random.default_rng(0)
    joint = Joint("joint", joint_type, "world", "link")
    for number, xyz in enumerate(((1.0, 0.0, 0.0), (0.0, 0.6, 0.8))):
        if joint.kind.is_open:
            joint.axes.append(Axis(xyz))
        elif joint.kind.slot(number).is_pointed:
            joint.axes[number].xyz = xyz
    joint = replace(joint, home=())
    q, qd = conformance.random_coordinates(joint, rng)
    conformance.check_motion(joint, q, qd)
    monkeypatch.setattr(motion, "motion_cross", negative(motion.motion_cross))
    with pytest.raises(AssertionError, match="drift"):
        conformance.check_motion(joint, q, qd)


@pytest.mark.parametrize("joint_type", [name for name, kind in JOINT_TYPES.items() if kind.limited_quantities])
def test_the_suite_sees_a_flipped_gradient(joint_type, monkeypatch):
    """Guards the suite: with the sign of the rows' gradients wrong, it must fail."""
    from limberjack.core.model import screws

    def flipped(*arguments):
        value, gradient = evaluate(*arguments)
        return value, negative(lambda: gradient)()

    evaluate = screws.evaluate_quantity
    rng = np.random.default_rng(0)
    joint = conformance.random_joint(joint_type, rng)
    q, qd = conformance.random_coordinates(joint, rng)
    conformance.check_rows(joint, q, qd)
    monkeypatch.setattr(screws, "evaluate_quantity", flipped)
    with pytest.raises(AssertionError, match="gradients"):
        conformance.check_rows(joint, q, qd)
