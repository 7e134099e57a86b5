# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs that judge us: libsdformat, Drake, MuJoCo and Pinocchio, as `make judges` installs them.

They run as processes of their own: their Python wants another numpy than Blender's.
"""

import importlib.util
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from .shared import SHARED

ROOT = Path(__file__).parents[2]
JUDGES = Path(os.environ.get("LIMBERJACK_JUDGES", ROOT / ".judges"))
PYTHON = Path(os.environ.get("LIMBERJACK_JUDGES_PYTHON", ROOT / ".venv-judges" / "bin" / "python"))
SDFDUMP = JUDGES / "sdfdump" / "sdfdump"
COMPARE = SHARED / "judges" / "compare.py"
READ_ALL = ROOT / "tests" / "judges" / "read_all.py"
WORKERS = 2
AT_ONCE = 100
"""Files to hand to one process: command lines have an end."""


def needs(*paths: Path):
    """Skip a test, with a reason, where one of the paths is absent."""
    missing = next((path for path in paths if not path.exists()), None)
    return pytest.mark.skipif(missing is not None, reason=f"judges not installed (make judges): no {missing}")


needs_compare = needs(COMPARE)
needs_libsdformat = needs(COMPARE, SDFDUMP)
needs_python_judges = needs(COMPARE, PYTHON, JUDGES)


def libsdformat(path: Path, as_version: str = "") -> dict:
    """What libsdformat reads in an SDF or URDF file; `as_version` is read in the place of the file's own."""
    told = ["--as-version", as_version] if as_version else []
    done = subprocess.run([SDFDUMP, *told, path], capture_output=True, text=True, check=False)
    start = done.stdout.find("{\n")
    assert start >= 0, f"sdfdump said nothing of {path}: {done.stderr[-400:]}"
    return json.loads(done.stdout[start:])


def drake(path: Path) -> dict:
    """What Drake reads, which is strict about elements that it does not know."""
    return drake_all([path])[0]


def mujoco(path: Path) -> dict:
    """What MuJoCo reads in a URDF file."""
    return mujoco_all([path])[0]


def pinocchio(path: Path) -> dict:
    """What Pinocchio reads in a URDF file; it adds what is fixed to a link to that link's own mass."""
    return pinocchio_all([path])[0]


def libsdformat_all(paths: Iterable[Path], as_version: str = "") -> list[dict]:
    """What libsdformat reads in each file."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda path: libsdformat(path, as_version), paths))


def drake_all(paths: Iterable[Path], lenient: bool = False) -> list[dict]:
    """What Drake reads in each file; lenient: without sensors, plugins and geometry. See read_all.py."""
    return _read_all("drake", paths, lenient)


def mujoco_all(paths: Iterable[Path]) -> list[dict]:
    """What MuJoCo reads in each URDF file."""
    return _read_all("mujoco", paths)


def pinocchio_all(paths: Iterable[Path]) -> list[dict]:
    """What Pinocchio reads in each URDF file."""
    return _read_all("pinocchio", paths)


def _read_all(judge: str, paths: Iterable[Path], lenient: bool = False) -> list[dict]:
    files = list(paths)
    share = max(1, min(AT_ONCE, -(-len(files) // WORKERS)))
    parts = [files[at : at + share] for at in range(0, len(files), share)]
    with ThreadPoolExecutor(WORKERS) as pool:
        return [told for part in pool.map(lambda part: _read_part(judge, part, lenient), parts) for told in part]


def _read_part(judge: str, paths: list[Path], lenient: bool) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "readings.json"
        program = [PYTHON, READ_ALL, JUDGES, judge, *["--lenient"] * lenient, "--out", told, *paths]
        done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)  # MuJoCo leaves a log
        assert done.returncode == 0, f"{judge} died: {done.stderr[-400:]}"
        return json.loads(told.read_text())


def golden(path: Path) -> dict[str, dict]:
    """What each judge once read in a file of the corpus, by the judge's name."""
    return json.loads(path.with_name(f"{path.name}.golden.json").read_text())["readings"]


@cache
def _compare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judges_compare", COMPARE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(mine: dict, reading: dict, strict: bool = True) -> str:
    """What differs between our reading and a judge's, a line each; empty where nothing does.

    strict: what ours leaves out counts too.
    """
    refused = [who for who, told in (("we", mine), ("the judge", reading)) if _compare().refused(told)]
    if refused:
        return f"{' and '.join(refused)} refused: {reading.get('errors')}"
    found = compared(mine, reading) + (_compare().missing(mine, reading) if strict else [])
    return "\n".join(f"{what} {told}" for what, told in found)


def compared(one: dict, other: dict) -> list[tuple[str, str]]:
    """What differs between two readings, as far as both speak of it."""
    return _compare().compare(one, other)
