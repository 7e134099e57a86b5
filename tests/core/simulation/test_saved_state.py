# SPDX-License-Identifier: GPL-3.0-or-later
"""State files of strangers: whatever a file says that a solver had in memory, no kernel is led astray."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.formats import read
from limberjack.core.simulation import Simulation
from support.cases import some

ROOT = Path(__file__).parents[3]
SAMPLES = sorted((ROOT / "sample_scenes").glob("*.sdf"))


@pytest.mark.parametrize(
    ("count", "seed"), [(240, 1), *(pytest.param(2000, seed, marks=pytest.mark.slow) for seed in range(2, 7))]
)
def test_forged_states(count, seed):
    """Guards the process: each forged state is refused, runs or fails; none ends the process or raises otherwise."""
    command = [sys.executable, ROOT / "tests" / "fuzz" / "states.py", "--count", str(count), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout.splitlines()[-3:], done.stderr[-2000:])
    last = done.stdout.splitlines()[-1]
    assert "'refused'" in last
    assert "'went on'" in last


@pytest.mark.parametrize("accuracy", some(("good", "draft", "exact"), ["good"]))
@pytest.mark.parametrize("path", some(SAMPLES, SAMPLES[1::5]), ids=lambda path: path.stem)
def test_what_was_saved_is_accepted(path, accuracy):
    """Guards the checks against solvers that have more in memory than these allow: a state of each frame goes on."""
    run = Simulation(read(path).model, np.arange(73) / 24.0, accuracy=accuracy)
    for _ in run:
        memory = run._stage.solver.snapshot()
        accepted = run._stage.solver.validate_memory([*memory.values()])
        assert accepted.keys() == memory.keys()
