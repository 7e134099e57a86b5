"""Build the extension's zips into dist/, by Blender's own builder: the tracked files that the manifest lets in.

limberjack-VERSION.zip runs anywhere, compiled where Blender's Python has numba; those named after a platform carry it
in the wheels that fetch_wheels.py has downloaded. `--plain DIST` builds the former alone, into another folder.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from fetch_wheels import PLATFORMS, WHEELS

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", type=Path, metavar="DIST")
    plain_into = parser.parse_args().plain
    dist = plain_into or ROOT / "dist"
    dist.mkdir(parents=True, exist_ok=True)
    for old in dist.glob("limberjack-*.zip"):
        old.unlink()
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # of its own: tests build side by side
        staged = Path(folder)
        _stage_sources(staged)
        _build(staged, dist)
        if not plain_into:
            _add_wheels(staged)
            _build(staged, dist, "--split-platforms")
    _tell_sizes(dist)


def _stage_sources(staged: Path) -> None:
    for name in _sources():
        (staged / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, staged / name)


def _sources() -> list[str]:
    """Tracked files, and new ones that git does not ignore."""
    told = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return sorted(name for name in told.split("\0") if name and (ROOT / name).is_file())


def _add_wheels(staged: Path) -> None:
    """Put them beside what is staged, and name them in its manifest alone: a checkout has none."""
    wheels = sorted(WHEELS.glob("*.whl"))
    (staged / "wheels").mkdir()
    for wheel in wheels:
        (staged / "wheels" / wheel.name).hardlink_to(wheel)
    manifest = staged / "blender_manifest.toml"
    named = f"platforms = {_toml(PLATFORMS)}\nwheels = {_toml(f'./wheels/{wheel.name}' for wheel in wheels)}\n"
    manifest.write_text(named + manifest.read_text(encoding="utf-8"), encoding="utf-8")


def _toml(words: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def _build(staged: Path, dist: Path, *options: str) -> None:
    """Build what is staged, and judge folder and zips as extensions.blender.org would."""
    _date(staged)
    before = set(dist.glob("*.zip"))
    _blender_ext("validate", "--valid-tags", str(_tags()), str(staged))
    _blender_ext("build", "--source-dir", str(staged), "--output-dir", str(dist), *options)
    for zip_file in sorted(set(dist.glob("*.zip")) - before):
        _blender_ext("validate", "--valid-tags", str(_tags()), str(zip_file))


def _date(staged: Path) -> None:
    """Give all files the commit's date, so that the same commit gives the same plain zip.

    The builder itself dates the manifests of those for a platform, so these differ in that.
    """
    seconds = int(_git("log", "-1", "--format=%ct"))
    for path in staged.rglob("*"):
        os.utime(path, (seconds, seconds))


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _scripts() -> Path:
    origin = importlib.util.find_spec("bpy").origin
    return next(path for path in Path(origin).parent.glob("*/scripts") if path.is_dir())


def _tags() -> Path:
    return _scripts() / "modules/_bpy_internal/extensions/tags.py"


def _blender_ext(*arguments: str) -> None:
    """Blender's own builder, from the bpy wheel; what it says matters only when it fails."""
    tool = _scripts() / "addons_core/bl_pkg/cli/blender_ext.py"
    utc = os.environ | {"TZ": "UTC"}  # zips keep local times
    done = subprocess.run([sys.executable, tool, *arguments], env=utc, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"Blender's `extension {' '.join(arguments)}` failed:\n{done.stdout}{done.stderr}")


def _tell_sizes(dist: Path) -> None:
    for zip_file in sorted(dist.glob("*.zip")):
        print(f"{zip_file.stat().st_size / 1e6:8.1f} MB  {os.path.relpath(zip_file)}")


if __name__ == "__main__":
    main()
