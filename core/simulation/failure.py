# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a simulation that cannot continue, and the place where a doctor registers that explains runs.

Causes are found by `core/diagnosis`, a layer above, which this package does not import. It registers itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .run_facts import RunFacts


class Cause(Protocol):
    """A cause of trouble. In core/diagnosis it is a `Diagnosis`."""

    @property
    def subject(self) -> str: ...

    @property
    def message(self) -> str: ...


Doctor = Callable[[RunFacts], Sequence[Cause]]
"""A function that returns the causes of what is wrong with a run, the most likely one first."""

_doctors: list[Doctor] = []
"""The registered doctor, if there is one."""


def register_doctor(doctor: Doctor) -> None:
    """Let `doctor` find the causes that errors and `Simulation.diagnose` give. It replaces an earlier one."""
    _doctors[:] = [doctor]


def causes_of(facts: RunFacts) -> list[Any]:
    """Return what the registered doctor finds.

    Raises:
        RuntimeError: if no doctor is registered.
    """
    if not _doctors:
        raise RuntimeError("no doctor is registered that explains runs: import limberjack.core.diagnosis")
    return [*_doctors[0](facts)]


class SimulationError(RuntimeError):
    """The error if a simulation cannot continue. It names the link, the frame, and the first of `diagnoses`.

    Args:
        message: the link, the time and the frame, if `facts` are given; else the whole text.
        diagnoses: causes, the most likely one first. If there are none, they are found from `facts` when somebody asks
            for the first time: ask before the simulation goes back to an earlier frame.
        facts: the facts about the run; None if they are not known.
    """

    def __init__(self, message: str, diagnoses: Sequence[Cause] = (), facts: RunFacts | None = None):
        super().__init__(message)
        self.facts = facts
        self._diagnoses: list[Any] | None = list(diagnoses) if diagnoses or facts is None else None

    @property
    def diagnoses(self) -> list[Any]:
        """The causes, as `Diagnosis` records. Raises `RuntimeError` as `causes_of`."""
        if self._diagnoses is None:
            assert self.facts is not None
            self._diagnoses = causes_of(self.facts)
        return self._diagnoses

    def __str__(self) -> str:
        message = super().__str__()
        if not (self.facts and _doctors and self.diagnoses):
            return message
        first = self.diagnoses[0]
        return f"{message}: {first.message if message.startswith(f'{first.subject}:') else first}"

    def __reduce__(self) -> tuple:
        """Let other processes have the text and the causes. The facts belong to the simulation in this one."""
        return type(self), (str(self), self.diagnoses if _doctors else self._diagnoses or [])
