# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops without slack: the failed run says that, and no other loop is called taut."""

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.diagnosis.taut_loops import is_taut, sides_of
from limberjack.core.simulation import Simulation, SimulationError
from support.hanging import SPAN, chain
from support.mechanisms import four_bar


@pytest.mark.parametrize("on_posts", [False, True])
def test_a_straight_chain_has_no_slack(on_posts):
    """Guards the cause of the failed run: no slack and both lengths, and no word of making a ball of a joint."""
    run = Simulation(chain(30, 0.0, on_posts), np.arange(25) / 24)
    with pytest.raises(SimulationError) as failed:
        run.run()
    message = str(failed.value)
    assert "closes a loop that has no slack" in message
    assert "30 of its links are 3 m long in all and span 3 m" in message
    assert "make a joint of the loop a ball" not in message
    assert next(iter(diagnose(run))).code == "no-slack"
    assert "redundant-loop" not in [found.code for found in diagnose(run)]


@pytest.mark.parametrize("slack", [1e-3, 0.3])
def test_a_chain_with_slack_moves(slack):
    """Guards chains that are 1 mm longer than their span, or more: they swing, closed, and keep their energy."""
    model = chain(8, slack)
    (loop,) = model.loops()
    assert not is_taut(model, loop)
    assert sum(sides_of(model, loop)) == pytest.approx(2.0 * SPAN + slack)
    run = Simulation(model, np.arange(13) / 24)
    run.run()
    assert run.report.loop_error < 1e-9
    assert run.report.relative_drift < 1e-4


def test_other_loops_are_not_taut():
    """Guards four-bars, and loops with a joint that slides, whose sides have no length."""
    model = four_bar()
    (loop,) = model.loops()
    assert not is_taut(model, loop)
    model.joints[1].type = "cylindrical"
    (loop,) = model.loops()
    assert sides_of(model, loop) == []
