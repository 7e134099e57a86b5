# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of links: what their prims give, and what follows from the volume of their colliders.

A body's own mass comes first, then the masses of its colliders, then densities. An authored mass scales the inertia of
the shapes; an authored inertia and centre take precedence over theirs. Zero, and for the centre infinity, mean "not
given".

Source: OpenUSD documentation, "Rigid Body Physics in USD", section "Mass Properties"; UsdPhysicsMassAPI.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ...geometry import Shape
from ...geometry.mass import MassProperties
from ...geometry.shape_mass import mass_properties_and_notes
from ...model import Link
from ...spatial import IDENTITY_QUAT, Pose, Quat, Sym3, Vec3, compose, inverse, quat_normalized, quat_to_mat, sym_rotate
from ...spatial.arrays import matmul
from ..findings import Findings
from ..sdf.link import combined
from .bodies import MASS
from .materials import physics_material
from .stage import Stage

DENSITY = 1000.0
"""Density of colliders for which nothing gives one, that of water [kg/m^3]."""

NONE_AT_ALL = 1.0
"""Mass of a body for which nothing gives one [kg], as simulators take it; its inertia is that of a ball of water."""


@dataclass(frozen=True)
class Given:
    """What a prim says of its mass. Numbers are 0, and vectors None, if they are not given.

    Attributes:
        mass [kg]; density [kg/m^3]. com: in the prim's axes, in metres of the stage's unscaled length.
        moments: along the principal axes [kg m^2]. axes: of these, in the prim.
    """

    mass: float = 0.0
    density: float = 0.0
    com: Vec3 | None = None
    moments: Vec3 | None = None
    axes: Quat = IDENTITY_QUAT


class MassReader:
    """Sets the masses of links."""

    def __init__(self, stage: Stage, findings: Findings):
        self._stage, self._findings = stage, findings

    def weigh(self, body: Any, link: Link, colliders: Sequence[tuple[Any, Shape]]) -> None:
        """Set mass, com and inertia of a link. body: its prim; colliders: prims with their shapes in the link."""
        own = self._given(body)
        solids = self._solids(body, own, link, colliders)
        if solids:
            link.mass, link.com, link.inertia = combined(solids)
        elif not own.mass:
            link.mass, link.inertia = NONE_AT_ALL, _ball(NONE_AT_ALL)
            message = f"nothing gives its mass; {NONE_AT_ALL:g} kg is taken"
            self._findings.warning(self._stage.place(body, f"link '{link.name}'"), "no-mass", message)
        if own.mass:
            factor = own.mass / link.mass if link.mass else 0.0
            link.inertia = cast(Sym3, tuple(factor * entry for entry in link.inertia)) if factor else _ball(own.mass)
            link.mass = own.mass
        if own.com is not None:
            link.com = self._centre(body, own.com)
        if own.moments is not None:
            xx, yy, zz = own.moments
            link.inertia = sym_rotate(quat_to_mat(own.axes), (xx, 0.0, 0.0, yy, 0.0, zz))

    def _given(self, prim: Any) -> Given:
        stage = self._stage
        if MASS not in stage.applied(prim):
            return Given()
        cubed = stage.kilogram / stage.unit**3
        com = stage.numbers(prim, "physics:centerOfMass", (-math.inf,) * 3)
        moments = stage.numbers(prim, "physics:diagonalInertia", (0.0, 0.0, 0.0))
        axes = stage.numbers(prim, "physics:principalAxes", (0.0, 0.0, 0.0, 0.0))
        squared = stage.kilogram * stage.unit**2
        has_com, has_axes = all(map(math.isfinite, com)), any(axes)
        return Given(
            self._positive(prim, "physics:mass") * stage.kilogram,
            self._positive(prim, "physics:density") * cubed,
            cast(Vec3, com) if has_com else None,
            cast(Vec3, tuple(squared * moment for moment in moments)) if any(moments) else None,
            quat_normalized(cast(Quat, axes)) if has_axes else IDENTITY_QUAT,
        )

    def _positive(self, prim: Any, name: str) -> float:
        value = self._stage.number(prim, name, 0.0, infinite=False)
        if value < 0.0:
            self._findings.error(self._stage.place(prim), "bad-number", f"{name} is {value:g}; give 0 or more")
        return max(value, 0.0)

    def _centre(self, body: Any, com: Vec3) -> Vec3:
        """Return a centre of mass of a prim, which its scale moves too, in the link [m]."""
        linear, origin = self._stage.matrix(body)
        at = matmul(linear, np.array(com)[:, None])[:, 0] + origin
        X_LW = inverse(self._stage.pose(body))
        return compose(X_LW, (*cast(Vec3, tuple(at.tolist())), *IDENTITY_QUAT))[:3]

    def _solids(
        self, body: Any, own: Given, link: Link, colliders: Sequence[tuple[Any, Shape]]
    ) -> list[tuple[MassProperties, Pose, float]]:
        """Return the colliders that have a volume, with their poses in the link and their densities."""
        found = []
        for prim, shape in colliders:
            if shape.geometry is None:
                continue
            try:
                solid, _ = mass_properties_and_notes(shape.geometry)
            except ValueError as error:
                place = self._stage.place(prim)
                self._findings.warning(
                    place, "not-weighed", f"it does not count for the mass of '{link.name}': {error}"
                )
                continue
            if solid is None or not solid.volume > 0.0:
                continue
            given = Given() if prim == body else self._given(prim)
            found.append((solid, shape.pose, self._density(prim, own, given, solid)))
        return found

    def _density(self, prim: Any, own: Given, given: Given, solid: MassProperties) -> float:
        if given.mass:
            return given.mass / solid.volume
        if given.density or own.density:
            return given.density or own.density
        material = physics_material(self._stage, prim)
        cubed = self._stage.kilogram / self._stage.unit**3
        return (self._positive(material, "physics:density") * cubed if material else 0.0) or DENSITY


def _ball(mass: float) -> Sym3:
    """Return the inertia of a ball of water."""
    radius = (0.75 * mass / (math.pi * DENSITY)) ** (1.0 / 3.0)
    moment = 0.4 * mass * radius * radius
    return moment, 0.0, 0.0, moment, 0.0, moment
