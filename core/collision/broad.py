# SPDX-License-Identifier: GPL-3.0-or-later
"""The broad phase: which solids are so near to each other that they may touch, by a tree of boxes.

The tree has no pointers. Solids are sorted along a space-filling curve (Morton's), and divided in this order into
leaves of `LEAF` solids. The root is node 0, and the children of node k are 2k + 1 and 2k + 2. The tree is built anew
for each call, in a time proportional to the number of solids, so the result does not depend on earlier calls.
Half-spaces have no box; they are compared with all other solids.

Leaves are searched for in the order of the curve, so that consecutive searches use the same memory. Pairs are sorted
afterwards.

Sources: Morton, A computer oriented geodetic data base (1966); Ericson (2005), sections 6.2 and 7.3.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable, kernel, subroutine
from ..spatial import add, dot, matmul, rotate, scale, sub, z_axis
from ..spatial.storage import get3, get9, put3, put9
from .collision_filter import solids_may_collide
from .solids import BALL, BOX, CAPSULE, MESH, PLANE, support

LEAF = 4
"""Number of solids of a leaf."""
BITS = 10
"""Number of bits for each coordinate in a Morton code."""
FEW = 1024
"""Largest number of solids for which half of these bits suffice. Sorting is then faster."""
DEPTH = 64
"""Size of the stack of nodes: two for each level of a tree that exceeds any memory."""

PLACED = np.dtype(
    [
        ("rotation", np.float64, 9),  # the solid's axes in the world
        ("origin", np.float64, 3),  # in the world [m]
        ("lower", np.float64, 3),  # lower corner of a box around it, along the world's axes [m]
        ("upper", np.float64, 3),  # upper corner of that box [m]
    ],
    align=True,
)
"""The pose and the box of a solid in the world."""


class Tree(KernelTuple, namedtuple("Tree", "order codes spare_order spare_codes counts lower upper last stack")):
    """Work arrays of a tree over n solids.

    Attributes:
        order: numbers of the solids in the order of the curve, shape (n,).
        codes: their Morton codes, shape (n,).
        spare_order, spare_codes, counts: work arrays of the sort.
        lower, upper: corners of the nodes' boxes along the world's axes, shape (nodes, 3) [m].
        last: the last leaf below each node, shape (nodes,). It is constant.
        stack: nodes that are still to be examined, shape (DEPTH,).
    """


def make_tree(count: int) -> Tree:
    leaves = 1
    while leaves * LEAF < count:
        leaves *= 2
    nodes = 2 * leaves - 1
    order, codes, spare_order, spare_codes = (np.zeros(max(count, 1), np.int64) for _ in range(4))
    lower, upper, last = np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.arange(nodes)
    for node in range(leaves - 2, -1, -1):
        last[node] = last[2 * node + 2]
    counts, stack = np.zeros(1 << BITS, np.int64), np.zeros(DEPTH, np.int64)
    return Tree(order, codes, spare_order, spare_codes, counts, lower, upper, last, stack)


@kernel
def place_solids(solids, store, poses, placed):
    """Write the poses and boxes of solids to `placed`.

    Args:
        solids: SOLID records.
        store: packing.Store.
        poses: shape (bodies, 12): each body's axes in the world, row by row, and its origin [m].
        placed: PLACED records, one for each solid, written to.
    """
    for i in range(solids.shape[0]):
        solid, place = solids[i], placed[i]
        pose = poses[solid.body]
        turned = get9(pose)
        R = matmul(turned, get9(solid.rotation))
        origin = add(get3(pose, 9), rotate(turned, get3(solid.origin)))
        put9(place.rotation, R)
        put3(place.origin, origin)
        if solid.kind == MESH:
            box_mesh(solid, store.meshes, R, origin, place)
            continue
        for k in range(3):
            below, above = reach_along(solid, store.hulls, R, k)
            place.lower[k], place.upper[k] = origin[k] - below, origin[k] + above


@subroutine
def box_mesh(solid, meshes, R, origin, place):
    """Write to `place` the box in the world of the root box of a mesh's tree."""
    lower, upper = get3(meshes.lower[solid.first_node]), get3(meshes.upper[solid.first_node])
    middle = add(origin, rotate(R, scale(add(lower, upper), 0.5)))
    half = scale(sub(upper, lower), 0.5)
    for k in range(3):
        reach = abs(R[3 * k]) * half[0] + abs(R[3 * k + 1]) * half[1] + abs(R[3 * k + 2]) * half[2]
        place.lower[k], place.upper[k] = middle[k] - reach, middle[k] + reach


@subroutine
def reach_along(solid, hulls, R, k):
    """Return how far a solid extends from its origin down and up along axis k of the world [m]."""
    kind, half = solid.kind, get3(solid.half)
    axis = (R[3 * k], R[3 * k + 1], R[3 * k + 2])
    if kind == PLANE:
        return math.inf, math.inf
    if kind in (BALL, BOX, CAPSULE):
        reach = solid.radius + abs(axis[0]) * half[0] + abs(axis[1]) * half[1] + abs(axis[2]) * half[2]
        return reach, reach
    top = support(solid, hulls, axis)
    bottom = support(solid, hulls, (-axis[0], -axis[1], -axis[2]))
    above = axis[0] * top[0] + axis[1] * top[1] + axis[2] * top[2]
    below = axis[0] * bottom[0] + axis[1] * bottom[1] + axis[2] * bottom[2]
    return solid.radius - below, solid.radius + above


@kernel
def find_pairs(solids, placed, collision_filter, margin, tree, pairs):
    """Write the pairs that may collide and whose boxes are at most `margin` apart, and return their number.

    If they are more than the room for them, they are only counted, and the written pairs are not valid.

    Args:
        solids: as in `place_solids`, half-spaces first.
        placed: written by `place_solids`.
        collision_filter: CollisionFilter.
        margin: [m].
        tree: `make_tree` for as many solids.
        pairs: shape (room, 2), written to: numbers of two solids, the lower one first, in lexicographic order.
    """
    planes = 0
    while planes < solids.shape[0] and solids[planes].kind == PLANE:
        planes += 1
    grow_tree(placed, planes, margin, tree)
    count = 0
    for i in range(planes):
        count = pair_plane(solids, placed, collision_filter, i, planes, margin, pairs, count)
    of_planes = count
    leaves = (tree.last.shape[0] + 1) // 2
    for leaf in range(leaves - 1, leaves - 1 + (placed.shape[0] - planes + LEAF - 1) // LEAF):
        count = pair_leaf(solids, placed, collision_filter, leaf, planes, margin, tree, pairs, count)
    if count <= pairs.shape[0]:
        sort_pairs(pairs, of_planes, count, tree.codes, tree.spare_codes)
    return count


@subroutine
def pair_plane(solids, placed, collision_filter, i, planes, margin, pairs, count):
    """Write the pairs of half-space i with solids whose boxes are near it. Return the number of all pairs."""
    normal, origin = z_axis(get9(placed[i].rotation)), get3(placed[i].origin)
    x, y, z = abs(normal[0]), abs(normal[1]), abs(normal[2])
    for j in range(planes, solids.shape[0]):
        low, high = get3(placed[j].lower), get3(placed[j].upper)
        middle, width = scale(add(low, high), 0.5), sub(high, low)
        height = dot(normal, sub(middle, origin)) - 0.5 * (x * width[0] + y * width[1] + z * width[2])
        if height <= margin:
            count = add_pair_if_allowed(solids, collision_filter, i, j, pairs, count)
    return count


@subroutine
def add_pair_if_allowed(solids, collision_filter, i, j, pairs, count):
    if solids_may_collide(collision_filter, solids[i], solids[j]):
        if count < pairs.shape[0]:
            pairs[count, 0], pairs[count, 1] = i, j
        count += 1
    return count


@subroutine
def pair_leaf(solids, placed, collision_filter, leaf, planes, margin, tree, pairs, count):
    """Write the pairs of a leaf's solids with each other and with those of later leaves.

    Return the number of all pairs.
    """
    lower, upper = get3(tree.lower[leaf]), get3(tree.upper[leaf])
    inner = (tree.last.shape[0] + 1) // 2 - 1
    waiting = 1
    tree.stack[0] = 0
    while waiting > 0:
        waiting -= 1
        node = tree.stack[waiting]
        while node < inner:  # descend to the first leaf that is near; push the others
            node = 2 * node + 1
            if is_near(lower, upper, leaf, tree, node + 1):
                if is_near(lower, upper, leaf, tree, node):
                    tree.stack[waiting] = node + 1
                    waiting += 1
                else:
                    node += 1
            elif not is_near(lower, upper, leaf, tree, node):
                break
        else:
            count = pair_leaves(
                solids, placed, collision_filter, leaf - inner, node - inner, planes, margin, tree, pairs, count
            )
    return count


@jitable
def is_near(lower, upper, leaf, tree, node):
    """Return whether a node contains `leaf` or a later leaf, and its box overlaps the given one."""
    return (tree.last[node] >= leaf) & overlap(lower, upper, tree.lower[node], tree.upper[node])


@subroutine
def pair_leaves(solids, placed, collision_filter, one, other, planes, margin, tree, pairs, count):
    """Write the pairs of the solids of two leaves, or of one leaf, whose boxes are near.

    Return the number of all pairs.
    """
    total, leaf = placed.shape[0] - planes, tree.last.shape[0] // 2 + other
    for a in range(one * LEAF, min(one * LEAF + LEAF, total)):
        i = tree.order[a]
        lower, upper = get3(placed[i].lower), get3(placed[i].upper)
        lower = (lower[0] - margin, lower[1] - margin, lower[2] - margin)
        upper = (upper[0] + margin, upper[1] + margin, upper[2] + margin)
        if overlap(lower, upper, tree.lower[leaf], tree.upper[leaf]):
            for b in range(a + 1 if one == other else other * LEAF, min(other * LEAF + LEAF, total)):
                j = tree.order[b]
                if overlap(lower, upper, placed[j].lower, placed[j].upper):
                    count = add_pair_if_allowed(solids, collision_filter, min(i, j), max(i, j), pairs, count)
    return count


@subroutine
def sort_pairs(pairs, start, end, next_of, end_of):
    """Sort pairs[start:end] in place: first by the first number, then by the second.

    Args:
        next_of, end_of: work arrays, shape (solids or more,).

    Source: McIlroy, Bostic, McIlroy, Engineering radix sort, Computing Systems 6 (1993), section 3.
    """
    count, total = next_of.shape[0], start
    for i in range(count):
        end_of[i] = 0
    for k in range(start, end):
        end_of[pairs[k, 0]] += 1
    for i in range(count):
        next_of[i] = total
        total += end_of[i]
        end_of[i] = total
    for i in range(count):
        while next_of[i] < end_of[i]:
            k = next_of[i]
            first, second = pairs[k, 0], pairs[k, 1]
            while first != i:
                place = next_of[first]
                next_of[first] = place + 1
                pairs[place, 0], first = first, pairs[place, 0]
                pairs[place, 1], second = second, pairs[place, 1]
            pairs[k, 0], pairs[k, 1] = first, second
            next_of[i] = k + 1
        sort_seconds(pairs, start, end_of[i])
        start = end_of[i]


@subroutine
def sort_seconds(pairs, start, end):
    """Sort the pairs of one solid by the second number. They may be many, as those of a floor.

    Source: Shell, CACM 2 (1959).
    """
    gap = 1
    while 3 * gap + 1 < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(start + gap, end):
            number, place = pairs[k, 1], k
            while place - gap >= start and pairs[place - gap, 1] > number:
                pairs[place, 1] = pairs[place - gap, 1]
                place -= gap
            pairs[place, 1] = number
        gap //= 3


@subroutine
def grow_tree(placed, planes, margin, tree):
    """Sort all solids except half-spaces along the curve, and write the nodes' boxes, enlarged by `margin` [m]."""
    count = placed.shape[0] - planes
    lower, upper = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for i in range(planes, placed.shape[0]):
        low, high = get3(placed[i].lower), get3(placed[i].upper)
        middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
        lower, upper = least(lower, middle), most(upper, middle)
    width = max(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2])
    bits = BITS // 2 if count <= FEW else BITS
    cells = ((1 << bits) - 1) / width if 0.0 < width < math.inf else 0.0
    for i in range(count):
        low, high = get3(placed[planes + i].lower), get3(placed[planes + i].upper)
        x = int(cells * (0.5 * (low[0] + high[0]) - lower[0]))
        y = int(cells * (0.5 * (low[1] + high[1]) - lower[1]))
        z = int(cells * (0.5 * (low[2] + high[2]) - lower[2]))
        tree.codes[i] = spread(x) | spread(y) << 1 | spread(z) << 2
        tree.order[i] = planes + i
    sort_codes(tree, count, bits)
    box_nodes(placed, margin, tree, count)


@jitable
def least(a, b):
    return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])


@jitable
def most(a, b):
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])


@jitable
def spread(x):
    """Return the ten bits of x with two zeros between each two."""
    x = (x | x << 16) & 0x30000FF
    x = (x | x << 8) & 0x300F00F
    x = (x | x << 4) & 0x30C30C3
    return (x | x << 2) & 0x9249249


@subroutine
def sort_codes(tree, count, bits):
    """Sort `tree.codes`, and `tree.order` with them, by a radix sort of `bits` bits at a time, the lowest first."""
    codes, order, other_codes, other_order = tree.codes, tree.order, tree.spare_codes, tree.spare_order
    radix = 1 << bits
    for turn in range(3):
        shift = bits * turn
        for k in range(radix):
            tree.counts[k] = 0
        for i in range(count):
            tree.counts[(codes[i] >> shift) & (radix - 1)] += 1
        total = 0
        for k in range(radix):
            total, tree.counts[k] = total + tree.counts[k], total
        for i in range(count):
            k = (codes[i] >> shift) & (radix - 1)
            place = tree.counts[k]
            tree.counts[k] = place + 1
            other_codes[place], other_order[place] = codes[i], order[i]
        codes, order, other_codes, other_order = other_codes, other_order, codes, order
    for i in range(count):  # after an odd number of passes the result is in the spare arrays
        tree.order[i] = tree.spare_order[i]


@subroutine
def box_nodes(placed, margin, tree, count):
    """Write to each node the box around all solids below it, enlarged by `margin` [m]."""
    leaves = (tree.last.shape[0] + 1) // 2
    for node in range(tree.last.shape[0] - 1, -1, -1):
        lower, upper = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
        if node >= leaves - 1:
            start = (node - leaves + 1) * LEAF
            for k in range(start, min(start + LEAF, count)):
                place = placed[tree.order[k]]
                lower, upper = least(lower, get3(place.lower)), most(upper, get3(place.upper))
            lower = (lower[0] - margin, lower[1] - margin, lower[2] - margin)
            upper = (upper[0] + margin, upper[1] + margin, upper[2] + margin)
        else:
            for child in range(2 * node + 1, 2 * node + 3):
                lower, upper = least(lower, get3(tree.lower[child])), most(upper, get3(tree.upper[child]))
        put3(tree.lower[node], lower)
        put3(tree.upper[node], upper)


@jitable
def overlap(lower, upper, other_lower, other_upper):
    return (
        (lower[0] <= other_upper[0])
        & (other_lower[0] <= upper[0])
        & (lower[1] <= other_upper[1])
        & (other_lower[1] <= upper[1])
        & (lower[2] <= other_upper[2])
        & (other_lower[2] <= upper[2])
    )
