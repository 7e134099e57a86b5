"""The stages of a motion: from one time at which a joint lets go to the next, a model of its own moves."""

from __future__ import annotations

import numpy as np

from ..kinematics import forward_kinematics
from ..model import CompiledModel, Model, compile_model
from ..spatial import compose, inverse, quat_to_mat, rotate_back
from .protocol import Solver


def compile_stages(model: Model, begin: float, end: float) -> list[tuple[float, CompiledModel]]:
    """(since when [s], the model as the solver reads it) for `begin`, and each time to `end` at which a joint lets go.

    Raises:
        ModelError: a model that cannot be simulated.
    """
    releases = {joint.released_at for joint in model.joints if joint.enabled and begin < joint.released_at <= end}
    found = []
    for time in (begin, *sorted(releases)):
        compiled = compile_model(model.acting_at(time), split_loops=True)
        compiled.require_simulable()
        found.append((time, compiled))
    return found


def carried_over(old: CompiledModel, solver: Solver, new: CompiledModel) -> tuple[np.ndarray, np.ndarray]:
    """(q, qd) of a model in which fewer joints act, where a solver has come to: all links go on as they move."""
    q, qd = np.zeros(new.nq), np.zeros(new.nv)
    named = {joint.name for joint in new.model.joints}
    X_WL, V_WL = forward_kinematics(old, solver.q, solver.qd)
    for name, span in new.spans.items():
        known = old.spans.get(name)
        if known and (name in named or known.link == span.link):  # links that float already have a joint of their own
            q[span.q], qd[span.v] = solver.q[known.q], solver.qd[known.v]
        else:
            row = old.link_names.index(span.link)
            q[span.q], qd[span.v] = _afloat(span.joint.X_PJ, tuple(X_WL[row].tolist()), V_WL[row])
    return q, qd


def _afloat(X_WJ: tuple, X_WL: tuple, V_WL: np.ndarray) -> tuple[tuple, tuple]:
    """Coordinates and velocities of a free joint at X_WJ in the world that carries a link."""
    R = quat_to_mat(X_WL[3:])
    velocity, turning = tuple(V_WL[:3].tolist()), tuple(V_WL[3:].tolist())
    return compose(inverse(X_WJ), X_WL), rotate_back(R, velocity) + rotate_back(R, turning)
