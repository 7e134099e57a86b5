# SPDX-License-Identifier: GPL-3.0-or-later
"""`JointChanges`: which joints act when, as scheduled, and as joints break under load."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..controls.controls import Controls
from ..model import Joint, Model, StateError
from ..model.compiling.compile import AnyModel
from ..model.compiling.compiled import CompiledModel
from ..records.breaking import IMPACT_TIME, Break, LoadChecks
from ..records.named_contacts import Impact
from ..solvers.protocol import State
from .saved_state import BROKEN
from .snapshot import KeptChanges, Stage
from .stage import compile_stages, next_state


class JointChanges:
    """The stages of a motion that are still ahead, and the joints that have broken.

    Attributes:
        models: the compiled models of all stages that are known, the first one first.
        gripping: the joints that were enabled during the motion; their frames fit the poses of links at that time.
        breaks: the joints that have broken under load so far, in the order of time.

    Args:
        model: the model, and `source`, the same not compiled.
        times: of the frames, shape (F,) [s].
        initial: the initial state, which may name joints that had broken.

    Raises:
        ModelError: if the model cannot be simulated. StateError: if `initial` names unknown joints as broken.
    """

    def __init__(
        self, model: AnyModel, source: Model, times: np.ndarray, controls: Controls, initial: Mapping[str, Any] | None
    ):
        self._times, self._controls = times, controls
        self._broken_earlier = _broken_in(initial, source)
        self._source = source.breaking_at(dict.fromkeys(self._broken_earlier, float(times[0])))
        self.gripping: dict[str, Joint] = {}
        (_, first), *self._ahead = self._stages(self._source if self._broken_earlier else model, times)
        self.models = [first, *(later for _, later in self._ahead)]
        self.breaks: tuple[Break, ...] = ()
        self._earlier_impacts: tuple[Impact, ...] = ()
        self._checks = LoadChecks(self._source, float(times[0]))

    def _stages(
        self, model: AnyModel, times: np.ndarray, begin: float | None = None
    ) -> list[tuple[float, CompiledModel]]:
        schedule, released = self._controls.schedule, self._controls.released.values()
        return compile_stages(model, times, schedule, released, self.gripping, begin)

    @property
    def model(self) -> Model:
        """The model, in which the joints that have broken are released at the times at which they broke."""
        return self._source.breaking_at({each.joint: each.time for each in self.breaks})

    @property
    def broken_at(self) -> dict[str, float]:
        """The time at which each joint broke under load [s]; of those broken earlier, the first time of the motion."""
        earlier = dict.fromkeys(self._broken_earlier, float(self._times[0]))
        return earlier | {each.joint: each.time for each in self.breaks}

    @property
    def next_time(self) -> float:
        """The time of the next change that is known [s]; infinite if there is none."""
        return self._ahead[0][0] if self._ahead else math.inf

    def begin_late(self, zero: float, now: float, impacts: Sequence[Impact]) -> None:
        """Continue a motion that began at the time `zero` [s], after the time `now`.

        impacts: those before `now` that still count.
        """
        self._checks, self._earlier_impacts = LoadChecks(self._source, zero), tuple(impacts)
        self._checks.sync(now)

    @property
    def are_checked(self) -> bool:
        """Whether loads are checked, since a joint may break."""
        return self._checks.are_needed

    def next_check(self, end: float) -> float:
        """Return the time at which loads are checked next, or `end` if that is not later [s]."""
        return self._checks.next_time(end)

    def recent_impacts(self, stage: Stage, now: float, zero: float) -> list[Impact]:
        """Return the impacts that count in a check at the time `now` [s]. zero: as in `check_loads`."""
        if not self._checks.are_needed:
            return []
        earlier = (each for each in self._earlier_impacts if each.time > now - IMPACT_TIME)
        return [*earlier, *stage.impacts(zero, now - IMPACT_TIME)]

    def check_loads(self, stage: Stage, now: float, frame: float, zero: float) -> bool:
        """Check the loads of a stage if it is time to. If a joint breaks, make stages without it, from the time `now`.

        Args:
            now: the present time [s]. frame: number of the next frame. zero: time from which the solver counts [s].

        Returns:
            Whether any joint has broken, so that the next stage begins now.
        """
        if not self._checks.is_due(now):
            return False
        seen, impacts = stage.solver.observe(), self.recent_impacts(stage, now, zero)
        found = self._checks.overloaded_joints(stage.compiled, stage.constraints, seen, impacts, now, frame)
        if found:
            self.breaks += tuple(found)
            frame_before = max(int(np.searchsorted(self._times, now, side="right")) - 1, 0)
            self._ahead = self._stages(self.model, self._times[frame_before:], now)
            self.models += [compiled for _, compiled in self._ahead]
        return bool(found)

    def next_stage(self, old: CompiledModel, state: State) -> tuple[float, CompiledModel, np.ndarray, np.ndarray]:
        """Return the first time [s], the model, q and qd of the next stage.

        Args:
            old, state: the model of the present stage, and the state at its end.
        """
        since, compiled = self._ahead.pop(0)
        compiled, q, qd, self.gripping = next_state(old, state, compiled, self.gripping, self._controls, since)
        return since, compiled, q, qd

    def kept(self) -> KeptChanges:
        return KeptChanges(tuple(self._ahead), self.gripping, self.breaks)

    def restore(self, kept: KeptChanges, now: float) -> None:
        """Go back to a state, which was kept at the time `now` [s]."""
        self._ahead, self.gripping, self.breaks = [*kept.ahead], {**kept.gripping}, kept.breaks
        self._checks.sync(now)


def _broken_in(initial: Mapping[str, Any] | None, model: Model) -> Collection[str]:
    """Return the names of the joints that had broken, of a saved state.

    Raises:
        StateError: if they are not names of joints.
    """
    names = (initial or {}).get(BROKEN, ())
    known = {joint.name for joint in model.joints}
    is_list = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    if not is_list or not known.issuperset(names):
        raise StateError(f"'{BROKEN}' lists joints of the model that had broken, found {names!r}")
    return names
