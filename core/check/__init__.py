"""Every finding about a model: one function a finding, gathered by `check_model`."""

from __future__ import annotations

from ..model import Model
from . import couplings, joints, links, motion, structure
from .issue import Issue, count_issues

FINDINGS = (*structure.FINDINGS, *links.FINDINGS, *joints.FINDINGS, *couplings.FINDINGS)
"""Errors and warnings: functions from a `Model` to its `Issue`s."""

__all__ = ["FINDINGS", "Issue", "check_model", "check_motion", "count_issues"]


def check_model(model: Model) -> list[Issue]:
    """Everything that is wrong or suspect in a model, errors and warnings, all at once."""
    return [issue for finding in FINDINGS for issue in finding(model)]


def check_motion(model: Model) -> list[Issue]:
    """How a model without errors can move: its loops, its mobility, and why it cannot be simulated, as notes.

    Raises:
        ModelError: `check_model` finds errors in it.
    """
    return [issue for finding in motion.FINDINGS for issue in finding(model)]
