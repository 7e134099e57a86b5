"""Shapes that links carry, the mass properties of meshes, and what can be fitted to them."""

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
from .surfaces import Surface

__all__ = [
    "Box",
    "Capsule",
    "Color",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "Foreign",
    "Geometry",
    "Material",
    "Mesh",
    "Plane",
    "Polyline",
    "Shape",
    "Sphere",
    "Surface",
]
