"""Compile every kernel that a simulation needs, ahead of the first one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np

from .. import jit
from ..model import WORLD, Joint, Link, Model
from .simulation import Simulation

_warm_here = False


def warm_up() -> None:
    """Fill the cache. Kernels take every model's arrays alike, so one small simulation compiles all there is."""
    global _warm_here
    model = Model(links=[Link("bob", com=(0.0, 0.0, -1.0))], joints=[Joint("hinge", "ball", WORLD, "bob")])
    Simulation(model, np.array([0.0, 0.01])).run()
    _warm_here = True
    if jit.is_available():
        with suppress(OSError):  # without a folder to write to, each process compiles for itself
            _marker().touch()


def is_warm() -> bool:
    """Whether a first simulation in this process starts at once, with no compilation to wait for."""
    return _warm_here or not jit.is_available() or _marker().exists()


def _marker() -> Path:
    return jit.cache_folder() / "complete"
