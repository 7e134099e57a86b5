"""The sample scenes give the numbers that lie beside them, which another engine computed."""

import json
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.formats import read
from limberjack.core.solvers import Simulation

SCENES = sorted((Path(__file__).parents[2] / "sample_scenes").glob("*.json"))


@pytest.mark.parametrize("numbers", SCENES, ids=lambda path: path.stem)
def test_a_scene_gives_its_numbers(numbers):
    """Guards reader, joint frames, springs, balls and integrator together: positions against Drake's, energy kept."""
    expected = json.loads(numbers.read_text())
    reading = read(numbers.with_suffix(".sdf"))
    assert reading.issues == []
    model = reading.model
    assert (len(model.links), len(model.joints)) == (expected["links"], expected["joints"])
    assert sum(link.mass for link in model.links) == pytest.approx(expected["total_mass"])
    for name, rows in expected["positions"].items():
        rows = np.array(rows)
        run = Simulation(model, rows[:, 0], "exact", expected["initial"])
        motion = run.run()
        assert run.compiled.nv == expected["velocities"]
        found = motion.X_WL[:, motion.link_names.index(name), :3]
        assert np.abs(found - rows[:, 1:]).max() < expected["position_tolerance"]
        assert run.report.relative_drift < expected["relative_energy_drift"]
