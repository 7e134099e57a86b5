# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack simulate`: simulate a model, report on the motion, and write trajectory files."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from ..check.summarizing import summarized_notes
from ..compilation.kernel_cache import cache_folder
from ..diagnosis import Diagnosis, SimulationError, diagnose
from ..files.regular import read_text
from ..formats import Reading
from ..formats.files import write_together
from ..simulation import (
    ACCURACIES,
    RECORDS,
    SOLVERS,
    Report,
    Simulation,
    is_warm,
    may_touch,
    solvers_with_contact,
    time_of,
    warm_up,
)
from ..simulation.simulate import frame_times as times_of_frames
from ..trajectory import SUFFIXES
from ..trajectory.files.writing import files_of
from ..trajectory.touches import TABLES
from .framework import Verb, add_file, add_settings, load_usable
from .result import CommandResult, StoppedWithFacts, UsageError, say, simulation_failed
from .run_watch import RunWatch, TimeLimitError, add_watch_arguments

MOST_FRAMES = 10_000_000
"""Number of frames from which on a request is refused as a typing error."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    parser.add_argument("--duration", metavar="S", type=positive, required=True, help="seconds to simulate")
    parser.add_argument(
        "--fps",
        metavar="F",
        type=positive,
        default=24.0,
        help="frames a second (default 24); the last frame is at the end of the duration",
    )
    usual, *others = SOLVERS
    parser.add_argument(
        "--solver",
        metavar="NAME",
        choices=SOLVERS,
        default=usual,
        help=f"{usual} (default): explicit steps, and implicit ones where springs are stiff; {' and '.join(others)}: "
        "one kind only, and no contact",
    )
    parser.add_argument("--no-contact", action="store_true", help="let collision shapes pass through each other")
    add_motion_arguments(parser)
    add_watch_arguments(parser, positive)
    add_outputs(parser, f"trajectory file: {' or '.join(SUFFIXES)}")
    parser.add_argument(
        "--final",
        metavar="STATE.json",
        type=Path,
        help="keep the state at the end; a simulation with --initial STATE.json goes on from there",
    )
    parser.add_argument(
        "--record",
        metavar="WHAT",
        choices=RECORDS,
        nargs="+",
        default=[],
        help="what else the trajectory file is to hold: efforts (with what each joint is driven), wrenches (the force "
        "and the torque that each joint gives to the link it carries), contacts (of each frame: links, points, normals "
        "from the first link to the second, forces on the second), impacts (times, links, points, normals, impulses on "
        "the second); in SI units and world axes. OUT.csv has the latter two beside it, in OUT_contacts.csv and "
        "OUT_impacts.csv",
    )
    parser.add_argument("--json", action="store_true", help="the report as one JSON object")


def add_motion_arguments(parser: argparse.ArgumentParser, accuracy: str | None = "good") -> None:
    """Add the options of a simulation that do not depend on its output.

    Args:
        accuracy: default of --accuracy.
    """
    parser.add_argument(
        "--accuracy", choices=ACCURACIES, default=accuracy, help="how small errors are kept (energy, and path)"
    )
    parser.add_argument(
        "--initial",
        metavar="STATE.json",
        type=Path,
        help='start: {"q": {joint: value}, "qd": {…}}; other joints follow where loops take them',
    )


def add_outputs(parser: argparse.ArgumentParser, what: str, required: bool = False) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        action="append",
        default=[],
        required=required,
        dest="outputs",
        help=f"{what}; may be given again",
    )


def positive(text: str) -> float:
    """Return an argument as a finite number above 0.

    Raises:
        ArgumentTypeError: if it is not one.
    """
    value = _number(text)
    if not (math.isfinite(value) and value > 0.0):
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return value


def not_negative(text: str) -> float:
    """Return an argument as a finite number of 0 or more.

    Raises:
        ArgumentTypeError: if it is not one.
    """
    value = _number(text)
    if not (math.isfinite(value) and value >= 0.0):
        raise argparse.ArgumentTypeError(f"{text} is not a number of 0 or more")
    return value


def _number(text: str) -> float:
    """Return a text as a number; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _run(arguments: argparse.Namespace) -> CommandResult:
    outputs: list[Path] = arguments.outputs
    for output in outputs:
        require_writable(output, SUFFIXES)
    _require_records(arguments)
    if arguments.final:
        require_writable(arguments.final, (".json",))
    initial = read_initial(arguments.initial)
    times = frame_times(arguments.duration, arguments.fps, time_of(initial) or 0.0)
    reading = load_usable(arguments.file, arguments.search, arguments.settings, arguments.strict, is_released=True)
    compile_once(may_touch(reading.model) and not arguments.no_contact)
    simulation = Simulation(
        reading.model,
        times,
        arguments.accuracy,
        initial,
        arguments.solver,
        record=arguments.record,
        contact=not arguments.no_contact,
        meant_to_fall=reading.meant_to_fall,
    )
    try:
        with RunWatch(len(times), arguments) as watch:
            for done in simulation.parts():
                watch.note(done)
    except (SimulationError, TimeLimitError) as error:
        facts = _describe(simulation, arguments, reading)
        _save(simulation, outputs)
        for output in outputs:
            say(f"{output}: holds the motion up to there, {simulation.frames_done} of {len(times)} frames")
        return simulation_failed(error, arguments.file, facts)
    except KeyboardInterrupt as interrupt:  # the diagnoses may tell why the run takes so long
        raise stopped_run(arguments.file, diagnose(simulation)) from interrupt
    _save(simulation, outputs)
    if arguments.final:
        text = json.dumps(simulation.state, indent=1) + "\n"
        write_together(arguments.final, {arguments.final.name: text})
    facts = _describe(simulation, arguments, reading)
    return CommandResult(facts, _told(simulation.report, arguments, float(times[-1])))


def _save(simulation: Simulation, outputs: Iterable[Path]) -> None:
    for output in outputs:
        simulation.trajectory.save(output)
        if simulation.breaks and output.suffix.lower() == ".csv":
            say(f"{output}: a .csv does not tell which joints broke; a .npz or a .json does")


def _require_records(arguments: argparse.Namespace) -> None:
    """Check that the requested records can be computed and written.

    Raises:
        UsageError: if there is no output, no contact, or no place for a table.
    """
    if not arguments.record:
        return
    if not arguments.outputs:
        raise UsageError("--record: its numbers go to the trajectory file; name one with -o")
    asked = [name for name in arguments.record if name in TABLES]
    if asked and arguments.no_contact:
        raise UsageError(f"--record {asked[0]}: with --no-contact nothing touches; leave one of them out")
    if asked and not SOLVERS[arguments.solver].has_contact:
        known = " or ".join(solvers_with_contact())
        raise UsageError(f"--record {asked[0]}: solver {arguments.solver} knows no contact; take {known}")
    for table in _tables_beside(arguments):
        if table in arguments.outputs:
            raise UsageError(f"{table}: -o names it, and --record writes a table there; give one of them another name")
        require_writable(table, SUFFIXES)


def _tables_beside(arguments: argparse.Namespace) -> list[Path]:
    """Return the files that --record makes in addition to those that -o names."""
    return [table for output in arguments.outputs for table in files_of(output, arguments.record).values()]


def _describe(simulation: Simulation, arguments: argparse.Namespace, reading: Reading) -> dict:
    """Return the report as plain data. Without --json, write notes and diagnoses to stderr.

    Issues that were already reported with the input are not repeated.
    """
    report, found = simulation.report, diagnose(simulation)
    if not arguments.json:
        known = {f"{issue.subject}: {issue.message}" for issue in reading.issues}
        notes = summarized_notes(note for note in report.notes if note not in known)
        say(*(f"{arguments.file}: note: {note}" for note in notes))
        kinds = {(issue.code, issue.subject) for issue in reading.issues}
        tell_diagnoses(arguments.file, [each for each in found if (each.code, each.subject) not in kinds])
    inputs = [*reading.files, *filter(None, [arguments.initial])]
    files = describe_files(arguments, inputs, _tables_beside(arguments))
    final = {"final": str(arguments.final)} if arguments.final else {}
    return describe_report(report, found) | files | final


def describe_files(arguments: argparse.Namespace, inputs: Iterable[Path], beside: Iterable[Path] = ()) -> dict:
    """Return the files that were read and written, as plain data.

    `output` is the first of `outputs`; the files of `beside` are the last.
    """
    outputs = [*map(str, arguments.outputs), *map(str, beside)]
    return {"inputs": [*map(str, inputs)], "output": outputs[0] if outputs else None, "outputs": outputs}


def tell_diagnoses(path: Path, diagnoses: Iterable[Diagnosis]) -> None:
    """Write one line for each diagnosis to stderr: why the run failed or looks wrong."""
    say(*(f"{path}: doctor: {diagnosis}" for diagnosis in diagnoses))


def stopped_run(path: Path, diagnoses: Sequence[Diagnosis]) -> StoppedWithFacts:
    """Write the diagnoses of a run that Ctrl-C stops to stderr, and return the exception to raise."""
    tell_diagnoses(path, diagnoses)
    return StoppedWithFacts({"diagnoses": [dataclasses.asdict(diagnosis) for diagnosis in diagnoses]})


def frame_times(duration: float, fps: float, begin: float = 0.0) -> np.ndarray:
    """Return the times of frames for `duration` from `begin` on [s], shape (frames,).

    Raises:
        UsageError: if there are too many frames, or if two of them have the same time.
    """
    if not duration * fps < MOST_FRAMES:
        raise UsageError(f"{duration:g} s at {fps:g} frames a second are more than {MOST_FRAMES:,} frames")
    times = times_of_frames(duration, fps, begin)
    if not np.all(np.diff(times) > 0.0):
        raise UsageError(
            f"{duration:g} s at {fps:g} frames a second from {begin:g} s on: two frames would have the same time; ask "
            "for a longer duration, or fewer frames a second"
        )
    return times


def compile_once(with_contact: bool = False) -> float | None:
    """Compile the kernels of a simulation, and say so, if this machine has not done it yet.

    Args:
        with_contact: whether kernels of contact are compiled too.

    Returns:
        The time that it took [s]; None if nothing had to be compiled.

    Raises:
        UsageError: if the cache cannot be written.
    """
    if is_warm(with_contact):
        return None
    begun = time.perf_counter()
    what = "contact" if is_warm() else "the solver"
    say(f"limberjack: compiling {what}, once for this version")
    try:
        warm_up(with_contact)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(
            f"{cache_folder()}: the compiled solver cannot be kept there: {reason}; make room, or let "
            "LIMBERJACK_CACHE name another folder"
        ) from error
    return time.perf_counter() - begun


def require_writable(output: Path, suffixes: tuple[str, ...]) -> None:
    """Check in advance whether the result can be written to `output`.

    Raises:
        UsageError: if the suffix is wrong, or if the folder does not exist or cannot be written to.
    """
    if output.suffix.lower() not in suffixes:
        raise UsageError(f"{output}: the name must end in {' or '.join(suffixes)}, found '{output.suffix}'")
    if not output.parent.is_dir():
        raise UsageError(f"{output}: there is no folder '{output.parent}'; make it first")
    if output.is_dir():
        raise UsageError(f"{output}: this is a folder; name a file")
    if not os.access(output.parent, os.W_OK):
        raise UsageError(f"{output}: the folder may not be written to; name another")


def read_initial(path: Path | None) -> dict | None:
    """Return the initial state from a JSON file, or None without a file.

    Raises:
        UsageError: if the file cannot be read or is no JSON object.
    """
    if path is None:
        return None
    try:
        state = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}: not JSON: {error.msg.lower()}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: not a state: lists inside each other without end") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(state, dict):
        raise UsageError(f'{path}: must hold an object such as {{"q": {{"joint": 0.5}}}}, found {json.dumps(state)}')
    return state


def describe_report(report: Report, found: Iterable[Diagnosis]) -> dict:
    """Return the report and the diagnoses as plain data in SI units."""
    diagnoses = [dataclasses.asdict(diagnosis) for diagnosis in found]
    return dataclasses.asdict(report) | {"diagnoses": diagnoses, "relative_energy_drift": report.relative_drift}


def _told(report: Report, arguments: argparse.Namespace, end: float) -> list[str]:
    """Return the lines of the report.

    Args:
        end: time of the last frame [s].
    """
    share = f"{report.relative_drift:.1e} of {report.energy_scale:.4g} J" if report.energy_scale else "nothing moves"
    implicit = f"{report.implicit_steps} of them implicit for stiff springs, " if report.implicit_steps else ""
    closed = f", closed by {report.iterations} small corrections" if report.iterations else ""
    lines = [
        f"frames        {report.frames} at {arguments.fps:g} fps, the last at {end:g} s, accuracy {arguments.accuracy}",
        f"steps         {report.steps}, {implicit}{report.rejected} tried again, shorter",
        f"wall time     {report.wall_time:.3g} s",
        f"energy drift  {report.energy_drift:.3g} J, {share}",
        f"loop error    {report.loop_error:.3g} m{closed}",
    ]
    lines += report.contact.lines() if report.contact else []
    lines += [f"trajectory    {output}" for output in arguments.outputs]
    lines += [f"              {table}" for table in _tables_beside(arguments)]
    return [*lines, f"state         {arguments.final}"] if arguments.final else lines


SIMULATE = Verb("simulate", "simulate a model and report on its motion", _add_arguments, _run)
