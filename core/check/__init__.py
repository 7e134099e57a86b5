# SPDX-License-Identifier: GPL-3.0-or-later
"""All findings about a model. Each finding is one function; `check_model` calls them."""

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
"""Findings that can be computed for any model."""

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
"""Functions from a `Model` to its `Issue`s: errors, warnings, and notes on disabled parts."""

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
    """Return all errors and warnings about a model, notes on disabled parts, what falls because nothing holds it, and
    what starts deep in the ground.

    Raises:
        TypeError: if `model` is not a `Model`.
    """
    found = check_definition(model)
    return found if any(issue.is_error for issue in found) else [*found, *falling(model), *sunk(model)]


def check_definition(model: Model) -> list[Issue]:
    """Return the issues of `check_model` except those about falling links.

    Readers and exports use it, since a model may be meant to be thrown. Malformed parts are reported as such, and the
    other checks skip them.

    Raises:
        TypeError: if `model` is not a `Model`.
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
    """Return issues about what a model without errors does when it is let go: it falls, or it stands still.

    They are not part of `check_definition`, since either may be intended.

    Args:
        at_rest: whether the simulation starts at home, with nothing that moves or drives the model except its own data.
            Otherwise the model alone does not show that it stands still.
    """
    return [*falling(model), *(standstill(model) if at_rest else ())]


def check_motion(model: Model) -> list[Issue]:
    """Return notes on how a model without errors can move: its loops, its mobility, and why it cannot be simulated.

    Joints that are not active at the time 0 are ignored, as simulations do.

    Raises:
        ModelError: if `check_definition` finds errors. The message is the first of them.
    """
    for issue in check_definition(model):
        if issue.is_error:
            raise ModelError(f"{issue.subject}: {issue.message}")
    acting = model.acting_at(0.0)
    return [issue for finding in motion.FINDINGS for issue in finding(acting)]
