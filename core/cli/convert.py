"""`limberjack convert`: a model in another format."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..formats import FORMATS, UnwritableError, write
from ..formats.files import require_place
from ..formats.sdf.write import DEFAULT_VERSION, POSES, URIS, VERSIONS
from .framework import DONE, LOADERS, SAVERS, UsageError, Verb, add_file, add_settings, load_usable, say

MESHES = ("obj", "gltf")

WRITER_OPTIONS = {
    "sdf_version": "",
    "world": False,
    "folders": False,
    "uris": URIS[0],
    "pose": POSES[0],
    "substitute": False,
}
"""What writers are told, and what it is where it is not given."""

SCENE_OPTIONS = {"meshes": MESHES[0]}
"""The same of what readers of scenes are told."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser, "IN")
    add_settings(parser)
    parser.add_argument("target", metavar="OUT", type=Path, help=".sdf, .world, .urdf or .blend")
    parser.add_argument(
        "--sdf-version",
        choices=VERSIONS,
        default="",
        help=f"of the SDF that is written; {DEFAULT_VERSION}, or what the model needs beyond it",
    )
    parser.add_argument(
        "--world",
        action="store_true",
        help="a world, with a model for each articulation; of a scene, with its lights and what belongs to no link",
    )
    parser.add_argument("--folders", action="store_true", help="a folder for each articulation, beside a world of them")
    parser.add_argument("--meshes", choices=MESHES, default=MESHES[0], help="of a scene, what they are written as")
    parser.add_argument("--uris", choices=URIS, default=URIS[0], help="how meshes are named")
    parser.add_argument("--pose", choices=POSES, default=POSES[0], help="as drawn, or as simulations start")
    parser.add_argument(
        "--substitute", action="store_true", help="write the nearest that the format has for what it has not"
    )
    parser.add_argument("--json", action="store_true", help="what was read, written and lost as one JSON object")


def _run(arguments: argparse.Namespace) -> int:
    target: Path = arguments.target
    _require_target(target, arguments.file)
    whole = arguments.world or arguments.folders
    meshes = arguments.meshes.upper()
    reading = load_usable(
        arguments.file, arguments.search, arguments.settings, with_surroundings=whole, mesh_format=meshes
    )
    if idle := _idle_options(arguments):
        say(f"{target}: note: {', '.join(idle)}: without effect on this input and output")
    if save := SAVERS.get(target.suffix.lower()):
        losses = save(reading.model, target)
    else:
        losses = write(reading.model, target, **{name: getattr(arguments, name) for name in WRITER_OPTIONS})
    say(*(f"{target}: loss: {loss}" for loss in losses))
    if arguments.json:
        print(json.dumps({"inputs": [*map(str, reading.files)], "outputs": [str(target)], "losses": losses}))
    return DONE


def _require_target(target: Path, source: Path) -> None:
    """Find out before the work whether its result can be kept. Raises UnwritableError, UsageError."""
    require_place(target)
    suffixes = [suffix for entry in FORMATS if entry.write for suffix in entry.suffixes] + list(SAVERS)
    if target.suffix.lower() not in suffixes:
        raise UnwritableError(target, f"the name must end in {', '.join(suffixes)}; found '{target.suffix}'")
    if target.suffix.lower() in SAVERS and target.exists() and source.exists() and target.samefile(source):
        raise UsageError(f"{target}: this is the input, and would keep nothing but links and joints; name another file")


def _idle_options(arguments: argparse.Namespace) -> list[str]:
    """The options that were given and change nothing."""
    from_scene = arguments.file.suffix.lower() in LOADERS or str(arguments.file) in LOADERS
    suffix = arguments.target.suffix.lower()
    at_work = {name for entry in FORMATS if suffix in entry.suffixes for name in entry.options}
    if from_scene:
        at_work |= {"world", "folders"} | ({"meshes"} if at_work else set())
    given = [name for name, usual in (WRITER_OPTIONS | SCENE_OPTIONS).items() if getattr(arguments, name) != usual]
    return [f"--{name.replace('_', '-')}" for name in given if name not in at_work]


CONVERT = Verb("convert", "write a model in another format", _add_arguments, _run)
