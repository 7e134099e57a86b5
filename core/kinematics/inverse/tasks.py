# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of inverse kinematics: rows of errors of frames and coordinates, with their rates.

A task wants a frame of one body at a pose in another body or the world: its origin at a place, its axes in an
orientation, or its z axis towards a point. Or it wants an equation of coordinates, such as a mimic, to hold. Loops and
targets are the same kinds of tasks; the caller decides which are constraints.

Rows are in world axes and without units: lengths and slides are divided by the model's size, so that a watch and a
crane move alike.

Source: Siciliano, Sciavicco, Villani, Oriolo, Robotics: Modelling, Planning and Control (2009), section 3.7.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, subroutine
from ...spatial import (
    ZERO,
    add,
    atan2,
    cross,
    dot,
    matmul,
    quat_of_mat,
    quat_to_mat,
    rotate,
    rotvec_of_quat,
    scale,
    sub,
    transpose,
    z_axis,
)
from ...spatial.storage import get3, get4, get9, put3
from ..jacobian import write_jacobian

PLACE, TURN, AIM, EQUATION = 0, 1, 2, 3

TASK = np.dtype(
    [
        ("kind", np.int64),
        ("row", np.int64),  # its first
        ("rows", np.int64),
        ("weight", np.float64),  # by which its error [m, rad] is multiplied
        # frames, poses in two bodies: `other` is to come to where `one` is
        ("one", np.int64),
        ("other", np.int64),
        ("X_one", np.float64, 7),
        ("X_other", np.float64, 7),
        # an equation
        ("term", np.int64),
        ("term_end", np.int64),
        ("constant", np.float64),
    ],
    align=True,
)
TERM = np.dtype([("q", np.int64), ("v", np.int64), ("weight", np.float64)], align=True)


class Tasks(KernelTuple, namedtuple("Tasks", "records terms dof_scale")):
    """Arguments of the kernels: TASK and TERM records, and the step of each velocity coordinate per unit.

    dof_scale: shape (nv,): 1 rad for rotations, the model's size [m] for slides, and 0 for coordinates that must not
    move.
    """


class Rows(KernelTuple, namedtuple("Rows", "error slope own other")):
    """Work arrays: errors, shape (rows,), their rates for unit steps, shape (rows, nv), and Jacobians, shape (6,
    nv).
    """


NOWHERE = 1e-12
"""Distance [m] or sine below which a direction is undefined."""


def make_rows(tasks: Tasks) -> Rows:
    count, nv = int(tasks.records.rows.sum()), len(tasks.dof_scale)
    return Rows(np.zeros(count), np.zeros((count, nv)), np.zeros((6, nv)), np.zeros((6, nv)))


@subroutine
def write_errors(work, tasks, first, end, q, error):
    """Write the errors of tasks number `first` to `end`, after `update_body`."""
    for n in range(first, end):
        task = tasks.records[n]
        if task.kind == EQUATION:
            total = -task.constant
            for k in range(task.term, task.term_end):
                total += tasks.terms[k].weight * q[tasks.terms[k].q]
            error[task.row] = task.weight * total
        else:
            put3(error, scale(error_of(work, task), task.weight), task.row)


@jitable
def error_of(work, task):
    """Return the error of a task about frames: a displacement [m] or a rotation [rad]."""
    if task.kind == PLACE:
        return sub(point_of(work, task.other, task.X_other), point_of(work, task.one, task.X_one))
    if task.kind == TURN:
        off = matmul(axes_of(work, task.other, task.X_other), transpose(axes_of(work, task.one, task.X_one)))
        return rotvec_of_quat(quat_of_mat(off))
    seen, _ = sight_of(work, task)
    return turn_between(seen, z_axis(axes_of(work, task.other, task.X_other)))


@jitable
def point_of(work, body, X):
    own = work.bodies[body]
    return add(get3(own.origin), rotate(get9(own.rotation), get3(X)))


@jitable
def axes_of(work, body, X):
    return matmul(get9(work.bodies[body].rotation), quat_to_mat(get4(X, 3)))


@jitable
def sight_of(work, task):
    """Return (direction, distance [m]) from the task's body to the point that its axis should point at."""
    dq = sub(point_of(work, task.one, task.X_one), point_of(work, task.other, task.X_other))
    far = math.sqrt(dot(dq, dq))
    if far < NOWHERE:  # it looks from there, and so looks at it whatever its direction
        return z_axis(axes_of(work, task.other, task.X_other)), 0.0
    return scale(dq, 1.0 / far), far


@jitable
def turn_between(a, b):
    """Return the shortest rotation [rad] from direction a to b. If they are opposite, its axis is arbitrary."""
    axis = cross(a, b)
    sine = math.sqrt(dot(axis, axis))
    angle = atan2(sine, dot(a, b))
    if sine < NOWHERE:
        if angle < 1.0:
            return ZERO
        axis = cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.5 else (0.0, 1.0, 0.0))
        sine = math.sqrt(dot(axis, axis))
    return scale(axis, angle / sine)


@subroutine
def write_slopes(model, work, tasks, first, end, rows):
    """Write the rates of errors number `first` to `end`, for unit steps of each velocity coordinate."""
    for n in range(first, end):
        task = tasks.records[n]
        if task.kind == EQUATION:
            for j in range(rows.slope.shape[1]):
                rows.slope[task.row, j] = 0.0
            for k in range(task.term, task.term_end):
                v = tasks.terms[k].v
                rows.slope[task.row, v] += task.weight * tasks.terms[k].weight * tasks.dof_scale[v]
            continue
        write_jacobian(model, work, task.one, point_of(work, task.one, task.X_one), rows.own)
        write_jacobian(model, work, task.other, point_of(work, task.other, task.X_other), rows.other)
        axis = z_axis(axes_of(work, task.other, task.X_other))
        seen, far = sight_of(work, task)
        for j in range(rows.slope.shape[1]):
            moved = sub(get3(rows.other[:, j]), get3(rows.own[:, j]))
            turned = sub(get3(rows.other[:, j], 3), get3(rows.own[:, j], 3))
            if task.kind == AIM:
                rate = aim_rate(axis, seen, far, moved, turned, get3(rows.own[:, j], 3))
            else:
                rate = moved if task.kind == PLACE else turned
            put3(rows.slope[:, j], scale(rate, task.weight * tasks.dof_scale[j]), task.row)


@jitable
def aim_rate(axis, seen, far, moved, turned, carried):
    """Return the angular velocity of an axis relative to its target direction, without rotation about itself.

    Args:
        moved, turned: velocity of the axis's origin [m/s] and angular velocity of the axis [rad/s], relative to the
            body that carries the target.
        carried: angular velocity of that body [rad/s].
    """
    rate = add(turned, carried)
    if far > 0.0:
        rate = add(rate, scale(cross(seen, moved), 1.0 / far))
    return sub(rate, scale(axis, dot(axis, rate)))
