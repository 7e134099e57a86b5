"""Shapes that links carry, and the mass properties of meshes."""

from .facets import as_mesh
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
    "Foreign",
    "Geometry",
    "MassProperties",
    "Material",
    "Mesh",
    "Plane",
    "Polyline",
    "Shape",
    "Sphere",
    "as_mesh",
    "mass_properties",
    "solid_properties",
]
