"""What every verb shares: exit codes, inputs and outputs, and how errors reach the user.

Results go to stdout, all else to stderr.
"""

from __future__ import annotations

import argparse
import io
import math
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeVar

from ..check import Issue, check_model
from ..files.xml import MAX_BYTES
from ..formats import Reading, UnreadableError, UnwritableError, read
from ..formats.registry import suffixes
from ..interrupts import INTERRUPTED, STOPPED, ending_at_once
from ..model import Model, ModelError, StateError
from ..model.properties import FLOATING, PIECES, Setting, set_property
from ..solvers import SimulationError
from ..version import VERSION

DONE, HAS_ERRORS, UNUSABLE, SIMULATION_FAILED = 0, 1, 2, 3
DEFECT = 70
"""Exit code of an error that nobody has foreseen, as `sysexits.h` numbers it."""

LOADERS: dict[str, Callable[..., Reading]] = {}
"""Readers of further inputs, by suffix; all others go to `formats.read`.

They take what is to be read besides links, and the settings to be made in it.
"""

SAVERS: dict[str, Callable[[Model, Path], list[str]]] = {}
"""Writers of further outputs, by suffix; all others go to `formats.write`."""

OPEN_SCENE = Path("(open scene)")
"""Stands for the scene that Blender has open, where the command runs inside Blender and no FILE is given."""


STDIN = Path("-")
"""Stands for what is piped into the command; what it names is looked for in the working folder."""

DENSITY = "(density)="
"""What begins the setting that --density makes."""

T = TypeVar("T")


@dataclass(frozen=True)
class Verb:
    """What the command can do: `run` takes the parsed arguments and returns the exit code."""

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class InputError(Exception):
    """An input that has errors: its `path` and `reading`."""

    def __init__(self, path: Path, reading: Reading):
        super().__init__(str(path))
        self.path, self.reading = path, reading


class UsageError(Exception):
    """The command is used in a wrong way: one sentence for the user."""


def run_command(verbs: Sequence[Verb], argv: Sequence[str] | None = None, file_is_optional: bool = False) -> int:
    """Run one command; returns the exit code and raises nothing for bad input.

    Args:
        argv: the words after the command's name; the process's own where it is None.
        file_is_optional: whether FILE may be left out, and then is `OPEN_SCENE`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name may hold what the terminal cannot show
    try:
        arguments = parser_of(verbs, file_is_optional).parse_args(argv)
        with ending_at_once(False):
            code = run_parsed(arguments)
        sys.stdout.flush()  # here, where a full disk can still be told
        return code
    except SystemExit as stop:  # argparse's way to end
        return int(stop.code or 0)
    except BrokenPipeError:  # the reader of our output has seen enough
        _abandon(sys.stdout)
        return DONE
    except OSError as error:
        _abandon(sys.stdout)
        say(f"limberjack: error: cannot write the result: {(error.strerror or str(error)).lower()}")
        return UNUSABLE
    except KeyboardInterrupt:
        say(STOPPED)
        return INTERRUPTED
    except Exception as error:  # or Blender's module would crash as the process ends, and hide what has happened
        return tell_defect(error)


def tell_defect(error: Exception) -> int:
    """Tell of an error that nobody has foreseen, in one line, and keep its traceback in a file.

    Returns the exit code.
    """
    place = traceback.extract_tb(error.__traceback__)[-1]
    where, said = f"{Path(place.filename).name}:{place.lineno}", " ".join(str(error).split())
    details = "".join(traceback.format_exception(error))
    try:
        number, path = tempfile.mkstemp(prefix="limberjack-", suffix=".txt")
        with open(number, "w", encoding="utf-8") as file:
            file.write(f"limberjack {VERSION}, Python {sys.version}\n{details}")
        kept = f"the details are in {path}, please report them"
    except OSError:  # a full disk
        kept = f"please report it with these details:\n{details}"
    say(f"limberjack: error: a defect of Limberjack, {type(error).__name__} in {where}: {said}; {kept}")
    return DEFECT


def _abandon(stream: TextIO) -> None:
    """Keep Python from trying again, at its end, to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def run_parsed(arguments: argparse.Namespace) -> int:
    """Run one command, each kind of failure told as one line a finding. Returns the exit code."""
    try:
        return arguments.run(arguments)
    except InputError as error:
        say(*(issue.format(error.path) for issue in error.reading.issues))
        return HAS_ERRORS
    except StateError as error:
        say(f"{arguments.initial}: error state: {error}")
        return HAS_ERRORS
    except ModelError as error:
        say(f"{arguments.file}: error model: {error}")
        return HAS_ERRORS
    except (UnreadableError, UnwritableError) as error:
        say(error)
        return UNUSABLE
    except UsageError as error:
        say(f"limberjack: error: {error}")
        return UNUSABLE
    except SimulationError as error:
        say(f"{arguments.file}: error simulation: {error}")
        return SIMULATION_FAILED
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk, a folder that may not be written to
        say(f"limberjack: error: {error.filename or arguments.file}: {(error.strerror or str(error)).lower()}")
        return UNUSABLE
    except MemoryError:
        say("limberjack: error: not enough memory for that many frames or links")
        return UNUSABLE


def parser_of(verbs: Sequence[Verb], file_is_optional: bool = False) -> argparse.ArgumentParser:
    """Of the whole command; what it gives has the `verbs`, for those that start others."""
    parser = argparse.ArgumentParser(prog="limberjack", description="Articulated models, and how they move.")
    parser.add_argument("--version", action="version", version=f"limberjack {VERSION}")
    choices = parser.add_subparsers(metavar="VERB", required=True)
    for verb in verbs:
        sub = choices.add_parser(verb.name, help=verb.help, description=verb.help)
        sub.set_defaults(run=verb.run, file=None, verbs=verbs)
        verb.add_arguments(sub)
        if file_is_optional:
            _make_file_optional(sub)
    return parser


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
    """Numbers of the model that are to be others than its file says."""
    parser.add_argument(
        "--set",
        metavar="OWNER.PROPERTY=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="elbow.damping=2, hand.mass=0.4, hand.material=steel, world.gravity=0,0,-1.62; may be given again",
    )
    parser.add_argument(
        "--fix-base",
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
        help="of a file whose links have no masses: weigh them by their shapes, all of this density",
    )


def load(
    path: Path, search: Sequence[Path] = (), settings: Sequence[str] = (), strict: bool = False, **of_scene: object
) -> Reading:
    """Read any input, errors and all.

    Args:
        search: folders in which what the file names may lie, besides its own.
        settings: OWNER.PROPERTY=VALUE each, made in what was read.
        strict: whether what is read with a warning because simulators read it is an error.
        of_scene: for `LOADERS`, such as with_surroundings.

    Raises:
        UnreadableError: nothing can be made of the input.
        UsageError: a setting cannot be made.
    """
    say(*(f"limberjack: warning: --path {folder}: there is no such folder" for folder in search if not folder.is_dir()))
    densities = [text for text in settings if text.startswith(DENSITY)]
    if loader := LOADERS.get(str(path) if path == OPEN_SCENE else path.suffix.lower()):
        if densities:
            raise UsageError("--density is of files without masses; of a scene, use --set LINK.density=…")
        return loader(path, settings=settings, **of_scene)
    data = sys.stdin.buffer.read(MAX_BYTES + 1) if path == STDIN else None
    reading = read(path, search, strict, data)
    if densities and reading.ok:
        _weigh(densities[-1], reading)
    settings = [text for text in settings if text not in densities]
    if settings and reading.ok:
        _make(settings, reading)
    return reading


def _weigh(text: str, reading: Reading) -> None:
    """Weigh a model that has no masses, and tell what is wrong with what that leaves."""
    try:
        density = float(text.removeprefix(DENSITY))
    except ValueError:
        density = 0.0
    if not 0.0 < density < math.inf:
        raise UsageError(f"--density {text.removeprefix(DENSITY)}: give kg/m^3, above 0, such as 1000 for water")
    from ..formats.weighing import weigh

    issues = weigh(reading.model, density)
    kept = [issue for issue in reading.issues if issue.code != "massless"]
    reading.issues = kept + issues + [issue for issue in check_model(reading.model) if issue.code == "massless"]


def _make(settings: Sequence[str], reading: Reading) -> None:
    """Make the settings, and tell what is wrong with the model that they leave."""
    before = _found(reading.model)
    for text in settings:
        if text.endswith(f".collisions={PIECES}"):
            say(f"{text}: divides meshes, which takes seconds to minutes; Ctrl-C ends it")
        make_setting(text, lambda setting: set_property(reading.model, setting))
    after = _found(reading.model)
    gone = before.keys() - after.keys()
    kept = [issue for issue in reading.issues if (issue.code, issue.subject) not in gone]
    reading.issues = kept + [issue for key, issue in after.items() if key not in before]


def _found(model: Model) -> dict[tuple[str, str], Issue]:
    return {(issue.code, issue.subject): issue for issue in check_model(model)}


def make_setting(text: str, make: Callable[[Setting], T]) -> T:
    """What `make` gives for a setting of the command line. Raises UsageError where there is no such thing to be set."""
    try:
        return make(Setting.parse(text))
    except ModelError as error:
        raise UsageError(f"--set {text}: {error}") from error


def load_usable(
    path: Path, search: Sequence[Path] = (), settings: Sequence[str] = (), strict: bool = False, **of_scene: object
) -> Reading:
    """As `load`, and tell warnings and notes. Raises UnreadableError, or InputError where the input has errors."""
    reading = load(path, search, settings, strict, **of_scene)
    if not reading.ok:
        raise InputError(path, reading)
    say(*(issue.format(path) for issue in reading.issues), *(f"{path}: note: {note}" for note in reading.notes))
    return reading


def say(*lines: object) -> None:
    """Tell the user, beside the results, which are made whether or not somebody listens."""
    try:
        for line in lines:
            print(line, file=sys.stderr)
    except BrokenPipeError:
        _abandon(sys.stderr)
