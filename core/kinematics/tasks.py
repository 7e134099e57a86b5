# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks: what bodies and coordinates are asked for, as rows of errors and of their rates.

A task asks a frame of one body to be somewhere in another, the world included: its origin at a place, its axes turned
as others, or its z axis pointed at something. Or it asks an equation of coordinates, as a mimic does. Loops that stay
closed and targets to be reached are the same tasks: it is the caller who keeps some and follows others.

Rows are in world axes and without unit: lengths are divided by the model's size, and so are the coordinates that slide,
so that a watch and a crane are moved alike.

Source: Siciliano, Sciavicco, Villani, Oriolo, Robotics: Modelling, Planning and Control (2009), section 3.7.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..jit import jitable, subroutine
from ..slots import Bundled
from ..spatial import (
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
from ..spatial.storage import get3, get4, get9, put3
from .jacobian import write_jacobian

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


class Tasks(Bundled, namedtuple("Tasks", "records terms pace")):
    """What kernels see: TASK and TERM records, and for each velocity coordinate what a unit of a step moves it by.

    pace: shape (nv,): 1 rad for what turns, the model's size [m] for what slides, and 0 for what is held.
    """


class Rows(Bundled, namedtuple("Rows", "error slope own other")):
    """What kernels fill: errors, shape (rows,), their rates for unit steps, (rows, nv), and Jacobians, (6, nv)."""


NOWHERE = 1e-12
"""Distance [m] or sine below which there is no direction."""


def make_rows(tasks: Tasks) -> Rows:
    count, nv = int(tasks.records.rows.sum()), len(tasks.pace)
    return Rows(np.zeros(count), np.zeros((count, nv)), np.zeros((6, nv)), np.zeros((6, nv)))


@subroutine
def write_errors(work, tasks, first, end, q, error):
    """Write how far tasks number `first` to `end` are from being met; bodies stand where `move` has put them."""
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
    """Of a task about frames: a way [m] or a turn [rad]."""
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
    """(direction, distance [m]) from where the task's body looks to what it is to look at."""
    way = sub(point_of(work, task.one, task.X_one), point_of(work, task.other, task.X_other))
    far = math.sqrt(dot(way, way))
    if far < NOWHERE:  # it looks from there, and so looks at it whatever its direction
        return z_axis(axes_of(work, task.other, task.X_other)), 0.0
    return scale(way, 1.0 / far), far


@jitable
def turn_between(a, b):
    """The shortest turn [rad] that takes direction a to b; about some axis across where they are opposite."""
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
                rows.slope[task.row, v] += task.weight * tasks.terms[k].weight * tasks.pace[v]
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
            put3(rows.slope[:, j], scale(rate, task.weight * tasks.pace[j]), task.row)


@jitable
def aim_rate(axis, seen, far, moved, turned, carried):
    """How an axis turns against what it is to see, but for turns about itself, which change nothing.

    Args:
        moved, turned: velocities of the eye [m/s] and of the axis [rad/s] against what carries the thing to be seen.
        carried: the angular velocity of that.
    """
    rate = add(turned, carried)
    if far > 0.0:
        rate = add(rate, scale(cross(seen, moved), 1.0 / far))
    return sub(rate, scale(axis, dot(axis, rate)))
