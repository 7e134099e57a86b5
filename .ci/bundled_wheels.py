# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels of others that the zips for a system bring along: what requirements/bundled.txt pins, held to its hashes.

Blender's users have no pip. Each serves all of Blender's Pythons, or is not taken.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from staging import BUILD, PLATFORMS, ROOT

PINS = ROOT / "requirements" / "bundled.txt"
LICENSES = ROOT / "requirements" / "licenses"
"""Folder with the licences of libraries that are linked into the bundled wheels."""
OLDEST = "3.11"
"""Of Blender's Pythons."""
RETRIES = "10"
"""How often pip asks a registry again that does not answer: one that was busy once left a zip without convex pieces."""
OLDER_TAGS = {"manylinux_2_28_": ("manylinux_2_17_", "manylinux2014_")}
"""What runs on a platform, too, and pip does not think of."""


def fetch(platforms: Iterable[str]) -> dict[str, list[Path]]:
    """The wheels for platforms, by their names; those that have none, or that cannot be reached, are told in a line."""
    found = {name: fetch_for(name) for name in platforms}
    if missing := [name for name, wheels in found.items() if not wheels]:
        told = f"{', '.join(pinned())}: no wheel to be had for {', '.join(missing)}"
        print(f"{told}; their zips do without convex pieces and height maps.")
    return {name: wheels for name, wheels in found.items() if wheels}


def fetch_for(platform: str) -> list[Path]:
    """Fetched once for the same pins; none where one of them is not there for the platform, or there is no registry.

    Builds may run side by side: each downloads to a folder of its own, and the first one to finish is kept.
    """
    folder = BUILD / "bundled" / hashlib.sha256(PINS.read_bytes()).hexdigest()[:12] / platform
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{platform}-", dir=folder.parent) as own:
            if not _download(platform, Path(own, platform)):
                return []
            try:
                Path(own, platform).rename(folder)
            except OSError:  # a folder that is not empty cannot be replaced
                if not folder.is_dir():
                    raise
    return sorted(folder.glob("*.whl"))


def _download(platform: str, target: Path) -> bool:
    """Have pip download the wheels to `target`. Returns whether it could, after printing why not."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pip += ["--retries", RETRIES, "--require-hashes", "--only-binary", ":all:", "--python-version", OLDEST]
    pip += ["--implementation", "cp", "--abi", "abi3", "--abi", "none"]
    pip += [word for tag in tags(platform) for word in ("--platform", tag)]
    done = subprocess.run([*pip, "--dest", target, "--requirement", PINS], capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        print(f"pip download for {platform}: {reason[-1]}", file=sys.stderr)
    return not done.returncode


def tags(platform: str) -> list[str]:
    """By which wheels name what runs there."""
    tag = PLATFORMS[platform].wheel
    older = [tag.replace(new, old) for new, all_old in OLDER_TAGS.items() if new in tag for old in all_old]
    return [tag, *older]


def pinned() -> list[str]:
    return [line.split()[0] for line in PINS.read_text(encoding="utf-8").splitlines() if "==" in line]
