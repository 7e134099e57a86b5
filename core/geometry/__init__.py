"""Shapes that links carry, and the mass properties of meshes."""

from .mass import MassProperties, mass_properties
from .shapes import Box, Color, Cylinder, Geometry, Mesh, Plane, Shape, Sphere

__all__ = [
    "Box",
    "Color",
    "Cylinder",
    "Geometry",
    "MassProperties",
    "Mesh",
    "Plane",
    "Shape",
    "Sphere",
    "mass_properties",
]
