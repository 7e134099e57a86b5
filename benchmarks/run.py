# SPDX-License-Identifier: GPL-3.0-or-later
"""Every figure that the engine has a target for, in one run. See README.md."""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import bake
import calls
import kernel_times
import motion
import peers
import reading
import starts
import ways
from targets import as_json, table

from limberjack.core.diagnosis import SimulationError
from limberjack.core.model import ModelError
from limberjack.core.simulation import warm_up

RESIDUALS = (*peers.MODELS, "chain1000")
JOBS: dict[str, Callable[[], dict[str, float]]] = {
    "Pinocchio": peers.over_pinocchio,
    "Pinocchio from Python": calls.over_pinocchio,
    "chains of any length": kernel_times.per_body,
    **{f"MuJoCo's {name}": partial(peers.over_mujoco, name) for name in ("humanoid36", "chain100")},
    "MuJoCo's humanoid36 with stops and friction": peers.hindered_over_mujoco,
    **motion.jobs(),
    **{f"residual of {name}": partial(kernel_times.residual, name) for name in RESIDUALS},
    "Drake's reading of files": reading.over_drake,
    "bake beside rigid bodies": bake.over_rigid_bodies,
    "library beside numba": ways.compare,
    "warm start": starts.warm,
    "cold start": starts.cold,
}
FAILURES = (ModelError, SimulationError, OSError, subprocess.CalledProcessError)


def measure(only: str = "") -> tuple[dict[str, float], bool]:
    """Measure figures. Failures are printed to standard error.

    Args:
        only: runs whose name does not contain this text are left out.

    Returns:
        The figures, and whether every run came to its end.
    """
    figures: dict[str, float] = {}
    complete = True
    for name, job in JOBS.items():
        if only not in name:
            continue
        try:
            found = job()
        except peers.PeerError as reason:
            print(f"benchmark: {name}: left out: {reason}", file=sys.stderr)
        except FAILURES as reason:
            print(f"benchmark: {name}: FAILED: {reason} {getattr(reason, 'stderr', '')}", file=sys.stderr)
            complete = False
        else:
            figures |= found
            for key in unusable(found):
                print(f"benchmark: {name}: FAILED: {key} is no finite number", file=sys.stderr)
                complete = False
    return figures, complete


def unusable(figures: dict[str, float]) -> list[str]:
    """Ours that are no finite numbers; MuJoCo's may be."""
    return [key for key, value in figures.items() if not math.isfinite(value) and not key.endswith(".mujoco")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="runs whose name contains this, such as MuJoCo")
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    arguments = parser.parse_args()
    warm_up()
    figures, complete = measure(arguments.only)
    print(table(figures))
    if arguments.json:
        print(as_json(figures))
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
