# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes as prims of UsdGeom, with surfaces as physics materials."""

from __future__ import annotations

from ....geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from ....geometry.contact_properties import Surface
from ....geometry.mesh_data import mesh_triangles
from ....geometry.primitives.facets import as_mesh
from ....mesh_files import MeshFileError
from ....spatial import Pose, compose, quat_of_z
from .usda import Prim


class ShapeWriter:
    """Writes shapes into the prims of their links.

    Attributes:
        collisions: those that are written, with their prims.
        losses: lines about what USD cannot express.
    """

    def __init__(self, materials: Prim):
        """materials: the prim that holds the materials."""
        self._materials = materials
        self._surfaces: dict[Surface, Prim] = {}
        self.collisions: list[tuple[Shape, Prim]] = []
        self.losses: list[str] = []

    def visual(self, link: Prim, shape: Shape, owner: str) -> None:
        """Write a visual. owner: the link, as messages name it."""
        prim = self._put(link, shape, owner, collides=False)
        if prim and shape.color:
            prim.set("color3f[]", "primvars:displayColor", [tuple(shape.color[:3])])
            if shape.color[3] != 1.0:
                prim.set("float[]", "primvars:displayOpacity", [shape.color[3]])

    def collision(self, link: Prim, shape: Shape, owner: str, is_fixed: bool) -> Prim | None:
        """Write a collision, which renderers do not show. Return its prim, or None if USD has no such shape.

        is_fixed: whether its link is fixed to the world. Meshes of others collide as their convex hulls.
        """
        prim = self._put(link, shape, owner, collides=True)
        if prim is None:
            return None
        self.collisions.append((shape, prim))
        prim.apply("PhysicsCollisionAPI")
        prim.set("uniform token", "purpose", "guide")
        if prim.kind == "Mesh":
            prim.apply("PhysicsMeshCollisionAPI")
            prim.set("uniform token", "physics:approximation", "none" if is_fixed else "convexHull")
        if shape.surface:
            prim.apply("MaterialBindingAPI")
            prim.relate("material:binding:physics", self._material(shape.surface, f"{owner}: '{shape.name}'"))
        return prim

    def _put(self, link: Prim, shape: Shape, owner: str, *, collides: bool) -> Prim | None:
        subject = f"{owner}: '{shape.name}'"
        name = shape.name or "shape"
        match shape.geometry:
            case Box(size):
                return self._primitive(link, name, "Cube", shape.pose, {"size": 1.0}, size)
            case Sphere(radius):
                return self._primitive(link, name, "Sphere", shape.pose, {"radius": radius})
            case Ellipsoid(radii) if not collides:
                return self._primitive(link, name, "Sphere", shape.pose, {"radius": 1.0}, radii)
            case Capsule(radius, length) | Cylinder(radius, length) | Cone(radius, length):
                kind = type(shape.geometry).__name__
                prim = self._primitive(link, name, kind, shape.pose, {"radius": radius, "height": length})
                prim.set("uniform token", "axis", "Z")
                return prim
            case Plane(normal, size):
                turn: Pose = (0.0, 0.0, 0.0, *quat_of_z(normal))
                sizes = {"width": size[0], "length": size[1]}
                prim = self._primitive(link, name, "Plane", compose(shape.pose, turn), sizes)
                prim.set("uniform token", "axis", "Z")
                return prim
            case Mesh() as mesh:
                return self._mesh(link, name, mesh, shape.pose, subject)
            case Ellipsoid() | Polyline():
                if mesh := as_mesh(shape.geometry):
                    if isinstance(shape.geometry, Ellipsoid):
                        self.losses.append(f"{subject} is a mesh in USD, whose scaled spheres collide as spheres")
                    return self._mesh(link, name, mesh, shape.pose, subject)
        if shape.geometry is not None:
            self.losses.append(f"{subject} is left out: USD has no {type(shape.geometry).__name__.lower()}")
        return None

    def _primitive(
        self,
        link: Prim,
        name: str,
        kind: str,
        pose: Pose,
        values: dict[str, float],
        scale: tuple[float, float, float] | None = None,
    ) -> Prim:
        prim = Prim(kind, name, link)
        prim.place(pose, scale)
        for attribute, value in values.items():
            prim.set("double", attribute, value)
        return prim

    def _mesh(self, link: Prim, name: str, mesh: Mesh, pose: Pose, subject: str) -> Prim | None:
        try:
            vertices, triangles = mesh_triangles(mesh)
        except MeshFileError as error:
            self.losses.append(f"{subject} is left out: {error}")
            return None
        prim = Prim("Mesh", name, link)
        prim.place(pose)
        prim.set("point3f[]", "points", [tuple(point) for point in vertices.tolist()])
        prim.set("int[]", "faceVertexCounts", [3] * len(triangles))
        prim.set("int[]", "faceVertexIndices", triangles.ravel().tolist())
        prim.set("uniform token", "subdivisionScheme", "none")
        if len(vertices):
            low, high = vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()
            prim.set("float3[]", "extent", [tuple(low), tuple(high)])
        return prim

    def _material(self, surface: Surface, subject: str) -> Prim:
        if surface not in self._surfaces:
            prim = Prim("Material", "surface", self._materials)
            prim.apply("PhysicsMaterialAPI")
            static = surface.friction if surface.static_friction is None else surface.static_friction
            prim.set("float", "physics:dynamicFriction", surface.friction)
            prim.set("float", "physics:staticFriction", max(static, surface.friction))
            prim.set("float", "physics:restitution", surface.restitution)
            self._surfaces[surface] = prim
            lost = ("rolling_friction", "spinning_friction", "velocity", "slip_speed")
            kept = Surface(surface.friction, surface.static_friction, surface.restitution)
            if names := [each for each in lost if getattr(surface, each) != getattr(kept, each)]:
                self.losses.append(f"{subject}: USD has no {', '.join(names).replace('_', ' ')} of surfaces")
            if (surface.stiffness, surface.dissipation) != (kept.stiffness, kept.dissipation):
                self.losses.append(f"{subject}: USD has no stiffness of surfaces; they are rigid there")
        return self._surfaces[surface]
