"""The mass of a link, from the volumes of its meshes."""

from collections.abc import Callable
from dataclasses import dataclass

import bmesh
import bpy
import numpy as np

from ...core.geometry import mass_properties
from ...core.model import ModelError
from ...core.spatial import sym_shift
from .. import ids
from .meshes import MeshData, convex_hull, rebuilt
from .numbers import shortest
from .parts import Surroundings, parts_of

UPPER = np.triu_indices(3)  # xx, xy, xz, yy, yz, zz


@dataclass(frozen=True)
class Weight:
    """mass [kg], com [m] and inertia (xx, xy, xz, yy, yz, zz) [kg m^2] about it, in the link's axes; volume [m^3].

    notes: what had to be assumed.
    """

    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]
    volume: float
    notes: tuple[str, ...] = ()


def weigh(link: bpy.types.Object, around: Surroundings) -> Weight:
    """Everything of the link that is seen, at the link's density."""
    notes: list[str] = []
    solids = []
    seen = [part for part in parts_of(link, around) if part.is_seen and part.has_mesh]
    for part in seen:
        if not len(part.mesh().starts) and len(seen) > 1:
            notes.append(f"'{part.name}' has an empty mesh, so it weighs nothing")
        else:
            triangles = _solid_triangles(part.mesh(), part.name, notes)
            solids.append(_solid(triangles @ part.matrix[:3, :3].T + part.matrix[:3, 3], part.name, around.unit))
    if not solids:
        raise ModelError(
            f"link '{link.name}' has no mesh to weigh: give it a mesh as a child, or set its mass to Custom"
        )
    volume = sum(solid.volume for solid in solids)
    com = sum(solid.volume * solid.com for solid in solids) / volume
    shifts = (np.array(sym_shift(solid.volume, (solid.com - com).tolist())) for solid in solids)
    inertia = sum(solid.inertia[UPPER] + shift for solid, shift in zip(solids, shifts, strict=True))
    density = shortest(getattr(link, ids.LINK).density)
    return Weight(
        density * volume, tuple((com + 0.0).tolist()), tuple((density * inertia).tolist()), volume, tuple(notes)
    )


def _solid(triangles: np.ndarray, name: str, unit: float):
    if not len(triangles):
        raise ModelError(f"object '{name}' is flat: give it thickness, or set the link's mass to Custom")
    corners = triangles - triangles.reshape(-1, 3).mean(axis=0)
    if np.linalg.det(corners).sum() < 0.0:  # mirrored, or drawn inside out
        triangles = triangles[:, ::-1]
    try:
        return mass_properties(triangles * unit)
    except ValueError as error:
        raise ModelError(
            f"object '{name}' cannot be weighed, {error}: give it thickness, or set the link's mass to Custom"
        ) from error


def _solid_triangles(data: MeshData, name: str, notes: list[str]) -> np.ndarray:
    """Triangles of a closed surface, shape (n, 3, 3): the mesh's own, or its convex hull's where it is open."""
    if not len(data.vertices):
        raise ModelError(f"object '{name}' has an empty mesh: give it faces, or delete it")
    if _is_open(data):
        notes.append(f"the mesh '{name}' is open, so its convex hull was weighed")
        return _rebuilt(data, convex_hull)
    if _has_mixed_normals(data):
        notes.append(f"the normals of '{name}' disagree, so they were weighed as if recalculated")
        return _rebuilt(data, lambda mesh: bmesh.ops.recalc_face_normals(mesh, faces=list(mesh.faces)))
    return data.vertices[data.triangles]


def _is_open(data: MeshData) -> bool:
    faces_at_edge = np.bincount(data.corner_edges)
    return not len(faces_at_edge) or bool((faces_at_edge == 1).any())


def _has_mixed_normals(data: MeshData) -> bool:
    """Whether two faces run along an edge the same way."""
    following = np.roll(data.corners, -1)
    ends = np.append(data.starts[1:], len(data.corners)) - 1
    following[ends] = data.corners[data.starts]
    directed = data.corners.astype(np.int64) * len(data.vertices) + following
    return len(np.unique(directed)) < len(directed)


def _rebuilt(data: MeshData, change: Callable[[bmesh.types.BMesh], object]) -> np.ndarray:
    """The triangles after `change` has worked on the mesh as a BMesh."""
    with rebuilt(data, change) as mesh:
        loops = [[loop.vert.co[:] for loop in triangle] for triangle in mesh.calc_loop_triangles()]
        return np.array(loops, dtype=np.float64).reshape(-1, 3, 3)
