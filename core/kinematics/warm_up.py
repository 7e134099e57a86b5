# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile the kernels that lead poses, ahead of the first one."""

from __future__ import annotations

import numpy as np

from .. import jit
from ..kernel_cache import filling
from ..model import WORLD, Joint, Link, Model
from .inverse import POSING, Reacher, compile_for_posing, poses_at
from .targets import Target


def warm_up() -> None:
    """Fill the cache. Kernels take every model's arrays alike, so that one small model compiles all there is."""
    model = Model(links=[Link("bob")], joints=[Joint("hinge", "revolute", WORLD, "bob")])
    compiled = compile_for_posing(model)
    with filling(POSING):
        reacher, q = Reacher(compiled, [Target("bob", place=(1.0, 0.0, 0.0))]), np.zeros(1)
        reacher.reach(q)
        reacher.relax(q, np.zeros(1))
        poses_at(compiled, q)


def is_warm() -> bool:
    """Whether they run at once, with no compilation to wait for. Until then they run as they were written, slowly."""
    return jit.is_ready(POSING)
