# SPDX-License-Identifier: GPL-3.0-or-later
"""Reactions of joints, from the accelerations, constraint forces and contact loads of a `System`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable, kernel, subroutine
from ..contact.points import POINTS
from ..controls.external_forces import tension_of, wrench_of
from ..dynamics.constraints import ConstraintSet
from ..dynamics.wrenches import about_origin, compute_tree_wrenches
from ..kinematics import tree_kinematics
from ..kinematics.motion import rigid_inertia_of
from ..model import WORLD
from ..model.compiling.carried_links import CARRIED_LINK, LOOP_JOINT, carried_links_of
from ..model.compiling.compiled import CompiledModel
from ..spatial import (
    add,
    cross,
    force_cross,
    force_from,
    inertia_rotate,
    momentum,
    pair_add,
    pair_scale,
    rotate,
    scale,
    sub,
)
from ..spatial.storage import get3, get9, get_pair, put3
from .protocol import State
from .system import System


def reaction_names(compiled: CompiledModel) -> list[str]:
    """Return the joints whose wrenches `reactions` computes: those of the tree, and those that close loops."""
    floats = [span.joint.name for span in compiled.spans.values() if span.link in compiled.floating]
    return [
        *floats,
        *(branch.joint.name for branch in compiled.tree.branches),
        *(weld.joint.name for weld in compiled.welds),
    ]


class ReactionArrays(KernelTuple, namedtuple("ReactionArrays", "links rows loop_joints solids outside out")):
    """The arguments of `write_reactions`.

    Attributes:
        links: CARRIED_LINK records, shape (L,). rows: of the links of the model in these, shape (L,).
        loop_joints: LOOP_JOINT records.
        solids: row of the link of each solid; -1 for the world.
        outside: forces and torques about the world's origin that are known before, shape (L, 6) [N, N m].
        out: wrenches of the joints that carry `links`, then of those that close loops, shape (L + loops, 6) [N, N m].
    """


def _no_reactions() -> ReactionArrays:
    links, loop_joints = (np.zeros(0, kind).view(np.recarray) for kind in (CARRIED_LINK, LOOP_JOINT))
    rows, wrenches = np.zeros(0, np.int64), np.zeros((0, 6))
    return ReactionArrays(links, rows, loop_joints, rows, wrenches, wrenches)


NO_REACTIONS = _no_reactions()
"""The arrays of no joints."""


def reaction_arrays(compiled: CompiledModel, owners: Sequence[str]) -> ReactionArrays:
    """Return the arrays of a compiled model. owners: for each solid, the name of its link."""
    carried, number = carried_links_of(compiled), {name: row for row, name in enumerate(compiled.link_names)}
    solids = np.array([carried.rows[number[name]] if name != WORLD else -1 for name in owners], dtype=np.int64)
    links = len(carried.records)
    outside, out = np.zeros((links, 6)), np.zeros((links + len(carried.loop_joints), 6))
    return ReactionArrays(carried.records, carried.rows, carried.loop_joints, solids, outside, out)


def names_of_rows(compiled: CompiledModel) -> list[str]:
    """Return the joint of each row of `ReactionArrays.out`."""
    return [*reversed(carried_links_of(compiled).joints), *(weld.joint.name for weld in compiled.welds)]


def reactions(
    compiled: CompiledModel,
    constraints: ConstraintSet,
    system: System,
    state: State,
    qdd: np.ndarray,
    owners: Sequence[str] = (),
) -> dict[str, np.ndarray]:
    """Return the wrench that each joint exerts on the link that it carries: see `Trajectory.wrenches`.

    If a link is cut in two, the wrench of its loop joint is the sum of the wrench that moves the cut part, and of the
    wrench that the weld transmits to the rest of the link.

    Args:
        system: with the work records, multipliers and contact loads at the state, which the accelerations leave.
        qdd: accelerations at the state, shape (nv,).
        owners: for each solid, the name of its link.
    """
    arrays = reaction_arrays(compiled, owners)
    for record in constraints.active:
        signal = constraints.signal_of(record)
        if signal and signal.of_link:
            row = compiled.link_names.index(signal.name)
            point = tree_kinematics(compiled, state.q)[0][row, :3]
            wrench = np.roll(system.scratch.multipliers[record.row : record.row + 6], 3)
            arrays.outside[arrays.rows[row]] += about_origin(wrench, point)
    write_reactions(system, arrays, state.time, state.q, state.qd, qdd)
    return dict(zip(names_of_rows(compiled), arrays.out, strict=True))


@kernel
def write_reactions(system, arrays, time, q, qd, qdd):
    """Do what `compute_reactions` does, for calls from Python."""
    compute_reactions(system, arrays, time, q, qd, qdd)


@subroutine
def compute_reactions(system, arrays, time, q, qd, qdd):
    """Write the wrenches of all joints to `arrays.out`, with all forces of a system, which are added to those outside.

    arrays: a `ReactionArrays`. The accelerations of the bodies and the multipliers must be those of the state.
    """
    inputs, bodies, outside, links = system.inputs, system.work.bodies, arrays.outside, arrays.links
    for k in range(arrays.loop_joints.shape[0]):
        add_loop_joint(system, arrays, k)
    for k in range(inputs.pushes.shape[0]):
        push = inputs.pushes[k]
        row = arrays.rows[push.link]
        add_about_origin(
            outside[row], wrench_of(push, get9(bodies[push.body].rotation)), get3(bodies[push.body].origin)
        )
    for k in range(inputs.tethers.shape[0]):
        tether = inputs.tethers[k]
        tension = tension_of(tether, bodies[tether.body], time - inputs.window[0])
        add_about_origin(outside[arrays.rows[tether.link]], tension, get3(bodies[tether.body].origin))
    for p in range(system.touch.count[POINTS]):
        point = system.touch.points[p]
        load = get3(point.torque), add(scale(get3(point.normal), point.load), get3(point.force))
        add_to_both(arrays, arrays.solids[point.second], arrays.solids[point.first], load, get3(point.position))
    compute_tree_wrenches(system.model, system.work, links, q, qd, qdd, outside, arrays.out[: links.shape[0]])


@subroutine
def add_loop_joint(system, arrays, k):
    """Write the wrench of the k-th joint that closes a loop, and add it to the forces on both its links.

    The welds of loops are the first constraints.
    """
    joint, bodies, out = arrays.loop_joints[k], system.work.bodies, arrays.out[arrays.links.shape[0] + k]
    row = system.constraints.records[system.constraints.active[k]].row
    torque, force = get3(system.scratch.multipliers, row), get3(system.scratch.multipliers, row + 3)
    point = point_on(bodies[joint.body], get3(joint.weld_origin))
    if joint.part_body >= 0:
        asked_torque, asked_force = wrench_asked(system, joint.part_body, point)
        torque, force = add(torque, asked_torque), add(force, asked_force)
    add_to_both(arrays, joint.outer, joint.inner, (torque, force), point)
    arm = sub(point, point_on(bodies[joint.joint_body], get3(joint.joint_origin)))
    put3(out, force)
    put3(out, add(torque, cross(arm, force)), 3)


@jitable
def point_on(body_work, at):
    """Return the place in the world of a point that is given in a body's frame [m]."""
    return add(get3(body_work.origin), rotate(get9(body_work.rotation), at))


@jitable
def add_to_both(arrays, on, by, wrench, point):
    """Add a wrench (torque, force) about a point to the forces on one link, and the opposite to those on another.

    on, by: rows of the links; -1 for the world.
    """
    if on >= 0:
        add_about_origin(arrays.outside[on], wrench, point)
    if by >= 0:
        add_about_origin(arrays.outside[by], pair_scale(wrench, -1.0), point)


@jitable
def add_about_origin(total, wrench, point):
    """Add to a force and torque about the world's origin, shape (6,), a wrench (torque, force) about a point."""
    torque, force = wrench
    put3(total, add(get3(total), force))
    put3(total, add(get3(total, 3), add(torque, cross(point, force))), 3)


@subroutine
def wrench_asked(system, body, point):
    """Return the wrench (torque, force) about a point that a body's present acceleration and its weight require."""
    own = system.work.bodies[body]
    inertia = inertia_rotate(get9(own.rotation), rigid_inertia_of(system.model.bodies[body]))
    velocity, acceleration = get_pair(own.velocity), get_pair(own.acceleration)
    asked = pair_add(momentum(inertia, acceleration), force_cross(velocity, momentum(inertia, velocity)))
    return force_from(asked, sub(get3(own.origin), point))
