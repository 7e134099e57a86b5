# SPDX-License-Identifier: GPL-3.0-or-later
"""Reactions of joints, from the accelerations, constraint forces and contact loads of a `System`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..compilation.jit import jitable, kernel
from ..contact.points import POINTS
from ..controls.external_forces import tension_of, wrench_of
from ..dynamics.constraints import ConstraintSet
from ..dynamics.wrenches import about_origin, compute_tree_wrenches
from ..kinematics import tree_kinematics
from ..kinematics.motion import rigid_inertia_of
from ..model import WORLD, Joint
from ..model.compiling.carried_links import carried_links_of
from ..model.compiling.compiled import CompiledModel
from ..spatial import (
    IDENTITY,
    add,
    compose,
    cross,
    force_cross,
    force_from,
    inertia_rotate,
    momentum,
    pair_add,
    pair_scale,
    rotate,
    scale,
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
    carried, number = carried_links_of(compiled), {name: row for row, name in enumerate(compiled.link_names)}
    outside, out = np.zeros((2, len(carried.records), 6))
    found = _add_constraint_wrenches(compiled, constraints, system, state, outside)
    solids = np.array([carried.rows[number[name]] if name != WORLD else -1 for name in owners], dtype=np.int64)
    write_reactions(system, carried.records, carried.rows, solids, state.time, state.q, state.qd, qdd, outside, out)
    return dict(zip(carried.joints, out[::-1], strict=True)) | found


@kernel
def write_reactions(system, links, rows, solids, time, q, qd, qdd, outside, out):
    """Write the wrenches of the joints of the tree to `out`, as `write_tree_wrenches`, with all forces of a system.

    Args:
        links: CARRIED_LINK records, shape (L,). rows: of the links of the model in these, shape (L,).
        solids: row of the link of each solid; -1 for the world.
        outside: forces and torques of welds and of prescribed motion, shape (L, 6). The other forces are added to them.
    """
    inputs, bodies = system.inputs, system.work.bodies
    for k in range(inputs.pushes.shape[0]):
        push = inputs.pushes[k]
        add_about_origin(
            outside[rows[push.link]], wrench_of(push, get9(bodies[push.body].rotation)), get3(bodies[push.body].origin)
        )
    for k in range(inputs.tethers.shape[0]):
        tether = inputs.tethers[k]
        tension = tension_of(tether, bodies[tether.body], time - inputs.window[0])
        add_about_origin(outside[rows[tether.link]], tension, get3(bodies[tether.body].origin))
    for p in range(system.touch.count[POINTS]):
        point = system.touch.points[p]
        load = get3(point.torque), add(scale(get3(point.normal), point.load), get3(point.force))
        if solids[point.second] >= 0:
            add_about_origin(outside[solids[point.second]], load, get3(point.position))
        if solids[point.first] >= 0:
            add_about_origin(outside[solids[point.first]], pair_scale(load, -1.0), get3(point.position))
    compute_tree_wrenches(system.model, system.work, links, q, qd, qdd, outside, out)


@jitable
def add_about_origin(total, wrench, point):
    """Add to a force and torque about the world's origin, shape (6,), a wrench (torque, force) about a point."""
    torque, force = wrench
    put3(total, add(get3(total), force))
    put3(total, add(get3(total, 3), add(torque, cross(point, force))), 3)


def _add_constraint_wrenches(
    compiled: CompiledModel, constraints: ConstraintSet, system: System, state: State, outside: np.ndarray
) -> dict[str, np.ndarray]:
    """Add the wrenches of welds and of the prescribed motion of links to `outside`, shape (L, 6).

    Returns:
        The wrenches of the joints that close loops, by name, shape (6,) [N, N m].
    """
    bodies, multipliers, records, found = system.work.bodies, system.scratch.multipliers, constraints.active, {}
    if not records:
        return found
    poses = tree_kinematics(compiled, state.q)[0]

    def push(link: str, wrench: np.ndarray, point: np.ndarray) -> None:
        if link != WORLD:
            outside[carried_links_of(compiled).rows[compiled.link_names.index(link)]] += about_origin(wrench, point)

    for weld, record in zip(compiled.welds, records, strict=False):  # the welds of loops come first
        own = bodies[weld.body]
        point = np.array(own.origin) + np.array(rotate(get9(own.rotation), weld.X_rest[:3]))
        wrench = np.roll(multipliers[record.row : record.row + 6], 3)
        if weld.is_cut:
            wrench = wrench + _asked(compiled, bodies, weld.part_body, point)
        push(weld.branch.outer, wrench, point)
        push(weld.branch.inner, np.negative(wrench), point)
        arm = point - _child_side(weld.joint, poses, compiled)
        found[weld.joint.name] = np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])
    for record in records:
        signal = constraints.signal_of(record)
        if signal and signal.of_link:
            point = poses[compiled.link_names.index(signal.name), :3]
            push(signal.name, np.roll(multipliers[record.row : record.row + 6], 3), point)
    return found


def _child_side(joint: Joint, poses: np.ndarray, compiled: CompiledModel) -> np.ndarray:
    """Return the origin of the joint's child-side frame in the world, shape (3,) [m]."""
    X_WL = IDENTITY if joint.child == WORLD else tuple(poses[compiled.link_names.index(joint.child)])
    return np.array(compose(X_WL, joint.X_CJ)[:3])


def _asked(compiled: CompiledModel, bodies: np.recarray, body: int, point: np.ndarray) -> np.ndarray:
    """Return the wrench that a body's present acceleration and its weight require, shape (6,) [N, N m].

    The force comes first, and the moment is about `point`, in world axes.
    """
    own = bodies[body]
    inertia = inertia_rotate(get9(own.rotation), rigid_inertia_of(compiled.arrays.bodies[body]))
    velocity, acceleration = get_pair(own.velocity), get_pair(own.acceleration)
    asked = pair_add(momentum(inertia, acceleration), force_cross(velocity, momentum(inertia, velocity)))
    torque, force = force_from(asked, tuple(np.array(own.origin) - point))
    return np.array([*force, *torque])
