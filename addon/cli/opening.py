# SPDX-License-Identifier: GPL-3.0-or-later
"""Any input as the scene that is open, with the settings that the command line makes in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...core.cli.framework import OPEN_SCENE, load_usable
from ...core.cli.result import say
from .blend import files_of_scene, open_blend, open_nothing, tell_versions
from .session import open_scene
from .settings import make_settings

if TYPE_CHECKING:
    from ..bridge.read import SceneReading


class Opened(NamedTuple):
    """A scene that is open.

    Attributes:
        files: that it was made of.
        reading: the model as it is to be simulated; None for what a reading of the scene gives.
    """

    files: list[Path]
    reading: SceneReading | None = None


def open_as_scene(
    path: Path, search: list[Path], settings: list[str], first: int | None, strict: bool = False
) -> Opened:
    """Open the file's links and joints as a scene.

    Args:
        settings: OWNER.PROPERTY=VALUE each, to be made in the scene. first: the frame at which a bake starts.

    Raises:
        UsageError, ModelError, UnreadableError, InputError: it cannot be opened so.
    """
    from ..bridge.read import SceneReading
    from ..bridge.write import write_scene
    from ..bridge.write_shapes import NOT_READ

    if path.suffix.lower() == ".blend":
        open_blend(path)
    elif path == OPEN_SCENE:
        tell_versions(path)
    if path.suffix.lower() == ".blend" or path == OPEN_SCENE:
        make_settings(settings, path, first)
        return Opened(files_of_scene(path))
    reading = load_usable(path, search, settings, strict)
    open_nothing()
    # The file's own numbers are simulated, not Blender's single-precision copies of them, so that the keys are those of
    # `limberjack simulate` on the same file.
    objects, notes = write_scene(reading.model, open_scene())
    say(*(f"{path}: note: {note}" for note in notes if not note.endswith(NOT_READ)))
    links = {link.name: objects[link.name] for link in reading.model.links}
    return Opened(reading.files, SceneReading(reading.model, links))
