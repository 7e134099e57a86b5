# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver finds its way: by whichever method runs, past stops that are only touched, in few evaluations."""

import math

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Controls, Schedule, Simulation
from limberjack.core.solvers.joint_events.margins import crossing_part

FRAMES = np.arange(25) / 24.0
DOWN, BELOW = (0.0, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0)
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
ROD = (0.02, 0.0, 0.0, 0.03, 0.0, 0.025)


def run(model, solver="adaptive", **initial):
    simulation = Simulation(model, FRAMES, "good", {"q": initial}, solver)
    return simulation.run(), simulation.report


def rod_with_grains(damping, **stop):
    """A pendulum that carries two links of next to no inertia on damped hinges: rates of 1e13 /s, at rest on it."""
    inertia = 1e-13
    grains = [Link(name, 1e-9, (0.001 * i, 0.0, 0.0), (inertia, 0.0, 0.0, inertia, 0.0, inertia))
              for i, name in enumerate(("grain", "end"))]  # fmt: skip
    joints = [
        Joint("pivot", "revolute", WORLD, "rod", axes=[Axis(xyz=Y, **stop)]),
        Joint("wrist", "revolute", "rod", "grain", BELOW, axes=[Axis(xyz=X, damping=damping)]),
        Joint("tip", "revolute", "grain", "end", DOWN, axes=[Axis(xyz=Y, damping=damping)]),
    ]
    return Model(links=[Link("rod", 1.0, (0.0, 0.0, -0.5), ROD), *grains], joints=joints)


def alone(**stop):
    """That pendulum without what it carries."""
    axis = Axis(xyz=Y, **stop)
    return Model(
        links=[Link("rod", 1.0, (0.0, 0.0, -0.5), ROD)], joints=[Joint("pivot", "revolute", WORLD, "rod", axes=[axis])]
    )


@pytest.mark.parametrize("stop", [{}, {"lower": -0.2, "stiffness": 2e3, "dissipation": 0.1}])
def test_what_only_implicit_steps_can_follow_runs_by_default(stop):
    """Guards the way on where no explicit step is short enough, also through the blow on a soft stop.

    Dampers that hold so light links weld them on: the pendulum swings as if they were not there.
    """
    motion, report = run(rod_with_grains(1.0, **stop), pivot=1.0)
    with pytest.raises(Exception, match="followed"):
        run(rod_with_grains(1.0, **stop), "explicit", pivot=1.0)
    implicit = run(rod_with_grains(1.0, **stop), "implicit", pivot=1.0)[1]
    wanted = Simulation(alone(**stop), FRAMES, "exact", {"q": {"pivot": 1.0}}).run()
    assert motion.q[:, 0] == pytest.approx(wanted.q[:, 0], abs=1e-4)
    assert np.abs(motion.q[:, 1:]).max() < 1e-6
    assert report.evaluations <= 1.5 * implicit.evaluations
    assert report.relative_drift < 1e-5


def leaning(start):
    """A bar that gravity turns into its upper stop at 0, and where it starts."""
    axis = Axis(xyz=Y, upper=0.0, lower=-1.0)
    bar = Link("bar", 0.01, (0.1, 0.0, 0.0), (1e-6, 0.0, 0.0, 1e-6, 0.0, 1e-6))
    return Model(links=[bar], joints=[Joint("hinge", "revolute", WORLD, "bar", axes=[axis])]), start


@pytest.mark.parametrize("solver", ["adaptive", "explicit", "implicit"])
def test_a_stop_that_is_passed_by_rounding_is_only_touched(solver):
    """Guards the start at a stiff stop: what closes a loop may miss it by 1e-12, and must not make it ring.

    The bar would ring at 1e6 rad/s; it rests, as one that starts exactly there does.
    """
    counts = {}
    for start in (0.0, 1e-12):
        model, at = leaning(start)
        motion, report = run(model, solver, hinge=at)
        counts[start] = report.evaluations
        assert np.abs(motion.q).max() <= 1e-9
        assert np.abs(motion.qd).max() <= 1e-9
    assert counts[1e-12] == counts[0.0]


@pytest.mark.parametrize("solver", ["adaptive", "explicit", "implicit"])
def test_a_load_that_sinks_slowly_through_nothing_lets_go(solver):
    """Guards what holds by next to nothing, as stops of coupled fingers do: its force passes 0 within many steps.

    A push of 1e-7 N m/s, against the stop until 0.5 s and away from it after, leaves it at I x'' = push; as long as it
    goes by less than 1e-9 rad/s it counts as at rest at each frame.
    """
    slope, inertia = 1e-7, 0.5
    hub = Axis(lower=0.0, stiffness=math.inf, drive_mode="force")
    rim = Link("rim", 1.0, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, inertia))
    model = Model(links=[rim], joints=[Joint("hub", "revolute", WORLD, "rim", axes=[hub])], gravity=(0.0, 0.0, 0.0))
    schedule = Schedule(axes={("hub", 0): {"drive_target": lambda time: slope * (time - 0.5)}})
    simulation = Simulation(model, FRAMES, "good", solver=solver, controls=Controls(schedule=schedule))
    motion = simulation.run()
    assert not motion.q[:13].any()
    assert motion.q[-1, 0] == pytest.approx(slope * 0.5**3 / 6.0 / inertia, rel=0.2)
    assert simulation.report.rejected == 0


@pytest.mark.parametrize(("start", "part"), [(2.0, 0.2), (2.0, 0.7), (0.1, 0.2), (1e-3, 0.2), (-0.6, 0.2), (-0.9, 0.7)])
def test_a_force_that_sinks_slowly_is_met_where_it_passes_what_is_allowed(start, part):
    """Guards the place of an event whose margin has no rate, in parts of what is allowed; the margin falls evenly."""
    allowed = 1e-9
    begin, end = ((value * allowed, math.nan) for value in (start, start - (1.0 + start) / part))
    assert crossing_part(begin, end, 0.01, allowed) == pytest.approx(part, rel=1e-6)
