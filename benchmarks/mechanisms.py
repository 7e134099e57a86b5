# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one of the five mechanisms of the IFToMM benchmark, and tell where it is at given times.

    .venv/bin/python benchmarks/mechanisms.py A02 --n 40 --at 1 2 --accuracy exact --json

With --json the last line is one object: `values`, a row a time in the order of --at; `energy_drift` [J];
`loop_error` [m]; `wall_s`, the simulation alone, with all kernels compiled before.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import dataclass

import numpy as np
from five_mechanisms import MECHANISMS, Mechanism, four_bars

from limberjack.core import simulation as core
from limberjack.core.model import ModelError
from limberjack.core.trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class Run:
    """What came of a mechanism: its motion at the frames' times, ascending from 0, and the simulation's report."""

    mechanism: Mechanism
    trajectory: Trajectory
    report: core.Report

    def values_at(self, times: list[float]) -> np.ndarray:
        """Rows of what the mechanism measures, at times that are frames, shape (n, k) [m or rad]."""
        return self.mechanism.value(self.trajectory)[np.searchsorted(self.trajectory.times, times)]

    @property
    def energy_drift(self) -> float:
        """As reported, and where motors work, less what they have done [J]."""
        if self.mechanism.forces:
            return self.mechanism.energy_drift(self.trajectory)
        return self.report.energy_drift


def simulate(mechanism: Mechanism, times: list[float], accuracy: str) -> Run:
    """Run a mechanism over the times [s], in any order, and 0; each is a frame."""
    frames = np.unique([0.0, *times])
    motors = core.Forces(joints=mechanism.forces)
    controls = core.Controls(forces=lambda _: motors) if mechanism.forces else None
    simulation = core.Simulation(mechanism.model, frames, accuracy, mechanism.initial, controls=controls)
    return Run(mechanism, simulation.run(), simulation.report)


def reference_at(mechanism: Mechanism, time: float) -> tuple[float, ...] | None:
    """What is known of that time [s]: from the exact equation, or from the tables."""
    if mechanism.exact:
        return tuple(mechanism.exact([time])[0].tolist())
    return mechanism.known.get(time)


def table(run: Run, times: list[float]) -> str:
    mechanism = run.mechanism
    lines = [mechanism.name, f"{'t [s]':>10} {'':8}{'simulated':>20}{'reference':>20}{'apart':>10}"]
    for time, row in zip(times, run.values_at(times).tolist(), strict=True):
        reference = reference_at(mechanism, time)
        for i, (name, value) in enumerate(zip(mechanism.names, row, strict=True)):
            beside = f"{reference[i]:20.12g}{abs(value - reference[i]):10.1e}" if reference else ""
            lines.append(f"{time:10g} {name:8}{value:20.12g}{beside}")
    report = run.report
    lines.append(
        f"energy drift {run.energy_drift:.2e} J of {report.energy_scale:.4g} J, loop error {report.loop_error:.1e} m, "
        f"{report.steps} steps and {report.rejected} in vain, {report.wall_time:.3f} s"
    )
    return "\n".join([*lines, f"reference: {mechanism.source}", *report.notes])


def seconds(word: str) -> float:
    time = float(word)
    if not 0.0 <= time < math.inf:
        raise argparse.ArgumentTypeError(f"{word} is no time; give seconds from 0 on")
    return time


def bars(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word} is no number of four-bars; give 1 or more")
    return int(word)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=MECHANISMS)
    parser.add_argument("--n", type=bars, help="how many four-bars A02 has; 2 if left out")
    parser.add_argument("--at", type=seconds, nargs="+", required=True, metavar="T", help="times to tell of [s]")
    parser.add_argument("--accuracy", choices=core.ACCURACIES, default="good")
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    arguments = parser.parse_args()
    if arguments.n is not None and arguments.name != "A02":
        parser.error("--n is for A02 only")
    mechanism = four_bars(arguments.n) if arguments.n else MECHANISMS[arguments.name]()
    core.warm_up()
    try:
        run = simulate(mechanism, arguments.at, arguments.accuracy)
    except (ModelError, core.SimulationError) as reason:
        print(f"{mechanism.name}: {reason}", file=sys.stderr)
        return 1
    if not arguments.json:
        print(table(run, arguments.at))
        return 0
    found = {
        "values": run.values_at(arguments.at).tolist(),
        "energy_drift": run.energy_drift,
        "loop_error": run.report.loop_error,
        "wall_s": run.report.wall_time,
    }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
