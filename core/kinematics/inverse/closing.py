# SPDX-License-Identifier: GPL-3.0-or-later
"""States that satisfy the constraints of a model: some joints are given, and the others are computed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...model import Joint, Model, StateError
from ...model.compiling.compile import AnyModel, compile_model, compiled_of
from ...model.compiling.compiled import ByJoint, CompiledModel
from ...spatial import Pose
from ...spatial.arrays import least_squares, matmul
from ..allowed_velocities import dofs_of, free_motions
from ..forward import tree_poses
from ..violations import dependence_clauses, violation_in_words
from .posing import Poser


def closed_state(model: AnyModel, q: ByJoint | None = None, qd: ByJoint | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return (q, qd), shapes (nq,) and (nv,), from given joints; loops, mimics and couplings determine the others.

    Joints move in small steps from q = 0 to the given values, so that each loop stays assembled as it is drawn. Joints
    that do not depend on the given ones stay at 0 and at rest. Axes whose two limits are equal keep that value, and
    joints that follow keep their limits.

    Args:
        q, qd: {joint: number or list}. Leave out joints that follow, since given values may contradict each other.

    Raises:
        ModelError: if the model cannot be compiled. StateError: if `q` or `qd` does not fit the model, or if loops,
            mimics or limits prevent the given values.
    """
    compiled = compiled_of(model)
    given = {name: span.joint.q_neutral for name, span in compiled.spans.items()} | dict(q or {})
    at, moving = compiled.q_from(given), compiled.q_from(qd, velocities=True)
    if not dependence_clauses(compiled):
        return at, moving
    poser, names = _posed(compiled, q or {}), compiled.spans.keys()
    at = compiled.q_from({name: poser.q_of(name) for name in names})
    Z = free_motions(poser.compiled, poser.q)
    wanted, dofs = poser.compiled.q_from(qd, velocities=True), dofs_of(poser.compiled, [*(qd or {})])
    found = matmul(Z, least_squares(Z[dofs], wanted[dofs], 1e-9)[0])
    if np.abs(found - wanted)[dofs].max(initial=0.0) > 1e-9 * (1.0 + np.abs(wanted).max(initial=0.0)):
        raise StateError(
            f"{_named(qd or {})} cannot have the velocities given: loops, couplings or limits tie them; give fewer"
        )
    moved = {name: found[poser.compiled.spans[name].v] for name in names}
    return at, compiled.q_from(moved, velocities=True)


def link_poses(model: Model, q: ByJoint | None = None) -> dict[str, Pose]:
    """Return the pose X_WL of each link, by name, with the joints at `q`: {joint: number or list}; other joints follow.

    Joints that follow nothing are at q = 0. See `closed_state`, and `tree_poses` for the tree alone.

    Raises:
        ModelError: if the model cannot be compiled. StateError: as `closed_state`.
    """
    compiled = compile_model(model)
    if not dependence_clauses(compiled):
        return tree_poses(model, q)
    return _posed(compiled, q or {}).poses()


def _posed(compiled: CompiledModel, q: ByJoint) -> Poser:
    """Return the `Poser` of a model with joints at `q`, or raise `StateError` if constraints prevent that."""
    model = compiled.model
    loops = {joint.name for joint in compiled.tree.loops}
    drawn = {name: _drawn(span.joint) for name, span in compiled.spans.items() if name not in loops}
    poser = Poser(model, tree_poses(model, drawn))
    spans = poser.compiled.spans
    for name, values in drawn.items():
        poser.q[spans[name].q] = values
    poser.satisfy_mimics()
    dofs, given, goal = set(dofs_of(poser.compiled, [*q])), poser.compiled.q_from(q), poser.q.copy()
    for name in q:
        goal[spans[name].q] = given[spans[name].q]
    is_whole = not drawn.keys() - q.keys()  # then no link can follow, and no way leads there through closed poses
    reached = is_whole or poser.move_towards(goal, dofs)
    for name in q:
        poser.q[spans[name].q] = goal[spans[name].q]
    if is_whole:
        poser.close(dofs)
    words = violation_in_words(poser.compiled, poser.q)
    if words or not reached:
        given_ones = f"with {_named(q)} as given" if q else "as drawn"
        raise StateError(
            f"{given_ones}, {words or 'loops cannot be kept closed on the way there'}, and nothing that may move mends "
            "that; give other values, or fewer joints: those that follow are to be left out"
        )
    return poser


def _drawn(joint: Joint) -> np.ndarray:
    """Return the coordinates of a joint as drawn, shape (nq,). Coordinates with two equal limits have that value."""
    values = np.array(joint.q_neutral)
    for place, value in joint.fixed_columns:
        values[place] = value
    return values


def _named(joints: Iterable[str]) -> str:
    return ", ".join(f"joint '{name}'" for name in joints)
