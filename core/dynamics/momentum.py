"""Where a model's mass is, and how it moves as a whole."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..kinematics import make_work, require_obeyed
from ..kinematics.motion import move, rigid_inertia_of
from ..model.compiled import CompiledModel
from ..spatial import add, force_from, inertia_rotate, scale
from ..spatial import momentum as momentum_of
from ..spatial.storage import get3


@kernel
def total_momentum(model, work, q, qd):
    """(mass, mass * com, (angular, linear) momentum), all about the world's origin; the world's own mass left out."""
    mass = 0.0
    moment = (0.0, 0.0, 0.0)
    angular = (0.0, 0.0, 0.0)
    linear = (0.0, 0.0, 0.0)
    for i in range(1, model.bodies.shape[0]):
        R, velocity = move(model, work, i, q, qd)
        inertia = inertia_rotate(R, rigid_inertia_of(model.bodies[i]))
        origin = get3(work.bodies[i].origin)
        own = force_from(momentum_of(inertia, velocity), origin)
        mass += inertia[0]
        moment = add(moment, add(inertia[1], scale(origin, inertia[0])))
        angular = add(angular, own[0])
        linear = add(linear, own[1])
    return mass, moment, (angular, linear)


def centre_of_mass(compiled: CompiledModel, q: np.ndarray) -> np.ndarray:
    """Of all that can move, in world axes, shape (3,) [m]; not a number where nothing that moves has mass.

    Raises:
        StateError: q breaks loops, mimics, couplings or limits without room.
    """
    mass, moment, _ = _totals(compiled, q, np.zeros(compiled.nv))
    with np.errstate(invalid="ignore"):
        return np.array(moment) / np.float64(mass)


def momentum(compiled: CompiledModel, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(linear [kg m/s], angular [kg m^2/s] about the centre of mass) in world axes, shape (6,).

    Raises:
        StateError: q or qd breaks loops, mimics, couplings or limits without room.
    """
    mass, moment, (angular, linear) = _totals(compiled, q, qd)
    if mass > 0.0:
        angular = np.array(angular) - np.cross(np.array(moment) / mass, linear)
    return np.array([*linear, *angular])


def _totals(compiled: CompiledModel, q: np.ndarray, qd: np.ndarray):
    require_obeyed(compiled, q, qd)
    work = make_work(compiled.arrays)
    return total_momentum(compiled.arrays, work, compiled.positions(q), compiled.velocities(qd))
