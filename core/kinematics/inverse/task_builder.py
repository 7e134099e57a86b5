# SPDX-License-Identifier: GPL-3.0-or-later
"""`TaskBuilder`: makes tasks of inverse kinematics from a model's loops and couplings, and from targets of a user."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...joints import FREE
from ...model import WORLD, Equation
from ...model.compiling.compiled import CompiledModel
from ...model.compiling.equation_terms import equation_terms
from ...model.compiling.size import size_of
from ...spatial import (
    IDENTITY_QUAT,
    ZERO,
    Pose,
    compose,
    norm,
    quat_normalized,
    quat_of_mat,
    scale,
    z_to,
)
from ..forward import link_row
from .targets import Target
from .tasks import AIM, EQUATION, PLACE, TASK, TERM, TURN, Tasks


class TaskBuilder:
    """Collects the tasks of a model that was compiled with `split_loops`, in the order in which they are added.

    Attributes:
        size: of the model [m]; lengths are divided by it.
        row_count: number of rows of the tasks so far.
    """

    def __init__(self, compiled: CompiledModel):
        self.compiled, self.size = compiled, size_of(compiled)
        self.row_count = 0
        self._records: list[dict] = []
        self._terms: list[tuple[int, int, float]] = []

    def __len__(self) -> int:
        return len(self._records)

    def add_model_constraints(self) -> None:
        """Add the tasks that close loops and satisfy couplings."""
        for weld in self.compiled.welds:
            ends = {"target_body": weld.part_body, "body": weld.body, "X_target": weld.X_part, "X_body": weld.X_rest}
            self._add(PLACE, 1.0 / self.size, **ends)
            self._add(TURN, 1.0, **ends)
        for equation in self.compiled.model.equations():
            self.add_equation(equation)

    def add_equation(self, equation: Equation) -> None:
        """Add the task of an equation. A locked axis counts with its locked value, since it has no coordinate."""
        terms, constant = equation_terms(self.compiled, equation)
        if terms:
            begin = len(self._terms)
            self._terms += terms
            weight = 1.0 / max(abs(weight) * dof_scales_of(self.compiled, self.size)[v] for _, v, weight in terms)
            self._add(EQUATION, weight, term=begin, term_end=len(self._terms), constant=constant)

    def add_target(self, target: Target) -> None:
        """Add the tasks of a target. Raises `ModelError` if its link does not exist."""
        for kind, X_WT in tasks_of(target):
            weight = target.weight / self.size if kind == PLACE else target.weight
            body, X_BT = self._body_and_frame(target, kind)
            self._add(kind, weight, target_body=0, body=body, X_target=X_WT, X_body=X_BT)

    def _body_and_frame(self, target: Target, kind: int) -> tuple[int, Pose]:
        """Return the body of a target's link, and the pose there of the frame that is compared with the target."""
        row = link_row(self.compiled, target.link)
        turn = quat_of_mat(z_to(scale(target.axis, 1.0 / norm(target.axis)))) if kind == AIM else IDENTITY_QUAT
        X_BL: Pose = tuple(self.compiled.X_BL[row].tolist())
        X_LT: Pose = target.point + turn
        return int(self.compiled.link_body[row]), compose(X_BL, X_LT)

    def _add(self, kind: int, weight: float, **fields) -> None:
        rows = 1 if kind == EQUATION else 3
        self._records.append({"kind": kind, "row": self.row_count, "rows": rows, "weight": weight, **fields})
        self.row_count += rows

    def build(self, held: Iterable[int] = ()) -> Tasks:
        """Return the tasks as arrays. held: numbers of the velocity coordinates that must not move."""
        records = np.zeros(len(self._records), TASK).view(np.recarray)
        for record, fields in zip(records, self._records, strict=True):
            for name, value in fields.items():
                record[name] = value
        dof_scale = dof_scales_of(self.compiled, self.size)
        dof_scale[[*held]] = 0.0
        return Tasks(records, np.array(self._terms, TERM).view(np.recarray), dof_scale)

    def coupled_dofs(self, first: int) -> set[int]:
        """Return the velocity coordinates on which tasks from number `first` on depend.

        Coordinates that other tasks couple to these are included.
        """
        supports = [self._support(record) for record in self._records]
        found: set[int] = set().union(*supports[first:])
        while grown := set().union(*(support for support in supports if support & found)) - found:
            found |= grown
        return found

    @property
    def task_dofs(self) -> set[int]:
        """Return the velocity coordinates that affect any task."""
        return set().union(*(self._support(record) for record in self._records))

    def _support(self, record: dict) -> set[int]:
        """Return the velocity coordinates that change a task's error."""
        if record["kind"] == EQUATION:
            return {v for _, v, _ in self._terms[record["term"] : record["term_end"]]}
        return self._carrying(record["target_body"]) ^ self._carrying(record["body"])

    def _carrying(self, body: int) -> set[int]:
        bodies, found = self.compiled.arrays.bodies, set()
        while body:
            found.update(range(bodies[body].v, bodies[body].v_end))
            body = int(bodies[body].parent)
        return found


def tasks_of(target: Target) -> list[tuple[int, Pose]]:
    """Return (kind of task, target frame in the world) for each task of a target."""
    tasks: list[tuple[int, Pose]] = []
    if target.place is not None:
        tasks.append((PLACE, target.place + IDENTITY_QUAT))
    if target.turn is not None:
        tasks.append((TURN, ZERO + quat_normalized(target.turn)))
    if target.look_at is not None:
        tasks.append((AIM, target.look_at + IDENTITY_QUAT))
    return tasks


def dof_scales_of(compiled: CompiledModel, size: float) -> np.ndarray:
    """Return the change of each velocity coordinate in a unit step, shape (nv,): 1 rad, or the model's size [m]."""
    dof_scale = np.ones(compiled.nv)
    for body in compiled.arrays.bodies[1:]:
        if body.kind == FREE:
            dof_scale[body.v : body.v + 3] = size
    for j, dof in enumerate(compiled.arrays.dofs):
        if dof.turn:
            dof_scale[j] = 1.0 / abs(dof.turn)
        elif dof.slide:
            dof_scale[j] = size / abs(dof.slide)
    return dof_scale


def floating_dofs(compiled: CompiledModel) -> list[int]:
    """Return the velocity coordinates of free joints to the world, explicit or implicit."""
    found = []
    for span in compiled.spans.values():
        joint = span.joint
        if joint.kind.is_free and WORLD in (joint.parent, joint.child):
            found += [span.v_at(place) for place in range(span.joint.nv)]
    return found
