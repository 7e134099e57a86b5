# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files, each once, as one mesh in its own axes, with Z up.

What a file names and claims is looked at first (`core/formats/mesh_sources.py`). Blender's own importers then read it
in a process that may die (`mesh_importers.py`), and the mesh is fetched from the .blend file that this has written.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
from mathutils import Matrix

from ...core import children
from ...core.formats.mesh_sources import MeshSource, MeshSourceError
from ...core.mesh_files import MeshFileError
from ..quiet import quiet
from .mesh_importers import require_importer

ROOT_PACKAGE = __name__.removesuffix(".addon.bridge.mesh_files")
ROOT_FOLDER = Path(__file__).parents[2]
CHILD = Path(__file__).with_name("mesh_child.py")
PATIENCE = 300.0
"""Seconds that a file may take."""


class MeshFiles:
    """unit: metres in a Blender unit. notes: what mesh files name and is not opened. Close it in the end."""

    def __init__(self, unit: float):
        self.unit = unit
        self.notes: list[str] = []
        self._known: dict[Path, bpy.types.Mesh | MeshFileError] = {}
        self._reader: _Reader | None = None

    def mesh(self, path: str, within: Sequence[str] = ()) -> bpy.types.Mesh:
        """The mesh in a file, which everybody who asks for it shares. Raises MeshFileError.

        within: folders in which what the file names may lie, besides its own.
        """
        place = Path(path).resolve()
        if place not in self._known:
            try:
                self._known[place] = self._read(place, within)
            except MeshFileError as error:
                self._known[place] = error
        found = self._known[place]
        if isinstance(found, MeshFileError):
            raise found
        return found

    def close(self) -> None:
        """End the process that reads, if one was started."""
        if self._reader:
            self._reader.close()
            self._reader = None

    def _read(self, place: Path, within: Sequence[str]) -> bpy.types.Mesh:
        require_importer(place)
        with tempfile.TemporaryDirectory(prefix="limberjack-") as folder:
            try:
                source = MeshSource(place, within, Path(folder))
            except MeshSourceError as error:
                raise MeshFileError(str(error)) from error
            self.notes += [f"the mesh '{place.name}': {note}" for note in source.notes]
            target = Path(folder) / "mesh.blend"
            self._reader = self._reader or _Reader()
            try:
                why_not = self._reader.read(source.path, target)
            except MeshFileError:
                self.close()
                raise
            if why_not:
                raise MeshFileError(why_not)
            mesh = _fetched(target)
        mesh.transform(Matrix.Scale(1.0 / self.unit, 4))
        mesh.name = place.stem
        return mesh


def _fetched(path: Path) -> bpy.types.Mesh:
    """The one mesh of a .blend file, with what it uses, as if it had been made here."""
    loading: Any = bpy.data.libraries.load(str(path), link=False)  # its stub knows no context
    with quiet(), loading as (there, here):
        here.meshes = list(there.meshes)
    (mesh,) = here.meshes
    mesh.use_fake_user = False
    for library in [library for library in bpy.data.libraries if Path(library.filepath) == path]:
        bpy.data.libraries.remove(library)
    return mesh


def _import_paths() -> list[str]:
    """Where this process finds modules, but for Blender's own, which only Blender may add."""
    own = tuple(bpy.utils.script_paths())
    return [path for path in children.search_path() if not path.startswith(own)]


class _Reader:
    """The process that reads."""

    def __init__(self):
        words = [ROOT_PACKAGE, str(ROOT_FOLDER)]
        if bpy.app.binary_path:
            command = [bpy.app.binary_path, "--background", "--factory-startup", "--python", str(CHILD), "--", *words]
        else:  # Blender as a module
            command = [sys.executable, str(CHILD), *words]
        self._process = children.start(
            command,
            paths=_import_paths(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._is_ready = False

    def read(self, source: Path, target: Path) -> str:
        """Have a mesh file written as a .blend file. Returns why it could not be. Raises MeshFileError if it died."""
        timer = threading.Timer(PATIENCE, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            if not self._is_ready and self._answer() is None:
                raise MeshFileError("the process that reads meshes cannot be started; look whether Blender can be")
            self._is_ready = True
            with contextlib.suppress(OSError):  # it is dead, which its answer tells
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps([str(source), str(target)]) + "\n")
                self._process.stdin.flush()
            answer = self._answer()
        finally:
            timer.cancel()
        if answer is None:
            raise MeshFileError(f"Blender's importer died of it, or took more than {PATIENCE:g} s; export it again")
        return answer

    def _answer(self) -> str | None:
        """What it says next, past what Blender says before it begins; None where it has ended."""
        assert self._process.stdout is not None
        line = next((line for line in self._process.stdout if line.startswith('"')), "")
        return json.loads(line) if line.endswith("\n") else None

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
