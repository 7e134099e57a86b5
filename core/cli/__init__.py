# SPDX-License-Identifier: GPL-3.0-or-later
"""The `limberjack` command for model files. Each verb is one file here and has its place in `VERBS`."""

from collections.abc import Sequence

from ..answer import DONE, HAS_ERRORS, SIMULATION_FAILED, UNUSABLE
from .batch import BATCH
from .check import CHECK
from .convert import CONVERT
from .framework import Verb, run_command
from .ik import IK
from .info import INFO, describe
from .plot import PLOT
from .prove import PROVE
from .self_check import SELF_CHECK
from .simulate import SIMULATE
from .worker import WORKER

VERBS: tuple[Verb, ...] = (INFO, CHECK, SIMULATE, PLOT, IK, CONVERT, PROVE, BATCH, WORKER, SELF_CHECK)

__all__ = ["DONE", "HAS_ERRORS", "SIMULATION_FAILED", "UNUSABLE", "VERBS", "Verb", "describe", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with core's own verbs and return its exit code."""
    return run_command(VERBS, argv)
