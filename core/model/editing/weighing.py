# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses and inertias of links from their shapes, at one density."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...geometry import Mesh, Shape
from ...geometry.mass import MassProperties
from ...geometry.shape_mass import combined, mass_properties_and_notes
from ...spatial import Pose
from ..elements import Link
from ..errors import ModelError
from ..model import Model, require_model


def weigh(model: Model, density: float, links: str | Iterable[str] | None = None) -> list[str]:
    """Give links the mass, com and inertia of their collisions, or else of their visuals, at a density.

    Shapes of a link that overlap count in full. Masses that the links had before are replaced.

    Args:
        density: [kg/m^3]; 1000 is water.
        links: the names of the links, or one name; None for all that have a shape with a known volume.

    Returns:
        Lines: what was assumed about meshes, and which links have no shape with a known volume and keep their mass.

    Raises:
        ModelError: there is no such link, a link that is named has no shape with a known volume, or the density is no
            finite number above 0. The model is unchanged then.
    """
    require_model(model)
    require_density(density)
    names = [links] if isinstance(links, str) else links
    chosen = model.links if names is None else [model.link(name) for name in names]
    lines, weighed = [], []
    for link in chosen:
        found, notes = weighed_link(link, density)
        lines += [f"link '{link.name}': {note}" for note in notes]
        if found is not None:
            weighed.append((link, found))
        elif links is None:
            lines.append(f"link '{link.name}' has no shape whose volume is known; its mass stays {link.mass:g} kg")
        else:
            why = f" ({'; '.join(notes)})" if notes else ""
            raise ModelError(
                f"link '{link.name}' has no shape whose volume is known{why}; give it a solid such as a box, "
                "or set its mass and inertia"
            )
    for link, found in weighed:
        link.mass, link.com, link.inertia = found.mass, found.com, found.inertia
    return lines


def weighed_link(link: Link, density: float) -> tuple[Link | None, list[str]]:
    """Return a copy of a link with the mass of its shapes at a density [kg/m^3], and notes about its shapes.

    The copy is None if no shape has a known volume.
    """
    notes: list[str] = []
    for shapes in (link.collisions, link.visuals):
        solids = [(solid, pose, density) for solid, pose in _solids(shapes, notes)]
        if solids:
            with np.errstate(all="ignore"):
                mass, com, inertia = combined(solids)
            if mass > 0.0 and np.isfinite((mass, *com, *inertia)).all():
                return replace(link, mass=mass, com=com, inertia=inertia), list(dict.fromkeys(notes))
    return None, list(dict.fromkeys(notes))


def require_density(density: float) -> None:
    """Raise ModelError if a density [kg/m^3] is no finite number above 0."""
    is_number = isinstance(density, int | float | np.number) and not isinstance(density, bool)
    if not is_number or not 0.0 < density < math.inf:
        raise ModelError(f"density takes a finite number above 0 [kg/m^3], such as 1000 for water; found {density!r}")


def _solids(shapes: Iterable[Shape], found: list[str]) -> Iterable[tuple[MassProperties, Pose]]:
    """Yield the shapes that enclose a volume, each with its pose in the link. Add notes about shapes to `found`."""
    for shape in shapes:
        try:
            solid, notes = mass_properties_and_notes(shape.geometry)
        except ValueError as error:
            found.append(f"its '{shape.name}' is not weighed: {_mesh_name(shape)}{error}")
            continue
        found += [f"the mesh of its '{shape.name}' {note}" for note in notes]
        if solid is not None and solid.volume > 0.0:
            yield solid, shape.pose


def _mesh_name(shape: Shape) -> str:
    """Return the words that name a shape's mesh file before an error about it; "" for other shapes."""
    return f"the mesh '{shape.geometry.uri}': " if isinstance(shape.geometry, Mesh) and shape.geometry.uri else ""
