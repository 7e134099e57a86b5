# SPDX-License-Identifier: GPL-3.0-or-later
"""Equations between joints as URDF's mimics: one joint's coordinate is a multiple of another's, and an offset."""

from __future__ import annotations

from dataclasses import dataclass

from ...model import Coupling, Gearbox, Joint, Model, ModelError
from ...model.couplings import Equation, mimic_equation


@dataclass(frozen=True)
class Follows:
    """q = multiplier * (the leader's q) + offset."""

    leader: str
    multiplier: float
    offset: float


def urdf_mimics(model: Model, written: list[Joint]) -> tuple[dict[str, Follows], list[str]]:
    """What each joint follows, by its name, and the equations that URDF cannot say.

    A coupling becomes a mimic of the part that is named last, or of another where that follows something already.
    """
    search = _Search(written)
    for joint in model.joints:
        if joint.mimic and joint.enabled:
            subject = f"joint '{joint.name}': its mimic of '{joint.mimic.leader}'"
            search.take(subject, mimic_equation(joint.name, joint.mimic), only=joint.name)
    for coupling in model.couplings:
        subject = f"coupling '{coupling.name}'"
        equation = _equation(coupling, model.joints)
        if equation is None:
            search.losses.append(f"{subject} is left out, as a joint that it counts on is")
        else:
            search.take(subject, equation)
    return search.follows, search.losses


def _equation(coupling: Coupling | Gearbox, joints: list[Joint]) -> Equation | None:
    try:
        return coupling.equation(joints)
    except ModelError:
        return None


class _Search:
    def __init__(self, written: list[Joint]):
        self.axes = {joint.name: joint.columns[0].axis for joint in written if len(joint.columns) == 1}
        self.joints = {joint.name for joint in written}
        self.follows: dict[str, Follows] = {}
        self.losses: list[str] = []

    def take(self, subject: str, equation: Equation, only: str = "") -> None:
        """Make a mimic of it, of joint `only` where one is named; else tell why there is none."""
        terms = equation.terms
        missing = [term.joint for term in terms if term.joint not in self.joints]
        if missing:
            self.losses.append(f"{subject} is left out, as joint '{missing[0]}' is")
        elif len(terms) != 2:
            self.losses.append(
                f"{subject} is left out: a mimic of URDF follows one joint, and this couples {len(terms)}"
            )
        elif any(self.axes.get(term.joint) != term.axis for term in terms):
            self.losses.append(f"{subject} is left out: a mimic of URDF is between joints of one axis")
        elif not self._follow(equation, only):
            self.losses.append(f"{subject} is left out: what it couples follows something already")

    def _follow(self, equation: Equation, only: str) -> bool:
        one, other = equation.terms
        for follower, leader in ((one, other),) if only else ((other, one), (one, other)):
            if follower.weight and follower.joint not in self.follows and not self._leads(follower.joint, leader.joint):
                multiplier, offset = -leader.weight / follower.weight, equation.constant / follower.weight
                self.follows[follower.joint] = Follows(leader.joint, multiplier + 0.0, offset + 0.0)
                return True
        return False

    def _leads(self, joint: str, start: str) -> bool:
        """Whether `joint` is `start`, or what that follows, or what that one follows."""
        at: str | None = start
        while at is not None and at != joint:
            at = self.follows[at].leader if at in self.follows else None
        return at == joint
