# SPDX-License-Identifier: GPL-3.0-or-later
"""What dist/ has for this platform, each zip installed, used and removed in clean profiles: `make packages`.

With `--group N`, the cases of that group and those that every run needs (ALWAYS); five groups cover all cases.

Blenders are the bpy wheels in environments without numba, so what runs compiled runs by the zip's own library. That
one is also upgraded while it is in use, used by two Blenders at once, and where nothing can be written. The wheel of
the Python package is installed and used there too. Whole logs go to out/packages/. Exits 0 if all is well, else 1.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import installed_wheel
from contents import changed_by_rebuilding, without_licence
from older import write_older
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.groups import GROUPS, group_of

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
OUT = ROOT / "out" / "packages"
MANIFEST = ROOT / "blender_manifest.toml"
SESSION = Path(__file__).with_name("session.py")
TIME_LIMIT = 600  # seconds for each Blender, on a machine that does other things too
AT_ONCE = 2
LARGEST = 10e6  # bytes of a zip

PYTHONS = ("3.11", "3.13")

SAMPLE = "crane.blend"
ALWAYS = ("compiled.python3.11", "compiled.python3.13", "wheel.python3.11")
"""Cases of every group: this platform's zip is installed, used and removed in both Blenders, and a wheel in one."""

FRAMES, FEW_FRAMES = "24", "4"
"""How many are baked, and where kernels run uncompiled."""

# What Blender itself says: of the extension, of files, and what our operators report through it
EXPECTED = re.compile(
    r'STATUS (Installed|Reinstalled|Removed( cache)?) "limberjack"'
    r'|([\d:.]+ +blend +\| )?Read blend: ".*"'
    r"|Info: Baked frames \d+–\d+ on \d+ links?"
    r"|Info: Written: .*"
    r"|Info: 1 link tagged"
    r"|Info: bent: 2 pieces, .*"
    r"|Info: bent: Convex Hull, .*"
    r"|Warning: link 'bent' is concave and has its hull, no convex pieces: CoACD, .*"  # of the plain zip
    r"|Failed to remove: .*it is in use.*"  # which session.py's `upgrade_locked` pretends
)

READ_ONLY = 'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; shift; exec "$@"'
"""For a folder, in mounts of this command's own: root may write anywhere else."""


@dataclass(frozen=True)
class Case:
    """What is done in one clean profile.

    tasks: of session.py, each with its arguments, one after the other; those in one tuple at once.
    is_read_only: whether the extensions' folder is, for all but the first.
    """

    name: str
    python: str
    tasks: tuple[tuple[tuple[str, ...], ...], ...]
    is_read_only: bool = False

    @property
    def log(self) -> Path:
        return OUT / f"{self.name}.log"

    @property
    def profile(self) -> Path:
        return OUT / self.name


def main() -> int:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    begun = time.monotonic()
    group = chosen_group()
    chosen = [case for case in cases() if is_chosen(case.name, group)]
    outcomes: list[bool] = []

    def tell(name: str, failure: str) -> None:
        outcomes.append(not failure)
        told = f"FAIL {name}: {failure}" if failure else f"PASS {name}"
        print(f"{told} (after {time.monotonic() - begun:.0f} s)", flush=True)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for case, failure in zip(chosen, pool.map(outcome, chosen), strict=True):
            tell(case.name, failure)
    tell("sizes", too_large())
    tell("licences", without_licence(sorted(DIST.glob("limberjack-*.zip"))))
    tell("rebuilt_bytes", changed_by_rebuilding(DIST, OUT / "rebuilt"))
    for python in PYTHONS:
        if is_chosen(f"wheel.python{python}", group):
            tell(f"wheel.python{python}", outcome_of_wheel(python))
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) else 1


def chosen_group() -> int | None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--group", type=int, choices=range(GROUPS), help="try a fifth of the cases")
    return parser.parse_args().group


def is_chosen(name: str, group: int | None) -> bool:
    return group is None or name in ALWAYS or group_of(name) == group


def cases() -> Iterator[Case]:
    version = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["version"]
    plain = str(DIST / f"limberjack-{version}.zip")
    compiled = DIST / f"limberjack-{version}-{this_platform()}.zip"
    older = str(write_older(compiled, OUT))
    rebuilt = str(write_older(compiled, OUT, version))
    zip_file = str(compiled)
    for python in PYTHONS:

        def case(name: str, *tasks, is_read_only: bool = False, python: str = python) -> Case:
            return Case(f"{name}.python{python}", python, tasks, is_read_only)

        used = ("use", SAMPLE, FRAMES, "1")
        installed = (("install", SAMPLE, FRAMES, zip_file),)
        yield case("plain", (("whole", SAMPLE, FEW_FRAMES, plain, "python"),))
        yield case("compiled", (("whole", SAMPLE, FRAMES, zip_file, "library"),))
        yield case("upgraded", (("upgrade", SAMPLE, FRAMES, older, zip_file),))
        yield case("rebuilt", (("upgrade", SAMPLE, FRAMES, rebuilt, zip_file),))
        yield case("upgraded_locked", (("upgrade_locked", SAMPLE, FRAMES, older, zip_file),), (used,))
        yield case("two_at_once", installed, (("use", SAMPLE, FRAMES, "2"),) * 2)
        yield case("read_only", installed, (used,), is_read_only=True)


def this_platform() -> str:
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}[sys.platform]
    machine = platform.machine().lower()
    return f"{system}_{({'x86_64': 'x64', 'amd64': 'x64'}).get(machine, machine)}"


def outcome(case: Case) -> str:
    """What was not right, nothing if all was."""
    case.profile.mkdir()
    for number, tasks in enumerate(case.tasks):
        is_read_only = case.is_read_only and number > 0
        children = [start(case, task, is_read_only) for task in tasks]
        for child in children:
            try:
                child.wait(TIME_LIMIT)
            except subprocess.TimeoutExpired:
                for each in children:
                    each.kill()
                return f"not done in {TIME_LIMIT} s"
        text = case.log.read_text(errors="replace")
        if any(child.returncode for child in children):
            return f"codes {[child.returncode for child in children]}:\n{text}"
        strange = [line for line in text.splitlines() if line and not EXPECTED.fullmatch(line)]
        if strange:
            return f"the console says {strange}"
    return ""


def too_large() -> str:
    return ", ".join(path.name for path in sorted(DIST.glob("limberjack-*.zip")) if path.stat().st_size > LARGEST)


def outcome_of_wheel(python: str) -> str:
    """What was not right with the one that this platform's tools would choose, nothing if all was."""
    tags = set(sys_tags())
    wheels = [path for path in DIST.glob("limberjack-*.whl") if tags & parse_wheel_filename(path.name)[3]]
    if len(wheels) != 1:
        return f"there are {len(wheels)} wheels for this platform"
    folder = OUT / f"wheel.python{python}"
    folder.mkdir()
    return installed_wheel.failure_of(wheels[0], interpreter(python), folder)


def interpreter(python: str) -> Path:
    return ROOT / f".venv-blender-{python}" / "bin" / "python"


def start(case: Case, task: tuple[str, ...], is_read_only: bool) -> subprocess.Popen:
    command = [str(interpreter(case.python)), str(SESSION), *task]
    if is_read_only:
        command = _without_writing_to(case.profile / "extensions", command)
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("LIMBERJACK", "PYTHON"))}
    settings["BLENDER_USER_RESOURCES"] = str(case.profile)
    with case.log.open("a") as log:
        return subprocess.Popen(command, env=settings, cwd=OUT, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def _without_writing_to(folder: Path, command: list[str]) -> list[str]:
    """Root, whom no permission stops, gets a mount in its own namespace; others are kept out by permissions."""
    if sys.platform == "linux" and os.geteuid() == 0:
        return ["unshare", "-m", "--propagation", "private", "bash", "-euc", READ_ONLY, "run", str(folder), *command]
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    return command


if __name__ == "__main__":
    sys.exit(main())
