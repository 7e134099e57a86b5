# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that joints move in the pose as drawn, which MuJoCo calls qpos0.

Source: MuJoCo documentation, XML Reference, "joint/springdamper" and "actuator/position/dampratio".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from ....check import check_definition
from ....dynamics.aba import articulated_body
from ....dynamics.equations import tree_inverse_dynamics
from ....dynamics.singular import is_singular
from ....kinematics import make_work
from ....model import Axis, Joint, Model
from ....model.compiling.compile import compile_model
from ....model.compiling.compiled import CompiledModel
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

    def diagonal(self, joint: str, axis: int) -> float:
        """Return the entry of M for an axis [kg m^2 or kg]; 0 if the model has errors."""
        compiled = self._bare_model
        if compiled is None:
            return 0.0
        dof = compiled.spans[joint].v.start + axis
        return float(tree_inverse_dynamics(compiled, qdd=_unit(compiled, dof))[dof])

    def free(self, place: JointPlace) -> float:
        """Return the inertia that a joint moves if all others are free: the inverse of the entry of M⁻¹ [kg m^2 or kg].

        For a ball joint, it is the inverse of the mean of three entries. It is 0 if the model has errors, or if a body
        that moves has no mass.
        """
        compiled = self._bare_model
        if compiled is None:
            return 0.0
        start = compiled.spans[place.joint].v.start
        dofs = range(start, start + 3) if place.kind == "ball" else [start + place.axis]
        entries = [_inverse_entry(compiled, dof) for dof in dofs]
        return len(dofs) / max(LEAST, sum(entries)) if all(entries) else 0.0

    @cached_property
    def _bare_model(self) -> CompiledModel | None:
        """The model as drawn without gravity, limits, springs and equality constraints; None if it has errors."""
        refs: dict[str, dict[int, float]] = {}
        for place in self._assembled.places:
            refs.setdefault(place.joint, {})[place.axis] = place.ref
        joints = [_bare(joint, refs.get(joint.name, {})) for joint in self._joints]
        links = [replace(link, visuals=[], collisions=[]) for link in self._model.links]
        bare = Model(self._model.name, links, joints, gravity=(0.0, 0.0, 0.0))
        return None if any(issue.is_error for issue in check_definition(bare)) else compile_model(bare)


def _bare(joint: Joint, refs: Mapping[int, float]) -> Joint:
    axes = [
        Axis(axis.xyz, turn=axis.turn, slide=axis.slide, point=axis.point, armature=axis.armature)
        for axis in joint.axes
    ]
    bare = replace(joint, axes=axes, mimic=None, enabled=True)
    bare.home = (1.0, 0.0, 0.0, 0.0) if joint.type == "ball" else tuple(refs[axis] for axis in sorted(refs))
    return bare


def _inverse_entry(compiled: CompiledModel, dof: int) -> float:
    """Return an entry on the diagonal of M⁻¹: the acceleration by a force of 1. It is 0 if M is singular."""
    q, force, work = compiled.positions(None), _unit(compiled, dof), make_work(compiled.arrays)
    qd, qdd = np.zeros(compiled.nv), np.zeros(compiled.nv)
    if is_singular(compiled, q, qd, force, work):
        return 0.0
    articulated_body(compiled.arrays, work, q, qd, force, qdd)
    return float(qdd[dof])


def _unit(compiled: CompiledModel, dof: int) -> np.ndarray:
    unit = np.zeros(compiled.nv)
    unit[dof] = 1.0
    return unit
