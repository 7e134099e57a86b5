"""`Simulation`: a model's motion frame by frame, driven alike by the panel, the command line and the tests."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..check import check_model
from ..dynamics import forward_residual
from ..dynamics.constraints import constraints_of
from ..kinematics import forward_kinematics
from ..model import Joint, Model, ModelError
from ..model.compiled import CompiledModel, parts_of_state
from ..trajectory.trajectory import Trajectory
from .adaptive import Adaptive, ExplicitOnly, ImplicitOnly
from .assembly import assemble
from .controls import Controls, Moment
from .diagnosis import Diagnosis
from .doctor import diagnose
from .inputs import set_inputs_at
from .protocol import Progress, Solver
from .recording import RECORDS, Recorder, blank_trajectory
from .remarks import remarks
from .run_facts import RunFacts
from .schedule import ScheduledInputs
from .stage import carried_over, caught, compile_stages
from .system import make_system

ACCURACIES = tuple(Adaptive.TOLERANCES)

SOLVERS: dict[str, Callable[..., Solver]] = {
    "adaptive": Adaptive,
    "explicit": ExplicitOnly,
    "implicit": ImplicitOnly,
}
"""The default first."""

STILL = 1e-16
"""Joules below which nothing moves."""

COUNTS = ("steps", "implicit_steps", "rejected", "events", "impacts", "evaluations", "iterations")
"""Of a `Report`."""

SINGULAR = ("parallel-axes", "idle-axis")
"""Findings that make the mass matrix singular."""

FIRST_WINDOW = 1e-3
"""Seconds for which motion is prescribed at the first frame, where none have passed."""

NOTHING_MOVES = "nothing moves: all links rest in balance; look at gravity, and at the axes and places of the joints"


class SimulationError(RuntimeError):
    """The motion could not be followed any further: which link, which frame, and the first of `diagnoses`."""

    def __init__(self, message: str, diagnoses: Sequence[Diagnosis] = ()):
        super().__init__(message)
        self.diagnoses = list(diagnoses)


@dataclass
class Report:
    """What a run took and how well it kept its energy and its loops.

    Attributes:
        frames: computed so far. wall_time [s].
        steps, implicit_steps, rejected: of the solver, those of them that were implicit, and those tried in vain.
        evaluations: of all accelerations. iterations: of Newton's method, to close loops and couplings after steps.
        events: instants at which something began or ceased to act: stops, sticking, largest speeds and forces.
        impacts: those of them at which velocities jumped.
        energy_drift: largest |kinetic + potential + dissipated - supplied - what they were at the start| [J].
        energy_scale: the largest of the kinetic energy's peak, the potential energy's range, and what goes in and out
            between two frames; 0 if nothing moves [J].
        loop_error: largest gap in a loop joint [m], or error of a coupling [rad or m]; 0 where there are none.
        notes: what a user may wonder at.
        diagnoses: why the run failed or looks wrong, the most likely cause first.
    """

    frames: int = 0
    steps: int = 0
    implicit_steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    iterations: int = 0
    events: int = 0
    impacts: int = 0
    wall_time: float = 0.0
    energy_drift: float = 0.0
    energy_scale: float = 0.0
    loop_error: float = 0.0
    notes: list[str] = field(default_factory=list)
    diagnoses: list[Diagnosis] = field(default_factory=list)

    @property
    def relative_drift(self) -> float:
        """energy_drift / energy_scale; 0 where nothing moves."""
        return self.energy_drift / self.energy_scale if self.energy_scale > 0.0 else 0.0


class Simulation:
    """Iterate to compute frame after frame; `trajectory` and `report` tell what came of it, at any time.

    Attributes:
        frames_done: how many frames `trajectory` has.
        compiled: the model as the solver reads it, loops split.

    Args:
        model: what moves.
        times: of the frames, ascending [s], shape (F,); the motion starts at times[0].
        accuracy: "draft", "good" or "exact".
        initial: {"q": {joint: number or list}, "qd": {...}}; joints that it leaves out start at home, at rest, or
            where loops and couplings take them.
        solver: a name in `SOLVERS`.
        controls: motion that is prescribed, and forces from outside.
        record: what to work out besides, names in `RECORDS`.
        is_measured: whether `initial` was read off links, as by `kinematics.state_of_links`: then what closes loops may
            change all of it a little, and not only what it leaves out.

    Raises:
        ModelError: the model cannot be simulated, or a loop cannot be closed. StateError: `initial` or `controls` does
            not fit it.
        SimulationError: while iterating; what was computed up to there is kept.
        ValueError: times do not ascend, or an accuracy, solver or record that is not known.
    """

    def __init__(
        self,
        model: Model,
        times: np.ndarray | Sequence[float],
        accuracy: str = "good",
        initial: dict | None = None,
        solver: str = "adaptive",
        controls: Controls | None = None,
        record: Sequence[str] = (),
        is_measured: bool = False,
    ):
        self._times = np.ascontiguousarray(times, dtype=np.float64)
        if self._times.ndim != 1 or not len(self._times) or not np.all(np.diff(self._times) > 0.0):
            raise ValueError("times must be a list of at least one ascending number of seconds")
        _require("accuracy", [accuracy], ACCURACIES)
        _require("solver", [solver], SOLVERS)
        _require("record", record, RECORDS)
        q, qd = parts_of_state(initial)
        self.controls = controls or Controls()
        self.controls.schedule.require(model)
        (_, compiled), *self._stages = compile_stages(model, self._times, self.controls.schedule)
        start = assemble(compiled, self.controls, q, qd, float(self._times[0]), is_measured)
        _refuse_singular(compiled, start.q)
        self._notes = [*start.notes, *remarks(compiled, self.controls.links)]
        self._make = partial(SOLVERS[solver], accuracy=accuracy)
        self._all = blank_trajectory([compiled, *(later for _, later in self._stages)], self._times, record)
        self._counts = dict.fromkeys(COUNTS, 0)
        self._gripping: dict[str, Joint] = {}
        self._failed = False
        self._controlled = 0
        self._wall_time = 0.0
        self._flow = self._largest_flow = 0.0
        self._begin(compiled, start.q, start.qd)

    def __len__(self) -> int:
        return len(self._times)

    def __iter__(self) -> Iterator[int]:
        """The number of frames done, after each bit of work: the same number again while a frame takes long."""
        while self.frames_done < len(self._times):
            self._work_on(self.frames_done)
            yield self.frames_done

    @property
    def frames_done(self) -> int:
        return self._recorder.frames

    @property
    def trajectory(self) -> Trajectory:
        """The frames computed so far."""
        return self._recorder.trajectory

    @property
    @np.errstate(all="ignore")  # a run that diverges has energies beyond all numbers
    def report(self) -> Report:
        """What the run took so far, and how well it kept its energy."""
        done = self.trajectory
        total = done.kinetic + done.potential + done.dissipated - done.supplied
        scale = max(done.kinetic.max(initial=0.0), np.ptp(done.potential) if len(done) else 0.0, self._largest_flow)
        scale = float(scale)
        moves = scale > max(1e-12 * np.abs(total).max(initial=0.0), STILL)  # rounding moves what stands still
        report = Report(
            frames=len(done),
            **self._counted(),
            wall_time=self._wall_time,
            energy_drift=float(np.abs(total - total[:1]).max(initial=0.0)),
            energy_scale=scale if moves else 0.0,
            loop_error=self._recorder.loop_error,
            notes=self._notes,
        )
        if not moves and len(done) > 1:
            report.notes = [*self._notes, NOTHING_MOVES]
        report.diagnoses = diagnose(self._facts(report))
        return report

    def run(self) -> Trajectory:
        """Compute all frames."""
        for _ in self:
            continue
        return self.trajectory

    def _work_on(self, frame: int) -> None:
        begun = time.perf_counter()
        self._control(frame)
        zero = float(self._times[0])
        change = self._stages[0][0] if self._stages else math.inf
        progress = self._solver.advance(min(float(self._times[frame]), change) - zero)
        if progress is Progress.HOPELESS:
            raise self._failure(frame)
        if progress is Progress.REACHED and change <= self._times[frame]:
            self._change_stage(frame)
        elif progress is Progress.REACHED:
            set_inputs_at(self._system, self._solver.time)
            self._recorder.record(self._solver, self._system)
            self._largest_flow = max(self._largest_flow, self._solver.flow - self._flow)
            self._flow = self._solver.flow
        self._wall_time += time.perf_counter() - begun

    def _begin(self, compiled: CompiledModel, q: np.ndarray, qd: np.ndarray, before: Recorder | None = None) -> None:
        """Go on with a model from a state, after those before it."""
        now = self._solver.time if before else 0.0
        self.compiled, self._start = compiled, (q.copy(), qd.copy())
        prescribed = [name for name in self.controls.joints if name in compiled.spans]
        self._constraints = constraints_of(compiled, prescribed, self.controls.links, guarded=True)
        self._inputs = ScheduledInputs(self.controls.schedule, compiled, make_system(compiled, self._constraints))
        self._system = self._inputs.system
        self._solver = self._make(self._system, q, qd, time=now)
        self._recorder = Recorder(compiled, self._constraints, self._system, self._all, before)

    def _change_stage(self, frame: int) -> None:
        """Go on with the joints that act from now on.

        What the springs of those that let go still held is lost, and so is what others take as they take hold.
        """
        _, compiled = self._stages.pop(0)
        solver, held = self._solver, self._recorder.energy(self._solver)
        self._counts = self._counted()
        self._counts["events"] += 1
        self._begin(*self._carried_over(compiled), before=self._recorder)
        self._controlled = min(self._controlled, frame)
        self._control(frame)
        set_inputs_at(self._system, solver.time)
        left = self._recorder.energy(self._solver)
        self._solver.note(solver.dissipated + held - left, solver.supplied)
        self._flow = 0.0

    def _carried_over(self, compiled: CompiledModel) -> tuple[CompiledModel, np.ndarray, np.ndarray]:
        """The model of the next stage, with joints that have taken hold where links are, and its state."""
        before, now = ({joint.name for joint in model.joints} for model in (self.compiled.model, compiled.model))
        taking = now - before
        self._gripping = {name: joint for name, joint in self._gripping.items() if name in now}
        if not (taking or self._gripping):
            return compiled, *carried_over(self.compiled, self._solver, compiled)
        drawn = compiled.model.joints
        compiled, q, qd = caught(self.compiled, self._solver, compiled, self._gripping, taking)
        changed = (joint for joint, own in zip(compiled.model.joints, drawn, strict=True) if joint != own)
        self._gripping = {joint.name: joint for joint in changed}
        loose = {name: span for name, span in compiled.spans.items() if name not in self.controls.joints}
        at = {name: q[span.q] for name, span in loose.items()}
        moving = {name: qd[span.v] for name, span in loose.items()}
        time = float(self._times[0]) + self._solver.time
        start = assemble(compiled, self.controls, at, moving, time, is_measured=True)
        return compiled, start.q, start.qd

    def _counted(self) -> dict[str, Any]:
        """What all solvers have counted so far."""
        evaluations, iterations = self._system.counts.tolist()
        present = {"evaluations": evaluations, "iterations": iterations}
        present |= {name: getattr(self._solver, name) for name in COUNTS if name not in present}
        return {name: self._counts[name] + present[name] for name in COUNTS}

    def _control(self, frame: int) -> None:
        """Prepare what acts on the way to a frame, once."""
        if self.controls.are_steady or self._controlled > frame:
            return
        zero = float(self._times[0])
        begin, end = float(self._times[max(frame - 1, 0)]), float(self._times[frame])
        end = end if frame else end + FIRST_WINDOW
        self._system = self._inputs.prepare(begin, end, zero)
        self._system = self.controls.prescribe(self._system, self.compiled, self._constraints, begin, end, zero)
        poses, twists = forward_kinematics(self.compiled, self._solver.q, self._solver.qd)
        moment = Moment(frame, begin, self._solver.q.copy(), self._solver.qd.copy(), poses, twists)
        self._system = self.controls.push(self._system, self.compiled, moment)
        self._system = self.controls.pull(self._system, self.compiled, begin, end)
        self._solver.control(self._system)
        self._controlled = frame + 1

    def _failure(self, frame: int) -> SimulationError:
        self._failed = True
        report = self.report
        link = self.compiled.link_of_dof(self._facts(report).fastest_dof)
        cause = report.diagnoses[0]
        said = cause.message if cause.subject == f"link '{link}'" else str(cause)
        return SimulationError(
            f"link '{link}': the motion cannot be followed past {self._solver.time:.6g} s, frame {frame}: {said}",
            report.diagnoses,
        )

    def _facts(self, report: Report) -> RunFacts:
        return RunFacts(
            self.compiled,
            self._constraints,
            self.controls,
            *self._start,
            self._recorder.stage,
            report,
            self._solver,
            self._system,
            self._make.keywords["accuracy"],
            self._failed,
        )


def _require(what: str, given: Sequence[str], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise ValueError(f"{what} '{name}' is not known; allowed are {', '.join(known)}")


def _refuse_singular(compiled: CompiledModel, q: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        residual = forward_residual(compiled.arrays, q, np.zeros(compiled.nv), np.zeros(compiled.nv))
    if not residual.max(initial=0.0) < 1e-6:
        for issue in check_model(compiled.model):
            if issue.code in SINGULAR:
                raise ModelError(f"{issue.subject}: {issue.message}")
        link = compiled.link_of_dof(int(np.argmax(np.nan_to_num(residual, nan=math.inf))))
        raise ModelError(
            f"link '{link}': what it and the links that it carries weigh does not decide how they move (the mass "
            "matrix is singular); give it mass and inertia, or fix it to a link that has them, or to the world; and no "
            "two axes of its joint may be parallel"
        )
