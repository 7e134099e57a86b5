# SPDX-License-Identifier: GPL-3.0-or-later
"""Division of a link's concave meshes into convex parts, so that a moving link collides as them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from ...collision.hulls import Hull
from ...geometry import Mesh, Shape
from ...geometry.mesh_data import mesh_triangles
from ...geometry.pieces import PiecesError, decompose
from ...mesh_files import MeshFileError
from ..elements import Link
from ..errors import ModelError


def divide_collisions(link: Link, on_progress: Callable[[str], None] = lambda _text: None) -> int:
    """Replace each mesh among the link's collisions by convex parts. Return the number of parts.

    CoACD computes them in a process of its own, in seconds to minutes; see `geometry.pieces`.

    Args:
        on_progress: called many times a second with a text for the user: which mesh is being divided, and for how long.

    Raises:
        ModelError: if the link has no mesh, a mesh cannot be read or divided, or CoACD is not installed. The link then
            stays unchanged.
    """
    divided: list[Shape] = []
    count = 0
    meshes = [shape.name for shape in link.collisions if isinstance(shape.geometry, Mesh)]
    for shape in link.collisions:
        if not isinstance(shape.geometry, Mesh):
            divided.append(shape)
            continue
        place = f", mesh {meshes.index(shape.name) + 1} of {len(meshes)}" if len(meshes) > 1 else ""
        text = f"Dividing '{link.name}' into convex pieces{place}"
        try:
            hulls = _hulls_of(shape.geometry, text, on_progress)
        except (MeshFileError, PiecesError) as error:
            raise ModelError(f"link '{link.name}': the mesh of '{shape.name}': {error}") from error
        count += len(hulls)
        for number, hull in enumerate(hulls, 1):
            name = f"{shape.name}_{number}" if len(hulls) > 1 else shape.name
            divided.append(
                dataclasses.replace(shape, name=name, geometry=Mesh(vertices=hull.vertices, faces=hull.faces))
            )
    if not count:
        raise ModelError(f"link '{link.name}' has no mesh that collides; only meshes are divided")
    link.collisions = divided
    return count


def _hulls_of(mesh: Mesh, text: str, on_progress: Callable[[str], None]) -> tuple[Hull, ...]:
    """Return the convex parts of a mesh, and report the text with the time that it has taken.

    CoACD does not report how far it is.
    """
    begun = time.monotonic()
    vertices, triangles = mesh_triangles(mesh)
    found = decompose(vertices, triangles, on_wait=lambda: on_progress(f"{text}: {time.monotonic() - begun:.0f} s"))
    return found.hulls
