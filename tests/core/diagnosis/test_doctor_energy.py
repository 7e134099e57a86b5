# SPDX-License-Identifier: GPL-3.0-or-later
"""What the doctor says of energy: rounding is no energy that moves, and `exact` is the highest accuracy."""

import dataclasses

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.diagnosis.case import Case
from limberjack.core.diagnosis.doctor import energy_drift
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model
from limberjack.core.records.report import NOTHING_MOVES, energy_at_stake
from limberjack.core.simulation import Simulation

ACCURACIES = ("draft", "good", "exact")


def gripper(scale=1.0):
    """Two hinges whose limits and mimic leave no room, so that gravity holds them where they are."""
    finger, knuckle = 1e-4 * scale, 1e-4 * scale
    links = [
        Link("finger", 0.2 * scale, (0.05, 0.0, 0.0), (finger, 0.0, 0.0, finger, 0.0, finger)),
        Link("knuckle", 0.1 * scale, (0.02, 0.0, 0.0), (knuckle, 0.0, 0.0, knuckle, 0.0, knuckle)),
    ]
    limited = {"lower": 0.0, "upper": 0.8, "effort": 100.0, "velocity": 2.0}
    joints = [
        Joint("finger_joint", "revolute", WORLD, "finger", axes=[Axis(xyz=(0.0, 1.0, 0.0), **limited)]),
        Joint(
            "knuckle_joint",
            "revolute",
            WORLD,
            "knuckle",
            (0.0, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0),
            axes=[Axis(xyz=(0.0, 1.0, 0.0), **limited)],
            mimic=Mimic("finger_joint", -1.0),
        ),
    ]
    return Model("gripper", links, joints)


def run_of(model, accuracy="good", seconds=1.0, **settings):
    run = Simulation(model, np.arange(round(24 * seconds) + 1) / 24, accuracy, **settings)
    run.run()
    return run


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_rounding_is_no_energy_that_moves(accuracy, scale):
    """Guards relative checks of rounding noise, for models of a gram and of a tonne."""
    run = run_of(gripper(scale), accuracy)
    assert run.report.energy_scale == 0.0
    assert run.report.relative_drift == 0.0
    assert "nothing moves" in run.report.notes[-1]
    assert [found for found in diagnose(run) if found.code.startswith("energy")] == []


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_small_motion_is_motion(accuracy):
    """Guards the other side: a pendulum that swings by a ten-thousandth of a radian has an energy scale."""
    rod = Link("rod", 1.0, (0.0, 0.0, -0.5), (1.0 / 12, 0.0, 0.0, 1.0 / 12, 0.0, 1e-3))
    model = Model("pendulum", [rod], [Joint("pin", "revolute", WORLD, "rod", axes=[Axis(xyz=(0.0, 1.0, 0.0))])])
    run = run_of(model, accuracy, initial={"q": {"pin": 1e-4}})
    assert run.report.energy_scale == pytest.approx(9.81 * 0.5 * 0.5e-8, rel=0.1)


@pytest.mark.parametrize("size", [1.0, 1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("falls", [True, False])
def test_small_bodies_move_as_well(size, falls):
    """Guards scenes in millimetres and below: a rod that falls moves, however little energy that is, and one that
    hangs does not. The truth is the rod's potential energy, m g size / 2 at most."""
    mass = 1000.0 * size**3
    moment = mass * size**2 / 12.0
    rod = Link("rod", mass, inertia=(moment, 0.0, 0.0, moment, 0.0, moment / 100.0))
    joint = Joint("pin", "revolute", WORLD, "rod", X_CJ=(0.0, 0.0, size / 2.0, 1.0, 0.0, 0.0, 0.0))
    joint.axes[0].xyz = (0.0, 1.0, 0.0)
    model = Model("pendulum", [rod], [joint])
    run = run_of(model, initial={"q": {"pin": 1.5 if falls else 0.0}})
    assert (NOTHING_MOVES in run.report.notes) != falls
    if falls:
        assert 0.1 * mass * 9.81 * size < run.report.energy_scale < mass * 9.81 * size


def test_the_energy_at_stake_is_that_of_lifting_all_by_the_model_s_size():
    """Guards the measure of rounding: masses, gravity and size; links without weight count for nothing."""
    model = gripper()
    compiled = run_of(model, seconds=0.0).compiled
    assert energy_at_stake(compiled) == pytest.approx(0.3 * 9.81 * compiled_size(compiled))
    model.links[0].gravity = False
    assert energy_at_stake(run_of(model, seconds=0.0).compiled) == pytest.approx(0.1 * 9.81 * compiled_size(compiled))
    model.gravity = (0.0, 0.0, 0.0)
    assert energy_at_stake(run_of(model, seconds=0.0).compiled) == 0.0


def compiled_size(compiled):
    """1 m where no joint of a model is away from the world's: see `size_of`."""
    assert all(body.parent == 0 for body in compiled.arrays.bodies)
    return 1.0


@pytest.mark.parametrize(("part", "is_told"), [(1e-10, False), (1e-7, True)])
def test_a_drift_below_what_is_seen_is_none(part, is_told):
    """Guards relative checks by an absolute scale: a tenth of next to no energy is no drift to look for."""
    run = run_of(gripper())
    facts = Case.of(run.facts())
    facts.report.energy_drift = part * energy_at_stake(run.compiled)
    facts.report.energy_scale = 10.0 * facts.report.energy_drift
    assert facts.has_drifted == is_told


@pytest.mark.parametrize(
    ("accuracy", "advice", "finer"),
    [
        ("draft", "choose a higher accuracy", (("accuracy", "good"),)),
        ("good", "choose a higher accuracy", (("accuracy", "exact"),)),
        ("exact", "no accuracy is higher, and steps end at frames: simulate more frames a second", None),
    ],
)
def test_advice_on_a_drift(accuracy, advice, finer):
    """Guards what is proposed: an accuracy that exists, or something else."""
    rod = Link("rod", 1.0, (0.0, 0.0, -0.5), (1.0 / 12, 0.0, 0.0, 1.0 / 12, 0.0, 1e-3))
    model = Model("pendulum", [rod], [Joint("pin", "revolute", WORLD, "rod", axes=[Axis(xyz=(0.0, 1.0, 0.0))])])
    run = run_of(model, accuracy, initial={"q": {"pin": 1.0}})
    facts = Case.of(run.facts())
    lost = facts.trajectory.dissipated - np.linspace(0.0, 1.0, len(facts.trajectory))  # as a wrong solver would
    drifted = dataclasses.replace(facts, trajectory=dataclasses.replace(facts.trajectory, dissipated=lost))
    drifted.report.weigh(drifted.trajectory, 0.0, 0.0, 0.0)
    assert drifted.has_drifted
    (found,) = energy_drift(drifted)
    assert advice in found.message
    assert (found.remedy.changes if found.remedy else None) == finer
    assert ("higher accuracy" in found.message) == (finer is not None)
