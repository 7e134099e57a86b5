# SPDX-License-Identifier: GPL-3.0-or-later
"""How long switching the add-on on and off takes, beyond Blender's own start; see README.md."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET_MS = 60.0

# What Blender brings in at its start, in a window and without one, is there before; our bytecode is cached.
CHILD = """
import bpy
import addon_utils, bl_pkg, json, os, sys, time
begun = time.perf_counter()
import limberjack
limberjack.register()
registered = time.perf_counter()
own = sum(name.startswith("limberjack") for name in sys.modules)
heavy = [name for name in ("numba", "scipy", "matplotlib") if name in sys.modules]
unregistering = time.perf_counter()
limberjack.unregister()
ended = time.perf_counter()
print(json.dumps({"register_ms": 1e3 * (registered - begun), "unregister_ms": 1e3 * (ended - unregistering),
                  "modules": own, "heavy": heavy}))
sys.stdout.flush()
os._exit(0)
"""


def start(interpreter: Path) -> dict:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([interpreter, "-c", CHILD], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(interpreter: Path, rounds: int) -> dict:
    """Medians of `rounds` starts, after one that leaves the bytecode behind."""
    start(interpreter)
    starts = [start(interpreter) for _ in range(rounds)]
    times = {key: statistics.median(one[key] for one in starts) for key in ("register_ms", "unregister_ms")}
    return {**starts[0], **times}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print one JSON object, as the last line")
    options = parser.parse_args()
    interpreters = {name: ROOT / name / "bin" / "python" for name in (".venv", ".venv-3.13")}
    found = {name: measure(path, options.rounds) for name, path in interpreters.items() if path.exists()}
    for name, one in found.items():
        met = "met" if one["register_ms"] <= TARGET_MS else "missed"
        print(
            f"{name}: registered in {one['register_ms']:.1f} ms (target {TARGET_MS:g} ms {met}), "
            f"unregistered in {one['unregister_ms']:.1f} ms, {one['modules']} modules of ours, "
            f"brought in before the first simulation: {', '.join(one['heavy']) or 'nothing heavy'}"
        )
    if options.json:
        print(json.dumps(found))
    return any(one["heavy"] for one in found.values())


if __name__ == "__main__":
    sys.exit(main())
