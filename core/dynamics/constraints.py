# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of a compiled model: welds of its loops, equations between coordinates, and prescribed motion.

A weld has six rows. An equation and a limited quantity that is kept at a value have one. The *support* of a constraint
is the set of the bodies on which it acts and of their ancestors. A constraint force is propagated inward through these
bodies only, so the matrix G M^-1 G' has entries only for constraints whose supports intersect.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import subroutine
from ..joints import LimitedQuantity
from ..model import Equation, Joint
from ..model.compiling.compiled import ON_CHART, ON_QUANTITY, CompiledModel
from ..model.compiling.equation_terms import equation_terms
from ..model.compiling.force_states import make_force_states
from ..model.screws import joint_pose
from ..model.text import measured
from ..spatial import IDENTITY, Pose, arrays, compose, quat_of_mat

WELD, EQUATION, QUANTITY = 0, 1, 2
"""Kinds of constraints."""

CONSTRAINT = np.dtype(
    [
        ("kind", np.int64),  # WELD, EQUATION or QUANTITY
        ("row", np.int64),  # number of its first row, while it is active
        ("rows", np.int64),  # number of its rows
        ("force_law", np.int64),  # number of the set-valued force that activates it, or -1 if it is always active
        ("impact_velocity", np.float64),  # target velocity of its row at the end of an impact, else 0 [rad/s or m/s]
        ("first_coupled", np.int64),  # number of the first constraint whose support intersects the support of this one
        ("active_index", np.int64),  # position in `Constraints.active`
        ("support", np.int64),  # index of its first SUPPORT record
        ("support_end", np.int64),  # index after its last SUPPORT record
        ("signal", np.int64),  # first of the signals that prescribe it, or -1
        ("constant", np.float64),  # prescribed value of the equation's sum or of the limited quantity [rad or m]
        ("body_a", np.int64),  # WELD: number of the first body; 0 is the world
        ("body_b", np.int64),  # WELD: number of the second body
        ("X_a", np.float64, 7),  # WELD: pose of the welded frame in the first body [m]
        ("X_b", np.float64, 7),  # WELD: pose of the welded frame in the second body [m]
        ("term", np.int64),  # EQUATION: index of its first TERM record
        ("term_end", np.int64),  # EQUATION: index after its last TERM record
        # The next four fields have a meaning for QUANTITY only; see QUANTITY_SPRING.
        ("body", np.int64),
        ("code", np.int64),
        ("direction", np.float64, 3),
        ("centre", np.float64),  # middle of the stops of a twist, or its prescribed value [rad]
    ],
    align=True,
)
"""A constraint: one or more rows of the equation G qdd = b."""

TERM = np.dtype([("q", np.int64), ("v", np.int64), ("weight", np.float64)], align=True)
"""One term of an equation: the indices of its coordinate in q (-1 for none) and in qd, and its weight."""

SUPPORT = np.dtype([("body", np.int64), ("block", np.int64)], align=True)
"""One body of a support, and the index in `Scratch.Y` at which its block begins: row by row, a number for each dof."""


ACTIVE_COUNT, ROW_COUNT = range(2)
"""Indices in `Constraints.count`: number of active constraints, and number of their rows."""


class Constraints(KernelTuple, namedtuple("Constraints", "records terms supports active count first start")):
    """The arguments of kernels: CONSTRAINT, TERM and SUPPORT records. The bodies of a support are in descending order.

    Attributes:
        active: numbers of the active constraints; only the first count[ACTIVE_COUNT] entries are in use.
        count: see ACTIVE_COUNT and ROW_COUNT, shape (2,).
        first, start: of each row of a profile matrix, which stores the entries from the first nonzero one to the
            diagonal: the number of its first column, and the index at which column 0 would be.
    """


class Scratch(
    KernelTuple, namedtuple("Scratch", "force tau Y Z matrix factor scale error residual multipliers dv signal")
):
    """Work arrays of the kernels.

    Attributes:
        force: bias force of each body, shape (bodies, 6). tau, dv: shape (nv,).
        Y, Z: the force on each dof of a row's support per unit of its multiplier, and Z = Y/D; see
            constraint_forces.py. For locked dofs, Z is 0. SUPPORT.block has the layout.
        matrix, factor: G M^-1 G' and the Cholesky factor of the scaled matrix, both as profiles.
        scale, error, residual, multipliers: shape (rows,).
        signal: value, rate and second rate of each signal, shape (signals, 3).
    """


@dataclass(frozen=True)
class Signal:
    """A prescribed motion: of one coordinate of a joint, or of a pose.

    Attributes:
        name: of a joint, or of a link if `of_link`.
        place: index of the coordinate among those of the joint. None for a pose: of a link in the world, or of the
            child-side frame of a joint with a chart in its parent-side frame.
    """

    name: str
    of_link: bool = False
    place: int | None = None

    @property
    def numbers(self) -> int:
        return 7 if self.place is None else 1


@dataclass(frozen=True)
class ConstraintSet:
    """Constraints with the names and units that messages use.

    Attributes:
        names: of each constraint, such as "joint 'hinge'". units: of its error, "rad" or "m"; "" for a weld.
        signals: in the order of `CONSTRAINT.signal`.
    """

    arrays: Constraints
    names: tuple[str, ...]
    units: tuple[str, ...]
    signals: tuple[Signal, ...]

    @property
    def rows(self) -> int:
        """The number of rows of active constraints."""
        return int(self.arrays.count[ROW_COUNT])

    @property
    def active(self) -> list:
        """The CONSTRAINT records of active constraints."""
        return [self.arrays.records[number] for number in self.arrays.active[: self.arrays.count[ACTIVE_COUNT]]]

    @property
    def prescribed(self) -> tuple[list[str], list[str]]:
        """The names of the joints, and of the links, whose motion is prescribed."""
        joints = dict.fromkeys(signal.name for signal in self.signals if not signal.of_link)
        return [*joints], [signal.name for signal in self.signals if signal.of_link]

    def signal_of(self, record) -> Signal | None:
        """Return the signal that prescribes a CONSTRAINT record's motion, or None."""
        starts = np.cumsum([0, *(signal.numbers for signal in self.signals)])
        return None if record.signal < 0 else self.signals[int(np.searchsorted(starts, record.signal))]

    def name_of_row(self, row: int) -> str:
        return self.names[self._number(row)]

    def gap_in_words(self, row: int, errors: np.ndarray) -> str:
        """Return a clause that tells the error of the constraint to which a row belongs."""
        number = self._number(row)
        record = self.arrays.records[number]
        error = errors[record.row : record.row + record.rows]
        if not np.isfinite(error).all():
            return "its gap grows beyond all numbers, as if a length, a mass or a ratio were far too large or too small"
        if record.kind != WELD:
            return f"it is off by {measured(abs(error[0]), self.units[number], 3)}"
        distance, angle = float(arrays.norm(error[3:])), float(arrays.norm(error[:3]))
        return f"its ends stay {distance:.3g} m and {measured(angle, 'rad', 3)} apart"

    def _number(self, row: int) -> int:
        active = self.arrays.active[: self.arrays.count[ACTIVE_COUNT]]
        return int(active[np.searchsorted(self.arrays.records.row[active], row, side="right") - 1])


def constraints_of(
    compiled: CompiledModel,
    prescribed: Iterable[str] = (),
    guided: Iterable[str] = (),
    locked: Mapping[str, Any] | None = None,
    set_valued_forces: bool = False,
) -> ConstraintSet:
    """Return all constraints of a model that was compiled with `split_loops`.

    Args:
        prescribed: names of joints whose coordinates are given as functions of time.
        guided: names of links whose poses are given as functions of time.
        locked: {joint: its coordinates}: joints that are kept at these coordinates.
        set_valued_forces: whether to add a constraint for each set-valued force on a chart or limited quantity, active
            while the force locks its coordinate.

    Raises:
        ModelError: if a coupling does not fit the model.
    """
    builder = _Builder(compiled)
    for weld in compiled.welds:
        builder.add_weld(f"joint '{weld.joint.name}'", weld.part_body, weld.body, weld.X_part, weld.X_rest)
    for equation in compiled.model.equations():
        builder.add_coupling(equation)
    for span in compiled.spans.values():
        builder.add_equal_limits(span.joint)
    for name in prescribed:
        builder.prescribe_joint(compiled.spans[name].joint)
    for name in guided:
        row = compiled.link_names.index(name)
        X_BL = tuple(compiled.X_BL[row].tolist())
        signal = Signal(name, of_link=True)
        builder.add_weld(f"link '{name}'", 0, int(compiled.link_body[row]), IDENTITY, X_BL, signal)
    for name, values in (locked or {}).items():
        builder.prescribe_joint(compiled.spans[name].joint, values)
    if set_valued_forces:
        builder.add_set_valued_forces()
    return builder.finish()


class _Builder:
    """Collects the constraints of a model. Each method that adds constraints gives them a name for messages."""

    def __init__(self, compiled: CompiledModel):
        self.compiled = compiled
        self.records: list[dict] = []
        self.terms: list[tuple[int, int, float]] = []
        self.loaded_bodies: list[list[int]] = []  # for each constraint, the bodies on which its force acts
        self.names: list[str] = []
        self.units: list[str] = []
        self.signals: list[Signal] = []

    def add_weld(self, name: str, body_a: int, body_b: int, X_a: Pose, X_b: Pose, signal: Signal | None = None) -> None:
        frames = {"body_a": body_a, "body_b": body_b, "X_a": X_a, "X_b": X_b}
        self._add(name, [body_a, body_b], signal, kind=WELD, rows=6, **frames)

    def add_coupling(self, equation: Equation) -> None:
        terms, constant = equation_terms(self.compiled, equation)
        if terms:
            self._add_equation(f"coupling '{equation.name}'", terms, constant)

    def add_equal_limits(self, joint: Joint) -> None:
        """Keep the coordinates and limited quantities of a joint whose lower and upper limits are equal."""
        for index, value in joint.fixed_columns:
            self._prescribe_coordinate(joint, index, value)
        for quantity, value in joint.fixed_quantities:
            self._add_quantity(joint, quantity, value)

    def prescribe_joint(self, joint: Joint, values: Sequence[float] | None = None) -> None:
        """Keep a joint at its coordinates `values`, or let it follow its signals if they are None."""
        if joint.kind.chart:
            X_J = IDENTITY if values is None else joint_pose(joint, values)
            self._prescribe_chart(joint, X_J, Signal(joint.name) if values is None else None)
            return
        for index in range(joint.nq):
            signal = Signal(joint.name, place=index) if values is None else None
            value = 0.0 if values is None else float(values[index])
            self._prescribe_coordinate(joint, index, value, signal)

    def add_set_valued_forces(self) -> None:
        """Add a constraint for each set-valued force on a component of a chart's velocity, or on a limited quantity."""
        for number, force_law in enumerate(self.compiled.arrays.set_valued_forces):
            name = f"joint '{self.compiled.force_joints[number].name}'"
            record = {"force_law": number, "rows": 1, "body": force_law.body}
            if force_law.kind == ON_QUANTITY:
                quantity = {"code": force_law.code, "direction": tuple(force_law.direction), "centre": force_law.centre}
                self._add(name, [force_law.body], kind=QUANTITY, **quantity, **record)
            elif force_law.kind == ON_CHART:
                terms = {"term": len(self.terms), "term_end": len(self.terms) + 1}
                self.terms.append((-1, force_law.v, 1.0))
                self._add(name, [force_law.body], kind=EQUATION, **terms, **record)

    def _prescribe_chart(self, joint: Joint, X_J: Pose, signal: Signal | None = None) -> None:
        """Keep a chart's child-side frame at X_J in its parent-side frame, or at the pose of its signal."""
        arrays, body = self.compiled.arrays, self.compiled.spans[joint.name].body
        record = arrays.bodies[body]
        align = quat_of_mat(tuple(arrays.dofs[record.v].align.tolist()))
        X_PJ = (*record.offset.tolist(), *align)
        self.add_weld(f"joint '{joint.name}'", int(record.parent), body, compose(X_PJ, X_J), IDENTITY, signal)

    def _add_equation(
        self, name: str, terms: list[tuple[int, int, float]], constant: float, signal: Signal | None = None
    ) -> None:
        begin = len(self.terms)
        self.terms += terms
        bodies = [self._body_of_dof(v) for _, v, _ in terms]
        fields = {"term": begin, "term_end": len(self.terms), "constant": constant}
        # The joint that follows has the weight 1, and its unit is that of the error.
        follower = next((v for _, v, weight in terms if weight == 1.0), terms[0][1])
        unit = "rad" if self.compiled.arrays.dofs[follower].turn else "m"
        self._add(name, bodies, signal, unit, kind=EQUATION, rows=1, **fields)

    def _prescribe_coordinate(self, joint: Joint, index: int, value: float, signal: Signal | None = None) -> None:
        """Keep coordinate number `index` of a joint at `value` [rad or m], or at that of its signal."""
        span = self.compiled.spans[joint.name]
        self._add_equation(f"joint '{joint.name}'", [(span.q_at(index), span.v_at(index), 1.0)], value, signal)

    def _add_quantity(self, joint: Joint, quantity: LimitedQuantity, constant: float) -> None:
        body, axis = self.compiled.spans[joint.name].body, quantity.axis
        fields = {"body": body, "code": quantity.code, "direction": joint.unit_direction(axis), "centre": constant}
        unit = joint.axis_unit(axis).value
        self._add(f"joint '{joint.name}'", [body], unit=unit, kind=QUANTITY, rows=1, constant=constant, **fields)

    def _body_of_dof(self, v: int) -> int:
        return int(np.flatnonzero(self.compiled.arrays.bodies.v_end > v)[0])

    def _add(self, name: str, bodies: list[int], signal: Signal | None = None, unit: str = "", **record) -> None:
        record["signal"] = sum(each.numbers for each in self.signals) if signal else -1
        record.setdefault("force_law", -1)
        if signal:
            self.signals.append(signal)
        self.names.append(name)
        self.units.append(unit)
        self.loaded_bodies.append(bodies)
        self.records.append(record)

    def finish(self) -> ConstraintSet:
        bodies = self.compiled.arrays.bodies
        records = np.zeros(len(self.records), CONSTRAINT).view(np.recarray)
        supports, block = [], 0
        first_on: dict[int, int] = {}  # for each body, the number of the first constraint that has it in its support
        for number, (fields, loaded) in enumerate(zip(self.records, self.loaded_bodies, strict=True)):
            record = records[number]
            for name, value in fields.items():
                record[name] = value
            support = _with_ancestors(bodies.parent, loaded)
            record.first_coupled = min((first_on.setdefault(body, number) for body in support), default=number)
            record.support = len(supports)
            for body in support:
                supports.append((body, block))
                block += int(bodies.v_end[body] - bodies.v[body]) * fields["rows"]
            record.support_end = len(supports)
        rows = int(records.rows.sum())
        arrays = Constraints(
            records,
            np.array(self.terms, TERM).view(np.recarray),
            np.array(supports, SUPPORT).view(np.recarray),
            np.zeros(len(records), np.int64),
            np.zeros(2, np.int64),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.int64),
        )
        activate(arrays, make_force_states(self.compiled.arrays))
        return ConstraintSet(arrays, tuple(self.names), tuple(self.units), tuple(self.signals))


@subroutine
def activate(constraints, force_states):
    """Number the active constraints and their rows, and lay out the profile matrices.

    The constraint of a set-valued force is active while the force locks its coordinate.
    """
    count, row, begin = 0, 0, 0
    for c in range(constraints.records.shape[0]):
        record = constraints.records[c]
        record.active_index = count
        if record.force_law >= 0 and force_states[record.force_law].is_locked == 0:
            continue
        record.row = row
        # If the first coupled constraint is inactive, its index is that of the next active one.
        coupled, first = constraints.records[record.first_coupled].active_index, row
        if coupled < count:
            first = constraints.records[constraints.active[coupled]].row
        for _ in range(record.rows):
            constraints.first[row] = first
            constraints.start[row] = begin - first
            begin += row + 1 - first
            row += 1
        constraints.active[count] = c
        count += 1
    constraints.count[ACTIVE_COUNT] = count
    constraints.count[ROW_COUNT] = row


def make_scratch(compiled: CompiledModel, constraints: ConstraintSet) -> Scratch:
    """Return work arrays that suffice when all constraints are active."""
    arrays = constraints.arrays
    rows, nv = len(arrays.first), compiled.nv
    dofs = (compiled.arrays.bodies.v_end - compiled.arrays.bodies.v)[arrays.supports.body]
    lengths = arrays.records.support_end - arrays.records.support
    blocks = int((dofs * np.repeat(arrays.records.rows, lengths)).sum())
    first_columns = np.cumsum([0, *arrays.records.rows])[arrays.records.first_coupled]
    profile = int((np.arange(rows) + 1 - np.repeat(first_columns, arrays.records.rows)).sum())
    signals = sum(signal.numbers for signal in constraints.signals)
    return Scratch(
        force=np.zeros((len(compiled.arrays.bodies), 6)),
        tau=np.zeros(nv),
        Y=np.zeros(blocks),
        Z=np.zeros(blocks),
        matrix=np.zeros(profile),
        factor=np.zeros(profile),
        scale=np.zeros(rows),
        error=np.zeros(rows),
        residual=np.zeros(rows),
        multipliers=np.zeros(rows),
        dv=np.zeros(nv),
        signal=np.zeros((signals, 3)),
    )


def _with_ancestors(parent: np.ndarray, bodies: list[int]) -> list[int]:
    """Return the bodies and their ancestors without the world, in descending order."""
    found: set[int] = set()
    for body in bodies:
        while body and body not in found:
            found.add(body)
            body = int(parent[body])
    return sorted(found, reverse=True)
