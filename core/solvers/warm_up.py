"""Compile every kernel that a simulation needs, ahead of the first one."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress

import numpy as np

from .. import beside, jit
from ..kernel_cache import filling
from ..model import WORLD, Joint, Link, Model
from .adaptive import advance
from .controls import Controls, Forces
from .recording import RECORDS
from .simulation import Simulation

SOLVER = "solver"


def warm_up() -> None:
    """Fill the cache, by two processes where there are two cores.

    `advance` takes as long as all others together. Those for loops are among these: beside it they cost no wait, and
    the first model with loops would have one of its own.
    """
    is_shared = not is_warm() and (os.cpu_count() or 1) > 1 and beside.can_start()
    with filling(SOLVER):
        if is_shared:
            with beside.started("solvers.warm_up", "compile_advance") as child:
                compile_others()
                child.wait()
        simulate_all()


def compile_advance() -> None:
    """In a process of its own, where what leads to the first call runs as Python."""

    def compiled_and_left(*arguments):
        advance.compile_for(arguments)
        raise StopIteration

    with ExitStack() as stack:
        for each in jit.KERNELS:
            stack.enter_context(each.standing_in(compiled_and_left if each is advance else each.python))
        stack.enter_context(suppress(StopIteration))
        simulate_all()


def compile_others() -> None:
    """Those that `advance` calls included, while it runs as Python."""

    def run_as_python(calls, *arguments):
        for pointer in calls:
            pointer.compile()
        return advance.python(calls, *arguments)

    with advance.standing_in(run_as_python):
        simulate_all()


def simulate_all() -> None:
    """Run every kernel of a simulation.

    Kernels take every model's arrays alike, so two small simulations compile all there is: one of a model that is
    free, and one of a loop, which is closed from a start that does not fit, pushed, and recorded in full.
    """
    times = np.array([0.0, 0.01])
    bob = Link("bob", com=(0.0, 0.0, -1.0))
    hinge, second = (Joint(name, "revolute", WORLD, "bob") for name in ("hinge", "second"))
    Simulation(Model(links=[bob], joints=[hinge]), times).run()
    start = {"q": {"second": 0.1}, "qd": {"hinge": 1.0}}
    controls = Controls(forces=lambda moment: Forces(links={"bob": np.ones(6)}))
    looped = Model(links=[bob], joints=[hinge, second])
    Simulation(looped, times, initial=start, controls=controls, record=RECORDS).run()


def is_warm() -> bool:
    """Whether a first simulation in this process starts at once, with no compilation to wait for."""
    return jit.is_ready(SOLVER)
