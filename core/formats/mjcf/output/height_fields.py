# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain as <hfield> assets."""

from __future__ import annotations

from pathlib import PurePath
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ....geometry import Heightmap, Mesh
from ....geometry.mesh_data import heights_of
from ....mesh_files import MeshFileError
from ....mesh_files.heightmap import float_heights
from ....spatial import IDENTITY_QUAT, Pose
from ...mesh_output.meshes import MeshFiles
from ...xml.output import number, numbers
from ..tree.height_fields import MOST_GREY
from .names import Names

MAX_NUMBERS = 10_000
"""Largest count of heights that are written as text. More become a binary file, which is ten times smaller."""

BASE = 0.1
"""Thickness of the ground below terrain of other formats, as most public height fields have it [m]."""

BINARY = "image/vnd.mujoco.hfield"
"""MuJoCo's content type of its own binary files."""


class HeightFieldWriter:
    """Writes terrain, each once."""

    def __init__(self, meshes: MeshFiles, names: Names, assets: Element, losses: list[str]):
        self.meshes, self.names, self.assets, self.losses = meshes, names, assets, losses
        self._written: dict[Heightmap, tuple[str, Pose]] = {}

    def put(self, terrain: Heightmap, stem: str, subject: str) -> tuple[dict[str, str], Pose] | None:
        """Return the attributes of a geom and the pose of its frame in the shape's; None after a loss was reported.

        Args:
            stem: of the name of a file. subject: the shape, as messages name it.
        """
        if terrain not in self._written:
            try:
                self._written[terrain] = self._write(terrain, stem, subject)
            except MeshFileError as error:
                self.losses.append(f"{subject} is left out: its height map '{terrain.uri}': {error}")
                return None
        name, inner = self._written[terrain]
        return {"type": "hfield", "hfield": name}, inner

    def _write(self, terrain: Heightmap, stem: str, subject: str) -> tuple[str, Pose]:
        heights = heights_of(terrain)
        least, most = float(heights.min()), float(heights.max())
        factor = terrain.size[2] / max(most, 1.0)
        x, y, z = terrain.position
        name = self.names.claim("hfield", PurePath(terrain.uri).stem or stem, is_told=False)
        high = factor * (most - least) or terrain.size[2]  # MuJoCo wants one, also of what is flat
        size = (0.5 * terrain.size[0], 0.5 * terrain.size[1], high, terrain.base or BASE)
        element = SubElement(self.assets, "hfield", name=name, size=numbers(size))
        if not terrain.heights and most <= MOST_GREY:
            element.set("file", self.meshes.uri(Mesh(terrain.uri, path=terrain.path), stem, subject))
            element.set("content_type", "image/png")
        elif heights.size <= MAX_NUMBERS:
            rows, columns = heights.shape
            element.attrib |= {"nrow": str(rows), "ncol": str(columns)}
            element.set("elevation", " ".join(number(height) for height in np.ravel(heights).tolist()))
        else:
            uri = self.meshes.data_uri(float_heights(heights), name, ".hfield")
            element.attrib |= {"file": uri, "content_type": BINARY}
        if not terrain.rises:
            words = "MuJoCo divides its cells along the other diagonal, so it differs between the points of its grid"
            self.losses.append(f"{subject}: {words}")
        return name, (x, y, z + factor * least, *IDENTITY_QUAT)
