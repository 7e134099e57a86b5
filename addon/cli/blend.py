# SPDX-License-Identifier: GPL-3.0-or-later
""".blend files as models: reading one, opening one, and writing one, whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.check import Issue, check_definition, sunk
from ...core.check.falling import CODE as FALLS
from ...core.cli.framework import OPEN_SCENE
from ...core.cli.result import say
from ...core.formats import Reading, UnreadableError, UnwritableError
from ...core.formats.files import require_place
from ...core.interrupts import ending_at_once
from ...core.model import Model
from ...core.partials import move_into_place, partial_name
from ..quiet import quiet
from .session import open_scene, require_blender
from .settings import make_settings

if TYPE_CHECKING:
    import bpy

    from ..bridge.read import SceneReading
    from ..bridge.shapes import MeshFormat


END = 0x8F92EAB1.to_bytes(4, "little")
"""With which compressed .blend files end, being seekable Zstandard."""


def load_blend(
    path: Path,
    *,
    settings: Sequence[str] = (),
    is_released: bool = False,
    with_surroundings: bool = False,
    mesh_format: MeshFormat = "OBJ",
) -> Reading:
    """Read the model in a .blend file's scene, with its shapes. Raises UnreadableError, ModelError, UsageError.

    settings: OWNER.PROPERTY=VALUE each, made in the scene first. is_released: whether the issues include what falls.
    To export it whole: with_surroundings, with lights and what belongs to no link; mesh_format, "OBJ" or "GLTF".
    """
    open_blend(path)
    return load_open_scene(
        path,
        settings=settings,
        is_released=is_released,
        with_surroundings=with_surroundings,
        mesh_format=mesh_format,
    )


def load_open_scene(
    path: Path = OPEN_SCENE,
    *,
    settings: Sequence[str] = (),
    is_released: bool = False,
    with_surroundings: bool = False,
    mesh_format: MeshFormat = "OBJ",
) -> Reading:
    """Read the model in the scene that is open, as `load_blend` does."""
    if path == OPEN_SCENE:
        tell_versions(path)
    scene = open_scene()
    from .. import ids
    from ..bridge.problems import issues_of_start, starting_by_keys
    from ..bridge.read import scan_scene

    make_settings(settings, path)
    reading = scan_scene(scene, with_shapes=True, with_surroundings=with_surroundings, mesh_format=mesh_format)
    issues = check_definition(reading.model) + _of_scene(scene, reading, is_simulated=not with_surroundings)
    if is_released and not any(issue.is_error for issue in issues):
        issues += [issue for issue in issues_of_start(scene, reading) if issue.code == FALLS]
        if getattr(scene, ids.SCENE).contact:
            issues += sunk(reading.model, starting_by_keys(getattr(scene, ids.SCENE).bake.start, reading))
    return Reading(reading.model, issues, reading.notes, files_of_scene(path))


def _of_scene(scene: bpy.types.Scene, reading: SceneReading, is_simulated: bool) -> list[Issue]:
    """List what only a scene can have, as `find_problems` tells it in the window.

    Colliders that change their form are errors for a simulation with contact, and warnings for an export. Places that
    are too coarse for contact are warnings for a simulation, and keys that a bake would replace are notes.
    """
    from .. import ids
    from ..bridge.deforming import CODE, deforming_colliders
    from ..bridge.numbers import unit_length
    from ..bridge.precision import CODE as COARSE
    from ..bridge.precision import coarse_places
    from ..bridge.problems import gravity_of_unit, keys_replaced

    settings = getattr(scene, ids.SCENE)
    found: list[Issue] = []
    for name, message in deforming_colliders(reading) if settings.contact else ():
        severity = "error" if is_simulated else "warning"
        found.append(Issue(severity, CODE, f"link '{name}'", message.removeprefix(f"link '{name}': ")))
    for name, message in coarse_places(reading, unit_length(scene)) if is_simulated else ():
        found.append(Issue("warning", COARSE, f"link '{name}'", message.removeprefix(f"link '{name}' ")))
    for problem in gravity_of_unit(scene, reading) if is_simulated else ():
        found.append(Issue("warning", problem.code, "scene", problem.message))
    for problem in keys_replaced(settings.bake.start, reading) if is_simulated else ():
        subject = f"link '{problem.name}'"
        found.append(Issue("note", problem.code, subject, problem.message.removeprefix(f"{subject} ")))
    return found


def files_of_scene(path: Path) -> list[Path]:
    """The file of the scene that is open, as `path` names it, and the libraries that it uses."""
    import bpy

    own = [Path(bpy.data.filepath)] if path == OPEN_SCENE else [path]
    libraries = [Path(bpy.path.abspath(library.filepath)).resolve() for library in bpy.data.libraries]
    return list(filter(Path.is_file, [*own, *dict.fromkeys(libraries)]))


def open_blend(path: Path) -> None:
    """Make a .blend file the open one. Raises UnreadableError."""
    require_blender()
    import bpy

    if not path.is_file():
        raise UnreadableError(path, "this is a folder; name a file" if path.is_dir() else "there is no such file")
    try:
        with ending_at_once(), quiet():
            bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
    except RuntimeError as error:  # Blender's word for all that can go wrong
        raise UnreadableError(path, f"Blender cannot open it: {str(error).strip().splitlines()[-1]}") from error
    tell_versions(path)


def tell_versions(path: Path) -> None:
    """Say what of the open file other versions have made, after bringing up to date what Blender opened before us."""
    scene = open_scene()
    from .. import migration

    migration.migrate_all()
    say(*(f"{path}: warning {remark.code}: {remark.message}" for remark in migration.remarks_on(scene)))


def open_nothing() -> None:
    """An empty file, so that nothing of Blender's start-up scene gets into what is made."""
    require_blender()
    import bpy

    with ending_at_once(), quiet():
        # Not read_factory_settings, which would switch the add-on off.
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def save_blend(model: Model, path: Path) -> list[str]:
    """Write a model as the links and joints of a new .blend file. Returns what could not be shown."""
    open_nothing()
    from ..bridge.write import write_scene

    _, notes = write_scene(model, open_scene())
    save_open_file(path)
    return notes


def save_open_file(path: Path) -> None:
    """Save a copy of what is open, whole or not at all. Raises UnwritableError."""
    save_together({path: save_copy})


def save_copy(path: Path) -> None:
    """Let Blender save a copy of what is open. Raises OSError, or RuntimeError: its word for all that can go wrong."""
    import bpy

    with quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=True)
    with path.open("rb") as file:  # since Blender does not look whether the last it writes finds room
        file.seek(-min(len(END), path.stat().st_size), os.SEEK_END)
        if file.read() != END:
            raise OSError(errno.ENOSPC, "the disk took only a part of it; make room")


def save_together(saves: Mapping[Path, Callable[[Path], None]]) -> None:
    """Save files, each by what saves it to a path that it is given: all of them whole, or none.

    Raises UnwritableError.
    """
    partials: dict[Path, Path] = {}
    try:
        for path, save in saves.items():
            require_place(path)
            target = path.resolve()
            # In the target's own folder, since Blender rewrites relative paths for the folder that it saves to.
            partials[path] = target.with_name(partial_name(target.name) + target.suffix.lower())
            with _told(path):
                save(partials[path])
        named = {str(path.resolve()): path for path in partials}
        try:
            move_into_place({path.resolve(): partial for path, partial in partials.items()})
        except OSError as error:
            raise UnwritableError(named[error.filename], _why_unsaved(error)) from error
    finally:
        for partial in partials.values():
            with contextlib.suppress(OSError):  # where nothing can be written, nothing was
                partial.unlink()


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """What goes wrong with the file, as UnwritableError."""
    try:
        yield
    except OSError as error:
        raise UnwritableError(path, _why_unsaved(error)) from error
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].rpartition(": ")[2]
        raise UnwritableError(path, f"cannot be saved: {reason.lower()}") from error


def _why_unsaved(error: OSError) -> str:
    return f"cannot be saved: {(error.strerror or str(error)).lower()}"
