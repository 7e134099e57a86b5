# SPDX-License-Identifier: GPL-3.0-or-later
"""A second process compiles into the cache of the first, and never outlives it."""

import os
import subprocess
import sys
import time

import pytest

CODE = (
    "from limberjack.core.processes import helper; print(helper.start('simulation.warm_up', 'warm_up').pid, flush=True)"
)


def run(code, cache):
    """Python code in a process of its own, by numba and with an empty cache. What it prints."""
    environment = os.environ | {"LIMBERJACK_KERNELS": "numba", "LIMBERJACK_CACHE": str(cache)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signal 0 asks for a process; on Windows it ends it")
def test_a_child_ends_with_its_parent(tmp_path):
    """Whoever cancels a compilation, or closes Blender, frees the processor at once: it would take a minute more."""
    pid = int(run(CODE, tmp_path))
    until = time.monotonic() + 120
    while is_running(pid):
        assert time.monotonic() < until
        time.sleep(0.1)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return not state.startswith("Z")  # one that has ended, and nobody asked how, is still there


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "stepper"),
    [("", "integration.adaptive_steps.advance"), ("with_contact=True", "hybrid_contact.event_steps.advance_touching")],
)
def test_two_processes_fill_the_cache(tmp_path, arguments, stepper):
    """Each kernel once; and what the child has compiled fits the parent, which does not compile it again."""
    module, _, name = stepper.rpartition(".")
    code = f"""if True:
        from limberjack.core.compilation import compiler
        from limberjack.core import simulation
        from limberjack.core.solvers.{module} import {name} as stepper
        simulation.warm_up({arguments})
        print(sum(stepper.compiled.stats.cache_hits.values()), sum(stepper.compiled.stats.cache_misses.values()))
        assert simulation.is_warm({arguments})
    """
    assert run(code, tmp_path).split() == ["1", "0"]
    names = [path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")]
    assert len(names) == len(set(names)) > 10
