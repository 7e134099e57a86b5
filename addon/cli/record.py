# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack record`: write the motion of a scene's links, whatever moves them, to a trajectory file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.check.summarizing import summarized_notes
from ...core.cli.framework import Verb, add_file
from ...core.cli.result import CommandResult, UsageError, say
from ...core.cli.simulate import require_writable
from ...core.formats import write
from ...core.formats.registry import MOTION, alternatives, writable
from ...core.model.text import counted
from ...core.trajectory.files.writing import SUFFIXES
from .bake import add_frame_arguments, require_frames
from .bpy_session import open_scene, require_blender
from .opening import open_as_scene

if TYPE_CHECKING:
    from ...core.cli.plot import Motion

PLAYED = (*SUFFIXES, *(s for entry in writable() if MOTION in entry.options for s in entry.suffixes))
"""Suffixes of trajectory files, and of models whose files can hold a motion."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, required=True, help=f"the file to write: {alternatives(PLAYED)}"
    )
    add_frame_arguments(parser)
    parser.add_argument("--joints", action="store_true", help="time and joint positions alone, in a .csv")
    parser.add_argument("--json", action="store_true", help="what was written as one JSON object")


def _run(arguments: argparse.Namespace) -> CommandResult:
    output: Path = arguments.output
    require_writable(output, PLAYED)
    if arguments.joints and output.suffix.lower() != ".csv":
        raise UsageError(f"{output}: --joints writes a .csv, found '{output.suffix}'")
    require_blender()
    require_frames(arguments)
    from ..bake.record import recorded, recorded_with_skins
    from ..bridge.scene.read import scan_scene

    first, last = arguments.frames or (None, None)
    open_as_scene(arguments.file, arguments.search, [], first, arguments.strict)
    frames = {"first": first, "last": last, "step": arguments.step}
    if output.suffix.lower() in SUFFIXES:
        observed, notes = recorded(open_scene(), last is None, **frames)
        motion = observed.trajectory
        motion.save(output, only_joints=arguments.joints)
    else:
        observed, notes, characters, losses = recorded_with_skins(open_scene(), last is None, **frames)
        motion = observed.trajectory
        model = scan_scene(open_scene(), with_shapes=True, with_skins=True).model
        losses = [*losses, *write(model, output, motion=motion, characters=characters)]
        say(*(f"{output}: loss: {loss}" for loss in losses))
    say(*(f"{arguments.file}: note: {note}" for note in summarized_notes(notes)))
    about = {"output": str(output), "frames": len(motion), "links": len(motion.link_names), "gap": observed.gap}
    about |= {"coordinates": [name for name, _ in motion.q_names], "notes": notes}
    counts = f"{counted(motion, 'frame')} of {counted(motion.link_names, 'link')}"
    return CommandResult(about, [f"{output}: {counts}, {counted(motion.q_names, 'coordinate')}"])


def record_motion(arguments: argparse.Namespace) -> Motion:
    """Return the model, the motion of a scene's links over its frames, and notes, for `limberjack plot`."""
    require_blender()
    from ..bake.record import recorded
    from ..bridge.scene.read import read_scene

    open_as_scene(arguments.file, arguments.search, arguments.settings, None, arguments.strict)
    observed, notes = recorded(open_scene())
    return read_scene(open_scene()), observed.trajectory, notes


RECORD = Verb("record", "write what the links of a scene do to a trajectory file", _add_arguments, _run)
