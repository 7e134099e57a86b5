# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies the files of a commit, and finds the compiled kernels that belong to them, for builds of zips and wheels.

`staging.py [PLATFORM…]` exits with 0 if `make kernels` has left libraries of these sources for those platforms, by
default for all of them, and with 1 otherwise.
"""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from limberjack.core.compilation.kernel_sources import sources
from limberjack.core.compilation.kernel_table import TABLE, VERSION, sources_digest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from native.platforms import PLATFORMS  # noqa: E402 - lies in a folder just added

BUILD = ROOT / "build"
KERNELS = BUILD / "kernels"
"""Where `make kernels` leaves a folder for each platform, with a library and what it tells of itself."""


def fitting_kernels() -> dict[str, Path]:
    """Those folders, by platform, whose libraries were made from these very sources: no other is ever used."""
    files = sorted(sources())
    digest, fitting = sources_digest(files), {}
    for name in PLATFORMS:
        path = KERNELS / name / TABLE
        table = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if [table.get(name) for name in ("version", "sources", "sources_sha256")] == [VERSION, files, digest]:
            fitting[name] = path.parent
    return fitting


def stage_sources(folder: Path) -> None:
    """Copy tracked files, and new ones that git does not ignore."""
    told = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in sorted(name for name in told.split("\0") if name and (ROOT / name).is_file()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)


def commit_seconds() -> int:
    """When the last commit was made [s, since 1970]."""
    return int(git("log", "-1", "--format=%ct"))


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def version() -> str:
    with (ROOT / "blender_manifest.toml").open("rb") as manifest:
        return tomllib.load(manifest)["version"]


if __name__ == "__main__":
    sys.exit(not fitting_kernels().keys() >= set(sys.argv[1:] or PLATFORMS))
