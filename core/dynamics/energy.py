# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinetic and potential energy."""

from __future__ import annotations

from ..compilation.jit import kernel, subroutine
from ..kinematics.motion import rigid_inertia_of, update_bodies
from ..spatial import add, dot, inertia_rotate, momentum, power, rotate, scale
from ..spatial.storage import get3, get9, get_pair
from .forces import spring_energy
from .set_valued_forces import stop_energy


@kernel
def mechanical_energy(model, work, q, qd):
    """Return (kinetic, potential) energy [J]. Potential energy is that of gravity, 0 at the origin, springs and stops.

    Any state is allowed, loops open or closed. Springs and armatures of joints that close loops count if the model was
    compiled with `split_loops`, since they have no coordinates otherwise.
    """
    return energies_of(model, work, q, qd)


@subroutine
def energies_of(model, work, q, qd):
    """Do what `mechanical_energy` does, for kernels. Bodies are placed at this state."""
    update_bodies(model, work, q, qd)
    potential = spring_energy(model, q) + stop_energy(model, work, q)
    gravity = get3(model.gravity)
    for i in range(1, model.bodies.shape[0]):
        body, body_work = model.bodies[i], work.bodies[i]
        moment = rotate(get9(body_work.rotation), get3(body.moment))
        potential -= dot(gravity, add(moment, scale(get3(body_work.origin), body.mass)))
    for m in range(model.media.shape[0]):
        medium = model.media[m]
        body_work = work.bodies[medium.body]
        moment = rotate(get9(body_work.rotation), get3(medium.weightless_moment))
        potential += dot(gravity, add(moment, scale(get3(body_work.origin), medium.weightless_mass)))
    return kinetic_energy(model, work, qd), potential


@subroutine
def kinetic_energy(model, work, qd):
    """Return the kinetic energy of bodies, after `update_body`, and of armatures [J]."""
    energy = 0.0
    for i in range(1, model.bodies.shape[0]):
        body, body_work = model.bodies[i], work.bodies[i]
        velocity = get_pair(body_work.velocity)
        inertia = inertia_rotate(get9(body_work.rotation), rigid_inertia_of(body))
        energy += 0.5 * power(velocity, momentum(inertia, velocity))
        for j in range(body.v, body.v_end):
            energy += 0.5 * model.dofs[j].armature * qd[j] * qd[j]
    return energy
