# SPDX-License-Identifier: GPL-3.0-or-later
"""Every finding about a model: one function a finding, gathered by `check_model`."""

from __future__ import annotations

from ..model import Model, ModelError
from ..model.model import require_model
from ..model.soundness import malformed
from ..model.soundness.issue import Issue, count_issues
from . import collisions, couplings, gimbals, joints, links, motion, ranges, sizes, structure, surfaces
from .falling import falling
from .overlapping import sunk
from .standstill import Hinge, idle_hinges, lever, standstill

SAFE_FINDINGS = (*malformed.FINDINGS, *structure.FINDINGS)
"""Those that any model may be asked for."""

SOUND_FINDINGS = (
    *links.FINDINGS,
    *sizes.FINDINGS,
    *collisions.FINDINGS,
    *surfaces.FINDINGS,
    *joints.FINDINGS,
    *couplings.FINDINGS,
    *ranges.FINDINGS,
)
"""Findings that need a model without malformed parts."""

WHOLE_FINDINGS = gimbals.FINDINGS
"""Findings that need a model without errors."""

FINDINGS = (*SAFE_FINDINGS, *SOUND_FINDINGS, *WHOLE_FINDINGS)
"""Functions from a `Model` to its `Issue`s: errors and warnings, and notes on what is switched off."""

__all__ = [
    "FINDINGS",
    "SAFE_FINDINGS",
    "Hinge",
    "Issue",
    "check_definition",
    "check_model",
    "check_motion",
    "check_start",
    "count_issues",
    "falling",
    "idle_hinges",
    "lever",
    "sunk",
]


def check_model(model: Model) -> list[Issue]:
    """List all errors and warnings about a model, what is switched off, what falls because nothing holds it, and what
    starts deep in the ground.

    Raises:
        TypeError: it is no `Model`.
    """
    found = check_definition(model)
    return found if any(issue.is_error for issue in found) else [*found, *falling(model), *sunk(model)]


def check_definition(model: Model) -> list[Issue]:
    """List what `check_model` does, but for what falls: readers and exports take a model that is meant to be thrown.

    Malformed parts are reported as such, and the other checks skip them.

    Raises:
        TypeError: it is no `Model`.
    """
    require_model(model)
    misshapen = [issue for finding in malformed.FINDINGS for issue in finding(model)]
    sound = malformed.sound_part(model) if misshapen else model
    names_and_ends = [issue for finding in structure.FINDINGS for issue in finding(model)]
    found = misshapen + names_and_ends + [issue for finding in SOUND_FINDINGS for issue in finding(sound)]
    if any(issue.is_error for issue in found):
        return found
    return found + [issue for finding in WHOLE_FINDINGS for issue in finding(model)]


def check_start(model: Model, at_rest: bool = True) -> list[Issue]:
    """What a model without errors does once it is let go, where that may not be meant: it falls, or stands still.

    Apart from `check_definition`, since it says nothing of how well the model is made.

    Args:
        at_rest: whether it starts at home, with nothing to lead or drive it but what the model says; else nobody can
            tell from the model alone that it stands still.
    """
    return [*falling(model), *(standstill(model) if at_rest else ())]


def check_motion(model: Model) -> list[Issue]:
    """How a model without errors can move: its loops, its mobility, and why it cannot be simulated, as notes.

    Joints that do not act at the time 0 are taken as if they were not there, as simulations take them.

    Raises:
        ModelError: `check_definition` finds errors in it; the first is told.
    """
    for issue in check_definition(model):
        if issue.is_error:
            raise ModelError(f"{issue.subject}: {issue.message}")
    acting = model.acting_at(0.0)
    return [issue for finding in motion.FINDINGS for issue in finding(acting)]
