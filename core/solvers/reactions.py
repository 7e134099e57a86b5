# SPDX-License-Identifier: GPL-3.0-or-later
"""Reactions of joints, from the accelerations, constraint forces and contact loads of a `System`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..contact.points import POINTS
from ..controls.external_forces import tension_of, wrench_of
from ..dynamics import tree_wrenches
from ..dynamics.constraints import ConstraintSet
from ..kinematics import tree_kinematics
from ..kinematics.motion import rigid_inertia_of
from ..model import WORLD, Joint
from ..model.compiling.compiled import CompiledModel
from ..spatial import (
    IDENTITY,
    compose,
    force_cross,
    force_from,
    inertia_rotate,
    momentum,
    pair_add,
    rotate,
)
from ..spatial.storage import get9, get_pair
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
    inputs, bodies, multipliers = system.inputs, system.work.bodies, system.scratch.multipliers
    poses = tree_kinematics(compiled, state.q)[0]
    outside = {name: np.zeros(6) for name in compiled.link_names}

    def push(link: str, wrench: np.ndarray, point: np.ndarray) -> None:
        if link != WORLD:
            arm = point - poses[compiled.link_names.index(link), :3]
            outside[link] += np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])

    elapsed = state.time - inputs.window[0]
    acting = [(applied, wrench_of(applied, get9(bodies[applied.body].rotation))) for applied in inputs.pushes]
    acting += [(tether, tension_of(tether, bodies[tether.body], elapsed)) for tether in inputs.tethers]
    for applied, (torque, force) in acting:
        push(compiled.link_names[applied.link], np.array([*force, *torque]), np.array(bodies[applied.body].origin))
    for point in system.touch.points[: system.touch.count[POINTS]].view(np.ndarray):
        wrench = np.concatenate([point["load"] * point["normal"] + point["force"], point["torque"]])
        push(owners[int(point["second"])], wrench, point["position"])
        push(owners[int(point["first"])], -wrench, point["position"])
    records, found = constraints.active, {}
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
    as_now = dataclasses.replace(compiled, arrays=system.model)  # with the present gravity
    return tree_wrenches(as_now, state.q, state.qd, qdd, outside) | found


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
