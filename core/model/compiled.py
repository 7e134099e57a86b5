# SPDX-License-Identifier: GPL-3.0-or-later
"""`CompiledModel`: the flat arrays that kernels walk, and how names and coordinates lie in them.

A body is what moves as one: links held together by fixed joints share a body, with exact inertia, and keep their names
and poses. Bodies come parents first and body 0 is the world, so kernels need no branch for the root. Each body has a
frame of its own: origin at its joint's frame, z along its joint's last axis, so that every dof turns about z.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..slots import Bundled
from ..spatial import Pose
from .elements import Joint
from .errors import ModelError, StateError
from .graph import Tree
from .model import Model
from .naming import way_to_hold
from .splitting import Weld
from .text import aligned, counted

Values = ArrayLike | Mapping | None
"""Numbers in the layout of a `CompiledModel`, or {joint: number or list}; None for home, or for rest."""

ROUNDED = 1e-14
"""How far a unit quaternion's length may be off by rounding."""

BODY = np.dtype(
    [
        ("parent", np.int64),
        ("kind", np.int64),  # SCREWS, BALL or FREE
        ("q", np.int64),  # where its coordinates begin
        ("v", np.int64),  # where its velocities and dofs begin
        ("v_end", np.int64),
        ("offset", np.float64, 3),  # from the parent's origin to the joint, in the parent's axes [m]
        ("mass", np.float64),
        ("moment", np.float64, 3),  # mass * com, in own axes, from own origin [kg m]
        ("inertia", np.float64, 6),  # about own origin, in own axes [kg m^2]
    ],
    align=True,
)
DOF = np.dtype(
    [
        ("align", np.float64, 9),  # rotation from the axes before this dof to those whose z is its axis
        ("turn", np.float64),  # rotation about z per unit of the coordinate
        ("slide", np.float64),  # translation along z per unit of the coordinate
        ("armature", np.float64),
        ("damping", np.float64),
        ("spring_stiffness", np.float64),
        ("spring_reference", np.float64),
        ("parallel", np.int64),  # whether `align` turns nothing
    ],
    align=True,
)

MEASURE = np.dtype(
    [
        ("body", np.int64),  # whose chart is measured
        ("code", np.int64),  # one of the measures of `joints/rows.py`
        ("direction", np.float64, 3),  # in the joint's frame
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("reference", np.float64),
    ],
    align=True,
)
GUARD = np.dtype(
    [
        ("kind", np.int64),  # ON_DOF, ON_CHART or ON_MEASURE
        ("body", np.int64),
        ("q", np.int64),  # where its coordinate lies; for ON_DOF only
        ("v", np.int64),  # where its velocity lies; -1 for a measure
        ("code", np.int64),  # of a measure, as of MEASURE
        ("direction", np.float64, 3),
        ("lower", np.float64),
        ("upper", np.float64),
        ("stiffness", np.float64),  # of the stops
        ("dissipation", np.float64),
        ("restitution", np.float64),
        ("friction", np.float64),
        ("velocity", np.float64),
        ("effort", np.float64),
        # a drive asks for stiffness * (target - q) + damping * (rate - qd) + push
        ("drive_stiffness", np.float64),
        ("drive_damping", np.float64),
        ("drive_target", np.float64),
        ("drive_rate", np.float64),
        ("drive_push", np.float64),
    ],
    align=True,
)
ON_DOF, ON_CHART, ON_MEASURE = 0, 1, 2
"""What a guard watches: the coordinate of one dof, one component of a chart's velocity, or what a row measures."""

CHART_DRIVE = np.dtype(
    [
        ("body", np.int64),
        # three numbers each, about the axes of a ball; see GUARD
        ("stiffness", np.float64, 3),
        ("damping", np.float64, 3),
        ("target", np.float64, 3),
        ("target_rate", np.float64, 3),  # by which the target, a rotation vector, changes
        ("rate", np.float64, 3),
        ("push", np.float64, 3),
    ],
    align=True,
)

MEDIUM = np.dtype(
    [
        ("body", np.int64),
        ("drag", np.float64),  # the body's momentum, if these were its inertia, is the wrench that brakes it [kg/s]
        ("drag_moment", np.float64, 3),
        ("drag_inertia", np.float64, 6),
        ("weightless_mass", np.float64),  # of its mass, what gravity does not pull at [kg]
        ("weightless_moment", np.float64, 3),
    ],
    align=True,
)


class Arrays(Bundled, namedtuple("Arrays", "bodies dofs measures guards chart_drives media gravity wind")):
    """What kernels see of a model: records as above, gravity [m/s^2] and wind [m/s] in world axes, shape (3,).

    Of all but bodies and dofs there are only those in which something acts.
    """


@dataclass(frozen=True)
class JointSpan:
    """Where a joint's coordinates lie: q[span.q], qd[span.v], in the joint's own order.

    Attributes:
        link: the one that it moves. body: likewise; the last of several where the columns had to be split.
        q, v: slices, descending where the tree walks the joint backward.
    """

    joint: Joint
    link: str
    body: int
    q: slice
    v: slice

    def q_at(self, place: int) -> int:
        """Where in q the joint's coordinate number `place` lies."""
        return self.q.start + place * (self.q.step or 1)

    def v_at(self, place: int) -> int:
        """Where in qd its velocity lies."""
        return self.v.start + place * (self.v.step or 1)


@dataclass(frozen=True)
class LoopJoint:
    """A joint outside the spanning tree: its frames in the bodies of its parent and of its child link."""

    joint: Joint
    parent_body: int
    child_body: int
    X_BP: Pose
    X_BC: Pose


@dataclass(repr=False)
class CompiledModel:
    """A model as kernels read it.

    Attributes:
        model: what it was compiled from. Compile anew after editing it: arrays hold what was, joints and links what is.
        tree: which joints carry links, and which close loops.
        arrays: for the kernels.
        nq, nv: numbers of positions and velocities.
        q_home: shape (nq,), each joint's home.
        link_names: in the model's order. link_body: shape (L,). X_BL: shape (L, 7), link in its body's frame [m].
        spans: for every joint that moves, by name, the implicit ones that let a piece float included.
        loops: the joints that close loops.
        welds: what holds together the links that loop joints were given a part of; see `splitting.py`.
        guarded: of each guard, the joint.
    """

    model: Model
    tree: Tree
    arrays: Arrays
    nq: int
    nv: int
    q_home: np.ndarray
    link_names: tuple[str, ...]
    link_body: np.ndarray
    X_BL: np.ndarray
    spans: dict[str, JointSpan]
    loops: tuple[LoopJoint, ...]
    welds: tuple[Weld, ...] = ()
    guarded: tuple[Joint, ...] = ()

    def __repr__(self) -> str:
        return f"<CompiledModel '{self.model.name}': nq {self.nq}, nv {self.nv}, {counted(self.link_names, 'link')}>"

    @property
    def floating(self) -> tuple[str, ...]:
        """Names of the links that float because no joint leads from them to the world."""
        return self.tree.roots

    def require_simulable(self) -> None:
        """Refuse what the engine cannot follow.

        Raises:
            ModelError: a body weighs nothing with all that it carries and so has no acceleration.
        """
        bodies, armature = self.arrays.bodies, self.arrays.dofs.armature
        weighs = (bodies.mass > 0.0) | bodies.inertia.any(axis=1)
        for body in range(len(bodies) - 1, 0, -1):
            moving = range(bodies.v[body], bodies.v_end[body])
            if moving and not weighs[body] and not all(armature[moving.start : moving.stop] > 0.0):
                _refuse_massless(self._span_of_dof(moving.start), self.floating)
            weighs[bodies.parent[body]] |= weighs[body]

    def link_of_dof(self, dof: int) -> str:
        """The name of the link that velocity coordinate `dof` moves."""
        return self._span_of_dof(dof).link

    def _span_of_dof(self, dof: int) -> JointSpan:
        return next(
            span for span in self.spans.values() if any(span.v_at(place) == dof for place in range(span.joint.nv))
        )

    def positions(self, q: Values) -> np.ndarray:
        """q as kernels take it: of nq numbers, or as `q_from`. Raises `StateError` of anything else."""
        return self.q_from(q) if q is None or isinstance(q, Mapping) else _vector(q, self.nq, "q")

    def velocities(self, qd: Values, what: str = "qd") -> np.ndarray:
        """qd, or what else has a number for each dof, likewise: of nv numbers, or by name, 0 where left out."""
        return self.q_from(qd, True) if qd is None or isinstance(qd, Mapping) else _vector(qd, self.nv, what)

    def q_from(self, values: Mapping | None, velocities: bool = False) -> np.ndarray:
        """Home positions (or zero velocities) with those of `values` put in: {joint: number or list}.

        Raises:
            StateError: a joint that does not move here, or the wrong count of numbers.
        """
        out = np.zeros(self.nv) if velocities else self.q_home.copy()
        for name, value in (values or {}).items():
            span = self.spans.get(name)
            if span is None:
                raise StateError(f"no joint '{name}' moves; there are: {', '.join(self.spans)}")
            joint = span.joint
            count = joint.nv if velocities else joint.nq
            numbers = numbers_of(value)
            if numbers.shape != (count,) or not np.isfinite(numbers).all():
                raise StateError(f"joint '{name}' takes {count} finite number(s), found {value!r}")
            if joint.kind.chart and not velocities:
                length = math.hypot(*numbers[-4:])
                if not length > 0.0:
                    raise StateError(f"joint '{name}' needs a quaternion w x y z, found {value!r}")
                if abs(length - 1.0) > ROUNDED:  # what `q_by_joint` has told comes back as it was
                    numbers[-4:] /= length
            out[span.v if velocities else span.q] = numbers
        return out

    def q_by_joint(self, q: np.ndarray) -> dict[str, list[float]]:
        """What `q_from` takes, from q, shape (nq,)."""
        return {name: q[span.q].tolist() for name, span in self.spans.items()}

    def layout(self) -> str:
        """How q and qd lie, as an aligned table: joint, type, and start, length and meaning in each."""
        rows = [("JOINT", "TYPE", "q", "MEANING", "qd", "MEANING")]
        for name, span in self.spans.items():
            at_q, at_v = (sorted(range(*part.indices(size))) for part, size in ((span.q, self.nq), (span.v, self.nv)))
            meanings = [
                ", ".join(f"{part or 'value'} [{velocity(unit)}]" for part, unit in units)
                for units, velocity in (
                    (span.joint.q_units, lambda unit: unit.value),
                    (span.joint.qd_units, lambda unit: unit.velocity),
                )
            ]
            starts = [f"{at[0]}:{at[-1] + 1}" for at in (at_q, at_v)]
            rows.append((name, span.joint.type, starts[0], meanings[0], starts[1], meanings[1]))
        return aligned(rows)


BESIDES = ("time", "continuation")
"""What a state that a simulation has saved tells besides; see `solvers/saved_state.py`."""


def parts_of_state(state: Mapping | None) -> tuple[Mapping, Mapping]:
    """q and qd, {joint: number or list} each, of a state {"q": …, "qd": …} that may leave them out.

    Raises:
        StateError: it holds anything else than these and `BESIDES`.
    """
    state = state or {}
    unknown = set(state) - {"q", "qd", *BESIDES}
    if unknown:
        raise StateError(f"'{sorted(unknown)[0]}' is not known; allowed are q and qd, and {' and '.join(BESIDES)}")
    for key in ("q", "qd"):
        values = state.get(key, {})
        if not isinstance(values, Mapping):
            raise StateError(f"'{key}' must map joint names to numbers, found {values!r}")
    return state.get("q", {}), state.get("qd", {})


def coordinate_names(compiled: CompiledModel, velocities: bool = False) -> list[tuple[str, str]]:
    """(name, unit) of each position or velocity coordinate: `joint`, or `joint.part` where there are several."""
    names: list[tuple[str, str]] = [("", "")] * (compiled.nv if velocities else compiled.nq)
    for span in compiled.spans.values():
        joint = span.joint
        named = [
            (f"{joint.name}.{part}" if part else joint.name, unit.velocity if velocities else unit.value)
            for part, unit in (joint.qd_units if velocities else joint.q_units)
        ]
        names[span.v if velocities else span.q] = named
    return names


def _refuse_massless(span: JointSpan, floating: tuple[str, ...]) -> None:
    if span.link in floating:
        raise ModelError(
            f"link '{span.link}': nothing holds it, and neither it nor anything that it carries has mass; "
            f"{way_to_hold(span.link)}, or give it a mass"
        )
    raise ModelError(
        f"link '{span.link}': joint '{span.joint.name}' moves it, but neither it nor anything that it carries has "
        "mass; give it a mass, or fix the joint"
    )


def _vector(values: ArrayLike, size: int, what: str) -> np.ndarray:
    try:
        vector = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise StateError(f"{what} takes {size} number(s), or {{joint: number or list}}, found {values!r}") from None
    if vector.shape != (size,):
        raise StateError(f"{what} takes {size} number(s), found shape {vector.shape}")
    if not np.isfinite(vector).all():
        place = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise StateError(f"{what} takes finite numbers, found {vector[place]:g} in {what}[{place}]")
    return vector


def numbers_of(value: object) -> np.ndarray:
    """A number or a list of them as an array; what is neither comes back empty."""
    try:
        found = np.atleast_1d(np.asarray(value))
        return np.empty(0) if found.dtype == bool else found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
