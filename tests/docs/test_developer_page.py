# SPDX-License-Identifier: GPL-3.0-or-later
"""The developer's guide: what it adds as an example is added, and works (its migration: see test_versions.py)."""

import re
from pathlib import Path

import numpy as np
import pytest

from limberjack.core import formats
from limberjack.core.joints import JOINT_TYPES, types
from limberjack.core.model import Joint
from limberjack.core.simulation import SOLVERS, Simulation
from support import conformance

ROOT = Path(__file__).parents[2]
TYPE, FORMAT, SOLVER, _ = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "developer.md").read_text(encoding="utf-8"), re.S
)


def run(example, known=()):
    """The names that an example makes."""
    names = dict(known)
    exec(compile(example, "developer.md", "exec"), names)
    return names


def test_a_joint_type_is_one_entry(monkeypatch):
    """Guards "one entry": the example conforms, by other arithmetic, with no other line written for it."""
    entry = run(TYPE, vars(types))["PIN_SLOT"]
    monkeypatch.setitem(JOINT_TYPES, entry.name, entry)
    joint = Joint("pin", "pin_slot", "world", "link")
    assert (joint.nq, joint.nv) == (2, 2)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        conformance.check_type(conformance.random_joint("pin_slot", rng), rng)


@pytest.fixture
def chain(monkeypatch, tmp_path):
    """A file in the format of the example, with four bars."""
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, run(FORMAT)["CHAIN"]))
    path = tmp_path / "four.chain"
    path.write_text('<chain links="4" length="0.2" mass="1"/>')
    return path


def test_a_format_is_one_line(chain):
    """Guards the reader of the example: a sound model, and an error with its line where the file is wrong."""
    reading = formats.read(chain)
    assert reading.issues == []
    assert [link.name for link in reading.model.links] == ["bar0", "bar1", "bar2", "bar3"]
    chain.write_text('\n<chain links="1" length="0" mass="1"/>')
    assert ("no-length", 2) in {(issue.code, issue.line) for issue in formats.read(chain).issues}


def test_a_solver_is_one_file(chain, monkeypatch):
    """Guards the solver of the example: of order 4, and the same motion as the default's."""
    monkeypatch.setitem(SOLVERS, "classical", run(SOLVER)["CLASSICAL"])
    model = formats.read(chain).model
    start = {"q": {"hinge0": 1.0, "hinge2": -0.5}}

    def tip(**ways):
        motion = Simulation(model, np.linspace(0.0, 0.5, 13), initial=start, **ways).run()
        return motion.X_WL[-1, -1, :3]

    truth = tip(accuracy="exact")
    errors = [np.abs(tip(accuracy=name, solver="classical") - truth).max() for name in ("draft", "good")]
    assert errors[1] < 1e-7
    assert errors[0] > 100.0 * errors[1]
    times = np.linspace(0.0, 0.5, 13)
    half = Simulation(model, times[:7], initial=start, solver="classical")
    half.run()
    rest = Simulation(model, times[6:], initial=half.state, solver="classical").run()
    whole = Simulation(model, times, initial=start, solver="classical").run()
    assert np.array_equal(rest.q, whole.q[6:])
