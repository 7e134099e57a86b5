"""Meshes in files, weighed for models that have no masses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...core.cli.framework import UsageError
from ...core.geometry import Mesh
from ...core.geometry.mass import MassProperties
from .session import require_blender

if TYPE_CHECKING:
    from ...core.formats.weighing import WeighFile
    from ..bridge.mesh_weights import MeshWeights


@contextmanager
def weighing_files() -> Iterator[WeighFile]:
    """What weighs meshes by Blender's importers. Blender is asked for only when there is such a mesh."""
    opened: list[MeshWeights] = []

    def weigh_file(mesh: Mesh) -> tuple[MassProperties, tuple[str, ...]]:
        if not opened:
            try:
                require_blender()
            except UsageError as error:
                raise ValueError(f"the mesh '{mesh.uri}': {error}") from error
            from ..bridge.mesh_weights import MeshWeights

            opened.append(MeshWeights())
        return opened[0].weigh(mesh)

    try:
        yield weigh_file
    finally:
        for weights in opened:
            weights.close()
