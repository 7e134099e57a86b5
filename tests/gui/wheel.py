# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed package against the window: every scene that test_same_keys has baked is baked by `limberjack bake`."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE.parents[1] / ".venv" / "bin"

MOST = 1e-6
"""Blender units or radians between a key's value here and there; frames are to be the same."""

TIME_LIMIT = 400  # seconds for a scene; the first may wait for the compiler


class WheelError(Exception):
    """What the wheel made of a scene, where that is not what the window has."""


def scenes_in(folder: Path) -> list[str]:
    """Names of the scenes that the window has left there: NAME.blend, unbaked, and NAME_window.json, its keys."""
    return sorted(path.name.removesuffix("_window.json") for path in folder.glob("*_window.json"))


def compare(folder: Path, name: str) -> dict:
    """Bake a scene by the wheel. Returns how long that took [s], and what is wrong with its keys, or ""."""
    begun = time.monotonic()
    try:
        here = json.loads((folder / f"{name}_window.json").read_text())
        apart = difference(here, keys_by_wheel(folder, name))
        print(f"{name}: {len(here)} curves, keys of window and wheel at most {apart:.1e} apart", flush=True)
        failure = "" if apart <= MOST else f"a key differs by {apart:.2e}, more than {MOST:g}"
    except WheelError as error:
        failure = str(error)
    return {"seconds": time.monotonic() - begun, "failure": failure}


def keys_by_wheel(folder: Path, name: str) -> dict:
    baked, keys = folder / f"{name}_wheel.blend", folder / f"{name}_wheel.json"
    run(folder / f"{name}_wheel.log", PROGRAMS / "limberjack", "bake", folder / f"{name}.blend", "-o", baked)
    run(folder / f"{name}_wheel_keys.log", PROGRAMS / "python", HERE / "baked_keys.py", baked, keys)
    return json.loads(keys.read_text())


def run(log: Path, *command: Path | str) -> None:
    try:
        with log.open("w") as stream:
            done = subprocess.run(command, stdout=stream, stderr=stream, timeout=TIME_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WheelError(f"{error}; `make setup` makes the environment that is used here") from None
    if done.returncode:
        raise WheelError(f"{Path(command[0]).name} ended with code {done.returncode}:\n{log.read_text()}")


def difference(here: dict, there: dict) -> float:
    """Largest difference between two keys' values. Raises WheelError where curves or frames are others."""
    if here.keys() != there.keys():
        raise WheelError(f"one of them only has the curves {sorted(here.keys() ^ there.keys())}")
    apart = 0.0
    for curve, keys in here.items():
        if [frame for frame, _ in keys] != [frame for frame, _ in there[curve]]:
            raise WheelError(f"{curve} has keys at other frames")
        apart = max(apart, *(abs(one - other) for (_, one), (_, other) in zip(keys, there[curve], strict=True)))
    return apart
