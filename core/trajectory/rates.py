# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities of a model's coordinates from its positions, frame by frame."""

from __future__ import annotations

import numpy as np

from ..joints import FREE
from ..model.compiling.compiled import CompiledModel, JointSpan
from .differences import tangents
from .quaternions import turned_back, turns_between


def rates_of(compiled: CompiledModel, times: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return qd, shape (F, nv), of second order in the time between frames; 0 for a single frame.

    The mean angular velocity between two frames is their relative rotation vector, which has the same components in the
    axes of both, divided by the time between them. The angular velocity at the frames follows as for numbers.

    Args:
        times: ascending, shape (F,) [s]. q: shape (F, nq).
    """
    steps = np.diff(times)
    qd = np.zeros((len(q), compiled.nv))
    for span in compiled.spans.values():
        own = q[:, span.q]
        qd[:, span.v] = _of_chart(span, own, steps) if span.joint.kind.chart else _of_numbers(own, steps)
    return qd


def _of_numbers(values: np.ndarray, steps: np.ndarray) -> np.ndarray:
    return tangents(np.diff(values, axis=0) / steps[:, None], steps)


def _of_chart(span: JointSpan, own: np.ndarray, steps: np.ndarray) -> np.ndarray:
    turns = own[:, -4:]
    angular = tangents(turns_between(turns[:-1], turns[1:]) / steps[:, None], steps)
    if span.joint.kind.code != FREE:
        return angular
    return np.hstack([turned_back(turns, _of_numbers(own[:, :3], steps)), angular])
