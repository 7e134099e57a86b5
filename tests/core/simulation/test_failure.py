# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a simulation that fails: what it says, and who finds the causes."""

import pickle
import re

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.diagnosis import diagnose
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation, SimulationError, failure

FAILS = r"link 'rod': the motion cannot be followed past [0-9.]+ m?s, frame \d+"


def failed():
    """A run of a pendulum whose damper drives it, and the error with which it ends."""
    hinge = Joint("pin", "revolute", WORLD, "rod", axes=[Axis(damping=-1e6)])
    run = Simulation(Model(links=[Link("rod")], joints=[hinge]), np.arange(20) / 24.0, initial={"qd": {"pin": 1.0}})
    with pytest.raises(SimulationError) as failed:
        run.run()
    return run, failed.value


def test_everyone_is_told_the_same():
    """Guards all ways to the causes: the function, the method, the error, and the first one in the error's text."""
    run, error = failed()
    found = diagnose(error)
    assert found == error.diagnoses == run.diagnose() == diagnose(run) == lj.diagnose(error)
    assert found[0].code == "energy-from-nowhere"
    assert str(error).endswith(f": {found[0]}")


def test_an_error_reaches_another_process():
    """Guards errors of workers: text and causes go along, and the facts stay behind with the model's functions."""
    _, error = failed()
    sent = pickle.loads(pickle.dumps(error))
    assert (str(sent), sent.diagnoses, sent.facts) == (str(error), error.diagnoses, None)


def test_the_doctor_is_asked_once(monkeypatch):
    """Guards errors without a cause, whose text is shown again after the simulation has moved on."""
    asked = []
    monkeypatch.setattr(failure, "_doctors", [lambda facts: asked.append(facts) or []])
    _, error = failed()
    assert re.fullmatch(FAILS, str(error))
    assert error.diagnoses == []
    assert asked == [error.facts]


def test_a_simulation_does_not_need_the_doctor(monkeypatch):
    """Guards the layers: without the package above, an error names link and frame, and no cause is made up."""
    monkeypatch.setattr(failure, "_doctors", [])
    run, error = failed()
    assert re.fullmatch(FAILS, str(error))
    with pytest.raises(RuntimeError, match=r"import limberjack\.core\.diagnosis"):
        run.diagnose()
