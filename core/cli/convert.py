"""`limberjack convert`: a model in another format."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..formats import write
from ..formats.sdf_write import DEFAULT_VERSION, VERSIONS
from .framework import DONE, SAVERS, Verb, add_file, load_usable, say


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser, "IN")
    parser.add_argument("target", metavar="OUT", type=Path, help=".sdf, .world or .blend")
    parser.add_argument("--sdf-version", choices=VERSIONS, default=DEFAULT_VERSION, help="of the SDF that is written")


def _run(arguments: argparse.Namespace) -> int:
    target: Path = arguments.target
    reading = load_usable(arguments.file)
    if save := SAVERS.get(target.suffix.lower()):
        losses = save(reading.model, target)
    else:
        losses = write(reading.model, target, sdf_version=arguments.sdf_version)
    say(*(f"{target}: loss: {loss}" for loss in losses))
    return DONE


CONVERT = Verb("convert", "write a model in another format", _add_arguments, _run)
