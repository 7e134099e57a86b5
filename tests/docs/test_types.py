# SPDX-License-Identifier: GPL-3.0-or-later
"""Type hints as users of strict checkers meet them: nothing in the examples is of an unknown type.

Arrays of a NumPy before 2.2 have unknown shapes to every checker, so a newer one stands beside the package here.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.judges import PYTHON, needs_python_judges

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / ".venv-lint" / "bin" / "basedpyright"


@pytest.mark.judges
@needs_python_judges
def test_examples_have_no_unknown_type(tmp_path):
    """Guards hints of public names: a strict checker knows the type of everything that the examples use."""
    if not CHECKER.exists():
        pytest.skip("there is no type checker; `make lint` installs it")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "limberjack").symlink_to(ROOT, target_is_directory=True)
    numpy = next((PYTHON.parents[1] / "lib").glob("python*/site-packages"))
    for script in (ROOT / "docs" / "examples").glob("*.py"):
        (tmp_path / script.name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    settings = {"include": ["*.py"], "extraPaths": [str(numpy), "site"], "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    python = CHECKER.with_name("python")
    command = [CHECKER, "--outputjson", "--pythonpath", python, "-p", tmp_path]
    told = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ).stdout
    found = json.loads(told)
    assert found["summary"]["filesAnalyzed"] > 10
    assert [
        (each["file"], each["range"]["start"]["line"] + 1, each["message"]) for each in found["generalDiagnostics"]
    ] == []
