# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that joints move in the pose as drawn, which MuJoCo calls qpos0.

Source: MuJoCo documentation, XML Reference, "joint/springdamper" and "actuator/position/dampratio".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....check import check_definition
from ....dynamics.equations import tree_mass_matrix
from ....model import Model
from ....model.compiling.compile import compile_model
from ....spatial.arrays import inverse
from ..tree.assembly import Assembled
from ..tree.joints import JointPlace

LEAST = 1e-15
"""Least mean of diagonal entries of M⁻¹, as MuJoCo bounds it [1/(kg m^2) or 1/kg]."""


class Inertias:
    """Inertias of the joints of a model without equality constraints. They are computed when they are first needed."""

    def __init__(self, model: Model, assembled: Assembled):
        """Note the joints that the model has now. Those that equality constraints add later do not count."""
        self._model, self._assembled = model, assembled
        self._joints = [*model.joints]
        self._found: tuple[np.ndarray, dict[str, int]] | None = None

    def diagonal(self, joint: str, axis: int) -> float:
        """Return the entry of M for an axis [kg m^2 or kg]; 0 if the model has errors."""
        M, starts = self._matrix()
        at = starts.get(joint)
        return 0.0 if at is None else float(M[at + axis, at + axis])

    def free(self, place: JointPlace) -> float:
        """Return the inertia that a joint moves if all others are free: the inverse of the entry of M⁻¹ [kg m^2 or kg].

        For a ball joint, it is the inverse of the mean of three entries. It is 0 if the model has errors.
        """
        M, starts = self._matrix()
        at = starts.get(place.joint)
        if at is None:
            return 0.0
        dofs = range(at, at + 3) if place.kind == "ball" else [at + place.axis]
        entries = np.diag(inverse(M))
        return len(dofs) / max(LEAST, float(sum(entries[dof] for dof in dofs)))

    def _matrix(self) -> tuple[np.ndarray, dict[str, int]]:
        """Return M, and the number of the first dof of each joint."""
        if self._found is None:
            self._found = self._compute()
        return self._found

    def _compute(self) -> tuple[np.ndarray, dict[str, int]]:
        refs: dict[str, dict[int, float]] = {}
        for place in self._assembled.places:
            refs.setdefault(place.joint, {})[place.axis] = place.ref
        joints = [replace(joint, mimic=None) for joint in self._joints]
        bare = replace(self._model, joints=joints, couplings=[], contact_pairs=[])
        for joint in bare.joints:
            drawn = refs.get(joint.name, {})
            is_ball = joint.type == "ball"
            joint.home = (1.0, 0.0, 0.0, 0.0) if is_ball else tuple(drawn[axis] for axis in sorted(drawn))
            joint.enabled = True
        if any(issue.is_error for issue in check_definition(bare)):
            return np.zeros((0, 0)), {}
        compiled = compile_model(bare)
        starts = {name: span.v.start for name, span in compiled.spans.items() if name not in compiled.floating}
        return tree_mass_matrix(compiled), starts
