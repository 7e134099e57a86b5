# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations of compiled models: the same bits, compiled once, and one layout of q and qd everywhere."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.controls.schedule import Schedule
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, StateError
from limberjack.core.model.compiling import compile as compiling
from limberjack.core.simulation import Controls, Simulation, simulate, simulate_worlds, stage
from support.mechanisms import four_bar
from support.models import random_graph

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"
TIMES = np.arange(9) / 24.0
SLEW = {"crank_pivot": 0.6}


def touching():
    return lj.read(ROOT / "sample_scenes" / "cradle.sdf").model


def falling_apart():
    """Two arms, of which one lets go during the motion, and a joint that is disabled at first."""
    arms = [Link(f"arm{i}", com=(0.0, 0.0, -0.5)) for i in range(2)]
    hinges = [Joint("upper", "revolute", WORLD, "arm0", axes=[Axis(xyz=(0.0, 1.0, 0.0))])]
    hinges.append(Joint("lower", "ball", "arm0", "arm1", X_PJ=(0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0), released_at=0.2))
    hinges.append(Joint("late", "revolute", WORLD, "arm1", enabled=False))
    return Model("falling", arms, hinges, gravity=(0.0, 3.0, -9.81))


ENABLED = {"controls": Controls(schedule=Schedule(enabled={"late": lambda time: time > 0.25}))}


@pytest.mark.parametrize(
    ("made", "ways"),
    [(four_bar, {"initial": {"q": SLEW}}), (touching, {}), (falling_apart, {}), (falling_apart, ENABLED)],
    ids=["loop", "contact", "release", "enabled later"],
)
def test_the_bits_are_those_of_the_model(made, ways):
    """Guards a compiled model as argument, used twice: it moves as its model does, also where its joints change."""
    record = () if "late" in str(ways) else ("efforts", "wrenches")
    whole = Simulation(made(), TIMES, record=record, **ways).run()
    compiled = lj.compile_model(made())
    for _ in range(2):
        again = Simulation(compiled, TIMES, record=record, **ways).run()
        for item in dataclasses.fields(whole):
            one, other = (getattr(motion, item.name) for motion in (whole, again))
            if isinstance(one, np.ndarray):
                assert np.array_equal(one, other, equal_nan=True), item.name


def test_worlds_are_compiled_once(monkeypatch):
    """Guards the cost of many worlds: one compilation for all of them, and for none if the model is compiled."""
    calls = []

    def counted(*args, **kwargs):
        calls.append(args)
        return compile_model(*args, **kwargs)

    compile_model = compiling.compile_model
    for module in (compiling, stage):
        monkeypatch.setattr(module, "compile_model", counted)
    q = np.tile(lj.closed_state(four_bar(), SLEW)[0], (3, 1))
    calls.clear()
    worlds = simulate_worlds(four_bar(), 0.1, q)
    assert len(calls) == 1
    compiled = compile_model(four_bar())
    again = simulate_worlds(compiled, 0.1, q)
    simulate(compiled, 0.1, q[0])
    assert len(calls) == 1
    assert np.array_equal(worlds.q, again.q)


def test_one_layout_of_coordinates():
    """Guards arrays of q: whoever makes or takes them has a place for the joint that closes the loop, the last one."""
    model = four_bar()
    compiled, view = lj.compile_model(model), lj.ArticulationView(model)
    q, qd = lj.closed_state(model, SLEW, {"crank_pivot": 1.0})
    assert (compiled.nq, compiled.nv) == (4, 4) == (len(q), len(qd))
    assert (view.compiled.nq, view.dofs, view.worlds(2)[0].shape) == (4, 4, (2, 4))
    assert Simulation(model, TIMES).compiled.nq == 4
    assert simulate(model, 0.1, q, qd).q.shape[1] == 4
    worlds = simulate_worlds(model, 0.1, q[None], qd[None])
    assert worlds.q[0, 0] == pytest.approx(q, abs=1e-12)
    assert view.q(q)[0] == pytest.approx(q)
    assert view.joints == [("crank_pivot", "crank_pin", "rocker_pivot", "rocker_pin")]
    assert view.link_poses(q)[0] == pytest.approx(lj.forward_kinematics(model, q)[0])


@pytest.mark.parametrize("seed", range(4))
def test_coordinates_of_the_tree_come_first(seed):
    """Guards functions that need the tree alone: its q is the beginning of the whole q, joint by joint."""
    model = random_graph(seed, 12, loops=3)
    whole, tree = lj.compile_model(model), lj.compile_model(model, split_loops=False)
    assert whole.nq > tree.nq
    for name, span in tree.spans.items():
        assert (whole.spans[name].q, whole.spans[name].v) == (span.q, span.v)
    assert lj.overlaps(model, whole.q_home) == lj.overlaps(model, whole.q_by_joint(whole.q_home)) == lj.overlaps(model)


def test_a_model_without_coordinates_for_its_loop_is_refused():
    """Guards against a simulation that would leave the loop open."""
    with pytest.raises(StateError, match=r"closes a loop, and has no coordinates .* a simulation takes compile_model"):
        Simulation(lj.compile_model(four_bar(), split_loops=False), TIMES)


@pytest.mark.parametrize("suffix", ["npz", "csv", "json"])
def test_files_of_the_former_layout(suffix):
    """Guards states and trajectories written while `compile_model` left out loop joints: they go by names."""
    model = lj.read(DATA / "four_bar.sdf").model
    motion = lj.read_trajectory(DATA / f"four_bar_motion.{suffix}")
    state = json.loads((DATA / "four_bar_state.json").read_text())
    rest = Simulation(model, motion.times[3:], initial=state).run()
    assert rest.q[0] == pytest.approx(motion.q[3], abs=1e-12)
    assert rest.X_WL == pytest.approx(motion.X_WL[3:], abs=1e-6)
    again = Simulation(model, motion.times, initial=motion.state(model, 0)).run()
    assert again.q == pytest.approx(motion.q, abs=1e-6)
