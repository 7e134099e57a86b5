"""Other programs that judge us: libsdformat, Drake, MuJoCo and Pinocchio, as `make judges` installs them.

They run as processes of their own: their Python wants another numpy than Blender's.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .shared import SHARED

ROOT = Path(__file__).parents[2]
JUDGES = Path(os.environ.get("LIMBERJACK_JUDGES", ROOT / ".judges"))
PYTHON = Path(os.environ.get("LIMBERJACK_JUDGES_PYTHON", ROOT / ".venv-judges" / "bin" / "python"))
SDFDUMP = JUDGES / "sdfdump" / "sdfdump"
COMPARE = SHARED / "judges" / "compare.py"


def needs(*paths: Path):
    """Skip a test, with a reason, where one of the paths is absent."""
    missing = next((path for path in paths if not path.exists()), None)
    return pytest.mark.skipif(missing is not None, reason=f"judges not installed (make judges): no {missing}")


needs_compare = needs(COMPARE)
needs_libsdformat = needs(COMPARE, SDFDUMP)
needs_python_judges = needs(COMPARE, PYTHON, JUDGES)


def libsdformat(path: Path) -> dict:
    """What libsdformat reads in an SDF or URDF file."""
    return _reading([SDFDUMP, path])


def drake(path: Path) -> dict:
    """What Drake reads, which is strict about elements that it does not know."""
    return _reading([PYTHON, JUDGES / "drake_dump.py", path])


def mujoco(path: Path) -> dict:
    """What MuJoCo reads in a URDF file."""
    return _reading([PYTHON, JUDGES / "mujoco_dump.py", path])


def _reading(command: list) -> dict:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    start = done.stdout.find("{\n")
    assert start >= 0, f"{Path(command[-2]).name} said nothing of {command[-1]}: {done.stderr[-400:]}"
    return json.loads(done.stdout[start:])


def differences(mine: dict, reading: dict | str, folder: Path) -> str:
    """What differs between our reading and a judge's: a reading, or FILE.golden.json#NAME; empty where nothing does."""
    ours = folder / "ours.json"
    ours.write_text(json.dumps(mine))
    theirs = reading
    if isinstance(reading, dict):
        theirs = folder / "theirs.json"
        theirs.write_text(json.dumps(reading))
    done = subprocess.run(
        [sys.executable, COMPARE, "--strict", ours, theirs], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr
