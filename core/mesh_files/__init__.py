# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files as triangles: OBJ, STL, PLY, glTF, COLLADA, MSH, and height maps, in metres with Z up.

This is the only reader of geometry that collides or is weighed, on every route: command line, Python and Blender.
Colours and textures are not read; Blender's own importers show them. `READERS` lists the formats, one file each.
Uses `files` (which files may be opened, XML) and `spatial`. Nothing here knows links or joints.
"""

from .errors import MeshFileError
from .heightmap import read_float_heights, read_heights, terrain
from .parts import MeshPart
from .reading import READERS, read_mesh, read_parts

__all__ = [
    "READERS",
    "MeshFileError",
    "MeshPart",
    "read_float_heights",
    "read_heights",
    "read_mesh",
    "read_parts",
    "terrain",
]
