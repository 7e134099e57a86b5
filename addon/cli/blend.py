# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, open and write .blend files as models. A file is written completely or not at all."""

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
from ...core.files.partials import move_into_place, partial_name
from ...core.formats import Reading, UnreadableError, UnwritableError
from ...core.formats.files import require_place
from ...core.model import Model
from ...core.processes.interrupts import ending_at_once
from ...core.processes.quiet import quiet
from .bpy_session import open_scene, require_blender
from .settings import make_settings

if TYPE_CHECKING:
    import bpy

    from ..bridge.links.shapes import MeshFormat
    from ..bridge.scene.read import SceneReading


END = 0x8F92EAB1.to_bytes(4, "little")
"""Last bytes of compressed .blend files, which are seekable Zstandard."""


def load_blend(
    path: Path,
    *,
    settings: Sequence[str] = (),
    is_released: bool = False,
    with_surroundings: bool = False,
    mesh_format: MeshFormat = "OBJ",
    split_meshes: bool = False,
) -> Reading:
    """Return the model in a .blend file's scene, with its shapes.

    Args:
        settings: OWNER.PROPERTY=VALUE each, which are set in the scene first.
        is_released: whether the issues include machines that fall freely.
        with_surroundings: for exports, whether to add lights and visible objects that belong to no link.
        mesh_format: "OBJ" or "GLTF".
        split_meshes: as for `scan_scene`.

    Raises:
        UnreadableError: if the file cannot be opened. ModelError: if the scene cannot be read. UsageError: if a setting
            is not valid.
    """
    open_blend(path)
    return load_open_scene(
        path,
        settings=settings,
        is_released=is_released,
        with_surroundings=with_surroundings,
        mesh_format=mesh_format,
        split_meshes=split_meshes,
    )


def load_open_scene(
    path: Path = OPEN_SCENE,
    *,
    settings: Sequence[str] = (),
    is_released: bool = False,
    with_surroundings: bool = False,
    mesh_format: MeshFormat = "OBJ",
    split_meshes: bool = False,
) -> Reading:
    """Return the model in the open scene, as `load_blend` does."""
    if path == OPEN_SCENE:
        report_versions(path)
    scene = open_scene()
    from ..bridge.findings.problems import issues_of_start, starting_by_keys
    from ..bridge.scene.read import scan_scene
    from ..props.ragdoll import is_body_part
    from ..props.settings import scene_settings

    make_settings(settings, path)
    reading = scan_scene(
        scene,
        with_shapes=True,
        with_surroundings=with_surroundings,
        mesh_format=mesh_format,
        split_meshes=split_meshes,
    )
    issues = check_definition(reading.model) + _of_scene(scene, reading, is_simulated=not with_surroundings)
    if is_released and not any(issue.is_error for issue in issues):
        issues += [issue for issue in issues_of_start(scene, reading) if issue.code == FALLS]
        if scene_settings(scene).contact:
            issues += sunk(reading.model, starting_by_keys(scene_settings(scene).bake.start, reading))
    meant_to_fall = frozenset(name for name, obj in reading.objects.items() if is_body_part(obj))
    return Reading(reading.model, issues, reading.notes, files_of_scene(path), meant_to_fall=meant_to_fall)


def _of_scene(scene: bpy.types.Scene, reading: SceneReading, is_simulated: bool) -> list[Issue]:
    """Return the issues that only scenes can have, as `find_problems` reports them in the window.

    Colliders that change their form are errors for a simulation with contact, and warnings for an export. Locations
    that are too coarse for contact are warnings for a simulation, and keys that a bake would replace are notes.
    """
    from ..bridge.findings.problems import gravity_of_unit, keys_replaced
    from ..bridge.links.deforming import deforming_colliders
    from ..bridge.links.precision import CODE as COARSE
    from ..bridge.links.precision import coarse_places
    from ..bridge.values.numbers import unit_length
    from ..props.settings import scene_settings

    settings = scene_settings(scene)
    found: list[Issue] = []
    for name, message, code in deforming_colliders(reading) if settings.contact else ():
        severity = "error" if is_simulated else "warning"
        found.append(Issue(severity, code, f"link '{name}'", message.removeprefix(f"link '{name}': ")))
    for name, message in coarse_places(reading, unit_length(scene)) if is_simulated else ():
        found.append(Issue("warning", COARSE, f"link '{name}'", message.removeprefix(f"link '{name}' ")))
    for problem in gravity_of_unit(scene, reading) if is_simulated else ():
        found.append(Issue("warning", problem.code, "scene", problem.message))
    for problem in keys_replaced(settings.bake.start, reading) if is_simulated else ():
        subject = f"link '{problem.name}'"
        found.append(Issue("note", problem.code, subject, problem.message.removeprefix(f"{subject} ")))
    return found


def files_of_scene(path: Path) -> list[Path]:
    """Return the file of the open scene, named as in `path`, and the libraries that it uses."""
    import bpy

    own = [Path(bpy.data.filepath)] if path == OPEN_SCENE else [path]
    libraries = [Path(bpy.path.abspath(library.filepath)).resolve() for library in bpy.data.libraries]
    return list(filter(Path.is_file, [*own, *dict.fromkeys(libraries)]))


def open_blend(path: Path) -> None:
    """Open a .blend file. Raise `UnreadableError` if that fails."""
    require_blender()
    import bpy

    if not path.is_file():
        raise UnreadableError(path, "this is a folder; name a file" if path.is_dir() else "there is no such file")
    try:
        with ending_at_once(), quiet():
            bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
    except RuntimeError as error:  # Blender raises it for every failure
        raise UnreadableError(path, f"Blender cannot open it: {str(error).strip().splitlines()[-1]}") from error
    report_versions(path)


def report_versions(path: Path) -> None:
    """Print notes about data of other versions in the open file, after migrating what Blender has opened already."""
    scene = open_scene()
    from .. import migration

    migration.migrate_all()
    say(*(f"{path}: warning {note.code}: {note.message}" for note in migration.notes_on(scene)))


def open_nothing() -> None:
    """Open an empty file, so that nothing of Blender's start-up scene is saved."""
    require_blender()
    import bpy

    with ending_at_once(), quiet():
        # read_factory_settings would disable the add-on.
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def save_blend(model: Model, path: Path) -> list[str]:
    """Write a model as the links and joints of a new .blend file. Return notes about what could not be shown."""
    open_nothing()
    from ..bridge.scene.write import write_scene

    _, notes = write_scene(model, open_scene())
    save_open_file(path)
    return notes


def save_open_file(path: Path) -> None:
    """Save a copy of the open file, completely or not at all. Raise `UnwritableError` if that fails."""
    save_together({path: save_copy})


def save_copy(path: Path) -> None:
    """Save a copy of the open file by Blender.

    Raises:
        OSError: if the file is incomplete. RuntimeError: if Blender reports any failure.
    """
    import bpy

    with quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=True)
    with path.open("rb") as file:  # Blender does not check its last write on a full disk
        file.seek(-min(len(END), path.stat().st_size), os.SEEK_END)
        if file.read() != END:
            raise OSError(errno.ENOSPC, "the disk took only a part of it; make room")


def save_together(saves: Mapping[Path, Callable[[Path], None]]) -> None:
    """Save several files: all of them completely, or none.

    Args:
        saves: the function that saves each file, which takes the path to write to.

    Raises:
        UnwritableError: if one of them cannot be saved.
    """
    partials: dict[Path, Path] = {}
    try:
        for path, save in saves.items():
            require_place(path)
            target = path.resolve()
            # In the target's folder, because Blender makes relative paths relative to the folder to which it saves.
            partials[path] = target.with_name(partial_name(target.name) + target.suffix.lower())
            with _naming_file(path):
                save(partials[path])
        named = {str(path.resolve()): path for path in partials}
        try:
            move_into_place({path.resolve(): partial for path, partial in partials.items()})
        except OSError as error:
            raise UnwritableError(named[error.filename], _why_unsaved(error)) from error
    finally:
        for partial in partials.values():
            with contextlib.suppress(OSError):  # there is no partial file if nothing could be written
                partial.unlink()


@contextlib.contextmanager
def _naming_file(path: Path) -> Iterator[None]:
    """Raise errors within this context as `UnwritableError` about the file."""
    try:
        yield
    except OSError as error:
        raise UnwritableError(path, _why_unsaved(error)) from error
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].rpartition(": ")[2]
        raise UnwritableError(path, f"cannot be saved: {reason.lower()}") from error


def _why_unsaved(error: OSError) -> str:
    return f"cannot be saved: {(error.strerror or str(error)).lower()}"
