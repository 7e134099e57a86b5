"""Our kernels beside their peers, in one run. See README.md."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from limberjack.core.dynamics.aba import accelerations
from limberjack.core.dynamics.rnea import torques
from limberjack.core.jit import kernel
from limberjack.core.kinematics import make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, compile_model
from limberjack.core.solvers import Simulation, warm_up

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("LIMBERJACK_SHARED", ROOT.parent / "shared")) / "benchmark"
LOOP = ROOT / ".judges" / "pinocchio_loop"
MODELS = ("arm7", "humanoid36", "chain100", "ball50")
TYPES = {1: "revolute", 3: "ball", 4: "free"}
ROUNDS = 5


@kernel
def repeat_aba(model, work, q, qd, tau, qdd, count):
    for _ in range(count):
        accelerations(model, work, q, qd, tau, qdd)


@kernel
def repeat_rnea(model, work, q, qd, qdd, tau, count):
    for _ in range(count):
        torques(model, work, q, qd, qdd, tau)


def read_rows(name: str) -> Model:
    """A model of benchmark/models: a row a body, `parent type axis xyz mass com inertia`."""
    model = Model(name=name)
    for i, row in enumerate((SHARED / "models" / f"{name}.txt").read_text().splitlines()[1:]):
        numbers = [float(word) for word in row.split()]
        parent, kind, axis, offset = int(numbers[0]), int(numbers[1]), tuple(numbers[2:5]), tuple(numbers[5:8])
        xx, yy, zz = numbers[12:15]
        model.links.append(Link(f"l{i}", numbers[8], tuple(numbers[9:12]), (xx, 0.0, 0.0, yy, 0.0, zz)))
        axes = [Axis(xyz=axis)] if kind == 1 else []
        X_PJ = (*offset, 1.0, 0.0, 0.0, 0.0)
        model.joints.append(
            Joint(f"j{i}", TYPES[kind], WORLD if parent < 0 else f"l{parent}", f"l{i}", X_PJ, axes=axes)
        )
    return model


def chain(size: int) -> Model:
    """Rods of 1 m and 1 kg along x, hinged about y."""
    model = Model()
    for i in range(size):
        model.links.append(Link(f"l{i}", 1.0, (0.5, 0.0, 0.0), (1e-3, 0.0, 0.0, 1 / 12, 0.0, 1 / 12)))
        X_PJ = (1.0 if i else 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        axes = [Axis(xyz=(0.0, 1.0, 0.0))]
        model.joints.append(Joint(f"j{i}", "revolute", f"l{i - 1}" if i else WORLD, f"l{i}", X_PJ, axes=axes))
    return model


def best_time(model: Model, repeat) -> float:
    """Of one call [us], best of a few loops."""
    compiled = compile_model(model)
    rng = np.random.default_rng(0)
    work, out = make_work(compiled.arrays), np.zeros(compiled.nv)
    given = rng.normal(size=compiled.nv)
    state = (compiled.arrays, work, compiled.q_home, rng.normal(size=compiled.nv), given, out)
    count = max(10, 20000 // compiled.nv)
    repeat(*state, 1)
    times = []
    for _ in range(9):
        begun = time.perf_counter()
        repeat(*state, count)
        times.append((time.perf_counter() - begun) / count)
    return 1e6 * min(times)


def pinocchio_times() -> dict[str, dict[str, float]]:
    """Best times [us] of the C++ loop, by model and algorithm."""
    told = subprocess.run([LOOP, *MODELS], cwd=SHARED, capture_output=True, text=True, check=True).stdout
    found = {}
    for line in told.splitlines():
        best = {name: float(value) for value, name in re.findall(r"\[([\d.e+-]+) [\d.e+-]+\] (\w+)", line)}
        found[line.split()[0]] = {"aba": min(best["abaW"], best["abaL"]), "rnea": best["rnea"]}
    return found


def build_loop() -> str | None:
    """Build Pinocchio's loop where it is not yet; returns why it cannot be."""
    if LOOP.exists():
        return None
    venv = ROOT / ".venv-judges"
    for needed, remedy in ((SHARED, "set LIMBERJACK_SHARED"), (venv, "make judges")):
        if not needed.exists():
            return f"there is no {needed} ({remedy})"
    script = ["bash", SHARED / "build_pinocchio_loop.sh", venv, LOOP]
    done = subprocess.run(script, env=os.environ | {"CPATH": "/usr/include/eigen3"}, capture_output=True, text=True)
    return None if done.returncode == 0 else f"it does not build: {done.stderr.strip().splitlines()[-1]}"


def against_pinocchio() -> dict[str, float]:
    models = {name: read_rows(name) for name in MODELS}
    ours = {(name, algorithm): [] for name in MODELS for algorithm in ("aba", "rnea")}
    theirs = {key: [] for key in ours}
    for _ in range(ROUNDS):
        told = pinocchio_times()
        for name, model in models.items():
            ours[name, "aba"].append(best_time(model, repeat_aba))
            ours[name, "rnea"].append(best_time(model, repeat_rnea))
            for algorithm in ("aba", "rnea"):
                theirs[name, algorithm].append(told[name][algorithm])
    return {f"{key[1]}_over_pinocchio.{key[0]}": min(ours[key]) / min(theirs[key]) for key in ours}


def per_body() -> dict[str, float]:
    long, short = [], []
    for _ in range(ROUNDS):
        short.append(best_time(chain(100), repeat_aba) / 100)
        long.append(best_time(chain(10000), repeat_aba) / 10000)
    return {"aba_per_body_10000_over_100": min(long) / min(short)}


def chains() -> dict[str, float]:
    warm_up()
    found = {}
    for name, model in (("chain10", chain(10)), ("chain100", chain(100))):
        size = len(model.links)
        for accuracy in ("good", "exact"):
            run = Simulation(model, np.arange(241) / 24, accuracy)
            run.run()
            found[f"drift_{name}.{accuracy}"] = run.report.energy_drift / (9.81 * size * size / 2)
            found[f"second.{name}.{accuracy}"] = run.report.wall_time / 10.0
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    arguments = parser.parse_args()
    missing = build_loop()
    if missing:
        print(f"benchmark: no ratios to Pinocchio: {missing}", file=sys.stderr)
    found = ({} if missing else against_pinocchio()) | per_body() | chains()
    if arguments.json:
        print(json.dumps(found))
    else:
        for key, value in found.items():
            print(f"{key:40} {value:.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
