# SPDX-License-Identifier: GPL-3.0-or-later
"""Interactive posing: coordinates are set or links are pulled, and all other joints move as constraints require."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ...joints import BALL
from ...model import Model, ModelError
from ...model.compiling.compiled import CompiledModel, JointSpan
from ...model.compiling.equation_terms import equation_terms
from ...spatial import Pose, quat_mul, quat_normalized, quat_of_rotvec, rotvec_of_quat, scale
from .inverse import Reacher, compile_for_posing, held_dofs, poses_at
from .measured import coordinates_of_links
from .targets import Reach, Target

LONGEST_STEP = 0.2
"""Largest change of a coordinate in one step [rad or m], so that loops keep their assembly."""

MOST_STEPS = 2000
"""Maximum number of steps in which `move_towards` goes from one pose to another, if none is halved."""

SHORTEST_PART = 2e-4
"""Smallest step of `move_towards`, as a part of its first step. Below it, the constraints do not permit the motion."""

SAME = 1e-4
"""Largest change by closing loops for which a given value counts as reached [rad or m]."""

PULLING_STEPS = 40
"""Maximum number of steps of inverse kinematics per call of `pull`, so that a drag with the mouse stays fluent."""

SLACK = 1e-9
"""Constraint error that is accepted for drawings without rounding errors [rad or model sizes]."""
ROUGHEST = 1e-4
"""Largest constraint error of a drawing that counts as its rounding error [rad or model sizes].

Drawings in single precision have such errors far from the origin. Then three times the error is accepted.
"""


class Poser:
    """Moves a model from pose to pose. Loops, mimics, couplings, limits and pins stay satisfied.

    Attributes:
        compiled: the model, with coordinates for joints that close loops. q: present pose, shape (nq,).

    Args:
        model: the caller leaves out joints that are switched off.
        X_WL: present poses of its links, by name.
        pins: targets that links keep. held: names of joints that must not move.

    Raises:
        ModelError: if the model cannot be compiled, or a pin or name is not one of its links or joints.
        StateError: if a pose is missing or has a zero quaternion.
    """

    def __init__(self, model: Model, X_WL: Mapping[str, Pose], pins: Sequence[Target] = (), held: Collection[str] = ()):
        self.compiled = compile_for_posing(model)
        self.q = coordinates_of_links(self.compiled, X_WL)
        self._pins, self._held = tuple(pins), frozenset(held)
        self._reachers: dict[tuple, Reacher] = {}
        self._slack = SLACK
        drawn = self._reacher(set()).gap(self.q)
        self._slack = max(SLACK, 3.0 * drawn) if drawn < ROUGHEST else SLACK

    def poses(self) -> dict[str, Pose]:
        """Return X_WL of each link, by name."""
        return poses_at(self.compiled, self.q)

    def close(self, dofs: Collection[int] = ()) -> bool:
        """Satisfy all constraints by the smallest change of pose. Return whether that succeeded.

        dofs: numbers of the velocity coordinates that must not move.
        """
        return self._close(self.q, set(dofs))

    def value(self, joint: str, place: int) -> float:
        """Return coordinate number `place` of a joint without a quaternion [rad or m].

        Raises:
            ModelError: if there is no such joint or coordinate.
        """
        span = self.compiled.spans.get(joint)
        if span is None or span.joint.kind.chart or place >= span.joint.nq:
            raise ModelError(f"joint '{joint}' has no coordinate {place + 1} to lead")
        return float(self.q[span.q_at(place)])

    def q_of(self, joint: str) -> tuple[float, ...]:
        """Return all coordinates of a joint [rad, m, or a quaternion w x y z]. Raises `ModelError` if it has none."""
        return tuple(self.q[self._span(joint).q].tolist())

    def satisfy_mimics(self) -> bool:
        """Move mimics to their values, and close loops. Return whether that succeeded."""
        equations = [equation_terms(self.compiled, equation) for equation in self.compiled.model.equations()]
        # No chain of mimics is longer than the number of equations.
        for _ in equations:
            for terms, constant in equations:
                if terms:
                    # The first term of a mimic is that of the joint that follows.
                    at, _, weight = terms[0]
                    self.q[at] -= (sum(each * self.q[q] for q, _, each in terms) - constant) / weight
        return self.close()

    def set_coordinate(self, joint: str, place: int, value: float) -> float:
        """Move a coordinate to `value` [rad or m], or as near as constraints allow. Return its new value.

        Raises:
            ModelError: as `value`.
        """
        self.value(joint, place)
        span = self.compiled.spans[joint]
        wanted = self.q.copy()
        wanted[span.q_at(place)] = value
        self.move_towards(wanted, {span.v_at(place)})
        return self.value(joint, place)

    def turn(self, joint: str, quaternion: tuple[float, float, float, float]) -> None:
        """Move a ball joint to a rotation w x y z, or as near as constraints allow.

        Raises:
            ModelError: if it is not a ball joint.
        """
        span = self._span(joint)
        if span.joint.kind.code != BALL:
            raise ModelError(f"joint '{joint}' is no ball joint: it cannot be turned freely")
        wanted = self.q.copy()
        wanted[span.q] = quat_normalized(quaternion)
        self.move_towards(wanted, {span.v_at(i) for i in range(3)})

    @property
    def is_closed(self) -> bool:
        """Return whether loops, couplings and pins are satisfied, or can be by a small change of pose."""
        return self._close(self.q.copy(), set())

    def set_coordinates(self, values: Mapping[str, Sequence[float]]) -> bool:
        """Move joints to given coordinates, all at once, or as near as constraints allow.

        Args:
            values: {joint: its coordinates [rad, m, or a quaternion w x y z]}.

        Returns:
            whether the joints have these coordinates.

        Raises:
            ModelError: if a joint has no coordinates. StateError: if a count of numbers is wrong.
        """
        spans = [self._span(name) for name in values]
        given = self.compiled.q_from(values)
        wanted = self.q.copy()
        for span in spans:
            wanted[span.q] = given[span.q]
        dofs = {span.v_at(place) for span in spans for place in range(span.joint.nv)}
        at_once = wanted.copy()
        if self._close(at_once, set()) and np.abs(at_once - wanted).max(initial=0.0) < SAME:
            self.q = at_once
            return True
        if self.move_towards(wanted, dofs):
            return True
        rest = np.full_like(self.q, np.nan)
        for span in spans:
            rest[span.q] = given[span.q]
        self.approach(rest)
        return False

    def approach(self, rest: np.ndarray) -> None:
        """Move as near to the pose `rest`, shape (nq,), as constraints allow. Coordinates that are NaN there are
        free.
        """
        self._reacher(set()).relax(self.q, rest)

    def pull(self, targets: Sequence[Target], moves_base: bool = False) -> Reach:
        """Move links as near to their targets as constraints allow.

        Args:
            moves_base: whether floating links may be moved.

        Raises:
            ModelError: if there is no such link.
        """
        return self._reacher(set(), targets, moves_base).reach(self.q, most=PULLING_STEPS)

    def _span(self, joint: str) -> JointSpan:
        span = self.compiled.spans.get(joint)
        if span is None:
            raise ModelError(f"joint '{joint}' does not move: it has no coordinates")
        return span

    def move_towards(self, wanted: np.ndarray, dofs: set[int]) -> bool:
        """Move the coordinates of `dofs` in steps to their values in `wanted`, shape (nq,). Return whether that worked.

        All other coordinates satisfy loops and couplings. A step after which loops cannot be closed is halved, so that
        the motion ends close to a dead point.
        """
        start, at = self.q.copy(), 0.0
        step = full = 1.0 if self._are_free(dofs) else max(_first_step(start, wanted), 1.0 / MOST_STEPS)
        while at < 1.0:
            part = min(at + step, 1.0)
            tried = self.q.copy()
            _interpolate(self.compiled, start, wanted, part, dofs, tried)
            if self._close(tried, dofs):
                self.q, at, step = tried, part, min(2.0 * step, full)
            else:
                step *= 0.5
            if step < SHORTEST_PART * full:
                return False
        return True

    def _are_free(self, dofs: set[int]) -> bool:
        """Return whether velocity coordinates `dofs` affect no constraint."""
        return not dofs & self._reacher(set()).bound

    def _close(self, q: np.ndarray, dofs: set[int]) -> bool:
        """Satisfy all constraints without moving velocity coordinates `dofs`. Return whether that succeeded."""
        return self._reacher(dofs).reach(q).is_closed

    def _reacher(self, dofs: set[int], targets: Sequence[Target] = (), moves_base: bool = False) -> Reacher:
        """Return a cached `Reacher` for the same links and points, or make one."""
        asked = tuple((target.link, target.point, target.axis, _kinds(target)) for target in targets)
        key = (frozenset(dofs), asked, moves_base)
        if key not in self._reachers:
            held = held_dofs(self.compiled, self._held, moves_base) | dofs
            self._reachers[key] = Reacher(self.compiled, targets, self._pins, held)
        reacher = self._reachers[key]
        reacher.slack = self._slack
        reacher.set_targets(targets)
        return reacher


def _kinds(target: Target) -> tuple:
    return target.place is None, target.turn is None, target.look_at is None, target.weight


def _interpolate(
    compiled: CompiledModel, start: np.ndarray, end: np.ndarray, part: float, dofs: set[int], q: np.ndarray
) -> None:
    """Interpolate between two poses for the joints whose velocity coordinates are in `dofs`. Write to q."""
    for span in compiled.spans.values():
        numbers = [place for place in range(span.joint.nv) if span.v_at(place) in dofs]
        if not numbers:
            continue
        if not span.joint.kind.chart:
            at = [span.q_at(place) for place in numbers]
            q[at] = start[at] + part * (end[at] - start[at])
            continue
        one, other = start[span.q], end[span.q]
        back = (one[-4], -one[-3], -one[-2], -one[-1])
        turn = scale(rotvec_of_quat(quat_mul(back, tuple(other[-4:]))), part)
        q[span.q] = [*(one[:-4] + part * (other[:-4] - one[:-4])), *quat_mul(tuple(one[-4:]), quat_of_rotvec(turn))]


def _first_step(start: np.ndarray, end: np.ndarray) -> float:
    """Return the part of the way between two poses in which no coordinate changes by more than `LONGEST_STEP`.

    A component of a quaternion changes by at most half the angle of the rotation.
    """
    return min(1.0, LONGEST_STEP / max(float(np.abs(end - start).max(initial=0.0)), 1e-300))
