"""`limberjack bake`: simulate a model or a scene, and save it with the motion as keyframes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.cli.framework import DONE, OPEN_SCENE, UsageError, Verb, add_file, load_usable, say
from ...core.cli.simulate import (
    add_motion_arguments,
    compile_once,
    describe_report,
    read_initial,
    require_writable,
    tell_diagnoses,
)
from ...core.model import Joint, Model, ModelError, set_joint_property
from .blend import open_blend, open_nothing, save_open_file
from .session import open_scene, require_blender

if TYPE_CHECKING:
    from ..bridge import SceneReading

LAST_FRAME = 1048574
"""Blender's own limit."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument("-o", "--output", metavar="OUT.blend", type=Path, required=True, help="the file to write")
    parser.add_argument("--frames", metavar=("A", "B"), type=int, nargs=2, help="first and last frame")
    add_motion_arguments(parser, accuracy=None)
    parser.add_argument(
        "--set",
        metavar="JOINT.PROPERTY=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="e.g. elbow.damping=2",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace animation that the links have")
    parser.add_argument("--json", action="store_true", help="the report as one JSON object")


def _run(arguments: argparse.Namespace) -> int:
    require_writable(arguments.output, (".blend",))
    if arguments.frames:
        _require_frames(*arguments.frames)
    initial = read_initial(arguments.initial)
    require_blender()
    from ...core.solvers import SimulationError
    from ..bake import BakeRun

    reading = _open_as_scene(
        arguments.file, arguments.search, arguments.settings, arguments.frames[0] if arguments.frames else None
    )
    compile_once()
    run = BakeRun(
        open_scene(),
        *(arguments.frames or ()),
        accuracy=arguments.accuracy,
        initial=initial,
        overwrite=arguments.overwrite,
        reading=reading,
    )
    try:
        result = run.run()
    except SimulationError as error:
        tell_diagnoses(arguments.file, error.diagnoses)
        raise
    save_open_file(arguments.output)
    if arguments.json:
        about = {"output": str(arguments.output), "first": run.first, "last": run.last, "links": result.links}
        print(json.dumps(describe_report(result.report) | about | {"notes": result.notes}))
    else:
        say(*(f"{arguments.file}: note: {note}" for note in result.notes))
        tell_diagnoses(arguments.file, result.report.diagnoses)
        print(f"{arguments.output}: {result.summary}")
    return DONE


def _require_frames(first: int, last: int) -> None:
    if last < first:
        raise UsageError(f"--frames {first} {last}: the last frame lies before the first")
    if max(abs(first), abs(last)) > LAST_FRAME:
        raise UsageError(f"--frames {first} {last}: Blender's frames end at {LAST_FRAME}")


def _open_as_scene(path: Path, search: list[Path], settings: list[str], first: int | None) -> SceneReading:
    """The file's links and joints as the open scene, with the settings made in it; first: where the bake starts."""
    import bpy

    from ..bridge import SceneReading, scan_scene, store_joint, write_scene

    if path.suffix.lower() == ".blend":
        open_blend(path)
    if path.suffix.lower() == ".blend" or path == OPEN_SCENE:
        scene = open_scene()
        reading = scan_scene(scene, first=first)
        for joint in _apply(reading.model, settings):
            notes = store_joint(joint, bpy.data.objects[joint.name], scene, first)
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
            changed.append(set_joint_property(model, joint, name, value))
        except ModelError as error:
            raise UsageError(f"--set {setting}: {error}") from error
    return changed


BAKE = Verb("bake", "simulate a model or scene and save it as a .blend with keyframes", _add_arguments, _run)
