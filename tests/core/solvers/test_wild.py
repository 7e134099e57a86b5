# SPDX-License-Identifier: GPL-3.0-or-later
"""Random models with every feature, far wilder than what people build, against what must hold for any model.

`benchmarks/wild.py` runs a thousand of them for longer.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from limberjack.core.diagnosis import diagnose
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.simulation import Controls, Forces, Simulation, SimulationError
from support.wild import NAMED, energy_change, from_seed, has_nan, wild_models
from support.wild_contact import contact_from_seed

MOST_STEPS = 10_000
"""A motion that has taken so many is judged as far as it has come: a few stiff models would take most of the time."""


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(wild_models())
@pytest.mark.slow
def test_wild_models_move_or_say_why_not(wild):
    """Guards against numbers that are none, energy from nowhere, and errors that name nothing."""
    run, said = None, ""
    try:
        run = Simulation(wild.model, np.arange(13) / 24, initial=wild.initial)
        for _ in run:
            if run.report.steps > MOST_STEPS:
                break
    except (ModelError, SimulationError) as reason:
        said = str(reason)
    assert not said or NAMED.search(said), said
    if run is not None and run.frames_done:
        assert not has_nan(run.trajectory)
        growth, _ = energy_change(run.trajectory)
        assert growth < 0.01


@pytest.mark.parametrize("seed", range(0, 60, 3))
@pytest.mark.slow
def test_wild_models_that_touch_move_or_say_why_not(seed):
    """Guards contact against numbers that are none, and errors that name nothing, whatever lies in what."""
    wild, said = contact_from_seed(seed), ""
    run = Simulation(wild.model, np.arange(13) / 24, initial=wild.initial)
    try:
        for _ in run:
            if run.report.steps > MOST_STEPS:
                break
    except SimulationError as reason:
        said = str(reason)
    assert not said or NAMED.search(said), said
    assert not has_nan(run.trajectory)
    assert all(NAMED.search(found.subject) or found.subject == "model 'wild'" for found in diagnose(run))


@pytest.mark.parametrize("seed", [91, 479, 789, *(pytest.param(s, marks=pytest.mark.slow) for s in (4, 64, 609))])
def test_steps_are_shortened_before_energy_comes_from_nowhere(seed):
    """Guards convex steps of stiff springs and whipping cables: in full steps, energy came from nowhere."""
    wild = contact_from_seed(seed)
    motion = Simulation(wild.model, np.arange(25) / 24, initial=wild.initial).run()
    assert energy_change(motion)[0] < 0.05


@pytest.mark.parametrize(("seed", "accuracy"), [(712, "draft"), (131, "draft"), (319, "draft")])
def test_nothing_dissipates_energy_that_was_not_there(seed, accuracy):
    """Guards compliant contacts that appear with an overlap (712), compliant stops that a step overruns (131), and
    small errors that add up (319).
    """
    wild = contact_from_seed(seed)
    motion = Simulation(wild.model, np.arange(25) / 24, accuracy, initial=wild.initial).run()
    moved = max(motion.kinetic.max(), *(np.ptp(part) for part in (motion.potential, motion.dissipated)))
    assert energy_change(motion)[0] < 0.03
    assert (np.maximum.accumulate(motion.dissipated) - motion.dissipated).max() < 0.03 * moved


def test_a_largest_speed_is_reached_and_not_set():
    """Guards the energy of a model in which many links hang on an axis that reaches its largest speed."""
    wild = from_seed(904)
    motion = Simulation(wild.model, np.arange(49) / 24, initial=wild.initial).run()
    assert energy_change(motion)[1] < 5e-4


def test_a_run_that_fails_as_a_joint_lets_go_is_told_as_such():
    """Guards the doctor where a stage has no frame yet: nothing but `SimulationError` is raised."""
    bar = (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)
    drive = Axis((0.0, 1.0, 0.0), drive_mode="position", drive_stiffness=10.0, drive_target=1.0, effort=0.1)
    joints = [
        Joint("clamp", "fixed", WORLD, "body", released_at=0.5),
        Joint("arm", "revolute", WORLD, "bar", axes=[drive]),
    ]
    model = Model("m", [Link("body", inertia=bar), Link("bar", com=(0.5, 0.0, 0.0), inertia=bar)], joints)

    def pushed(moment):
        return Forces(links={"body": (0.0, 0.0, 0.0, 1e40 * (moment.time >= 0.5), 0.0, 0.0)})

    run = Simulation(model, np.arange(25) / 24, "draft", controls=Controls(forces=pushed))
    with pytest.raises(SimulationError, match="link 'body'"):
        run.run()
