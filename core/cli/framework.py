# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of all verbs: it parses the command line, reads inputs, makes settings, and changes errors to results.

Results are written to stdout, everything else to stderr.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from ..answer import DONE, UNUSABLE, is_asked_for
from ..check import Issue, check_definition, falling, sunk
from ..check.summarizing import summarized, summarized_notes
from ..diagnosis import SimulationError
from ..files.xml import MAX_BYTES
from ..formats import Reading, UnreadableError, UnwritableError, read
from ..formats.registry import suffixes
from ..model import Model, ModelError, StateError
from ..model.properties import FLOATING, PIECES, OnProgress, Setting, set_property
from ..processes.interrupts import ending_at_once
from ..version import VERSION
from .progress import ProgressLine
from .result import (
    CommandResult,
    InputError,
    UsageError,
    abandon,
    defect,
    has_errors,
    invalid,
    print_result,
    say,
    simulation_failed,
    stopped,
    unreadable,
    unusable,
)

LOADERS: dict[str, Callable[..., Reading]] = {}
"""Readers of further inputs, by suffix. Others are read by `formats.read`.

They take what must be read besides links, and the settings that must be made.
"""

SAVERS: dict[str, Callable[[Model, Path], list[str]]] = {}
"""Writers of further outputs, by suffix. Others are written by `formats.write`."""

OPEN_SCENE = Path("(open scene)")
"""Stands for the scene that is open in Blender, if the command runs inside Blender without a FILE."""


STDIN = Path("-")
"""Stands for input from stdin. Files that it names are looked for in the working folder."""

FIX_BASE = "--fix-base"
"""Option that holds a link in the world."""

DENSITY = "(density)="
"""Beginning of the setting that --density makes."""

T = TypeVar("T")


@dataclass(frozen=True)
class Verb:
    """A verb of the command.

    Attributes:
        name: the word on the command line.
        help: one sentence for users.
        add_arguments: function that adds its arguments to a parser.
        run: function that takes the parsed arguments and returns the result.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], CommandResult]


class WrongWordsError(SystemExit):
    """The error of the parser for a word that it does not know. `message` is what argparse wrote to stderr."""

    def __init__(self, message: str):
        super().__init__(UNUSABLE)
        self.message = message


class _Parser(argparse.ArgumentParser):
    """A parser whose errors can also be printed as JSON, and that recognises a file after --fix-base."""

    _link = ""
    """The word that --fix-base took for a link; empty if there is none."""

    # In the stubs, the method has overloads with other names of parameters
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        words = with_files_apart(sys.argv[1:] if args is None else args)
        places = [place for place, word in enumerate(words[:-1]) if word == FIX_BASE]
        self._link = next((words[place + 1] for place in places if not words[place + 1].startswith("-")), "")
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        if self._link and "are required:" in message:
            message += f"; {FIX_BASE} takes '{self._link}' for a link: put the file before it"
        try:
            super().error(message)
        except SystemExit as stop:
            raise WrongWordsError(message) from stop


def run_command(verbs: Sequence[Verb], argv: Sequence[str] | None = None, file_is_optional: bool = False) -> int:
    """Run one command, print its result and return its exit code. Errors of the input are not raised.

    Args:
        verbs: the verbs that the command has.
        argv: the words after the command's name; those of the process if None.
        file_is_optional: whether FILE may be omitted, and then is `OPEN_SCENE`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names may have characters that the terminal cannot show
    words = sys.argv[1:] if argv is None else argv
    try:
        with ending_at_once(False):
            result = run_words(parser_of(verbs, file_is_optional), words)
    except SystemExit as stop:  # after --help and --version
        return int(stop.code or 0)
    except BrokenPipeError:  # the reader has closed the pipe
        abandon(sys.stdout)
        return DONE
    except KeyboardInterrupt as interrupt:
        result = stopped(interrupt)
    return print_result(result, is_asked_for(words))


def run_words(parser: argparse.ArgumentParser, words: Sequence[str]) -> CommandResult:
    """Run the command that the words describe, and return its result. Errors become results.

    Raises:
        SystemExit: after --help and --version.
        BrokenPipeError: if stdout is closed.
        KeyboardInterrupt: at Ctrl-C.
    """
    try:
        return _run_parsed(parser.parse_args(words))
    except WrongWordsError as error:
        return unusable(error.message, said=())
    except BrokenPipeError:
        raise
    except Exception as error:  # else Blender's module would crash at the end of the process, and hide the error
        return defect(error)


def _run_parsed(arguments: argparse.Namespace) -> CommandResult:
    try:
        return arguments.run(arguments)
    except InputError as error:
        return has_errors(error.path, error.reading)
    except StateError as error:
        return invalid(error, arguments.initial, "state")
    except ModelError as error:
        return invalid(error, arguments.file, "model")
    except UnreadableError as error:
        return unreadable(error)
    except UnwritableError as error:
        return unusable(f"{error.path}: {error.message}", [str(error)])
    except UsageError as error:
        return unusable(error)
    except SimulationError as error:
        return simulation_failed(error, arguments.file)
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk, a folder that may not be written to
        return unusable(f"{error.filename or arguments.file}: {(error.strerror or str(error)).lower()}")
    except MemoryError:
        return unusable("not enough memory for that many frames or links")


def parser_of(verbs: Sequence[Verb], file_is_optional: bool = False) -> argparse.ArgumentParser:
    """Return the parser of the whole command.

    Its results have the attribute `verbs`, for verbs that run others.
    """
    parser = _Parser(prog="limberjack", description="Articulated models, and how they move.")
    parser.add_argument("--version", action="version", version=f"limberjack {VERSION}")
    choices = parser.add_subparsers(metavar="VERB", required=True)
    for verb in verbs:
        sub = choices.add_parser(verb.name, help=verb.help, description=verb.help)
        sub.set_defaults(run=verb.run, file=None, verbs=verbs)
        verb.add_arguments(sub)
        if file_is_optional:
            _make_file_optional(sub)
    return parser


def with_files_apart(words: Sequence[str]) -> list[str]:
    """Return the words of a command, changed so that --fix-base does not take a model file after it for a link."""
    known = (*suffixes(), *LOADERS)
    apart: list[str] = []
    for number, word in enumerate(words):
        is_it = word.startswith("--fix") and FIX_BASE.startswith(word) and "--" not in words[:number]
        after = words[number + 1] if is_it and number + 1 < len(words) else ""
        is_file = after == str(STDIN) or Path(after).suffix.lower() in known
        apart.append(f"{FIX_BASE}={FLOATING}" if is_file else FIX_BASE if is_it else word)
    return apart


def _make_file_optional(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        if action.dest == "file":
            action.nargs, action.default, action.required = "?", OPEN_SCENE, False


def add_file(parser: argparse.ArgumentParser, metavar: str = "FILE") -> None:
    parser.add_argument("file", metavar=metavar, type=Path, help=f"{', '.join(suffixes())} or .blend; - for stdin")
    parser.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="DIR",
        type=Path,
        dest="search",
        help="a folder in which models and meshes that the file names are looked for; may be given again",
    )
    parser.add_argument(
        "--strict", action="store_true", help="refuse what is wrong and would be read because simulators read it"
    )


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options that change numbers of the model."""
    parser.add_argument(
        "--set",
        metavar="OWNER.PROPERTY=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="elbow.damping=2, hand.mass=0.4, hand.material=steel, world.gravity=0,0,-1.62; may be given again",
    )
    parser.add_argument(
        FIX_BASE,
        metavar="LINK",
        nargs="?",
        const=FLOATING,
        action="append",
        default=[],
        type=lambda link: f"{link}.static=true",
        dest="settings",
        help="hold a link in the world, such as a robot's base, as --set LINK.static=true does; without LINK, the one "
        "that floats",
    )
    parser.add_argument(
        "--density",
        metavar="KG_M3",
        action="append",
        default=[],
        type=lambda density: f"{DENSITY}{density}",
        dest="settings",
        help="weigh links to which the file gives no mass by their shapes, all of this density",
    )


def load(
    path: Path,
    search: Sequence[Path] = (),
    settings: Sequence[str] = (),
    strict: bool = False,
    is_released: bool = False,
    **of_scene: object,
) -> Reading:
    """Read any input and return it with its issues, which may be errors.

    Args:
        path: the input.
        search: folders, besides its own, in which files that it names are looked for.
        settings: OWNER.PROPERTY=VALUE each, which are made in the model.
        strict: whether content that is read with a warning, because simulators read it, is an error.
        is_released: whether the issues include links that fall because nothing holds them, or start in the ground.
        of_scene: arguments for `LOADERS`, such as with_surroundings.

    Raises:
        UnreadableError: if the input cannot be read at all.
        UsageError: if a setting cannot be made.
    """
    say(*(f"limberjack: warning: --path {folder}: there is no such folder" for folder in search if not folder.is_dir()))
    densities = [text for text in settings if text.startswith(DENSITY)]
    if loader := LOADERS.get(str(path) if path == OPEN_SCENE else path.suffix.lower()):
        if densities:
            raise UsageError("--density is for model files; for a scene, use --set LINK.density=…")
        return loader(path, settings=settings, is_released=is_released, **of_scene)
    data = sys.stdin.buffer.read(MAX_BYTES + 1) if path == STDIN else None
    density = _density(densities[-1].removeprefix(DENSITY)) if densities else None
    reading = read(path, search, strict, data, density=density)
    settings = [text for text in settings if text not in densities]
    if settings and reading.ok:
        _make(settings, reading)
    if is_released and reading.ok:
        reading.issues += [*falling(reading.model), *sunk(reading.model)]
    return reading


def _density(text: str) -> float:
    """Return the density that --density gives [kg/m^3].

    Raises:
        UsageError: if it is no finite number above 0.
    """
    try:
        density = float(text)
    except ValueError:
        density = 0.0
    if not 0.0 < density < math.inf:
        raise UsageError(f"--density {text}: give kg/m^3, above 0, such as 1000 for water")
    return density


def _make(settings: Sequence[str], reading: Reading) -> None:
    """Make the settings, and update the issues of the model."""
    before = _found(reading.model)
    for text in settings:
        make_setting(text, partial(set_property, reading.model))
    after = _found(reading.model)
    gone = before.keys() - after.keys()
    kept = [issue for issue in reading.issues if (issue.code, issue.subject) not in gone]
    reading.issues = kept + [issue for key, issue in after.items() if key not in before]


def _found(model: Model) -> dict[tuple[str, str], Issue]:
    return {(issue.code, issue.subject): issue for issue in check_definition(model)}


def make_setting(text: str, make: Callable[[Setting, OnProgress], T]) -> T:
    """Return what `make` returns for a setting of the command line, and show the progress that it reports.

    Raises:
        UsageError: if the setting cannot be made.
    """
    if text.endswith(f".collisions={PIECES}"):
        say(f"{text}: divides meshes, which takes seconds to minutes; Ctrl-C ends it")
    try:
        with ProgressLine() as line:
            return make(Setting.parse(text), line.show)
    except ModelError as error:
        raise UsageError(f"--set {text}: {error}") from error


def load_usable(
    path: Path, search: Sequence[Path] = (), settings: Sequence[str] = (), strict: bool = False, **more: Any
) -> Reading:
    """Read an input as `load` does, and write its warnings and notes to stderr.

    Raises:
        UnreadableError: if the input cannot be read at all. InputError: if it has errors. UsageError: if a setting
            cannot be made.
    """
    reading = load(path, search, settings, strict, **more)
    if not reading.ok:
        raise InputError(path, reading)
    say(
        *(issue.format(path) for issue in summarized(reading.issues)),
        *(f"{path}: note: {note}" for note in summarized_notes(reading.notes)),
    )
    return reading
