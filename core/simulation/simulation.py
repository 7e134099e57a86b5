# SPDX-License-Identifier: GPL-3.0-or-later
"""`Simulation`: the motion of a model, frame by frame. The panel, the command line and the tests run it."""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..controls.controls import Controls, Forces
from ..controls.held_forces import HeldForces
from ..model import StateError
from ..model.compiling.colliders import STILL
from ..model.compiling.compile import AnyModel
from ..model.compiling.compiled import CompiledModel
from ..model.text import counted, timed
from ..records.breaking import Break
from ..records.named_contacts import Contact, Impact, contacts_of, table_of_impacts
from ..records.recording import RECORDS, blank_trajectory
from ..records.report import Report, energy_at_rest, energy_at_stake
from ..solvers.jumps import Jump, state_after_jump
from ..solvers.protocol import ACCURACIES, Progress, State
from ..solvers.registry import SOLVERS, solvers_with_contact
from ..trajectory.trajectory import Trajectory
from .arguments import (
    require_contact,
    require_known,
    require_simulable,
    required_controls,
    required_numbers,
    required_times,
)
from .failure import SimulationError, causes_of
from .frame_inputs import FrameInputs
from .joint_changes import JointChanges
from .notes import at_largest_speed, falls_as_a_whole, run_notes
from .run_facts import RunFacts
from .saved_state import Continuation, continuation_of, describe_state, time_of
from .snapshot import COUNTS, Snapshot, Tally
from .stage_maker import StageMaker, meeting_colliders
from .start import initial_state, starts_in_ground

NO_CONTACT_POINTS: tuple[Sequence[str], np.ndarray] = ((), np.empty(0))
"""The contact points before the first frame: no owners of solids, and no records."""


class Simulation:
    """A simulation. Iterate over it to compute one frame after the other into `trajectory` and `report`.

    Attributes:
        frames_done: number of frames in `trajectory`.
        compiled: the model as the solver reads it, loops split.

    Args:
        model: the model to simulate; a compiled one saves the time of compiling it again.
        times: of the frames, ascending [s], shape (F,); the motion starts at times[0].
        accuracy: "draft", "good" or "exact".
        initial: {"q": {joint: number or list}, "qd": {...}}; joints that are left out start at home and at rest, or
            where loops and couplings require; links that float start with their `velocity` and `angular_velocity`. If
            it is an unchanged `state`, and times[0] is its time, the simulation continues from it, bit for bit.
            "broken" lists joints that broke under load earlier; they do not act.
        solver: a name in `SOLVERS`.
        controls: prescribed motion, and external forces.
        record: additional results, names in `RECORDS`: see `Trajectory`.
        is_measured: whether `initial` was measured from link poses, as by `kinematics.state_of_links`. To close loops,
            all of its values may then change a little, not only those that it leaves out.
        numbers: frame numbers for messages, shape (F,); None counts from 0.
        contact: whether collision shapes collide.
        meant_to_fall: links of machines that fall on purpose, such as characters. Neither notes nor diagnoses say that
            nothing holds them.

    Raises:
        ModelError: if the model cannot be simulated, or a loop cannot be closed. StateError: if `initial` or `controls`
            does not fit the model.
        SimulationError: while iterating; the frames computed so far are kept.
        TypeError: if `model` is not a model, or `times` is not a list.
        ValueError: if times do not ascend; if an accuracy, solver or record is unknown; if there are not as many
            numbers as times; or if contacts or impacts are to be recorded in a simulation without contact.
    """

    def __init__(
        self,
        model: AnyModel,
        times: np.ndarray | Sequence[float],
        accuracy: str = "good",
        initial: Mapping[str, Any] | None = None,
        solver: str = "adaptive",
        controls: Controls | None = None,
        record: Sequence[str] = (),
        is_measured: bool = False,
        numbers: np.ndarray | Sequence[float] | None = None,
        contact: bool = True,
        meant_to_fall: Collection[str] = (),
    ):
        source = require_simulable(model)
        self._times = required_times(times)
        self._numbers = required_numbers(numbers, len(self._times))
        require_known("accuracy", [accuracy], ACCURACIES)
        require_known("solver", [solver], SOLVERS)
        require_known("record", record, RECORDS)
        self.controls, self._solver, self._accuracy = required_controls(controls), solver, accuracy
        self._contact = contact and SOLVERS[solver].has_contact
        require_contact(record, contact, solver, solvers_with_contact())
        self.controls.schedule.require(source)
        self._since = self._zero = float(self._times[0])
        self._source = source
        self._joints = JointChanges(model, source, self._times, self.controls, initial)
        compiled = self._joints.models[0]
        self._at_stake, self._at_rest = energy_at_stake(compiled), energy_at_rest(compiled)
        trajectory = blank_trajectory(self._joints.models, self._times, record)
        self._stages = StageMaker(self.controls, solver, accuracy, self._contact, trajectory)
        self._tally = Tally(dict.fromkeys(COUNTS, 0))
        self._jumps: tuple[Jump, ...] = ()
        self._failed = False
        self._inputs = FrameInputs(self.controls, self._times)
        self._inputs.set_moving_joints(source, self._joints.models)
        self._wall_time = 0.0
        self._points = NO_CONTACT_POINTS
        self._notes: list[str] = []
        self._goes_on = self._resume(compiled, initial)
        if not self._goes_on:
            self._start(compiled, initial, is_measured)
        self._falls = falls_as_a_whole(source, compiled, self.controls, self._stage.start.qd)
        self._meant_to_fall = frozenset(meant_to_fall)
        if contact and not self._contact and meeting_colliders(compiled, STILL):
            known = solvers_with_contact()[0]
            self._notes.append(f"solver '{solver}' knows no contact, so links pass through each other: {known} does")

    def __len__(self) -> int:
        return len(self._times)

    def __repr__(self) -> str:
        name = self.compiled.model.name
        return f"<Simulation '{name}': {self.frames_done} of {counted(self._times, 'frame')}, {self._accuracy}>"

    def __iter__(self) -> Iterator[int]:
        """Yield the number of finished frames after each frame. It may repeat while a frame takes long."""
        while self.frames_done < len(self._times):
            self._work_on(self.frames_done)
            yield self.frames_done

    def parts(self, frames: int | None = None) -> Iterator[int]:
        """Yield the number of finished frames after each part of the work, which may be many frames or less than one.

        A part takes about 30 ms, however short frames are.

        frames: number of frames to compute; None for all.
        """
        frames = len(self._times) if frames is None else min(frames, len(self._times))
        while self.frames_done < frames:
            self._work_on(self.frames_done, frames - 1)
            yield self.frames_done

    @property
    def compiled(self) -> CompiledModel:
        return self._stage.compiled

    @property
    def frames_done(self) -> int:
        return self._stage.recorder.frames

    @property
    def breaks(self) -> tuple[Break, ...]:
        """The joints that have broken under load so far, in the order of time."""
        return self._joints.breaks

    @property
    def trajectory(self) -> Trajectory:
        """The frames computed so far."""
        done = self._stage.recorder.trajectory
        if broken := self._joints.broken_at:
            done = dataclasses.replace(done, broken=tuple(broken), broken_at=tuple(broken.values()))
        if done.impacts is None:
            return done
        return dataclasses.replace(done, impacts=table_of_impacts(self.impacts, done.times))

    @property
    def report(self) -> Report:
        """The cost of the run so far, and the errors of its energy and its loops."""
        counts, loop_error = self._tally.total(self._stage.solver.counters), self._stage.recorder.loop_error
        report = Report(
            **counts,
            wall_time=self._wall_time,
            loop_error=loop_error,
            notes=[*self._notes, *self._model_notes],
            breaks=[*self.breaks],
        )
        report.weigh(self.trajectory, self._tally.largest, self._at_stake, self._at_rest)
        report.contact = self._stage.contact_report(self._zero)
        overlaps = report.contact.note() if report.contact else ""
        report.notes = [
            *report.notes,
            *(each.sentence(self._source, self._zero) for each in self.breaks),
            *at_largest_speed(self._joints.models, self.trajectory),
            *filter(None, [overlaps]),
        ]
        return report

    @functools.cached_property
    def _model_notes(self) -> list[str]:
        """Notes about the model. Finding them takes as long as a short motion, so it waits until somebody asks."""
        first = self._joints.models[0]
        return run_notes(first, {*self.controls.links, *self._meant_to_fall}, self._falls)

    def run(self) -> Trajectory:
        """Compute all frames."""
        for _ in self.parts():
            continue
        return self.trajectory

    def prefer_time_stepping(self, steps: int = 1_000_000) -> None:
        """Take convex steps for the next `steps` steps, without waiting until locating events costs too much.

        It has no effect if nothing can touch.
        """
        self._stage.solver.prefer_time_stepping(steps)

    def expect_crowd(self, steps: int = 1_000_000) -> None:
        """Do the same as `prefer_time_stepping`, of which this is the former name."""
        self.prefer_time_stepping(steps)

    @property
    def contacts(self) -> list[Contact]:
        """The contact points at the last finished frame; empty before the first one.

        They stay the same while the next frame is computed, at events before it, and if it fails. `restore` brings back
        those of its frame.
        """
        owners, points = self._points
        return contacts_of(owners, points)

    @property
    def impacts(self) -> list[Impact]:
        """The impacts so far, in the order of time."""
        return self._stage.impacts(self._zero)

    # ---- the state, as a value

    def snapshot(self) -> Snapshot:
        """Return the state at the last finished frame, for `restore`.

        Raises:
            RuntimeError: if the motion is between two frames.
        """
        self._require_at_frame()
        stage, recorder = self._stage, self._stage.recorder
        inputs, memory = stage.solver.observe().inputs, stage.solver.snapshot()
        return Snapshot(
            recorder.frames,
            recorder.loop_error,
            self._tally,
            stage,
            self._joints.kept(),
            len(self._jumps),
            inputs,
            memory,
            self._inputs.forces,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a frame of this simulation, to continue from there. Later frames are discarded."""
        self._stage, self._tally = snapshot.stage, snapshot.tally
        self._failed = False
        self._stage.recorder.rewind(snapshot.frames, snapshot.loop_error)
        self._jumps = self._jumps[: snapshot.jumps]
        self._inputs.restore(snapshot.forces, snapshot.frames)
        self._stage.solver.control(snapshot.inputs)
        self._stage.solver.restore(snapshot.memory)
        self._points = self._stage.points() if snapshot.frames else NO_CONTACT_POINTS
        self._joints.restore(snapshot.joints, self._stage.solver.state.time + self._zero)

    @property
    def state(self) -> dict[str, Any]:
        """The state at the last finished frame, as plain data. Another simulation continues from it, as `initial`.

        Raises:
            RuntimeError: if the motion is between two frames.
            StateError: if joints have connected links where these were, since a state does not contain those poses.
        """
        self._require_at_frame()
        for name in self._joints.gripping:
            raise StateError(
                f"joint '{name}' took hold of its links while they moved, and where is not part of a state; "
                "take the state before it does"
            )
        frame = self.frames_done - 1
        since = float(self._times[frame - 1]) if frame else self._since
        forces = self._inputs.forces.as_plain_data(self.compiled, self._inputs.moving_joints)
        recent = self._joints.recent_impacts(self._stage, float(self._times[frame]), self._zero)
        impacts = [[*each[:3], *(part.tolist() for part in each[3:])] for each in recent]
        how = Continuation(self._solver, self._accuracy, self._zero, since, forces, impacts)
        return describe_state(
            self.compiled, self._stage.solver, float(self._times[frame]), how, [*self._joints.broken_at]
        )

    def _require_at_frame(self) -> None:
        done = self.frames_done
        if not done or self._stage.solver.state.time != float(self._times[done - 1]) - self._zero:
            raise RuntimeError("a state is that of a frame, and the motion is not at one: compute on first")

    # ---- start

    def _start(self, compiled: CompiledModel, initial: Mapping[str, Any] | None, is_measured: bool) -> None:
        start = initial_state(compiled, self.controls, initial, self._zero, is_measured)
        self._notes += start.notes
        self._stage = self._stages.first(compiled, State(0.0, start.q, start.qd), self._zero)
        solver, prescribed = self._stage.solver, self.controls.links_led_at(self._zero)
        if solver.collisions and starts_in_ground(compiled, solver.collisions, start.q, prescribed):
            solver.part_overlaps(only_from_ground=True)

    def _resume(self, compiled: CompiledModel, initial: Mapping[str, Any] | None) -> bool:
        """Continue from a saved state and return True, or return False if it does not fit."""
        how = continuation_of(initial)
        if how is None or initial is None or time_of(initial) != self._zero:
            return False
        state = State(self._zero - how.begun, compiled.q_home, np.zeros(compiled.nv))
        stage = self._stages.first(compiled, state, self._zero)
        is_alike = (how.solver, how.accuracy) == (self._solver, self._accuracy)
        memory = how.memory_for(compiled, stage.solver, initial) if is_alike else None
        if memory is None:
            self._notes.append(
                f"the state at {self._zero:g} s, the model, the solver or the accuracy is not what it was when the "
                "state was saved: the motion starts anew from its q and qd"
            )
            return False
        self._zero, self._since = how.begun, how.since
        self._inputs.zero = how.begun
        self._inputs.resume(HeldForces(Forces(**how.forces)), 1)
        self._inputs.apply(stage, how.since, float(self._times[0]))
        stage.solver.restore(memory)
        start, counters = stage.solver.state, stage.solver.counters
        self._stage = dataclasses.replace(stage, start=start)
        self._tally = Tally({name: -getattr(counters, name) for name in COUNTS}, stage.solver.flow)
        self._joints.begin_late(self._zero, float(self._times[0]), how.impacts_before)
        return True

    # ---- stepping

    def _work_on(self, frame: int, last: int = 0) -> None:
        """Do a part of the work up to the next frame, or up to the frame `last` if nothing is to be done in between."""
        begun = time.perf_counter()
        self._inputs.set_before(frame, self._stage)
        change, jump = self._joints.next_time, self._inputs.jump.time if self._inputs.jump else math.inf
        end = min(float(self._times[frame]), change, jump)
        until = self._joints.next_check(end)
        if self._may_write_frames(min(change, jump), frame):
            self._write_frames(min(change, jump), frame, last)
        else:
            progress = self._advance(until - self._zero)
            if progress is Progress.HOPELESS:
                raise self._failure(frame)
            if progress is Progress.REACHED:
                self._go_on(until, end, change, frame)
        self._wall_time += time.perf_counter() - begun

    def _may_write_frames(self, end: float, frame: int) -> bool:
        """Return whether the solver may write the next frame itself, since nothing is to be done before or at it.

        end: time of the next jump or change of stages [s].
        """
        is_plain = self._stage.solver.writes_frames and not self._stage.recorder.needs_observations
        is_continued = self._goes_on and frame == 0
        return is_plain and not is_continued and not self._joints.are_checked and float(self._times[frame]) < end

    def _write_frames(self, end: float, frame: int, last: int) -> None:
        """Let the solver write frames up to `last`, or one of them, as far as it comes."""
        recorder, tally = self._stage.recorder, self._tally
        last = min(last, int(np.searchsorted(self._times, end)) - 1) if self._inputs.are_steady else frame
        ahead = recorder.frames_ahead(max(frame, last), self._zero)
        progress = self._stage.solver.advance(float(self._times[frame]) - self._zero, ahead)
        flows = recorder.accept_frames(ahead.frames)
        if len(flows):
            self._points = self._stage.owners, recorder.contact_points
            largest = float(np.diff(flows, prepend=tally.flow).max())
            self._tally = Tally(tally.counts, float(flows[-1]), max(tally.largest, largest))
        if progress is Progress.HOPELESS:
            raise self._failure(recorder.frames)

    def _go_on(self, now: float, end: float, change: float, frame: int) -> None:
        """Do what is due at the time `now` [s].

        A jump comes before loads are checked: a stage that begins with a break would begin beyond the jump.

        Args:
            end: time of the next jump, change of stages, or frame [s]. change: time of the next change of stages [s].
        """
        if self._inputs.jump and now >= self._inputs.jump.time:
            self._place_anew(self._inputs.jump, frame)
        elif not self._break_joints(now, frame) and now == end:
            if change <= self._times[frame]:
                self._change_stage(frame)
            else:
                self._record()

    def _record(self) -> None:
        """Record a frame, at which the motion is."""
        self._stage.recorder.record(self._stage.solver.observe())
        self._points = self._stage.points()
        flow = self._stage.solver.flow
        self._tally = Tally(self._tally.counts, flow, max(self._tally.largest, flow - self._tally.flow))

    def _advance(self, until: float) -> Progress:
        """Integrate up to a time of the solver [s].

        A simulation that continues from a saved state is at its first frame already. The solver must not begin anew
        there.
        """
        if self._goes_on and self.frames_done == 0:
            return Progress.REACHED
        return self._stage.solver.advance(until)

    def _break_joints(self, now: float, frame: int) -> bool:
        """Check loads at the time `now` [s] if it is time to, go on without joints that break, and return if any did.

        frame: index of the next frame, which may be at that time.
        """
        if not self._joints.check_loads(self._stage, now, float(self._numbers[frame]), self._zero):
            return False
        self._inputs.set_moving_joints(self._source, self._joints.models)
        self._change_stage(frame)
        return True

    def _change_stage(self, frame: int) -> None:
        """Continue with the joints that are enabled from now on."""
        state = self._stage.solver.state
        since, compiled, q, qd = self._joints.next_stage(self.compiled, state)
        self._begin_stage(compiled, state._replace(q=q, qd=qd), since, frame)

    def _place_anew(self, jump: Jump, frame: int) -> None:
        """Continue with prescribed motion beyond a jump. Bodies that jump push nothing between the two poses."""
        state = self._stage.solver.state
        q, qd = state_after_jump(self.compiled, state, self.controls, jump)
        state = state._replace(time=jump.time - self._zero, q=q, qd=qd)
        self._begin_stage(self.compiled, state, jump.time, frame, is_jump=True)
        self._jumps += (jump,)

    def _begin_stage(
        self, compiled: CompiledModel, state: State, since: float, frame: int, is_jump: bool = False
    ) -> None:
        """Continue from a state at the time `since` [s], before the next frame, in a stage of its own."""
        counts, window = self._tally.total(self._stage.solver.counters), self._inputs.window(frame)
        self._stage = self._stages.following(self._stage, compiled, state, since, window, self._zero, is_jump)
        if is_jump:
            self._stage.solver.part_overlaps()
        else:
            counts["events"] += 1
        self._tally = Tally(counts, 0.0, self._tally.largest)
        self._inputs.invalidate_from(frame)
        self._inputs.set_before(frame, self._stage)

    # ---- facts and failure

    def _failure(self, frame: int) -> SimulationError:
        self._failed = True
        facts = self.facts()
        link = self.compiled.link_of_dof(facts.fastest_dof)
        reached = f"{timed(facts.seen.state.time)}, frame {self._numbers[frame]:g}"
        return SimulationError(f"link '{link}': the motion cannot be followed past {reached}", facts=facts)

    def facts(self) -> RunFacts:
        """Return the facts about the run at present, for those who explain it."""
        stage = self._stage
        return RunFacts(
            stage.compiled,
            stage.constraints,
            self.controls,
            stage.start,
            stage.recorder.stage,
            self.report,
            stage.solver.counters,
            stage.solver.observe(),
            self._accuracy,
            self._failed,
            self._falls,
            self._times,
            self._numbers,
            stage.touches(self._zero),
            self._contact,
            self._jumps,
            self._meant_to_fall,
        )

    def diagnose(self) -> list[Any]:
        """Return why the run failed or looks wrong, the most likely cause first; nothing for a healthy run.

        The causes are `Diagnosis` records, which `diagnosis.diagnose` finds.
        """
        return causes_of(self.facts())
