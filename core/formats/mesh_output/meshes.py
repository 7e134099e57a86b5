# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files that are written with a model: their contents, and their uris in the model's file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from ...geometry import Mesh
from ...model.naming import claim
from .obj import image_file, obj_files

FOLDER = "meshes"
"""Folder of the mesh files, beside the model's file."""


@dataclass
class MeshFiles:
    """The meshes of one model file.

    Attributes:
        folder: folder of the model file.
        prefix: prefix of file names, which distinguishes models whose meshes are in one folder.
        base: prefix of the uris of these meshes, such as model://NAME/; empty for uris relative to the file.
        contents: {path in `folder`: content} of each file to write.
        losses: lines about meshes and images whose files were not found, or are outside of the folder.
    """

    folder: Path
    prefix: str = ""
    base: str = ""
    contents: dict[str, str | bytes] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)
    _shared: dict[tuple, str] = field(default_factory=dict)

    def uri(self, mesh: Mesh, stem: str, subject: str) -> str:
        """Return the uri of a mesh in the model's file.

        A mesh with its own vertices becomes a file. A uri with a scheme stays as it is. A relative uri leads to the
        same file as before, seen from the new model file. A line in `losses` reports a uri that leads out of the folder
        of that file.
        """
        if mesh.vertices is not None or mesh.glb:
            what = (id(mesh.vertices), id(mesh.uvs), mesh.materials, mesh.face_materials, mesh.glb)
            if what not in self._shared:  # meshes with the same vertices share a file
                self._shared[what] = self._written(mesh, stem)
            return f"{self.base}{self._shared[what]}"
        if mesh.path and "://" not in mesh.uri:
            return self._seen_from_here(mesh.path, subject)
        if "://" not in mesh.uri:
            self.losses.append(f"{subject} still names the mesh '{mesh.uri}', which was not found; copy it there")
        return mesh.uri

    def data_uri(self, content: bytes, stem: str, suffix: str) -> str:
        """Return the uri of a file that is written with the model."""
        file = f"{FOLDER}/{self._free_name(stem)}{suffix}"
        self.contents[file] = content
        return f"{self.base}{file}"

    def _free_name(self, stem: str) -> str:
        safe = re.sub(r"[^a-z0-9_-]+", "_", f"{self.prefix}{stem}".lower())  # some file systems ignore case
        return claim(safe, {PurePath(path).stem for path in self.contents})

    def _written(self, mesh: Mesh, stem: str) -> str:
        name = self._free_name(stem)
        if mesh.glb:
            self.contents[f"{FOLDER}/{name}.glb"] = mesh.glb
            return f"{FOLDER}/{name}.glb"
        self.contents |= {f"{FOLDER}/{file}": content for file, content in obj_files(mesh, name).items()}
        return f"{FOLDER}/{name}.obj"

    def image_uri(self, texture: str, subject: str) -> str:
        """Return the uri of an image in the model's file. An image file that exists is written with the model."""
        name, content = image_file(texture)
        if content:
            self.contents[f"{FOLDER}/{name}"] = content
            return f"{self.base}{FOLDER}/{name}"
        if "://" not in texture:
            self.losses.append(f"{subject} still names the image '{texture}', which was not found; copy it there")
        return texture

    def _seen_from_here(self, path: str, subject: str) -> str:
        try:
            seen = Path(os.path.relpath(os.path.realpath(path), os.path.realpath(self.folder))).as_posix()
        except ValueError:  # the file is on another drive of Windows
            seen = Path(path).as_uri()
        if not seen.startswith(("../", "file:")):
            return f"{self.base}{seen}"
        self.losses.append(f"{subject} names the mesh '{seen}', outside of the file's folder; copy it there")
        return seen
