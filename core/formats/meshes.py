# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files that go out with a model: which are written beside it, and what the model's file calls them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from ..geometry import Mesh
from ..model.naming import claim
from .obj import image_file, obj_files

FOLDER = "meshes"


@dataclass
class MeshFiles:
    """The meshes of one model file.

    Attributes:
        folder: where the model file will lie.
        prefix: keeps models apart whose meshes lie in one folder.
        base: what the uris of these meshes begin with, such as model://NAME/; empty for uris relative to the file.
        contents: each file to write, by its path in `folder`.
        losses: meshes and images that are named and not where that leads.
    """

    folder: Path
    prefix: str = ""
    base: str = ""
    contents: dict[str, str | bytes] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)
    _shared: dict[tuple, str] = field(default_factory=dict)

    def uri(self, mesh: Mesh, stem: str, subject: str) -> str:
        """What the model's file is to call it.

        One that is held here becomes a file; a uri with a scheme stays; a relative one leads to the same file as
        before, from where the model's file lies now, which is told where it leads out of its folder.
        """
        if mesh.vertices is not None or mesh.glb:
            what = (id(mesh.vertices), id(mesh.uvs), mesh.materials, mesh.face_materials, mesh.glb)
            if what not in self._shared:  # one file for all that show the same points
                self._shared[what] = self._written(mesh, stem)
            return f"{self.base}{self._shared[what]}"
        if mesh.path and "://" not in mesh.uri:
            return self._seen_from_here(mesh.path, subject)
        if "://" not in mesh.uri:
            self.losses.append(f"{subject} still names the mesh '{mesh.uri}', which was not found; copy it there")
        return mesh.uri

    def _written(self, mesh: Mesh, stem: str) -> str:
        safe = re.sub(r"[^a-z0-9_-]+", "_", f"{self.prefix}{stem}".lower())  # some file systems know no case
        name = claim(safe, {PurePath(path).stem for path in self.contents})
        if mesh.glb:
            self.contents[f"{FOLDER}/{name}.glb"] = mesh.glb
            return f"{FOLDER}/{name}.glb"
        self.contents |= {f"{FOLDER}/{file}": content for file, content in obj_files(mesh, name).items()}
        return f"{FOLDER}/{name}.obj"

    def image_uri(self, texture: str, subject: str) -> str:
        """What the model's file is to call an image; one that lies on this machine goes along."""
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
        except ValueError:  # another drive of Windows
            seen = Path(path).as_uri()
        if not seen.startswith(("../", "file:")):
            return f"{self.base}{seen}"
        self.losses.append(f"{subject} names the mesh '{seen}', outside of the file's folder; copy it there")
        return seen
