# SPDX-License-Identifier: GPL-3.0-or-later
"""The zips of dist/, each tried in this Blender as tests/packages tries them, in a clean profile."""

from __future__ import annotations

import shutil
import subprocess
import time
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SESSION = "source/tests/packages/session.py"
OLDER = ROOT / "tests" / "packages" / "older.py"
INTERPRETER = ROOT / ".venv" / "bin" / "python"
NAMES = ("plain", "compiled", "upgraded")
"""The trials: of the plain zip, of that with a library, and of an upgrade of the latter."""

SAMPLE = ("crane.blend", "24")
TIME_LIMIT = 600  # seconds; the plain zip has numba compile the solver


def version() -> str:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]


@dataclass
class Trial:
    """One trial that runs: its name, its log, its process, and when it began [s, monotonic]."""

    name: str
    log: Path
    child: subprocess.Popen
    begun: float


def start(names: Collection[str], headless: Path, blender: Path, out: Path, inside: str) -> list[Trial]:
    """Start those of the named trials whose zips dist/ has, all at once.

    Args:
        headless: the script that runs a command in Blender's root folder. out, inside: a folder, here and there.
    """
    command = ["nice", headless, blender, out, "blender", "-b", "--factory-startup"]
    command += ["--python", f"{inside}/{SESSION}", "--"]
    running = []
    for name, (task, zips, words) in trials(out).items():
        if name not in names:
            continue
        for zip_file in zips:
            if not (out / "source" / zip_file.name).exists():
                shutil.copy(zip_file, out / "source")
        log = out / f"packages_{name}.log"
        with log.open("w") as stream:
            asked = [*command, task, *SAMPLE, *(f"{inside}/source/{zip_file.name}" for zip_file in zips), *words]
            child = subprocess.Popen(asked, stdout=stream, stderr=stream)
        running.append(Trial(name, log, child, time.monotonic()))
    return running


def outcomes(running: Iterable[Trial]) -> Iterator[dict]:
    """Yield the result of each trial: its name, its seconds, and what was wrong, or ""."""
    for trial in running:
        try:
            code: int | str = trial.child.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            trial.child.kill()
            code = f"none in {TIME_LIMIT} s"
        failure = f"code {code}:\n{trial.log.read_text(errors='replace')}" if code else ""
        yield {"name": f"packages.{trial.name}", "seconds": time.monotonic() - trial.begun, "failure": failure}


def trials(out: Path) -> dict[str, tuple[str, list[Path], list[str]]]:
    """By name: a task of the session, its zips and its other words. Only what dist/ has is tried.

    This Blender has a numba of its own, by which the plain zip runs; the other one has no need of it.
    """
    plain, compiled = (ROOT / "dist" / f"limberjack-{version()}{end}.zip" for end in ("", "-linux_x64"))
    found = {}
    if plain.exists():
        found["plain"] = ("whole", [plain], ["numba"])
    if compiled.exists():
        found["compiled"] = ("whole", [compiled], ["library"])
        told = subprocess.run([INTERPRETER, OLDER, compiled, out / "older"], capture_output=True, text=True, check=True)
        found["upgraded"] = ("upgrade", [Path(told.stdout.strip()), compiled], [])
    return found
