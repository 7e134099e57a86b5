# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity and velocity forces, Jacobians, steps and differences of real robots, against Pinocchio's."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.dynamics import gravity_forces, tree_com_jacobian, velocity_forces
from limberjack.core.formats import read
from limberjack.core.kinematics import difference, integrate, jacobian, random_configuration
from limberjack.core.model.compiling.compile import compile_model
from support.judges import PYTHON, needs_python_judges
from support.shared import CORPUS, SHARED

URDFS = (
    SHARED / "benchmark/models/humanoid36.urdf",
    CORPUS / "urdf/erd_ur5_robot/ur5_robot.urdf",
    CORPUS / "urdf/erd_solo12/solo12.urdf",
)


@needs_python_judges
@pytest.mark.parametrize("urdf", URDFS, ids=lambda path: path.stem)
def test_terms_and_jacobians_are_pinocchios(urdf, tmp_path):
    """Guards what people look for, by another engine; a ball's and a free joint's way is an exponential in both."""
    compiled = compile_model(read(urdf).model)
    rng = np.random.default_rng(0)
    starts = [random_configuration(compiled, seed) for seed in range(3)]
    rates = [rng.uniform(-1.0, 1.0, compiled.nv) for _ in starts]
    ends = [integrate(compiled, q, qd) for q, qd in zip(starts, rates, strict=True)]
    states = [
        {name: (q[span.q].tolist(), qd[span.v].tolist(), end[span.q].tolist()) for name, span in compiled.spans.items()}
        for q, qd, end in zip(starts, rates, ends, strict=True)
    ]
    base = compiled.floating[0] if compiled.floating else ""
    asked = tmp_path / "states.json"
    asked.write_text(json.dumps({"base": base, "states": states}))
    script = Path(__file__).with_name("pinocchio_terms.py")
    told = subprocess.run([PYTHON, script, urdf, asked], capture_output=True, text=True, check=True).stdout
    links = [compiled.link_names[0], compiled.link_names[-1]]
    for q, qd, end, theirs in zip(starts, rates, ends, json.loads(told), strict=True):

        def joined(found):
            return np.concatenate([found[name] for name in compiled.spans])

        for ours, name in ((gravity_forces(compiled, q), "gravity"), (velocity_forces(compiled, q, qd), "velocity")):
            expected = joined(theirs[name])
            assert np.abs(ours - expected).max() <= 1e-9 * (1.0 + np.abs(expected).max())
        assert difference(compiled, q, end) == pytest.approx(joined(theirs["difference"]), abs=1e-9)
        assert theirs["step"] < 1e-9
        if not compiled.model.tree().branches[0].joint.holds_rigidly:  # else what is fixed counts as mass to them
            assert tree_com_jacobian(compiled, q).T == pytest.approx(joined(theirs["com"]), abs=1e-9)
        for link in set(links) & set(theirs["links"]):
            assert jacobian(compiled, q, link).T == pytest.approx(joined(theirs["links"][link]), abs=1e-9)
