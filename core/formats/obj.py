"""Wavefront OBJ text of a mesh."""

from __future__ import annotations

from ..geometry import Mesh


def write_obj(mesh: Mesh, name: str) -> str:
    """The mesh before its `scale`, in metres, Z up."""
    lines = [f"o {name}"]
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in mesh.faces]
    return "\n".join(lines) + "\n"
