"""`limberjack selfcheck`: whether the solver is right on this machine, and how fast."""

from __future__ import annotations

import argparse

from ..self_check import self_check
from ..solvers import SimulationError
from .framework import DONE, SIMULATION_FAILED, Verb, say
from .simulate import compile_once


def _run(_arguments: argparse.Namespace) -> int:
    compiled_in = compile_once()
    try:
        found = self_check(compiled_in)
    except SimulationError as error:
        say(f"limberjack: the pendulum cannot be simulated: {error}")
        return SIMULATION_FAILED
    print("\n".join(found.lines))
    return DONE if found.is_right else SIMULATION_FAILED


HELP = "compare a pendulum with its closed form, and tell versions and speed"

SELF_CHECK = Verb("selfcheck", HELP, lambda parser: None, _run)
