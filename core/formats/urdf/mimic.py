# SPDX-License-Identifier: GPL-3.0-or-later
"""Equations between joints as mimics of URDF, in which one coordinate is a multiple of another plus an offset."""

from __future__ import annotations

from dataclasses import dataclass

from ...model import Coupling, Gearbox, Joint, Model, ModelError
from ...model.couplings import Equation, mimic_equation


@dataclass(frozen=True)
class Follows:
    """A mimic of URDF: q = multiplier * (the leader's q) + offset."""

    leader: str
    multiplier: float
    offset: float


def urdf_mimics(model: Model, written: list[Joint]) -> tuple[dict[str, Follows], list[str]]:
    """Return {joint: its mimic}, and lines about equations that URDF cannot express.

    A coupling becomes a mimic of its last joint, or of the other one if that already has a mimic.
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
    """Assigns equations to joints that have no mimic yet.

    `axes` has the number of the axis of each joint that has exactly one.
    """

    def __init__(self, written: list[Joint]):
        self.axes = {joint.name: joint.columns[0].axis for joint in written if len(joint.columns) == 1}
        self.joints = {joint.name for joint in written}
        self.follows: dict[str, Follows] = {}
        self.losses: list[str] = []

    def take(self, subject: str, equation: Equation, only: str = "") -> None:
        """Make an equation a mimic, of the joint `only` if one is named.

        If that is impossible, add a line that says why.
        """
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
        """Return whether `joint` is `start`, or one of the joints that `start` follows directly or indirectly."""
        at: str | None = start
        while at is not None and at != joint:
            at = self.follows[at].leader if at in self.follows else None
        return at == joint
