# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of a motion, each of which has a compiled model of its own.

A stage begins when joints are enabled, disabled or released, and when the prescribed motion of a link ends.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..controls.controls import Controls
from ..controls.schedule import Schedule
from ..dynamics import tree_mass_matrix
from ..kinematics import coordinates_at, make_work, rates_at, relative_pose, tree_kinematics
from ..kinematics.coordinates import relative_twist
from ..kinematics.jacobians import body_jacobian
from ..kinematics.motion import rigid_inertia_of
from ..model import WORLD, Joint, Model
from ..model.compiling.compile import AnyModel, compile_model, source_of
from ..model.compiling.compiled import CompiledModel
from ..model.couplings import mimic_equation
from ..model.screws import joint_pose
from ..solvers.assembly import assemble
from ..solvers.protocol import State
from ..spatial import IDENTITY, compose, inertia_rotate, inverse, momentum, quat_to_mat, rotate_back
from ..spatial.arrays import matmul, solve
from ..spatial.storage import get9

HELD_AS_DRAWN = 1e-6
"""Distance of links from a joint up to which the joint connects them as drawn, and not where they are [m or rad]."""


def compile_stages(
    model: AnyModel,
    times: np.ndarray,
    schedule: Schedule,
    released: Collection[float] = (),
    gripping: Collection[str] = (),
    begin: float | None = None,
) -> list[tuple[float, CompiledModel]]:
    """Return (first time [s], compiled model) of each stage: the first one, and one for each change of joints.

    A compiled model is used as it is for a stage that has its joints.

    Args:
        released: times at which the prescribed motion of a link ends [s]. Each of them begins a stage, too.
        gripping: names of the joints that were enabled earlier in the motion.
        begin: when the first stage begins, from times[0] on and before times[1] [s]; None for times[0].

    Raises:
        ModelError: if the model cannot be simulated.
    """
    known = model if isinstance(model, CompiledModel) else None
    model = _with_scheduled_efforts(source_of(model), schedule)
    begin, end = float(times[0]) if begin is None else begin, float(times[-1])
    ends = {time for time in released if begin < time <= end}
    changes = ends | {joint.released_at for joint in model.joints if begin < joint.released_at <= end}
    acting = {name: [bool(acts(time)) for time in times.tolist()] for name, acts in schedule.enabled.items()}
    for acts in acting.values():
        changes |= {float(times[i]) for i in range(1, len(times)) if acts[i] != acts[i - 1]}
    found: list[tuple[float, CompiledModel]] = []
    before: set[str] = set()
    for time in (begin, *sorted(changes)):
        frame = int(np.searchsorted(times, time, side="right")) - 1
        joints = [
            dataclasses.replace(joint, enabled=acting[joint.name][frame]) if joint.name in acting else joint
            for joint in model.joints
        ]
        now = dataclasses.replace(model, joints=joints).acting_at(time)
        names = {joint.name for joint in now.joints}
        if found and names == before and time not in ends:
            continue
        gripping = {*gripping} & names | (names - before if found else set())
        now = _with(now, {name: now.joint(name) for name in gripping}, closes_loop=True)
        found.append((time, known if known and known.model.joints == now.joints else _compiled(now)))
        before = names
    return found


def _with_scheduled_efforts(model: Model, schedule: Schedule) -> Model:
    """Return the model with infinite effort for axes whose effort is scheduled.

    A drive whose effort is 0 in the model would be left out of the compiled model.
    """
    changed = {}
    for name in {name for (name, _), fields in schedule.axes.items() if "effort" in fields}:
        joint = model.joint(name)
        axes = [
            dataclasses.replace(axis, effort=math.inf) if "effort" in schedule.axes.get((name, number), ()) else axis
            for number, axis in enumerate(joint.axes)
        ]
        changed[name] = dataclasses.replace(joint, axes=axes)
    return _with(model, changed)


def _with(model: Model, joints: Mapping[str, Joint], **changes: Any) -> Model:
    """Return the model in which these joints, with `changes`, replace those of the same names."""
    if not joints:
        return model
    known = [
        dataclasses.replace(joints[joint.name], **changes) if joint.name in joints else joint for joint in model.joints
    ]
    return dataclasses.replace(model, joints=known)


def _compiled(model: Model) -> CompiledModel:
    compiled = compile_model(model)
    compiled.require_simulable()
    return compiled


def next_state(
    old: CompiledModel,
    state: State,
    new: CompiledModel,
    gripping: Mapping[str, Joint],
    controls: Controls,
    since: float,
) -> tuple[CompiledModel, np.ndarray, np.ndarray, dict[str, Joint]]:
    """Return the model of the next stage, its q and qd, and the joints that were enabled during the motion.

    These joints connect links where the links are, so the model may differ from `new`.

    Args:
        old, state: the model of the stage before, and its state at the time `since` [s].
        new: the model as drawn.
        gripping: the joints that were enabled earlier, with the frames at which they connect links.
    """
    before, now = ({joint.name for joint in compiled.model.joints} for compiled in (old, new))
    taking = now - before
    gripping = {name: joint for name, joint in gripping.items() if name in now}
    if not (taking or gripping):
        return new, *carried_over(old, state, new), {}
    drawn = new.model.joints
    new, q, qd = caught(old, state, new, gripping, taking)
    changed = (joint for joint, own in zip(new.model.joints, drawn, strict=True) if joint != own)
    loose = {name: span for name, span in new.spans.items() if name not in controls.joints}
    at = {name: q[span.q] for name, span in loose.items()}
    moving = {name: qd[span.v] for name, span in loose.items()}
    start = assemble(new, controls.led_from(since), at, moving, since, is_measured=True)
    return new, start.q, start.qd, {joint.name: joint for joint in changed}


def carried_over(old: CompiledModel, state: State, new: CompiledModel) -> tuple[np.ndarray, np.ndarray]:
    """Return q and qd of a model with fewer active joints. All links keep their poses and velocities."""
    q, qd = np.zeros(new.nq), np.zeros(new.nv)
    named_before, named = ({joint.name for joint in model.joints} for model in (old.model, new.model))
    X_WL, V_WL = tree_kinematics(old, state.q, state.qd)
    for name, span in new.spans.items():
        # The free joint of a floating link has the link's name, which may have been that of a joint.
        known = old.spans.get(name) if (name in named) == (name in named_before) else None
        if known and (name in named or known.link == span.link):  # floating links have a free joint already
            q[span.q], qd[span.v] = state.q[known.q], state.qd[known.v]
        elif name not in named:
            row = old.link_names.index(span.link)
            q[span.q], qd[span.v] = _floating_state(span.joint.X_PJ, tuple(X_WL[row].tolist()), V_WL[row])
    return q, qd


def _floating_state(X_WJ: tuple, X_WL: tuple, V_WL: np.ndarray) -> tuple[tuple, tuple]:
    """Return coordinates and velocities of a free joint at X_WJ in the world that carries a link."""
    R = quat_to_mat(X_WL[3:])
    velocity, turning = tuple(V_WL[:3].tolist()), tuple(V_WL[3:].tolist())
    return compose(inverse(X_WJ), X_WL), rotate_back(R, velocity) + rotate_back(R, turning)


def caught(
    old: CompiledModel, state: State, new: CompiledModel, gripping: Mapping[str, Joint], taking: Collection[str]
) -> tuple[CompiledModel, np.ndarray, np.ndarray]:
    """Return a model in which joints connect links at their present poses, and q and qd of that state.

    The velocities conserve the momentum of all links. They do not satisfy the constraints of the joints yet. A joint
    whose mimic is enabled again follows from where both joints are.

    Args:
        new: the model, in which all joints that were enabled during the motion are marked to close loops, so that other
            joints keep their coordinates.
        gripping: those that were enabled earlier, with the frames at which they connect links.
        taking: names of those that are enabled now.
    """
    rows = tree_kinematics(old, state.q, state.qd)
    X_WL = {WORLD: IDENTITY} | dict(zip(old.link_names, map(tuple, rows[0].tolist()), strict=True))
    V_WL = {WORLD: np.zeros(6)} | dict(zip(old.link_names, rows[1], strict=True))
    changed = {name: _as_held(joint, new.model.joint(name)) for name, joint in gripping.items()}
    changed |= {name: _taking_hold(new.model.joint(name), X_WL) for name in taking}
    new = _compiled(_with(new.model, changed))
    q, qd = carried_over(old, state, new)
    for weld in new.welds:
        if weld.joint.name in taking and (span := new.spans.get(weld.joint.name)):
            q[span.q] = coordinates_at(weld.joint, relative_pose(weld.joint, X_WL), np.array(weld.joint.q_middle))
            qd[span.v] = rates_at(weld.joint, q[span.q], relative_twist(weld.joint, X_WL, V_WL))[0]
    again = {joint.name: _following_on(joint, new, q) for joint in new.model.joints if _follows_again(joint, old.model)}
    new = _compiled(_with(new.model, again)) if again else new
    momenta = _momenta(new, q, X_WL, V_WL) + new.arrays.dofs.armature * qd
    return new, q, solve(tree_mass_matrix(new, q), momenta)


def _as_held(joint: Joint, drawn: Joint) -> Joint:
    """Return a joint as it connects its links, without its mimic if the other joint is not active now."""
    return joint if drawn.mimic else dataclasses.replace(joint, mimic=None)


def _taking_hold(joint: Joint, X_WL: dict[str, tuple]) -> Joint:
    """Return the joint with the child-side frame at which it fits links with these poses."""
    X_J = relative_pose(joint, X_WL)
    as_near = joint_pose(joint, coordinates_at(joint, X_J, np.array(joint.q_middle)).tolist())
    off = compose(inverse(as_near), X_J)
    if max(map(abs, (*off[:3], *off[4:]))) < HELD_AS_DRAWN:
        return joint
    held_at = compose(compose(X_WL[joint.parent], joint.X_PJ), as_near)
    return dataclasses.replace(joint, X_CJ=compose(inverse(X_WL[joint.child]), held_at))


def _follows_again(joint: Joint, before: Model) -> bool:
    """Return whether a joint follows another one that it did not follow before, since one of the two was inactive."""
    return joint.mimic is not None and not any(known.name == joint.name and known.mimic for known in before.joints)


def _following_on(joint: Joint, compiled: CompiledModel, q: np.ndarray) -> Joint:
    """Return the joint with the offset of its mimic at which it follows from its present position."""
    assert joint.mimic is not None
    equation = mimic_equation(joint.name, joint.mimic)
    gap = -equation.constant
    for term in equation.terms:
        place = compiled.model.joint(term.joint).place_of(term.axis)
        if place is None:
            return joint
        gap += term.weight * float(q[compiled.spans[term.joint].q_at(place)])
    return dataclasses.replace(joint, mimic=dataclasses.replace(joint.mimic, offset=joint.mimic.offset + gap))


def _momenta(compiled: CompiledModel, q: np.ndarray, X_WL: dict[str, tuple], V_WL: dict[str, np.ndarray]) -> np.ndarray:
    """Return the generalized momenta of links with these velocities, shape (nv,), also of the parts of split links."""
    work, J = make_work(compiled.arrays), np.zeros((6, compiled.nv))
    links = dict(zip(compiled.link_body.tolist(), compiled.link_names, strict=True))
    links |= {weld.part_body: weld.branch.outer for weld in compiled.welds if weld.is_cut}
    total = np.zeros(compiled.nv)
    for number, link in links.items():
        if number == 0:
            continue
        body_jacobian(compiled.arrays, work, q, number, np.zeros(3), J)
        own = work.bodies[number]
        arm = np.array(own.origin) - np.array(X_WL[link][:3])
        velocity, turning = V_WL[link][:3] + np.cross(V_WL[link][3:], arm), V_WL[link][3:]
        rigid = inertia_rotate(get9(own.rotation), rigid_inertia_of(compiled.arrays.bodies[number]))
        angular, linear = momentum(rigid, (tuple(turning.tolist()), tuple(velocity.tolist())))
        total += matmul(J[:3].T, np.array(linear)) + matmul(J[3:].T, np.array(angular))
    return total
