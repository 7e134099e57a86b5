# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties: friction as given, and a stiffness with which a body at rest is as deep as in MuJoCo.

MuJoCo's contacts give way by solref and solimp, which are times and ratios, not newtons per metre. At rest, under its
own weight, a body sinks to the depth r at which

    k r = g (1 - d(r)) / d(r),  k = d(r) / (dmax tau zeta)^2,

whatever its mass: 0.367 mm for the defaults. Here the stiffness of a link's collisions is m g / r, with m the mass that
a force on the link moves, and the dissipation gives the same damping at that depth. What stands still is rigid.

Source: MuJoCo documentation, Modeling, "Solver parameters", and Computation, "Parameters".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....files.xml import Element
from ....geometry import Shape, Surface
from ....model import Model
from ....spatial import norm
from ...findings import Findings
from ..poses import integer_of, numbers_of
from ..tree.assembly import Assembled
from ..tree.geoms import Geom
from .inertias import Inertias

SOLREF = (0.02, 1.0)
"""Default time constant [s] and damping ratio of a contact."""
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
"""Default impedance: at depth 0, at the width and beyond, width [m], midpoint, power."""
FRICTION = (1.0, 0.005, 0.0001)
"""Default sliding friction, and torsional and rolling friction [m]."""

IMPEDANCES = (0.0001, 0.9999)
"""Least and largest impedance, to which MuJoCo bounds given ones."""

STANDARD_GRAVITY = 9.81
"""Gravity by which the depth at rest is computed where the file has none [m/s^2]."""

LEAST = 1e-15
"""Least squared time [s^2] and least stiffness [1/s^2], as MuJoCo bounds divisors."""

BISECTIONS = 55
"""Number of bisections for the depth at rest: the last one is below the last digit of the first interval."""


@dataclass(frozen=True)
class _Contact:
    """The contact attributes of a geom: friction (sliding, torsional [m], rolling [m]), condim and priority."""

    friction: tuple[float, ...]
    dimensions: int
    priority: int

    def with_other(self, other: _Contact) -> _Contact:
        """Return what MuJoCo takes for a contact of two geoms: the larger numbers, or those of the higher priority."""
        if self.priority != other.priority:
            return max(self, other, key=lambda each: each.priority)
        friction = tuple(map(max, self.friction, other.friction))
        return _Contact(friction, max(self.dimensions, other.dimensions), self.priority)

    def surface(self) -> Surface:
        sliding, spinning, rolling = (max(value, 0.0) for value in self.friction)
        return Surface(
            friction=sliding if self.dimensions > 1 else 0.0,
            spinning_friction=spinning if self.dimensions > 3 else 0.0,
            rolling_friction=rolling if self.dimensions > 4 else 0.0,
        )


@dataclass(frozen=True)
class _Collision:
    """A collision with its geom. mass: that a force on its link moves [kg]; 0 if it stands still."""

    shape: Shape
    geom: Geom
    contact: _Contact
    mass: float


def read_surfaces(model: Model, assembled: Assembled, inertias: Inertias, findings: Findings) -> None:
    """Set the surface of each collision.

    Here the smaller of two frictions counts, and the larger of two torsional and rolling ones. If all geoms that stand
    still have the same friction, a geom that moves gets the friction that it has on them in MuJoCo, and they get the
    largest of these.
    """
    collisions = list(_collisions(model, assembled, inertias, findings))
    gravity = norm(model.gravity) or STANDARD_GRAVITY
    still = {each.contact for each in collisions if not each.mass}
    ground = still.pop() if len(still) == 1 else None
    met = [each.contact.with_other(ground) if ground else each.contact for each in collisions if each.mass]
    largest = max((contact.surface().friction for contact in met), default=0.0)
    for each in collisions:
        if each.mass:
            surface = (each.contact.with_other(ground) if ground else each.contact).surface()
            each.shape.surface = _compliant(surface, each, gravity, findings)
        elif ground and met:
            each.shape.surface = Surface(friction=max(largest, ground.surface().friction))
        else:
            each.shape.surface = each.contact.surface()
    if still or len({contact.surface().friction for contact in met}) > 1:
        who = "geoms" if still else "moving geoms"
        findings.note(f"{who} have different frictions: where two meet, MuJoCo takes the larger one, here the smaller")


def _collisions(model: Model, assembled: Assembled, inertias: Inertias, findings: Findings) -> Iterator[_Collision]:
    for link in model.links:
        shapes = {shape.name: shape for shape in link.collisions}
        if not shapes:
            continue
        mass = inertias.mass_at(link.name)
        for geom in assembled.all_geoms.get(link.name, ()):
            if shape := shapes.get(geom.shape.name):
                element = geom.part.element
                friction = numbers_of(element, "friction", FRICTION, findings)
                dimensions = integer_of(element, "condim", 3, findings)
                priority = integer_of(element, "priority", 0, findings)
                yield _Collision(shape, geom, _Contact(friction, dimensions, priority), mass)


def _compliant(surface: Surface, collision: _Collision, gravity: float, findings: Findings) -> Surface:
    """Return a surface with the stiffness and dissipation of a geom that moves."""
    depth, damping = rest_of(collision.geom.part.element, gravity, findings)
    if not depth > 0.0:
        return surface
    return replace(surface, stiffness=collision.mass * gravity / depth, dissipation=damping / gravity)


def rest_of(element: Element, gravity: float, findings: Findings) -> tuple[float, float]:
    """Return the depth at rest [m] and the damping there per unit of mass [1/s] that solref and solimp mean."""
    solref = numbers_of(element, "solref", SOLREF, findings)
    solimp = numbers_of(element, "solimp", SOLIMP, findings)
    most = min(max(solimp[1], IMPEDANCES[0]), IMPEDANCES[1])
    if solref[0] > 0.0 and solref[1] > 0.0:
        time = most * solref[0] * solref[1]
        stiffness, damping = 1.0 / max(time * time, LEAST), 2.0 / max(most * solref[0], LEAST)
    else:  # solref is minus the stiffness [1/s^2] and minus the damping [1/s]
        stiffness, damping = -solref[0] / (most * most), -solref[1] / most
    if not LEAST < stiffness < math.inf:
        return 0.0, 0.0

    def needed(depth: float) -> float:
        """Return the depth at which a contact with the impedance of this depth carries the weight."""
        d = impedance(depth, solimp)
        return gravity * (1.0 - d) / (d * d * stiffness)

    # The impedance lies between those at both ends, so the depth lies below the larger of the depths that they need.
    low, high = 0.0, max(needed(0.0), needed(math.inf))
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if middle < needed(middle):
            low = middle
        else:
            high = middle
    return high, max(damping, 0.0) * impedance(high, solimp)


def impedance(depth: float, solimp: tuple[float, ...]) -> float:
    """Return d(r), the impedance at a depth [m].

    Source: MuJoCo documentation, Modeling, "Impedance"; getimpedance in engine_core_constraint.c.
    """
    least, most = (min(max(value, IMPEDANCES[0]), IMPEDANCES[1]) for value in solimp[:2])
    width, power = max(solimp[2], 1e-15), max(solimp[4], 1.0)
    middle = min(max(solimp[3], IMPEDANCES[0]), IMPEDANCES[1])
    x = min(depth / width, 1.0)
    if power == 1.0:
        y = x
    elif x <= middle:
        y = middle * (x / middle) ** power
    else:
        y = 1.0 - (1.0 - middle) * ((1.0 - x) / (1.0 - middle)) ** power
    return least + y * (most - least)
