# SPDX-License-Identifier: GPL-3.0-or-later
"""A state as plain data, that a file keeps and from which another simulation goes on."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np

from ..model import StateError
from ..model.compiled import BESIDES, CompiledModel, numbers_of
from ..trajectory.archives import DAMAGED
from ..version import VERSION
from .protocol import Memory, Solver

TIME, CONTINUATION = BESIDES
"""Entries of a state besides q and qd: when it was, and a `Continuation`."""


@dataclass(frozen=True)
class Continuation:
    """How a motion has come to a state, so that it goes on from there bit for bit.

    Attributes:
        solver, accuracy: as `Simulation` takes them.
        begun: when the motion began [s]. since: the time of the frame before the state's own [s].
        memory: what the solver needs, base64. digest: of that, and of all that it fits.
    """

    solver: str
    accuracy: str
    begun: float
    since: float
    memory: str = ""
    digest: str = ""

    def memory_for(self, compiled: CompiledModel, solver: Solver, state: Mapping) -> Memory | None:
        """Return what a solver is to restore, or None if the state, the model or anything else has been changed since.

        Raises:
            StateError: it is no memory of the solver's.
        """
        if self.digest != self._digest(compiled, state):
            return None
        numbers = base64.b64decode(self.memory)
        stream, found = io.BytesIO(numbers), []
        try:
            while stream.tell() < len(numbers):
                found.append(np.load(stream, allow_pickle=False))
        except DAMAGED as error:
            raise _altered() from error
        return solver.accept(found)

    def kept(self, compiled: CompiledModel, solver: Solver, state: Mapping) -> Continuation:
        """With the memory of a solver that is at a state."""
        stream = io.BytesIO()
        for array in solver.snapshot().values():
            np.save(stream, array, allow_pickle=False)
        full = replace(self, memory=base64.b64encode(stream.getvalue()).decode())
        return replace(full, digest=full._digest(compiled, state))

    def _digest(self, compiled: CompiledModel, state: Mapping) -> str:
        said = {name: state[name] for name in (TIME, "q", "qd")}
        own = asdict(self) | {"digest": "", "version": VERSION}
        model = b"".join(array.tobytes() for array in compiled.arrays)
        return hashlib.sha256(json.dumps([said, own], sort_keys=True).encode() + model).hexdigest()


def describe_state(compiled: CompiledModel, solver: Solver, time: float, how: Continuation) -> dict:
    """A solver's state at a time [s]: {"time", "q", "qd", "continuation"}."""
    now = solver.state
    qd = {name: now.qd[span.v].tolist() for name, span in compiled.spans.items()}
    state = {TIME: time, "q": compiled.q_by_joint(now.q), "qd": qd}
    return state | {CONTINUATION: asdict(how.kept(compiled, solver, state))}


def continuation_of(initial: Mapping | None) -> Continuation | None:
    """How a motion came to a state that was saved; None for one that somebody wrote, or that is of a frame alone.

    Raises:
        StateError: what it tells of that cannot have been saved.
    """
    told = (initial or {}).get(CONTINUATION)
    if initial is None or told is None:
        return None
    try:
        found = Continuation(**told)
        base64.b64decode(found.memory, validate=True)
    except (TypeError, binascii.Error):
        found = None
    if found is None or not np.isfinite(numbers_of([found.begun, found.since])).sum() == 2:
        raise _altered()
    return found


def _altered() -> StateError:
    return StateError(f"'{CONTINUATION}' is not as it was saved; leave it out to start from q and qd alone")


def time_of(initial: Mapping | None) -> float | None:
    """When a state was [s]; None where it does not say.

    Raises:
        StateError: that is no finite number.
    """
    if initial is None or TIME not in initial:
        return None
    number = numbers_of(initial[TIME])
    if number.shape != (1,) or not np.isfinite(number[0]):
        raise StateError(f"'{TIME}' must be a finite number of seconds, found {initial[TIME]!r}")
    return float(number[0])
