# SPDX-License-Identifier: GPL-3.0-or-later
"""One call of every kernel, with arguments of the types that it always gets."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from limberjack.core import dynamics, kinematics
from limberjack.core.collision.broad_phase import SOLID_POSE
from limberjack.core.collision.distance.sweeping import find_impacts, sweep_boxes
from limberjack.core.collision.hulls import convex_hull
from limberjack.core.collision.packing import ball, pack
from limberjack.core.collision.pairs import make_pair_work
from limberjack.core.compilation.kernel_sources import sources
from limberjack.core.geometry import Shape, Sphere
from limberjack.core.kinematics.proximity.distances import Proximity
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial.arrays import MANY, angle_of, cosines_sines


def call_all() -> None:
    """Import all modules that have kernels, run the two warm-ups, and call the functions that users call directly."""
    for path in sources():
        import_module(f"limberjack.core.{path.removesuffix('.py').replace('/', '.')}")
    for simulate in import_module("limberjack.core.simulation.warm_up").SIMULATED.values():
        simulate()
    import_module("limberjack.core.kinematics.inverse.warm_up").warm_up()
    bob = Link("bob", com=(0.0, 0.0, -1.0))
    hinges = [Joint(name, "revolute", WORLD, "bob") for name in ("hinge", "second")]  # the second one closes a loop
    compiled = compile_model(Model(links=[bob], joints=hinges[:1]))
    looped = compile_model(Model(links=[bob], joints=hinges))
    q = qd = np.zeros(1)
    dynamics.mechanical_energy(compiled.arrays, kinematics.make_work(compiled.arrays), q, qd)
    dynamics.mass_matrix(compiled, q)
    dynamics.momentum(compiled, q, qd)
    dynamics.forward_dynamics(compiled, q, qd, dynamics.passive_forces(compiled, q, qd))
    both = np.zeros(2)
    dynamics.forward_dynamics(looped, both, both, both)
    dynamics.inverse_dynamics(compiled, q, qd, qd)
    dynamics.joint_wrenches(compiled, q, qd, qd)
    kinematics.link_jacobian(compiled, q, "bob")
    kinematics.forward_kinematics(compiled, q, qd)
    angle_of(np.ones(MANY + 1), 1.0)
    cosines_sines(np.ones(MANY + 1))
    convex_hull(np.array(list(np.ndindex(2, 2, 2)), float))
    touch_all()
    sweep_all()


def touch_all() -> None:
    """Call the kernels that look at collision shapes, whatever shapes these are."""
    ball, other = (Link(name, collisions=[Shape("ball", Sphere(1.0))]) for name in ("ball", "other"))
    apart = [Joint("free", "free", WORLD, "ball"), Joint("other free", "free", WORLD, "other")]
    proximity = Proximity(Model(links=[ball, other], joints=apart))
    proximity.pairs_nearer(1.0)
    proximity.contacts(1.0)


def sweep_all() -> None:
    """Call the kernels that find where moving shapes first touch."""
    solids, store = pack([ball(1.0), ball(1.0)])
    poses, twists, times = np.zeros((2, 12)), np.zeros((2, 6)), np.zeros(1)
    placed, pair = np.zeros(2, SOLID_POSE).view(np.recarray), np.array([[0, 1]])
    sweep_boxes(solids, poses, twists, 1.0, placed)
    find_impacts(solids, store, poses, twists, 1.0, pair, 1, 1e-7, placed, make_pair_work(), times)
