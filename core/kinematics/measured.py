# SPDX-License-Identifier: GPL-3.0-or-later
"""Where links were seen, and how they moved, as coordinates of all joints, those that close loops included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..model import Model
from ..model.compiled import CompiledModel
from ..spatial import Pose
from .coordinates import joint_coordinates
from .inverse import compile_for_posing

Twist = Sequence[float] | np.ndarray
"""V_WL: linear [m/s], then angular [rad/s], in world axes; linear is that of the link's origin."""


def coordinates_of_links(compiled: CompiledModel, X_WL: Mapping[str, Pose]) -> np.ndarray:
    """q at which links stand there, or nearly so, shape (nq,), nearest to the middle of the limits.

    compiled: with loops split, as `compile_for_posing` does.
    """
    return _measured(compiled, X_WL, None)[0]


def state_of_links(model: Model, X_WL: Mapping[str, Pose], V_WL: Mapping[str, Twist] | None = None) -> dict[str, dict]:
    """What a simulation takes as its start, {"q": {joint: numbers}, "qd": {…}}: links as they stand and as they move.

    Joints keep what they can have of both; no more can be said where links stand off their joints.

    Args:
        model: of which all joints act that are enabled.
        X_WL: pose of every link, by name. V_WL: twist of every link, see `Twist`; at rest where it is None.

    Raises:
        ModelError: the model cannot be compiled. StateError: a pose is no pose.
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
    """q and qd of all joints."""
    names = compiled.link_names
    rows = np.array([X_WL[name] for name in names], dtype=np.float64).reshape(-1, 7)
    speeds = np.array([V_WL[name] for name in names]).reshape(-1, 6) if V_WL else np.zeros((len(names), 6))
    near = compiled.q_home.copy()
    for span in compiled.spans.values():
        near[span.q] = span.joint.q_middle
    found = joint_coordinates(compiled, rows, speeds, near=(near, np.zeros(compiled.nv)))
    return found.q, found.qd
