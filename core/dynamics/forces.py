"""Forces that joints exert by themselves, and the energy that they store and take away."""

from __future__ import annotations

from ..jit import jitable
from ..joints import SCREWS


@jitable
def joint_forces(model, q, qd, tau):
    """Write to `tau`, shape (nv,), the forces of springs and dampers. Returns the power that dampers take away [W]."""
    lost = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        for j in range(body.v, body.v_end):
            column = model.columns[j]
            tau[j] = -column.damping * qd[j]
            lost += column.damping * qd[j] * qd[j]
            if body.kind == SCREWS:
                tau[j] -= column.spring_stiffness * (q[body.q + j - body.v] - column.spring_reference)
    return lost


@jitable
def spring_energy(model, q):
    """Energy stored in joint springs [J]."""
    energy = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                column = model.columns[j]
                stretch = q[body.q + j - body.v] - column.spring_reference
                energy += 0.5 * column.spring_stiffness * stretch * stretch
    return energy
