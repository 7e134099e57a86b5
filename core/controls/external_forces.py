# SPDX-License-Identifier: GPL-3.0-or-later
"""External forces on links: pushes at a point, and tethers that pull a point towards a target."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..compilation.jit import jitable, subroutine
from ..model.compiling.compiled import CompiledModel
from ..spatial import Vec3, add, cross, pair_sub, power, quat_rotate, rotate, scale, sub
from ..spatial.storage import get3, get9, get_pair, put_pair

PUSH = np.dtype(
    [
        ("link", np.int64),  # its row in `CompiledModel.link_names`
        ("body", np.int64),
        ("arm", np.float64, 3),  # from the body's origin to the point of the force, in the body's axes [m]
        ("own_axes", np.int64),  # whether the wrench is in the link's axes; in world axes otherwise
        ("axes", np.float64, 9),  # rotation of the link in the body, row by row
        ("wrench", np.float64, 6),  # torque, then force [N m, N]
    ],
    align=True,
)
"""An external force and torque on a link."""

TETHER = np.dtype(
    [
        ("link", np.int64),  # its row in `CompiledModel.link_names`
        ("body", np.int64),
        ("arm", np.float64, 3),  # from the body's origin to the point that is pulled, in the body's axes [m]
        ("target", np.float64, 3),  # target point at the beginning of the frame, in the world [m]
        ("target_velocity", np.float64, 3),  # constant until the next frame, in the world [m/s]
        ("stiffness", np.float64),  # [N/m]
        ("damping", np.float64),  # [N s/m]
    ],
    align=True,
)
"""A spring and damper between a point of a link and a target point."""


def steady_pushes(compiled: CompiledModel, changing: Collection[str] = ()) -> np.recarray:
    """Return a push for each link with a force or torque in the model, or whose force will change."""
    links = [
        (row, link)
        for row, link in enumerate(compiled.model.links)
        if any(link.force) or any(link.torque) or link.name in changing
    ]
    found = np.zeros(len(links), PUSH).view(np.recarray)
    for push, (row, link) in zip(found, links, strict=True):
        aim(push, compiled, row, link.com)
        push.own_axes = link.force_turns_along
        push.wrench = (*link.torque, *link.force)
    return found


def aim(push: np.recarray, compiled: CompiledModel, row: int, point: Vec3) -> None:
    """Write to a PUSH record the link in a row of the model, and the point of the force, in the link's frame [m]."""
    X_BL = compiled.X_BL[row]
    push.link, push.body = row, compiled.link_body[row]
    push.arm = arm_of(compiled, row, point)
    push.axes = np.array([quat_rotate(tuple(X_BL[3:]), axis) for axis in np.eye(3)]).T.ravel()


def arm_of(compiled: CompiledModel, row: int, point: Vec3) -> Vec3:
    """Return a point of the link in a row of the model [m], in its body's frame."""
    X_BL = compiled.X_BL[row]
    return add(tuple(X_BL[:3]), quat_rotate(tuple(X_BL[3:]), point))


@jitable
def wrench_of(push, R):
    """Return (torque, force) of a push on a body with rotation R, in world axes, at the body's origin."""
    torque, force = get_pair(push.wrench)
    if push.own_axes:
        torque, force = rotate(R, rotate(get9(push.axes), torque)), rotate(R, rotate(get9(push.axes), force))
    return add(torque, cross(rotate(R, get3(push.arm)), force)), force


@subroutine
def push_bodies(work, pushes):
    """Subtract the pushes from the bias forces of bodies. Return their power [W]."""
    supplied = 0.0
    for k in range(pushes.shape[0]):
        body_work = work.bodies[pushes[k].body]
        wrench = wrench_of(pushes[k], get9(body_work.rotation))
        supplied += power(get_pair(body_work.velocity), wrench)
        put_pair(body_work.force, pair_sub(get_pair(body_work.force), wrench))
    return supplied


@subroutine
def pull_bodies(system, time):
    """Subtract the forces of tethers from the bias forces of bodies. Return their power [W]."""
    supplied = 0.0
    tethers = system.inputs.tethers
    for k in range(tethers.shape[0]):
        body_work = system.work.bodies[tethers[k].body]
        wrench = tension_of(tethers[k], body_work, time - system.inputs.window[0])
        supplied += power(get_pair(body_work.velocity), wrench)
        put_pair(body_work.force, pair_sub(get_pair(body_work.force), wrench))
    return supplied


@jitable
def tension_of(tether, body_work, elapsed):
    """Return (torque, force) of a tether on its body, at the body's origin. elapsed: since the frame began [s]."""
    angular, linear = get_pair(body_work.velocity)
    arm = rotate(get9(body_work.rotation), get3(tether.arm))
    target_velocity = get3(tether.target_velocity)
    displacement = sub(add(get3(tether.target), scale(target_velocity, elapsed)), add(get3(body_work.origin), arm))
    relative_velocity = sub(target_velocity, add(linear, cross(angular, arm)))
    force = add(scale(displacement, tether.stiffness), scale(relative_velocity, tether.damping))
    return cross(arm, force), force
