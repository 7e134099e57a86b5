# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack convert`: write a model in another format."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..answer import SIMULATION_FAILED
from ..formats import FORMATS, Option, UnwritableError, write
from ..formats.files import require_place
from ..formats.registry import alternatives, suffixes, writable
from ..model.text import counted
from ..trajectory import SUFFIXES
from ..trajectory.files.reading import read_trajectory
from .framework import LOADERS, SAVERS, Verb, add_file, add_settings, load_usable
from .result import CommandResult, UsageError, say

MESHES = ("obj", "gltf")
"""Formats in which meshes of a scene can be written; the first is the default."""

WRITER_OPTIONS: dict[str, Option] = {option.name: option for entry in writable() for option in entry.options}
"""Options of all writers of formats, by name."""

SCENE_OPTIONS = {"meshes": MESHES[0], "split_meshes": False}
"""Options for readers of scenes, with their defaults."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser, "IN")
    add_settings(parser)
    parser.add_argument("target", metavar="OUT", type=Path, help=f"{', '.join(suffixes(writable()))} or .blend")
    for option in WRITER_OPTIONS.values():
        _add_option(parser, option)
    parser.add_argument("--meshes", choices=MESHES, default=MESHES[0], help="of a scene, what they are written as")
    parser.add_argument(
        "--split-meshes",
        action="store_true",
        help="of a scene, also write meshes that armatures deform, each face as a part of the link of its bones",
    )
    parser.add_argument(
        "--fail-on-loss", action="store_true", help="end with exit code 3 if the written file lacks anything"
    )
    parser.add_argument("--json", action="store_true", help="what was read, written and lost as one JSON object")


def _add_option(parser: argparse.ArgumentParser, option: Option) -> None:
    flag, help_text = f"--{option.name.replace('_', '-')}", option.help[0].lower() + option.help[1:]
    if option.is_motion:
        parser.add_argument(flag, metavar="MOTION", type=Path, help=f"{help_text}: a {alternatives(SUFFIXES)}")
    elif option.choices:
        parser.add_argument(flag, choices=option.values, default=option.default, help=help_text)
    else:
        parser.add_argument(flag, action="store_true", help=help_text)


def _run(arguments: argparse.Namespace) -> CommandResult:
    target: Path = arguments.target
    _require_target(target, arguments.file)
    whole = arguments.world or arguments.folders
    meshes = arguments.meshes.upper()
    reading = load_usable(
        arguments.file,
        arguments.search,
        arguments.settings,
        arguments.strict,
        with_surroundings=whole,
        mesh_format=meshes,
        split_meshes=arguments.split_meshes,
    )
    if idle := _idle_options(arguments):
        say(f"{target}: note: {', '.join(idle)}: without effect on this input and output")
    if save := SAVERS.get(target.suffix.lower()):
        losses = save(reading.model, target)
    else:
        losses = write(reading.model, target, **_options(arguments))
    say(*(f"{target}: loss: {loss}" for loss in losses))
    result = CommandResult({"inputs": [*map(str, reading.files)], "outputs": [str(target)], "losses": losses})
    if losses and arguments.fail_on_loss:
        result.code = SIMULATION_FAILED
        result.error = f"{target}: has {counted(losses, 'loss', 'losses')}, and --fail-on-loss allows none"
        result.said = [result.error]
    return result


def _options(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the options for writers, with the motion that a trajectory file holds.

    Raises:
        TrajectoryError: if that file cannot be read.
    """
    found: dict[str, object] = {name: getattr(arguments, name) for name in WRITER_OPTIONS}
    motions = {name: read_trajectory(path) for name, path in found.items() if isinstance(path, Path)}
    return {**found, **motions}


def _require_target(target: Path, source: Path) -> None:
    """Check in advance whether the result can be written.

    Raises:
        UnwritableError: if the suffix is not known. UsageError: if the file is the input.
    """
    require_place(target)
    known = (*suffixes(writable()), *SAVERS)
    if target.suffix.lower() not in known:
        raise UnwritableError(target, f"the name must end in {', '.join(known)}; found '{target.suffix}'")
    if target.suffix.lower() in SAVERS and target.exists() and source.exists() and target.samefile(source):
        raise UsageError(f"{target}: this is the input, and would keep nothing but links and joints; name another file")


def _idle_options(arguments: argparse.Namespace) -> list[str]:
    """Return the options that were given and have no effect."""
    from_scene = arguments.file.suffix.lower() in LOADERS or str(arguments.file) in LOADERS
    suffix = arguments.target.suffix.lower()
    at_work = {option.name for entry in FORMATS if suffix in entry.suffixes for option in entry.options}
    if from_scene:
        at_work |= {"world", "folders"} | (set(SCENE_OPTIONS) if at_work else set())
    usual = SCENE_OPTIONS | {name: option.default for name, option in WRITER_OPTIONS.items()}
    given = [name for name, default in usual.items() if getattr(arguments, name) != default]
    return [f"--{name.replace('_', '-')}" for name in given if name not in at_work]


CONVERT = Verb("convert", "write a model in another format", _add_arguments, _run)
