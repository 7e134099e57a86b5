# SPDX-License-Identifier: GPL-3.0-or-later
"""Times calls of our functions from Python beside those of Pinocchio, in turns. See README.md."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from models import read_rows
from peers import PYTHON, require
from targets import as_json, table

import limberjack as lj
from limberjack.core.model.compiling.compiled import CompiledModel

MODEL = "arm7"
CALLS, ROUNDS = 2000, 5


def functions(compiled: CompiledModel) -> dict[str, Callable[[], object]]:
    """Return calls of the functions, by name, at a random state."""
    rng = np.random.default_rng(0)
    q, qd, tau = (rng.normal(size=compiled.nv) for _ in range(3))
    link = compiled.link_names[-1]
    return {
        "forward_dynamics": lambda: lj.forward_dynamics(compiled, q, qd, tau),
        "inverse_dynamics": lambda: lj.inverse_dynamics(compiled, q, qd, tau),
        "mass_matrix": lambda: lj.mass_matrix(compiled, q),
        "forward_kinematics": lambda: lj.forward_kinematics(compiled, q),
        "jacobian": lambda: lj.jacobian(compiled, q, link),
    }


def seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - begun) / CALLS


def over_pinocchio() -> dict[str, float]:
    """Return our time ÷ Pinocchio's, and both times of a call [us], of each function. The best of several turns counts.

    Raises:
        PeerError: if Pinocchio is not installed.
    """
    require(PYTHON, "make judges")
    model = read_rows(MODEL)
    ours = functions(lj.compile_model(model))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.urdf"
        lj.write(model, path)
        command = [PYTHON, Path(__file__).with_name("pinocchio_calls.py"), path]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin
            assert process.stdout
            best: dict[str, list[float]] = {name: [np.inf, np.inf] for name in ours}
            for _ in range(ROUNDS):
                process.stdin.write(f"{CALLS}\n")
                process.stdin.flush()
                theirs = json.loads(process.stdout.readline())
                for name, call in ours.items():
                    best[name] = [min(best[name][0], seconds(call)), min(best[name][1], theirs[name])]
            process.stdin.close()
    figures = {f"call_over_pinocchio.{name}": own / other for name, (own, other) in best.items()}
    for name, (own, other) in best.items():
        figures |= {f"python_call_us.{name}.ours": 1e6 * own, f"python_call_us.{name}.pinocchio": 1e6 * other}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    asked = parser.parse_args()
    figures = over_pinocchio()
    print(as_json(figures) if asked.json else table(figures))


if __name__ == "__main__":
    main()
