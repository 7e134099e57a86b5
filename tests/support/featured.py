# SPDX-License-Identifier: GPL-3.0-or-later
"""One link on one joint, made so that a single coordinate moves and its motion is known in closed form.

The link is a ball whose centre is where the joint's frames meet. So nothing couples its coordinates while one of them
moves from a start where the others rest, and each has an inertia that a line of arithmetic gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from limberjack.core.joints import FREE, JOINT_TYPES, Unit
from limberjack.core.joints.limited_quantities import CONE, DISTANCE, TWIST
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Controls, Forces, Simulation
from limberjack.core.spatial import compose, inverse, quat_of_rotvec
from limberjack.core.trajectory.trajectory import Trajectory

MASS, INERTIA, PITCH, SWUNG = 2.0, 0.3, 0.3, 0.3
NAME = "tested"
POINTED = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
OPEN = ({"turn": 0.0, "slide": 1.0}, {}, {"slide": 0.1})
"""Axes of an open type: a slide, a turn and a screw."""
X_PJ = (0.2, -0.1, 0.3, *quat_of_rotvec((0.4, -0.3, 0.2)))
X_CJ = (0.0, 0.0, 0.0, *quat_of_rotvec((-0.2, 0.5, 0.1)))


@dataclass(frozen=True)
class Probe:
    """A joint, of which one axis is looked at.

    Attributes:
        q: to start from; nothing moves but velocity coordinate `dof`, whose rate is that of `value`.
        start: the value there. inertia: of that coordinate [kg or kg m^2].
    """

    model: Model
    number: int | None
    q: tuple[float, ...]
    dof: int
    start: float
    inertia: float

    @property
    def joint(self) -> Joint:
        return self.model.joint(NAME)

    def having(self, **fields) -> Probe:
        """With fields of the axis set."""
        model = self.model.copy()
        joint = model.joint(NAME)
        joint.axes[self.number] = replace(joint.axes[self.number], **fields)
        return replace(self, model=model)

    def run(self, times, speed: float = 0.0, push: float = 0.0, **others) -> Trajectory:
        """Its motion from a speed of the value, under a constant force on it [N m or N]."""
        initial = {"q": {NAME: self.q}, "qd": {NAME: self._along(speed)}} if self.q else {}
        controls = Controls(forces=lambda _: Forces(joints={NAME: self._along(push)})) if push else None
        return Simulation(self.model, times, "exact", initial=initial, controls=controls, **others).run()

    def _along(self, size: float) -> list[float]:
        return [size * (i == self.dof) for i in range(self.joint.nv)]

    def coordinates(self, motion: Trajectory) -> np.ndarray:
        """q of the joint, shape (F, nq)."""
        return _own(motion.q, motion.q_names, self.joint.q_units)

    def rate(self, motion: Trajectory) -> np.ndarray:
        """Of the value, shape (F,)."""
        return _own(motion.qd, motion.qd_names, self.joint.qd_units)[:, self.dof]

    def value(self, motion: Trajectory) -> np.ndarray:
        """What the axis is about, shape (F,)."""
        return _value(self.joint, self.number, self.dof, self.coordinates(motion))


def probe(kind: str, form: str, number: int | None = None, **settings) -> Probe:
    """Of a joint that carries the link (`form` "tree") or closes the loop that a floating link makes ("loop")."""
    joint = bare(kind, form == "loop", **settings)
    link = Link("link", MASS, (0.0, 0.0, 0.0), (INERTIA, 0.0, 0.0, INERTIA, 0.0, INERTIA))
    link.pose = compose(X_PJ, inverse(X_CJ))
    model = Model("featured", [link], [joint], gravity=(0.0, 0.0, 0.0))
    if number is None:
        return Probe(model, None, joint.q_neutral, 0, 0.0, math.nan)
    q, dof, inertia = _about(joint, number)
    return Probe(model, number, q, dof, float(_value(joint, number, dof, np.array([q]))[0]), inertia)


def bare(kind: str, closes_loop: bool = False, **settings) -> Joint:
    """A joint whose axes are at right angles to each other, with nothing else on them."""
    if JOINT_TYPES[kind].is_open:
        axes = [Axis(direction, **fields) for direction, fields in zip(POINTED, OPEN, strict=True)]
    else:
        pointed = iter(POINTED)
        axes = [Axis(next(pointed)) if slot.is_pointed else Axis() for slot in JOINT_TYPES[kind].axes]
    return Joint(NAME, kind, WORLD, "link", X_PJ, X_CJ, axes, PITCH, closes_loop=closes_loop, **settings)


def _about(joint: Joint, number: int) -> tuple[tuple[float, ...], int, float]:
    """(q to start from, velocity coordinate, inertia) of an axis: a column's, a force law's or a row's."""
    place = joint.place_of(number)
    if place is not None:
        column = joint.columns[place]
        inertia = MASS * column.slide_with(joint.pitch) ** 2 + INERTIA * column.turn**2
        return joint.q_neutral, place, inertia
    if number in joint.kind.spring_axes:
        dof = joint.kind.spring_axes.index(number)
        return joint.q_neutral, dof, MASS if joint.qd_units[dof][1] is Unit.LENGTH else INERTIA
    measure = next(row.code for row in joint.kind.limited_quantities if row.axis == number)
    if measure == DISTANCE:
        return (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0), 2, MASS
    if measure == CONE:
        return quat_of_rotvec((SWUNG, 0.0, 0.0)), 0, INERTIA
    assert measure == TWIST
    return joint.q_neutral, 2, INERTIA


def _value(joint: Joint, number: int, dof: int, q: np.ndarray) -> np.ndarray:
    if not joint.kind.chart:
        return q[:, dof]
    angles = 2.0 * np.arctan2(np.linalg.norm(q[:, -3:], axis=1), q[:, -4])
    vectors = q[:, -3:] * (angles / np.maximum(np.sin(0.5 * angles), 1e-300))[:, None]
    measure = next((row.code for row in joint.kind.limited_quantities if row.axis == number), None)
    if measure == DISTANCE:
        return np.linalg.norm(q[:, :3], axis=1)
    if measure == CONE:
        return np.linalg.norm(vectors[:, :2], axis=1)  # while nothing turns about z
    if joint.kind.code == FREE and dof < 3:
        return q[:, dof]
    return vectors[:, dof - 3 * (joint.kind.code == FREE)]


def _own(numbers: np.ndarray, names, units) -> np.ndarray:
    """The columns of the joint's coordinates, in its own order."""
    known = [name for name, _ in names]
    return numbers[:, [known.index(f"{NAME}.{part}" if part else NAME) for part, _ in units]]
