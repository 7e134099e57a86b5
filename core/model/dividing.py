# SPDX-License-Identifier: GPL-3.0-or-later
"""Concave meshes of a link as convex pieces, which is what can touch if the link moves."""

from __future__ import annotations

import dataclasses

from ..geometry import Mesh, Shape
from ..geometry.mesh_data import mesh_triangles
from ..geometry.pieces import PiecesError, decompose
from ..mesh_files import MeshFileError
from .elements import Link
from .errors import ModelError


def divide_collisions(link: Link) -> int:
    """Replace each collision of the link that is a mesh by its convex pieces. Returns the number of pieces.

    CoACD searches for them in a process of its own, for seconds to minutes; see `geometry.pieces`.

    Raises:
        ModelError: the link has no mesh, a mesh cannot be read or divided, or CoACD is not installed. The link is as it
            was.
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
