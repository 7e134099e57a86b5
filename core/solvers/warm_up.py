"""Compile every kernel that a simulation needs, ahead of the first one."""

from __future__ import annotations

import numpy as np

from .. import jit
from ..kernel_cache import filling
from ..model import WORLD, Joint, Link, Model
from .controls import Controls, Forces
from .recording import RECORDS
from .simulation import Simulation

SOLVER = "solver"


def warm_up() -> None:
    """Fill the cache.

    Kernels take every model's arrays alike, so two small simulations compile all there is: one of a model that is
    free, and one of a loop, which is closed from a start that does not fit, pushed, and recorded in full.
    """
    with filling(SOLVER):
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
