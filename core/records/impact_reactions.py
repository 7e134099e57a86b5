# SPDX-License-Identifier: GPL-3.0-or-later
"""Reactions of joints to impacts: the impulses that joints transmit when contacts do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..controls.controls import Controls, Forces
from ..controls.inputs import steady_inputs
from ..dynamics.constraints import ConstraintSet
from ..dynamics.wrenches import about_origin
from ..kinematics import tree_kinematics
from ..model import WORLD
from ..model.compiling.compiled import CompiledModel
from ..solvers.protocol import State
from ..solvers.solver_system import make_solver_system
from ..solvers.system_observation import SystemObservation
from .named_contacts import Impact

NO_MOMENT = np.zeros(3)


def impact_reactions(
    compiled: CompiledModel, constraints: ConstraintSet, state: State, impacts: Sequence[Impact], now: float
) -> dict[str, np.ndarray]:
    """Return the impulse and angular impulse that joints transmit in impacts of contacts, by name.

    They are in world axes, about the child-side origins, as `Trajectory.wrenches` [N s, N m s]. Impulses and changes of
    velocities obey the equations of forces and accelerations, so each reaction is the difference between the wrenches
    with and without forces of the size of the impulses. Impacts of joint stops are left out.

    Args:
        constraints: those of the model, as the solver has them. state: one soon after the impacts.
        now: the time of the state, as `Impact.time` has it [s].
    """
    X_WL, V_WL = tree_kinematics(compiled, state.q, state.qd)
    origins = dict(zip(compiled.link_names, zip(X_WL[:, :3], V_WL[:, :3], strict=True), strict=True))
    total = {name: np.zeros(6) for name in origins}
    for impact in impacts:
        for link, impulse in ((impact.first, -impact.impulse), (impact.second, impact.impulse)):
            if link != WORLD:
                origin, velocity = origins[link]
                arm = impact.point - (origin - (now - impact.time) * velocity)  # from where the origin was then
                total[link] += about_origin(np.concatenate([impulse, NO_MOMENT]), arm)
    moved = {name: impulse for name, impulse in total.items() if impulse.any()}
    system, inputs = make_solver_system(compiled, constraints), steady_inputs(compiled, constraints)
    loaded, unloaded = (
        SystemObservation(compiled, constraints, system._replace(inputs=each), state).wrenches()
        for each in (Controls().push(inputs, compiled, Forces(links=moved)), inputs)
    )
    return {name: loaded[name] - unloaded[name] for name in unloaded}
