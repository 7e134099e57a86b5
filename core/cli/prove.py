# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack prove`: write a model in every format, and compare what this and other programs make of the files."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import asdict
from pathlib import Path

from ..answer import DONE, SIMULATION_FAILED
from ..check.summarizing import once
from ..files.errors import UnwritableError
from ..model.text import aligned, counted
from ..prove.comparing import Difference
from ..prove.judges import find_judges
from ..prove.proving import SAME_MASS, SAME_MOTION, SAME_POSE, Proof, Row, prove
from .framework import Verb, add_file, add_settings, load_usable
from .result import CommandResult, say
from .simulate import compile_once, not_negative, positive

SHOWN = 5
"""Number of a judge's warnings in the text; --json has all."""

SECONDS = 1.0
"""Default time that is simulated [s]."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=not_negative,
        default=SECONDS,
        help=f"seconds to simulate without contact (default {SECONDS:g}); 0 to compare only poses and masses",
    )
    parser.add_argument(
        "--tolerance",
        metavar="T",
        type=positive,
        default=SAME_MOTION,
        help=f"how far links may be apart after that, in m and rad (default {SAME_MOTION:g})",
    )
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        action="append",
        default=[],
        dest="pythons",
        help="a Python that has MuJoCo or Drake, such as .venv/bin/python; may be given again. The default is this one "
        "and those that a shell finds",
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help="keep the files there")
    parser.add_argument("--json", action="store_true", help="the table as one JSON object")


def _run(arguments: argparse.Namespace) -> CommandResult:
    output: Path | None = arguments.output
    if output and not output.parent.is_dir():
        raise UnwritableError(output, f"there is no folder '{output.parent}'; make it first")
    if output and output.exists() and not output.is_dir():
        raise UnwritableError(output, "this is a file; name a folder")
    reading = load_usable(arguments.file, arguments.search, arguments.settings, arguments.strict)
    if arguments.seconds:
        compile_once()
    programs = find_judges(arguments.pythons)
    search = [*arguments.search, arguments.file.resolve().parent]
    with tempfile.TemporaryDirectory(prefix="limberjack-") as temporary:
        folder = output or Path(temporary)
        proof = prove(
            reading.model, folder, arguments.seconds, programs, search, lambda line: say(f"limberjack: {line}")
        )
    wrong = [line for row in proof.rows if (line := row.wrong(arguments.tolerance))]
    facts = {"inputs": [*map(str, reading.files)], "outputs": [str(p) for p in proof.files.values()] if output else []}
    facts |= {"seconds": arguments.seconds, "why_no_motion": proof.why_no_motion}
    facts["tolerances"] = {"start": SAME_POSE, "mass": SAME_MASS, "motion": arguments.tolerance}
    facts["rows"] = [_facts(row, arguments.tolerance) for row in proof.rows]
    facts["losses"] = proof.losses
    facts["not_found"] = [{"name": judge.name, "install": judge.install} for judge in proof.absent]
    more = f" (and {counted(wrong[1:], 'more difference')})" if wrong[1:] else ""
    return CommandResult(
        facts,
        _lines(proof, wrong, arguments),
        SIMULATION_FAILED if wrong else DONE,
        f"{wrong[0]}{more}" if wrong else None,
        [f"{arguments.file}: error differs: {line}" for line in wrong],
    )


def _facts(row: Row, same_motion: float) -> dict:
    """Return a row as plain data."""
    return asdict(row) | {"file": row.file.name, "agrees": not row.wrong(same_motion)}


def _lines(proof: Proof, wrong: list[str], arguments: argparse.Namespace) -> list[str]:
    """Return the table, what it does not say, and the conclusion."""
    seconds = arguments.seconds
    head = ("format", "read by", "start", "mass", f"after {seconds:g} s" if seconds else "", "")
    table = aligned([head, *(_cells(row, seconds, arguments.tolerance) for row in proof.rows)])
    lines = [*table.splitlines(), ""]
    if proof.why_no_motion:
        lines.append(f"not simulated: {proof.why_no_motion}")
    for row in proof.rows:
        subject = f"{row.format} in {row.reader}"
        if row.why_no_motion and row.why_no_motion != proof.why_no_motion:
            lines.append(f"{subject}: not simulated: {row.why_no_motion}")
        if row.absent:
            lines.append(f"{subject}: without {counted(row.absent, 'link')}: {', '.join(row.absent[:5])}")
        if row.moved_frames:
            lines.append(f"{subject}: {counted(row.moved_frames, 'link')} with the frame elsewhere, at the same place")
        warnings = once(row.warnings)
        lines += [f"{subject}: {warning}" for warning in warnings[:SHOWN]]
        if warnings[SHOWN:]:
            lines.append(f"{subject}: and {counted(warnings[SHOWN:], 'more warning')}")
    for name, losses in proof.losses.items():
        lines += [f"{name}: loss: {loss}" for loss in losses]
    lines += [f"{judge.name} was not found; to ask it: {judge.install}" for judge in proof.absent]
    if wrong:
        return lines
    but = ", but for losses" if any(row.lost_motion(arguments.tolerance) for row in proof.rows) else ""
    bounds = f"{SAME_POSE:g} m and rad at the start, {SAME_MASS:g} of each mass{_after(arguments)}"
    return [*lines, f"all agree{but}: {bounds}"]


def _after(arguments: argparse.Namespace) -> str:
    return f", {arguments.tolerance:g} m and rad after {arguments.seconds:g} s" if arguments.seconds else ""


def _cells(row: Row, seconds: float, same_motion: float) -> tuple[str, ...]:
    """Return the cells of a row."""
    reader = f"{row.reader} {row.version}".strip()
    if row.error:
        return row.format, reader, "refused", "", "", "differs"
    mass = f"{row.mass.relative:.0e}" if row.mass else ""
    motion = _cell(row.motion) if row.motion or not row.start or not seconds else "not simulated"
    verdict = "accepts" if row.start is None else "agrees"
    if row.lost_motion(same_motion):
        verdict = "agrees, but for losses"
    if row.wrong(same_motion):
        verdict = "differs"
    return row.format, reader, _cell(row.start), mass, motion, verdict


def _cell(difference: Difference | None) -> str:
    return f"{difference.distance:.0e} m, {difference.angle:.0e} rad" if difference else ""


PROVE = Verb("prove", "compare what other programs make of a model that is exported", _add_arguments, _run)
