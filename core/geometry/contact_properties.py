# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties of collision shapes, and the rules that combine those of two shapes in contact."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

RIGID = 1e10
"""Stiffness [N/m] at or above which a contact is rigid. Files give 1e12, SDF's default, for bodies that do not deform;
contact points of steel balls have about 1e7 to 1e9.
"""


@dataclass(frozen=True)
class Surface:
    """Contact properties of a collision shape. A shape without a surface has the defaults.

    Attributes:
        friction: coefficient of sliding (Coulomb) friction.
        static_friction: coefficient until the contact slides, no less than `friction`; None for the same.
        restitution: normal speed after a rigid impact ÷ before it, 0 to 1.
        stiffness: k of a contact point [N/m]; rigid from `RIGID` on, see `contact_stiffness`.
        dissipation: d [s/m] in the normal force k x (1 + d x') at the depth x [m], if the contact is not rigid.
        rolling_friction, spinning_friction: largest torque against rolling, and against rotation about the normal, per
            newton of normal force [m].
        velocity: of the surface relative to its link, in the shape's axes, as of a conveyor belt [m/s].
        slip_speed: v in the smoothed friction law friction * slip / sqrt(slip^2 + v^2), which never sticks; 0 for
            Coulomb's [m/s].

    Source of the normal force: Hunt and Crossley, Coefficient of restitution interpreted as damping in vibroimpact
    (1975), with an exponent of 1 as in Drake.
    """

    friction: float = 1.0
    static_friction: float | None = None
    restitution: float = 0.0
    stiffness: float = math.inf
    dissipation: float = 0.0
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0
    velocity: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0), metadata={"since": "0.2.0"})
    slip_speed: float = field(default=0.0, metadata={"since": "0.2.0"})

    def __post_init__(self):
        object.__setattr__(self, "velocity", tuple(self.velocity))  # files give a list

    @property
    def holding_friction(self) -> float:
        """The coefficient of friction until the contact slides; never less than `friction`."""
        return self.friction if self.static_friction is None else max(self.static_friction, self.friction)

    @property
    def contact_stiffness(self) -> float:
        """The stiffness that simulations use [N/m]: `stiffness`, or infinity from `RIGID` on."""
        return self.stiffness if self.stiffness < RIGID else math.inf


def combine_surfaces(a: Surface | None, b: Surface | None) -> Surface:
    """Return the surface that describes a contact between two surfaces. None stands for a default surface.

    The order of the arguments does not matter. Both friction coefficients are the smaller ones, as in Gazebo (ODE and
    DART): a slippery surface is slippery on all others. Restitution is the larger one, so that a ball bounces off a
    floor without a given surface; the same holds for rolling and spinning friction and slip speed. Velocities are not
    combined. Stiffnesses act in series, kA kB / (kA + kB), and dissipation is (kB dA + kA dB) / (kA + kB), as in Drake:
    each side dissipates in proportion to its share of the depth. If one side is rigid, the other's dissipation holds;
    if both are, their mean.
    """
    a, b = a or Surface(), b or Surface()
    friction, holding = min(a.friction, b.friction), min(a.holding_friction, b.holding_friction)
    stiffness, dissipation = _in_series(a, b)
    return Surface(
        friction,
        holding if holding > friction else None,
        max(a.restitution, b.restitution),
        stiffness,
        dissipation,
        max(a.rolling_friction, b.rolling_friction),
        max(a.spinning_friction, b.spinning_friction),
        slip_speed=max(a.slip_speed, b.slip_speed),
    )


def _in_series(a: Surface, b: Surface) -> tuple[float, float]:
    """Return the stiffness [N/m] and the dissipation [s/m] of two surfaces in series.

    The result does not depend on their order, to the last bit.
    """
    kA, kB = a.contact_stiffness, b.contact_stiffness
    if kA == kB == math.inf:
        return math.inf, 0.5 * (a.dissipation + b.dissipation)
    if math.inf in (kA, kB):
        soft = a if kA < kB else b
        return soft.stiffness, soft.dissipation
    return kA * kB / (kA + kB), (kB * a.dissipation + kA * b.dissipation) / (kA + kB)
