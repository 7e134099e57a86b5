# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack selfcheck`: check the results and the speed of the solver on this machine."""

from __future__ import annotations

import argparse

from ..answer import SIMULATION_FAILED
from ..diagnosis import SimulationError
from ..self_check import self_check
from .framework import Verb
from .result import CommandResult
from .simulate import compile_once


def _run(_arguments: argparse.Namespace) -> CommandResult:
    compiled_in = compile_once()
    try:
        found = self_check(compiled_in)
    except SimulationError as error:
        sentence = f"the pendulum cannot be simulated: {error}"
        return CommandResult(code=SIMULATION_FAILED, error=sentence, said=[f"limberjack: {sentence}"])
    if found.is_right:
        return CommandResult(lines=found.lines)
    return CommandResult(lines=found.lines, code=SIMULATION_FAILED, error=found.verdict)


HELP = "compare a pendulum with its closed form, and tell versions and speed"

SELF_CHECK = Verb("selfcheck", HELP, lambda parser: None, _run)
