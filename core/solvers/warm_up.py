"""Compile every kernel that a simulation needs, ahead of the first one."""

from __future__ import annotations

from pathlib import Path

from .. import jit
from ..model import WORLD, Joint, Link, Model
from .simulation import Simulation


def warm_up() -> None:
    """Fill the cache. Kernels take every model's arrays alike, so one small simulation compiles all there is."""
    model = Model(links=[Link("bob", com=(0.0, 0.0, -1.0))], joints=[Joint("hinge", "ball", WORLD, "bob")])
    Simulation(model, [0.0, 0.01]).run()
    if jit.is_available():
        _marker().parent.mkdir(parents=True, exist_ok=True)
        _marker().touch()


def is_warm() -> bool:
    """Whether a first simulation in this process starts at once, with no compilation to wait for."""
    return not jit.is_available() or _marker().exists()


def _marker() -> Path:
    return jit.cache_folder() / "complete"
