# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd: articulations, the laws between them, and room to solve for all velocities at once.

Dofs are numbered as in qd. An articulation is a node of the graph that elimination.py orders. Its dofs have their
places from its ends inward, so that what branches do not have to do with each other stays 0 in the factors; its block
of the mass matrix is kept whole.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...jit import jitable, subroutine
from ...joints import SCREWS
from ...kinematics.jacobian import motion_of_dof
from ...kinematics.motion import rigid_inertia_of
from ...slots import Bundled
from ...spatial import (
    force_from,
    inertia_rotate,
    momentum,
    power,
    rigid_add,
    rigid_from,
)
from ...spatial.storage import get3, get9, put3
from .block_cholesky import ENTRIES, LINKS, connect, lay_out, make_graph, order_nodes
from .constraint_potentials import LAW

HELD = np.dtype(
    [
        ("first", np.int64),  # solids
        ("second", np.int64),
        ("name", np.int64),
        ("place", np.float64, 3),  # [m]
        ("normal", np.float64, 3),
        ("gap", np.float64),
        ("stiffness", np.float64),  # of a soft one; else 0
        ("slips", np.int64),
        ("struck", np.int64),  # whether what acted was a blow
        ("strain", np.float64, 3),  # across the normal, of the spring by which it sticks [m]
        ("twist", np.float64, 3),  # likewise of rolling and spinning [rad]
        ("law", np.int64),  # its normal one; those of friction follow. -1 for none, -2 within what sleeps
        # on the second body, as POINT has them
        ("load", np.float64),
        ("force", np.float64, 3),
        ("torque", np.float64, 3),
    ],
    align=True,
)
"""A contact of a crowd: what is told of it, and what the next step must know."""


class Forest(Bundled, namedtuple("Forest", "tree_of_body tree_of_dof local first dofs mass_at")):
    """Articulations of a model: bodies that joints connect, the world left out.

    Attributes:
        tree_of_body, tree_of_dof: -1 for the world. local: of each dof, its place in its articulation.
        first, dofs: of articulation t, the dofs dofs[first[t]:first[t + 1]], the last one first. mass_at: where its
            block begins.
    """


class Crowd(
    Bundled,
    namedtuple(
        "Crowd",
        "forest graph laws sorted_laws islands dofs nodes places slopes mass inertias weights tied_weights start aim v"
        " stride gradient spread search blocks roots tied asleep quiet felt contacts before loads kept counts",
    ),
):
    """Room for a step of a crowd.

    Attributes:
        laws: LAW records. sorted_laws: their numbers, island by island. islands: where each island's laws and nodes
            begin, and whether it is solved by iteration, shape (trees + 1, 3).
        dofs, slopes: of the laws. nodes, places: of those dofs, the articulation and the place in it.
        mass: blocks of the mass matrix, with what a linearly implicit step adds. inertias: composite ones of bodies,
            shape (bodies, 10). weights: the diagonal of the mass matrix, shape (nv,). tied_weights: the same, with the
            inertia of what couplings tie to a dof; see `share_weights`.
        start: velocities before the step; aim: those without the laws; v: those that are sought; stride, gradient: of
            the search, shape (nv,) each. spread: a law's rows by the places of their dofs, shape (2, nv).
        search, blocks: of iteration.py, vectors in the order of forest.dofs, shape (4, nv), and factors, as `mass`.
        roots: of articulations, one that stands for its island. tied: of articulations, UNTIED, BOUND or LED, as
            `note_tied` finds it.
        asleep: of articulations, 0 or the number of the island that sleeps. quiet: how long they have kept still [s].
        felt: what acted on each dof as it fell asleep, besides contacts, shape (nv,) [N or N m].
        contacts, before: HELD records of this step and of the last one. loads: for each guard, the load of its stops,
            friction and speed limit and that of its drive in the last step [N or N m], and the strain of the spring by
            which its friction sticks [m or rad], shape (guards, 3). kept: the state of these arrays at the start of the
            step, from which it is tried again. counts: how many there are of all, and how many strides the search has
            taken so far.
    """


class Kept(Bundled, namedtuple("Kept", "before loads asleep quiet felt")):
    """Copies of the arrays of a `Crowd` that one step leaves to the next."""


LAW_COUNT, DOF_COUNT, SLOPE_COUNT, CONTACTS, BEFORE, ISLANDS, STRIDES = range(7)
LAWS, NODES, ITERATES = range(3)
HOLDING, DRIVING, STRAIN = range(3)
"""Columns of `loads`."""


def make_forest(bodies: np.recarray) -> Forest:
    """Of BODY records."""
    count, nv = len(bodies), int(bodies.v_end.max(initial=0))
    tree_of_body, tree_of_dof = np.full(count, -1), np.full(nv, -1)
    trees = 0
    for i in range(1, count):
        parent = int(bodies.parent[i])
        if parent > 0:
            tree_of_body[i] = tree_of_body[parent]
        else:
            tree_of_body[i], trees = trees, trees + 1
        tree_of_dof[bodies.v[i] : bodies.v_end[i]] = tree_of_body[i]
    dofs = np.lexsort((-np.arange(nv), tree_of_dof))
    sizes = np.bincount(tree_of_dof[tree_of_dof >= 0], minlength=trees)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    local = np.zeros(nv, np.int64)
    local[dofs] = np.arange(nv) - first[tree_of_dof[dofs]]
    mass_at = np.concatenate([[0], np.cumsum(sizes**2)]).astype(np.int64)
    return Forest(tree_of_body, tree_of_dof, local, first, dofs, mass_at)


def make_crowd(bodies: np.recarray, contacts: int, guards: int = 0) -> Crowd:
    """Make a crowd of BODY records and so many guards, with room for so many contacts."""
    forest = make_forest(bodies)
    trees, nv = len(forest.first) - 1, len(forest.dofs)
    sizes = np.diff(forest.first)
    laws = 4 * contacts + 6 * nv
    wide = 2 * int(sizes.max(initial=1))
    graph = make_graph(sizes, 8 * trees + contacts, int((sizes**2).sum()) + 16 * contacts * int(sizes.max(initial=1)))
    weights, tied_weights, start, aim, v, stride, gradient, felt = (np.zeros(nv) for _ in range(8))
    dofs, nodes, places = (np.zeros(contacts * wide + 4 * nv, np.int64) for _ in range(3))
    return Crowd(
        forest,
        graph,
        np.zeros(laws, LAW).view(np.recarray),
        np.zeros(laws, np.int64),
        np.zeros((trees + 1, 3), np.int64),
        dofs,
        nodes,
        places,
        np.zeros(4 * contacts * wide + 8 * nv),
        np.zeros(int(forest.mass_at[-1])),
        np.zeros((len(bodies), 10)),
        weights,
        tied_weights,
        start,
        aim,
        v,
        stride,
        gradient,
        np.zeros((2, nv)),
        np.zeros((4, nv)),
        np.zeros(int(forest.mass_at[-1])),
        np.zeros(trees, np.int64),
        np.zeros(trees, np.int64),
        np.zeros(trees, np.int64),
        np.zeros(trees),
        felt,
        np.zeros(contacts, HELD).view(np.recarray),
        np.zeros(contacts, HELD).view(np.recarray),
        np.zeros((guards, 3)),
        Kept(
            np.zeros(contacts, HELD).view(np.recarray),
            np.zeros((guards, 3)),
            np.zeros(trees, np.int64),
            np.zeros(trees),
            np.zeros(nv),
        ),
        np.zeros(7, np.int64),
    )


# ---- the mass matrix


@subroutine
def write_mass(model, work, crowd):
    """Write the blocks of the mass matrix, of bodies that are placed, with implicit inertias as `work` has them.

    Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.2, the composite-rigid-body algorithm.
    """
    count, forest, mass = model.bodies.shape[0], crowd.forest, crowd.mass
    for i in range(1, count):
        put_rigid(crowd.inertias[i], inertia_rotate(get9(work.bodies[i].rotation), rigid_inertia_of(model.bodies[i])))
    for i in range(count - 1, 0, -1):
        parent = model.bodies[i].parent
        if parent > 0:
            outer = crowd.inertias[parent]
            carried = rigid_from(get_rigid(crowd.inertias[i]), get3(work.bodies[i].arm))
            put_rigid(outer, rigid_add(get_rigid(outer), carried))
    for k in range(mass.shape[0]):
        mass[k] = 0.0
    for i in range(1, count):
        body = model.bodies[i]
        for j in range(body.v, body.v_end):
            write_row(model, work, crowd, i, j)
            if body.kind == SCREWS:
                mass[entry(forest, j, j)] += work.dofs[j].armature
        if body.kind != SCREWS:
            for v in range(body.v, body.v_end, 3):
                add_implicit(forest, mass, v, work.dofs[v].implicit_inertia)
    for j in range(crowd.weights.shape[0]):
        crowd.weights[j] = crowd.tied_weights[j] = mass[entry(forest, j, j)]


@jitable
def entry(forest, i, j):
    """Where the mass matrix has dofs i and j of one articulation."""
    tree = forest.tree_of_dof[i]
    size = forest.first[tree + 1] - forest.first[tree]
    return forest.mass_at[tree] + forest.local[i] * size + forest.local[j]


@jitable
def multiply_mass(crowd, tree, x, out):
    """Write to `out` the mass matrix of an articulation times x, both of shape (nv,) in the order of forest.dofs."""
    first, last = crowd.forest.first[tree], crowd.forest.first[tree + 1]
    size, at = last - first, crowd.forest.mass_at[tree]
    into = out[first:last]
    for c in range(size):
        into[c] = 0.0
    for i in range(size):
        value, row = x[first + i], crowd.mass[at + i * size : at + (i + 1) * size]
        for c in range(size):
            into[c] += value * row[c]


@jitable
def add_implicit(forest, mass, v, inertia):
    k = 0
    for i in range(3):
        for j in range(i, 3):
            mass[entry(forest, v + i, v + j)] += inertia[k]
            if i != j:
                mass[entry(forest, v + j, v + i)] += inertia[k]
            k += 1


@subroutine
def write_row(model, work, crowd, i, j):
    """As fill_row of dynamics/crba.py."""
    force = momentum(get_rigid(crowd.inertias[i]), motion_of_dof(model, work, i, j))
    below = i
    while below > 0:
        for k in range(model.bodies[below].v, model.bodies[below].v_end):
            value = power(motion_of_dof(model, work, below, k), force)
            crowd.mass[entry(crowd.forest, j, k)] = value
            crowd.mass[entry(crowd.forest, k, j)] = value
        force = force_from(force, get3(work.bodies[below].arm))
        below = model.bodies[below].parent


@jitable
def get_rigid(a):
    return a[0], get3(a, 1), (a[4], a[5], a[6], a[7], a[8], a[9])


@jitable
def put_rigid(a, rigid):
    a[0] = rigid[0]
    put3(a, rigid[1], 1)
    a[4], a[5], a[6], a[7], a[8], a[9] = rigid[2]


# ---- islands


@subroutine
def find_islands(crowd):
    """Sort laws and articulations by islands, and order these for elimination. Returns whether there is room.

    Articulations that no law touches are in no island.
    """
    forest, roots, graph, counts = crowd.forest, crowd.roots, crowd.graph, crowd.counts
    for t in range(roots.shape[0]):
        roots[t] = -1
        for w in range(graph.sets.shape[1]):
            graph.sets[t, w] = 0
    for k in range(counts[LAW_COUNT]):
        law, before = crowd.laws[k], -1
        for n in range(law.count):
            dof = crowd.dofs[law.first + n]
            t = forest.tree_of_dof[dof]
            crowd.nodes[law.first + n], crowd.places[law.first + n] = t, forest.local[dof]
            if t == before:
                continue
            if roots[t] < 0:
                roots[t] = t
            for m in range(n):
                connect(graph, t, crowd.nodes[law.first + m])
            if before >= 0:
                join_trees(roots, t, before)
            before = t
    sort_by_islands(crowd)
    graph.numbers[LINKS], graph.numbers[ENTRIES] = 0, 0
    for s in range(counts[ISLANDS]):
        ordered = order_nodes(graph, crowd.islands[s, NODES], crowd.islands[s + 1, NODES])
        crowd.islands[s, ITERATES] = 0 if ordered else 1
    if graph.numbers[LINKS] > graph.links.shape[0]:
        return False
    for s in range(counts[ISLANDS]):
        lay_out(graph, crowd.islands[s, NODES], crowd.islands[s + 1, NODES])
    return graph.numbers[ENTRIES] <= graph.panels.shape[0]


@jitable
def join_trees(roots, i, j):
    i, j = root_of(roots, i), root_of(roots, j)
    roots[max(i, j)] = min(i, j)


@jitable
def root_of(roots, i):
    while roots[i] != i:
        i = roots[i]
    return i


@subroutine
def sort_by_islands(crowd):
    """Number islands by their first articulations; then nodes and laws stand island by island, in their order."""
    roots, numbers, islands = crowd.roots, crowd.graph.degrees, crowd.islands
    trees, laws, count = roots.shape[0], crowd.counts[LAW_COUNT], 0
    for t in range(trees):
        if roots[t] >= 0:
            root = root_of(roots, t)
            if root == t:
                numbers[t] = count
                islands[count, LAWS], islands[count, NODES] = 0, 0
                count += 1
            islands[numbers[root], NODES] += 1
    for k in range(laws):
        law = crowd.laws[k]
        law.island = numbers[root_of(roots, crowd.forest.tree_of_dof[crowd.dofs[law.first]])]
        islands[law.island, LAWS] += 1
    crowd.counts[ISLANDS] = count
    law_at, node_at = 0, 0
    for s in range(count):
        islands[s, LAWS], law_at = law_at, law_at + islands[s, LAWS]
        islands[s, NODES], node_at = node_at, node_at + islands[s, NODES]
    for t in range(trees):
        if roots[t] >= 0:
            s = numbers[root_of(roots, t)]
            crowd.graph.order[islands[s, NODES]] = t
            islands[s, NODES] += 1
    for k in range(laws):
        s = crowd.laws[k].island
        crowd.sorted_laws[islands[s, LAWS]] = k
        islands[s, LAWS] += 1
    for s in range(count, 0, -1):
        islands[s, LAWS], islands[s, NODES] = islands[s - 1, LAWS], islands[s - 1, NODES]
    islands[0, LAWS], islands[0, NODES] = 0, 0
