# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes that links carry, the mass properties of meshes, and the fitting of shapes and features to meshes."""

from typing import TYPE_CHECKING

from ..late import late_names

if TYPE_CHECKING:
    from .contact_properties import Surface
    from .shapes import (
        Box,
        Capsule,
        Color,
        Cone,
        Cylinder,
        Ellipsoid,
        Foreign,
        Geometry,
        Heightmap,
        Material,
        Mesh,
        Plane,
        Polyline,
        Shape,
        Sphere,
    )

__all__ = [
    "Box",
    "Capsule",
    "Color",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "Foreign",
    "Geometry",
    "Heightmap",
    "Material",
    "Mesh",
    "Plane",
    "Polyline",
    "Shape",
    "Sphere",
    "Surface",
]

__getattr__, __dir__ = late_names(__name__, __all__, ("contact_properties", "shapes"))
