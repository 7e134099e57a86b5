# SPDX-License-Identifier: GPL-3.0-or-later
"""A view over several articulations of one structure, such as equal robots in a scene: batched reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import ArrayLike

from ..joints import FREE, JOINT_TYPES, type_name, unknown_type
from ..model import WORLD, Axis, Joint, Model, ModelError
from ..model.compiling.compile import compile_model
from ..model.compiling.compiled import CompiledModel, JointSpan
from ..model.graph import connected_components
from ..spatial import Pose, compose, inverse, quat_normalized
from .checked import forward_kinematics
from .forward import link_row, tree_kinematics

NUMBERS = tuple(item.name for item in fields(Axis) if type(item.default) is float)
"""The fields of an `Axis` that hold one number."""


@dataclass(frozen=True)
class Articulation:
    """A set of links that joints connect, without the world.

    Attributes:
        name: of its root, which is the first of its links that hangs in the world or floats.
        links: names, parents first. joints: names of those that move, in the order of their coordinates: those that
            close loops are the last.
    """

    name: str
    links: tuple[str, ...]
    joints: tuple[str, ...]


def articulations(compiled: CompiledModel) -> list[Articulation]:
    """Return all articulations of a model, in the order of their roots."""
    order = _links_parents_first(compiled)
    root = connected_components(order, compiled.model.joints)
    members: dict[str, list[str]] = {}
    for name in order:
        members.setdefault(root[name], []).append(name)
    joints: dict[str, list[str]] = {name: [] for name in members}
    for name, span in sorted(compiled.spans.items(), key=lambda entry: entry[1].body):
        joints[root[_link_of(span)]].append(name)
    return [Articulation(name, tuple(links), tuple(joints[name])) for name, links in members.items()]


def _link_of(span: JointSpan) -> str:
    """Return a link of a joint that is not the world."""
    return span.joint.parent if span.joint.child == WORLD else span.joint.child


def _links_parents_first(compiled: CompiledModel) -> list[str]:
    order = dict.fromkeys(compiled.floating)
    for branch in compiled.tree.branches:
        order.setdefault(branch.outer)
    return sorted(order, key=lambda name: compiled.link_body[link_row(compiled, name)])


class ArticulationView:
    """Arrays with one row for each articulation whose name matches. All of them must have the same structure.

    A dof is a velocity coordinate of the joints that the view includes. q and qd are arrays of the whole model, shapes
    (nq,) and (nv,), in the layout of `compiled`, and are written in place. For many worlds, which are independent
    copies of the model, they have shapes (W, nq) and (W, nv), as `worlds` makes them. Everything that is read or
    written then has W as its first dimension. All worlds share the model's own properties: limits and other fields of
    axes.

    A view refers to links and joints by the names that they had when it was made. If the model later has other ones
    under these names, or none, the view can no longer write limits, targets and root poses.

    Attributes:
        model, compiled: limits, targets and root poses of fixed bases are written to the model, which is compiled anew.
        names: of the articulations, shape (A,).
        joints, links: their names, a row for each articulation, in order.

    Args:
        pattern: of articulation names, as in a shell: `robot*`.
        include, exclude: joint types whose coordinates to show (by default all), and those of them to leave out.
        joints: pattern of the names of the joints whose coordinates to show, with or without what precedes the last
            `::`.
        links: likewise of the links whose poses and twists to show.

    Raises:
        ModelError: nothing matches, or the matching articulations differ in structure, or a joint type is not known.
    """

    def __init__(
        self,
        model: Model,
        pattern: str = "*",
        include: Iterable[str] | None = None,
        exclude: Iterable[str] = (),
        joints: str = "*",
        links: str = "*",
    ):
        self.model, self.compiled = model, compile_model(model)
        found = articulations(self.compiled)
        chosen = [entry for entry in found if fnmatchcase(entry.name, pattern)]
        if not chosen:
            known = ", ".join(entry.name for entry in found)
            raise ModelError(f"no articulation is named like '{pattern}'; there are: {known}")
        self._require_one_make(chosen)
        wanted = None if include is None else _known_types("include", include)
        unwanted = _known_types("exclude", exclude)
        self.names = tuple(entry.name for entry in chosen)
        self._all_links = [entry.links for entry in chosen]
        self.links = [tuple(name for name in entry.links if _is_named_like(name, links)) for entry in chosen]
        self.joints = [
            tuple(
                name for name in entry.joints if self._is_shown(name, wanted, unwanted) and _is_named_like(name, joints)
            )
            for entry in chosen
        ]
        self._require_alike("links", self.links, links)
        self._require_alike("joints", self.joints, joints)

    @property
    def count(self) -> int:
        return len(self.names)

    def worlds(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(q, qd) of so many worlds, shapes (W, nq) and (W, nv), all at home and at rest."""
        return np.tile(self.compiled.q_home, (count, 1)), np.zeros((count, self.compiled.nv))

    def q(self, q: np.ndarray) -> np.ndarray:
        """Joint positions, shape (A, positions)."""
        return self._read(q, lambda span: span.q)

    def set_q(self, q: np.ndarray, values: ArrayLike) -> None:
        """Write joint positions, shape (A, positions) or what broadcasts to it."""
        self._write(q, values, lambda span: span.q, sum(span.joint.nq for span in next(self._spans())))

    def qd(self, qd: np.ndarray) -> np.ndarray:
        """Joint velocities, shape (A, dofs)."""
        return self._read(qd, lambda span: span.v)

    def set_qd(self, qd: np.ndarray, values: ArrayLike) -> None:
        """Write joint velocities, shape (A, dofs) or what broadcasts to it."""
        self._write(qd, values, lambda span: span.v, self.dofs)

    @property
    def dofs(self) -> int:
        return sum(span.joint.nv for span in next(self._spans()))

    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper), each of shape (A, dofs) [rad or m]; infinite where there is none."""
        lower, upper = self._axis_values("lower", -np.inf), self._axis_values("upper", np.inf)
        return lower, upper

    def set_limits(self, lower: ArrayLike, upper: ArrayLike) -> None:
        """Write limits, all or none, shapes (A, dofs) or what broadcasts to it [rad or m].

        Raises:
            ModelError: a lower limit is not at most the upper one, a dof that can have none is not given infinite ones,
                or the model has other joints or links than when the view was made.
        """
        self._require_same_names()
        lower, upper = self._rows(lower), self._rows(upper)
        taken = [*self._taken("lower", lower, -np.inf), *self._taken("upper", upper, np.inf)]
        for name, lows, highs in zip(self.names, lower.tolist(), upper.tolist(), strict=True):
            for dof, (low, high) in enumerate(zip(lows, highs, strict=True)):
                if not low <= high:
                    raise ModelError(
                        f"articulation '{name}': dof {dof} takes a lower limit that is at most the upper one, found "
                        f"{low:g} and {high:g}"
                    )
        self._put(taken)

    def axis(self, field: str) -> np.ndarray:
        """A field of the `Axis` of each dof, such as "damping", shape (A, dofs); NaN where it means nothing.

        Raises:
            ModelError: it is no field that holds a number.
        """
        _require_field(field)
        return self._axis_values(field, np.nan)

    def set_axis(self, field: str, values: ArrayLike) -> None:
        """Write a field of the `Axis` of each dof, all or none, shape (A, dofs) or what broadcasts to it.

        Raises:
            ModelError: as `axis`; a dof where the field means nothing is not given NaN, or one where it does is; or the
                model has other joints or links than when the view was made.
        """
        _require_field(field)
        self._require_same_names()
        self._put(self._taken(field, self._rows(values), np.nan))

    def targets(self) -> np.ndarray:
        """Targets of the drives, shape (A, dofs), in the units of their modes; NaN for dofs that can have no drive."""
        return self._axis_values("drive_target", np.nan)

    def set_targets(self, targets: ArrayLike) -> None:
        """Write targets, all or none, shape (A, dofs) or what broadcasts to it.

        Raises:
            ModelError: a dof that can have no drive is not given NaN, or one that can is; or the model has other joints
                or links than when the view was made.
        """
        self._require_same_names()
        self._put(self._taken("drive_target", self._rows(targets), np.nan))

    def link_poses(self, q: np.ndarray) -> np.ndarray:
        """X_WL, shape (A, links, 7). Raises `StateError` as `forward_kinematics`, of which these are rows."""
        return _of_worlds(q, lambda q: forward_kinematics(self.compiled, q)[0][self._rows_of_links()])

    def link_twists(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """V_WL, shape (A, links, 6), in world axes, linear [m/s] first. Raises as `link_poses`."""
        both = np.concatenate([np.asarray(q), np.asarray(qd)], axis=-1)
        nq, rows = self.compiled.nq, self._rows_of_links()
        return _of_worlds(both, lambda y: forward_kinematics(self.compiled, y[:nq], y[nq:])[1][rows])

    def _rows_of_links(self) -> np.ndarray:
        return np.array([[link_row(self.compiled, name) for name in row] for row in self.links], dtype=np.int64)

    def root_poses(self, q: np.ndarray) -> np.ndarray:
        """X_WL of the roots, shape (A, 7), computed from the tree only."""
        rows = [link_row(self.compiled, row[0]) for row in self._all_links]
        return _of_worlds(q, lambda q: tree_kinematics(self.compiled, q)[0][rows])

    def set_root_poses(self, q: np.ndarray, X_WL: ArrayLike) -> None:
        """Move the articulations so that their roots stand at X_WL, shape (A, 7) or what broadcasts to it.

        A floating root moves by its coordinates in q. Anything else moves with the frames by which it hangs in the
        world, its joints keeping their coordinates. Other joints between a floating articulation and the world, such as
        those that close loops, go along by their frames there.

        Raises:
            ModelError: q is of many worlds, and an articulation does not float, so that it would move in all of them;
                or the model has other joints or links than when the view was made.
        """
        self._require_same_names()
        if q.ndim > 1:
            self._set_floating_roots(q, np.asarray(X_WL, dtype=np.float64))
            return
        wanted = np.broadcast_to(np.asarray(X_WL, dtype=np.float64), (self.count, 7))
        now = self.root_poses(q)
        for row, name in enumerate(self.names):
            links = {*self._all_links[row]}
            goal: Pose = (*wanted[row, :3].tolist(), *quat_normalized(wanted[row, 3:].tolist()))
            step = compose(goal, inverse(tuple(now[row].tolist())))
            span = self._floats_by(name)
            if span:
                q[span.q] = compose(inverse(span.joint.X_PJ), compose(goal, span.joint.X_CJ))
                self._move_base(links, step, span.joint, {*self.compiled.tree.links_from(name)})
            else:
                self._move_base(links, step)
        self.compiled = compile_model(self.model)

    def _floats_by(self, root: str) -> JointSpan | None:
        """The joint by whose coordinates a root moves in the world."""
        span = next((span for span in self.compiled.spans.values() if span.link == root), None)
        return span if span and span.joint.kind.code == FREE and span.joint.parent == WORLD else None

    def _set_floating_roots(self, q: np.ndarray, X_WL: np.ndarray) -> None:
        wanted = np.broadcast_to(X_WL, (*q.shape[:-1], self.count, 7))
        for row, name in enumerate(self.names):
            span = self._floats_by(name)
            if span is None:
                raise ModelError(
                    f"articulation '{name}' does not float, and would move in all worlds, which share the model; give "
                    "it a free joint, or the q of one world, shape (nq,)"
                )
            for at in np.ndindex(q.shape[:-1]):
                X = wanted[(*at, row)].tolist()
                goal: Pose = (*X[:3], *quat_normalized(X[3:]))
                q[at][span.q] = compose(inverse(span.joint.X_PJ), compose(goal, span.joint.X_CJ))

    def _move_base(
        self, links: set[str], step: Pose, floats_by: Joint | None = None, floating: Iterable[str] = ()
    ) -> None:
        """Move frames in the world, and links as drawn, but for what a joint moves by its coordinates already."""
        for joint in self.model.joints:
            if joint is floats_by:
                continue
            if joint.parent == WORLD and joint.child in links:
                joint.X_PJ = compose(step, joint.X_PJ)
            elif joint.child == WORLD and joint.parent in links:
                joint.X_CJ = compose(step, joint.X_CJ)
        drawn_anew = links.difference(floating)
        for link in self.model.links:
            if link.name in drawn_anew:
                link.pose = compose(step, link.pose)

    def _require_same_names(self) -> None:
        """Refuse to write to a model whose links or joints are not those that were compiled."""
        links = {link.name for link in self.model.links}
        joints = {joint.name: joint for joint in self.model.joints}
        own = {name for row in self._all_links for name in row}
        gone = [f"link '{name}'" for row in self._all_links for name in row if name not in links]
        for name, span in self.compiled.spans.items():
            implicit = span.link in self.compiled.floating
            if _link_of(span) in own and joints.get(name) is not (None if implicit else span.joint):
                gone.append(f"joint '{name}'")
        if gone:
            raise ModelError(
                f"{gone[0]} is not in the model any more as it was when this view was made: renamed, removed or "
                "replaced; make a new view"
            )

    def _is_shown(self, name: str, wanted: set[str] | None, unwanted: set[str]) -> bool:
        kind = self.compiled.spans[name].joint.type
        return (wanted is None or kind in wanted) and kind not in unwanted

    def _require_one_make(self, chosen: list[Articulation]) -> None:
        makes = [self._make(entry) for entry in chosen]
        for entry, make in zip(chosen, makes, strict=True):
            if make != makes[0]:
                raise ModelError(
                    f"articulations '{chosen[0].name}' and '{entry.name}' differ in their links or joints; choose a "
                    "pattern that only those of one make match"
                )

    def _require_alike(self, what: str, rows: list[tuple[str, ...]], pattern: str) -> None:
        counts = {len(row) for row in rows}
        if (counts == {0} and pattern != "*") or len(counts) > 1:
            found = ", ".join(str(len(row)) for row in rows)
            raise ModelError(f"pattern '{pattern}' finds {found} {what} in {', '.join(self.names)}; as many in each")

    def _make(self, entry: Articulation) -> tuple:
        joints = [self.compiled.spans[name].joint for name in entry.joints]
        return len(entry.links), [(joint.type, joint.nq) for joint in joints]

    def _spans(self) -> Iterator[list[JointSpan]]:
        return ([self.compiled.spans[name] for name in row] for row in self.joints)

    def _places(self, size: int, part: Callable[[JointSpan], slice]) -> np.ndarray:
        """Numbers of the coordinates in an array of the whole model, a row for each articulation."""
        every = np.arange(size)
        return np.array([[at for span in row for at in every[part(span)]] for row in self._spans()], dtype=np.int64)

    def _read(self, values: np.ndarray, part: Callable[[JointSpan], slice]) -> np.ndarray:
        found = np.asarray(values, dtype=np.float64)
        return found[..., self._places(found.shape[-1], part)]

    def _write(self, out: np.ndarray, values: ArrayLike, part: Callable[[JointSpan], slice], width: int) -> None:
        rows = np.broadcast_to(np.asarray(values, dtype=np.float64), (*out.shape[:-1], self.count, width))
        out[..., self._places(out.shape[-1], part)] = rows

    def _axes(self, field: str) -> Iterator[list[Axis | None]]:
        """A row for each articulation: the axis of each dof, or None where the field means nothing there."""
        for spans in self._spans():
            yield [axis for span in spans for axis in _axes_of_dofs(span.joint, field)]

    def _axis_values(self, field: str, nothing: float) -> np.ndarray:
        return np.array([[getattr(axis, field) if axis else nothing for axis in row] for row in self._axes(field)])

    def _rows(self, values: ArrayLike) -> np.ndarray:
        return np.broadcast_to(np.asarray(values, dtype=np.float64), (self.count, self.dofs))

    def _taken(self, field: str, rows: np.ndarray, nothing: float) -> Iterator[tuple[Axis, str, float]]:
        """What there is to write: (axis, field, value)."""
        for name, axes, row in zip(self.names, self._axes(field), rows.tolist(), strict=True):
            for dof, (axis, value) in enumerate(zip(axes, row, strict=True)):
                if axis is not None:
                    if np.isnan(value):
                        raise ModelError(f"articulation '{name}': dof {dof} takes a number as {field}, found nan")
                    yield axis, field, value
                elif not np.array_equal(value, nothing, equal_nan=True):
                    raise ModelError(
                        f"articulation '{name}': dof {dof} has no {field}; give {nothing}, found {value:g}"
                    )

    def _put(self, entries: Iterable[tuple[Axis, str, float]]) -> None:
        for axis, field, value in [*entries]:  # all are asked for before any is written
            setattr(axis, field, value)
        self.compiled = compile_model(self.model)


def _of_worlds(values: np.ndarray, of_one: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the results of a function for each world, with the worlds' dimensions first."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim == 1:
        return of_one(found)
    every = np.array([of_one(one) for one in found.reshape(-1, found.shape[-1])])
    return every.reshape(*found.shape[:-1], *every.shape[1:])


def _known_types(what: str, words: Iterable[str]) -> set[str]:
    """Return the joint types of these names. Raises `ModelError` if a name is unknown."""
    found = {word: type_name(word) for word in ([words] if isinstance(words, str) else words)}
    if unknown := [word for word, name in found.items() if name not in JOINT_TYPES]:
        raise ModelError(f"{what}: joint type {unknown_type(unknown[0])}")
    return {name for name in found.values() if name}


def _is_named_like(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("::")[2], pattern)


def _require_field(field: str) -> None:
    if field not in NUMBERS:
        raise ModelError(f"an axis has no number '{field}'; there are: {', '.join(NUMBERS)}")


def _axes_of_dofs(joint: Joint, field: str) -> list[Axis | None]:
    numbers = (
        joint.kind.spring_axes or (None,) * joint.nv if joint.kind.chart else [column.axis for column in joint.columns]
    )
    return [
        joint.axes[number] if number is not None and field in joint.kind.slot(number).fields else None
        for number in numbers
    ]
