# SPDX-License-Identifier: GPL-3.0-or-later
"""`Frames`: the arrays of a trajectory, to which kernels write many frames in one call.

Between two frames of a motion without controls nothing is left to do in Python, and a call of a kernel takes as long as
a few bodies need for a frame.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable, kernel, subroutine
from ..contact.touch_log import log_frame
from ..controls.inputs import set_inputs
from ..dynamics.constraint_rows import position_errors
from ..dynamics.constraints import ACTIVE_COUNT, WELD
from ..dynamics.energy import energies_of
from ..kinematics.forward import write_link_poses
from ..kinematics.motion import update_bodies
from ..spatial import norm
from ..spatial.storage import get3
from .frame_loads import FrameLoads, write_loads
from .reactions import NO_REACTIONS
from .system import DISSIPATED, SUPPLIED, parts_of, read_signals

FIRST, NEXT, LAST = range(3)
"""Indices in `Frames.numbers`: of the first frame of the stage, the next frame to write, and the last one that is
asked for, which comes before the next one if none is."""


class Frames(
    KernelTuple,
    namedtuple(
        "Frames",
        "numbers times q qd at_q at_v X_WL link_body X_BL kinetic potential dissipated supplied gaps flows loads",
    ),
):
    """The arguments of kernels that write frames.

    Attributes:
        numbers: see FIRST, shape (3,).
        times: of all frames, as the solver counts [s], shape (F,).
        q, qd: of all stages, shapes (F, coordinates) and (F, velocities). at_q, at_v: columns of this stage in them.
        X_WL: poses of links, shape (F, L, 7). link_body, X_BL: those of the `CompiledModel`.
        kinetic, potential, dissipated, supplied: energies [J], shape (F,).
        gaps: largest gap of loops [m] and of equations [rad or m], shape (F,).
        flows: energy that has been added and removed so far, both counted as positive [J], shape (F,).
        loads: a `FrameLoads`.
    """


class FramesAhead(KernelTuple, namedtuple("FramesAhead", "frames log")):
    """What a solver is to write while it advances.

    Attributes:
        frames: a `Frames`. log: a `Log` of contacts; None if nothing can touch.
    """


def _no_frames() -> Frames:
    one, two, columns = np.zeros(1), np.zeros((1, 1)), np.zeros(0, np.int64)
    poses = np.zeros((1, 0, 7)), columns, np.zeros((0, 7))
    loads = FrameLoads(np.zeros((0, 0)), np.zeros((0, 0, 6)), columns, NO_REACTIONS, one, one)
    energies = one, one, one, one
    return Frames(np.array([0, 0, -1]), one, two, two, columns, columns, *poses, *energies, one, one, loads)


NO_FRAMES = _no_frames()
"""The frames of a call that writes none."""


@jitable
def is_asked(frames):
    """Return whether another frame is to be written."""
    return frames.numbers[NEXT] <= frames.numbers[LAST]


@jitable
def time_ahead(frames, end):
    """Return the time of the next frame that is asked for, or `end` if there is none [s]."""
    return frames.times[frames.numbers[NEXT]] if is_asked(frames) else end


@subroutine
def write_frame(calls, system, now, y, stored, frames):
    """Write the state y to the next frame.

    calls: a `system.Calls`. now: the STEPPING record. stored: energy of compliant contacts [J].
    """
    k = frames.numbers[NEXT]
    q, qd = parts_of(system, y)
    set_inputs(system, now.time)
    frames.gaps[k] = largest_gap(system, now.time, q)
    kinetic, potential = energies_of(system.model, system.work, q, qd)
    write_link_poses(system.work, frames.link_body, frames.X_BL, frames.X_WL[k])
    frames.kinetic[k], frames.potential[k] = kinetic, potential + stored
    frames.dissipated[k], frames.supplied[k], frames.flows[k] = y[DISSIPATED], y[SUPPLIED], now.flow
    for j in range(q.shape[0]):
        frames.q[k, frames.at_q[j]] = q[j]
    for j in range(qd.shape[0]):
        frames.qd[k, frames.at_v[j]] = qd[j]
    write_loads(calls, system, now, y, k, frames.at_v, frames.loads)
    frames.numbers[NEXT] = k + 1


@subroutine
def write_frame_of_contact(calls, system, now, y, stored, ahead):
    """Do what `write_frame` does, and log the contacts, whose loads must be those at y. ahead: a `FramesAhead`."""
    numbers = ahead.frames.numbers
    frame = numbers[NEXT] - numbers[FIRST]
    write_frame(calls, system, now, y, stored, ahead.frames)
    log_frame(system.touch, system.work.bodies, ahead.log, frame)


@kernel
def largest_gap_at(system, time, q):
    """Do what `largest_gap` does, for calls from Python."""
    return largest_gap(system, time, q)


@subroutine
def largest_gap(system, time, q):
    """Return the largest of the distances of welds [m] and of the errors of equations [rad or m] at a time [s].

    Bodies are then placed at q, at rest.
    """
    constraints, scratch, largest = system.constraints, system.scratch, 0.0
    if constraints.count[ACTIVE_COUNT] == 0:
        return largest
    read_signals(system, time)
    update_bodies(system.model, system.work, q, system.work.zeros)
    position_errors(system.model, system.work, constraints, scratch.signal, q, scratch.error)
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        at = record.row
        gap = norm(get3(scratch.error, at + 3)) if record.kind == WELD else abs(scratch.error[at])
        largest = max(largest, gap)
    return largest
