# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a call of our dynamics takes inside a compiled loop, and how exact it is."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from models import chain, random_position, read_rows

from limberjack.core.compilation.jit import kernel
from limberjack.core.dynamics import forward_residual
from limberjack.core.dynamics.aba import accelerations
from limberjack.core.dynamics.rnea import inverse_dynamics_passes
from limberjack.core.kinematics import make_work
from limberjack.core.model import Model
from limberjack.core.model.compiling.compile import compile_model

ROUNDS = 5
LENGTHS = (10, 100, 1000, 10000)


@kernel
def repeat_aba(model, work, q, qd, tau, qdd, count):
    for j in range(model.dofs.shape[0]):
        work.dofs[j].armature = model.dofs[j].armature
    for _ in range(count):
        accelerations(model, work, q, qd, tau, qdd)


@kernel
def repeat_rnea(model, work, q, qd, qdd, tau, count):
    for _ in range(count):
        inverse_dynamics_passes(model, work, q, qd, qdd, tau)


def timer(model: Model, repeat: kernel) -> Callable[[], float]:
    """Tells the time of one call [us], best of a few loops, each time it is called."""
    compiled = compile_model(model)
    rng = np.random.default_rng(0)
    work, out = make_work(compiled.arrays), np.zeros(compiled.nv)
    q, qd, given = random_position(compiled, rng), rng.normal(size=compiled.nv), rng.normal(size=compiled.nv)
    state = (compiled.arrays, work, q, qd, given, out)
    count = max(10, 20000 // compiled.nv)
    repeat(*state, 1)

    def best() -> float:
        times = []
        for _ in range(9):
            begun = time.perf_counter()
            repeat(*state, count)
            times.append((time.perf_counter() - begun) / count)
        return 1e6 * min(times)

    return best


def per_body() -> dict[str, float]:
    """ABA's time per body in chains [us], and what the length does to it."""
    timers = {length: timer(chain(length), repeat_aba) for length in LENGTHS}
    rounds = [{length: best() / length for length, best in timers.items()} for _ in range(ROUNDS)]
    least = {length: min(times[length] for times in rounds) for length in LENGTHS}
    found = {f"aba_us_per_body.{length}": value for length, value in least.items()}
    return found | {"aba_per_body_10000_over_100": least[10000] / least[100]}


def residual(name: str) -> dict[str, float]:
    """The largest of RNEA(ABA(tau)) - tau, relative, in a few random states."""
    compiled = compile_model(read_rows(name))
    rng = np.random.default_rng(0)
    worst = []
    for _ in range(20):
        q, qd, tau = random_position(compiled, rng), rng.normal(size=compiled.nv), rng.normal(size=compiled.nv)
        worst.append(forward_residual(compiled.arrays, q, qd, tau))
    return {f"aba_vs_rnea_residual.{name}": float(np.max(worst))}  # NaN if any is
