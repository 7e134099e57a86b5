# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that forces on joints and bodies move in the pose as drawn, which MuJoCo calls qpos0.

Source: MuJoCo documentation, XML Reference, "joint/springdamper" and "actuator/position/dampratio"; mjModel, dof_M0 and
body_invweight0, mj_setConst in engine_setconst.c.
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
from ....kinematics.frames import jacobian
from ....model import WORLD, Axis, Joint, Model
from ....model.compiling.compile import compile_model
from ....model.compiling.compiled import CompiledModel
from ....spatial.arrays import dot
from ..tree.assembly import Assembled
from ..tree.joints import JointPlace

MAX_DOFS = 400
"""Largest number of degrees of freedom for which the masses that forces on links move are computed.

Models with more are heaps of separate bodies, whose own masses are nearly as good.
"""

LEAST = 1e-15
"""Least mean of diagonal entries of M⁻¹, as MuJoCo bounds it [1/(kg m^2) or 1/kg]."""


class Inertias:
    """Inertias of the joints of a model without equality constraints. They are computed when they are first needed."""

    def __init__(self, model: Model, assembled: Assembled | None = None):
        """Note the joints that the model has now. Those that equality constraints add later do not count.

        assembled: tells where joints are as drawn; None for a model that is drawn with its joints at 0.
        """
        self._model, self._drawn = model, assembled.places if assembled else []
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

    def mass_at(self, link: str) -> float:
        """Return the mass that a force on a link's com moves, on the average of three directions [kg].

        It is 3 / trace(J M⁻¹ J'), or the link's own mass if the model has errors or more than `MAX_DOFS`; 0 if the link
        does not move.
        """
        compiled = self._bare_model
        if compiled is None or compiled.nv > MAX_DOFS:
            return 0.0 if link in self._immobile else self._model.link(link).mass
        rows = jacobian(compiled, None, link, self._model.link(link).com)[:3]
        weight = sum(float(dot(row, _accelerations(compiled, row))) for row in rows if row.any())
        if weight > 0.0:
            return 3.0 / weight
        return 0.0 if link in self._immobile else self._model.link(link).mass  # a link may only turn about its com

    @cached_property
    def _immobile(self) -> set[str]:
        """The links that are fixed to the world."""
        parts = self._model.rigid_parts()
        fixed = {parts[joint.child] for joint in self._joints if joint.holds_rigidly and joint.parent == WORLD}
        return {link for link, part in parts.items() if part in fixed}

    @cached_property
    def _bare_model(self) -> CompiledModel | None:
        """The model as drawn without gravity, limits, springs and equality constraints; None if it has errors."""
        refs: dict[str, dict[int, float]] = {}
        for place in self._drawn:
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
    is_drawn_at_refs = refs and not joint.kind.chart
    bare.home = tuple(refs[axis] for axis in sorted(refs)) if is_drawn_at_refs else joint.neutral
    return bare


def _inverse_entry(compiled: CompiledModel, dof: int) -> float:
    """Return an entry on the diagonal of M⁻¹: the acceleration by a force of 1. It is 0 if M is singular."""
    return float(_accelerations(compiled, _unit(compiled, dof))[dof])


def _accelerations(compiled: CompiledModel, force: np.ndarray) -> np.ndarray:
    """Return M⁻¹ times joint forces; zeros if M is singular."""
    q, qd, qdd = compiled.positions(None), np.zeros(compiled.nv), np.zeros(compiled.nv)
    work = make_work(compiled.arrays)
    if not is_singular(compiled, q, qd, force, work):
        articulated_body(compiled.arrays, work, q, qd, force, qdd)
    return qdd


def _unit(compiled: CompiledModel, dof: int) -> np.ndarray:
    unit = np.zeros(compiled.nv)
    unit[dof] = 1.0
    return unit
