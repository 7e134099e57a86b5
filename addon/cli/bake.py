# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack bake`: simulate a model or a scene, or replay a motion, and save it as keyframes or as a trajectory."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.check.summarizing import summarized_notes
from ...core.cli.framework import Verb, add_file, add_settings
from ...core.cli.ik import compile_posing_once
from ...core.cli.result import CommandResult, UsageError, say, simulation_failed
from ...core.cli.run_watch import RunWatch, TimeLimitError, add_watch_arguments
from ...core.cli.simulate import (
    add_motion_arguments,
    add_outputs,
    compile_once,
    describe_files,
    describe_report,
    positive,
    read_initial,
    require_writable,
    stopped_run,
    tell_diagnoses,
)
from ...core.diagnosis import SimulationError
from ...core.simulation import may_touch
from ...core.trajectory.files.writing import SUFFIXES
from ...core.trajectory.touches import TABLES
from .blend import save_copy, save_together
from .bpy_session import open_scene, require_blender
from .opening import open_as_scene

if TYPE_CHECKING:
    import bpy

    from ...core.trajectory.trajectory import Trajectory
    from ..bake.baking import Bake

LEAST_METRES = 1e-6
"""Smallest tolerance of locations [m]; Blender's keys are not more accurate."""

LEAST_DEGREES = 1e-3
"""Smallest tolerance of rotations [degrees]; Blender's keys are not more accurate."""

STARTS, PLACES = ("home", "pose", "keys"), ("links", "joints", "both")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    add_outputs(parser, f"the keyframes, as .blend, or the motion, as {' or '.join(SUFFIXES)}", required=True)
    add_frame_arguments(parser)
    add_motion_arguments(parser, accuracy=None)
    add_watch_arguments(parser, positive)
    parser.add_argument(
        "--start",
        choices=STARTS,
        help="from every joint's start, from the links as they stand, or as they are animated up to the first frame",
    )
    parser.add_argument(
        "--contact",
        action=argparse.BooleanOptionalAction,
        help="let links touch each other, or pass through; left out, as the scene has it",
    )
    parser.add_argument("--onto", choices=PLACES, help="what gets the keys")
    parser.add_argument(
        "--reduce",
        metavar=("METRES", "DEGREES"),
        type=positive,
        nargs=2,
        help="as few keys as keep every link so near to its motion at every frame",
    )
    parser.add_argument("--trajectory", metavar="MOTION", type=Path, help="replay a .npz, .csv or .json, not simulate")
    parser.add_argument(
        "--keep-partial",
        action="store_true",
        help="if the simulation fails or reaches its time limit, save the frames before that; the exit code is that of "
        "a failure all the same",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace animation that the links have")
    parser.add_argument("--json", action="store_true", help="the report as one JSON object")


def add_frame_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose the frames of a scene."""
    parser.add_argument("--frames", metavar=("A", "B"), type=int, nargs=2, help="first and last frame")
    parser.add_argument(
        "--step", metavar="N", type=positive, help="frames from one key to the next; may be a part of one"
    )


def require_frames(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if --frames or --step are not valid. Blender must be available."""
    from ..bake.settings import LAST_FRAME, LEAST_STEP

    if arguments.step is not None and arguments.step < LEAST_STEP:
        raise UsageError(f"--step {arguments.step:g}: the least is {LEAST_STEP:g} of a frame")
    if not arguments.frames:
        return
    first, last = arguments.frames
    if last < first:
        raise UsageError(f"--frames {first} {last}: the last frame lies before the first")
    if max(abs(first), abs(last)) > LAST_FRAME:
        raise UsageError(f"--frames {first} {last}: Blender's frames end at {LAST_FRAME}")


def _run(arguments: argparse.Namespace) -> CommandResult:
    for output in arguments.outputs:
        require_writable(output, (".blend", *SUFFIXES))
    _require_one_start(arguments)
    _require_tolerance(arguments)
    initial = read_initial(arguments.initial)
    require_blender()
    require_frames(arguments)
    run, files = _begin(arguments, initial)
    try:
        with RunWatch(len(run.frames), arguments) as watch:
            result = run.run(watch.note)
    except (SimulationError, TimeLimitError) as error:
        diagnoses = error.diagnoses if isinstance(error, SimulationError) else run.diagnose()
        facts = _described(run, files, arguments) | {"output": None, "outputs": []}
        if arguments.keep_partial and len(run.good_frames) > 1:
            run.keep_good_frames()
            run.run()
            save_together({output: _saver(output, run) for output in arguments.outputs})
            facts = _described(run, files, arguments)
        tell_diagnoses(arguments.file, diagnoses)
        return simulation_failed(error, arguments.file, facts)
    except KeyboardInterrupt as interrupt:  # findings may say why the run takes long
        raise stopped_run(arguments.file, run.diagnose()) from interrupt
    save_together({output: _saver(output, run) for output in arguments.outputs})
    if not arguments.json:
        say(*(f"{arguments.file}: note: {note}" for note in summarized_notes(result.notes)))
        tell_diagnoses(arguments.file, result.findings)
    facts = _described(run, files, arguments) | {"links": result.links, "keys": result.keys}
    return CommandResult(facts, [f"{output}: {result.summary}: {result.details}" for output in arguments.outputs])


def _saver(output: Path, run: Bake) -> Callable[[Path], None]:
    motion = replace(run.trajectory, **dict.fromkeys(TABLES))  # the tables are for graphs and overlays only
    return motion.save if output.suffix.lower() in SUFFIXES else save_copy


def _require_tolerance(arguments: argparse.Namespace) -> None:
    if arguments.reduce and (arguments.reduce[0] < LEAST_METRES or arguments.reduce[1] < LEAST_DEGREES):
        raise UsageError(f"--reduce: the least is {LEAST_METRES:g} m and {LEAST_DEGREES:g} degrees")


def _require_one_start(arguments: argparse.Namespace) -> None:
    given = [f"--{name}" for name in ("initial", "start", "trajectory") if getattr(arguments, name) is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)}: each says where the motion begins; give one of them")


def _begin(arguments: argparse.Namespace, initial: dict | None) -> tuple[Bake, list[Path]]:
    """Return the bake, and the files from which the scene was made."""
    from ..bake.replay_bake import ReplayBake
    from ..bake.simulation_bake import SimulationBake

    motion = _read_motion(arguments.trajectory) if arguments.trajectory else None
    first, last = arguments.frames or (None, None)
    files, reading = open_as_scene(arguments.file, arguments.search, arguments.settings, first, arguments.strict)
    scene = open_scene()
    _store_settings(scene, arguments)
    if motion is not None:
        name, overwrite = arguments.trajectory.name, arguments.overwrite
        run = ReplayBake(scene, motion, name, reading, first=first, last=last, overwrite=overwrite)
        if run.model.loops() or run.model.equations():
            compile_posing_once()
        return run, files
    compile_once()  # SimulationBake needs kernels already; its model then says whether contact is needed
    run = SimulationBake(scene, initial=initial, reading=reading, overwrite=arguments.overwrite)
    compile_once(may_touch(run.model))
    return run, files


def _read_motion(path: Path) -> Trajectory:
    from ...core.trajectory.errors import TrajectoryError
    from ...core.trajectory.files.reading import read_trajectory

    try:
        return read_trajectory(path)
    except TrajectoryError as error:
        raise UsageError(str(error)) from error


def _store_settings(scene: bpy.types.Scene, arguments: argparse.Namespace) -> None:
    """Store the arguments in the scene, so that the panels of the saved file show the settings of the bake."""
    from ..bridge.values.numbers import unit_length
    from ..props.settings import scene_settings

    stored = scene_settings(scene)
    bake = stored.bake
    # Only given arguments are stored: Blender would refuse to store a choice again that only a newer version knows.
    if arguments.accuracy:
        stored.accuracy = arguments.accuracy
    if arguments.start:
        bake.start = arguments.start.upper()
    if arguments.contact is not None:
        stored.contact = arguments.contact
    if arguments.onto:
        bake.onto = arguments.onto.upper()
    bake.step = arguments.step or bake.step
    if arguments.frames:
        bake.first, bake.last = arguments.frames
        bake.use_range = (scene.frame_start, scene.frame_end) != tuple(arguments.frames)
    if arguments.reduce:
        metres, degrees = arguments.reduce
        bake.reduces, bake.distance, bake.angle = True, metres / unit_length(scene), math.radians(degrees)


def _described(run: Bake, files: list[Path], arguments: argparse.Namespace) -> dict:
    report = describe_report(run.report, run.diagnose()) if run.report else {"frames": len(run.frames)}
    inputs = [*files, *filter(None, [arguments.initial, arguments.trajectory])]
    about = describe_files(arguments, inputs) | {"source": run.source, "first": run.first, "last": run.last}
    return report | about | {"notes": [*run.notes, *(run.report.notes if run.report else ())]}


BAKE = Verb("bake", "simulate a model or scene and save it with keyframes, or its motion", _add_arguments, _run)
