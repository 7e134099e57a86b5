# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates and velocities of all joints from measured poses and twists of links, loop joints included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...model import Model
from ...model.compiling.compiled import CompiledModel
from ...spatial import Pose
from ..coordinates import joint_coordinates
from .inverse import compile_for_posing

Twist = Sequence[float] | np.ndarray
"""V_WL: linear [m/s], then angular [rad/s], in world axes. The linear part is that of the link's origin."""


def coordinates_of_links(compiled: CompiledModel, X_WL: Mapping[str, Pose]) -> np.ndarray:
    """Return q, shape (nq,), at which links have the given poses or nearly so, nearest to the middle of the limits.

    compiled: with loops split, as `compile_for_posing` does.
    """
    return _measured(compiled, X_WL, None)[0]


def state_of_links(model: Model, X_WL: Mapping[str, Pose], V_WL: Mapping[str, Twist] | None = None) -> dict[str, dict]:
    """Return the start of a simulation, {"q": {joint: numbers}, "qd": {…}}, from poses and twists of the links.

    Joints take the parts of poses and twists that their coordinates can express.

    Args:
        model: of which all enabled joints act.
        X_WL: pose of each link, by name. V_WL: twist of each link, see `Twist`; zero if None.

    Raises:
        ModelError: if the model cannot be compiled. StateError: if a pose has a zero quaternion or is not finite.
    """
    compiled = compile_for_posing(model)
    q, qd = _measured(compiled, X_WL, V_WL)
    spans = compiled.spans.items()
    return {
        "q": {name: q[span.q].tolist() for name, span in spans},
        "qd": {name: qd[span.v].tolist() for name, span in spans},
    }


def _measured(
    compiled: CompiledModel, X_WL: Mapping[str, Pose], V_WL: Mapping[str, Twist] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return q and qd of all joints."""
    names = compiled.link_names
    rows = np.array([X_WL[name] for name in names], dtype=np.float64).reshape(-1, 7)
    speeds = np.array([V_WL[name] for name in names]).reshape(-1, 6) if V_WL else np.zeros((len(names), 6))
    near = compiled.q_home.copy()
    for span in compiled.spans.values():
        near[span.q] = span.joint.q_middle
    found = joint_coordinates(compiled, rows, speeds, near=(near, np.zeros(compiled.nv)))
    return found.q, found.qd
