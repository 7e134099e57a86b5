# SPDX-License-Identifier: GPL-3.0-or-later
"""Division of a link's concave meshes into convex parts, so that a moving link collides as them."""

from __future__ import annotations

import dataclasses

from ...geometry import Mesh, Shape
from ...geometry.mesh_data import mesh_triangles
from ...geometry.pieces import PiecesError, decompose
from ...mesh_files import MeshFileError
from ..elements import Link
from ..errors import ModelError


def divide_collisions(link: Link) -> int:
    """Replace each mesh among the link's collisions by convex parts. Return the number of parts.

    CoACD computes them in a process of its own, in seconds to minutes; see `geometry.pieces`.

    Raises:
        ModelError: if the link has no mesh, a mesh cannot be read or divided, or CoACD is not installed. The link then
            stays unchanged.
    """
    divided: list[Shape] = []
    count = 0
    for shape in link.collisions:
        if not isinstance(shape.geometry, Mesh):
            divided.append(shape)
            continue
        try:
            hulls = decompose(*mesh_triangles(shape.geometry)).hulls
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
