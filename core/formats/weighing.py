"""Masses for models that have none: from their shapes, all of one density."""

from __future__ import annotations

import numpy as np

from ..check import Issue
from ..geometry.solids import solid_properties
from ..model import Link, Model
from .sdf.link import combined


def weigh(model: Model, density: float) -> list[Issue]:
    """Give each link the mass and the inertia of its collisions, or else of its visuals, at a density [kg/m^3].

    Nothing is changed in a model of which any link has a mass. Returns warnings: why nothing is weighed, or which links
    have no shape whose volume is known here.
    """
    if heavy := next((link for link in model.links if link.mass != 0.0), None):
        message = f"the model has masses (link '{heavy.name}': {heavy.mass:g} kg), so --density changes nothing"
        return [Issue("warning", "has-masses", f"model '{model.name}'", f"{message}; use --set LINK.density=…")]
    issues = []
    for link in model.links:
        if not _weigh(link, density):
            message = "it has no box, sphere, cylinder or like to be weighed by, so it stays without mass"
            issues.append(
                Issue("warning", "not-weighed", f"link '{link.name}'", f"{message}: --set {link.name}.mass=…")
            )
    return issues


def _weigh(link: Link, density: float) -> bool:
    for shapes in (link.collisions, link.visuals):
        solids = []
        for shape in shapes:
            try:
                solid = solid_properties(shape.geometry)
            except ValueError:  # of no size
                solid = None
            if solid is not None and solid.volume > 0.0:
                solids.append((solid, shape.pose, density))
        if solids:
            with np.errstate(all="ignore"):
                mass, com, inertia = combined(solids)
            if mass > 0.0 and np.isfinite((mass, *com, *inertia)).all():
                link.mass, link.com, link.inertia = mass, com, inertia
                return True
    return False
