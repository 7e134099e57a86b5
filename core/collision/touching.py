# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances and contact points of many pairs of solids."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import kernel, subroutine
from ..spatial import add, matmul, rotate, rotate_back, scale, sub, transpose
from ..spatial.storage import get3, get9, put3
from .broad import DEPTH
from .distance.epa import make_polytope
from .distance.narrow import separate
from .manifold import MOST, make_lists, put_contact, reduce_points, touch_floor, touch_pair
from .mesh_touching import separate_mesh, touch_mesh
from .solids import CAPSULE, MESH, PLANE, SOLID

SEPARATION = np.dtype(
    [
        ("gap", np.float64),  # signed distance [m]
        ("normal", np.float64, 3),  # in the world, from the first solid to the second
        ("first_point", np.float64, 3),  # of its surface, in the world [m]
        ("second_point", np.float64, 3),
    ],
    align=True,
)


class Room(KernelTuple, namedtuple("Room", "polytope lists segment stack sight")):
    """Work arrays for one pair: those of epa.py and manifold.py, an edge as a solid, and stacks of nodes.

    `sight` is the stack of `mesh_touching.is_in_sight`, which is called while `stack` is in use.
    """


def make_room() -> Room:
    segment = np.zeros(1, SOLID).view(np.recarray)
    segment.kind = CAPSULE
    return Room(make_polytope(), make_lists(), segment, np.zeros(DEPTH, np.int64), np.zeros(DEPTH, np.int64))


@kernel
def separate_pairs(solids, store, placed, pairs, margin, room, separations):
    """Write the signed distances of pairs.

    Args:
        solids, placed: as in broad.py. pairs: numbers of two solids, shape (n, 2). margin [m]: pairs that are farther
            apart get any gap above it, and no valid normal or points.
        room: from `make_room`. separations: SEPARATION records, shape (n,), written to.
    """
    for k in range(pairs.shape[0]):
        first, second = ordered(solids, pairs[k, 0], pairs[k, 1])
        A, B = placed[first], placed[second]
        R_A = get9(A.rotation)
        R, c = seen_from(A, B)
        if solids[first].kind == MESH:
            s, n, a = separate_mesh(solids[first], solids[second], store, R, c, margin, room)
        else:
            s, n, a = separate(solids[first], solids[second], store.hulls, R, c, margin, room.polytope)
        separation = separations[k]
        near = add(get3(A.origin), rotate(R_A, a))
        n = rotate(R_A, n)
        far = add(near, scale(n, s))
        if first != pairs[k, 0]:
            n, near, far = scale(n, -1.0), far, near
        separation.gap = s
        put3(separation.normal, n)
        put3(separation.first_point, near)
        put3(separation.second_point, far)


@kernel
def touch_pairs(solids, store, placed, pairs, count, margin, room, contacts):
    """Write the contact points of the first `count` pairs.

    Args:
        as in `separate_pairs`; margin [m]: largest gap of a point that is written.
        contacts: CONTACT records, written to, pair by pair.

    Returns:
        the number of points. Those for which there is no room are counted and not written.
    """
    written = 0
    for k in range(count):
        first, second = ordered(solids, pairs[k, 0], pairs[k, 1])
        A, B = placed[first], placed[second]
        R, c = seen_from(A, B)
        before = written
        if solids[first].kind == PLANE:
            written = touch_plane(solids[second], store.hulls, R, c, margin, contacts, written, room.lists)
        elif solids[first].kind == MESH:
            written = touch_mesh(solids[first], solids[second], store, R, c, margin, contacts, written, room)
        else:
            s, n, a = separate(solids[first], solids[second], store.hulls, R, c, margin, room.polytope)
            if s > margin:
                continue
            written = touch_pair(
                solids[first], solids[second], store.hulls, R, c, s, n, a, margin, contacts, written, room.lists
            )
        R_A, origin = get9(A.rotation), get3(A.origin)
        sign = 1.0 if first == pairs[k, 0] else -1.0
        for i in range(before, min(written, contacts.shape[0])):
            contact = contacts[i]
            contact.first, contact.second = pairs[k, 0], pairs[k, 1]
            put3(contact.point, add(origin, rotate(R_A, get3(contact.point))))
            put3(contact.normal, scale(rotate(R_A, get3(contact.normal)), sign))
    return written


@subroutine
def touch_plane(B, hulls, R, c, margin, contacts, count, lists):
    """Do what manifold.touch_pair does for a half-space and a solid."""
    kept = touch_floor(B, hulls, R, c, margin, lists)
    for i in range(kept):
        lists.offered_a[i, 0] = lists.cut[i, 2]
    if kept > MOST:
        kept = reduce_points(lists.cut, lists.offered_a, kept)
    for i in range(kept):
        gap = lists.offered_a[i, 0]
        point = (lists.cut[i, 0], lists.cut[i, 1], 0.5 * gap)
        count = put_contact(contacts, count, point, (0.0, 0.0, 1.0), gap, int(lists.cut[i, 3]))
    return count


@subroutine
def ordered(solids, i, j):
    """Return a pair in the order of the kinds of its solids."""
    if solids[j].kind == MESH or (solids[i].kind > solids[j].kind and solids[i].kind != MESH):
        return j, i
    return i, j


@subroutine
def seen_from(A, B):
    """Return (axes, origin [m]) of B in A's axes."""
    R_A = get9(A.rotation)
    return matmul(transpose(R_A), get9(B.rotation)), rotate_back(R_A, sub(get3(B.origin), get3(A.origin)))
