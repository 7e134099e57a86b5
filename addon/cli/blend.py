""".blend files as models: reading one, opening one, and writing one, whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.check import check_model
from ...core.cli.framework import OPEN_SCENE
from ...core.formats import Reading, UnreadableError, UnwritableError
from ...core.formats.files import require_place
from ...core.model import Model
from ..quiet import quiet
from .session import open_scene, require_blender

if TYPE_CHECKING:
    from ..bridge.shapes import MeshFormat


def load_blend(path: Path, *, with_surroundings: bool = False, mesh_format: MeshFormat = "OBJ") -> Reading:
    """Read the model in a .blend file's scene, with its shapes. Raises UnreadableError, ModelError, UsageError.

    To export it whole: with_surroundings, with lights and what belongs to no link; mesh_format, "OBJ" or "GLTF".
    """
    open_blend(path)
    return load_open_scene(path, with_surroundings=with_surroundings, mesh_format=mesh_format)


def load_open_scene(
    path: Path = OPEN_SCENE, *, with_surroundings: bool = False, mesh_format: MeshFormat = "OBJ"
) -> Reading:
    """Read the model in the scene that is open, as `load_blend` does."""
    scene = open_scene()
    from ..bridge import scan_scene

    reading = scan_scene(scene, with_shapes=True, with_surroundings=with_surroundings, mesh_format=mesh_format)
    return Reading(reading.model, check_model(reading.model), notes=reading.notes)


def open_blend(path: Path) -> None:
    """Make a .blend file the open one. Raises UnreadableError."""
    require_blender()
    import bpy

    if not path.is_file():
        raise UnreadableError(path, "this is a folder; name a file" if path.is_dir() else "there is no such file")
    try:
        with quiet():
            bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
    except RuntimeError as error:  # Blender's word for all that can go wrong
        raise UnreadableError(path, f"Blender cannot open it: {str(error).strip().splitlines()[-1]}") from error


def open_nothing() -> None:
    """An empty file, so that nothing of Blender's start-up scene gets into what is made."""
    require_blender()
    import bpy

    with quiet():
        # Not read_factory_settings, which would switch the add-on off.
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def save_blend(model: Model, path: Path) -> list[str]:
    """Write a model as the links and joints of a new .blend file. Returns what could not be shown."""
    open_nothing()
    from ..bridge import write_scene

    _, notes = write_scene(model, open_scene())
    save_open_file(path)
    return notes


def save_open_file(path: Path) -> None:
    """Save a copy of what is open, whole or not at all. Raises UnwritableError."""
    import bpy

    require_place(path)
    target = path.resolve()
    # In the target's own folder, since Blender rewrites relative paths for the folder that it saves to.
    partial = target.with_name(f".{target.name}.{os.getpid()}.blend")
    try:
        with quiet():
            bpy.ops.wm.save_as_mainfile(filepath=str(partial), copy=True, compress=True)
        os.replace(partial, target)
    except OSError as error:
        raise UnwritableError(path, f"cannot be saved: {(error.strerror or str(error)).lower()}") from error
    except RuntimeError as error:  # Blender's word for all that can go wrong
        reason = str(error).strip().splitlines()[-1].rpartition(": ")[2]
        raise UnwritableError(path, f"cannot be saved: {reason.lower()}") from error
    finally:
        with contextlib.suppress(OSError):  # where nothing can be written, nothing was
            partial.unlink()
