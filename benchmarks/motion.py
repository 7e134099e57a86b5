# SPDX-License-Identifier: GPL-3.0-or-later
"""What motion keeps: energy where nothing takes it away, and loops closed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from five_mechanisms import MECHANISMS
from mechanisms import simulate
from models import hanging_scale, lying

from limberjack.core.model import Model
from limberjack.core.simulation import Simulation

FPS = 24
ACCURACIES = ("good", "exact")
CHAINS = ("chain10", "chain100", "ball50")
CHAIN_SECONDS = 10.0
MECHANISM_SECONDS = {"A01": 2.0, "A02": 5.0, "A03": 0.03, "A04": 2.0, "A05": 2.0}
FEWEST_FRAMES = 30
"""So that A03, over within one frame of 24 a second, is looked at as well."""


def frames(seconds: float) -> np.ndarray:
    """Their times."""
    return np.linspace(0.0, seconds, 1 + max(FEWEST_FRAMES, round(FPS * seconds)))


def let_go(model: Model, times: np.ndarray, accuracy: str, initial: dict | None = None) -> Simulation:
    """The simulation, done."""
    simulation = Simulation(model, times, accuracy, initial)
    simulation.run()
    return simulation


def drift(name: str, accuracy: str) -> dict[str, float]:
    """Of an undamped chain from the horizontal."""
    model = lying(name)
    report = let_go(model, frames(CHAIN_SECONDS), accuracy).report
    return {
        f"drift_{name}.{accuracy}": report.energy_drift / hanging_scale(model),
        f"second_s.{name}.{accuracy}": report.wall_time / CHAIN_SECONDS,
    }


def loops(name: str) -> dict[str, float]:
    """Of a mechanism of five_mechanisms.py; the loop error is the larger of both accuracies."""
    found, errors = {}, []
    for accuracy in ACCURACIES:
        mechanism, times = MECHANISMS[name](), frames(MECHANISM_SECONDS[name])
        simulate(mechanism, times[:2], accuracy)  # loads what kernels it needs
        run = simulate(mechanism, times, accuracy)
        errors.append(run.report.loop_error)
        found[f"energy_drift.{name}.{accuracy}"] = run.energy_drift / run.report.energy_scale
        found[f"wall_s.{name}.{accuracy}"] = run.report.wall_time
    return {f"loop_error.{name}": float(np.max(errors))} | found


def jobs() -> dict[str, Callable[[], dict[str, float]]]:
    """Each figure of this file, by the name of what is run."""
    drifts = {f"{name}, {accuracy}": partial(drift, name, accuracy) for name in CHAINS for accuracy in ACCURACIES}
    return drifts | {name: partial(loops, name) for name in MECHANISMS}
