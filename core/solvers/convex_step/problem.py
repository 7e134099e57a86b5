# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex time step: the kinematic trees of a model, the constraints between them, and the solver's work arrays.

It also finds the islands, which the other files of this package read. Dofs are numbered as in qd. Each kinematic tree
is one node of the graph that block_cholesky.py orders, and its block of the mass matrix is dense. Within a tree, dofs
are ordered from the leaves to the root, so that entries between two branches stay 0 in the Cholesky factors.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, subroutine
from ...contact.islands import root_of
from ...spatial.storage import renamed_fields
from .block_cholesky import ENTRY_COUNT, NEIGHBOUR_COUNT, connect, lay_out_panels, make_graph, order_nodes
from .constraint_potentials import CONVEX_CONSTRAINT

CONTACT_RECORD = np.dtype(
    [
        ("first", np.int64),  # the two solids
        ("second", np.int64),
        ("name", np.int64),  # of the point within the pair, the same in the next step
        ("position", np.float64, 3),  # the contact point [m]
        ("normal", np.float64, 3),  # unit vector from the first solid to the second
        ("gap", np.float64),  # negative if the solids overlap [m]
        ("stiffness", np.float64),  # of a compliant contact [N/m]; 0 for a rigid one
        ("spring_gap", np.float64),  # gap of a compliant contact, as `spring_share` relaxes it [m]
        ("is_slipping", np.int64),
        ("is_impact", np.int64),  # whether the impulse of this step was an impact
        ("slip_strain", np.float64, 3),  # tangential deflection of the spring that makes the contact stick [m]
        ("angular_strain", np.float64, 3),  # the same for rolling and spinning friction [rad]
        # number of the normal constraint, which the friction constraints follow; -1: none, -2: the contact sleeps
        ("constraint", np.int64),
        # load on the second body, as in POINT
        ("load", np.float64),  # normal force [N]
        ("force", np.float64, 3),  # friction force [N]
        ("torque", np.float64, 3),  # torque of rolling and spinning friction [N m]
    ],
    align=True,
)
"""One contact of a convex step: its geometry, its loads, and the state of friction that the next step needs."""

SAVED_NAMES = {
    "position": "place",
    "is_slipping": "slips",
    "is_impact": "struck",
    "slip_strain": "strain",
    "angular_strain": "twist",
    "constraint": "law",
}
"""Names under which saved states store fields of CONTACT_RECORD. A file that is read must have the same names."""

SAVED_CONTACT = renamed_fields(CONTACT_RECORD, SAVED_NAMES)
"""CONTACT_RECORD with the field names of saved states. The memory layout is the same."""


class Forest(KernelTuple, namedtuple("Forest", "tree_of_body tree_of_dof local_dof first_dof dofs mass_start")):
    """The kinematic trees of a model: bodies that joints connect, without the world.

    Attributes:
        tree_of_body, tree_of_dof: number of the tree of each body and of each dof; -1 for the world.
        local_dof: place of each dof within its tree, shape (nv,).
        first_dof, dofs: tree t has the dofs dofs[first_dof[t]:first_dof[t + 1]], the last dof of the model first.
        mass_start: where the block of each tree begins in `ConvexStep.mass_blocks`.
    """


class ConvexStep(
    KernelTuple,
    namedtuple(
        "ConvexStep",
        "forest graph constraints sorted_constraints islands dofs trees local_dofs jacobian mass_blocks"
        " composite_inertias mass_diagonal coupled_mass_diagonal v0 v_free v newton_step gradient v_position v_arrival"
        " v_mean v_flight scattered_rows work_vectors block_factors roots tree_states flight_modes asleep still_time"
        " sleep_forces contacts previous_contacts element_loads backup counts",
    ),
):
    """One convex step: its unknown velocities, its constraints, and the work arrays of Newton's method.

    Attributes:
        forest: the kinematic trees. graph: which of them constraints connect, and the Hessian; see block_cholesky.py.
        constraints: CONVEX_CONSTRAINT records. sorted_constraints: their numbers, island by island.
        islands: one line per island, with the columns FIRST_CONSTRAINT, FIRST_TREE and IS_ITERATIVE (whether conjugate
            gradients solve it), shape (trees + 1, 3).
        dofs, trees, local_dofs: the dofs that move each constraint, their trees and their places within these.
        jacobian: derivatives of the constraints' velocities with respect to these dofs, row after row.
        mass_blocks: mass matrix of each tree, with the terms that a linearly implicit step adds.
        composite_inertias: inertia of each body with all bodies that it carries, shape (bodies, 10).
        mass_diagonal: diagonal of the mass matrix, shape (nv,). coupled_mass_diagonal: the same, with the inertia of
            dofs that couplings tie to this one; see `share_coupled_mass`.
        v0, v_free, v: velocities before the step, without the constraints' impulses, and as solved, shape (nv,) each.
        newton_step, gradient: of Newton's method, shape (nv,) each.
        v_position: velocities by which positions advance. v_arrival: velocities just before the impacts of the step.
            v_mean: velocities along which impulses do their work; scratch. v_flight: changes by inertia alone, which
            are not in `v`. Shape (nv,) each.
        scattered_rows: rows of one constraint, scattered to the places of their dofs, shape (2, nv).
        work_vectors: scratch, in the order of forest.dofs, shape (4, nv). block_factors: Cholesky factors of the
            diagonal blocks, laid out as `mass_blocks`.
        roots: union-find forest of the trees; the root of a tree names its island, and is -1 outside of islands.
        tree_states: what unilateral constraints do to each tree; see restitution.py and free_flight.py.
        flight_modes: UNCONSTRAINED, CONSTRAINED or EXCLUDED for each tree; see `write_flight_modes`.
        asleep: 0, or the number of the sleeping island, for each tree. still_time: how long each tree has been still
            [s]. sleep_forces: force on each dof, besides contacts, as it fell asleep, shape (nv,) [N or N m].
        contacts, previous_contacts: CONTACT_RECORD records of this step and of the last one.
        element_loads: load of each set-valued force's stops, friction and speed limit in the last step, load of its
            drive [N or N m], and deflection of its friction's spring [m or rad], shape (set-valued forces, 3).
        backup: copies of the arrays that persist between steps, from which a failed step is repeated.
        counts: numbers of constraints, dofs, Jacobian entries, contacts, previous contacts, islands, and Newton steps.
    """


class Backup(KernelTuple, namedtuple("Backup", "previous_contacts element_loads asleep still_time sleep_forces")):
    """Copies of the arrays of a `ConvexStep` that persist between steps, as they were before the present step."""


CONSTRAINT_COUNT, DOF_COUNT, JACOBIAN_COUNT, CONTACT_COUNT, PREVIOUS_COUNT, ISLAND_COUNT, NEWTON_STEPS = range(7)
"""Entries of `counts`. NEWTON_STEPS is a sum over all steps so far."""
FIRST_CONSTRAINT, FIRST_TREE, IS_ITERATIVE = range(3)
"""Columns of `islands`."""
PASSIVE_LOAD, DRIVE_LOAD, FRICTION_STRAIN = range(3)
"""Columns of `element_loads`."""
UNTOUCHED, TOUCHED, LOADED, ARRIVING, RUBBED = 0, 1, 2, 3, -1
"""Entries of `tree_states`. Each later phase of a step overwrites them.

UNTOUCHED, TOUCHED: whether a unilateral constraint acts on the tree, written by steps.py. restitution.py then writes
LOADED if a constraint acts on the tree throughout the step, as under a weight, and for touched trees of several bodies.
It writes TOUCHED for all other single bodies, and ARRIVING for those in an island with an impact, whose `v0` is then
`v_arrival`. free_flight.py writes RUBBED if contacts with friction act on the tree.
"""


def make_forest(bodies: np.recarray) -> Forest:
    """Return the kinematic trees of BODY records."""
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
    first_dof = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    local_dof = np.zeros(nv, np.int64)
    local_dof[dofs] = np.arange(nv) - first_dof[tree_of_dof[dofs]]
    mass_start = np.concatenate([[0], np.cumsum(sizes**2)]).astype(np.int64)
    return Forest(tree_of_body, tree_of_dof, local_dof, first_dof, dofs, mass_start)


PER_DOF = (
    "mass_diagonal",
    "coupled_mass_diagonal",
    "v0",
    "v_free",
    "v",
    "newton_step",
    "gradient",
    "v_position",
    "v_arrival",
    "v_mean",
    "v_flight",
    "sleep_forces",
)
"""Arrays of a `ConvexStep` with a number for each dof."""
PER_TREE = ("roots", "tree_states", "flight_modes", "asleep")
"""Arrays with an integer for each tree."""


def make_convex_step(bodies: np.recarray, contacts: int, set_valued_forces: int = 0) -> ConvexStep:
    """Make the arrays of a convex step for these bodies and so many contacts and set-valued forces."""
    forest = make_forest(bodies)
    trees, nv = len(forest.first_dof) - 1, len(forest.dofs)
    sizes = np.diff(forest.first_dof)
    constraints = 4 * contacts + 6 * nv
    pair_dofs = 2 * int(sizes.max(initial=1))
    entries = int((sizes**2).sum()) + 16 * contacts * int(sizes.max(initial=1))
    blocks = int(forest.mass_start[-1])

    def records() -> np.recarray:
        return np.zeros(contacts, CONTACT_RECORD).view(np.recarray)

    return ConvexStep(
        forest=forest,
        graph=make_graph(sizes, 8 * trees + contacts, entries),
        constraints=np.zeros(constraints, CONVEX_CONSTRAINT).view(np.recarray),
        sorted_constraints=np.zeros(constraints, np.int64),
        islands=np.zeros((trees + 1, 3), np.int64),
        **{name: np.zeros(contacts * pair_dofs + 4 * nv, np.int64) for name in ("dofs", "trees", "local_dofs")},
        jacobian=np.zeros(4 * contacts * pair_dofs + 8 * nv),
        mass_blocks=np.zeros(blocks),
        composite_inertias=np.zeros((len(bodies), 10)),
        **{name: np.zeros(nv) for name in PER_DOF},
        scattered_rows=np.zeros((2, nv)),
        work_vectors=np.zeros((4, nv)),
        block_factors=np.zeros(blocks),
        **{name: np.zeros(trees, np.int64) for name in PER_TREE},
        still_time=np.zeros(trees),
        contacts=records(),
        previous_contacts=records(),
        element_loads=np.zeros((set_valued_forces, 3)),
        backup=Backup(
            records(), np.zeros((set_valued_forces, 3)), np.zeros(trees, np.int64), np.zeros(trees), np.zeros(nv)
        ),
        counts=np.zeros(7, np.int64),
    )


# ---- islands


@subroutine
def find_islands(step):
    """Sort constraints and trees by islands, and order the trees of each island for elimination.

    Trees that no constraint moves are in no island. Return whether the graph's arrays were long enough.
    """
    forest, roots, graph, counts = step.forest, step.roots, step.graph, step.counts
    for t in range(roots.shape[0]):
        roots[t] = -1
        for w in range(graph.adjacency.shape[1]):
            graph.adjacency[t, w] = 0
    for k in range(counts[CONSTRAINT_COUNT]):
        constraint, previous = step.constraints[k], -1
        for n in range(constraint.dof_count):
            dof = step.dofs[constraint.first_dof + n]
            t = forest.tree_of_dof[dof]
            step.trees[constraint.first_dof + n], step.local_dofs[constraint.first_dof + n] = t, forest.local_dof[dof]
            if t == previous:
                continue
            if roots[t] < 0:
                roots[t] = t
            for m in range(n):
                connect(graph, t, step.trees[constraint.first_dof + m])
            if previous >= 0:
                join_islands(roots, t, previous)
            previous = t
    sort_by_islands(step)
    graph.counts[NEIGHBOUR_COUNT], graph.counts[ENTRY_COUNT] = 0, 0
    for s in range(counts[ISLAND_COUNT]):
        ordered = order_nodes(graph, step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE])
        step.islands[s, IS_ITERATIVE] = 0 if ordered else 1
    if graph.counts[NEIGHBOUR_COUNT] > graph.neighbours.shape[0]:
        return False
    for s in range(counts[ISLAND_COUNT]):
        lay_out_panels(graph, step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE])
    return graph.counts[ENTRY_COUNT] <= graph.panels.shape[0]


@jitable
def join_islands(roots, i, j):
    """Unite the islands of trees i and j; the smaller root stays."""
    i, j = root_of(roots, i), root_of(roots, j)
    roots[max(i, j)] = min(i, j)


@subroutine
def sort_by_islands(step):
    """Number the islands by their first trees, and list trees and constraints island by island, in ascending order."""
    roots, numbers, islands = step.roots, step.graph.degrees, step.islands
    count = 0
    for t in range(roots.shape[0]):
        if roots[t] >= 0:
            root = root_of(roots, t)
            if root == t:
                numbers[t] = count
                islands[count, FIRST_CONSTRAINT], islands[count, FIRST_TREE] = 0, 0
                count += 1
            islands[numbers[root], FIRST_TREE] += 1
    for k in range(step.counts[CONSTRAINT_COUNT]):
        constraint = step.constraints[k]
        constraint.island = numbers[root_of(roots, step.forest.tree_of_dof[step.dofs[constraint.first_dof]])]
        islands[constraint.island, FIRST_CONSTRAINT] += 1
    step.counts[ISLAND_COUNT] = count
    first_constraint, first_tree = 0, 0
    for s in range(count):
        constraints, trees = islands[s, FIRST_CONSTRAINT], islands[s, FIRST_TREE]
        islands[s, FIRST_CONSTRAINT], islands[s, FIRST_TREE] = first_constraint, first_tree
        first_constraint, first_tree = first_constraint + constraints, first_tree + trees
    for t in range(roots.shape[0]):
        if roots[t] >= 0:
            s = numbers[root_of(roots, t)]
            step.graph.order[islands[s, FIRST_TREE]] = t
            islands[s, FIRST_TREE] += 1
    for k in range(step.counts[CONSTRAINT_COUNT]):
        s = step.constraints[k].island
        step.sorted_constraints[islands[s, FIRST_CONSTRAINT]] = k
        islands[s, FIRST_CONSTRAINT] += 1
    for s in range(count, 0, -1):
        islands[s, FIRST_CONSTRAINT] = islands[s - 1, FIRST_CONSTRAINT]
        islands[s, FIRST_TREE] = islands[s - 1, FIRST_TREE]
    islands[0, FIRST_CONSTRAINT], islands[0, FIRST_TREE] = 0, 0
