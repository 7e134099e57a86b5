"""Which solids are near enough to each other that they may touch: a tree of boxes over all of them.

The tree has no pointers. Solids are sorted along a curve that fills space (Morton's), the sorted row is cut into leaves
of `LEAF`, and each node holds what its two children hold, down from node 0, node k having the children 2k + 1 and
2k + 2. It is built anew for each question, in a time that grows with the number of solids, so that the answer hangs on
nothing that was asked before. Half-spaces have no box; they are held against all others.

Sources: Morton, A computer oriented geodetic data base (1966); Ericson (2005), sections 6.2 and 7.3.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..jit import jitable, kernel, subroutine
from ..slots import Bundled
from ..spatial import add, dot, matmul, rotate, scale, sub, z_axis
from ..spatial.storage import get3, get9, put3, put9
from .meeting import solids_may_meet
from .solids import BALL, BOX, CAPSULE, MESH, PLANE, support

LEAF = 4
BITS = 10
"""Of the place along each axis, in a Morton code."""
RADIX = 1 << BITS
FEW = 64
"""Solids that are sorted one by one."""
DEPTH = 64
"""Room to remember nodes that are still to be looked at: two for each level of a tree that no memory could hold."""

PLACED = np.dtype(
    [
        ("rotation", np.float64, 9),  # the solid's axes in the world's
        ("origin", np.float64, 3),  # in the world [m]
        ("lower", np.float64, 3),  # of a box around it, along the world's axes [m]
        ("upper", np.float64, 3),
    ],
    align=True,
)
"""Where a solid is."""


class Tree(Bundled, namedtuple("Tree", "order codes spare_order spare_codes counts lower upper last stack found")):
    """Room for a tree over n solids."""


def make_tree(count: int) -> Tree:
    leaves = 1
    while leaves * LEAF < count:
        leaves *= 2
    nodes = 2 * leaves - 1
    order, codes, spare_order, spare_codes, found = (np.zeros(max(count, 1), np.int64) for _ in range(5))
    lower, upper, last = np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.zeros(nodes, np.int64)
    counts, stack = np.zeros(RADIX, np.int64), np.zeros(DEPTH, np.int64)
    return Tree(order, codes, spare_order, spare_codes, counts, lower, upper, last, stack, found)


@kernel
def place_solids(solids, store, poses, placed):
    """Say where solids are.

    Args:
        solids: SOLID records. store: packing.Store. placed: PLACED records, written to, as many.
        poses: shape (bodies, 12): each body's axes in the world's, row by row, and its origin [m].
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
    """The box around the box that the tree of a mesh starts with."""
    lower, upper = get3(meshes.lower[solid.first_node]), get3(meshes.upper[solid.first_node])
    middle = add(origin, rotate(R, scale(add(lower, upper), 0.5)))
    half = scale(sub(upper, lower), 0.5)
    for k in range(3):
        reach = abs(R[3 * k]) * half[0] + abs(R[3 * k + 1]) * half[1] + abs(R[3 * k + 2]) * half[2]
        place.lower[k], place.upper[k] = middle[k] - reach, middle[k] + reach


@subroutine
def reach_along(solid, hulls, R, k):
    """How far a solid reaches down and up along axis k of the world, from its origin [m]."""
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
def find_pairs(solids, placed, meeting, margin, tree, pairs):
    """Find the pairs whose boxes are not farther apart than the margin [m], and that may meet.

    Args:
        solids: as in `place_solids`, half-spaces first. placed: what that wrote. meeting: Meeting.
        tree: `make_tree` for as many solids.
        pairs: shape (room, 2), written to: numbers of solids, the lower first, in the order of both.

    Returns:
        how many there are; those beyond the room are counted and not written.
    """
    planes = 0
    while planes < solids.shape[0] and solids[planes].kind == PLANE:
        planes += 1
    grow_tree(placed, planes, tree)
    count = 0
    for i in range(solids.shape[0]):
        found = above(placed, i, planes, margin, tree) if i < planes else near(placed, i, planes, margin, tree)
        for k in range(found):
            j = tree.found[k]
            if solids_may_meet(meeting, solids[i], solids[j]):
                if count < pairs.shape[0]:
                    pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return count


@subroutine
def above(placed, i, planes, margin, tree):
    """Note in tree.found the solids whose boxes come near to half-space i. Returns how many."""
    normal, origin = z_axis(get9(placed[i].rotation)), get3(placed[i].origin)
    x, y, z = abs(normal[0]), abs(normal[1]), abs(normal[2])
    found = 0
    for j in range(planes, placed.shape[0]):
        low, high = get3(placed[j].lower), get3(placed[j].upper)
        middle, width = scale(add(low, high), 0.5), sub(high, low)
        height = dot(normal, sub(middle, origin)) - 0.5 * (x * width[0] + y * width[1] + z * width[2])
        if height <= margin:
            tree.found[found] = j
            found += 1
    return found


@subroutine
def grow_tree(placed, planes, tree):
    """Sort all solids after the half-spaces, and box in the nodes."""
    count = placed.shape[0] - planes
    lower, upper = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for i in range(planes, placed.shape[0]):
        low, high = get3(placed[i].lower), get3(placed[i].upper)
        middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
        lower, upper = least(lower, middle), most(upper, middle)
    width = max(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2])
    cells = (RADIX - 1) / width if 0.0 < width < math.inf else 0.0
    for i in range(count):
        low, high = get3(placed[planes + i].lower), get3(placed[planes + i].upper)
        x = int(cells * (0.5 * (low[0] + high[0]) - lower[0]))
        y = int(cells * (0.5 * (low[1] + high[1]) - lower[1]))
        z = int(cells * (0.5 * (low[2] + high[2]) - lower[2]))
        tree.codes[i] = spread(x) | spread(y) << 1 | spread(z) << 2
        tree.order[i] = planes + i
    sort_codes(tree, count)
    box_nodes(placed, tree, count)


@jitable
def least(a, b):
    return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])


@jitable
def most(a, b):
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])


@jitable
def spread(x):
    """The ten bits of x, with two zeros between each two."""
    x = (x | x << 16) & 0x30000FF
    x = (x | x << 8) & 0x300F00F
    x = (x | x << 4) & 0x30C30C3
    return (x | x << 2) & 0x9249249


@subroutine
def sort_codes(tree, count):
    """Sort tree.codes, and tree.order with them: ten bits at a time, lowest first."""
    codes, order, other_codes, other_order = tree.codes, tree.order, tree.spare_codes, tree.spare_order
    if count <= FEW:
        insert_codes(codes, order, count)
        return
    for turn in range(3):
        shift = BITS * turn
        for k in range(RADIX):
            tree.counts[k] = 0
        for i in range(count):
            tree.counts[(codes[i] >> shift) & (RADIX - 1)] += 1
        total = 0
        for k in range(RADIX):
            total, tree.counts[k] = total + tree.counts[k], total
        for i in range(count):
            k = (codes[i] >> shift) & (RADIX - 1)
            place = tree.counts[k]
            tree.counts[k] = place + 1
            other_codes[place], other_order[place] = codes[i], order[i]
        codes, order, other_codes, other_order = other_codes, other_order, codes, order
    for i in range(count):  # an odd number of turns leaves all in the spare room
        tree.order[i] = tree.spare_order[i]


@subroutine
def insert_codes(codes, order, count):
    """Sort a few, each put before those with greater codes: counting takes longer than that."""
    for i in range(1, count):
        code, number, place = codes[i], order[i], i
        while place > 0 and codes[place - 1] > code:
            codes[place], order[place] = codes[place - 1], order[place - 1]
            place -= 1
        codes[place], order[place] = code, number


@subroutine
def box_nodes(placed, tree, count):
    """Give each node the box around, and the highest number in, all that is below it."""
    leaves = (tree.last.shape[0] + 1) // 2
    for node in range(tree.last.shape[0] - 1, -1, -1):
        lower, upper, last = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf), -1
        if node >= leaves - 1:
            start = (node - leaves + 1) * LEAF
            for k in range(start, min(start + LEAF, count)):
                i = tree.order[k]
                lower, upper = least(lower, get3(placed[i].lower)), most(upper, get3(placed[i].upper))
                last = max(last, i)
        else:
            for child in range(2 * node + 1, 2 * node + 3):
                lower, upper = least(lower, get3(tree.lower[child])), most(upper, get3(tree.upper[child]))
                last = max(last, tree.last[child])
        put3(tree.lower[node], lower)
        put3(tree.upper[node], upper)
        tree.last[node] = last


@subroutine
def near(placed, i, planes, margin, tree):
    """Note in tree.found, in order, the higher-numbered solids whose boxes come near to that of solid i. How many."""
    lower, upper = get3(placed[i].lower), get3(placed[i].upper)
    lower = (lower[0] - margin, lower[1] - margin, lower[2] - margin)
    upper = (upper[0] + margin, upper[1] + margin, upper[2] + margin)
    leaves = (tree.last.shape[0] + 1) // 2
    found, waiting = 0, 1
    tree.stack[0] = 0
    while waiting > 0:
        waiting -= 1
        node = tree.stack[waiting]
        if tree.last[node] <= i or not overlap(lower, upper, tree.lower[node], tree.upper[node]):
            continue
        if node < leaves - 1:
            tree.stack[waiting], tree.stack[waiting + 1] = 2 * node + 1, 2 * node + 2
            waiting += 2
            continue
        start = (node - leaves + 1) * LEAF
        for k in range(start, min(start + LEAF, placed.shape[0] - planes)):
            j = tree.order[k]
            if j > i and overlap(lower, upper, placed[j].lower, placed[j].upper):
                found = put_in_order(tree.found, found, j)
    return found


@jitable
def overlap(lower, upper, other_lower, other_upper):
    return (
        lower[0] <= other_upper[0]
        and other_lower[0] <= upper[0]
        and lower[1] <= other_upper[1]
        and other_lower[1] <= upper[1]
        and lower[2] <= other_upper[2]
        and other_lower[2] <= upper[2]
    )


@subroutine
def put_in_order(found, count, j):
    """Put a number among those found, which are sorted. Returns how many there are then."""
    place = count
    while place > 0 and found[place - 1] > j:
        found[place] = found[place - 1]
        place -= 1
    found[place] = j
    return count + 1
