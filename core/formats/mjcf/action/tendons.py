# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed tendons: sums of joint coordinates, times coefficients, which actuators pull on.

A tendon by itself exerts no force. Here it is read if an actuator pulls on it and its joints are one, or several of
which one leads the others: then its length is a multiple of the leader's coordinate, and so is its force. Tendons whose
lengths are constrained are couplings (equalities.py).

Source: MuJoCo documentation, XML Reference, "tendon/fixed".
"""

from __future__ import annotations

from dataclasses import dataclass

from ....model import Model
from ...findings import Findings
from ..model_file import ModelFile
from ..tree.assembly import Assembled
from ..tree.bodies import OWN, Affixes
from ..tree.joints import JointPlace


@dataclass(frozen=True)
class Pull:
    """The effect of an actuator's transmission on one axis.

    Attributes:
        joint, axis: the axis that it drives.
        ratio: length of the transmission per unit of the axis's coordinate.
        offset: length of the transmission at coordinate 0.
    """

    joint: str
    axis: int
    ratio: float
    offset: float = 0.0


class Tendons:
    """The fixed tendons of a model by their names.

    Attributes:
        names: of all tendons, also of those that are not read.
    """

    def __init__(self, model: Model, assembled: Assembled, findings: Findings):
        self.model, self.assembled, self.findings = model, assembled, findings
        self.names: set[str] = set()
        self._terms: dict[str, list[tuple[JointPlace, float]]] = {}

    def read(self, file: ModelFile, affixes: Affixes = OWN) -> None:
        """Add the tendons of a file. affixes: of its names, if it was attached."""
        for element in file.document.entries("tendon"):
            self.names.add(affixes.of(element.name))
            if element.tag != "fixed":
                continue
            terms = []
            for item in element.all("joint"):
                name = affixes.of(item.attributes.get("joint", ""))
                place = self.assembled.joints.get(name)
                if place is None or place.kind not in ("hinge", "slide"):
                    message = f"the tendon '{element.name}' runs over '{name}', which is no hinge or slide; name one"
                    self.findings.error(item, "unknown-joint", message)
                else:
                    terms.append((place, self.findings.attribute(item, "coef", 1.0)))
            self._terms[affixes.of(element.name)] = terms

    def terms(self, name: str) -> list[tuple[JointPlace, float]]:
        """Return the axes over which a fixed tendon runs, each with its coefficient."""
        return self._terms[name]

    def __contains__(self, name: str) -> bool:
        return name in self._terms

    def pull(self, name: str) -> Pull | None:
        """Return what a force on a tendon does; None if its joints do not follow one of them."""
        terms = self._terms[name]
        if not terms:
            return None
        leaders = {self._leader(place) for place, _ in terms}
        if len(leaders) != 1:
            return None
        joint, axis = leaders.pop()
        ratio = offset = 0.0
        for place, weight in terms:
            factor, constant = self._in_leader(place)
            ratio += weight * factor
            offset += weight * constant
        return Pull(joint, axis, ratio, offset) if ratio else None

    def _leader(self, place: JointPlace) -> tuple[str, int]:
        """Return (joint, axis) that an axis follows, through all followers; the axis itself if it follows none."""
        joint, axis, seen = place.joint, place.axis, set()
        while (mimic := self.model.joint(joint).mimic) and mimic.axis == axis and (joint, axis) not in seen:
            seen.add((joint, axis))
            joint, axis = mimic.leader, mimic.leader_axis
        return joint, axis

    def _in_leader(self, place: JointPlace) -> tuple[float, float]:
        """Return (factor, constant): the coordinate of an axis as a linear function of its leader's."""
        joint, axis, factor, constant, seen = place.joint, place.axis, 1.0, 0.0, set()
        while (mimic := self.model.joint(joint).mimic) and mimic.axis == axis and (joint, axis) not in seen:
            seen.add((joint, axis))
            constant += factor * (mimic.offset - mimic.multiplier * mimic.reference)
            factor *= mimic.multiplier
            joint, axis = mimic.leader, mimic.leader_axis
        return factor, constant
