# SPDX-License-Identifier: GPL-3.0-or-later
"""A triangle mesh and a convex solid: their signed distance, and their contact points.

Contact with a face is along the face's normal, at the solid's vertices that project into the face. Contact with an edge
is that with a segment, but only along normals in the Voronoi region of the edge: those that lean over neither of its
faces nor, at its ends, over an adjacent edge. All other normals belong to other features. So a solid that slides over a
floor of triangles gets only the floor's normal, and one that slides over a ridge gets a normal that turns from one face
to the next.

A closed mesh has contacts on its outside only, with solids whose origin is in front of a face. An open mesh has
contacts on the side on which the solid's origin lies. All vectors are in the mesh's axes.

Source: Ericson (2005), section 5.1.5 (Voronoi regions of a triangle); van den Bergen, Smooth mesh contacts with GJK, in
Game Physics Pearls (2010), for the artefacts without them.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..spatial import add, cross, dot, matmul, rotate, rotate_back, scale, sub, transpose
from ..spatial.storage import get3, put3
from .broad_phase import boxes_overlap, extent_along_axis
from .distance.narrow import signed_distance
from .manifold import append_contact, write_pair_contacts
from .solids import BALL, support
from .support_features import write_lowest_points

LEAF_FACES = 4
"""Number of faces in a leaf of a mesh's tree."""
BORDER, NO_EDGE = -1, -2
"""Values of `Meshes.beyond` for an edge at a border, and for an edge that nothing can touch or that the other face has.
"""

NORMAL_TOLERANCE = 1e-9
"""Sine of the angle by which the normal of an edge may lean over an adjacent face or edge because of rounding."""
FACE_ENLARGEMENT = 1e-9
"""Enlargement of a face, as a fraction of its size and the solid's, so that rounding leaves no slit between two faces.
"""
MAX_BACK_DEPTH = 1e-6
"""Depth of a solid's origin behind a face of an open mesh up to which it counts as in front, as a share of the solid's
bounding radius.

Where an open mesh passes through the middle of a solid, rounding would choose the side in each step, and the solid
would fall through. Blender stores poses in single precision, which rounds by 6e-8 of a length.
"""
SIGHT_OFFSET = 1e-4
"""Displacement of the point that `is_in_sight` tests towards the centroid of its face, as a fraction of their distance.
"""
UNUSED_AXES = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
"""Axes that `edge_distance` returns for an edge beyond the margin, which callers do not use."""
EDGE_NAMES = 1 << 40
"""The names of an edge's points begin at this number times the edge's number, from 1 on. Names of faces are below it.
"""


@subroutine
def write_mesh_contacts(A, B, store, R, c, margin, contacts, count, work):
    """Write the contact points of a mesh A and a solid B, from contacts[count] on. Return the new count.

    Args:
        R, c: B's axes and origin [m] in A's. As in manifold.write_pair_contacts, points and normals are in A's axes.
    """
    before = count
    lower, upper = box_with_margin(B, store.hulls, R, c, margin)
    work.stack[0] = 0
    leaf, stack_count = next_leaf(A, store.meshes, lower, upper, work.stack, 1)
    while leaf >= 0:
        for k in range(leaf, min(leaf + LEAF_FACES, A.face_count)):
            face = A.first_face + k
            count = write_face_contacts(A, B, store, R, c, face, margin, contacts, before, count, work)
            for side in range(3):
                if store.meshes.beyond[face, side] != NO_EDGE:
                    count = write_edge_contacts(A, B, store, R, c, face, side, margin, contacts, before, count, work)
        leaf, stack_count = next_leaf(A, store.meshes, lower, upper, work.stack, stack_count)
    return count


@subroutine
def next_leaf(A, meshes, lower, upper, stack, stack_count):
    """Continue a search of mesh A's tree for the faces whose boxes overlap a box.

    Args:
        lower, upper: corners of the box, along the mesh's axes [m].
        stack, stack_count: nodes that are still to be examined, and their number. A search begins with node 0 alone.

    Returns:
        (number of the first face of the next leaf that overlaps, or -1 at the end; number of nodes in the stack).
    """
    while stack_count > 0:
        stack_count -= 1
        node = stack[stack_count]
        if not boxes_overlap(lower, upper, meshes.lower[A.first_node + node], meshes.upper[A.first_node + node]):
            continue
        if 2 * node + 1 >= A.node_count:
            return (node - (A.node_count - 1) // 2) * LEAF_FACES, stack_count
        stack[stack_count], stack[stack_count + 1] = 2 * node + 1, 2 * node + 2
        stack_count += 2
    return -1, 0


@subroutine
def box_with_margin(B, hulls, R, c, margin):
    """Return the lower and upper corner of a box along the mesh's axes around a solid and its margin [m]."""
    below_x, above_x = extent_along_axis(B, hulls, R, 0)
    below_y, above_y = extent_along_axis(B, hulls, R, 1)
    below_z, above_z = extent_along_axis(B, hulls, R, 2)
    lower = (c[0] - below_x - margin, c[1] - below_y - margin, c[2] - below_z - margin)
    return lower, (c[0] + above_x + margin, c[1] + above_y + margin, c[2] + above_z + margin)


@jitable
def corner_of(meshes, face, k):
    return get3(meshes.vertices[meshes.faces[face, k]])


@subroutine
def front_of_face(A, B, meshes, face, c):
    """Return (whether a solid B with origin c may touch a face, the face's normal towards B, its first corner).

    On an open mesh, the normal points to the side of B's origin; if the origin is in the plane, it is the face's own.
    """
    n, p = get3(meshes.normals[face]), corner_of(meshes, face, 0)
    offset = dot(sub(c, p), n)
    if offset >= 0.0 or (A.closed == 0 and offset >= -MAX_BACK_DEPTH * B.bounding_radius):
        return True, n, p
    return A.closed == 0, scale(n, -1.0), p


@subroutine
def write_face_contacts(A, B, store, R, c, face, margin, contacts, before, count, work):
    """Write the contact points of a face: the solid's vertices above it. Return the new count."""
    meshes = store.meshes
    is_in_front, n, p = front_of_face(A, B, meshes, face, c)
    if not is_in_front:
        return count
    if dot(sub(c, p), n) - B.bounding_radius > margin:
        return count
    down = rotate_back(R, (-n[0], -n[1], -n[2]))
    lowest = add(c, rotate(R, support(B, store.hulls, down)))
    if dot(sub(lowest, p), n) - B.radius > margin:
        return count
    rows = work.lists.feature_b
    corners = write_lowest_points(B, store.hulls, down, rows)
    may_be_hidden = A.closed == 0 and not projects_into_face(meshes, face, c, B.bounding_radius)
    for i in range(corners):
        at = sub(add(c, rotate(R, get3(rows[i]))), scale(n, B.radius))
        gap = dot(sub(at, p), n)
        if gap <= margin and projects_into_face(meshes, face, at, B.bounding_radius):
            if may_be_hidden and not is_in_sight(A, store, c, face, sub(at, scale(n, gap)), work):
                continue
            name = int(rows[i, 3])
            if not merge_with_existing_point(contacts, before, count, name, n, gap):
                count = append_contact(contacts, count, sub(at, scale(n, 0.5 * gap)), n, gap, name)
    return count


@subroutine
def projects_into_face(meshes, face, at, size):
    """Return whether the projection of a point along the face's normal lies within the face."""
    n = get3(meshes.normals[face])
    for k in range(3):
        start = corner_of(meshes, face, k)
        edge = sub(corner_of(meshes, face, (k + 1) % 3), start)
        length = math.sqrt(dot(edge, edge))
        if dot(cross(n, edge), sub(at, start)) < -FACE_ENLARGEMENT * (length + size) * length:
            return False
    return True


@subroutine
def is_in_sight(A, store, c, face, foot, work):
    """Return whether no other face of an open mesh lies between a solid's origin `c` and the point `foot` of a face.

    Beyond a ridge there may be a face whose back is turned to the solid. The solid is not behind the mesh there, so
    this face must not push it. `foot` is moved slightly into its face, since a point on a ridge is visible from both
    sides.
    """
    meshes = store.meshes
    middle = add(add(corner_of(meshes, face, 0), corner_of(meshes, face, 1)), corner_of(meshes, face, 2))
    foot = add(foot, scale(sub(scale(middle, 1.0 / 3.0), foot), SIGHT_OFFSET))
    sight_line = sub(foot, c)
    lower = (min(c[0], foot[0]), min(c[1], foot[1]), min(c[2], foot[2]))
    upper = (max(c[0], foot[0]), max(c[1], foot[1]), max(c[2], foot[2]))
    work.sight_stack[0] = 0
    leaf, stack_count = next_leaf(A, meshes, lower, upper, work.sight_stack, 1)
    while leaf >= 0:
        for k in range(leaf, min(leaf + LEAF_FACES, A.face_count)):
            if segment_crosses_face(meshes, A.first_face + k, c, sight_line):
                return False
        leaf, stack_count = next_leaf(A, meshes, lower, upper, work.sight_stack, stack_count)
    return True


@subroutine
def segment_crosses_face(meshes, face, c, sight_line):
    """Return whether the segment `sight_line` from a point `c` crosses a face from one side to the other."""
    n = get3(meshes.normals[face])
    length = math.sqrt(dot(sight_line, sight_line))
    before = dot(sub(c, corner_of(meshes, face, 0)), n)
    after = before + dot(sight_line, n)
    if min(abs(before), abs(after)) <= FACE_ENLARGEMENT * length or (before > 0.0) == (after > 0.0):
        return False
    return projects_into_face(meshes, face, add(c, scale(sight_line, before / (before - after))), length)


@subroutine
def merge_with_existing_point(contacts, before, count, name, n, gap):
    """Give the contact point that a vertex has from an adjacent face in the same plane the smaller of both gaps.

    Return whether there is such a point.
    """
    for i in range(before, min(count, contacts.shape[0])):
        contact = contacts[i]
        if contact.name == name and dot(get3(contact.normal), n) > 1.0 - 1e-9:
            if gap < contact.gap:
                contact.gap = gap
            return True
    return False


@subroutine
def write_edge_contacts(A, B, store, R, c, face, side, margin, contacts, before, count, work):
    """Write the contact points of an edge. Return the new count."""
    meshes = store.meshes
    is_within, s, n, a, Q, middle = edge_distance(B, store, R, c, face, side, margin, work)
    if not is_within or s > margin or not is_edge_normal(meshes, face, side, n, a):
        return count
    segment = work.segment[0]
    turned, moved = matmul(transpose(Q), R), rotate_back(Q, sub(c, middle))
    start = count
    count = write_pair_contacts(
        segment, B, store.hulls, turned, moved, s, rotate_back(Q, n), rotate_back(Q, sub(a, middle)), margin, contacts,
        count, work.lists,
    )  # fmt: skip
    for i in range(start, min(count, contacts.shape[0])):
        contact = contacts[i]
        put3(contact.point, add(middle, rotate(Q, get3(contact.point))))
        put3(contact.normal, rotate(Q, get3(contact.normal)))
        contact.name = EDGE_NAMES * (3 * (face - A.first_face) + side + 1) + contact.name
    return count


@subroutine
def edge_distance(B, store, R, c, face, side, margin, work):
    """Compute the distance of a solid from an edge, which is written to `work.segment` as a segment.

    Return (whether it is within the margin, signed distance [m], normal towards the solid, the edge's point, the
    segment's axes, the segment's middle).
    """
    meshes = store.meshes
    start, end = corner_of(meshes, face, side), corner_of(meshes, face, (side + 1) % 3)
    middle = scale(add(start, end), 0.5)
    along = sub(end, start)
    length2, away = dot(along, along), sub(c, middle)
    off = sub(away, scale(along, min(max(dot(away, along) / length2, -0.5), 0.5)))
    if math.sqrt(dot(off, off)) - B.bounding_radius > margin:
        return False, 0.0, away, middle, UNUSED_AXES, middle
    length = math.sqrt(length2)
    segment = work.segment[0]
    segment.half[2] = segment.bounding_radius = 0.5 * length
    Q = axes_along(scale(along, 1.0 / length), get3(meshes.normals[face]))
    R_QB, moved = matmul(transpose(Q), R), rotate_back(Q, away)
    if B.kind == BALL:
        back = transpose(R_QB)
        s, n, on_ball = signed_distance(
            B, segment, store.hulls, back, scale(rotate(back, moved), -1.0), margin, work.polytope
        )
        a = add(moved, rotate(R_QB, add(on_ball, scale(n, s))))
        n = scale(rotate(R_QB, n), -1.0)
    else:
        s, n, a = signed_distance(segment, B, store.hulls, R_QB, moved, margin, work.polytope)
    return True, s, rotate(Q, n), add(middle, rotate(Q, a)), Q, middle


@jitable
def axes_along(z, normal):
    """Return axes, as columns, whose z is along an edge and whose x is along its face's normal."""
    y = cross(z, normal)
    return normal[0], y[0], z[0], normal[1], y[1], z[1], normal[2], y[2], z[2]


@subroutine
def is_edge_normal(meshes, face, side, n, a):
    """Return whether a normal at a point of an edge is the edge's: it leans over no face and no following edge."""
    start, end = corner_of(meshes, face, side), corner_of(meshes, face, (side + 1) % 3)
    edge = sub(end, start)
    if leans_over(meshes, face, edge, start, n):
        return False
    other = meshes.beyond[face, side]
    if other != BORDER and leans_over(meshes, other, edge, start, n):
        return False
    length2 = dot(edge, edge)
    along = dot(sub(a, start), edge)
    if along <= NORMAL_TOLERANCE * length2:
        return is_vertex_normal(meshes, meshes.faces[face, side], n)
    if along >= (1.0 - NORMAL_TOLERANCE) * length2:
        return is_vertex_normal(meshes, meshes.faces[face, (side + 1) % 3], n)
    return True


@subroutine
def leans_over(meshes, face, edge, start, n):
    """Return whether n leans over a face that has an edge with the point `start`."""
    across = cross(get3(meshes.normals[face]), edge)
    middle = add(add(corner_of(meshes, face, 0), corner_of(meshes, face, 1)), corner_of(meshes, face, 2))
    lean = dot(n, across)
    if dot(across, sub(scale(middle, 1.0 / 3.0), start)) < 0.0:  # across points out of the face
        lean = -lean
    return lean > NORMAL_TOLERANCE * math.sqrt(dot(edge, edge))


@subroutine
def is_vertex_normal(meshes, vertex, n):
    """Return whether n leans over no edge of a vertex."""
    p = get3(meshes.vertices[vertex])
    for k in range(meshes.neighbours_from[vertex], meshes.neighbours_from[vertex + 1]):
        edge = sub(get3(meshes.vertices[meshes.neighbours[k]]), p)
        if dot(n, edge) > NORMAL_TOLERANCE * math.sqrt(dot(edge, edge)):
            return False
    return True


@subroutine
def mesh_distance(A, B, store, R, c, margin, work):
    """Do what narrow.signed_distance does for a mesh A and a solid B: find the face or edge of smallest distance."""
    best, normal, point = math.inf, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    lower, upper = box_with_margin(B, store.hulls, R, c, 0.0)
    stack, stack_count = work.stack, 1
    stack[0] = 0
    while stack_count > 0:
        stack_count -= 1
        node = stack[stack_count]
        within = min(margin, max(best, 0.0))
        if box_distance2(lower, upper, store.meshes, A.first_node + node) > within * within:
            continue
        # The nearer child is visited first, since its distance may exclude the other child.
        if 2 * node + 1 < A.node_count:
            nearer, farther = 2 * node + 1, 2 * node + 2
            if box_distance2(lower, upper, store.meshes, A.first_node + farther) < box_distance2(
                lower, upper, store.meshes, A.first_node + nearer
            ):
                nearer, farther = farther, nearer
            stack[stack_count], stack[stack_count + 1] = farther, nearer
            stack_count += 2
            continue
        start = (node - (A.node_count - 1) // 2) * LEAF_FACES
        for k in range(start, min(start + LEAF_FACES, A.face_count)):
            s, n, a = face_distance(A, B, store, R, c, A.first_face + k, min(margin, best), work)
            if s < best:
                best, normal, point = s, n, a
    return best, normal, point


@subroutine
def box_distance2(lower, upper, meshes, node):
    """Return the square of the distance of a box from the box of a node [m^2]; 0 if they overlap."""
    total = 0.0
    for k in range(3):
        gap = max(lower[k] - meshes.upper[node, k], meshes.lower[node, k] - upper[k], 0.0)
        total += gap * gap
    return total


@subroutine
def face_distance(A, B, store, R, c, face, margin, work):
    """Do what `mesh_distance` does for one face and its edges. The margin may be negative."""
    meshes = store.meshes
    best, normal, point = math.inf, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    is_in_front, n, p = front_of_face(A, B, meshes, face, c)
    if abs(dot(sub(c, p), n)) - B.bounding_radius > margin:
        return best, normal, point
    if is_in_front:
        at = add(c, rotate(R, support(B, store.hulls, rotate_back(R, (-n[0], -n[1], -n[2])))))
        at = sub(at, scale(n, B.radius))
        s = dot(sub(at, p), n)
        foot = sub(at, scale(n, s))
        may_be_hidden = A.closed == 0 and not projects_into_face(meshes, face, c, B.bounding_radius)
        if projects_into_face(meshes, face, at, B.bounding_radius) and not (
            may_be_hidden and not is_in_sight(A, store, c, face, foot, work)
        ):
            best, normal, point = s, n, foot
    for side in range(3):
        if meshes.beyond[face, side] == NO_EDGE:
            continue
        is_within, s, n, a, _, _ = edge_distance(B, store, R, c, face, side, min(margin, best), work)
        if is_within and s < best and (s > 0.0 or is_edge_normal(meshes, face, side, n, a)):
            best, normal, point = s, n, a
    return best, normal, point
