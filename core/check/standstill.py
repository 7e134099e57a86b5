# SPDX-License-Identifier: GPL-3.0-or-later
"""The reasons why nothing would move if a model were let go: gravity cannot turn a hinge, balance, or friction.

They are reported only if the whole model stands still. A wheel on the axle of a car that rolls is balanced
intentionally.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..joints import Unit
from ..kinematics.still import StillModel
from ..model import Joint, Model, ModelError
from ..model.compiling.compile import compile_model
from ..model.compiling.compiled import CompiledModel
from ..model.drives import DRIVES, OFF
from ..model.soundness.issue import Issue, note
from ..model.text import quoted
from ..spatial import IDENTITY, ZERO, Vec3, arrays, compose, cross, norm, scale, sub

NOTHING = 1e-5
"""Force at or below which there is none, as a fraction of the weight, or of the weight times the size for torques.
Single precision leaves this much.
"""

MOST_TOLD = 3
"""Largest number of joints that are named in a note."""


@dataclass(frozen=True)
class Hinge:
    """A hinge that gravity cannot turn in any pose.

    Attributes:
        name: of the joint.
        why: the reason, as the second half of a sentence.
        better: direction in the world of an axis about which gravity would turn it most; None if there is none.
    """

    name: str
    why: str
    better: Vec3 | None


def standstill(model: Model) -> Iterator[Issue]:
    """Yield a note if a model that starts at home and at rest stays there, since no force acts on it."""
    acting = model.acting_at(0.0)
    if not acting.links or _something_acts(model) or _falls(acting):
        return
    try:
        compiled = compile_model(acting, split_loops=False)
        compiled.require_simulable()
    except ModelError:
        return  # other findings report it
    if not compiled.nv:
        yield note("nothing-moves", "model", "nothing can move: no joint leaves a link any freedom")
        return
    pulled = _Pulled(compiled)
    if not pulled.is_held():
        return
    if not any(acting.gravity):
        message = "nothing moves: there is no gravity, and nothing drives it; give a joint a drive, or a link a force"
        yield note("nothing-moves", "model", message)
        return
    hinges = [*pulled.hinges()]
    if hinges:
        yield _of_hinges(hinges)
    elif rubs := [joint for joint, force in pulled.forces() if force > NOTHING * pulled.weight * pulled.size]:
        what = f"friction or a limit of {quoted(joint.name for joint in rubs[:MOST_TOLD])} holds what gravity pulls at"
        message = f"nothing moves: {what}; lower the friction, start it elsewhere, or drive it"
        yield note("nothing-moves", f"joint '{rubs[0].name}'", message)
    else:
        message = (
            "nothing moves: everything hangs, lies or stands in balance where it starts; start a joint elsewhere, "
            "drive one, or pull at a link"
        )
        yield note("nothing-moves", "model", message)


def _of_hinges(hinges: list[Hinge]) -> Issue:
    """Return the note about hinges that gravity cannot turn.

    It is about the first one that another direction of its axis would help, and names the others.
    """
    first = next((hinge for hinge in hinges if hinge.better), hinges[0])
    others = [hinge.name for hinge in hinges if hinge != first]
    more = f" and {len(others) - MOST_TOLD} more" if len(others) > MOST_TOLD else ""
    also = f", and so it is with {quoted(others[:MOST_TOLD])}{more}" if others else ""
    if first.better:
        code, way = "gravity-cannot-turn", "turn the axis, to lie level and across what it carries, or drive it"
    else:
        code, way = "nothing-moves", "drive it, or move the joint away from there"
    return note(code, f"joint '{first.name}'", f"nothing moves: gravity cannot turn it, as {first.why}{also}; {way}")


def idle_hinges(model: Model) -> list[Hinge]:
    """Return the hinges of a model that gravity cannot turn, even if other parts move."""
    acting = model.acting_at(0.0)
    return [*_Pulled(compile_model(acting, split_loops=False)).hinges()] if any(acting.gravity) else []


def lever(model: Model, joint: Joint) -> Vec3:
    """Return the vector from a joint to the centre of mass of all links that it carries, as drawn, in world axes [m].

    It is 0 for a joint that closes a loop, which carries no link, and for one whose links have no mass.
    """
    tree = model.tree()
    branch = next((branch for branch in tree.branches if branch.joint is joint), None)
    backward = branch is not None and branch.backward
    is_balanced, frame = (joint.parent, joint.X_PJ) if backward else (joint.child, joint.X_CJ)
    origin = compose(model.link(is_balanced).pose, frame)[:3]
    links = [model.link(name) for name in tree.links_from(is_balanced)] if branch else []
    mass = sum(link.mass for link in links)
    if not mass:
        return ZERO
    points = [compose(link.pose, (*link.com, *IDENTITY[3:]))[:3] for link in links]
    com = (np.array([link.mass for link in links])[:, None] * points).sum(axis=0) / mass
    return sub(tuple(com.tolist()), origin)


def _something_acts(model: Model) -> bool:
    """Return whether anything except gravity, friction and stops may move the model, now or later."""
    if any(joint.acts_at(0.0) and not joint.is_permanent for joint in model.joints):
        return True
    for link in model.links:
        if any((*link.force, *link.torque, *link.velocity, *link.angular_velocity)) or (
            any(model.wind) and link.linear_damping
        ):
            return True
    return any(_is_driven(joint) for joint in model.joints if joint.acts_at(0.0))


def _falls(model: Model) -> bool:
    """Return whether gravity acts on a link that nothing holds."""
    tree = model.tree()
    loose = {name for root in tree.loose() for name in tree.hanging[root]}
    return any(model.gravity) and any(link.gravity and link.mass and link.name in loose for link in model.links)


def _is_driven(joint: Joint) -> bool:
    """Return whether a joint has an active drive, or a spring that may not be at rest."""
    at_home = {column.axis: at for column, at in zip(joint.all_columns, joint.home, strict=False)}
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        fields = joint.kind.slot(number).fields
        if "drive_mode" in fields and DRIVES.get(axis.drive_mode, OFF).is_on(axis):
            return True
        is_relaxed = at_home.get(number) == axis.spring_reference and not joint.kind.chart
        if "spring_stiffness" in fields and axis.spring_stiffness and not is_relaxed:
            return True
    return False


class _Pulled:
    """The force of gravity on each velocity coordinate of a model at home."""

    def __init__(self, compiled: CompiledModel):
        self.compiled, self.model = compiled, compiled.model
        self.still = StillModel(compiled, compiled.q_home)
        self.gravity = np.array(self.model.gravity)
        heavy = [link for link in self.model.links if link.gravity and link.mass]
        rows = dict(zip(compiled.link_names, compiled.link_body.tolist(), strict=True))
        X_WL = self.still.X_WL
        centres = [compose(X_WL[link.name], (*link.com, *IDENTITY[3:]))[:3] for link in heavy]
        places = [compose(X_WL[joint.child], joint.X_CJ)[:3] for joint in self.model.joints if joint.child in X_WL]
        points = np.array([*centres, *(X[:3] for X in X_WL.values()), *places])
        self.size = float(arrays.norm(np.ptp(points, axis=0))) or 1.0
        masses = np.array([link.mass for link in heavy])
        self.weight = float(arrays.norm(self.gravity) * masses.sum())
        moved = self.still.moves[[rows[link.name] for link in heavy]].T
        self.masses = arrays.matmul(moved, masses)  # moved by each coordinate [kg], shape (nv,)
        # of the moved links about the world's origin [kg m], shape (nv, 3)
        self.moments = arrays.matmul(moved, masses[:, None] * np.reshape(centres, (-1, 3)))
        linear, angular = self.still.twists[:3].T, self.still.twists[3:].T
        torques = np.cross(self.moments, self.gravity)
        self.force = self.masses * (arrays.matmul(linear, self.gravity)) + arrays.dot(angular, torques)

    def is_held(self) -> bool:
        """Return whether each coordinate is in balance, or held by its own friction or by a stop that it rests on.

        This is sufficient for a standstill, also with loops. It is not necessary: a loop may be in balance as a whole.
        """
        is_balanced = np.abs(self.force) <= NOTHING * self.weight * self._arms()
        for joint, dof, number in self._single():
            axis, force = joint.axes[number], self.force[dof]
            fields, at = joint.kind.slot(number).fields, self._start(joint, number)
            rests = (at <= axis.lower and force < 0.0) or (at >= axis.upper and force > 0.0)
            is_balanced[dof] |= "friction" in fields and abs(force) <= axis.friction
            is_balanced[dof] |= joint.kind.slot(number).limited and rests
        return bool(is_balanced.all())

    def _arms(self) -> np.ndarray:
        """Return for each coordinate the length that relates a torque to a force [m]; 1 for a slide."""
        return np.where(np.any(self.still.twists[3:], axis=0), self.size, 1.0)

    def _single(self) -> Iterator[tuple[Joint, int, int]]:
        """Yield (joint, dof, number of the axis) for each coordinate of a screw."""
        for span in self.compiled.spans.values():
            if not span.joint.kind.chart and span.joint.axis_count:
                for place, column in enumerate(span.joint.columns):
                    yield span.joint, span.v_at(place), column.axis

    @staticmethod
    def _start(joint: Joint, number: int) -> float:
        return joint.q_home[joint.place_of(number) or 0]

    def forces(self) -> Iterator[tuple[Joint, float]]:
        """Yield each joint with the torque of gravity on its axis [N m]; for a slide, the force times the size."""
        for joint, dof, number in self._single():
            slides = joint.axis_unit(number) is Unit.LENGTH
            yield joint, abs(float(self.force[dof])) * (self.size if slides else 1.0)

    def hinges(self) -> Iterator[Hinge]:
        """Yield the hinges that gravity cannot turn in any pose.

        Only joints whose single unlocked axis is a hinge are examined.
        """
        down = scale(tuple(self.gravity.tolist()), 1.0 / float(arrays.norm(self.gravity)))
        for joint, dof, number in self._single():
            is_hinge = joint.nv == 1 and joint.columns[0].turn and not joint.columns[0].slide_with(joint.pitch)
            if not is_hinge or not joint.kind.slot(number).is_pointed:
                continue
            if not self.masses[dof]:
                continue
            arm = self._arm(joint, dof)
            axis = tuple(self.still.twists[3:, dof].tolist())
            if norm(cross(axis, down)) < NOTHING:
                why = "its axis points along gravity"
            elif norm(cross(axis, arm)) <= NOTHING * self.size:
                why = "the center of mass of what it turns lies on its axis"
            else:
                continue
            best = cross(arm, down)
            better = scale(best, 1.0 / norm(best)) if norm(best) > 1e-3 * max(norm(arm), NOTHING * self.size) else None
            yield Hinge(joint.name, why, better if norm(arm) > NOTHING * self.size else None)

    def _arm(self, joint: Joint, dof: int) -> Vec3:
        """Return the vector from a joint to the centre of mass of the links that it moves [m]."""
        origin = compose(self.still.X_WL[joint.child], joint.X_CJ)[:3]
        return sub(tuple((self.moments[dof] / self.masses[dof]).tolist()), origin)
