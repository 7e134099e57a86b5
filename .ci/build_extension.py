# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the extension's zips into dist/, by Blender's own builder: the tracked files that the manifest lets in.

The same commit and the same libraries give the same zips, byte for byte.

limberjack-VERSION.zip runs anywhere, compiled where Blender's Python has numba; those named after a platform carry its
compiled kernels in a wheel, where `make kernels` has left them, and the wheels that `bundled_wheels.py` fetches.
`--into` names another folder, and `--plain` builds the former alone.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bundled_wheels import fetch
from even_zips import even_out
from kernel_wheels import add_wheels
from staging import BUILD, PLATFORMS, ROOT, commit_seconds, fitting_kernels, stage_sources


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, metavar="DIST", default=ROOT / "dist")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    dist = options.into
    dist.mkdir(parents=True, exist_ok=True)
    for old in dist.glob("limberjack-*.zip"):
        old.unlink()
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # of its own: tests build side by side
        staged = Path(folder)
        stage_sources(staged)
        _build(staged, dist)
        kernels = {} if options.plain else fitting_kernels()
        if kernels:
            add_wheels(staged, kernels, [wheel for wheels in fetch(kernels).values() for wheel in wheels])
            _build(staged, dist, "--split-platforms")
    _tell_sizes(dist)
    if not options.plain and (missing := PLATFORMS.keys() - kernels):
        print(f"No zip for {', '.join(sorted(missing))}: no library of these sources. There, the plain one runs.")


def _build(staged: Path, dist: Path, *options: str) -> None:
    """Build what is staged, and judge folder and zips as extensions.blender.org would.

    The builder gives the manifests of zips for a platform the time and the permissions of the moment, so all zips are
    written anew.
    """
    before = set(dist.glob("*.zip"))
    _blender_ext("validate", "--valid-tags", str(_tags()), str(staged))
    _blender_ext("build", "--source-dir", str(staged), "--output-dir", str(dist), *options)
    for zip_file in sorted(set(dist.glob("*.zip")) - before):
        even_out(zip_file, commit_seconds())
        _blender_ext("validate", "--valid-tags", str(_tags()), str(zip_file))


def _scripts() -> Path:
    origin = importlib.util.find_spec("bpy").origin
    return next(path for path in Path(origin).parent.glob("*/scripts") if path.is_dir())


def _tags() -> Path:
    return _scripts() / "modules/_bpy_internal/extensions/tags.py"


def _blender_ext(*arguments: str) -> None:
    """Blender's own builder, from the bpy wheel; what it says matters only when it fails."""
    tool = _scripts() / "addons_core/bl_pkg/cli/blender_ext.py"
    done = subprocess.run([sys.executable, tool, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"Blender's `extension {' '.join(arguments)}` failed:\n{done.stdout}{done.stderr}")


def _tell_sizes(dist: Path) -> None:
    for zip_file in sorted(dist.glob("*.zip")):
        print(f"{zip_file.stat().st_size / 1e6:8.1f} MB  {os.path.relpath(zip_file)}")


if __name__ == "__main__":
    main()
