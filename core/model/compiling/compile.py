# SPDX-License-Identifier: GPL-3.0-or-later
"""`compile_model`: converts links and joints to the arrays that kernels read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ...joints import BALL, SCREWS
from ...spatial import (
    IDENTITY,
    ZERO,
    ZERO_SYM,
    Pose,
    Sym3,
    Vec3,
    add,
    compose,
    dot,
    inverse,
    norm,
    quat_of_mat,
    quat_rotate,
    quat_to_mat,
    rigid_add,
    scale,
    sub,
    sym_add,
    sym_rotate,
    sym_shift,
    z_to,
)
from ..elements import WORLD, Axis, Joint, Link
from ..graph import Branch, Tree, spanning_tree
from ..model import Model, require_model
from ..naming import free_name
from ..screws import Screw, screws_of
from ..soundness import require_sound
from .compiled import (
    BODY,
    CHART_DRIVE,
    DOF,
    MEDIUM,
    QUANTITY_SPRING,
    SET_VALUED_FORCE,
    Arrays,
    CompiledModel,
    JointSpan,
    LoopJoint,
)
from .set_valued_forces import chart_drive, chart_forces, dof_forces
from .splitting import Weld, split_at

DOF_FIELDS = ("armature", "damping", "spring_stiffness", "spring_reference")
"""The fields of an `Axis` that are copied to a DOF, in the order in which DOF has them."""

ZERO_INERTIA = (0.0, ZERO, ZERO_SYM)
"""A rigid inertia of zero."""

AnyModel = Model | CompiledModel
"""Argument of functions that need the compiled model once. Compile the model before a loop that calls them."""

IDENTITY_MATRIX = quat_to_mat(IDENTITY[3:])
"""The unit matrix, row by row. A DOF with this `align` is marked `parallel`."""
SAME_LINE = 1e-12
"""Distance of two lines up to which they count as one [m]. It is a few rounding errors of lengths of about 1 km."""


def compile_model(model: Model, merge_fixed: bool = True, split_loops: bool = True) -> CompiledModel:
    """Compile a model with its enabled joints. Joints that close loops are listed in `CompiledModel.loops`.

    Args:
        merge_fixed: let links that cannot move relative to each other share a body. If off, each joint has its own
            body, and links that are fixed to the world count among those that have mass and can move.
        split_loops: cut the child link of each joint that closes a loop; `CompiledModel.welds` hold the parts together.
            So these joints have coordinates like any other joint, which come last in q and qd, and all their features.
            If off, they have none: for computations with the spanning tree alone.

    Raises:
        ModelError: if the model is not sound (`soundness.require_sound`), an end of a joint is not a link, an axis has
            no direction, or loops are split and one closes on a link that has no mass.
        TypeError: if `model` is not a `Model`.
    """
    require_sound(require_model(model))
    source, model = model, model.acting_at(-math.inf)
    builder = ModelBuilder(model, merge_fixed)
    tree = spanning_tree(model.links, model.joints)
    floating = list(tree.roots)
    for branch in tree.branches:
        while branch.inner in floating:
            builder.add_floating_link(floating.pop(0))
        builder.add_link(branch)
    for link in floating:
        builder.add_floating_link(link)
    welds = split_at(builder, tree.loops) if split_loops else ()
    return builder.finish(source, tree, welds)


def compiled_of(model: AnyModel) -> CompiledModel:
    """Return `model` if it is compiled, else `compile_model(model)`.

    Raises:
        TypeError: if it is not a model. ModelError: as `compile_model`.
    """
    if isinstance(model, CompiledModel):
        return model
    return compile_model(require_model(model))


def source_of(model: AnyModel) -> Model:
    """Return the model itself, or the one that was compiled."""
    return model.source if isinstance(model, CompiledModel) else model


@dataclass
class Body:
    """A body under construction, to which columns and links are added.

    Attributes:
        parent: number of the parent body. branch: the joint that carries the body.
        kind: SCREWS, BALL or FREE.
        offset: from the parent's origin to the body's origin at q = 0, in the parent's axes [m].
        X_BJ: pose of the joint's moving frame, after the columns so far, in the body at q = 0.
        X_PB: rotation from the body's axes to those of the parent at q = 0, as a pose without translation.
        columns: the first seven fields of the DOF record of each dof, in their order.
        axes: for each column, the number of the joint's axis.
        has_turned: whether a column has a rotation.
        drag: damping of the body's motion in the form of a rigid inertia: the drag wrench is minus its momentum.
        weightless: mass and moment of the links on which gravity does not act, in the same form.
    """

    parent: int
    branch: Branch
    kind: int
    offset: Vec3
    X_BJ: Pose
    X_PB: Pose = IDENTITY
    columns: list[tuple] = field(default_factory=list)
    axes: list[int] = field(default_factory=list)
    has_turned: bool = False
    mass: float = 0.0
    moment: Vec3 = ZERO
    inertia: Sym3 = ZERO_SYM
    drag: tuple = ZERO_INERTIA
    weightless: tuple = ZERO_INERTIA

    def add_link(self, link: Link, X_BL: Pose) -> None:
        """Add a link's mass, moment and inertia about the body's origin (parallel-axis theorem)."""
        com = add(X_BL[:3], quat_rotate(X_BL[3:], link.com))
        turned = sym_rotate(quat_to_mat(X_BL[3:]), link.inertia)
        self.mass, self.moment, self.inertia = rigid_add(
            (self.mass, self.moment, self.inertia), _about_origin(link.mass, com, turned)
        )
        dragged = tuple(link.angular_damping * part for part in turned)
        self.drag = rigid_add(self.drag, _about_origin(link.linear_damping * link.mass, com, dragged))
        if not link.gravity:
            self.weightless = rigid_add(self.weightless, _about_origin(link.mass, com, ZERO_SYM))

    def can_add(self, screw: Screw) -> bool:
        """Return whether the screw can be a column of this body: it must act at the body's origin at any coordinates.

        A translation moves the origin, so no column before it may have a rotation. A rotation must be about a line
        through the origin. As long as no column has a rotation, the origin can still be moved to the line.
        """
        if not self.has_turned:
            return True
        return not screw.slide and norm(self.offset_to_line(screw)) <= SAME_LINE

    def offset_to_line(self, screw: Screw) -> Vec3:
        """Return the displacement from the body's origin to the screw's line, in the body's axes [m]."""
        direction = quat_rotate(self.X_BJ[3:], screw.direction)
        point = add(self.X_BJ[:3], quat_rotate(self.X_BJ[3:], screw.point))
        return sub(point, scale(direction, dot(point, direction)))

    def add_screw(self, screw: Screw, axis: Axis, fields: frozenset[str]) -> None:
        """Add the screw as the next column. fields: those of `axis` that have an effect, as in `Slot`."""
        if screw.turn and not self.has_turned:
            self._move_origin(self.offset_to_line(screw))
        direction = quat_rotate(self.X_BJ[3:], screw.direction)
        align = quat_of_mat(z_to(direction))
        onto: Pose = ZERO + align
        self.columns.append((quat_to_mat(align), screw.turn, screw.slide, *_dof_values(axis, fields)))
        self.axes.append(screw.axis)
        self.X_BJ = compose(inverse(onto), self.X_BJ)
        self.X_PB = compose(self.X_PB, onto)
        self.has_turned = self.has_turned or screw.turn != 0.0

    def _move_origin(self, step: Vec3) -> None:
        self.offset = add(self.offset, quat_rotate(self.X_PB[3:], step))
        self.X_BJ = sub(self.X_BJ[:3], step) + self.X_BJ[3:]


class ModelBuilder:
    """Collects the bodies of a model, parents first.

    Attributes:
        bodies: the bodies so far; number 0 is the world.
        link_frames: for each link that has been added, and the world, the number of its body and its pose there [m].
    """

    def __init__(self, model: Model, merge_fixed: bool):
        self.model, self.merge_fixed = model, merge_fixed
        self.links = {link.name: link for link in model.links}
        self.joint_names = {joint.name for joint in model.joints}
        ground = Branch(Joint("", "fixed", WORLD, WORLD))
        self.bodies = [Body(0, ground, SCREWS, ZERO, IDENTITY)]
        self.link_frames: dict[str, tuple[int, Pose]] = {WORLD: (0, IDENTITY)}

    def add_floating_link(self, name: str) -> None:
        """Add an implicit free joint between the world and a link.

        As in Drake, the joint has the link's name, with underscores before it while another joint has that name.
        """
        link = self.links[name]
        name = free_name(name, self.joint_names)
        self.joint_names.add(name)
        self.add_link(Branch(Joint(name, "free", WORLD, link.name, X_PJ=link.pose)))

    def add_link(self, branch: Branch) -> None:
        body, X_BL = self.add_joint(branch)
        self.link_frames[branch.outer] = body, X_BL
        self.bodies[body].add_link(self.links[branch.outer], X_BL)

    def add_joint(self, branch: Branch) -> tuple[int, Pose]:
        """Add the bodies of a joint. Return the number of the body of its outer link, and the link's pose there."""
        joint = branch.joint
        ends = (joint.X_CJ, joint.X_PJ) if branch.backward else (joint.X_PJ, joint.X_CJ)
        body, X_BP = self.link_frames[branch.inner]
        X_BJ = compose(X_BP, ends[0])
        if joint.kind.chart:
            body, X_BJ = self._chart_body(branch, body, X_BJ)
        elif joint.nv or not self.merge_fixed:
            body, X_BJ = self._screw_bodies(branch, body, X_BJ)
        else:
            for screw in _screws_outward(branch):
                X_BJ = compose(X_BJ, screw.locked_pose())
        return body, compose(X_BJ, inverse(ends[1]))

    def _chart_body(self, branch: Branch, parent: int, X_BJ: Pose) -> tuple[int, Pose]:
        joint = branch.joint
        body = Body(parent, branch, joint.kind.code, X_BJ[:3], IDENTITY)
        align = quat_to_mat(X_BJ[3:])
        without_springs = [(align, 0.0, 0.0) + (0.0,) * len(DOF_FIELDS)] * joint.nv
        with_springs = [
            (align, 0.0, 0.0, *_dof_values(joint.axes[n], joint.kind.slot(n).fields)) for n in joint.kind.spring_axes
        ]
        body.columns = with_springs or without_springs
        self.bodies.append(body)
        return len(self.bodies) - 1, IDENTITY

    def _screw_bodies(self, branch: Branch, parent: int, X_BJ: Pose) -> tuple[int, Pose]:
        """Add one body, or several in series if one cannot have all columns in their order.

        Return the number of the last one, and the pose of the joint's moving frame there.
        """
        joint = branch.joint
        body = self._new_body(branch, parent, X_BJ)
        for screw in _screws_outward(branch):
            if screw.locked_at is not None:
                body.X_BJ = compose(body.X_BJ, screw.locked_pose())
                continue
            if not body.can_add(screw):
                body = self._new_body(branch, len(self.bodies) - 1, body.X_BJ)
            body.add_screw(screw, joint.axes[screw.axis], joint.kind.slot(screw.axis).fields)
        return len(self.bodies) - 1, body.X_BJ

    def _new_body(self, branch: Branch, parent: int, X_BJ: Pose) -> Body:
        body = Body(parent, branch, SCREWS, X_BJ[:3], ZERO + X_BJ[3:])
        self.bodies.append(body)
        return body

    def finish(self, source: Model, tree: Tree, welds: tuple[Weld, ...]) -> CompiledModel:
        """Return the compiled model. source: the model with its disabled joints."""
        bodies, dofs, spans, nq, nv = self._records()
        set_valued_forces = self._set_valued_forces(bodies)
        names = tuple(self.links)
        q_home = np.zeros(nq)
        for span in spans.values():
            q_home[span.q] = span.joint.q_home
        return CompiledModel(
            source=source,
            model=self.model,
            tree=tree,
            arrays=Arrays(
                bodies,
                dofs,
                self._quantity_springs(),
                np.array([record for _, record in set_valued_forces], SET_VALUED_FORCE).view(np.recarray),
                self._chart_drives(),
                self._media(),
                np.array(self.model.gravity, dtype=np.float64),
                np.array(self.model.wind, dtype=np.float64),
            ),
            nq=nq,
            nv=nv,
            q_home=q_home,
            link_names=names,
            link_body=np.array([self.link_frames[name][0] for name in names], dtype=np.int64),
            X_BL=np.array([self.link_frames[name][1] for name in names], dtype=np.float64).reshape(-1, 7),
            spans=spans,
            loops=tuple(self._loop(joint) for joint in tree.loops),
            welds=welds,
            force_joints=tuple(joint for joint, _ in set_valued_forces),
        )

    def _records(self) -> tuple[np.recarray, np.recarray, dict[str, JointSpan], int, int]:
        bodies = np.zeros(len(self.bodies), BODY).view(np.recarray)
        dofs = np.zeros(sum(len(body.columns) for body in self.bodies), DOF).view(np.recarray)
        spans: dict[str, JointSpan] = {}
        starts: dict[int, tuple[int, int]] = {}
        q = v = 0
        for i, body in enumerate(self.bodies):
            joint, nv = body.branch.joint, len(body.columns)
            bodies[i] = (body.parent, body.kind, q, v, v + nv, body.offset, body.mass, body.moment, body.inertia)
            for j, column in enumerate(body.columns):
                dofs[v + j] = (*column, column[0] == IDENTITY_MATRIX)
            first_q, first_v = starts.setdefault(id(joint), (q, v))
            q, v = q + (joint.nq if joint.kind.chart else nv), v + nv
            if joint.nv:
                backward = body.branch.backward
                at_q, at_v = _slice(first_q, q, backward), _slice(first_v, v, backward)
                spans[joint.name] = JointSpan(joint, body.branch.outer, i, at_q, at_v)
        return bodies, dofs, spans, q, v

    def _quantity_springs(self) -> np.recarray:
        """Return the QUANTITY_SPRING records: springs and dampers that act on limited quantities."""
        records = []
        for number, body in enumerate(self.bodies):
            joint = body.branch.joint
            for quantity in joint.kind.limited_quantities:
                axis, fields = joint.axes[quantity.axis], joint.kind.slot(quantity.axis).fields
                _, damping, stiffness, reference = _dof_values(axis, fields)
                if damping or stiffness:
                    direction = joint.unit_direction(quantity.axis)
                    records.append((number, quantity.code, direction, reference, stiffness, damping, reference))
        return np.array(records, QUANTITY_SPRING).view(np.recarray)

    def _set_valued_forces(self, body_records: np.recarray) -> list[tuple[Joint, tuple]]:
        """Return the SET_VALUED_FORCE records, each with its joint."""
        records = []
        for number, (body, body_record) in enumerate(zip(self.bodies, body_records, strict=True)):
            joint, q, v = body.branch.joint, int(body_record.q), int(body_record.v)
            if joint.kind.chart:
                records += [(joint, record) for record in chart_forces(joint, number, v)]
            else:
                records += [(joint, record) for record in dof_forces(joint, number, body.axes, q, v)]
        return records

    def _chart_drives(self) -> np.recarray:
        balls = [(number, body.branch.joint) for number, body in enumerate(self.bodies) if body.kind == BALL]
        drives = [chart_drive(joint, number) for number, joint in balls]
        return np.array([drive for drive in drives if drive], CHART_DRIVE).view(np.recarray)

    def _media(self) -> np.recarray:
        """Return the MEDIUM records: drag, and mass without weight."""
        records = [
            (number, *body.drag, *body.weightless[:2])
            for number, body in enumerate(self.bodies)
            if any(body.drag[2]) or body.drag[0] or body.weightless[0]
        ]
        return np.array(records, MEDIUM).view(np.recarray)

    def _loop(self, joint: Joint) -> LoopJoint:
        (parent, X_BP), (child, X_BC) = self.link_frames[joint.parent], self.link_frames[joint.child]
        return LoopJoint(joint, parent, child, compose(X_BP, joint.X_PJ), compose(X_BC, joint.X_CJ))


def _about_origin(mass: float, com: Vec3, inertia: Sym3) -> tuple:
    """Return a rigid inertia about its frame's origin, given about its centre of mass."""
    return mass, scale(com, mass), sym_add(inertia, sym_shift(mass, com))


def _dof_values(axis: Axis, fields: frozenset[str]) -> tuple[float, ...]:
    """Return the values of an axis for a DOF, with 0 for fields that have no effect there."""
    return tuple(getattr(axis, name) if name in fields else 0.0 for name in DOF_FIELDS)


def _slice(start: int, end: int, backward: bool) -> slice:
    return slice(end - 1, start - 1 if start else None, -1) if backward else slice(start, end)


def _screws_outward(branch: Branch) -> list[Screw]:
    """Return the joint's screws in the order in which the spanning tree passes them."""
    screws = screws_of(branch.joint)
    return [screw.backward() for screw in reversed(screws)] if branch.backward else screws
