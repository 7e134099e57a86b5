# SPDX-License-Identifier: GPL-3.0-or-later
"""The library of `make kernels` against numba: what a call costs, and what the work in it takes.

Each round runs both ways one after the other, since clocks wander; the best of each is told, and their ratio.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from models import chain

from limberjack.core.dynamics import articulated_body, mechanical_energy, newton_euler
from limberjack.core.dynamics.constraints import constraints_of
from limberjack.core.formats import read
from limberjack.core.kinematics import make_work
from limberjack.core.model import Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.system import make_system, skip_projection

ROUNDS = 3
SAMPLES = ("crane", "ragdoll", "stewart", "four_bar")
ROOT = Path(__file__).parents[1]


def compare() -> dict[str, float]:
    """`library_over_numba.WHAT`, and `call_us.WAY.KERNEL` of a single pendulum, whose work is next to nothing."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for way in ("numba", "library"):
            command = [sys.executable, __file__]
            environment = os.environ | {"LIMBERJACK_KERNELS": way}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
            best[way] = {name: min(seconds, best.get(way, found)[name]) for name, seconds in found.items()}
    ratios = {name: best["library"][name] / seconds for name, seconds in best["numba"].items()}
    told = {f"library_over_numba.{name}": ratio for name, ratio in ratios.items() if not name.startswith("call")}
    calls = [(way, name) for way in best for name in best[way] if name.startswith("call")]
    return told | {f"call_us.{way}.{name.partition('.')[2]}": 1e6 * best[way][name] for way, name in calls}


def main() -> None:
    found = {}
    for count in (1, 100, 1000):
        compiled = compile_model(chain(count))
        work, constraints = make_work(compiled.arrays), constraints_of(compiled)
        q, qd, tau, qdd = (np.full(compiled.nv, 0.1) for _ in range(4))
        if count > 1:
            found[f"aba{count}"] = seconds(articulated_body, compiled.arrays, work, q, qd, tau, qdd)
            found[f"rnea{count}"] = seconds(newton_euler, compiled.arrays, work, q, qd, qdd, tau)
            continue
        system, y = make_system(compiled, constraints), np.zeros(4)
        found["call.skip_projection"] = seconds(skip_projection, system, 0.0, y)
        found["call.articulated_body"] = seconds(articulated_body, compiled.arrays, work, q, qd, tau, qdd)
        found["call.mechanical_energy"] = seconds(mechanical_energy, compiled.arrays, work, q, qd)
        found["call.mechanical_energy_of_views"] = seconds(_energy_of_views, compiled.arrays, work, y)
    for name in SAMPLES:
        model = read(ROOT / "sample_scenes" / f"{name}.sdf").model
        found[name] = seconds(_simulate, model, least=0.1)
    print(json.dumps(found))


def _energy_of_views(arrays, work, y) -> float:
    return mechanical_energy(arrays, work, y[:1], y[1:2])


def _simulate(model: Model) -> None:
    Simulation(model, np.arange(49) / 24.0).run()


def seconds(call: Callable, *arguments: object, least: float = 0.02) -> float:
    """Of a call: the best of some rounds, each of at least so many seconds."""
    call(*arguments)
    count = 1
    while (taken := _timed(call, arguments, count)) < least:
        count = max(2 * count, int(count * least / max(taken, 1e-9)))
    return min(_timed(call, arguments, count) for _ in range(5)) / count


def _timed(call: Callable, arguments: tuple, count: int) -> float:
    begun = time.perf_counter()
    for _ in range(count):
        call(*arguments)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
