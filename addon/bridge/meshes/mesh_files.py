# SPDX-License-Identifier: GPL-3.0-or-later
"""Read mesh files, each once, as one mesh in its own axes, with Z up.

First, the references and sizes in a file are checked (`core/mesh_files/sources.py`). Then Blender's own importers
read the file in a separate process, which may crash (`mesh_importers.py`). The process writes a .blend file, from which
the mesh is loaded.
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

from ....core.mesh_files import MeshFileError
from ....core.mesh_files.sources import MeshSource, MeshSourceError
from ....core.processes import spawning
from ....core.processes.quiet import quiet
from .mesh_importers import require_importer

ROOT_PACKAGE = __name__.removesuffix(".addon.bridge.meshes.mesh_files")
ROOT_FOLDER = Path(__file__).parents[3]
CHILD = Path(__file__).with_name("mesh_child.py")
READING_TIMEOUT = 300.0
"""Time after which the process that reads a file is killed [s]."""


class MeshFiles:
    """Reads mesh files and keeps their meshes. Close it after use.

    Attributes:
        unit: length of a Blender unit [m].
        notes: files that mesh files refer to and that were not opened.
    """

    def __init__(self, unit: float):
        self.unit = unit
        self.notes: list[str] = []
        self._meshes: dict[Path, bpy.types.Mesh | MeshFileError] = {}
        self._reader: _Reader | None = None

    def mesh(self, path: str, within: Sequence[str] = (), is_painted: bool = False) -> bpy.types.Mesh:
        """Return the mesh in a file. All callers share it.

        Args:
            within: folders, besides the file's own, that may contain the files to which it refers.
            is_painted: whether the model gives a colour, so that missing colours and images of the file need no note.

        Raises:
            MeshFileError: if the file cannot be read.
        """
        resolved = Path(path).resolve()
        if resolved not in self._meshes:
            try:
                self._meshes[resolved] = self._read(resolved, within, is_painted)
            except MeshFileError as error:
                self._meshes[resolved] = error
        found = self._meshes[resolved]
        if isinstance(found, MeshFileError):
            raise found
        return found

    def close(self) -> None:
        """End the process that reads files, if it was started."""
        if self._reader:
            self._reader.close()
            self._reader = None

    def _read(self, resolved: Path, within: Sequence[str], is_painted: bool) -> bpy.types.Mesh:
        require_importer(resolved)
        with tempfile.TemporaryDirectory(prefix="limberjack-") as folder:
            try:
                source = MeshSource(resolved, within, Path(folder))
            except MeshSourceError as error:
                raise MeshFileError(str(error)) from error
            self.notes += [] if is_painted else [f"the mesh '{resolved.name}': {note}" for note in source.notes]
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
        mesh.name = resolved.stem
        return mesh


def _fetched(path: Path) -> bpy.types.Mesh:
    """Return the one mesh of a .blend file, as local data of the open file."""
    loading: Any = bpy.data.libraries.load(str(path), link=False)  # the stub does not declare a context manager
    with quiet(), loading as (there, here):
        here.meshes = list(there.meshes)
    (mesh,) = here.meshes
    mesh.use_fake_user = False
    for library in [library for library in bpy.data.libraries if Path(library.filepath) == path]:
        bpy.data.libraries.remove(library)
    return mesh


def _import_paths() -> list[str]:
    """Return this process's module search path without the folders of Blender, which only Blender may add."""
    own = tuple(bpy.utils.script_paths())
    return [path for path in spawning.search_path() if not path.startswith(own)]


class _Reader:
    """The process that reads mesh files."""

    def __init__(self):
        words = [ROOT_PACKAGE, str(ROOT_FOLDER)]
        if bpy.app.binary_path:
            command = [bpy.app.binary_path, "--background", "--factory-startup", "--python", str(CHILD), "--", *words]
        else:  # Blender as a module
            command = [sys.executable, str(CHILD), *words]
        self._process = spawning.start(
            command,
            paths=_import_paths(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._is_ready = False

    def read(self, source: Path, target: Path) -> str:
        """Write a mesh file as a .blend file, and return why that failed; empty if it succeeded.

        Raises:
            MeshFileError: if the process died or could not be started.
        """
        timer = threading.Timer(READING_TIMEOUT, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            if not self._is_ready and self._answer() is None:
                raise MeshFileError("the process that reads meshes cannot be started; look whether Blender can be")
            self._is_ready = True
            with contextlib.suppress(OSError):  # the process has died; `_answer` then returns None
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps([str(source), str(target)]) + "\n")
                self._process.stdin.flush()
            answer = self._answer()
        finally:
            timer.cancel()
        if answer is None:
            raise MeshFileError(
                f"Blender's importer died of it, or took more than {READING_TIMEOUT:g} s; export it again"
            )
        return answer

    def _answer(self) -> str | None:
        """Return the next answer of the process, and skip Blender's own output; None if the process has ended."""
        assert self._process.stdout is not None
        line = next((line for line in self._process.stdout if line.startswith('"')), "")
        return json.loads(line) if line.endswith("\n") else None

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
