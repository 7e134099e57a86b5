# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack plot`: graphs of a motion, as a figure, of a model that is simulated or of a motion in a file."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path

from ..check.summarizing import summarized_notes
from ..diagnosis import diagnose
from ..model import Model
from ..plots import QUANTITIES, PlotError, panels_of
from ..plots.figure import SUFFIXES, save_figure
from ..simulation import Simulation, may_touch
from ..trajectory import SUFFIXES as MOTION_SUFFIXES
from ..trajectory.completion.completion import completed
from ..trajectory.errors import TrajectoryError
from ..trajectory.files.reading import read_trajectory
from ..trajectory.trajectory import Trajectory
from .framework import Verb, add_file, add_settings, load_usable
from .ik import compile_posing_once
from .result import CommandResult, UsageError, say
from .simulate import (
    add_motion_arguments,
    compile_once,
    frame_times,
    positive,
    read_initial,
    require_writable,
    tell_diagnoses,
)

Motion = tuple[Model | None, Trajectory, Sequence[str]]
"""A model, its motion, and notes for the user. The model is None if the motion comes from a file alone."""

RECORDERS: dict[str, Callable[[argparse.Namespace], Motion]] = {}
"""Readers of inputs that contain a motion themselves, by suffix."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, required=True, help=f"the figure: {' or '.join(SUFFIXES)}"
    )
    parser.add_argument("--trajectory", metavar="MOTION", type=Path, help="a .npz, .csv or .json to plot the motion of")
    parser.add_argument("--duration", metavar="S", type=positive, help="seconds to simulate, where no motion is given")
    parser.add_argument("--fps", metavar="F", type=positive, default=24.0, help="frames a second (default 24)")
    add_motion_arguments(parser)
    parser.add_argument("--joints", metavar="NAME", nargs="+", help="only these joints; a link's name where it floats")
    parser.add_argument(
        "--show", metavar="WHAT", nargs="+", choices=QUANTITIES, default=QUANTITIES, help=", ".join(QUANTITIES)
    )


def _run(arguments: argparse.Namespace) -> CommandResult:
    output: Path = arguments.output
    require_writable(output, SUFFIXES)
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError("figures are drawn by matplotlib: install it with `pip install matplotlib`")
    model, motion, notes = _motion(arguments)
    say(*(f"{arguments.file}: note: {note}" for note in summarized_notes(notes)))
    try:
        panels = panels_of(model, motion, arguments.show, arguments.joints)
    except PlotError as error:
        raise UsageError(f"--joints: {error}") from error
    if not panels:
        raise UsageError(f"--show {' '.join(arguments.show)}: the motion has nothing of it that is not 0")
    save_figure(panels, output)
    return CommandResult(lines=[f"{output}: {', '.join(panel.heading for panel in panels)}"])


def _motion(arguments: argparse.Namespace) -> Motion:
    recorder = RECORDERS.get(str(arguments.file)) or RECORDERS.get(arguments.file.suffix.lower())
    if arguments.trajectory and arguments.duration:
        raise UsageError("--trajectory and --duration: a motion is read or simulated; give one of them")
    if arguments.trajectory:
        return _read(arguments)
    if arguments.duration:
        return _simulated(arguments)
    if recorder:
        return recorder(arguments)
    if arguments.file.suffix.lower() in MOTION_SUFFIXES:
        return _alone(arguments.file)
    raise UsageError("give --duration, the seconds to simulate, or --trajectory, a motion that was simulated before")


def _alone(path: Path) -> Motion:
    try:
        motion = read_trajectory(path)
    except TrajectoryError as error:
        raise UsageError(str(error)) from error
    return None, motion, ["limits are not drawn, since a motion does not have them: name its model, and --trajectory"]


def _read(arguments: argparse.Namespace) -> Motion:
    try:
        motion = read_trajectory(arguments.trajectory)
    except TrajectoryError as error:
        raise UsageError(str(error)) from error
    model = load_usable(arguments.file, arguments.search, arguments.settings, arguments.strict).model
    if model.loops() or model.equations():
        compile_posing_once()
    try:
        whole = completed(motion, model)
    except TrajectoryError as error:
        raise UsageError(f"{arguments.trajectory}: {error}") from error
    return model, whole.trajectory, whole.notes


def _simulated(arguments: argparse.Namespace) -> Motion:
    times = frame_times(arguments.duration, arguments.fps)
    initial = read_initial(arguments.initial)
    reading = load_usable(arguments.file, arguments.search, arguments.settings, arguments.strict)
    model, falling = reading.model, reading.meant_to_fall
    compile_once(may_touch(model))
    simulation = Simulation(model, times, arguments.accuracy, initial, record=["efforts"], meant_to_fall=falling)
    motion = simulation.run()
    tell_diagnoses(arguments.file, diagnose(simulation))
    return model, motion, simulation.report.notes


PLOT = Verb("plot", "draw graphs of a motion: values, velocities, efforts, energy, loop error", _add_arguments, _run)
