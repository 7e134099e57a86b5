"""How many ways a mechanism can move: counted by Gruebler's formula, and by the rank of what its loops ask for.

Each loop asks that the two ways round it to the same frame move it alike: with the loop joint's own velocities as
unknowns beside those of the tree, that is six equations a loop, whatever its joint's type. Couplings add one each, and
so does an axis whose limits leave it no room.

Source: Angeles, Fundamentals of Robotic Mechanical Systems (4th ed., 2014), section 8.2 (Chebyshev-Gruebler-Kutzbach),
and Gogu, Structural Synthesis of Parallel Robots (2008), section 2.3, for mobility by rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..model import CompiledModel, Joint, LoopJoint, compile_model
from ..model.model import Loop, Model
from ..spatial import Pose, compose, inverse, quat_of_mat, quat_to_mat
from .coordinates import coordinates_at
from .forward import place_links
from .jacobian import body_jacobian
from .joint_motion import JointMotion
from .work import make_work

RANK_TOLERANCE = 1e-6
"""Part of the largest singular value below which one counts as none: axes are often given with six digits."""


LONGEST_CHAIN = 8
"""Links in a row that are looked at together for a spin."""


@dataclass(frozen=True)
class Redundancy:
    """A loop of whose `constraints` so many are already given by the rest of the mechanism."""

    loop: Loop
    constraints: int
    redundant: int


@dataclass(frozen=True)
class Mobility:
    """What `mobility` found.

    Attributes:
        by_rank: degrees of freedom in the pose that was asked for.
        by_count: Gruebler's count, which takes every constraint for independent.
        redundancies: one a loop. Together with couplings, they account for by_rank - by_count.
        spins: links, a chain each, that can turn about their own axis while all else stands still.
    """

    by_rank: int
    by_count: int
    redundancies: tuple[Redundancy, ...]
    spins: tuple[tuple[str, ...], ...]


def mobility(model: Model, q: dict | None = None) -> Mobility:
    """Count the ways in which the model can move from the pose at `q`: {joint: number or list}; as drawn elsewhere.

    Raises:
        ModelError: the model cannot be compiled, or `q` does not fit it.
    """
    return _Count(compile_model(model), q or {}).result()


class _Count:
    """The equations of all loops and couplings over the velocities of the tree, then of the loop joints.

    Kernels run undecorated here: one count is over before they would be compiled.
    """

    def __init__(self, compiled: CompiledModel, q: dict):
        self.compiled, self.model = compiled, compiled.model
        drawn = {name: span.joint.q_neutral for name, span in compiled.spans.items()}
        self.q = compiled.q_from(drawn | q)
        self.starts = np.cumsum([compiled.nv, *(loop.joint.nv for loop in compiled.loops)])
        self.unknowns = int(self.starts[-1])
        self.X_WB = _body_poses(compiled, self.q)
        self.X_WL = {
            name: compose(self.X_WB[body], tuple(X_BL))
            for name, body, X_BL in zip(compiled.link_names, compiled.link_body, compiled.X_BL.tolist(), strict=True)
        }
        self.length = _size(self.X_WL.values())

    def result(self) -> Mobility:
        tree = [row for span in self.compiled.spans.values() for row in self._stuck(span.joint)]
        equations = tree + self._coupled()
        ranks = [_rank(equations, self.unknowns)]
        loops = self.model.loops()
        for number, loop in enumerate(self.compiled.loops):
            equations = equations + self._closing(number, loop) + self._stuck(loop.joint)
            ranks.append(_rank(equations, self.unknowns))
        redundancies = tuple(
            Redundancy(loop, 6 - loop.joint.nv, 6 + len(self._stuck(loop.joint)) - int(gained))
            for loop, gained in zip(loops, np.diff(ranks), strict=True)
        )
        return Mobility(
            by_rank=self.unknowns - ranks[-1],
            by_count=self.unknowns - len(equations),
            redundancies=redundancies,
            spins=tuple(self._spins(equations)) if loops else (),
        )

    def _closing(self, number: int, loop: LoopJoint) -> list[np.ndarray]:
        """The child-side frame, carried by its link, moves as the parent-side frame and the joint move it."""
        X_WP = compose(self.X_WB[loop.parent_body], loop.X_BP)
        X_WC = compose(self.X_WB[loop.child_body], loop.X_BC)
        values = coordinates_at(loop.joint, compose(inverse(X_WP), X_WC), np.array(loop.joint.q_neutral))
        rows = np.zeros((6, self.unknowns))
        rows[:, : self.compiled.nv] = self._jacobian(loop.child_body, X_WC) - self._jacobian(loop.parent_body, X_WC)
        own = JointMotion(loop.joint).subspace(values)
        R = np.array(quat_to_mat(X_WC[3:])).reshape(3, 3)
        at = slice(self.starts[number], self.starts[number + 1])
        rows[:3, at], rows[3:, at] = -R @ own[:3], -R @ own[3:]
        rows[:3] /= self.length
        return list(rows)

    def _jacobian(self, body: int, X_W: Pose) -> np.ndarray:
        """Of the point of `body` that is at X_W now."""
        J = np.zeros((6, self.compiled.nv))
        point = np.array(compose(inverse(self.X_WB[body]), X_W)[:3])
        body_jacobian.python(self.compiled.arrays, make_work(self.compiled.arrays), self.q, body, point, J)
        return J

    def _coupled(self) -> list[np.ndarray]:
        rows = []
        for equation in self.model.equations():
            row = np.zeros(self.unknowns)
            for term in equation.terms:
                dof = self._dof(self.model.joint(term.joint), term.axis)
                if dof is not None:
                    row[dof] += term.weight
            rows.append(row)
        return rows

    def _stuck(self, joint: Joint) -> list[np.ndarray]:
        """A row for each axis whose limits leave it no room."""
        rows = []
        for column in joint.columns:
            axis = joint.axes[column.axis]
            if joint.kind.slot(column.axis).limited and axis.lower == axis.upper:
                rows.append(np.eye(self.unknowns)[self._dof(joint, column.axis)])
        return rows

    def _dof(self, joint: Joint, axis: int) -> int | None:
        """The unknown that is the velocity about that axis; None where it has none."""
        place = next((i for i, column in enumerate(joint.columns) if column.axis == axis), None)
        if place is None:
            return None
        for number, loop in enumerate(self.compiled.loops):
            if loop.joint is joint:
                return int(self.starts[number]) + place
        return range(*self.compiled.spans[joint.name].v.indices(self.compiled.nv))[place]

    # ---- chains that spin

    def _spins(self, equations: list[np.ndarray]) -> Iterator[tuple[str, ...]]:
        motions = _null_space(np.array(equations), self.unknowns)[: self.compiled.nv]
        scale = np.array([[1.0 / self.length]] * 3 + [[1.0]] * 3)
        twists = {
            name: scale * (self._jacobian(body, self.X_WL[name]) @ motions)
            for name, body in zip(self.compiled.link_names, self.compiled.link_body, strict=True)
        }
        seen: list[set[str]] = []
        for chain in sorted(self._chains(), key=len):
            if any(spin <= {*chain} for spin in seen):
                continue
            others = [twists[name] for name in twists if name not in chain]
            alike = [twists[name] - twists[chain[0]] for name in chain[1:]]
            if _null_space(np.vstack(others + alike), motions.shape[1]).shape[1]:
                seen.append({*chain})
                yield chain

    def _chains(self) -> Iterator[tuple[str, ...]]:
        """Links in a row between two different others, each of them held by just two joints."""
        links = dict(zip(self.compiled.link_names, self.compiled.link_body.tolist(), strict=True))
        neighbours: dict[int, list[int]] = {body: [] for body in {0, *links.values()}}
        for joint in self.model.joints:
            one, other = (links.get(name, 0) for name in (joint.parent, joint.child))
            if one != other:
                neighbours[one].append(other)
                neighbours[other].append(one)
        between = {body for body, near in neighbours.items() if body and len(near) == 2}
        for first in sorted(between):
            for run in _runs(first, between, neighbours):
                yield tuple(name for name, body in links.items() if body in run)


def _runs(first: int, between: set[int], neighbours: dict[int, list[int]]) -> Iterator[set[int]]:
    """Rows of bodies from `first` on, either way, shortest first, that end at two different bodies."""
    for way in neighbours[first]:
        run, before, here = {first}, way, first
        while True:
            ahead = next((body for body in neighbours[here] if body != before), before)
            if ahead != way:
                yield {*run}
            if ahead not in between or ahead in run or ahead == way or len(run) == LONGEST_CHAIN:
                break
            run.add(ahead)
            before, here = here, ahead


def _rank(equations: list[np.ndarray], unknowns: int) -> int:
    return unknowns - _null_space(np.array(equations).reshape(-1, unknowns), unknowns).shape[1]


def _null_space(A: np.ndarray, unknowns: int) -> np.ndarray:
    """An orthonormal basis of what A maps to nothing, shape (unknowns, k)."""
    if not A.size:
        return np.eye(unknowns)
    _, sizes, V = np.linalg.svd(A)
    rank = int((sizes > RANK_TOLERANCE * max(sizes[0], RANK_TOLERANCE)).sum())
    return V[rank:].T


def _size(poses: Iterable[Pose]) -> float:
    """A length to measure by, so that turns and slides weigh alike [m]."""
    points = np.array([pose[:3] for pose in poses]).reshape(-1, 3)
    return float(max(np.ptp(np.vstack([points, np.zeros(3)]), axis=0).max(), 1e-3))


def _body_poses(compiled: CompiledModel, q: np.ndarray) -> list[Pose]:
    work = make_work(compiled.arrays)
    place_links.python(compiled.arrays, work, q, compiled.link_body[:0], compiled.X_BL[:0], np.zeros((0, 7)))
    return [(*body.origin.tolist(), *quat_of_mat(tuple(body.rotation.tolist()))) for body in work.bodies]
