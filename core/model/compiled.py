"""`compile_model`: from links and joints to the flat arrays that kernels walk.

A body is what moves as one: links held together by fixed joints share a body, with exact inertia, and keep their names
and poses. Bodies come parents first and body 0 is the world, so kernels need no branch for the root. Each body has a
frame of its own: origin at its joint's frame, z along its joint's last axis, so that every column turns about z.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..joints import JOINT_TYPES, SCREWS
from ..spatial import (
    IDENTITY,
    Pose,
    Vec3,
    add,
    compose,
    inverse,
    matmul,
    quat_of_mat,
    quat_rotate,
    quat_to_mat,
    scale,
    sym_add,
    sym_rotate,
    sym_shift,
    transpose,
    z_to,
)
from .elements import WORLD, Joint, Link, Model, ModelError, StateError

BODY = np.dtype(
    [
        ("parent", np.int64),
        ("kind", np.int64),  # SCREWS, BALL or FREE
        ("q", np.int64),  # where its coordinates begin
        ("v", np.int64),  # where its velocities and columns begin
        ("v_end", np.int64),
        ("offset", np.float64, 3),  # from the parent's origin to the joint, in the parent's axes [m]
        ("mass", np.float64),
        ("moment", np.float64, 3),  # mass * com, in own axes, from own origin [kg m]
        ("inertia", np.float64, 6),  # about own origin, in own axes [kg m^2]
    ],
    align=True,
)
COLUMN = np.dtype(
    [
        ("align", np.float64, 9),  # from the axes before to those whose z is this column's axis
        ("turn", np.float64),
        ("slide", np.float64),
        ("armature", np.float64),
        ("damping", np.float64),
        ("spring_stiffness", np.float64),
        ("spring_reference", np.float64),
    ],
    align=True,
)

Arrays = namedtuple("Arrays", "bodies columns gravity")
"""What kernels see of a model: BODY and COLUMN records, and gravity in world axes, shape (3,) [m/s^2]."""


@dataclass(frozen=True)
class JointSpan:
    """Where a joint's coordinates lie: q[q : q + nq], qd[v : v + nv]."""

    joint: Joint
    body: int
    q: int
    v: int


@dataclass
class CompiledModel:
    """A model as kernels read it.

    Attributes:
        arrays: for the kernels.
        nq, nv: numbers of positions and velocities.
        q_home: shape (nq,), each joint's home.
        link_names: in the model's order. link_body: shape (L,). X_BL: shape (L, 7), link in its body's frame [m].
        spans: for every joint that moves, by name, the implicit ones that let a piece float included.
        floating: names of the links that float because no joint leads from them to the world.
    """

    arrays: Arrays
    nq: int
    nv: int
    q_home: np.ndarray
    link_names: tuple[str, ...]
    link_body: np.ndarray
    X_BL: np.ndarray
    spans: dict[str, JointSpan]
    floating: list[str]

    def require_mass(self) -> None:
        """A body that weighs nothing, with all that it carries, has no acceleration.

        Raises:
            ModelError: there is one.
        """
        bodies = self.arrays.bodies
        weighs = (bodies.mass > 0.0) | bodies.inertia.any(axis=1)
        weighs[0] = True
        for span in reversed(self.spans.values()):
            if not weighs[span.body] and span.joint.child in self.floating:
                raise ModelError(
                    f"link '{span.joint.child}': it floats freely and has no mass; give it a mass or a joint"
                )
            if not weighs[span.body]:
                raise ModelError(
                    f"link '{span.joint.child}': joint '{span.joint.name}' moves it, but neither it nor anything that "
                    "it carries has mass; give it a mass, or fix the joint"
                )
            weighs[bodies.parent[span.body]] = True

    def link_of_dof(self, dof: int) -> str:
        """The name of the link that velocity coordinate `dof` moves."""
        return next(span.joint.child for span in self.spans.values() if dof < span.v + span.joint.kind.nv)

    def q_from(self, values: dict | None, velocities: bool = False) -> np.ndarray:
        """Home positions (or zero velocities) with those of `values` put in: {joint: number or list}.

        Raises:
            StateError: a joint that does not move here, or the wrong count of numbers.
        """
        out = np.zeros(self.nv) if velocities else self.q_home.copy()
        for name, value in (values or {}).items():
            span = self.spans.get(name)
            if span is None:
                raise StateError(f"no joint '{name}' moves; there are: {', '.join(self.spans)}")
            kind = span.joint.kind
            at, count = (span.v, kind.nv) if velocities else (span.q, kind.nq)
            numbers = _numbers(value)
            if numbers.shape != (count,) or not np.isfinite(numbers).all():
                raise StateError(f"joint '{name}' takes {count} finite number(s), found {value!r}")
            if kind.chart and not velocities:
                length = np.linalg.norm(numbers[-4:])
                if not length > 0.0:
                    raise StateError(f"joint '{name}' needs a quaternion w x y z, found {value!r}")
                numbers[-4:] /= length
            out[at : at + count] = numbers
        return out


def compile_model(model: Model) -> CompiledModel:
    """Compile a model whose joints form trees.

    Raises:
        ModelError: names that do not resolve, or a loop.
    """
    build = _Build(model)
    for joint in build.spanning_tree():
        build.place(joint)
    return build.finish()


@dataclass
class _Body:
    """A body while its links are gathered."""

    parent: int
    joint: Joint
    offset: Vec3
    columns: list[tuple]
    X_BJ: Pose
    mass: float = 0.0
    moment: Vec3 = (0.0, 0.0, 0.0)
    inertia: tuple = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def carry(self, link: Link, X_BL: Pose) -> None:
        """Take on a link's mass, moment and inertia about the body's origin (the parallel-axis theorem)."""
        com = add(X_BL[:3], quat_rotate(X_BL[3:], link.com))
        self.mass += link.mass
        self.moment = add(self.moment, scale(com, link.mass))
        turned = sym_rotate(quat_to_mat(X_BL[3:]), link.inertia)
        self.inertia = sym_add(self.inertia, sym_add(turned, sym_shift(link.mass, com)))


@dataclass
class _Build:
    model: Model
    bodies: list[_Body] = field(default_factory=list)
    where: dict[str, tuple[int, Pose]] = field(default_factory=lambda: {WORLD: (0, IDENTITY)})
    floating: list[str] = field(default_factory=list)

    def __post_init__(self):
        ground = Joint("", "fixed", WORLD, WORLD)
        self.bodies.append(_Body(0, ground, (0.0, 0.0, 0.0), [], IDENTITY))
        self.links = {link.name: link for link in self.model.links}

    def spanning_tree(self) -> Iterator[Joint]:
        """Joints parents first, the implicit ones that let loose pieces float among them."""
        outward: dict[str, list[Joint]] = {}
        carried = set()
        for joint in self.model.joints:
            for end in (joint.parent, joint.child):
                if end != WORLD and end not in self.links:
                    raise ModelError(f"joint '{joint.name}': there is no link '{end}'; name a link of the model")
            if joint.child in carried or joint.child == WORLD:
                raise ModelError(
                    f"joint '{joint.name}': its child '{joint.child}' is held already, so it closes a loop; "
                    "loops cannot be simulated yet"
                )
            carried.add(joint.child)
            outward.setdefault(joint.parent, []).append(joint)
        roots = [link for link in self.model.links if link.name not in carried]
        loose = [self._floating_joint(link) for link in roots]
        stack = [*reversed(loose), *reversed(outward.get(WORLD, []))]
        while stack:
            joint = stack.pop()
            yield joint
            stack.extend(reversed(outward.get(joint.child, [])))

    def _floating_joint(self, link: Link) -> Joint:
        """As in Drake, it bears the link's name, with underscores before it while that is a joint's name."""
        name = link.name
        while any(joint.name == name for joint in self.model.joints):
            name = f"_{name}"
        self.floating.append(link.name)
        return Joint(name, "free", WORLD, link.name, X_PJ=link.pose)

    def place(self, joint: Joint) -> None:
        link = self.links[joint.child]
        parent, X_BP = self.where[joint.parent]
        X_BJ = compose(X_BP, joint.X_PJ)
        if joint.kind.nv == 0:
            body, X_BL = parent, compose(X_BJ, inverse(joint.X_CJ))
        else:
            body = len(self.bodies)
            self.bodies.append(_moving_body(joint, parent, X_BJ))
            X_BL = compose(self.bodies[body].X_BJ, inverse(joint.X_CJ))
        self.where[link.name] = body, X_BL
        self.bodies[body].carry(link, X_BL)

    def finish(self) -> CompiledModel:
        unreached = [name for name in self.links if name not in self.where]
        if unreached:
            raise ModelError(
                f"link '{unreached[0]}': its joints go round in a circle and never reach a root; "
                "loops cannot be simulated yet"
            )
        bodies = np.zeros(len(self.bodies), BODY).view(np.recarray)
        columns = np.zeros(sum(body.joint.kind.nv for body in self.bodies), COLUMN).view(np.recarray)
        spans, q, v = {}, 0, 0
        for i, body in enumerate(self.bodies):
            kind = body.joint.kind
            bodies[i] = (body.parent, kind.code, q, v, v + kind.nv, body.offset, body.mass, body.moment, body.inertia)
            for j, column in enumerate(body.columns):
                columns[v + j] = column
            if i:
                spans[body.joint.name] = JointSpan(body.joint, i, q, v)
            q, v = q + kind.nq, v + kind.nv
        names = tuple(self.links)
        return CompiledModel(
            arrays=Arrays(bodies, columns, np.array(self.model.gravity, dtype=np.float64)),
            nq=q,
            nv=v,
            q_home=np.array([x for body in self.bodies for x in body.joint.home], dtype=np.float64),
            link_names=names,
            link_body=np.array([self.where[name][0] for name in names], dtype=np.int64),
            X_BL=np.array([self.where[name][1] for name in names], dtype=np.float64).reshape(-1, 7),
            spans=spans,
            floating=self.floating,
        )


def _moving_body(joint: Joint, parent: int, X_BJ: Pose) -> _Body:
    """A body with its columns aligned: each begins with the turn from the last z axis to its own."""
    kind = joint.kind
    offset, reached = X_BJ[:3], quat_to_mat(X_BJ[3:])
    if kind.code != SCREWS:
        still = (reached, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return _Body(parent, joint, offset, [still] * kind.nv, IDENTITY)
    columns = []
    for column in kind.columns:
        axis = joint.axes[column.axis]
        wanted = z_to(axis.xyz)
        columns.append(
            (
                matmul(reached, wanted),
                column.turn,
                column.slide_with(joint.pitch),
                axis.armature,
                axis.damping,
                axis.spring_stiffness,
                axis.spring_reference,
            )
        )
        reached = transpose(wanted)
    return _Body(parent, joint, offset, columns, (0.0, 0.0, 0.0, *quat_of_mat(reached)))


def _numbers(value: object) -> np.ndarray:
    """A number or a list of them as an array; what is neither comes back empty."""
    try:
        found = np.atleast_1d(np.asarray(value))
        return np.empty(0) if found.dtype == bool else found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)


def coordinate_names(compiled: CompiledModel, velocities: bool = False) -> list[tuple[str, str]]:
    """(name, unit) of each position or velocity coordinate: `joint`, or `joint.part` where there are several."""
    names = []
    for span in compiled.spans.values():
        kind = JOINT_TYPES[span.joint.type]
        for part, unit in kind.qd_units if velocities else kind.q_units:
            name = f"{span.joint.name}.{part}" if part else span.joint.name
            names.append((name, unit.velocity if velocities else unit.value))
    return names
