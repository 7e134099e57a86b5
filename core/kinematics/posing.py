# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose changed by hand: coordinates are led, or links are pulled, and what is tied to them follows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..joints import BALL
from ..model import Model, ModelError
from ..model.compiled import CompiledModel, JointSpan
from ..spatial import Pose, quat_mul, quat_normalized, quat_of_rotvec, rotvec_of_quat, scale
from .demands import equation_terms
from .inverse import Reacher, compile_for_posing, held_dofs, poses_at
from .measured import coordinates_of_links
from .targets import Reach, Target

LONGEST_STEP = 0.2
"""Radians or metres by which a coordinate that is led moves at once, so that loops stay closed the way they are."""

MOST_STEPS = 2000
"""On the longest way."""

SHORTEST_PART = 2e-4
"""Of the way; where not even that much can be gone, it ends."""

SAME = 1e-4
"""Radians or metres by which closing may move what was given, for it to count as what was meant."""

PULLING_STEPS = 40

SLACK, ROUGHEST = 1e-9, 1e-4
"""What may stay open, in rad and model sizes: a drawing is rounded, and the more so the farther from the origin."""


class Poser:
    """Leads a model from pose to pose. Loops stay closed, mimics and couplings, limits and pins are kept.

    Attributes:
        compiled: the model, with coordinates for joints that close loops too. q: shape (nq,), where it stands.

    Args:
        model: what acts in it; joints that are switched off are left out by the caller.
        X_WL: where its links stand, by name.
        pins: what links keep to. held: names of joints that stay as they are.

    Raises:
        ModelError: the model cannot be compiled, or a pin or a name is of none of its links or joints.
        StateError: a pose is missing or no pose.
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
        """X_WL of every link, by name."""
        return poses_at(self.compiled, self.q)

    def close(self, dofs: Collection[int] = ()) -> bool:
        """Close all from where it stands, by as little as that takes; returns whether it could be.

        dofs: numbers of the velocity coordinates that stay as they are.
        """
        return self._close(self.q, set(dofs))

    def value(self, joint: str, place: int) -> float:
        """Coordinate number `place` of a joint made of columns [rad or m].

        Raises:
            ModelError: there is no such joint, or it has no such coordinate.
        """
        span = self.compiled.spans.get(joint)
        if span is None or span.joint.kind.chart or place >= span.joint.nq:
            raise ModelError(f"joint '{joint}' has no coordinate {place + 1} to lead")
        return float(self.q[span.q_at(place)])

    def q_of(self, joint: str) -> tuple[float, ...]:
        """All coordinates of a joint [rad, m, or a quaternion w x y z]. Raises ModelError where it has none."""
        return tuple(self.q[self._span(joint).q].tolist())

    def follow(self) -> bool:
        """Let what mimics follow what it mimics, and close loops; returns whether all could be closed."""
        equations = [equation_terms(self.compiled, equation) for equation in self.compiled.model.equations()]
        for _ in equations:  # as often as a chain of them can be long
            for terms, constant in equations:
                if terms:  # of a mimic, the first is of what follows
                    at, _, weight = terms[0]
                    self.q[at] -= (sum(each * self.q[q] for q, _, each in terms) - constant) / weight
        return self.close()

    def lead(self, joint: str, place: int, value: float) -> float:
        """Bring a coordinate to `value` [rad or m], or as near to it as all else lets it; returns where it is.

        Raises:
            ModelError: as `value`.
        """
        self.value(joint, place)
        span = self.compiled.spans[joint]
        wanted = self.q.copy()
        wanted[span.q_at(place)] = value
        self.go(wanted, {span.v_at(place)})
        return self.value(joint, place)

    def turn(self, joint: str, quaternion: tuple[float, float, float, float]) -> None:
        """Give a ball joint its rotation, w x y z, or as much of it as all else lets it have.

        Raises:
            ModelError: it is no ball joint.
        """
        span = self._span(joint)
        if span.joint.kind.code != BALL:
            raise ModelError(f"joint '{joint}' is no ball joint: it cannot be turned freely")
        wanted = self.q.copy()
        wanted[span.q] = quat_normalized(quaternion)
        self.go(wanted, {span.v_at(i) for i in range(3)})

    @property
    def is_closed(self) -> bool:
        """Whether loops, couplings and pins can be kept where it stands, or near there."""
        return self._close(self.q.copy(), set())

    def take(self, values: Mapping[str, Sequence[float]]) -> bool:
        """Give joints their coordinates, all at once, or what is nearest to them where all else does not let them.

        Args:
            values: {joint: its coordinates [rad, m, or a quaternion w x y z]}.

        Returns:
            whether they have them.

        Raises:
            ModelError: a joint has no coordinates. StateError: a wrong count of numbers.
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
        if self.go(wanted, dofs):
            return True
        rest = np.full_like(self.q, np.nan)
        for span in spans:
            rest[span.q] = given[span.q]
        self.approach(rest)
        return False

    def approach(self, rest: np.ndarray) -> None:
        """Come as near to the pose `rest`, shape (nq,), as all else lets it; what is NaN there may be anywhere."""
        self._reacher(set()).relax(self.q, rest)

    def pull(self, targets: Sequence[Target], moves_base: bool = False) -> Reach:
        """Bring links as near to their targets as all else lets them come, from where they are.

        Args:
            moves_base: whether pieces that float in the world may be moved.

        Raises:
            ModelError: there is no such link.
        """
        return self._reacher(set(), targets, moves_base).reach(self.q, most=PULLING_STEPS)

    def _span(self, joint: str) -> JointSpan:
        span = self.compiled.spans.get(joint)
        if span is None:
            raise ModelError(f"joint '{joint}' does not move: it has no coordinates")
        return span

    def go(self, wanted: np.ndarray, dofs: set[int]) -> bool:
        """Move on the way to `wanted`, shape (nq,), led by velocity coordinates `dofs`; returns whether to its end.

        All others go where loops and couplings take them. Where a step cannot be closed, half of it is tried: that is
        how a dead point is approached.
        """
        start, at = self.q.copy(), 0.0
        step = full = 1.0 if self._are_free(dofs) else max(_part(start, wanted), 1.0 / MOST_STEPS)
        while at < 1.0:
            part = min(at + step, 1.0)
            tried = self.q.copy()
            _put_between(self.compiled, start, wanted, part, dofs, tried)
            if self._close(tried, dofs):
                self.q, at, step = tried, part, min(2.0 * step, full)
            else:
                step *= 0.5
            if step < SHORTEST_PART * full:
                return False
        return True

    def _are_free(self, dofs: set[int]) -> bool:
        """Whether nothing has to be kept that velocity coordinates `dofs` have to do with."""
        return not dofs & self._reacher(set()).bound

    def _close(self, q: np.ndarray, dofs: set[int]) -> bool:
        """Close all in place with velocity coordinates `dofs` as they are; returns whether it could be."""
        return self._reacher(dofs).reach(q).is_closed

    def _reacher(self, dofs: set[int], targets: Sequence[Target] = (), moves_base: bool = False) -> Reacher:
        """One that was made before, where it asks the same of the same links."""
        asked = tuple((target.link, target.point, target.axis, _kinds(target)) for target in targets)
        key = (frozenset(dofs), asked, moves_base)
        if key not in self._reachers:
            held = held_dofs(self.compiled, self._held, moves_base) | dofs
            self._reachers[key] = Reacher(self.compiled, targets, self._pins, held)
        reacher = self._reachers[key]
        reacher.slack = self._slack
        reacher.ask(targets)
        return reacher


def _kinds(target: Target) -> tuple:
    return target.place is None, target.turn is None, target.look_at is None, target.weight


def _put_between(
    compiled: CompiledModel, start: np.ndarray, end: np.ndarray, part: float, dofs: set[int], q: np.ndarray
) -> None:
    """Write to q what lies between two poses, of the joints whose velocity coordinates are in `dofs`."""
    for span in compiled.spans.values():
        led = [place for place in range(span.joint.nv) if span.v_at(place) in dofs]
        if not led:
            continue
        if not span.joint.kind.chart:
            at = [span.q_at(place) for place in led]
            q[at] = start[at] + part * (end[at] - start[at])
            continue
        one, other = start[span.q], end[span.q]
        back = (one[-4], -one[-3], -one[-2], -one[-1])
        turn = scale(rotvec_of_quat(quat_mul(back, tuple(other[-4:]))), part)
        q[span.q] = [*(one[:-4] + part * (other[:-4] - one[:-4])), *quat_mul(tuple(one[-4:]), quat_of_rotvec(turn))]


def _part(start: np.ndarray, end: np.ndarray) -> float:
    """How much of the way is gone at once, as its longest coordinate goes; a quaternion's numbers are half its turn."""
    return min(1.0, LONGEST_STEP / max(float(np.abs(end - start).max(initial=0.0)), 1e-300))
