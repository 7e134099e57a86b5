# SPDX-License-Identifier: GPL-3.0-or-later
"""The broad phase: candidate pairs of solids whose bounding boxes overlap, found by a bounding volume hierarchy.

The boxes are aligned with the world's axes. The tree is an implicit binary tree: solids are sorted along a
space-filling curve (Morton's), and divided in this order into leaves of `LEAF_SIZE` solids. The root is node 0, and the
children of node k are 2k + 1 and 2k + 2. Each call builds the tree anew, in a time proportional to the number of
solids, so the result does not depend on earlier calls. Half-spaces have no box; they are compared with all other
solids.

The tree is queried with each leaf in the order of the curve, so that consecutive queries read the same memory. Pairs
are sorted afterwards.

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

LEAF_SIZE = 4
"""Largest number of solids in a leaf."""
MORTON_BITS = 10
"""Number of bits for each coordinate in a Morton code."""
FEW_SOLIDS = 1024
"""Largest number of solids that are sorted by half of MORTON_BITS, which is faster for so few."""
STACK_SIZE = 64
"""Length of the stack of nodes that a query has still to visit: two for each of 32 levels, more than memory can hold.
"""

SOLID_POSE = np.dtype(
    [
        ("rotation", np.float64, 9),  # the solid's axes in the world
        ("origin", np.float64, 3),  # in the world [m]
        ("lower", np.float64, 3),  # lower corner of its bounding box, along the world's axes [m]
        ("upper", np.float64, 3),  # upper corner of that box [m]
    ],
    align=True,
)
"""The pose and the bounding box of a solid in the world."""


class Tree(KernelTuple, namedtuple("Tree", "order codes spare_order spare_codes counts lower upper last_leaf stack")):
    """Work arrays of a tree over n solids.

    Attributes:
        order: numbers of the solids in the order of the curve, shape (n,).
        codes: their Morton codes, shape (n,).
        spare_order, spare_codes, counts: work arrays of the sort.
        lower, upper: corners of the nodes' boxes along the world's axes, shape (nodes, 3) [m].
        last_leaf: the last leaf below each node, shape (nodes,). It is constant.
        stack: nodes that are still to be examined, shape (STACK_SIZE,).
    """


def make_tree(count: int) -> Tree:
    leaves = 1
    while leaves * LEAF_SIZE < count:
        leaves *= 2
    nodes = 2 * leaves - 1
    order, codes, spare_order, spare_codes = (np.zeros(max(count, 1), np.int64) for _ in range(4))
    lower, upper, last_leaf = np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.arange(nodes)
    for node in range(leaves - 2, -1, -1):
        last_leaf[node] = last_leaf[2 * node + 2]
    counts, stack = np.zeros(1 << MORTON_BITS, np.int64), np.zeros(STACK_SIZE, np.int64)
    return Tree(order, codes, spare_order, spare_codes, counts, lower, upper, last_leaf, stack)


@kernel
def write_solid_poses(solids, store, body_poses, solid_poses):
    """Write the poses and boxes of solids to `solid_poses`.

    Args:
        solids: SOLID records.
        store: packing.Store.
        body_poses: shape (bodies, 12): each body's axes in the world, row by row, and its origin [m].
        solid_poses: SOLID_POSE records, one for each solid, written to.
    """
    for i in range(solids.shape[0]):
        solid, pose = solids[i], solid_poses[i]
        body_pose = body_poses[solid.body]
        R_body = get9(body_pose)
        R = matmul(R_body, get9(solid.rotation))
        origin = add(get3(body_pose, 9), rotate(R_body, get3(solid.origin)))
        put9(pose.rotation, R)
        put3(pose.origin, origin)
        if solid.kind == MESH:
            write_mesh_box(solid, store.meshes, R, origin, pose)
            continue
        for k in range(3):
            below, above = extent_along_axis(solid, store.hulls, R, k)
            pose.lower[k], pose.upper[k] = origin[k] - below, origin[k] + above


@subroutine
def write_mesh_box(solid, meshes, R, origin, pose):
    """Write to `pose` the bounding box, along the world's axes, of the root box of a mesh's tree."""
    lower, upper = get3(meshes.lower[solid.first_node]), get3(meshes.upper[solid.first_node])
    middle = add(origin, rotate(R, scale(add(lower, upper), 0.5)))
    half = scale(sub(upper, lower), 0.5)
    for k in range(3):
        reach = abs(R[3 * k]) * half[0] + abs(R[3 * k + 1]) * half[1] + abs(R[3 * k + 2]) * half[2]
        pose.lower[k], pose.upper[k] = middle[k] - reach, middle[k] + reach


@subroutine
def extent_along_axis(solid, hulls, R, k):
    """Return how far a solid extends from its origin against and along axis k of the world, two lengths [m]."""
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
def find_pairs(solids, solid_poses, collision_filter, margin, tree, pairs):
    """Write the pairs that may collide and whose boxes are at most `margin` apart, and return their number.

    If `pairs` is too short, all pairs are counted, but those in it are not valid.

    Args:
        solids: as in `write_solid_poses`, half-spaces first.
        solid_poses: written by `write_solid_poses`.
        collision_filter: CollisionFilter.
        margin: [m].
        tree: `make_tree` for as many solids.
        pairs: shape (room, 2), written to: numbers of two solids, the lower one first, in lexicographic order.
    """
    plane_count = 0
    while plane_count < solids.shape[0] and solids[plane_count].kind == PLANE:
        plane_count += 1
    build_tree(solid_poses, plane_count, margin, tree)
    count = 0
    for i in range(plane_count):
        count = add_plane_pairs(solids, solid_poses, collision_filter, i, plane_count, margin, pairs, count)
    plane_pair_count = count
    leaves = (tree.last_leaf.shape[0] + 1) // 2
    for leaf in range(leaves - 1, leaves - 1 + (solid_poses.shape[0] - plane_count + LEAF_SIZE - 1) // LEAF_SIZE):
        count = add_leaf_pairs(solids, solid_poses, collision_filter, leaf, plane_count, margin, tree, pairs, count)
    if count <= pairs.shape[0]:
        sort_pairs(pairs, plane_pair_count, count, tree.codes, tree.spare_codes)
    return count


@subroutine
def add_plane_pairs(solids, solid_poses, collision_filter, i, plane_count, margin, pairs, count):
    """Write the pairs of half-space i with solids whose boxes are at most `margin` [m] above it.

    Return the number of all pairs.
    """
    normal, origin = z_axis(get9(solid_poses[i].rotation)), get3(solid_poses[i].origin)
    x, y, z = abs(normal[0]), abs(normal[1]), abs(normal[2])
    for j in range(plane_count, solids.shape[0]):
        low, high = get3(solid_poses[j].lower), get3(solid_poses[j].upper)
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
def add_leaf_pairs(solids, solid_poses, collision_filter, leaf, plane_count, margin, tree, pairs, count):
    """Write the pairs of a leaf's solids with each other and with those of later leaves.

    Return the number of all pairs.
    """
    lower, upper = get3(tree.lower[leaf]), get3(tree.upper[leaf])
    inner = (tree.last_leaf.shape[0] + 1) // 2 - 1
    stack_count = 1
    tree.stack[0] = 0
    while stack_count > 0:
        stack_count -= 1
        node = tree.stack[stack_count]
        while node < inner:  # descend to the first leaf that overlaps; push the other nodes that do
            node = 2 * node + 1
            if may_overlap(lower, upper, leaf, tree, node + 1):
                if may_overlap(lower, upper, leaf, tree, node):
                    tree.stack[stack_count] = node + 1
                    stack_count += 1
                else:
                    node += 1
            elif not may_overlap(lower, upper, leaf, tree, node):
                break
        else:
            count = add_pairs_of_leaves(
                solids,
                solid_poses,
                collision_filter,
                leaf - inner,
                node - inner,
                plane_count,
                margin,
                tree,
                pairs,
                count,
            )
    return count


@jitable
def may_overlap(lower, upper, leaf, tree, node):
    """Return whether a node has a descendant that is `leaf` or a later leaf, and its box overlaps the given one."""
    return (tree.last_leaf[node] >= leaf) & boxes_overlap(lower, upper, tree.lower[node], tree.upper[node])


@subroutine
def add_pairs_of_leaves(solids, solid_poses, collision_filter, one, other, plane_count, margin, tree, pairs, count):
    """Write the pairs of the solids of two leaves, or of one leaf, whose boxes are at most `margin` apart.

    Return the number of all pairs.
    """
    total, leaf = solid_poses.shape[0] - plane_count, tree.last_leaf.shape[0] // 2 + other
    for a in range(one * LEAF_SIZE, min(one * LEAF_SIZE + LEAF_SIZE, total)):
        i = tree.order[a]
        lower, upper = get3(solid_poses[i].lower), get3(solid_poses[i].upper)
        lower = (lower[0] - margin, lower[1] - margin, lower[2] - margin)
        upper = (upper[0] + margin, upper[1] + margin, upper[2] + margin)
        if boxes_overlap(lower, upper, tree.lower[leaf], tree.upper[leaf]):
            for b in range(a + 1 if one == other else other * LEAF_SIZE, min(other * LEAF_SIZE + LEAF_SIZE, total)):
                j = tree.order[b]
                if boxes_overlap(lower, upper, solid_poses[j].lower, solid_poses[j].upper):
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
                slot = next_of[first]
                next_of[first] = slot + 1
                pairs[slot, 0], first = first, pairs[slot, 0]
                pairs[slot, 1], second = second, pairs[slot, 1]
            pairs[k, 0], pairs[k, 1] = first, second
            next_of[i] = k + 1
        sort_by_second(pairs, start, end_of[i])
        start = end_of[i]


@subroutine
def sort_by_second(pairs, start, end):
    """Sort the pairs of one solid by the second number. They may be many, as those of a floor.

    Source: Shell, CACM 2 (1959).
    """
    gap = 1
    while 3 * gap + 1 < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(start + gap, end):
            number, slot = pairs[k, 1], k
            while slot - gap >= start and pairs[slot - gap, 1] > number:
                pairs[slot, 1] = pairs[slot - gap, 1]
                slot -= gap
            pairs[slot, 1] = number
        gap //= 3


@subroutine
def build_tree(solid_poses, plane_count, margin, tree):
    """Sort all solids except half-spaces along the curve, and write the nodes' boxes, enlarged by `margin` [m]."""
    count = solid_poses.shape[0] - plane_count
    lower, upper = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for i in range(plane_count, solid_poses.shape[0]):
        low, high = get3(solid_poses[i].lower), get3(solid_poses[i].upper)
        middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
        lower, upper = component_min(lower, middle), component_max(upper, middle)
    width = max(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2])
    bits = MORTON_BITS // 2 if count <= FEW_SOLIDS else MORTON_BITS
    cells = ((1 << bits) - 1) / width if 0.0 < width < math.inf else 0.0
    for i in range(count):
        low, high = get3(solid_poses[plane_count + i].lower), get3(solid_poses[plane_count + i].upper)
        x = int(cells * (0.5 * (low[0] + high[0]) - lower[0]))
        y = int(cells * (0.5 * (low[1] + high[1]) - lower[1]))
        z = int(cells * (0.5 * (low[2] + high[2]) - lower[2]))
        tree.codes[i] = spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2
        tree.order[i] = plane_count + i
    sort_codes(tree, count, bits)
    write_node_boxes(solid_poses, margin, tree, count)


@jitable
def component_min(a, b):
    return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])


@jitable
def component_max(a, b):
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])


@jitable
def spread_bits(x):
    """Return x, of ten bits, with two zeros inserted between each bit and the next."""
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
            slot = tree.counts[k]
            tree.counts[k] = slot + 1
            other_codes[slot], other_order[slot] = codes[i], order[i]
        codes, order, other_codes, other_order = other_codes, other_order, codes, order
    for i in range(count):  # after an odd number of passes the result is in the spare arrays
        tree.order[i] = tree.spare_order[i]


@subroutine
def write_node_boxes(solid_poses, margin, tree, count):
    """Write to each node the box around all solids below it, enlarged by `margin` [m]."""
    leaves = (tree.last_leaf.shape[0] + 1) // 2
    for node in range(tree.last_leaf.shape[0] - 1, -1, -1):
        lower, upper = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
        if node >= leaves - 1:
            start = (node - leaves + 1) * LEAF_SIZE
            for k in range(start, min(start + LEAF_SIZE, count)):
                pose = solid_poses[tree.order[k]]
                lower, upper = component_min(lower, get3(pose.lower)), component_max(upper, get3(pose.upper))
            lower = (lower[0] - margin, lower[1] - margin, lower[2] - margin)
            upper = (upper[0] + margin, upper[1] + margin, upper[2] + margin)
        else:
            for child in range(2 * node + 1, 2 * node + 3):
                lower, upper = (
                    component_min(lower, get3(tree.lower[child])),
                    component_max(upper, get3(tree.upper[child])),
                )
        put3(tree.lower[node], lower)
        put3(tree.upper[node], upper)


@jitable
def boxes_overlap(lower, upper, other_lower, other_upper):
    return (
        (lower[0] <= other_upper[0])
        & (other_lower[0] <= upper[0])
        & (lower[1] <= other_upper[1])
        & (other_lower[1] <= upper[1])
        & (lower[2] <= other_upper[2])
        & (other_lower[2] <= upper[2])
    )
