"""Kinetic and potential energy."""

from __future__ import annotations

from ..jit import kernel
from ..kinematics.motion import move, rigid_inertia_of
from ..kinematics.work import get3, get9
from ..spatial import add, dot, inertia_rotate, momentum, power, rotate, scale
from .forces import spring_energy


@kernel
def mechanical_energy(model, work, q, qd):
    """(kinetic, potential) [J]; potential is that of gravity, zero at the world's origin, and of springs."""
    kinetic = 0.0
    potential = spring_energy(model, q)
    gravity = get3(model.gravity)
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        R, velocity = move(model, work, i, q, qd)
        inertia = inertia_rotate(R, rigid_inertia_of(body))
        kinetic += 0.5 * power(velocity, momentum(inertia, velocity))
        potential -= dot(gravity, add(inertia[1], scale(get3(work.bodies[i].origin), body.mass)))
        for j in range(body.v, body.v_end):
            kinetic += 0.5 * model.columns[j].armature * qd[j] * qd[j]
    for m in range(model.media.shape[0]):
        medium = model.media[m]
        own = work.bodies[medium.body]
        moment = rotate(get9(own.rotation), get3(medium.afloat_moment))
        potential += dot(gravity, add(moment, scale(get3(own.origin), medium.afloat)))
    return kinetic, potential
