# SPDX-License-Identifier: GPL-3.0-or-later
"""Open any input as a scene, and apply the settings of the command line to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...core.check.summarizing import summarized_notes
from ...core.cli.framework import OPEN_SCENE, load_usable
from ...core.cli.result import say
from .blend import files_of_scene, open_blend, open_nothing, report_versions
from .bpy_session import open_scene
from .settings import make_settings

if TYPE_CHECKING:
    from ..bridge.scene.read import SceneReading


class Opened(NamedTuple):
    """An opened scene.

    Attributes:
        files: those from which it was made.
        reading: the model to simulate; None if it is to be read from the scene.
    """

    files: list[Path]
    reading: SceneReading | None = None


def open_as_scene(
    path: Path, search: list[Path], settings: list[str], first: int | None, strict: bool = False
) -> Opened:
    """Open the links and joints of a file as a scene.

    Args:
        settings: OWNER.PROPERTY=VALUE each, which are set in the scene. first: the frame at which a bake starts.

    Raises:
        UsageError, ModelError, UnreadableError, InputError: if it cannot be opened.
    """
    from ..bridge.scene.read import SceneReading
    from ..bridge.scene.write import write_scene
    from ..bridge.scene.write_shapes import NOT_READ

    if path.suffix.lower() == ".blend":
        open_blend(path)
    elif path == OPEN_SCENE:
        report_versions(path)
    if path.suffix.lower() == ".blend" or path == OPEN_SCENE:
        make_settings(settings, path, first)
        return Opened(files_of_scene(path))
    reading = load_usable(path, search, settings, strict)
    open_nothing()
    # The simulation uses the file's numbers instead of Blender's single-precision copies, so that the keys are the same
    # as those of `limberjack simulate` for this file.
    objects, notes = write_scene(reading.model, open_scene())
    notes = summarized_notes(note for note in notes if not note.endswith(NOT_READ))
    say(*(f"{path}: note: {note}" for note in notes))
    links = {link.name: objects[link.name] for link in reading.model.links}
    return Opened(reading.files, SceneReading(reading.model, links))
