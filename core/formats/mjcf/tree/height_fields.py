# SPDX-License-Identifier: GPL-3.0-or-later
"""Height fields: the numbers or the image of an <hfield> asset as terrain.

MuJoCo moves and scales the numbers so that the least one is at height 0 and the largest one at the height that `size`
gives. An image keeps its grey levels here: the size and the position of the terrain say the same of it.

Source: MuJoCo documentation, XML Reference, "asset/hfield".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....files.resources import ResourceError
from ....files.xml import Element
from ....geometry import Box, Heightmap
from ....mesh_files import MeshFileError, read_float_heights, read_heights
from ....mesh_files.heightmap import MAX_PIXELS
from ...findings import Findings, numbers_in
from ..model_file import ModelFile, asset_uri
from ..poses import integer_of

MOST_GREY = 255
"""Largest grey level in MuJoCo, which keeps the upper 8 bits of an image with 16."""

FLAT = 1e-14
"""Difference of the largest and the least number up to which MuJoCo does not scale them, mjEPS."""


class HeightFields:
    """Reads the <hfield> assets that geoms use, each once."""

    def __init__(self, findings: Findings):
        self.findings = findings
        self._read: dict[Element, Heightmap | None] = {}

    def find(self, at: Element, file: ModelFile) -> Heightmap | None:
        """Return the terrain of a geom; None after an error or a warning was reported.

        at: the element of the geom.
        """
        name = at.attributes.get("hfield", "")
        element = file.asset("hfield", name)
        if element is None:
            message = f"its height field '{name}' is not among the assets; add an <hfield> to <asset>, or name another"
            self.findings.error(at, "unknown-hfield", message)
            return None
        if element not in self._read:
            self._read[element] = self._open(element, file)
        return self._read[element]

    def _open(self, element: Element, file: ModelFile) -> Heightmap | None:
        x, y, high, base = self._sizes(element)
        if not min(x, y, high, base) > 0.0:
            found = element.attributes.get("size", "missing")
            self.findings.error(element, "bad-size", f"its size is {found}; give four lengths above 0 m")
            return None
        shape = Heightmap("MJCF", "hfield", element.to_xml(), size=(2.0 * x, 2.0 * y, high), rises=True, base=base)
        if element.attributes.get("file"):
            return self._of_file(element, file, shape)
        rows, columns = (integer_of(element, name, 0, self.findings) for name in ("nrow", "ncol"))
        if min(rows, columns) < 2 or rows * columns > MAX_PIXELS:
            message = f"it has {rows} x {columns} points; nrow and ncol are 2 or more, up to {MAX_PIXELS:,} points"
            self.findings.error(element, "bad-number", message)
            return None
        numbers = (0.0,) * (rows * columns)
        if "elevation" in element.attributes:
            numbers = numbers_in(element.attributes["elevation"])
        if len(numbers) != rows * columns or not np.isfinite(numbers).all():
            message = f"its elevation has {len(numbers)} numbers for {rows} x {columns} points; correct it"
            self.findings.error(element, "bad-number", message)
            return None
        return _scaled(shape, np.array(numbers).reshape(rows, columns))

    def weighed_box(self, at: Element, file: ModelFile) -> Box | None:
        """Return the box, around the geom's origin, as which MuJoCo weighs a height field; None if it is unknown."""
        element = file.asset("hfield", at.attributes.get("hfield", ""))
        if element is None:
            return None
        x, y, high, base = self._sizes(element)
        return Box((2.0 * x, 2.0 * y, 0.5 * high + base))

    def _sizes(self, element: Element) -> tuple[float, float, float, float]:
        return self.findings.attribute_vector(element, "size", (0.0, 0.0, 0.0, 0.0))

    def _of_file(self, element: Element, file: ModelFile, shape: Heightmap) -> Heightmap | None:
        uri = asset_uri(element, file.settings.meshdir, file.settings)
        try:
            path = str(file.document.files.find(uri))
        except ResourceError as error:
            self.findings.note(f"the height field {error} (line {element.line})", once=uri)
            return replace(shape, uri=uri)
        is_image = element.attributes.get("content_type", "") == "image/png" or path.lower().endswith(".png")
        try:
            if not is_image:
                return _scaled(shape, read_float_heights(path))
            grey = read_heights(path)
        except MeshFileError as error:
            message = f"its height field '{uri}' is not read, and nothing touches it: {error}"
            self.findings.warning(element, "not-read", message)
            return None
        return _of_image(replace(shape, uri=uri, path=path), grey)


def _scaled(shape: Heightmap, numbers: np.ndarray) -> Heightmap:
    """Return a terrain with numbers from 0 to 1, in single precision as in MuJoCo. numbers: shape (rows, columns)."""
    heights = numbers.astype(np.float32)
    heights -= heights.min()
    if heights.max() > FLAT:
        heights /= heights.max()
    return replace(shape, heights=tuple(map(tuple, heights.astype(np.float64).tolist())))


def _of_image(shape: Heightmap, grey: np.ndarray) -> Heightmap:
    """Return a terrain whose size and position bring the least grey level to height 0, and the largest to `size`."""
    if grey.max() > MOST_GREY:
        grey = np.floor(grey / (MOST_GREY + 1))
        shape = replace(shape, heights=tuple(map(tuple, grey.tolist())))
    least, most = float(grey.min()), float(grey.max())
    x, y, high = shape.size
    if most == least:
        return replace(shape, position=(0.0, 0.0, -high * least / max(most, 1.0)))
    factor = high / (most - least)
    return replace(shape, size=(x, y, factor * most), position=(0.0, 0.0, -factor * least))
