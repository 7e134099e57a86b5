"""`limberjack convert`: a model in another format."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..formats import write
from ..formats.sdf.write import DEFAULT_VERSION, POSES, URIS, VERSIONS
from .framework import DONE, SAVERS, Verb, add_file, load_usable, say

MESHES = ("obj", "gltf")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser, "IN")
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


def _run(arguments: argparse.Namespace) -> int:
    target: Path = arguments.target
    whole = arguments.world or arguments.folders
    meshes = arguments.meshes.upper()
    reading = load_usable(arguments.file, arguments.search, with_surroundings=whole, mesh_format=meshes)
    if save := SAVERS.get(target.suffix.lower()):
        losses = save(reading.model, target)
    else:
        options = ("sdf_version", "world", "folders", "uris", "pose", "substitute")
        losses = write(reading.model, target, **{name: getattr(arguments, name) for name in options})
    say(*(f"{target}: loss: {loss}" for loss in losses))
    return DONE


CONVERT = Verb("convert", "write a model in another format", _add_arguments, _run)
