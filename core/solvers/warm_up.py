"""Compile every kernel that a simulation needs, ahead of the first one."""

from __future__ import annotations

import numpy as np

from .. import jit
from ..model import WORLD, Joint, Link, Model
from .controls import Controls, Forces
from .recording import RECORDS
from .simulation import Simulation

SOLVER = "solver"

SECONDS = {
    "aba.articulated_body": 6.8,
    "rnea.newton_euler": 1.2,
    "system.free_rates": 8.0,
    "system.stay_open": 0.3,
    "adaptive.advance": 34.5,
    "inputs.set_inputs_at": 0.6,
    "energy.mechanical_energy": 1.3,
    "forward.place_links": 0.6,
    "system.constrained_rates": 5.9,
    "assembly.step_closer": 1.6,
    "assembly.gaps": 0.8,
    "assembly.rate_gaps": 0.6,
    "assembly.step_velocities": 0.6,
    "system.close": 3.5,
    "forward.move_links": 0.3,
    "recording.add_drives": 0.8,
}
"""What each kernel took to be compiled, in that order, on a machine of 2026: how others take their time in proportion.

Measured by when its file came into an empty cache.
"""


def warm_up() -> None:
    """Fill the cache.

    Kernels take every model's arrays alike, so two small simulations compile all there is: one of a model that is
    free, and one of a loop, which is closed from a start that does not fit, pushed, and recorded in full.
    """
    with jit.filling(SOLVER):
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
    return jit.is_filled(SOLVER)


def seconds_left() -> float:
    """How long `warm_up` would still take where `SECONDS` were measured; other machines need some times as long."""
    return sum(seconds for name, seconds in SECONDS.items() if name not in jit.compiled_kernels())
