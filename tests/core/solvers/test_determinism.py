# SPDX-License-Identifier: GPL-3.0-or-later
"""The same model gives the same bytes: twice, in another process, in slices; and the same motion without numba."""

import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import limberjack
from limberjack.core.controls.controls import Controls, Forces
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.integration import adaptive
from support.mechanisms import four_bar, stewart

TIMES = np.linspace(0.0, 0.2, 21)


def pushed_platform():
    """Six loops of balls and slides, with springs, one slide prescribed, and a callback that looks at the state."""
    model = stewart("universal")
    for i in range(6):
        model.joint(f"slide{i}").axes = [Axis(spring_stiffness=300.0, damping=20.0)]

    def forces(now):
        force = np.array([math.sin(9.0 * now.time), 0.5, 0.2]) - 2.0 * now.V_WL[0, :3]
        return Forces({"slide1": 5.0 * math.cos(now.time)}, {"platform": [*force, 0.1, 0.0, 0.2]})

    return model, Controls({"slide0": lambda t: 0.1 * math.sin(4.0 * t)}, forces=forces)


def stiff_sled():
    axis = Axis(xyz=(1.0, 0.0, 0.0), damping=1e4, spring_stiffness=3e4)
    model = Model(links=[Link("sled")], joints=[Joint("rail", "prismatic", WORLD, "sled", axes=[axis], home=(0.3,))])
    return model, None


def falling_four_bar():
    model = four_bar()
    for link in model.links:
        link.com = (0.3, 0.4, 0.0)
    model.gravity = (0.0, -9.81, 0.0)
    return model, None


MODELS = {"platform": pushed_platform, "sled": stiff_sled, "four_bar": falling_four_bar}


def started(name, times=TIMES):
    model, controls = MODELS[name]()
    return Simulation(model, times, controls=controls, record=("efforts", "wrenches"))


def digest(motion):
    """Of all that a motion consists of."""
    found = hashlib.sha256()
    for part in ("times", "X_WL", "q", "qd", "kinetic", "potential", "dissipated", "supplied", "efforts", "wrenches"):
        found.update(np.ascontiguousarray(getattr(motion, part)).tobytes())
    return found.hexdigest()


def elsewhere(code, **environment):
    """What a fresh process prints that imports this file as `here`."""
    root, tests = Path(limberjack.__path__[0]).parent, Path(__file__).parents[2]
    preamble = (
        f"import sys, importlib.util; sys.path[:0] = [{str(root)!r}, {str(tests)!r}]\n"
        f"spec = importlib.util.spec_from_file_location('here', {__file__!r})\n"
        "here = importlib.util.module_from_spec(spec); spec.loader.exec_module(here)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", preamble + code],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("name", MODELS)
def test_two_runs_give_the_same_bytes(name):
    """Guards against whatever is left over from a run before: scratch arrays, caches, order of sets."""
    assert digest(started(name).run()) == digest(started(name).run())


@pytest.mark.slow
def test_two_processes_give_the_same_bytes():
    """Guards against hashes of strings and addresses: fresh processes with other hash seeds give the same bytes.

    Both take their kernels from the cache, which the first of them fills: what compiles for itself, as this process may
    have done while others wrote the cache, can fuse other products with their sums, and be off in the last bit.
    """
    code = "print(*(here.digest(here.started(name).run()) for name in here.MODELS))"
    elsewhere(code)
    assert elsewhere(code, PYTHONHASHSEED="1") == elsewhere(code, PYTHONHASHSEED="77")


@pytest.mark.parametrize("slices", [1, 10])
@pytest.mark.parametrize("name", MODELS)
def test_slices_change_nothing(name, slices):
    """Guards the pauses that a caller makes: to look at trajectory and report between frames leaves the bytes alone."""
    run = started(name)
    for done in run:
        if done % slices == 0:
            assert run.report.frames == len(run.trajectory) == done
    assert digest(run.trajectory) == digest(started(name).run())


@pytest.mark.parametrize("name", MODELS)
def test_how_much_is_done_at_once_changes_nothing(name, monkeypatch):
    """Guards the cut of work in bits of some steps, where Esc may come in: one step at a time gives the same bytes."""
    expected = digest(started(name).run())
    monkeypatch.setattr(adaptive, "WORK_AT_ONCE", {True: 1, False: 1})
    assert digest(started(name).run()) == expected


@pytest.mark.parametrize("name", ["sled", "four_bar"])
def test_compiled_and_undecorated_agree(name):
    """Guards the promise that all runs without numba: the same motion within 1e-9."""
    times = "[0.0, 0.02, 0.04]"
    code = f"print(*here.started({name!r}, {times}).run().q.ravel().tolist())"
    plain = np.array([float(number) for number in elsewhere(code, LIMBERJACK_KERNELS="python")])
    assert plain == pytest.approx(started(name, [0.0, 0.02, 0.04]).run().q.ravel(), abs=1e-9)
