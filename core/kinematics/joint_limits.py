# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of all joints as arrays in the layout of q and qd."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.set_valued_forces import effective


@dataclass(frozen=True)
class JointLimits:
    """Limits of all coordinates of a model, infinite where there are none.

    Attributes:
        lower, upper: of q, shape (nq,) [rad or m]. Quaternions, and positions of free joints, have none.
        velocity: largest speed, shape (nv,) [rad/s or m/s].
        effort: largest force of the drive, shape (nv,) [N m or N].
    """

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


def joint_limits(model: AnyModel) -> JointLimits:
    """Return the limits of all joints, in the layout of q and qd.

    They are those of each joint's own axes. Limits of mimics and of quantities that are no coordinates, such as the
    cone of a ball joint or the length of a rope, are not among them.
    """
    compiled = compiled_of(model)
    lower, upper = np.full(compiled.nq, -np.inf), np.full(compiled.nq, np.inf)
    velocity, effort = np.full(compiled.nv, np.inf), np.full(compiled.nv, np.inf)
    for span in compiled.spans.values():
        joint = span.joint
        numbers = joint.kind.spring_axes if joint.kind.chart else [column.axis for column in joint.columns]
        for place, number in enumerate(numbers):
            axis = effective(joint, number)
            velocity[span.v_at(place)], effort[span.v_at(place)] = axis.velocity_limit, axis.effort
            if not joint.kind.chart:
                lower[span.q_at(place)], upper[span.q_at(place)] = axis.lower, axis.upper
    return JointLimits(lower, upper, velocity, effort)
