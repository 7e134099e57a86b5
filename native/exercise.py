"""Calls every kernel once, with arguments of the types that it always gets."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from limberjack.core import dynamics, kinematics
from limberjack.core.kernel_cache import sources
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.compile import compile_model


def call_all() -> None:
    """Import all that has kernels, and run the two warm-ups and what users call by itself."""
    for path in sources():
        import_module(f"limberjack.core.{path.removesuffix('.py').replace('/', '.')}")
    import_module("limberjack.core.solvers.warm_up").simulate_all()
    import_module("limberjack.core.kinematics.warm_up").warm_up()
    bob = Link("bob", com=(0.0, 0.0, -1.0))
    hinges = [Joint(name, "revolute", WORLD, "bob") for name in ("hinge", "second")]  # which closes a loop
    compiled = compile_model(Model(links=[bob], joints=hinges[:1]))
    looped = compile_model(Model(links=[bob], joints=hinges), split_loops=True)
    q = qd = np.zeros(1)
    dynamics.mass_matrix(compiled, q)
    dynamics.momentum(compiled, q, qd)
    dynamics.forward_dynamics(compiled, q, qd, dynamics.passive_forces(compiled, q, qd))
    both = np.zeros(2)
    dynamics.forward_dynamics(looped, both, both, both)
    dynamics.inverse_dynamics(compiled, q, qd, qd)
    kinematics.link_jacobian(compiled, q, "bob")
    kinematics.forward_kinematics(compiled, q, qd)
