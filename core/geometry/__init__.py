"""Shapes that links carry, the mass properties of meshes, and what can be fitted to them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
else:
    from ..late import late

    __getattr__ = late(
        __name__,
        {
            "facets": "as_mesh",
            "features": "Feature Surface",
            "fits": "Fit fit_circle fit_cylinder fit_line fit_plane",
            "mass": "MassProperties mass_properties",
            "shapes": "Box Capsule Color Cone Cylinder Ellipsoid Foreign Geometry Material Mesh Plane Polyline Shape "
            "Sphere",
            "solids": "solid_properties",
        },
    )
