# SPDX-License-Identifier: GPL-3.0-or-later
"""Our times beside Pinocchio's and MuJoCo's, taken in turns."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from pathlib import Path

from kernel_times import ROUNDS, repeat_aba, repeat_rnea, timer
from models import ROOT, SHARED, hanging_scale, lying, read_rows
from motion import frames, let_go

from limberjack.core.model import Model

JUDGES = Path(os.environ.get("LIMBERJACK_JUDGES", ROOT / ".judges"))
PYTHON = Path(os.environ.get("LIMBERJACK_JUDGES_PYTHON", ROOT / ".venv-judges" / "bin" / "python"))
LOOP = JUDGES / "pinocchio_loop"
MODELS = ("arm7", "humanoid36", "chain100", "ball50")
SECONDS = 10.0
"""Of each motion beside MuJoCo's."""


class PeerError(RuntimeError):
    """A peer is not installed: what is not there, and what to do."""


def require(needed: Path, remedy: str) -> None:
    if not needed.exists():
        raise PeerError(f"there is no {needed} ({remedy})")


def build_loop() -> None:
    """Build Pinocchio's loop where it is not yet."""
    require(SHARED, "set LIMBERJACK_SHARED")
    if LOOP.exists():
        return
    require(PYTHON, "make judges")
    script = ["bash", SHARED / "build_pinocchio_loop.sh", PYTHON.parents[1], LOOP]
    done = subprocess.run(script, env=os.environ | {"CPATH": "/usr/include/eigen3"}, capture_output=True, text=True)
    if done.returncode:
        raise PeerError(f"Pinocchio's loop does not build: {done.stderr.strip().splitlines()[-1]}")


def pinocchio_times() -> dict[str, dict[str, float]]:
    """Best times [us] of the C++ loop, by model and algorithm."""
    told = subprocess.run([LOOP, *MODELS], cwd=SHARED, capture_output=True, text=True, check=True).stdout
    found = {}
    for line in told.splitlines():
        best = {name: float(value) for value, name in re.findall(r"\[([\d.e+-]+) [\d.e+-]+\] (\w+)", line)}
        found[line.split()[0]] = {"aba": min(best["abaW"], best["abaL"]), "rnea": best["rnea"]}
    return found


def over_pinocchio() -> dict[str, float]:
    """Our kernels' times over its own."""
    build_loop()
    kernels = {"aba": repeat_aba, "rnea": repeat_rnea}
    timers = {(name, a): timer(read_rows(name), repeat) for a, repeat in kernels.items() for name in MODELS}
    ours = dict.fromkeys(timers, math.inf)
    theirs = ours.copy()
    for _ in range(ROUNDS):
        told = pinocchio_times()
        for key, best in timers.items():
            ours[key] = min(ours[key], best())
            theirs[key] = min(theirs[key], told[key[0]][key[1]])
    return {
        f"{algorithm}_over_pinocchio.{name}": ours[name, algorithm] / theirs[name, algorithm]
        for name, algorithm in ours
    }


LIMIT, FRICTION = 0.5, 0.2
"""Radians to either side, and newton metres, where hinges have stops and friction."""


def hindered(model: Model) -> Model:
    """The model with stops, as soft as SDF has them, and dry friction on every hinge."""
    for joint in model.joints:
        for axis in joint.axes if joint.columns else ():
            axis.lower, axis.upper, axis.friction = -LIMIT, LIMIT, FRICTION
    return model


def mujoco_motion(model: Model, hinge_speed: float, is_hindered: bool = False) -> dict[str, float | None]:
    """What mujoco_motion.py tells of that start."""
    job = {
        "file": str(SHARED / "models" / f"{model.name}.xml"),
        "gravity": model.gravity,
        "hinge_speed": hinge_speed,
        "seconds": SECONDS,
        "limit": LIMIT if is_hindered else None,
        "friction": FRICTION if is_hindered else 0.0,
    }
    program = [PYTHON, Path(__file__).with_name("mujoco_motion.py")]
    done = subprocess.run(program, cwd=JUDGES, input=json.dumps(job), capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def hindered_over_mujoco() -> dict[str, float]:
    """The humanoid with stops and friction on all hinges: wall time per simulated second over MuJoCo's."""
    require_mujoco()
    model = hindered(read_rows("humanoid36"))
    start = {"qd": {joint.name: 1.0 for joint in model.joints if joint.columns}}
    ours = theirs = math.inf
    for _ in range(ROUNDS):
        theirs = min(theirs, mujoco_motion(model, 1.0, is_hindered=True)["second"] or math.inf)
        ours = min(ours, let_go(model, frames(SECONDS), "good", start).report.wall_time / SECONDS)
    return {
        "second_over_mujoco.hindered": ours / theirs,
        "second_ms.hindered.ours": 1e3 * ours,
        "second_ms.hindered.mujoco": 1e3 * theirs,
    }


def require_mujoco() -> None:
    for needed, remedy in ((SHARED, "set LIMBERJACK_SHARED"), (PYTHON, "make judges"), (JUDGES, "make judges")):
        require(needed, remedy)


def over_mujoco(name: str) -> dict[str, float]:
    """Wall time per simulated second over MuJoCo's, and what both lose of the energy scale."""
    require_mujoco()
    is_chain = name.startswith("chain")
    model, hinge_speed = (lying(name), 0.0) if is_chain else (read_rows(name), 1.0)
    hinges = {joint.name: hinge_speed for joint in model.joints if joint.columns}
    ours = theirs = math.inf
    for _ in range(ROUNDS):
        told = mujoco_motion(model, hinge_speed)
        report = let_go(model, frames(SECONDS), "good", {"qd": hinges}).report
        ours, theirs = min(ours, report.wall_time / SECONDS), min(theirs, told["second"])
    scale = hanging_scale(model) if is_chain else report.energy_scale
    return {
        f"second_over_mujoco.{name}": ours / theirs,
        f"second_ms.{name}.ours": 1e3 * ours,
        f"second_ms.{name}.mujoco": 1e3 * theirs,
        f"drift_second.{name}.ours": report.energy_drift / scale,
        f"drift_second.{name}.mujoco": math.nan if told["drift"] is None else told["drift"] / scale,
    }
