# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of real robots, against Pinocchio's."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.dynamics import articulated_body
from limberjack.core.formats import read
from limberjack.core.kinematics import make_work
from limberjack.core.model.compiling.compile import compile_model
from support.judges import PYTHON, needs_python_judges
from support.models import random_state
from support.shared import CORPUS, SHARED

URDFS = (
    SHARED / "benchmark/models/humanoid36.urdf",
    CORPUS / "urdf/erd_ur5_robot/ur5_robot.urdf",
    CORPUS / "urdf/erd_solo12/solo12.urdf",
    CORPUS / "urdf/erd_kinova/kinova.urdf",
    CORPUS / "urdf/erd_simple_humanoid/simple_humanoid.urdf",
)


@needs_python_judges
@pytest.mark.parametrize("urdf", URDFS, ids=lambda path: path.stem)
def test_forward_dynamics_is_pinocchios(urdf, tmp_path):
    """Guards the URDF reader, merged fixed links, frames and ABA at once, by another engine's whole pipeline."""
    compiled = compile_model(read(urdf).model)
    rng = np.random.default_rng(0)
    ours, states = [], []
    for seed in range(5):
        q, qd = random_state(compiled, seed)
        tau, qdd = 5.0 * rng.normal(size=compiled.nv), np.zeros(compiled.nv)
        articulated_body(compiled.arrays, make_work(compiled.arrays), q, qd, tau, qdd)
        states.append(by_joint(compiled, q, qd, tau))
        ours.append(qdd)
    base = compiled.floating[0] if compiled.floating else ""
    asked = tmp_path / "states.json"
    asked.write_text(json.dumps({"base": base, "states": states}))
    script = Path(__file__).with_name("pinocchio_aba.py")
    told = subprocess.run([PYTHON, script, urdf, asked], capture_output=True, text=True, check=True).stdout
    for qdd, theirs in zip(ours, json.loads(told), strict=True):
        expected = np.concatenate([theirs[name] for name in compiled.spans])
        assert np.abs(qdd - expected).max() <= 1e-9 * np.abs(expected).max()


def by_joint(compiled, q, qd, tau) -> dict:
    spans = compiled.spans.items()
    return {
        name: (
            q[span.q].tolist(),
            qd[span.v].tolist(),
            tau[span.v].tolist(),
        )
        for name, span in spans
    }
