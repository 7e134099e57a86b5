# SPDX-License-Identifier: GPL-3.0-or-later
"""The roboticist's guide: its Python, as it stands."""

import math
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_snippets_run(monkeypatch, capsys, tmp_path):
    """Guards the first lines of code that a reader copies: they run, one after the other, and print what they say."""
    shutil.copytree(ROOT / "sample_scenes", tmp_path / "sample_scenes")
    monkeypatch.chdir(tmp_path)  # which has nothing else, as a clone that was just made has no more
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "roboticist.md").read_text(encoding="utf-8"), re.S)
    assert len(snippets) == 10
    shared = {}
    for snippet in snippets:
        exec(compile(snippet, "roboticist.md", "exec"), shared)
    told = capsys.readouterr().out
    led = shared["motion"].q[:, shared["motion"].q_names.index(("curl", "rad"))]
    assert led[-1] == pytest.approx(0.8 * math.sin(4.0), abs=1e-9)
    steered = shared["steered"].joint("curl")[-1]
    assert steered == pytest.approx(0.3, abs=0.02)
    assert shared["door"].link("leaf").mass == pytest.approx(38.4, rel=1e-14)
    assert "4  stick   reach   prismatic" in told
    assert told.splitlines()[-1] == str(shared["compiled"].nv)
