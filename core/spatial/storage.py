# SPDX-License-Identifier: GPL-3.0-or-later
"""Layout of vectors, poses and inertias in arrays and records, and functions that read and write them as tuples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..compilation.jit import jitable


def renamed_fields(record: np.dtype, names: Mapping[str, str]) -> np.dtype:
    """Return a record type with other field names and the same memory layout.

    Args:
        record: an aligned record type.
        names: {field: its new name}; other fields keep their names.
    """
    fields = record.names or ()
    return np.dtype([(names.get(name, name), record[name]) for name in fields], align=True)


@jitable
def copy(source, target):
    for i in range(source.shape[0]):
        target[i] = source[i]


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
def get_rigid(a):
    """Return the rigid inertia (mass, first moment, second moments) in the first 10 numbers of an array."""
    return a[0], get3(a, 1), (a[4], a[5], a[6], a[7], a[8], a[9])


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


@jitable
def put_rigid(a, rigid):
    """Write a rigid inertia to the first 10 numbers of an array."""
    a[0] = rigid[0]
    put3(a, rigid[1], 1)
    a[4], a[5], a[6], a[7], a[8], a[9] = rigid[2]
