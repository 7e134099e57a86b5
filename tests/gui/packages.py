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
SAMPLE = ("crane.blend", "24", "either")  # this Blender has a numba of its own
TIME_LIMIT = 600  # seconds; each compiles the solver
FOR_HERE = ("", "-linux_x64")


def version() -> str:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]


def try_all(headless: Path, blender: Path, out: Path, inside: str) -> Iterator[tuple[str, float, str]]:
    """Each zip's name, when its trial began [s, monotonic], and what was wrong, or "".

    Args:
        headless: the script that runs a command in Blender's root folder. out, inside: a folder, here and there.
    """
    begun, running = time.monotonic(), []
    for zip_file in filter(Path.exists, (ROOT / "dist" / f"limberjack-{version()}{end}.zip" for end in FOR_HERE)):
        shutil.copy(zip_file, out / "source")
        command = [
            headless,
            blender,
            out,
            "blender",
            "-b",
            "--factory-startup",
            "--python",
            f"{inside}/{SESSION}",
            "--",
        ]
        log = out / f"{zip_file.stem}.log"
        with log.open("w") as stream:
            asked = [*command, f"{inside}/source/{zip_file.name}", *SAMPLE]
            running.append((zip_file.stem, log, subprocess.Popen(asked, stdout=stream, stderr=stream)))
    for name, log, child in running:
        try:
            code = child.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            code = f"none in {TIME_LIMIT} s"
        yield name, begun, f"code {code}:\n{log.read_text(errors='replace')}" if code else ""
