# SPDX-License-Identifier: GPL-3.0-or-later
"""A state as plain data, which can be saved in a file, and from which another simulation continues."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from ..model import StateError
from ..model.compiling.compiled import BESIDES, CompiledModel, numbers_of, parts_of_state
from ..records.named_contacts import Impact
from ..solvers.protocol import Memory, Solver
from ..trajectory.files.archives import DAMAGED
from ..version import VERSION

TIME, CONTINUATION, BROKEN = BESIDES
"""Names of the entries of a state besides q and qd: its time [s], the fields of a `Continuation`, and the names of the
joints that have broken under load, if there are any."""

NEGATIVE_ZERO = np.array(-0.0).view(np.int64)
"""The bits of -0.0, as a whole number."""


@dataclass(frozen=True)
class Continuation:
    """The history of a state that a solver needs to continue from it bit for bit.

    Attributes:
        solver, accuracy: as `Simulation` takes them.
        begun: time at which the motion began [s]. since: time of the frame before the state's own [s].
        impacts: those that still count when the loads of joints are checked: [time [s], first, second, point, normal,
            impulse].
        forces: those of the callback that act at the state's time, {"joints": {name: numbers}, "links": …}.
        memory: the arrays that the solver needs, in base64. digest: of these, and of the model and the state to which
            they belong.
    """

    solver: str
    accuracy: str
    begun: float
    since: float
    forces: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    impacts: list[list] = field(default_factory=list)
    memory: str = ""
    digest: str = ""

    @property
    def impacts_before(self) -> list[Impact]:
        """The `impacts`, as `Impact` records."""
        return [Impact(*each[:3], *(np.array(part, dtype=np.float64) for part in each[3:])) for each in self.impacts]

    def memory_for(self, compiled: CompiledModel, solver: Solver, state: Mapping[str, Any]) -> Memory | None:
        """Return the memory that a solver can restore, or None if it does not belong to the state and the model.

        Raises:
            StateError: if the memory cannot be that of the solver.
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
        return solver.validate_memory(found)

    def kept(self, compiled: CompiledModel, solver: Solver, state: Mapping[str, Any]) -> Continuation:
        """Return this continuation with the memory of a solver whose state is `state`."""
        stream = io.BytesIO()
        for array in solver.snapshot().values():
            np.save(stream, array, allow_pickle=False)
        full = replace(self, memory=base64.b64encode(stream.getvalue()).decode())
        return replace(full, digest=full._digest(compiled, state))

    def _digest(self, compiled: CompiledModel, state: Mapping[str, Any]) -> str:
        said = {name: state[name] for name in (TIME, "q", "qd")}
        own = asdict(self) | {"digest": "", "version": VERSION}
        if not self.impacts:  # as states of older versions have it
            del own["impacts"]
        model = b"".join(_without_negative_zeros(array) for array in compiled.arrays)
        return hashlib.sha256(json.dumps([said, own], sort_keys=True).encode() + model).hexdigest()


def describe_state(
    compiled: CompiledModel, solver: Solver, time: float, how: Continuation, broken: Sequence[str] = ()
) -> dict:
    """Return a solver's state at a time [s]: {"time", "q", "qd", "continuation"}, and "broken" if joints have."""
    now = solver.state
    qd = {name: now.qd[span.v].tolist() for name, span in compiled.spans.items()}
    state = {TIME: time, "q": compiled.q_by_joint(now.q), "qd": qd} | ({BROKEN: [*broken]} if broken else {})
    return state | {CONTINUATION: asdict(how.kept(compiled, solver, state))}


def continuation_of(initial: Mapping[str, Any] | None) -> Continuation | None:
    """Return the continuation of a saved state, or None if the state has none, such as one that a user has written.

    Raises:
        StateError: if the state has unknown entries, or this one cannot have been saved by `describe_state`.
    """
    parts_of_state(initial)
    stored = (initial or {}).get(CONTINUATION)
    if initial is None or stored is None:
        return None
    try:
        found = Continuation(**stored)
        base64.b64decode(found.memory, validate=True)
    except (TypeError, binascii.Error):
        found = None
    if found is None or not np.isfinite(numbers_of([found.begun, found.since])).sum() == 2:
        raise _altered()
    if not (_are_forces(found.forces) and _are_impacts(found.impacts)):
        raise _altered()
    return found


def _are_forces(stored: object) -> bool:
    """Return whether a stored value has the form of `Continuation.forces`; `Controls.push` checks the rest."""
    return (
        isinstance(stored, dict)
        and stored.keys() <= {"joints", "links"}
        and all(isinstance(part, dict) for part in stored.values())
    )


def _are_impacts(stored: object) -> bool:
    """Return whether a stored value has the form of `Continuation.impacts`."""
    return isinstance(stored, list) and all(
        isinstance(each, list)
        and len(each) == len(Impact._fields)
        and all(isinstance(name, str) for name in each[1:3])
        and np.isfinite(numbers_of(each[0])).sum() == 1
        and all(np.isfinite(numbers_of(part)).sum() == 3 for part in each[3:])
        for each in stored
    )


def _without_negative_zeros(array: np.ndarray) -> bytes:
    """Return the bytes of an array of numbers or records, with 0.0 in place of -0.0, so that equal models are alike.

    All numbers in compiled models have 8 bytes. Those of -0.0 are no index that occurs in a record.
    """
    bits = np.frombuffer(array.tobytes(), np.int64)
    return np.where(bits == NEGATIVE_ZERO, 0, bits).tobytes()


def _altered() -> StateError:
    return StateError(f"'{CONTINUATION}' is not as it was saved; leave it out to start from q and qd alone")


def time_of(initial: Mapping[str, Any] | None) -> float | None:
    """Return the time of a state [s], or None if it has none.

    Raises:
        StateError: if the time is not a finite number.
    """
    if initial is None or TIME not in initial:
        return None
    number = numbers_of(initial[TIME])
    if number.shape != (1,) or not np.isfinite(number[0]):
        raise StateError(f"'{TIME}' must be a finite number of seconds, found {initial[TIME]!r}")
    return float(number[0])
