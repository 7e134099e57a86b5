# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses for models that have none, from their shapes and one density."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..check import Issue
from ..geometry import Mesh, Shape
from ..geometry.mass import MassProperties
from ..geometry.shape_mass import mass_properties_and_notes
from ..model import Link, Model
from ..spatial import Pose
from .sdf.link import combined


def weigh(model: Model, density: float) -> list[Issue]:
    """Give each link the mass and the inertia of its collisions, or else of its visuals, at a density [kg/m^3].

    A model in which any link has a mass stays unchanged.

    Returns:
        Warnings: why no mass was changed, what was assumed about meshes, and which links have no shape with a known
            volume.
    """
    if heavy := next((link for link in model.links if link.mass != 0.0), None):
        message = f"the model has masses (link '{heavy.name}': {heavy.mass:g} kg), so --density changes nothing"
        return [Issue("warning", "has-masses", f"model '{model.name}'", f"{message}; use --set LINK.density=…")]
    issues = []
    for link in model.links:
        warnings = _weigh(link, density)
        issues += [
            Issue("warning", "weighed-as", f"link '{link.name}'", message) for message in dict.fromkeys(warnings)
        ]
        if link.mass == 0.0:
            message = f"it has no shape whose volume is known, so it stays without mass: --set {link.name}.mass=…"
            issues.append(Issue("warning", "not-weighed", f"link '{link.name}'", message))
    return issues


def _weigh(link: Link, density: float) -> list[str]:
    """Set the mass, com and inertia of a link if its shapes have a volume. Return warnings about its shapes."""
    warnings: list[str] = []
    for shapes in (link.collisions, link.visuals):
        solids = [(solid, pose, density) for solid, pose in _solids(shapes, warnings)]
        if solids:
            with np.errstate(all="ignore"):
                mass, com, inertia = combined(solids)
            if mass > 0.0 and np.isfinite((mass, *com, *inertia)).all():
                link.mass, link.com, link.inertia = mass, com, inertia
                break
    return warnings


def _solids(shapes: Iterable[Shape], warnings: list[str]) -> Iterable[tuple[MassProperties, Pose]]:
    """Yield the shapes that enclose a volume, each with its pose in the link. Add warnings to `warnings`."""
    for shape in shapes:
        try:
            solid, notes = mass_properties_and_notes(shape.geometry)
        except ValueError as error:
            warnings.append(f"its '{shape.name}' is not weighed: {mesh_name(shape)}{error}")
            continue
        warnings += [f"the mesh of its '{shape.name}' {note}" for note in notes]
        if solid is not None and solid.volume > 0.0:
            yield solid, shape.pose


def mesh_name(shape: Shape) -> str:
    """Return the words that name a shape's mesh file before an error about it; "" for other shapes."""
    return f"the mesh '{shape.geometry.uri}': " if isinstance(shape.geometry, Mesh) and shape.geometry.uri else ""
