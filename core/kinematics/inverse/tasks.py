# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of inverse kinematics: rows of errors of frames and coordinates, with their rates.

A task compares a frame of a body with a target, which is a frame in another body or in the world. It is satisfied if
both origins coincide (PLACE), if both have the same orientation (TURN), or if the z axis of the frame points at the
target's origin (AIM). The fourth kind is an equation between coordinates, such as a mimic (EQUATION). Loops and targets
of users are the same kinds of tasks; the caller decides which ones are constraints.

Rows are in world axes and without units: lengths are divided by the model's size, so that results do not depend on it.

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
from ..jacobians import write_jacobian

PLACE, TURN, AIM, EQUATION = 0, 1, 2, 3
"""Kinds of tasks."""

TASK = np.dtype(
    [
        ("kind", np.int64),  # PLACE, TURN, AIM or EQUATION
        ("row", np.int64),  # number of its first row
        ("rows", np.int64),  # number of its rows
        ("weight", np.float64),  # factor of its error [1/m, 1/rad]
        ("target_body", np.int64),  # PLACE, TURN, AIM: number of the body in which the target is fixed; 0 is the world
        ("body", np.int64),  # PLACE, TURN, AIM: number of the body in which the frame is fixed
        ("X_target", np.float64, 7),  # pose of the target in `target_body` [m]
        ("X_body", np.float64, 7),  # pose of the frame in `body` [m]
        ("term", np.int64),  # EQUATION: index of its first TERM record
        ("term_end", np.int64),  # EQUATION: index after its last TERM record
        ("constant", np.float64),  # EQUATION: prescribed value of its sum [rad or m]
    ],
    align=True,
)
"""A task: one row for an equation, and three rows for a place, an orientation or a direction."""

TERM = np.dtype([("q", np.int64), ("v", np.int64), ("weight", np.float64)], align=True)
"""One term of an equation: the indices of its coordinate in q and in qd, and its weight."""


class Tasks(KernelTuple, namedtuple("Tasks", "records terms dof_scale")):
    """Arguments of the kernels.

    Attributes:
        records: TASK records. terms: TERM records.
        dof_scale: change of each velocity coordinate in a unit step, shape (nv,): 1 rad for rotations, the model's size
            [m] for translations, and 0 for coordinates that must not move.
    """


class Rows(KernelTuple, namedtuple("Rows", "error slope target_jacobian body_jacobian")):
    """Work arrays.

    Attributes:
        error: shape (rows,). slope: derivatives of the errors by the components of a step, shape (rows, nv).
        target_jacobian, body_jacobian: those of the target and the frame of a task, shape (6, nv).
    """


UNDEFINED_DIRECTION = 1e-12
"""Distance [m] or sine of an angle below which a direction is undefined, because it is mostly rounding error."""


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
        return sub(point_of(work, task.body, task.X_body), point_of(work, task.target_body, task.X_target))
    if task.kind == TURN:
        error_rotation = matmul(
            axes_of(work, task.body, task.X_body), transpose(axes_of(work, task.target_body, task.X_target))
        )
        return rotvec_of_quat(quat_of_mat(error_rotation))
    sight, _ = sight_of(work, task)
    return turn_between(sight, z_axis(axes_of(work, task.body, task.X_body)))


@jitable
def point_of(work, body, X):
    """Return the origin in the world [m] of a frame with pose X in a body."""
    body_work = work.bodies[body]
    return add(get3(body_work.origin), rotate(get9(body_work.rotation), get3(X)))


@jitable
def axes_of(work, body, X):
    """Return the rotation in the world of a frame with pose X in a body."""
    return matmul(get9(work.bodies[body].rotation), quat_to_mat(get4(X, 3)))


@jitable
def sight_of(work, task):
    """Return (direction, distance [m]) from the origin of the task's frame to the origin of its target."""
    offset = sub(point_of(work, task.target_body, task.X_target), point_of(work, task.body, task.X_body))
    distance = math.sqrt(dot(offset, offset))
    # If both points coincide, the axis points at the target in every direction.
    if distance < UNDEFINED_DIRECTION:
        return z_axis(axes_of(work, task.body, task.X_body)), 0.0
    return scale(offset, 1.0 / distance), distance


@jitable
def turn_between(a, b):
    """Return the shortest rotation [rad] from direction a to b. If they are opposite, its axis is arbitrary."""
    axis = cross(a, b)
    sine = math.sqrt(dot(axis, axis))
    angle = atan2(sine, dot(a, b))
    if sine < UNDEFINED_DIRECTION:
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
        write_jacobian(
            model, work, task.target_body, point_of(work, task.target_body, task.X_target), rows.target_jacobian
        )
        write_jacobian(model, work, task.body, point_of(work, task.body, task.X_body), rows.body_jacobian)
        axis = z_axis(axes_of(work, task.body, task.X_body))
        sight, distance = sight_of(work, task)
        for j in range(rows.slope.shape[1]):
            velocity = sub(get3(rows.body_jacobian[:, j]), get3(rows.target_jacobian[:, j]))
            angular = sub(get3(rows.body_jacobian[:, j], 3), get3(rows.target_jacobian[:, j], 3))
            if task.kind == AIM:
                rate = aim_rate(axis, sight, distance, velocity, angular, get3(rows.target_jacobian[:, j], 3))
            else:
                rate = velocity if task.kind == PLACE else angular
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
