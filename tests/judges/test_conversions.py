# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/conversions.md against the programs themselves: free joints, the order of twists, the name of the world."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import limberjack as lj
from support.judges import PYTHON, needs_python_judges

PAGE = Path(__file__).parents[2] / "docs" / "conversions.md"
DRAWN = (0.4, -0.5, 0.6, 0.5, -0.5, 0.5, 0.5)
WORLDS = {"pinocchio": "universe", "drake": "world", "mujoco": "world"}


@needs_python_judges
def test_programs_have_the_body_where_the_page_says(tmp_path):
    """Guards what the page states of other programs: by its formulas, they have the same pose and twist, and back."""
    page = {}
    for snippet in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        exec(compile(snippet, PAGE.name, "exec"), page)
    model = lj.Model("body", [lj.Link("body", pose=DRAWN)])
    rng = np.random.default_rng(0)
    q, qd = lj.integrate(model, lj.compile_model(model).q_home, rng.normal(size=6)), rng.normal(size=6)
    (X_WL,), (V_WL,) = lj.forward_kinematics(model, q, qd)
    states = {name: [part.tolist() for part in page[f"to_{name}"](X_WL, V_WL)] for name in WORLDS}
    asked = tmp_path / "states.json"
    asked.write_text(json.dumps(states))
    script = Path(__file__).with_name("free_joints.py")
    told = json.loads(subprocess.run([PYTHON, script, asked], capture_output=True, text=True, check=True).stdout)
    for name, (pose, V, world) in told.items():
        if np.dot(pose[3:], X_WL[3:]) < 0.0:
            pose[3:] = (-part for part in pose[3:])
        assert pose == pytest.approx(X_WL, abs=1e-12)
        assert (V if name == "pinocchio" else page["swap"](V)) == pytest.approx(V_WL, abs=1e-12)
        assert world == WORLDS[name]
        back, rates = page[f"from_{name}"](DRAWN, *(np.array(part) for part in states[name]))
        assert back[:3] == pytest.approx(q[:3], abs=1e-12)
        assert abs(back[3:] @ q[3:]) == pytest.approx(1.0, abs=1e-12)
        assert rates == pytest.approx(qd, abs=1e-12)
