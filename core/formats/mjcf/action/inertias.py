# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that a force on an axis or on a body moves, all joints free: MuJoCo defines dampings and contacts by them.

Source: MuJoCo documentation, mjModel, dof_M0 and body_invweight0; mj_setConst in engine_setconst.c.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from ....check import check_definition
from ....dynamics.equations import tree_mass_matrix
from ....kinematics.frames import jacobian
from ....model import Model
from ....model.compiling.compile import compile_model
from ....model.compiling.compiled import CompiledModel
from ....spatial.arrays import dot, inverse


class TreeInertias:
    """Inertias of a model in its initial pose, without its loops and couplings. They are computed when first needed."""

    def __init__(self, model: Model):
        joints = [replace(joint, mimic=None) for joint in model.joints if not joint.closes_loop]
        self._model = replace(model, joints=joints, couplings=[], contact_pairs=[])

    @cached_property
    def _compiled(self) -> CompiledModel | None:
        """The compiled tree; None if the model has errors."""
        if any(issue.is_error for issue in check_definition(self._model)):
            return None
        return compile_model(self._model)

    @cached_property
    def _mass_matrix(self) -> np.ndarray:
        return tree_mass_matrix(self._compiled) if self._compiled else np.zeros((0, 0))

    @cached_property
    def _inverse(self) -> np.ndarray | None:
        """The inverse of the mass matrix; None if it is singular."""
        try:
            return inverse(self._mass_matrix)
        except ZeroDivisionError:
            return None

    def _place(self, joint: str, axis: int) -> int | None:
        span = self._compiled.spans.get(joint) if self._compiled else None
        number = self._model.joint(joint).place_of(axis) if span else None
        return None if span is None or number is None else span.v.start + number

    def of_axis(self, joint: str, axis: int) -> float:
        """Return M_ii, the inertia that moves if all other axes are held [kg m^2 or kg]; 0 if it is not known."""
        place = self._place(joint, axis)
        return 0.0 if place is None else float(self._mass_matrix[place, place])

    def of_free_axis(self, joint: str, axis: int) -> float:
        """Return 1 / (M^-1)_ii, the inertia that moves if all other axes are free; 0 if it is not known."""
        place = self._place(joint, axis)
        return 0.0 if place is None or self._inverse is None else 1.0 / float(self._inverse[place, place])

    def mass_at(self, link: str) -> float:
        """Return the mass that a force on a link's com moves, on the average of three directions [kg].

        It is 3 / trace(J M^-1 J'); 0 if the link does not move, or if the mass is not known.
        """
        if self._compiled is None or self._inverse is None or not self._compiled.nv:
            return 0.0
        J = jacobian(self._compiled, None, link, self._model.link(link).com)[:3]
        weight = sum(float(dot(row, dot(self._inverse, row))) for row in J)
        return 3.0 / weight if weight > 0.0 else 0.0
