# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels of inverse kinematics ahead of the first pose."""

from __future__ import annotations

import numpy as np

from ...compilation import jit
from ...compilation.kernel_cache import filling
from ...model import WORLD, Joint, Link, Model
from .inverse import POSING, Reacher, compile_for_posing, poses_at
from .targets import Target


def warm_up() -> None:
    """Fill the cache. One small model suffices, since kernels take the arrays of all models alike."""
    model = Model(links=[Link("bob")], joints=[Joint("hinge", "revolute", WORLD, "bob")])
    compiled = compile_for_posing(model)
    with filling(POSING):
        reacher, q = Reacher(compiled, [Target("bob", place=(1.0, 0.0, 0.0))]), np.zeros(1)
        reacher.reach(q)
        reacher.relax(q, np.zeros(1))
        poses_at(compiled, q)


def is_warm() -> bool:
    """Return whether the kernels run at once. Until then they run uncompiled, slowly."""
    return jit.is_ready(POSING)
