# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of a model: it is written in every format, and what each reader makes of each file is compared.

Our own reading of a file is compared with the model. What a judge makes of the file is compared with our reading of it,
so that what a format cannot express, which its losses tell, is not held against the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..formats import Format, UnreadableError, UnwritableError, read, write
from ..formats.registry import writable
from ..model import Model
from .comparing import (
    Behaviour,
    Difference,
    MassDifference,
    behaviour_of,
    in_our_frames,
    mass_difference,
    moved_frames,
    pose_difference,
)
from .judges import JUDGES, Judge, ProofStoppedError, Verdict, ask

HERE = "Limberjack"
"""The name of our own readers in tables."""

SAME_POSE = 1e-6
"""Largest difference of poses at the start that counts as none [m and rad]. Files have 15 digits or more."""

SAME_MASS = 1e-6
"""Largest relative difference of masses that counts as none."""

SAME_MOTION = 1e-2
"""Default for the largest difference of poses after the motion that counts as none [m and rad].

MuJoCo's limits give way by some hundredths of a radian, and its loops and followers a little.
"""


@dataclass
class Row:
    """One reader of one file.

    Attributes:
        format, file: of the file. reader, version: who read it.
        error: why the reader has no model of the file; "" if it has.
        start, mass: differences; None if the reader has no model, or tells no poses.
        motion: difference after the motion; None if there is none.
        why_no_motion: the reason for that, if a motion was asked for.
        method: how the judge computed the motion.
        absent: links that the other side has and the reader has not.
        moved_frames: links whose frame the format has moved, while the body stays.
        warnings: the reader's own.
        explained: whether losses of the file explain a motion of its own.
    """

    format: str
    file: Path
    reader: str
    version: str = ""
    error: str = ""
    start: Difference | None = None
    mass: MassDifference | None = None
    motion: Difference | None = None
    why_no_motion: str = ""
    method: str = ""
    absent: list[str] = field(default_factory=list)
    moved_frames: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    explained: bool = False

    def lost_motion(self, same_motion: float) -> bool:
        """Return whether a motion differs from the model's, which losses may explain."""
        return self.explained and self.motion is not None and self.motion.largest > same_motion

    def wrong(self, same_motion: float) -> str:
        """Return what does not agree, in words; "" if all does."""
        if self.error:
            return f"{self.reader} has no model of {self.file.name}: {self.error}"
        found = []
        if self.start and self.start.largest > SAME_POSE:
            found.append(f"link '{self.start.link}' starts {_size(self.start)} off")
        if self.mass and self.mass.relative > SAME_MASS:
            found.append(f"the mass of link '{self.mass.link}' differs by {100.0 * self.mass.relative:.2g} %")
        if self.motion and not self.explained and self.motion.largest > same_motion:
            found.append(f"link '{self.motion.link}' ends {_size(self.motion)} off")
        return f"{self.file.name} in {self.reader}: {', '.join(found)}" if found else ""


def _size(difference: Difference) -> str:
    return f"{difference.distance:.2g} m and {difference.angle:.2g} rad"


@dataclass
class Proof:
    """The result of a comparison in all formats.

    Attributes:
        rows: one for each reader of each file.
        files: the model file of each format that could be written.
        losses: lines about what each format cannot express, by its name.
        absent: judges that were not found.
        why_no_motion: why the model itself was not simulated; "" if it was, or if no motion was asked for.
    """

    rows: list[Row] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)
    losses: dict[str, list[str]] = field(default_factory=dict)
    absent: list[Judge] = field(default_factory=list)
    why_no_motion: str = ""


def prove(
    model: Model,
    folder: Path,
    seconds: float,
    programs: Mapping[str, str],
    search: Sequence[Path] = (),
    tell: Callable[[str], None] = lambda line: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Proof:
    """Write a model in every format, and compare what all readers make of the files.

    Args:
        folder: for the files; each format has a folder of its own in it.
        seconds: time to simulate without contact [s]; 0 for none.
        programs: of the judges that are there, as `find_judges` returns them.
        search: folders that may have files which the model names.
        tell: called with a line before each of the `steps_of` a comparison.
        is_stopped: asked before each of them, and while a judge works.

    Raises:
        ProofStoppedError: if it was stopped.
    """

    def begin(step: str) -> None:
        if is_stopped():
            raise ProofStoppedError
        tell(step)

    proof = Proof(absent=[judge for judge in JUDGES if judge.name not in programs])
    begin(f"{HERE}: the model")
    original = behaviour_of(model, seconds)
    proof.why_no_motion = original.motion_error
    for entry in compared():
        path = folder / entry.name.lower() / f"model{entry.suffixes[0]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            proof.losses[entry.name] = write(model, path, pose="home")
        except UnwritableError as error:
            proof.rows.append(Row(entry.name, path, HERE, error=f"it cannot be written: {error.message}"))
            continue
        proof.files[entry.name] = path
        begin(f"{HERE}: {path.name}")
        row, ours = _read_here(entry, path, model, original, seconds, search)
        row.explained = bool(proof.losses[entry.name])
        proof.rows.append(row)
        for judge in _judges_of(entry, programs):
            begin(f"{judge.name}: {path.name}")
            known = ours or original
            verdict = ask(judge, programs[judge.name], path, seconds if known.end else 0.0, search, is_stopped)
            proof.rows.append(_judged(judge, entry, path, known, verdict))
    return proof


def steps_of(programs: Mapping[str, str]) -> int:
    """Return the number of steps of a comparison with these judges, as `find_judges` returns them."""
    return 1 + sum(1 + len(_judges_of(entry, programs)) for entry in compared())


def compared() -> list[Format]:
    """Return the formats that are compared: all that can be written, and read again here."""
    return [entry for entry in writable() if entry.is_readable]


def _judges_of(entry: Format, programs: Mapping[str, str]) -> list[Judge]:
    return [judge for judge in JUDGES if entry.name in judge.formats and judge.name in programs]


def _read_here(
    entry: Format, path: Path, model: Model, original: Behaviour, seconds: float, search: Sequence[Path]
) -> tuple[Row, Behaviour | None]:
    """Return the row of our own reading, and what the reading does; None if it has errors."""
    row = Row(entry.name, path, HERE)
    try:
        reading = read(path, search)
    except UnreadableError as error:
        row.error = error.message
        return row, None
    if not reading.ok:
        row.error = next(f"{issue.subject}: {issue.message}" for issue in reading.issues if issue.is_error)
        return row, None
    again = behaviour_of(reading.model, seconds)
    moved = moved_frames(model, reading.model, original.start, again.start, SAME_POSE)
    row.moved_frames = [*moved]
    start, end = (in_our_frames(poses, moved) for poses in (again.start, again.end))
    _compare(row, original, replace(again, start=start, end=end))
    return row, again


def _judged(judge: Judge, entry: Format, path: Path, ours: Behaviour, verdict: Verdict) -> Row:
    warnings = [warning.replace(f"{path.resolve()}", path.name) for warning in verdict.warnings]
    row = Row(entry.name, path, judge.name, verdict.version, verdict.error, warnings=warnings)
    row.method = verdict.method
    if not verdict.error and not judge.command:
        _compare(row, ours, Behaviour(verdict.masses, dict(verdict.start), dict(verdict.end), verdict.motion_error))
    return row


def _compare(row: Row, ours: Behaviour, theirs: Behaviour) -> None:
    """Write the differences of two behaviours to a row."""
    row.start = pose_difference(ours.start, theirs.start)
    row.mass = mass_difference(ours.masses, theirs.masses)
    row.absent = [name for name in ours.start if name not in theirs.start]
    if ours.end and theirs.end:
        row.motion = pose_difference(ours.end, theirs.end)
    else:
        row.why_no_motion = theirs.motion_error or ours.motion_error
