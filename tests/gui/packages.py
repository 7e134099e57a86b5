"""The zips of dist/, each tried in this Blender as tests/packages tries them, in a clean profile."""

from __future__ import annotations

import shutil
import subprocess
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SESSION = "source/tests/packages/session.py"
OLDER = ROOT / "tests" / "packages" / "older.py"
INTERPRETER = ROOT / ".venv" / "bin" / "python"
SAMPLE = ("crane.blend", "24")
TIME_LIMIT = 600  # seconds; the plain zip has numba compile the solver


def version() -> str:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]


def try_all(headless: Path, blender: Path, out: Path, inside: str) -> Iterator[tuple[str, float, str]]:
    """Each trial's name, when it began [s, monotonic], and what was wrong, or "".

    Args:
        headless: the script that runs a command in Blender's root folder. out, inside: a folder, here and there.
    """
    command = [headless, blender, out, "blender", "-b", "--factory-startup", "--python", f"{inside}/{SESSION}", "--"]
    begun, running = time.monotonic(), []
    for name, (task, zips, words) in trials(out).items():
        for zip_file in zips:
            if not (out / "source" / zip_file.name).exists():
                shutil.copy(zip_file, out / "source")
        log = out / f"packages_{name}.log"
        with log.open("w") as stream:
            asked = [*command, task, *SAMPLE, *(f"{inside}/source/{zip_file.name}" for zip_file in zips), *words]
            running.append((name, log, subprocess.Popen(asked, stdout=stream, stderr=stream)))
    for name, log, child in running:
        try:
            code = child.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            code = f"none in {TIME_LIMIT} s"
        yield name, begun, f"code {code}:\n{log.read_text(errors='replace')}" if code else ""


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
