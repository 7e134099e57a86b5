"""The collision shapes of a compiled model, as the solids that core/collision asks about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..collision.hulls import Hull, HullError, convex_hull
from ..collision.meeting import Meeting
from ..collision.meshes import MeshError, triangle_mesh
from ..collision.packing import (
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
from ..geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Foreign, Geometry, Mesh, Plane, Polyline, Sphere
from ..geometry.facets import as_mesh
from ..spatial import compose, quat_of_z
from .compiled import CompiledModel
from .meeting import who_meets


@dataclass(frozen=True)
class Colliders:
    """What of a model can touch.

    Attributes:
        solids: SOLID records, half-spaces first; `body` is a compiled model's, `owner` the number of a link in its
            model, `number` that of the shape among that link's collisions.
        store: their hulls and meshes. meeting: who of the links may meet whom.
        notes: what is left out or changed, a line each, by the name of the link.
    """

    solids: np.recarray
    store: Store
    meeting: Meeting
    notes: tuple[tuple[str, str], ...]


STILL = frozenset({0})
"""The world's body alone."""


def colliders_of(compiled: CompiledModel, led: Collection[int] = STILL) -> Colliders:
    """What a model can touch with.

    Args:
        led: bodies that nothing pushes, as `bodies_led` finds them; their meshes are touched as drawn.

    Raises:
        ModelError: a contact pair names a link that is not there.
    """
    rows = {name: row for row, name in enumerate(compiled.link_names)}
    made = Cache({})
    solids, notes = [], []
    for number, link in enumerate(compiled.model.links):
        row = rows[link.name]
        made.moves = compiled.link_body[row] not in led
        X_BL = tuple(compiled.X_BL[row].tolist())
        for place, shape in enumerate(link.collisions):
            solid, said = solid_of(shape.geometry, made)
            if said:
                notes.append((link.name, f"collision '{shape.name}' {said}"))
            if solid is None:
                continue
            solids.append(
                replace(
                    solid,
                    pose=compose(compose(X_BL, shape.pose), solid.pose),
                    body=int(compiled.link_body[row]),
                    owner=number,
                    number=place,
                    layers=shape.layers,
                    meets=shape.meets,
                )
            )
    records, packed = pack(solids)
    bodies = (int(compiled.link_body[rows[link.name]]) for link in compiled.model.links)
    unpushed = [number for number, body in enumerate(bodies) if body in led]
    return Colliders(records, packed, _apart(who_meets(compiled.model), unpushed), tuple(notes))


def _apart(meeting: Meeting, unpushed: Sequence[int]) -> Meeting:
    """Without meetings of links that nothing pushes, such as a lift and its shaft: no force would change a thing."""
    groups = meeting.groups.copy()
    groups[unpushed] = unpushed[0] if unpushed else 0
    return meeting._replace(groups=groups)


def bodies_led(compiled: CompiledModel, joints: Iterable[str] = (), links: Iterable[str] = ()) -> frozenset[int]:
    """The bodies that stand still or go where they are told, whatever touches them: platforms.

    Args:
        joints, links: names of those whose motion is prescribed.
    """
    joints, links = list(joints), list(links)
    if not joints and not links:
        return STILL
    bodies, rows = compiled.arrays.bodies, {name: row for row, name in enumerate(compiled.link_names)}
    told = {v for name in joints for v in range(compiled.nv)[compiled.spans[name].v]}
    led = {0, *(int(compiled.link_body[rows[name]]) for name in links)}
    for body in range(1, len(bodies)):
        if int(bodies.parent[body]) in led and told.issuperset(range(bodies.v[body], bodies.v_end[body])):
            led.add(body)
    return frozenset(led)


Made = tuple[Solid | None, str]
"""A solid, or None where there can be none, and what a user should know of it; empty where all is as it looks."""


@dataclass
class Cache:
    """What meshes have become, so that links with one mesh share it.

    Attributes:
        known: by the mesh's id, and whether it can be pushed. moves: whether the link can that is looked at.
    """

    known: dict[tuple[int, bool], Made]
    moves: bool = True


def solid_of(geometry: Geometry | None, made: Cache | None = None) -> Made:
    """What a shape touches with, in the shape's own frame. A mesh that can be pushed touches with its hull."""
    maker = _MAKERS.get(type(geometry))
    return maker(geometry, made or Cache({})) if maker else (None, "")


def _plane(shape: Plane) -> Solid:
    return replace(plane(), pose=(0.0, 0.0, 0.0, *quat_of_z(shape.normal)))


def _hull(mesh: Mesh) -> Made:
    """Of a mesh that can be pushed."""
    try:
        hull = convex_hull(_vertices(mesh))
    except HullError as error:
        return None, f"is a mesh without a hull: {error}"
    said = f"is a mesh that touches with its convex hull of {len(hull.vertices)} corners"
    return hulled(hull), said + (f", simplified by up to {1e3 * hull.error:.2g} mm" if _is_simplified(hull) else "")


def _is_simplified(hull: Hull) -> bool:
    return hull.error > 1e-6 * float(np.ptp(hull.vertices, axis=0).max())


def _as_drawn(mesh: Mesh) -> Made:
    """Of a mesh that stands still or is led: its faces, fanned out into triangles."""
    triangles = [(face[0], *face[k : k + 2]) for face in mesh.faces for k in range(1, len(face) - 1)]
    if np.prod(mesh.scale) < 0.0:
        triangles = [corners[::-1] for corners in triangles]
    try:
        return meshed(triangle_mesh(_vertices(mesh), np.array(triangles, np.int64))), ""
    except MeshError as error:
        return None, f"is a mesh without faces: {error}"


def _vertices(mesh: Mesh) -> np.ndarray:
    return np.asarray(mesh.vertices, float) * mesh.scale


def _mesh(mesh: Mesh, made: Cache) -> Made:
    if mesh.vertices is None:
        return None, f"is a mesh that only Blender reads ('{mesh.uri}'), and is left out"
    key = id(mesh), made.moves
    if key not in made.known:
        made.known[key] = (_hull if made.moves else _as_drawn)(mesh)
    return made.known[key]


def _polyline(shape: Polyline, _made: Cache) -> Made:
    mesh = as_mesh(shape)
    if mesh is None:
        return None, "is an outline with holes, or several outlines, and is left out"
    return _hull(mesh)


def _foreign(shape: Foreign, _made: Cache) -> Made:
    return None, f"is a {shape.tag}, which nothing here touches, and is left out"


def _simple(make: Callable[..., Solid]) -> Callable[..., Made]:
    def made(shape: Geometry, _made: Cache) -> Made:
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
    Mesh: _mesh,
    Polyline: _polyline,
    Foreign: _foreign,
}
"""By what a shape is; an entry more makes another kind touch."""
