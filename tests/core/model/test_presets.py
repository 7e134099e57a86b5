# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of joints: each is what it is called, and right as it is."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.check import check_model
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import Axis, Joint, Link, Model, ModelError
from limberjack.core.model.presets import PRESETS, with_preset
from limberjack.core.model.screws import joint_pose
from limberjack.core.simulation import Simulation
from support.models import aimed

ALL = tuple(PRESETS.values())
LINK = Link("link", 1.0, (0.1, 0.05, -0.2), (0.02, 0.0, 0.0, 0.02, 0.0, 0.01))


def held(name, **settings):
    """A model of one link of 1 kg on a joint of that preset."""
    joint = with_preset(Joint("joint", "fixed", "world", "link"), PRESETS[name])
    return Model(links=[replace(LINK)], joints=[replace(joint, **settings)])


def simulated(model, seconds, **initial):
    run = Simulation(model, np.linspace(0.0, seconds, 21), initial=initial)
    return run.run()


@pytest.mark.parametrize("preset", ALL, ids=lambda preset: preset.name)
def test_each_is_sound(preset):
    """Guards that no preset has a fault that the check would tell a user of, and that each one simulates and moves."""
    model = held(preset.name)
    assert check_model(model) == []
    assert np.isfinite(simulated(model, 0.2).X_WL).all()
    assert model.joints[0].nv


@pytest.mark.parametrize("preset", ALL, ids=lambda preset: preset.name)
def test_axes_fit_the_type(preset):
    """Guards the list: no more axes than the type has, no field set that means nothing there, first direction z."""
    kind = JOINT_TYPES[preset.type]
    assert kind.is_open or len(preset.axes) <= len(kind.axes)
    for number, axis in enumerate(preset.axes):
        differ = {name for name, value in vars(Axis(**axis)).items() if value != getattr(Axis(), name)}
        assert differ == set(axis)
        assert differ <= kind.slot(number).fields
    pointed = [Axis(**axis).xyz for number, axis in enumerate(preset.axes) if kind.slot(number).is_pointed]
    assert not pointed or pointed[0] == (0.0, 0.0, 1.0)


def test_names():
    """Guards the menu: no label twice, summaries without a full stop, as Blender's tooltips have them."""
    assert len({preset.label for preset in ALL}) == len(ALL)
    assert all(preset.name == name for name, preset in PRESETS.items())
    assert not any(preset.summary.endswith(".") for preset in ALL)


@pytest.mark.parametrize(
    ("name", "lower", "upper"),
    [("door_hinge", 0, 110), ("lid", 0, 100), ("elbow", 0, 145), ("knee", 0, 140), ("servo", -90, 90)],
)
def test_degrees(name, lower, upper):
    """Guards against degrees that were taken for radians."""
    axis = held(name).joints[0].axes[0]
    assert (math.degrees(axis.lower), math.degrees(axis.upper)) == pytest.approx((lower, upper))


def test_cones():
    """Guards cone and twist, whose axes come after the three of the springs."""
    for name, cone, twist in (("shoulder", 80, 60), ("neck", 40, 70), ("hip", 60, 40)):
        axes = held(name).joints[0].axes
        assert math.degrees(axes[3].upper) == pytest.approx(cone)
        assert (math.degrees(axes[4].lower), math.degrees(axes[4].upper)) == pytest.approx((-twist, twist))


def test_drawer_stops():
    """Guards what a user sees: pulled out along gravity, the drawer comes to rest at 0.4 m."""
    model = held("drawer")
    model.gravity = (0.0, 0.0, 9.81)
    assert simulated(model, 3.0).q[-1] == pytest.approx([0.4], abs=1e-3)


def test_motors():
    """Guards the drives: the turntable reaches half a turn a second, the servo its target, on links of 1 kg."""
    table = held("turntable")
    motion = simulated(table, 2.0)
    assert motion.qd[-1] == pytest.approx([math.pi], rel=0.02)
    servo = held("servo")
    servo.gravity = (0.0, 0.0, 0.0)
    servo.joints[0].axes[0].drive_target = 0.8
    assert simulated(servo, 2.0).q[-1] == pytest.approx([0.8], abs=0.01)


def test_steered_wheel():
    """Guards the order of its axes: 300 kg sag by m g / k along the joint's axis, and it steers and rolls besides."""
    model = held("steered_wheel")
    model.links[0] = Link("link", 300.0, inertia=(2.0, 0.0, 0.0, 2.0, 0.0, 2.0))
    motion = simulated(model, 3.0, qd={"joint": [0.0, 0.0, 10.0]})
    assert motion.q[-1, 0] == pytest.approx(-300.0 * 9.81 / 40000.0, rel=0.01)
    assert motion.q[-1, 2] > 20.0
    assert abs(motion.q[-1, 1]) < 0.05


@pytest.mark.parametrize("preset", ALL, ids=lambda preset: preset.name)
def test_place_and_axis_stay(preset):
    """Guards links, frames, leader, release and the direction that the user gave; others turn with the first."""
    axis = (0.6, 0.0, 0.8)
    frames = {"X_PJ": (1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5), "X_CJ": (0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    count = len(JOINT_TYPES[preset.type].axes) or 5
    old = Joint(
        "joint", preset.type, "world", "link", axes=aimed(preset.type, [Axis(axis)] * count), released_at=2.0, **frames
    )
    new = with_preset(old, preset)
    assert (new.X_PJ, new.X_CJ, new.released_at) == (old.X_PJ, old.X_CJ, 2.0)
    pointed = [number for number in range(new.axis_count) if new.kind.slot(number).is_pointed]
    assert not pointed or new.direction(pointed[0]) == axis
    axes = [Axis(**fields) for fields in preset.axes] + [Axis()] * 5
    wanted = [axes[number].xyz for number in pointed]
    found = [new.direction(number) for number in pointed]
    assert np.array(found) @ np.array(found).T == pytest.approx(np.array(wanted) @ np.array(wanted).T)
    assert PRESETS[preset.name].axes == preset.axes
    assert joint_pose(new, new.q_neutral) == pytest.approx((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))


def test_an_axis_without_direction():
    """Guards the one thing that can be wrong with the joint before."""
    with pytest.raises(ModelError, match="axis 1 is 0 0 0"):
        with_preset(Joint("joint", "revolute", "world", "link", axes=[Axis((0.0, 0.0, 0.0))]), PRESETS["elbow"])
