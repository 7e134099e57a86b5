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
        ("arm", np.float64, 3),  # from the body's origin to where the force acts, in the body's axes [m]
        ("own_axes", np.int64),  # whether the wrench is in the link's axes
        ("axes", np.float64, 9),  # the link's, in the body's
        ("wrench", np.float64, 6),  # torque, force
    ],
    align=True,
)
TETHER = np.dtype(
    [
        ("link", np.int64),  # its row in `CompiledModel.link_names`
        ("body", np.int64),
        ("arm", np.float64, 3),  # from the body's origin to what is pulled, in the body's axes [m]
        ("place", np.float64, 3),  # where it is pulled to at the beginning of the frame, in the world [m]
        ("rate", np.float64, 3),  # by which that moves until the next one [m/s]
        ("stiffness", np.float64),
        ("damping", np.float64),
    ],
    align=True,
)


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
    """Let a push act on the link in a row of the model, at a point in the link [m]."""
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
    gained = 0.0
    for k in range(pushes.shape[0]):
        own = work.bodies[pushes[k].body]
        wrench = wrench_of(pushes[k], get9(own.rotation))
        gained += power(get_pair(own.velocity), wrench)
        put_pair(own.force, pair_sub(get_pair(own.force), wrench))
    return gained


@subroutine
def pull_bodies(system, time):
    """Subtract the forces of tethers from the bias forces of bodies. Return their power [W]."""
    gained = 0.0
    tethers = system.inputs.tethers
    for k in range(tethers.shape[0]):
        own = system.work.bodies[tethers[k].body]
        wrench = tension_of(tethers[k], own, time - system.inputs.window[0])
        gained += power(get_pair(own.velocity), wrench)
        put_pair(own.force, pair_sub(get_pair(own.force), wrench))
    return gained


@jitable
def tension_of(tether, own, elapsed):
    """Return (torque, force) of a tether on its body, at the body's origin. elapsed: since the frame began [s]."""
    turning, moving = get_pair(own.velocity)
    arm = rotate(get9(own.rotation), get3(tether.arm))
    rate = get3(tether.rate)
    way = sub(add(get3(tether.place), scale(rate, elapsed)), add(get3(own.origin), arm))
    slip = sub(rate, add(moving, cross(turning, arm)))
    force = add(scale(way, tether.stiffness), scale(slip, tether.damping))
    return cross(arm, force), force
