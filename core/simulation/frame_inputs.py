# SPDX-License-Identifier: GPL-3.0-or-later
"""`FrameInputs`: the inputs of a simulation, which are set anew for each frame and each stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from ..controls.controls import Controls
from ..controls.held_forces import HeldForces, joints_that_move
from ..model import Model
from ..model.compiling.compiled import CompiledModel
from ..solvers.jumps import Jump, continuous_span
from .snapshot import Stage

FIRST_WINDOW = 1e-3
"""Length of the window of prescribed motion at the first frame, before which no time has passed [s]."""


class FrameInputs:
    """The inputs that act on the stages of one simulation, computed from its controls before each frame.

    Attributes:
        jump: the next jump of prescribed motion before the next frame; None if there is none.
        forces: those of the callback that act now.
        moving_joints: names of the joints that the callback may name.
        zero: time from which the solver counts [s].

    Args:
        times: of the frames, shape (F,) [s].
    """

    def __init__(self, controls: Controls, times: np.ndarray):
        self.jump: Jump | None = None
        self.forces = HeldForces()
        self.moving_joints: frozenset[str] = frozenset()
        self.zero = float(times[0])
        self._controls, self._times = controls, times
        self._done = 0  # number of frames before which the inputs have been set

    def set_moving_joints(self, model: Model, stages: Iterable[CompiledModel]) -> None:
        """Set the joints that the callback may name: those of the model and of these stages."""
        self.moving_joints = joints_that_move(model, self._controls.schedule, stages)

    @property
    def are_steady(self) -> bool:
        """Whether the inputs stay as they are from frame to frame."""
        return self._controls.are_steady

    def invalidate_from(self, frame: int) -> None:
        """Set the inputs before a frame anew, since a stage begins there."""
        self._done = min(self._done, frame)

    def resume(self, forces: HeldForces, frames: int) -> None:
        """Continue after so many frames, with the forces that the callback gave then."""
        self.jump, self.forces, self._done = None, forces, frames

    def restore(self, forces: HeldForces, frames: int) -> None:
        """Go back to a state after so many frames of the same simulation."""
        self.resume(dataclasses.replace(forces, is_restored=True), frames)

    def set_before(self, frame: int, stage: Stage) -> None:
        """Set the inputs of a stage that are active before the next frame, once for each frame and each stage."""
        if not self.are_steady and self._done <= frame:
            self._renew_forces(frame, stage)
            self.apply(stage, *self.window(frame))
            self._done = frame + 1

    def _renew_forces(self, frame: int, stage: Stage) -> None:
        """Call the callback for forces, unless it has been called since the frame before.

        The first call is at frame 0. Its forces act up to frame 1, and are those that frame 0 records.
        """
        following = min(max(frame, 1), len(self._times) - 1)
        if self._controls.forces and following > self.forces.frame:
            state, now = stage.solver.state, self.window(frame)[0]
            self.forces = self.forces.renewed(self._controls, following, now, stage.compiled, state.q, state.qd)

    def window(self, frame: int) -> tuple[float, float]:
        """Return the time of the frame before, and that of the frame [s]."""
        begin, end = float(self._times[max(frame - 1, 0)]), float(self._times[frame])
        return begin, end if frame else end + FIRST_WINDOW

    def apply(self, stage: Stage, begin: float, end: float) -> None:
        """Set the inputs of a stage between two times [s], at most up to the next jump of prescribed motion."""
        if self.are_steady:
            return
        controls, compiled, state = self._controls, stage.compiled, stage.solver.state
        signals = stage.constraints.signals
        span = continuous_span(controls, compiled, signals, begin, end, state.time + self.zero)
        begin, end, self.jump = span.begin, span.end, span.jump
        inputs = stage.schedule.between(begin, end, self.zero)
        inputs = controls.prescribe(inputs, signals, span.samples, (begin - self.zero, end - self.zero))
        if controls.forces:
            inputs = controls.push(inputs, compiled, self.forces.acting_on(compiled, self.moving_joints))
        stage.solver.control(controls.pull(inputs, compiled, begin, end))
