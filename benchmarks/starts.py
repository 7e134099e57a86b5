# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a new process takes to its first simulated frame."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from limberjack.core.compilation.jit import library

ROUNDS = 3
SLOW = 2.0
"""Seconds beyond which the parts of a warm start are told."""

CHILD = """
import json, sys, time
marks = {}
def mark(name):
    marks[name] = time.time() - float(sys.argv[1])
mark("python")
import numpy
mark("import_numpy")
from limberjack.core.compilation import jit
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
mark("import_limberjack")
jit.is_compiled()
mark("find_kernels")
model = Model(links=[Link("bob", com=(0.0, 0.0, -1.0))])
model.joints.append(Joint("hinge", "revolute", WORLD, "bob", axes=[Axis(xyz=(0.0, 1.0, 0.0))]))
simulation = Simulation(model, [0.0, 1.0 / 24.0])
mark("set_up")
simulation.run()
mark("first_frame")
print(json.dumps(marks))
"""


def start(cache: str | None = None, way: str = "") -> dict[str, float]:
    """When a new process reached each part [s], in order."""
    environment = os.environ | ({"LIMBERJACK_CACHE": cache} if cache else {}) | {"LIMBERJACK_KERNELS": way}
    program = [sys.executable, "-c", CHILD, str(time.time())]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def warm() -> dict[str, float]:
    """With all kernels in numba's cache, and by the library; with the time of each part where it is slow [s]."""
    start(way="numba")
    marks = min((start(way="numba") for _ in range(ROUNDS)), key=lambda marks: marks["first_frame"])
    found = {"start_warm_s": marks["first_frame"]}
    if found["start_warm_s"] > SLOW:
        begun = [0.0, *marks.values()]
        found |= {f"start_warm_s.{part}": end - begun[i] for i, (part, end) in enumerate(marks.items())}
    if library():
        found["start_library_s"] = min(start(way="library")["first_frame"] for _ in range(ROUNDS))
    return found


def cold() -> dict[str, float]:
    """With an empty cache, by numba."""
    with tempfile.TemporaryDirectory() as folder:
        return {"start_cold_s": start(folder, "numba")["first_frame"]}
