# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that a force on an axis or on a body moves, all joints free: MuJoCo defines dampings and contacts by them.

Source: MuJoCo documentation, mjModel, dof_M0 and body_invweight0; mj_setConst in engine_setconst.c.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from ....check import check_definition
from ....dynamics.equations import tree_mass_matrix
from ....kinematics.frames import jacobian
from ....model import WORLD, Axis, Model
from ....model.compiling.compile import compile_model
from ....model.compiling.compiled import CompiledModel
from ....spatial.arrays import dot, inverse

MAX_DOFS = 400
"""Largest number of degrees of freedom for which inertias are computed: the mass matrix is inverted.

Models with more are heaps of separate bodies, whose own masses are nearly as good.
"""


class TreeInertias:
    """Inertias of a tree of bodies in its initial pose, without limits. They are computed when first needed."""

    def __init__(self, model: Model):
        """Take the bodies and joints of a model as they are now, before constraints between them are added."""
        joints = [replace(joint, axes=[_unlimited(axis) for axis in joint.axes]) for joint in model.joints]
        self._model = replace(model, joints=joints, links=[*model.links])

    @cached_property
    def _compiled(self) -> CompiledModel | None:
        """The compiled tree; None if the model has errors, does not move, or has more than `MAX_DOFS`."""
        if any(issue.is_error for issue in check_definition(self._model)):
            return None
        compiled = compile_model(self._model)
        return compiled if 0 < compiled.nv <= MAX_DOFS else None

    @cached_property
    def _mass_matrix(self) -> np.ndarray:
        return tree_mass_matrix(self._compiled) if self._compiled else np.zeros((0, 0))

    @cached_property
    def _inverse(self) -> np.ndarray | None:
        """The inverse of the mass matrix; None if it is singular."""
        M = self._mass_matrix
        found = np.zeros_like(M)
        try:
            for block in _blocks(M):
                found[np.ix_(block, block)] = inverse(M[np.ix_(block, block)])
        except ZeroDivisionError:
            return None
        return found

    @cached_property
    def _still(self) -> set[str]:
        """The links that are fixed to the world."""
        parts = self._model.rigid_parts()
        fixed = {parts[joint.child] for joint in self._model.rigid_joints() if joint.parent == WORLD}
        return {link for link, part in parts.items() if part in fixed}

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

        It is 3 / trace(J M^-1 J'), or the link's own mass if that is not known; 0 if the link does not move.
        """
        if self._compiled is None or self._inverse is None:
            return 0.0 if link in self._still else self._model.link(link).mass
        J = jacobian(self._compiled, None, link, self._model.link(link).com)[:3]
        weight = sum(float(dot(row, dot(self._inverse, row))) for row in J)
        return 3.0 / weight if weight > 0.0 else 0.0


def _unlimited(axis: Axis) -> Axis:
    return replace(axis, lower=-math.inf, upper=math.inf)


def _blocks(M: np.ndarray) -> list[list[int]]:
    """Return the rows of each block on the diagonal of a mass matrix: separate machines, or branches from the world."""
    rest, found = set(range(len(M))), []
    while rest:
        block, ahead = [], [rest.pop()]
        while ahead:
            row = ahead.pop()
            block.append(row)
            linked = rest.intersection(np.flatnonzero(M[row]).tolist())
            rest -= linked
            ahead += linked
        found.append(sorted(block))
    return found
