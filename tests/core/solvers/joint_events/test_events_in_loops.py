# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits, friction and drives on a joint that closes a loop: the same motion as where another joint closes it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.kinematics import JointMotion
from limberjack.core.simulation import Simulation
from support.linkages import apart, upright_four_bar
from support.rings import loose_ring

TIMES = np.linspace(0.0, 2.0, 49)
AGREE = {"good": 1e-4, "exact": 1e-6}

FEATURES = {
    "friction": {"friction": 2.0},
    "much friction": {"friction": 12.0},
    "rigid stops": {"lower": -0.35, "upper": 0.4, "stiffness": math.inf, "restitution": 0.5},
    "inelastic stops": {"lower": -0.35, "upper": 0.4, "stiffness": math.inf},
    "soft stops": {"lower": -0.35, "upper": 0.4, "stiffness": 3e3, "dissipation": 0.3},
    "servo": {
        "drive_mode": "position",
        "drive_target": 0.3,
        "drive_stiffness": 80.0,
        "drive_damping": 4.0,
        "effort": 9.0,
    },
    "motor": {"drive_mode": "velocity", "drive_target": 2.0, "drive_damping": 6.0, "effort": 14.0},
    "speed limit": {"velocity": 3.0},
}
FEATURES["all"] = FEATURES["servo"] | FEATURES["rigid stops"] | {"friction": 1.0, "velocity": 3.0}


def linkage(closing, bearing, fields):
    """The four-bar upright, with real links, `bearing` with an axis of such fields, `closing` closing the loop."""
    model = upright_four_bar()
    joint = model.joint(bearing)
    joint.axes[0] = replace(joint.axes[0], **fields)
    model.joint(closing).closes_loop = True
    return model


def moved(closing, bearing, fields, accuracy):
    run = Simulation(linkage(closing, bearing, fields), TIMES, accuracy, {"qd": {"crank_pivot": 2.5}})
    motion = run.run()
    assert run.report.relative_drift < 1e-5 * (1.0 if accuracy == "exact" else 100.0)
    assert run.report.loop_error <= 1e-9
    return motion.X_WL


@pytest.mark.parametrize("accuracy", ["exact", "good"])
@pytest.mark.parametrize("bearing", ["rocker_pin", "crank_pin"])
@pytest.mark.parametrize("what", list(FEATURES))
def test_what_a_loop_joint_bears_acts_as_on_a_joint_of_the_tree(what, bearing, accuracy):
    """Guards events on loop joints: all links are within 1e-6 over 2 s at exact, 1e-4 at good, whoever closes it."""
    fields = FEATURES[what]
    free = moved(bearing, bearing, {}, accuracy)
    in_loop = moved(bearing, bearing, fields, accuracy)
    in_tree = moved("rocker_pivot", bearing, fields, accuracy)
    assert apart(in_loop, free) > 1e-2  # else it would not act
    assert apart(in_loop, in_tree) <= AGREE[accuracy]


def eventful(joint):
    """A joint of any type, each of its axes given what it may have: near stops, friction, a weak drive."""
    values = dict(
        zip(
            (row.axis for row in joint.kind.limited_quantities),
            JointMotion(joint).rows(np.array(joint.q_home))[0],
            strict=True,
        )
    )
    if not joint.kind.chart:
        values |= {column.axis: value for column, value in zip(joint.columns, joint.q_home, strict=True)}
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        known = joint.kind.slot(number).fields
        if "upper" in known:
            axis.upper, axis.stiffness, axis.restitution = values[number] + 0.03, math.inf, 0.4
        if "lower" in known:
            axis.lower = values[number] - 0.04
        if "friction" in known:
            axis.friction = 0.2 + 0.1 * number
        if "drive_mode" in known:
            axis.drive_mode, axis.drive_target, axis.drive_damping, axis.effort = "velocity", 0.5 - number, 0.8, 0.6


@pytest.mark.parametrize(
    "joint_type", ["revolute", "prismatic", "screw", "universal", "planar", "ball", "distance", "cable"]
)
def test_every_kind_of_joint_has_it_all_in_a_loop(joint_type):
    """Guards types: a ring of joints, one with stops, friction and drives, moves alike whoever closes it, to 1e-6."""
    found = {}
    for closing in ("tested", "left"):
        model = loose_ring(joint_type, closing)
        eventful(model.joint("tested"))
        run = Simulation(model, np.linspace(0.0, 1.0, 25), "exact")
        found[closing] = run.run().X_WL
        assert run.report.events >= 1
        assert run.report.relative_drift < 1e-5
    assert apart(found["tested"], found["left"]) <= 1e-6
