# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation of every kernel that a simulation needs, ahead of the first simulation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from ..compilation import jit
from ..compilation.kernel_cache import filling
from ..controls.controls import Controls, Forces
from ..geometry import Shape, Sphere
from ..model import WORLD, Joint, Link, Model
from ..processes import helper
from ..records.recording import RECORDS
from ..solvers.convex_step.steps import advance_convex
from ..solvers.hybrid_contact.event_steps import advance_touching
from ..solvers.integration.adaptive_steps import advance
from .simulation import Simulation

SOLVER = "solver"
"""Name of the kernels of every simulation in the cache."""

CONTACT = "contact"
"""Name, in the cache, of the additional kernels of simulations with contact."""

STEPPERS = (advance, advance_touching, advance_convex)
"""The kernels that advance a state in time. Compiling them takes about as long as compiling all others."""


def warm_up(with_contact: bool = False) -> None:
    """Fill the cache, in two processes if there are two cores.

    Kernels of loops are compiled for every model: otherwise the first model with loops would have a wait of its own.
    Kernels of contact take longer than all others together, so models without contact do not wait for them.

    Args:
        with_contact: whether kernels of contact are compiled too.
    """
    wanted = [what for what in (SOLVER, CONTACT) if _is_wanted(what, with_contact)]
    is_shared = bool(wanted) and (os.cpu_count() or 1) > 1 and helper.can_start()
    with ExitStack() as stack:
        for what in wanted or [SOLVER]:
            stack.enter_context(filling(what))
        if is_shared:
            with helper.started("simulation.warm_up", "compile_steppers", *wanted) as child:
                compile_others(*wanted)
                child.wait()
        for what in wanted or [SOLVER]:
            SIMULATED[what]()


def _is_wanted(what: str, with_contact: bool) -> bool:
    return not jit.is_ready(what) and (what == SOLVER or with_contact)


def compile_steppers(*wanted: str) -> None:
    """Compile `STEPPERS` into the cache; all kernels run as Python meanwhile.

    Args:
        wanted: names in `SIMULATED`.
    """
    with ExitStack() as stack:
        for each in jit.KERNELS:
            stack.enter_context(each.standing_in(_compiling_first(each) if each in STEPPERS else each.python))
        for what in wanted:
            SIMULATED[what]()


def _compiling_first(stepper: jit.kernel) -> Any:
    compiled = []

    def run(*arguments: Any) -> Any:
        if not compiled:  # every call has arguments of the same types
            stepper.compile_for(arguments)
            compiled.append(stepper)
        return stepper.python(*arguments)

    return run


def compile_others(*wanted: str) -> None:
    """Compile all kernels but `STEPPERS`, which run as Python, into the cache. `wanted` as in `compile_steppers`."""

    def running_as_python(stepper: jit.kernel) -> Any:
        def run(*arguments: Any) -> Any:
            for pointer in _pointers_in(arguments):
                pointer.compile()
            return stepper.python(*arguments)

        return run

    with ExitStack() as stack:
        for stepper in STEPPERS:
            stack.enter_context(stepper.standing_in(running_as_python(stepper)))
        for what in wanted:
            SIMULATED[what]()


def _pointers_in(value: Any) -> Iterator[jit.Pointer]:
    if isinstance(value, jit.Pointer):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _pointers_in(part)


def simulate_all() -> None:
    """Run every kernel of a simulation without contact.

    Kernels take the arrays of any model, so two small simulations compile all of them. One has a free model, and the
    other a loop that is closed from an initial state with a gap, pushed by a callback, and recorded in full.
    """
    times = np.array([0.0, 0.01])
    bob = Link("bob", com=(0.0, 0.0, -1.0))
    hinge, second = (Joint(name, "revolute", WORLD, "bob") for name in ("hinge", "second"))
    Simulation(Model(links=[bob], joints=[hinge]), times).run()
    start = {"q": {"second": 0.1}, "qd": {"hinge": 1.0}}
    controls = Controls(forces=lambda moment: Forces(links={"bob": np.ones(6)}))
    looped = Model(links=[bob], joints=[hinge, second])
    Simulation(looped, times, initial=start, controls=controls, record=RECORDS).run()


def simulate_contact() -> None:
    """Run every kernel of a simulation with contact: a ball above another one, by events and by time stepping.

    Frames are written by the solver, and recorded one by one.
    """
    ball, other = (Link(name, collisions=[Shape("ball", Sphere(1.0))]) for name in ("ball", "other"))
    above = Joint("free", "free", WORLD, "ball", X_PJ=(0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0))
    model = Model(links=[ball, other], joints=[above, Joint("held", "fixed", WORLD, "other")])
    Simulation(model, [0.0, 0.01]).run()
    stepped = Simulation(model, [0.0, 0.01], record=["contacts"])
    stepped.prefer_time_stepping()
    stepped.run()


SIMULATED = {SOLVER: simulate_all, CONTACT: simulate_contact}
"""For each name in the cache, the function that runs all kernels it stands for."""


def may_touch(model: Model) -> bool:
    """Return whether a simulation of the model may need the kernels of contact: whether it has two collision shapes."""
    return sum(len(link.collisions) for link in model.links) > 1


def is_warm(with_contact: bool = False) -> bool:
    """Return whether a first simulation in this process starts at once, with no compilation to wait for."""
    return not any(_is_wanted(what, with_contact) for what in (SOLVER, CONTACT))
