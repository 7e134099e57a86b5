"""Any input as the scene that is open, with the settings that the command line makes in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...core.cli.framework import OPEN_SCENE, UsageError, load_usable, say
from ...core.model import Joint, Model, ModelError, Setting, set_property
from .blend import open_blend, open_nothing
from .session import open_scene

if TYPE_CHECKING:
    from ..bridge import SceneReading


def open_as_scene(path: Path, search: list[Path], settings: list[str], first: int | None) -> SceneReading | None:
    """Open the file's links and joints as a scene.

    Args:
        settings: JOINT.PROPERTY=VALUE each, to be made in the scene. first: the frame at which a bake starts.

    Returns:
        the model as it is to be simulated; None for what a reading of the scene gives.

    Raises:
        UsageError, ModelError, UnreadableError, InputError: it cannot be opened so.
    """
    import bpy

    from .. import ids
    from ..bridge import SceneReading, scan_scene, store_joint, write_scene

    if path.suffix.lower() == ".blend":
        open_blend(path)
    if path.suffix.lower() == ".blend" or path == OPEN_SCENE:
        if not settings:
            return None
        scene = open_scene()
        reading = scan_scene(scene, first=first)
        for joint in _apply(reading.model, settings):
            obj = bpy.data.objects[joint.name]
            notes = store_joint(joint, obj, scene, first)
            getattr(obj, ids.JOINT).drive_strength = 1.0  # the joint's numbers have it in them
            say(*(f"{path}: note: {note}" for note in notes))
        return reading
    model = load_usable(path, search).model
    _apply(model, settings)
    open_nothing()
    # The file's own numbers are simulated, not Blender's single-precision copies of them, so that the keys are those of
    # `limberjack simulate` on the same file.
    objects, notes = write_scene(model, open_scene())
    say(*(f"{path}: note: {note}" for note in notes))
    return SceneReading(model, {link.name: objects[link.name] for link in model.links})


def _apply(model: Model, settings: list[str]) -> list[Joint]:
    """Set each JOINT.PROPERTY=VALUE; returns the joints that were changed."""
    changed = []
    for setting in settings:
        target, equals, value = setting.partition("=")
        joint, dot, name = target.rpartition(".")
        if not (equals and dot):
            raise UsageError(f"--set {setting}: write JOINT.PROPERTY=VALUE, such as elbow.damping=2")
        try:
            changed.append(set_property(model, Setting(joint, name, value)))
        except ModelError as error:
            raise UsageError(f"--set {setting}: {error}") from error
    return changed
