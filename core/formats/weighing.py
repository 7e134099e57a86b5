"""Masses for models that have none: from their shapes, all of one density."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..check import Issue
from ..geometry import Mesh, Shape
from ..geometry.mass import MassProperties
from ..geometry.solids import solid_properties
from ..model import Link, Model
from ..spatial import Pose
from .sdf.link import combined

WeighFile = Callable[[Mesh], tuple[MassProperties, tuple[str, ...]]]
"""What the mesh in a file encloses, and what had to be assumed. Raises ValueError, which says why it is not known."""


def weigh(model: Model, density: float, weigh_file: WeighFile | None = None) -> list[Issue]:
    """Give each link the mass and the inertia of its collisions, or else of its visuals, at a density [kg/m^3].

    Nothing is changed in a model of which any link has a mass. Returns warnings: why nothing is weighed, what was
    assumed of meshes, and which links have no shape whose volume is known.

    weigh_file: reads the meshes that are only named; without it, they are of no known volume.
    """
    if heavy := next((link for link in model.links if link.mass != 0.0), None):
        message = f"the model has masses (link '{heavy.name}': {heavy.mass:g} kg), so --density changes nothing"
        return [Issue("warning", "has-masses", f"model '{model.name}'", f"{message}; use --set LINK.density=…")]
    issues = []
    for link in model.links:
        told = _weigh(link, density, weigh_file)
        issues += [Issue("warning", "weighed-as", f"link '{link.name}'", message) for message in dict.fromkeys(told)]
        if link.mass == 0.0:
            message = f"it has no shape whose volume is known, so it stays without mass: --set {link.name}.mass=…"
            issues.append(Issue("warning", "not-weighed", f"link '{link.name}'", message))
    return issues


def _weigh(link: Link, density: float, weigh_file: WeighFile | None) -> list[str]:
    """Returns what is to be told of its shapes."""
    told: list[str] = []
    for shapes in (link.collisions, link.visuals):
        solids = [(solid, pose, density) for solid, pose in _solids(shapes, weigh_file, told)]
        if solids:
            with np.errstate(all="ignore"):
                mass, com, inertia = combined(solids)
            if mass > 0.0 and np.isfinite((mass, *com, *inertia)).all():
                link.mass, link.com, link.inertia = mass, com, inertia
                break
    return told


def _solids(
    shapes: Iterable[Shape], weigh_file: WeighFile | None, told: list[str]
) -> Iterable[tuple[MassProperties, Pose]]:
    """Those that enclose something, each with its pose in the link; `told` grows by what is to be said."""
    for shape in shapes:
        try:
            if isinstance(shape.geometry, Mesh) and shape.geometry.vertices is None:
                solid, remarks = _of_file(shape.geometry, weigh_file)
                told += remarks
            else:
                solid = solid_properties(shape.geometry)
        except ValueError as error:
            told.append(f"its '{shape.name}' is not weighed: {error}")
            continue
        if solid is not None and solid.volume > 0.0:
            yield solid, shape.pose


def _of_file(mesh: Mesh, weigh_file: WeighFile | None) -> tuple[MassProperties, tuple[str, ...]]:
    if not mesh.path:
        raise ValueError(f"the mesh '{mesh.uri}' is not found")
    if weigh_file is None:
        raise ValueError(f"the mesh '{mesh.uri}' is one that only Blender reads")
    return weigh_file(mesh)
