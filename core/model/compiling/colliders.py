# SPDX-License-Identifier: GPL-3.0-or-later
"""The collision shapes of a compiled model, as solids of core/collision."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...collision.collision_filter import CollisionFilter
from ...collision.content_cache import cached_by_content
from ...collision.hulls import Hull, HullError, convex_hull
from ...collision.meshes import MeshError, triangle_mesh
from ...collision.packing import (
    Solid,
    SolidError,
    Store,
    ball,
    box,
    capsule,
    cone,
    cylinder,
    ellipsoid,
    hulled,
    meshed,
    pack,
    plane,
)
from ...geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from ...geometry.mesh_data import mesh_triangles, terrain_triangles
from ...geometry.primitives.facets import as_mesh
from ...mesh_files import MeshFileError
from ...spatial import compose, quat_of_z
from .collision_filter import any_may_collide, collision_filter_of
from .compiled import CompiledModel


@dataclass(frozen=True)
class Colliders:
    """The solids of a model.

    Attributes:
        solids: SOLID records, half-spaces first; `body` is a number of the compiled model, `owner` that of the link in
            its model, `number` that of the shape among the link's collisions.
        store: their hulls and meshes. meeting: which links may collide.
        notes: by link name, one line for each shape that collides as another one, such as a hull.
    """

    solids: np.recarray
    store: Store
    collision_filter: CollisionFilter
    notes: tuple[tuple[str, str], ...]


KEPT = 256
"""Maximum numbers of cached hulls and meshes, which repeated simulations reuse. Most have some kilobytes."""

kept_hull = cached_by_content(KEPT)(convex_hull)
kept_triangle_mesh = cached_by_content(KEPT)(triangle_mesh)

STILL = frozenset({0})
"""The set of bodies that contains only the world."""


def colliders_of(compiled: CompiledModel, led: Collection[int] = STILL, *, only_if_any_meet: bool = False) -> Colliders:
    """Return the solids of a model.

    Args:
        led: bodies that no force moves, from `bodies_led`. Their meshes collide as drawn.
        only_if_any_meet: make no solids if no two links may collide, since hulls take time.

    Raises:
        ModelError: if a contact pair names a link that does not exist.
    """
    rows = {name: row for row, name in enumerate(compiled.link_names)}
    bodies = [int(compiled.link_body[rows[link.name]]) for link in compiled.model.links]
    unpushed = [number for number, body in enumerate(bodies) if body in led]
    collision_filter = _apart(collision_filter_of(compiled.model), unpushed)
    if only_if_any_meet and not any_may_collide(compiled.model.links, collision_filter):
        return Colliders(*pack(()), collision_filter, ())
    solids, notes = [], []
    for number, link in enumerate(compiled.model.links):
        X_BL = tuple(compiled.X_BL[rows[link.name]].tolist())
        for place, shape in enumerate(link.collisions):
            solid, note = solid_of(shape.geometry, moves=bodies[number] not in led)
            if solid is None:  # `check_model` says why
                continue
            if note:
                notes.append((link.name, f"collision '{shape.name}' {note}"))
            solids.append(
                replace(
                    solid,
                    pose=compose(compose(X_BL, shape.pose), solid.pose),
                    body=bodies[number],
                    owner=number,
                    number=place,
                    category_bits=shape.layers,
                    collide_bits=shape.meets,
                )
            )
    return Colliders(*pack(solids), collision_filter, tuple(notes))


def _apart(collision_filter: CollisionFilter, unpushed: Sequence[int]) -> CollisionFilter:
    """Return the pairs without those of two bodies that no force moves, such as a lift and its shaft."""
    groups = collision_filter.groups.copy()
    groups[unpushed] = unpushed[0] if unpushed else 0
    return collision_filter._replace(groups=groups)


def owners_of(compiled: CompiledModel, solids: np.recarray) -> tuple[str, ...]:
    """Return the name of the link of each SOLID record."""
    links = compiled.model.links
    return tuple(links[owner].name for owner in solids.owner)


def bodies_led(compiled: CompiledModel, joints: Iterable[str] = (), links: Iterable[str] = ()) -> frozenset[int]:
    """Return the bodies that no force moves: they stand still or have a prescribed motion, as platforms.

    Args:
        joints, links: names of those whose motion is prescribed.
    """
    joints, links = list(joints), list(links)
    if not joints and not links:
        return STILL
    bodies, rows = compiled.arrays.bodies, {name: row for row, name in enumerate(compiled.link_names)}
    prescribed = {v for name in joints for v in range(compiled.nv)[compiled.spans[name].v]}
    led = {0, *(int(compiled.link_body[rows[name]]) for name in links)}
    for body in range(1, len(bodies)):
        if int(bodies.parent[body]) in led and prescribed.issuperset(range(bodies.v[body], bodies.v_end[body])):
            led.add(body)
    return frozenset(led)


Made = tuple[Solid | None, str]
"""A solid, or None if the shape cannot be used, and a note for the user, "" if the solid is exactly the shape."""


def solid_of(geometry: Geometry | None, moves: bool = True) -> Made:
    """Return the solid as which a shape collides, in the shape's own frame.

    Args:
        moves: whether contact may move the shape. A mesh then collides as its convex hull, otherwise as its triangles.
    """
    if isinstance(geometry, Mesh):
        return _mesh(geometry, moves)
    maker = _MAKERS.get(type(geometry))
    return maker(geometry) if maker else (None, "")


def why_unusable(geometry: Geometry | None) -> str:
    """Return why a shape cannot collide, as the rest of a sentence, or "". Makes no hulls."""
    if isinstance(geometry, Mesh) and geometry.vertices is not None:
        return "" if geometry.faces else "is a mesh without faces, and touches nothing; give it some"
    if isinstance(geometry, Mesh):
        try:
            mesh_triangles(geometry)
        except MeshFileError as error:
            return _unreadable(geometry, error)
        return ""
    solid, note = solid_of(geometry)
    return note if solid is None else ""


def _plane(shape: Plane) -> Solid:
    return replace(plane(), pose=(0.0, 0.0, 0.0, *quat_of_z(shape.normal)))


def _mesh(mesh: Mesh, moves: bool) -> Made:
    try:
        vertices, triangles = mesh_triangles(mesh)
    except MeshFileError as error:
        return None, _unreadable(mesh, error)
    return _hull(vertices) if moves else _as_drawn(vertices, triangles)


def _unreadable(mesh: Mesh, error: MeshFileError) -> str:
    named = f" '{mesh.uri}'" if mesh.uri else ""
    return f"is the mesh{named}, and touches nothing: {error}"


def _hull(vertices: np.ndarray) -> Made:
    try:
        hull = kept_hull(vertices)
    except HullError as error:
        return None, f"is a mesh without a hull: {error}"
    note = f"is a mesh that touches with its convex hull of {len(hull.vertices)} corners"
    return hulled(hull), note + (f", simplified by up to {1e3 * hull.error:.2g} mm" if _is_simplified(hull) else "")


def _is_simplified(hull: Hull) -> bool:
    return hull.error > 1e-6 * float(np.ptp(hull.vertices, axis=0).max())


def _as_drawn(vertices: np.ndarray, triangles: np.ndarray) -> Made:
    try:
        return meshed(kept_triangle_mesh(vertices, triangles)), ""
    except MeshError as error:
        return None, f"is a mesh without faces: {error}"


def _polyline(shape: Polyline) -> Made:
    mesh = as_mesh(shape)
    if mesh is None:
        return None, "is an outline with holes, or several outlines, and touches nothing; give it shapes without holes"
    return _hull(np.asarray(mesh.vertices, float))


def _foreign(shape: Foreign) -> Made:
    return None, f"is a {shape.tag}, which is not known here, and touches nothing; give it another shape"


def _heightmap(shape: Heightmap) -> Made:
    try:
        return _as_drawn(*terrain_triangles(shape))
    except MeshFileError as error:
        return None, f"is the height map '{shape.uri}', and touches nothing: {error}"


def _simple(make: Callable[..., Solid]) -> Callable[..., Made]:
    def made(shape: Geometry) -> Made:
        try:
            return make(shape), ""
        except SolidError as error:
            return None, f"cannot touch: {error}"

    return made


_MAKERS: dict[type, Callable[..., Made]] = {
    Box: _simple(lambda shape: box(shape.size)),
    Sphere: _simple(lambda shape: ball(shape.radius)),
    Cylinder: _simple(lambda shape: cylinder(shape.radius, shape.length)),
    Capsule: _simple(lambda shape: capsule(shape.radius, shape.length)),
    Cone: _simple(lambda shape: cone(shape.radius, shape.length)),
    Ellipsoid: _simple(lambda shape: ellipsoid(shape.radii)),
    Plane: _simple(_plane),
    Polyline: _polyline,
    Foreign: _foreign,
    Heightmap: _heightmap,
}
"""Functions that make a solid, by type of shape. One more entry makes another type collide."""
