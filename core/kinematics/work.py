"""The scratch records that kernels fill, one a body and one a column, and how to reach them as tuples."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..jit import jitable
from ..model.compiled import Arrays

BODY_WORK = np.dtype(
    [
        ("rotation", np.float64, 9),  # own axes in world axes
        ("origin", np.float64, 3),  # in the world [m]
        ("arm", np.float64, 3),  # from the parent's origin, in world axes [m]
        ("velocity", np.float64, 6),
        ("acceleration", np.float64, 6),
        ("articulated", np.float64, 21),
        ("force", np.float64, 6),
    ],
    align=True,
)
COLUMN_WORK = np.dtype(
    [
        ("axis", np.float64, 3),
        ("bias", np.float64, 6),  # acceleration that comes from velocities alone
        ("armature", np.float64),  # with what a linearly implicit step adds for springs and dampers
        ("gain", np.float64, 6),  # d times the force that a unit of its acceleration asks for
        ("d", np.float64),  # 1 / the inertia that its acceleration meets
        ("push", np.float64),
        # of charts, at their first column; `firmness` of a free joint's turns at its fourth
        ("firmness", np.float64, 6),  # what `armature` is to a column, in child-side axes
        ("inverse", np.float64, 6),  # of a ball's inertia
        ("excess", np.float64, 6),  # force in world axes that a chart leaves to accelerate it
    ],
    align=True,
)

Work = namedtuple("Work", "bodies columns still")
"""BODY_WORK and COLUMN_WORK records, and the velocities of what stands still, zeros of shape (nv,)."""


def make_work(arrays: Arrays) -> Work:
    bodies = np.zeros(len(arrays.bodies), BODY_WORK).view(np.recarray)
    bodies.rotation[0] = np.eye(3).ravel()
    count = len(arrays.columns)
    return Work(bodies, np.zeros(count, COLUMN_WORK).view(np.recarray), np.zeros(count))


@jitable
def get3(a, i=0):
    return a[i], a[i + 1], a[i + 2]


@jitable
def get4(a, i=0):
    return a[i], a[i + 1], a[i + 2], a[i + 3]


@jitable
def get6(a):
    return a[0], a[1], a[2], a[3], a[4], a[5]


@jitable
def get9(a):
    return a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]


@jitable
def get_pair(a):
    return (a[0], a[1], a[2]), (a[3], a[4], a[5])


@jitable
def get_articulated(a):
    return (
        (a[0], a[1], a[2], a[3], a[4], a[5]),
        (a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14]),
        (a[15], a[16], a[17], a[18], a[19], a[20]),
    )


@jitable
def put3(a, t, i=0):
    a[i], a[i + 1], a[i + 2] = t


@jitable
def put4(a, t, i=0):
    a[i], a[i + 1], a[i + 2], a[i + 3] = t


@jitable
def put6(a, t):
    a[0], a[1], a[2], a[3], a[4], a[5] = t


@jitable
def put9(a, t):
    a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8] = t


@jitable
def put_pair(a, t):
    a[0], a[1], a[2] = t[0]
    a[3], a[4], a[5] = t[1]


@jitable
def put_articulated(a, A):
    a[0], a[1], a[2], a[3], a[4], a[5] = A[0]
    a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14] = A[1]
    a[15], a[16], a[17], a[18], a[19], a[20] = A[2]
