# SPDX-License-Identifier: GPL-3.0-or-later
"""A link on one joint, and a ball that strikes it or lies on it: what it feels follows from how the joint lets it move.

The ball presses on the link's bumper along a line. There it feels the ball's mass and the link's, as far as the joint
lets it give way: W = w'S (S'MS)^-1 S'w, with S the twists that the joint allows, by differences of its pose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from limberjack.core.geometry import Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.joints.limited_quantities import DISTANCE
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.screws import joint_pose
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose, inverse, quat_of_rotvec

from .featured import INERTIA, MASS, NAME, X_CJ, X_PJ, probe
from .models import matrix

BALL, RADIUS, BUMPER = 0.7, 0.04, 0.1
ALONG = np.array([0.36, -0.48, 0.8])
"""From the bumper's middle to the ball's."""
OFFSET = (0.25, 0.1, -0.15)
"""Of the bumper from the link's centre of mass, in the link."""
ROD = 0.5
STEP = 1e-5


@dataclass(frozen=True)
class Struck:
    """Attributes:
    place: where the ball touches [m]. yields: W [1/kg].
    """

    model: Model
    q: tuple[float, ...]
    place: np.ndarray
    yields: float

    @property
    def mass(self) -> float:
        """With which both answer to each other [kg]."""
        return 1.0 / (1.0 / BALL + self.yields)

    def run(self, times, speed: float = 0.0) -> Simulation:
        """From a speed of the ball towards the link [m/s]."""
        start = {"q": {NAME: list(self.q)} if self.q else {}, "qd": {"flies": [*(-speed * ALONG), 0.0, 0.0, 0.0]}}
        run = Simulation(self.model, times, "exact", initial=start, record=("contacts", "impacts"))
        run.run()
        return run


def struck(kind: str, form: str, gap: float, restitution: float, gravity: float = 0.0) -> Struck:
    """With the ball so far from the link [m], which alone feels a weight, towards it [m/s^2].

    Rods are as long as they are, and so are cables where the ball lies on the link; else these are slack.
    """
    model = probe(kind, form).model
    joint, link, surface = model.joint(NAME), model.link("link"), Surface(friction=0.0, restitution=restitution)
    rods = {row.axis for row in joint.kind.limited_quantities if row.code == DISTANCE}
    for number in rods:
        is_cable = "lower" not in joint.kind.slot(number).fields
        ends = {"upper": ROD if gravity else 2.0 * ROD} if is_cable else {"lower": ROD, "upper": ROD}
        joint.axes[number] = replace(joint.axes[number], **ends)
    q = _start(joint)
    bumper = Shape("bumper", Sphere(BUMPER), (*OFFSET, 1.0, 0.0, 0.0, 0.0), surface=surface)
    link.collisions, link.gravity = [bumper], False
    X = _pose(joint, q)
    middle = (matrix(X) @ (*OFFSET, 1.0))[:3]
    place = middle + BUMPER * ALONG
    ball = Link("ball", BALL, inertia=(0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    ball.collisions = [Shape("ball", Sphere(RADIUS), surface=surface)]
    at = middle + (BUMPER + RADIUS + gap) * ALONG
    model.links.append(ball)
    model.joints.append(Joint("flies", "free", WORLD, "ball", X_PJ=(*at.tolist(), 1.0, 0.0, 0.0, 0.0)))
    model.gravity = tuple((-gravity * ALONG).tolist())
    S = _twists(joint, q, rods)
    w = S.T @ np.concatenate([ALONG, np.cross(place - X[:3], ALONG)])
    M = S.T @ np.diag([MASS] * 3 + [INERTIA] * 3) @ S
    return Struck(model, q, place, float(w @ np.linalg.solve(M, w)))


def _start(joint: Joint) -> tuple[float, ...]:
    turned = quat_of_rotvec((0.3, 0.1, -0.2))
    if joint.kind.chart:
        return turned if joint.nq == 4 else (0.0, 0.3, -0.4, *turned)  # ROD away, where the ball pulls at a cable
    return tuple(0.1 * math.cos(2.0 * i) for i in range(joint.nq))


def _pose(joint: Joint, q) -> tuple:
    """Of the link in the world."""
    return compose(compose(X_PJ, joint_pose(joint, list(q))), inverse(X_CJ))


def _twists(joint: Joint, q, rods) -> np.ndarray:
    """What the joint allows, the velocity of the centre of mass first, shape (6, nv) or a row's less."""
    if joint.kind.chart:
        free = np.eye(6)[:, 6 - joint.nv :]
        if not rods or joint.axes[min(rods)].upper > ROD:
            return free
        across = np.array(_pose(joint, q)[:3]) - X_PJ[:3]
        return np.linalg.svd(np.array([[*across, 0.0, 0.0, 0.0]]))[2][1:].T
    found = []
    for i in range(joint.nq):
        ends = [matrix(_pose(joint, [value + sign * STEP * (k == i) for k, value in enumerate(q)])) for sign in (1, -1)]
        rate = (ends[0] - ends[1]) / (2.0 * STEP)
        spin = rate[:3, :3] @ matrix(_pose(joint, q))[:3, :3].T
        found.append([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
    return np.array(found).reshape(-1, 6).T
