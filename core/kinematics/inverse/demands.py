# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics: the loops and couplings of a model and the targets of a user, as tasks."""

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


class Demands:
    """Collects the tasks of a model compiled with `split_loops`. Tasks that must be satisfied exactly come first.

    Attributes:
        size: of the model [m]; lengths are divided by it.
        kept: number of rows of the tasks so far.
    """

    def __init__(self, compiled: CompiledModel):
        self.compiled, self.size = compiled, size_of(compiled)
        self.kept = 0
        self._records: list[dict] = []
        self._terms: list[tuple[int, int, float]] = []

    def __len__(self) -> int:
        return len(self._records)

    def keep_model(self) -> None:
        """Add the tasks that close loops and satisfy couplings."""
        for weld in self.compiled.welds:
            ends = {"one": weld.part_body, "other": weld.body, "X_one": weld.X_part, "X_other": weld.X_rest}
            self._add(PLACE, 1.0 / self.size, **ends)
            self._add(TURN, 1.0, **ends)
        for equation in self.compiled.model.equations():
            self.couple(equation)

    def couple(self, equation: Equation) -> None:
        """Add the task of an equation. A locked axis counts with its locked value, since it has no coordinate."""
        terms, constant = equation_terms(self.compiled, equation)
        if terms:
            begin = len(self._terms)
            self._terms += terms
            weight = 1.0 / max(abs(weight) * pace_of(self.compiled, self.size)[v] for _, v, weight in terms)
            self._add(EQUATION, weight, term=begin, term_end=len(self._terms), constant=constant)

    def reach(self, target: Target) -> None:
        """Add the tasks of a target. Raises `ModelError` if its link does not exist."""
        for kind, X_WT in asked_of(target):
            weight = target.weight / self.size if kind == PLACE else target.weight
            body, X_BT = self._held_frame(target, kind)
            self._add(kind, weight, one=0, other=body, X_one=X_WT, X_other=X_BT)

    def _held_frame(self, target: Target, kind: int) -> tuple[int, Pose]:
        """Return the body that carries a link, and in it the frame that the target moves."""
        row = link_row(self.compiled, target.link)
        turn = quat_of_mat(z_to(scale(target.axis, 1.0 / norm(target.axis)))) if kind == AIM else IDENTITY_QUAT
        X_BL: Pose = tuple(self.compiled.X_BL[row].tolist())
        X_LT: Pose = target.point + turn
        return int(self.compiled.link_body[row]), compose(X_BL, X_LT)

    def _add(self, kind: int, weight: float, **fields) -> None:
        rows = 1 if kind == EQUATION else 3
        self._records.append({"kind": kind, "row": self.kept, "rows": rows, "weight": weight, **fields})
        self.kept += rows

    def tasks(self, held: Iterable[int] = ()) -> Tasks:
        """Return the tasks as arrays. held: numbers of the velocity coordinates that must not move."""
        records = np.zeros(len(self._records), TASK).view(np.recarray)
        for record, fields in zip(records, self._records, strict=True):
            for name, value in fields.items():
                record[name] = value
        dof_scale = pace_of(self.compiled, self.size)
        dof_scale[[*held]] = 0.0
        return Tasks(records, np.array(self._terms, TERM).view(np.recarray), dof_scale)

    def concerned(self, first: int) -> set[int]:
        """Return the velocity coordinates that affect tasks from number `first` on, directly or through other tasks."""
        supports = [self._support(record) for record in self._records]
        found: set[int] = set().union(*supports[first:])
        while grown := set().union(*(support for support in supports if support & found)) - found:
            found |= grown
        return found

    @property
    def bound(self) -> set[int]:
        """Return the velocity coordinates that affect any task."""
        return set().union(*(self._support(record) for record in self._records))

    def _support(self, record: dict) -> set[int]:
        """Return the velocity coordinates that change a task's error."""
        if record["kind"] == EQUATION:
            return {v for _, v, _ in self._terms[record["term"] : record["term_end"]]}
        return self._carrying(record["one"]) ^ self._carrying(record["other"])

    def _carrying(self, body: int) -> set[int]:
        bodies, found = self.compiled.arrays.bodies, set()
        while body:
            found.update(range(bodies[body].v, bodies[body].v_end))
            body = int(bodies[body].parent)
        return found


def asked_of(target: Target) -> list[tuple[int, Pose]]:
    """Return (kind of task, target frame in the world) for each task of a target."""
    asked: list[tuple[int, Pose]] = []
    if target.place is not None:
        asked.append((PLACE, target.place + IDENTITY_QUAT))
    if target.turn is not None:
        asked.append((TURN, ZERO + quat_normalized(target.turn)))
    if target.look_at is not None:
        asked.append((AIM, target.look_at + IDENTITY_QUAT))
    return asked


def pace_of(compiled: CompiledModel, size: float) -> np.ndarray:
    """Return the step of each velocity coordinate per unit, shape (nv,): 1 rad, or the model's size [m]."""
    dof_scale = np.ones(compiled.nv)
    for body in compiled.arrays.bodies[1:]:
        if body.kind == FREE:
            dof_scale[body.v : body.v + 3] = size
    for j, column in enumerate(compiled.arrays.dofs):
        if column.turn:
            dof_scale[j] = 1.0 / abs(column.turn)
        elif column.slide:
            dof_scale[j] = size / abs(column.slide)
    return dof_scale


def floating_dofs(compiled: CompiledModel) -> list[int]:
    """Return the velocity coordinates of free joints to the world, explicit or implicit."""
    found = []
    for span in compiled.spans.values():
        joint = span.joint
        if joint.kind.has_no_effect and WORLD in (joint.parent, joint.child):
            found += [span.v_at(place) for place in range(span.joint.nv)]
    return found
