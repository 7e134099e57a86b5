"""The zips of dist/ for this platform, each installed, used and removed in clean profiles: `make packages`.

Blenders are the bpy wheels in environments without numba, so what runs compiled runs by the zip's own. Whole logs go
to out/packages/. Exits 0 if all is well, else 1.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
OUT = ROOT / "out" / "packages"
MANIFEST = ROOT / "blender_manifest.toml"
TIME_LIMIT = 900  # seconds; kernels are compiled meanwhile, on a machine that does other things too

SAMPLE = "crane.blend"
FRAMES = {"uncompiled": 4, "compiled": 24}

# What Blender itself says: of the extension, of files, and what our operators report through it
EXPECTED = re.compile(
    r'STATUS (Installed|Removed( cache)?) "limberjack"'
    r'|([\d:.]+ +blend +\| )?Read blend: ".*"'
    r"|Info: \d+ frames of \d+ links in .*"
    r"|Info: Written: .*"
)


@dataclass(frozen=True)
class Case:
    zip_file: Path
    python: str
    word: str

    @property
    def name(self) -> str:
        return f"{self.zip_file.stem}.python{self.python}"

    @property
    def log(self) -> Path:
        return OUT / f"{self.name}.log"


def main() -> int:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    begun = time.monotonic()
    running = [(case, start(case)) for case in cases()]
    failed = 0
    for case, child in running:
        failure = outcome(case, child, TIME_LIMIT - (time.monotonic() - begun))
        failed += bool(failure)
        told = f"FAIL {case.name}: {failure}" if failure else f"PASS {case.name}"
        print(f"{told} (after {time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{len(running) - failed} passed, {failed} failed")
    return 1 if failed else 0


def cases() -> Iterator[Case]:
    """Those that take no time first."""
    plain = f"limberjack-{tomllib.loads(MANIFEST.read_text(encoding='utf-8'))['version']}"
    for word, name in (("uncompiled", plain), ("compiled", f"{plain}-{this_platform()}")):
        for python in ("3.11", "3.13"):
            yield Case(DIST / f"{name}.zip", python, word)


def this_platform() -> str:
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}[sys.platform]
    machine = platform.machine().lower()
    return f"{system}_{({'x86_64': 'x64', 'amd64': 'x64'}).get(machine, machine)}"


def start(case: Case) -> subprocess.Popen:
    profile = OUT / case.name
    profile.mkdir()
    interpreter = ROOT / f".venv-blender-{case.python}" / "bin" / "python"
    command = [interpreter, Path(__file__).with_name("session.py"), case.zip_file]
    command += [SAMPLE, str(FRAMES[case.word]), case.word]
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("LIMBERJACK", "PYTHON"))}
    settings["BLENDER_USER_RESOURCES"] = str(profile)
    with case.log.open("w") as log:
        return subprocess.Popen(command, env=settings, cwd=OUT, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def outcome(case: Case, child: subprocess.Popen, seconds: float) -> str:
    """What was not right, nothing if all was."""
    try:
        child.wait(max(seconds, 1.0))
    except subprocess.TimeoutExpired:
        child.kill()
        return f"not done in {TIME_LIMIT} s"
    text = case.log.read_text(errors="replace")
    if child.returncode:
        return f"code {child.returncode}:\n{text}"
    strange = [line for line in text.splitlines() if line and not EXPECTED.fullmatch(line)]
    return f"the console says {strange}" if strange else ""


if __name__ == "__main__":
    sys.exit(main())
