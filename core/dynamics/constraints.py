# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of a compiled model: welds of its loops, equations between coordinates, and prescribed motion.

A weld has six rows. An equation and a limited quantity that is kept at a value have one. The *support* of a constraint
is the set of the bodies on which it acts and of their ancestors. Its force accelerates only dofs of its support, so the
matrix G M^-1 G' has entries only for constraints whose supports intersect.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
from ..spatial import IDENTITY, Pose, arrays, compose, norm, quat_of_mat
from ..spatial.storage import get3

WELD, EQUATION, QUANTITY = 0, 1, 2
"""Kinds of constraints."""

CONSTRAINT = np.dtype(
    [
        ("kind", np.int64),
        ("row", np.int64),  # number of its first row, while it is active
        ("rows", np.int64),
        ("element", np.int64),  # number of the set-valued force that activates it, or -1 if it is always active
        ("pace", np.float64),  # velocity that an impact gives to the coordinate of its set-valued force
        ("first_coupled", np.int64),  # the first constraint whose support intersects this one's
        ("place", np.int64),  # number among the active constraints
        ("support", np.int64),  # first of its SUPPORT records
        ("support_end", np.int64),
        ("signal", np.int64),  # first of the signals that prescribe it, or -1
        ("constant", np.float64),  # of an equation or a limited quantity
        # Of a weld: the two bodies, and the pose of its frame in each of them.
        ("one", np.int64),
        ("other", np.int64),
        ("X_one", np.float64, 7),
        ("X_other", np.float64, 7),
        # Of an equation: its first TERM record, and the one after its last.
        ("term", np.int64),
        ("term_end", np.int64),
        # The fields of a limited quantity that `chart_quantity` reads.
        ("body", np.int64),
        ("code", np.int64),
        ("direction", np.float64, 3),
        ("centre", np.float64),
    ],
    align=True,
)
TERM = np.dtype([("q", np.int64), ("v", np.int64), ("weight", np.float64)], align=True)
"""One term of an equation: the numbers of its position (-1 for none) and velocity coordinates, and its weight."""

SUPPORT = np.dtype([("body", np.int64), ("at", np.int64)], align=True)
"""One body of a support, and where in `Scratch.Y` the block of the body's dofs and the constraint's rows begins."""


ACTIVE_COUNT, ROW_COUNT = range(2)
"""Indices in `Constraints.count`: number of active constraints, and number of their rows."""


class Constraints(KernelTuple, namedtuple("Constraints", "records terms supports active count first start")):
    """The arguments of kernels: CONSTRAINT, TERM and SUPPORT records. The bodies of a support are in descending order.

    Attributes:
        active: numbers of the active constraints. count: numbers of active constraints and of their rows, shape (2,).
        first, start: for each row of the profile matrix, its first column, and the index at which column 0 would be.
    """


class Scratch(
    KernelTuple, namedtuple("Scratch", "force tau Y Z matrix factor scale error residual multipliers dv signal")
):
    """Work arrays of the kernels.

    Attributes:
        force: bias force of each body, shape (bodies, 6). tau, dv: shape (nv,).
        Y, Z: for each row of unit force, the force on each dof of its support, and the acceleration Z = Y/D there.
        matrix, factor: G M^-1 G' and the Cholesky factor of the scaled matrix, both as profiles.
        scale, error, residual, multipliers: shape (rows,).
        signal: value, rate and second rate of each signal, shape (signals, 3).
    """


@dataclass(frozen=True)
class Signal:
    """A prescribed motion: of one coordinate of a joint, or of a pose.

    Attributes:
        name: of a joint, or of a link if `of_link`.
        place: which of the joint's coordinates; None for a pose, of a link in the world or across a joint with a chart.
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
        own = errors[record.row : record.row + record.rows]
        if not np.isfinite(own).all():
            return "its gap grows beyond all numbers, as if a length, a mass or a ratio were far too large or too small"
        if record.kind != WELD:
            return f"it is off by {measured(abs(own[0]), self.units[number], 3)}"
        apart, turned = float(arrays.norm(own[3:])), float(arrays.norm(own[:3]))
        return f"its ends stay {apart:.3g} m and {measured(turned, 'rad', 3)} apart"

    def _number(self, row: int) -> int:
        active = self.arrays.active[: self.arrays.count[ACTIVE_COUNT]]
        return int(active[np.searchsorted(self.arrays.records.row[active], row, side="right") - 1])

    def largest_gap(self, errors: np.ndarray) -> float:
        """Return the largest of the distances of welds [m] and of the errors of other rows [rad or m]."""
        found = [
            norm(get3(errors, record.row + 3)) if record.kind == WELD else abs(float(errors[record.row]))
            for record in self.active
        ]
        return max(found, default=0.0)


def constraints_of(
    compiled: CompiledModel,
    prescribed: Iterable[str] = (),
    guided: Iterable[str] = (),
    locked: Mapping | None = None,
    set_valued_forces: bool = False,
) -> ConstraintSet:
    """Return all constraints of a model that was compiled with `split_loops`.

    Args:
        prescribed: names of joints whose coordinates are given as functions of time.
        guided: names of links whose poses are given as functions of time.
        locked: {joint: its coordinates}: joints that are kept at these coordinates.
        set_valued_forces: whether to add a constraint for each set-valued force on a chart or limited quantity, active
            while the set-valued force holds.

    Raises:
        ModelError: if a coupling does not fit the model.
    """
    build = _Build(compiled)
    for weld in compiled.welds:
        build.weld(f"joint '{weld.joint.name}'", weld.part_body, weld.body, weld.X_part, weld.X_rest)
    for equation in compiled.model.equations():
        build.couple(equation)
    for span in compiled.spans.values():
        build.tighten(span.joint)
    for name in prescribed:
        build.hold(compiled.spans[name].joint)
    for name in guided:
        row = compiled.link_names.index(name)
        X_BL = tuple(compiled.X_BL[row].tolist())
        build.weld(f"link '{name}'", 0, int(compiled.link_body[row]), IDENTITY, X_BL, Signal(name, of_link=True))
    for name, values in (locked or {}).items():
        build.hold(compiled.spans[name].joint, values)
    if set_valued_forces:
        build.element()
    return build.finish()


class _Build:
    def __init__(self, compiled: CompiledModel):
        self.compiled = compiled
        self.records: list[dict] = []
        self.terms: list[tuple[int, int, float]] = []
        self.pulled: list[list[int]] = []  # bodies at which each constraint pulls
        self.names: list[str] = []
        self.units: list[str] = []
        self.signals: list[Signal] = []

    def weld(self, name: str, one: int, other: int, X_one: Pose, X_other: Pose, signal: Signal | None = None) -> None:
        self._add(name, [one, other], signal, kind=WELD, rows=6, one=one, other=other, X_one=X_one, X_other=X_other)

    def couple(self, equation: Equation) -> None:
        terms, constant = equation_terms(self.compiled, equation)
        if terms:
            self._equate(f"coupling '{equation.name}'", terms, constant)

    def tighten(self, joint: Joint) -> None:
        """Hold the coordinates and limited quantities of a joint whose lower and upper limits are equal."""
        for place, value in joint.fixed_columns:
            self._hold_at(joint, place, value)
        for row, value in joint.fixed_quantities:
            self._measure(joint, row, value)

    def hold(self, joint: Joint, values: Sequence[float] | None = None) -> None:
        """Hold a joint at its coordinates `values`, or let it follow its signals if they are None."""
        if joint.kind.chart:
            X_J = IDENTITY if values is None else joint_pose(joint, values)
            self._weld_across(joint, X_J, Signal(joint.name) if values is None else None)
            return
        for place in range(joint.nq):
            signal = Signal(joint.name, place=place) if values is None else None
            value = 0.0 if values is None else float(values[place])
            self._hold_at(joint, place, value, signal)

    def element(self) -> None:
        """Add a constraint for each set-valued force on a component of a chart's velocity, or on a limited quantity."""
        for number, element in enumerate(self.compiled.arrays.set_valued_forces):
            name = f"joint '{self.compiled.force_joints[number].name}'"
            record = {"element": number, "rows": 1, "body": element.body}
            if element.kind == ON_QUANTITY:
                found = {"code": element.code, "direction": tuple(element.direction), "centre": element.centre}
                self._add(name, [element.body], kind=QUANTITY, **found, **record)
            elif element.kind == ON_CHART:
                terms = {"term": len(self.terms), "term_end": len(self.terms) + 1}
                self.terms.append((-1, element.v, 1.0))
                self._add(name, [element.body], kind=EQUATION, **terms, **record)

    def _weld_across(self, joint: Joint, X_J: Pose, signal: Signal | None = None) -> None:
        """Hold a chart's child-side frame at X_J in its parent-side frame, or at the pose of its signal."""
        arrays, body = self.compiled.arrays, self.compiled.spans[joint.name].body
        record = arrays.bodies[body]
        align = quat_of_mat(tuple(arrays.dofs[record.v].align.tolist()))
        X_PJ = (*record.offset.tolist(), *align)
        self.weld(f"joint '{joint.name}'", int(record.parent), body, compose(X_PJ, X_J), IDENTITY, signal)

    def _equate(
        self, name: str, terms: list[tuple[int, int, float]], constant: float, signal: Signal | None = None
    ) -> None:
        begin = len(self.terms)
        self.terms += terms
        bodies = [self._body_of_dof(v) for _, v, _ in terms]
        equated = {"term": begin, "term_end": len(self.terms), "constant": constant}
        follower = next((v for _, v, weight in terms if weight == 1.0), terms[0][1])
        unit = "rad" if self.compiled.arrays.dofs[follower].turn else "m"
        self._add(name, bodies, signal, unit, kind=EQUATION, rows=1, **equated)

    def _hold_at(self, joint: Joint, place: int, value: float, signal: Signal | None = None) -> None:
        span = self.compiled.spans[joint.name]
        self._equate(f"joint '{joint.name}'", [(span.q_at(place), span.v_at(place), 1.0)], value, signal)

    def _measure(self, joint: Joint, row: LimitedQuantity, constant: float) -> None:
        body = self.compiled.spans[joint.name].body
        found = {"body": body, "code": row.code, "direction": joint.unit_direction(row.axis), "centre": constant}
        unit = joint.axis_unit(row.axis).value
        self._add(f"joint '{joint.name}'", [body], unit=unit, kind=QUANTITY, rows=1, constant=constant, **found)

    def _body_of_dof(self, v: int) -> int:
        return int(np.flatnonzero(self.compiled.arrays.bodies.v_end > v)[0])

    def _add(self, name: str, bodies: list[int], signal: Signal | None = None, unit: str = "", **record) -> None:
        record["signal"] = sum(each.numbers for each in self.signals) if signal else -1
        record.setdefault("element", -1)
        if signal:
            self.signals.append(signal)
        self.names.append(name)
        self.units.append(unit)
        self.pulled.append(bodies)
        self.records.append(record)

    def finish(self) -> ConstraintSet:
        bodies = self.compiled.arrays.bodies
        records = np.zeros(len(self.records), CONSTRAINT).view(np.recarray)
        supports, at = [], 0
        met: dict[int, int] = {}  # the first constraint that has a body in its support
        for number, (record, pulled) in enumerate(zip(self.records, self.pulled, strict=True)):
            for key, value in record.items():
                records[number][key] = value
            support = _carriers(bodies.parent, pulled)
            records[number].first_coupled = min(met.setdefault(body, number) for body in support) if support else number
            records[number].support = len(supports)
            for body in support:
                supports.append((body, at))
                at += int(bodies.v_end[body] - bodies.v[body]) * record["rows"]
            records[number].support_end = len(supports)
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
    """Number the active constraints and their rows. That of a set-valued force is active while it locks."""
    count, row, begin = 0, 0, 0
    for c in range(constraints.records.shape[0]):
        record = constraints.records[c]
        record.place = count
        if record.element >= 0 and force_states[record.element].is_locked == 0:
            continue
        record.row = row
        near, first = constraints.records[record.first_coupled].place, row
        if near < count:
            first = constraints.records[constraints.active[near]].row
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
    arrays = constraints.arrays
    rows, nv = len(arrays.first), compiled.nv
    dofs = (compiled.arrays.bodies.v_end - compiled.arrays.bodies.v)[arrays.supports.body]
    lengths = arrays.records.support_end - arrays.records.support
    blocks = int((dofs * np.repeat(arrays.records.rows, lengths)).sum())
    near = np.cumsum([0, *arrays.records.rows])[arrays.records.first_coupled]
    profile = int((np.arange(rows) + 1 - np.repeat(near, arrays.records.rows)).sum())
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


def _carriers(parent: np.ndarray, bodies: list[int]) -> list[int]:
    """The bodies and all that carry them, but for the world, descending."""
    found: set[int] = set()
    for body in bodies:
        while body and body not in found:
            found.add(body)
            body = int(parent[body])
    return sorted(found, reverse=True)
