"""Shapes that links carry, the mass properties of meshes, and what can be fitted to them."""

from .facets import as_mesh
from .features import Feature, Surface
from .fits import Fit, fit_circle, fit_cylinder, fit_line, fit_plane
from .mass import MassProperties, mass_properties
from .shapes import (
    Box,
    Capsule,
    Color,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Geometry,
    Material,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from .solids import solid_properties

__all__ = [
    "Box",
    "Capsule",
    "Color",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "Feature",
    "Fit",
    "Foreign",
    "Geometry",
    "MassProperties",
    "Material",
    "Mesh",
    "Plane",
    "Polyline",
    "Shape",
    "Sphere",
    "Surface",
    "as_mesh",
    "fit_circle",
    "fit_cylinder",
    "fit_line",
    "fit_plane",
    "mass_properties",
    "solid_properties",
]
