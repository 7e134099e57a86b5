# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in the packages of dist/: licences of all that they bring along, and bytes that follow from the commit."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILDERS = ("build_extension.py", "build_wheels.py")

LICENCE = re.compile(r"[^/]+\.dist-info/(licenses/)?(LICEN[CS]E|COPYING)[^/]*")
"""Where a wheel has its licence."""

IN_COACD = {"licenses/MPL-2.0.txt", "licenses/Apache-2.0.txt", "licenses/MIT-spdlog.txt"}
"""Licences of libraries in CoACD's library, which ask for a copy and are not in its wheel."""

UMASK = 0o077
"""What new files of the second build are not allowed: packages must not inherit it."""


def without_licence(zips: Sequence[Path]) -> str:
    """Return what lacks a licence in the extension's zips; nothing if they are complete."""
    return "; ".join(lack for path in zips for lack in _lacks(path))


def _lacks(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as whole:
        names = set(whole.namelist())
        wheels = [name for name in names if name.endswith(".whl")]
        wanted = {"LICENSE", "sample_scenes/LICENSE"} | (
            IN_COACD if any("/coacd-" in name for name in wheels) else set()
        )
        yield from (f"{path.name} has no {name}" for name in sorted(wanted - names))
        for name in wheels:
            with zipfile.ZipFile(io.BytesIO(whole.read(name))) as wheel:
                yield from (f"{name} in {path.name} has no {lack}" for lack in _lacks_of_wheel(wheel))


def _lacks_of_wheel(wheel: zipfile.ZipFile) -> Iterator[str]:
    names = wheel.namelist()
    if not any(LICENCE.fullmatch(name) and wheel.getinfo(name).file_size for name in names):
        yield "licence"
    metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
    if metadata.startswith("limberjack-") and "limberjack/py.typed" not in names:
        yield "py.typed, without which checkers ignore its types"
    for file in message_from_bytes(wheel.read(metadata)).get_all("License-File", []):
        if not {metadata.replace("METADATA", f"{place}{file}") for place in ("", "licenses/")} & set(names):
            yield file


def changed_by_rebuilding(dist: Path, folder: Path) -> str:
    """Build all packages again, with another umask and at another time. Returns which have other bytes, if any."""
    for builder in BUILDERS:
        command = [sys.executable, str(ROOT / ".ci" / builder), "--into", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, umask=UMASK if os.name == "posix" else -1)
        if done.returncode:
            return f"{builder} fails:\n{done.stdout}{done.stderr}"
    first, again = ({path.name: path for path in place.glob("limberjack-*")} for place in (dist, folder))
    if first.keys() != again.keys():
        return f"other packages: {', '.join(sorted(first.keys() ^ again.keys()))}"
    changed = [name for name, path in first.items() if path.read_bytes() != again[name].read_bytes()]
    return f"other bytes: {', '.join(sorted(changed))}" if changed else ""
