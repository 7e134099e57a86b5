# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of links: what their prims give, and what follows from the volume of their colliders.

A body's own mass comes first, then the masses of its colliders, then densities. An authored mass scales the inertia of
the shapes; an authored inertia and centre take precedence over theirs. An inertia of shapes is taken about the centre
that is authored. Zero, and for the centre infinity, mean "not given".

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
from ...geometry.shape_mass import combined, mass_properties_and_notes
from ...model import Link
from ...spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    Pose,
    Quat,
    Sym3,
    Vec3,
    compose,
    inverse,
    quat_mul,
    quat_normalized,
    quat_to_mat,
    sub,
    sym_rotate,
    sym_shift,
)
from ...spatial.arrays import matmul
from ..findings import Findings
from .bodies import MASS
from .materials import physics_material
from .stage import Stage, rotation_of

DENSITY = 1000.0
"""Density of colliders for which nothing gives one, that of water [kg/m^3]."""

NONE_AT_ALL = 1.0
"""Mass of a body for which nothing gives one [kg], as simulators take it; its inertia is that of a ball of water."""


@dataclass(frozen=True)
class Given:
    """The mass properties that a prim gives. Numbers are 0, and vectors None, if they are not given.

    Attributes:
        mass [kg]; density [kg/m^3].
        com: in the prim's axes, in units of the stage. inertia: about the com, in the axes of the prim [kg m^2].
    """

    mass: float = 0.0
    density: float = 0.0
    com: Vec3 | None = None
    inertia: Sym3 | None = None


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
        weight = link.mass if solids else 0.0  # a ball lies where its centre is given
        link.com, link.inertia = self._authored(body, own, link, (weight, link.com, link.inertia))

    def _given(self, prim: Any) -> Given:
        stage = self._stage
        if MASS not in stage.applied(prim):
            return Given()
        com = stage.numbers(prim, "physics:centerOfMass", (-math.inf,) * 3, infinite=True)
        return Given(
            stage.not_negative(prim, "physics:mass") * stage.kilogram,
            stage.not_negative(prim, "physics:density") * stage.kilogram / stage.unit**3,
            cast(Vec3, com) if all(map(math.isfinite, com)) else None,
            self._inertia(prim),
        )

    def _inertia(self, prim: Any) -> Sym3 | None:
        """Return the inertia that a prim gives, Newton's tensor before UsdPhysics' moments [kg m^2]."""
        stage = self._stage
        squared = stage.kilogram * stage.unit**2
        xx, yy, zz, xy, xz, yz = (squared * entry for entry in stage.numbers(prim, "newton:inertia", (0.0,) * 6))
        if any((xx, yy, zz)):
            return xx, xy, xz, yy, yz, zz
        moments = stage.numbers(prim, "physics:diagonalInertia", (0.0, 0.0, 0.0))
        if not any(moments):
            return None
        axes = stage.numbers(prim, "physics:principalAxes", (0.0, 0.0, 0.0, 0.0))
        turn = quat_normalized(cast(Quat, axes)) if any(axes) else IDENTITY_QUAT
        xx, yy, zz = (squared * moment for moment in moments)
        return sym_rotate(quat_to_mat(turn), (xx, 0.0, 0.0, yy, 0.0, zz))

    def _authored(self, prim: Any, given: Given, link: Link, shapes: tuple[float, Vec3, Sym3]) -> tuple[Vec3, Sym3]:
        """Return the com and the inertia about it in the link, with what a prim gives in place of those of shapes.

        shapes: mass, com and inertia.
        """
        mass, com, inertia = shapes
        linear, origin = self._stage.matrix(prim)
        X_LW = inverse(link.pose)
        if given.com is not None:
            at = matmul(linear, np.array(given.com)[:, None])[:, 0] + origin
            there = compose(X_LW, (*cast(Vec3, tuple(at.tolist())), *IDENTITY_QUAT))[:3]
            inertia = cast(Sym3, tuple(np.add(inertia, sym_shift(mass, sub(there, com))).tolist()))
            com = there
        if given.inertia is not None:
            inertia = sym_rotate(quat_to_mat(quat_mul(X_LW[3:], rotation_of(linear))), given.inertia)
        return com, inertia

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
            density = self._density(prim, own, given, solid)
            if given.com is None and given.inertia is None:
                found.append((solid, shape.pose, density))
                continue
            shapes = combined([(solid, shape.pose, density)])
            com, (xx, xy, xz, yy, yz, zz) = self._authored(prim, given, link, shapes)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            found.append((MassProperties(shapes[0], np.array(com), tensor), IDENTITY, 1.0))
        return found

    def _density(self, prim: Any, own: Given, given: Given, solid: MassProperties) -> float:
        if given.mass:
            return given.mass / solid.volume
        if given.density or own.density:
            return given.density or own.density
        material = physics_material(self._stage, prim)
        cubed = self._stage.kilogram / self._stage.unit**3
        return (self._stage.not_negative(material, "physics:density") * cubed if material else 0.0) or DENSITY


def _ball(mass: float) -> Sym3:
    """Return the inertia of a ball of water."""
    radius = (0.75 * mass / (math.pi * DENSITY)) ** (1.0 / 3.0)
    moment = 0.4 * mass * radius * radius
    return moment, 0.0, 0.0, moment, 0.0, moment
