# SPDX-License-Identifier: GPL-3.0-or-later
"""`CompiledModel`: the arrays that kernels read, and the layout of names and coordinates in them.

A body is a set of links that fixed joints hold together, with their exact total inertia. Each link keeps its name and
its pose in the body. Parents come before children, and body 0 is the world. The origin of a body's frame is its joint's
frame, and the z axis is the joint's last axis, so that every dof turns about z.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ...compilation.abi import KernelTuple
from ...spatial import Pose
from ..elements import Joint
from ..errors import ModelError, StateError
from ..graph import Tree
from ..model import Model
from ..naming import way_to_hold
from ..text import aligned, counted
from .splitting import Weld

Result = TypeVar("Result")

ByJoint = Mapping[str, Any]
"""{joint: number or list}."""

Values = ArrayLike | ByJoint | None
"""Numbers in the layout of a `CompiledModel`, or {joint: number or list}; None for the home position, or for rest."""

ROUNDED = 1e-14
"""Largest error of a unit quaternion's length that counts as rounding [1]: some 50 rounding errors of the number 1."""

FEW = 50
"""Count of numbers below which a loop in Python checks them faster than NumPy does."""

BODY = np.dtype(
    [
        ("parent", np.int64),
        ("kind", np.int64),  # SCREWS, BALL or FREE
        ("q", np.int64),  # index of its first position coordinate
        ("v", np.int64),  # index of its first velocity coordinate, which is the number of its first dof
        ("v_end", np.int64),  # index after its last velocity coordinate
        ("offset", np.float64, 3),  # from the parent's origin to the joint, in the parent's axes [m]
        ("mass", np.float64),  # [kg]
        ("moment", np.float64, 3),  # first moment of mass about the body's origin, mass * com, in body axes [kg m]
        ("inertia", np.float64, 6),  # about the body's origin, in body axes: xx, xy, xz, yy, yz, zz [kg m^2]
    ],
    align=True,
)
"""A body and the joint that carries it. Its dofs are those with numbers from v to v_end - 1."""

DOF = np.dtype(
    [
        ("align", np.float64, 9),  # rotation from the axes before this dof to axes whose z is its axis, row by row
        ("turn", np.float64),  # rotation about z per unit of the coordinate [rad]
        ("slide", np.float64),  # translation along z per unit of the coordinate [m]
        ("armature", np.float64),  # inertia of the drive [kg m^2 or kg]
        ("damping", np.float64),  # [N m s/rad or N s/m]
        ("spring_stiffness", np.float64),  # [N m/rad or N/m]
        ("spring_reference", np.float64),  # coordinate at which the spring is relaxed [rad or m]
        ("parallel", np.int64),  # whether `align` is the identity
    ],
    align=True,
)
"""One velocity coordinate of a joint, whose motion is a column of S. In a chart, `turn` and `slide` are 0."""

QUANTITY_SPRING = np.dtype(
    [
        ("body", np.int64),  # the body whose chart has the limited quantity
        ("code", np.int64),  # DISTANCE, CONE or TWIST of `joints/limited_quantities.py`
        ("direction", np.float64, 3),  # unit vector in the joint's frame
        ("centre", np.float64),  # a twist is at most half a turn from this angle, the spring's reference [rad]
        ("stiffness", np.float64),  # [N m/rad or N/m]
        ("damping", np.float64),  # [N m s/rad or N s/m]
        ("reference", np.float64),  # value of the limited quantity at which the spring is relaxed [rad or m]
    ],
    align=True,
)
"""A spring and damper on a limited quantity, such as the length of a rope."""

SET_VALUED_FORCE = np.dtype(
    [
        ("kind", np.int64),  # ON_DOF, ON_CHART or ON_QUANTITY
        ("body", np.int64),  # the body whose joint has the coordinate
        ("q", np.int64),  # index of its position coordinate; for ON_DOF only
        ("v", np.int64),  # index of its velocity coordinate; -1 for a limited quantity
        # The next three fields have a meaning for ON_QUANTITY only; see QUANTITY_SPRING.
        ("code", np.int64),
        ("direction", np.float64, 3),
        ("centre", np.float64),  # middle of the stops of a twist [rad]
        ("lower", np.float64),  # lower position limit; -inf if there is none [rad or m]
        ("upper", np.float64),  # upper position limit; inf if there is none [rad or m]
        ("stiffness", np.float64),  # of the stops; infinite if they are rigid [N m/rad or N/m]
        ("dissipation", np.float64),  # of compliant stops [s/rad or s/m]
        ("restitution", np.float64),  # of rigid stops
        ("friction", np.float64),  # dry friction [N m or N]
        ("velocity_limit", np.float64),  # velocity limit; infinite if there is none [rad/s or m/s]
        ("effort_limit", np.float64),  # effort limit of the drive [N m or N]
        # The force of a drive is drive_stiffness (drive_target - q) + drive_damping (drive_rate - qd) + drive_push.
        ("drive_stiffness", np.float64),  # [N m/rad or N/m]
        ("drive_damping", np.float64),  # [N m s/rad or N s/m]
        ("drive_target", np.float64),  # [rad or m]
        ("drive_rate", np.float64),  # target velocity [rad/s or m/s]
        ("drive_push", np.float64),  # constant force [N m or N]
    ],
    align=True,
)
"""Set-valued forces on one coordinate: stops, dry friction, a velocity limit and a drive with an effort limit."""

ON_DOF, ON_CHART, ON_QUANTITY = 0, 1, 2
"""Kinds of SET_VALUED_FORCE records: on a dof's coordinate, a component of a chart's velocity, a limited quantity."""

CHART_DRIVE = np.dtype(
    [
        ("body", np.int64),
        # The next six have a number for each axis of the child-side frame; see SET_VALUED_FORCE.
        ("stiffness", np.float64, 3),  # [N m/rad]
        ("damping", np.float64, 3),  # [N m s/rad]
        ("target", np.float64, 3),  # a rotation vector [rad]
        ("target_rate", np.float64, 3),  # its time derivative [rad/s]
        ("rate", np.float64, 3),  # target angular velocity [rad/s]
        ("push", np.float64, 3),  # constant torque [N m]
    ],
    align=True,
)
"""The drive of a ball joint."""

MEDIUM = np.dtype(
    [
        ("body", np.int64),
        # The drag wrench is minus the momentum of a body with the following mass, moment and inertia, all per second.
        ("drag", np.float64),  # [kg/s]
        ("drag_moment", np.float64, 3),  # [kg m/s]
        ("drag_inertia", np.float64, 6),  # [kg m^2/s]
        ("weightless_mass", np.float64),  # mass of the links of the body on which gravity does not act [kg]
        ("weightless_moment", np.float64, 3),  # mass * com of these links [kg m]
    ],
    align=True,
)
"""Drag on a body, and the part of its mass that has no weight."""


class Arrays(
    KernelTuple, namedtuple("Arrays", "bodies dofs quantity_springs set_valued_forces chart_drives media gravity wind")
):
    """The arrays of a model that kernels read: records, and gravity [m/s^2] and wind [m/s] in world axes, shape (3,).

    Quantity springs, set-valued forces, chart drives and media that have no effect are left out.
    """


@dataclass(frozen=True)
class JointSpan:
    """The location of a joint's coordinates: q[span.q] and qd[span.v], in the joint's own order.

    Attributes:
        link: name of the link that the joint moves.
        body: number of the body that it moves; the last one if its dofs are divided among several bodies.
        q, v: slices. They are descending if the spanning tree passes the joint from child to parent.
    """

    joint: Joint
    link: str
    body: int
    q: slice
    v: slice

    def q_at(self, number: int) -> int:
        """Return the index in q of position coordinate `number` of the joint, counted from 0."""
        return self.q.start + number * (self.q.step or 1)

    def v_at(self, number: int) -> int:
        """Return the index in qd of velocity coordinate `number` of the joint, counted from 0."""
        return self.v.start + number * (self.v.step or 1)


@dataclass(frozen=True)
class LoopJoint:
    """A joint outside of the spanning tree, with its frames in the bodies of its parent and child links."""

    joint: Joint
    parent_body: int
    child_body: int
    X_BP: Pose
    X_BC: Pose


@dataclass(repr=False)
class CompiledModel:
    """A model in the form that kernels read.

    Attributes:
        source: the model that was compiled. Compile it again after an edit, since the arrays do not follow.
        model: the same without disabled joints.
        tree: the spanning tree, and the joints that close loops.
        arrays: arguments of the kernels.
        nq, nv: numbers of positions and velocities.
        q_home: home position of all joints, shape (nq,).
        link_names: in the model's order. link_body: number of each link's body, shape (L,). X_BL: pose of each link in
            its body's frame, shape (L, 7) [m].
        spans: by name, for each joint that moves, including the implicit free joints of floating links.
        loops: the joints that close loops.
        welds: for each link that a loop joint has cut in two, the weld between the parts; see `splitting.py`.
        force_joints: the joint of each set-valued force.
    """

    source: Model
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
    force_joints: tuple[Joint, ...] = ()
    _kept: dict[Callable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<CompiledModel '{self.model.name}': nq {self.nq}, nv {self.nv}, {counted(self.link_names, 'link')}>"

    @property
    def floating(self) -> tuple[str, ...]:
        """Names of the links that float because no joint leads from them to the world."""
        return self.tree.roots

    def require_simulable(self) -> None:
        """Check that forces determine the accelerations.

        Raises:
            ModelError: if a body and all that it carries have no mass.
        """
        bodies, armature = self.arrays.bodies, self.arrays.dofs.armature
        weighs = (bodies.mass > 0.0) | bodies.inertia.any(axis=1)
        for body in range(len(bodies) - 1, 0, -1):
            moving = range(bodies.v[body], bodies.v_end[body])
            if moving and not weighs[body] and not all(armature[moving.start : moving.stop] > 0.0):
                _refuse_massless(self._span_of_dof(moving.start), self.floating)
            weighs[bodies.parent[body]] |= weighs[body]

    def link_of_dof(self, dof: int) -> str:
        """Return the name of the link that velocity coordinate `dof` moves."""
        return self._span_of_dof(dof).link

    def _span_of_dof(self, dof: int) -> JointSpan:
        return next(
            span for span in self.spans.values() if any(span.v_at(place) == dof for place in range(span.joint.nv))
        )

    def positions(self, q: Values) -> np.ndarray:
        """Return q as an array, shape (nq,). Raises `StateError` if `q` is neither nq numbers nor fits `q_from`."""
        return self.q_from(q) if q is None or isinstance(q, Mapping) else vector_of(q, self.nq, "q")

    def velocities(self, qd: Values, what: str = "qd") -> np.ndarray:
        """Return qd, or another quantity with a number for each dof, as an array, shape (nv,); 0 for left-out
        joints.
        """
        return self.q_from(qd, True) if qd is None or isinstance(qd, Mapping) else vector_of(qd, self.nv, what)

    def q_from(self, values: ByJoint | None, velocities: bool = False) -> np.ndarray:
        """Return the home positions (or zero velocities) with the `values` of joints: {joint: number or list}.

        Raises:
            StateError: if a joint does not move, or has another count of numbers.
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
                # Values from `q_by_joint` must not change by a bit.
                if abs(length - 1.0) > ROUNDED:
                    numbers[-4:] /= length
            out[span.v if velocities else span.q] = numbers
        return out

    def q_by_joint(self, q: np.ndarray) -> dict[str, list[float]]:
        """Return {joint: list of its coordinates} for q, shape (nq,): the inverse of `q_from`."""
        return {name: q[span.q].tolist() for name, span in self.spans.items()}

    def layout(self) -> str:
        """Return the layout of q and qd as an aligned table: joint, type, range of indices, and meaning."""
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


def cached(compiled: CompiledModel, function: Callable[[CompiledModel], Result]) -> Result:
    """Return function(compiled). The first result is kept, since a compiled model does not change."""
    if function not in compiled._kept:
        compiled._kept[function] = function(compiled)
    return compiled._kept[function]


BESIDES = ("time", "continuation", "broken")
"""Keys that a saved state may have besides "q" and "qd"; see `simulation/saved_state.py`."""


def parts_of_state(state: Mapping[str, Any] | None) -> tuple[ByJoint, ByJoint]:
    """Return (q, qd), {joint: number or list} each, of a state {"q": …, "qd": …} that may leave either out.

    Raises:
        StateError: if the state has keys other than these and `BESIDES`.
    """
    state = state or {}
    unknown = set(state) - {"q", "qd", *BESIDES}
    if unknown:
        raise StateError(f"'{sorted(unknown)[0]}' is not known; allowed are q, qd, {', '.join(BESIDES)}")
    for key in ("q", "qd"):
        values = state.get(key, {})
        if not isinstance(values, Mapping):
            raise StateError(f"'{key}' must map joint names to numbers, found {values!r}")
    return state.get("q", {}), state.get("qd", {})


def coordinate_names(compiled: CompiledModel, velocities: bool = False) -> list[tuple[str, str]]:
    """Return (name, unit) of each position or velocity coordinate.

    The name is that of the joint, or `joint.part` if the joint has several coordinates.
    """
    return list(cached(compiled, _velocity_names if velocities else _position_names))


def _names(compiled: CompiledModel, velocities: bool) -> tuple[tuple[str, str], ...]:
    names: list[tuple[str, str]] = [("", "")] * (compiled.nv if velocities else compiled.nq)
    for span in compiled.spans.values():
        joint = span.joint
        named = [
            (f"{joint.name}.{part}" if part else joint.name, unit.velocity if velocities else unit.value)
            for part, unit in (joint.qd_units if velocities else joint.q_units)
        ]
        names[span.v if velocities else span.q] = named
    return tuple(names)


_position_names, _velocity_names = partial(_names, velocities=False), partial(_names, velocities=True)
"""The names of coordinates as two functions of the compiled model alone, for `cached`."""


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


def vector_of(values: ArrayLike, size: int, what: str) -> np.ndarray:
    """Return an array of shape (size,). what: its name, for messages.

    Raises:
        StateError: if `values` are not so many finite numbers.
    """
    try:
        vector = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise StateError(f"{what} takes {size} number(s), or {{joint: number or list}}, found {values!r}") from None
    if vector.shape != (size,):
        raise StateError(f"{what} takes {size} number(s), found shape {vector.shape}")
    is_finite = all(map(math.isfinite, vector.tolist())) if size < FEW else np.isfinite(vector).all()
    if not is_finite:
        index = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise StateError(f"{what} takes finite numbers, found {vector[index]:g} in {what}[{index}]")
    return vector


def numbers_of(value: object) -> np.ndarray:
    """Return a number or a list of numbers as an array; an empty array for any other value."""
    try:
        found = np.atleast_1d(np.asarray(value))
        return np.empty(0) if found.dtype == bool else found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
