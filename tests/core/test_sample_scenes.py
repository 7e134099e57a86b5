# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample scenes give the numbers that lie beside them: another engine's, or of geometry and counting by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.check import check_model
from limberjack.core.formats import read
from limberjack.core.kinematics import mobility
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation

SAMPLES = Path(__file__).parents[2] / "sample_scenes"
NUMBERS = {path.stem: json.loads(path.read_text()) for path in sorted(SAMPLES.glob("*.json"))}


def each(key):
    """The scenes beside which there is a number of this name."""
    return pytest.mark.parametrize("name", [name for name, numbers in NUMBERS.items() if key in numbers])


def model_of(name):
    return read(SAMPLES / f"{name}.sdf").model


@each("links")
def test_a_scene_has_what_was_counted(name):
    """Guards reader and compiler: links, joints, velocities and mass as they were counted by hand; no findings."""
    expected, reading = NUMBERS[name], read(SAMPLES / f"{name}.sdf")
    assert reading.issues == []
    assert check_model(reading.model) == []
    assert (len(reading.model.links), len(reading.model.joints)) == (expected["links"], expected["joints"])
    assert compile_model(reading.model, split_loops=False).nv == expected["velocities"]
    assert sum(link.mass for link in reading.model.links) == pytest.approx(expected["total_mass"], rel=1e-6)


@each("mobility")
def test_a_scene_moves_as_freely_as_was_counted(name):
    """Guards loops: of the tree's velocities, as many are left as the machine has ways to move."""
    assert mobility(model_of(name)).by_rank == NUMBERS[name]["mobility"]


@each("poses")
def test_a_scene_stands_where_geometry_has_it(name):
    """Guards frames and the closing of loops: places of links at joint values, by trigonometry."""
    expected, model = NUMBERS[name], model_of(name)
    for pose in expected["poses"]:
        motion = Simulation(model, np.zeros(1), "exact", {"q": pose["q"]}).run()
        for link, place in pose["places"].items():
            found = motion.X_WL[0, motion.link_names.index(link), :3]
            assert np.abs(found - place).max() < expected["place_tolerance"], (pose["q"], link)


@each("positions")
def test_a_scene_moves_as_another_engine_has_it(name):
    """Guards reader, joint frames, springs, balls and integrator together: positions against Drake's, energy kept."""
    expected, model = NUMBERS[name], model_of(name)
    for link, rows in expected["positions"].items():
        rows = np.array(rows)
        run = Simulation(model, rows[:, 0], "exact", expected["initial"])
        motion = run.run()
        found = motion.X_WL[:, motion.link_names.index(link), :3]
        assert np.abs(found - rows[:, 1:]).max() < expected["position_tolerance"]
        assert run.report.relative_drift < expected["relative_energy_drift"]
