# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances and contact points of many pairs of solids."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import kernel, subroutine
from ..spatial import add, matmul, rotate, rotate_back, scale, sub, transpose
from ..spatial.storage import get3, get9, put3
from .broad_phase import STACK_SIZE
from .distance.epa import make_polytope
from .distance.narrow import signed_distance
from .manifold import (
    MAX_POINTS,
    append_contact,
    make_clipping_lists,
    reduce_points,
    write_half_space_points,
    write_pair_contacts,
)
from .mesh_contacts import mesh_distance, write_mesh_contacts
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


class PairWork(KernelTuple, namedtuple("PairWork", "polytope lists segment stack sight_stack")):
    """Work arrays for one pair: the polytope of epa.py, the lists of manifold.py, a mesh's edge as a solid, and two
    stacks.

    `sight_stack` is the stack of `mesh_contacts.is_in_sight`, which is called while `stack` is in use.
    """


def make_pair_work() -> PairWork:
    segment = np.zeros(1, SOLID).view(np.recarray)
    segment.kind = CAPSULE
    return PairWork(
        make_polytope(), make_clipping_lists(), segment, np.zeros(STACK_SIZE, np.int64), np.zeros(STACK_SIZE, np.int64)
    )


@kernel
def write_signed_distances(solids, store, solid_poses, pairs, margin, work, separations):
    """Write the signed distances of pairs.

    Args:
        solids, solid_poses: as in broad_phase.py.
        pairs: numbers of two solids, shape (n, 2).
        margin: pairs that are farther apart get any gap above it, and no valid normal or points [m].
        work: from `make_pair_work`.
        separations: SEPARATION records, shape (n,), written to.
    """
    for k in range(pairs.shape[0]):
        first, second = order_by_kind(solids, pairs[k, 0], pairs[k, 1])
        A, B = solid_poses[first], solid_poses[second]
        R_A = get9(A.rotation)
        R, c = relative_pose(A, B)
        if solids[first].kind == MESH:
            s, n, a = mesh_distance(solids[first], solids[second], store, R, c, margin, work)
        else:
            s, n, a = signed_distance(solids[first], solids[second], store.hulls, R, c, margin, work.polytope)
        separation = separations[k]
        first_point = add(get3(A.origin), rotate(R_A, a))
        n = rotate(R_A, n)
        second_point = add(first_point, scale(n, s))
        if first != pairs[k, 0]:
            n, first_point, second_point = scale(n, -1.0), second_point, first_point
        separation.gap = s
        put3(separation.normal, n)
        put3(separation.first_point, first_point)
        put3(separation.second_point, second_point)


@kernel
def write_contact_points(solids, store, solid_poses, pairs, count, margin, work, contacts):
    """Write the contact points of the first `count` pairs.

    Args:
        as in `write_signed_distances`; margin [m]: largest gap of a point that is written.
        contacts: CONTACT records, written to, pair by pair.

    Returns:
        the number of points. Those for which there is no room are counted and not written.
    """
    written = 0
    for k in range(count):
        first, second = order_by_kind(solids, pairs[k, 0], pairs[k, 1])
        A, B = solid_poses[first], solid_poses[second]
        R, c = relative_pose(A, B)
        before = written
        if solids[first].kind == PLANE:
            written = write_plane_contacts(solids[second], store.hulls, R, c, margin, contacts, written, work.lists)
        elif solids[first].kind == MESH:
            written = write_mesh_contacts(solids[first], solids[second], store, R, c, margin, contacts, written, work)
        else:
            s, n, a = signed_distance(solids[first], solids[second], store.hulls, R, c, margin, work.polytope)
            if s > margin:
                continue
            written = write_pair_contacts(
                solids[first], solids[second], store.hulls, R, c, s, n, a, margin, contacts, written, work.lists
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
def write_plane_contacts(B, hulls, R, c, margin, contacts, count, lists):
    """Do what manifold.write_pair_contacts does for a half-space and a solid."""
    count_below = write_half_space_points(B, hulls, R, c, margin, lists)
    for i in range(count_below):
        lists.feature_a[i, 0] = lists.clipped[i, 2]
    if count_below > MAX_POINTS:
        count_below = reduce_points(lists.clipped, lists.feature_a, count_below)
    for i in range(count_below):
        gap = lists.feature_a[i, 0]
        point = (lists.clipped[i, 0], lists.clipped[i, 1], 0.5 * gap)
        count = append_contact(contacts, count, point, (0.0, 0.0, 1.0), gap, int(lists.clipped[i, 3]))
    return count


@subroutine
def order_by_kind(solids, i, j):
    """Return a pair in the order of the kinds of its solids."""
    if solids[j].kind == MESH or (solids[i].kind > solids[j].kind and solids[i].kind != MESH):
        return j, i
    return i, j


@subroutine
def relative_pose(A, B):
    """Return (axes, origin [m]) of B in A's axes."""
    R_A = get9(A.rotation)
    return matmul(transpose(R_A), get9(B.rotation)), rotate_back(R_A, sub(get3(B.origin), get3(A.origin)))
