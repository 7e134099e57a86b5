"""`Simulation`: a model's motion frame by frame, driven alike by the panel, the command line and the tests."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..check import check_model
from ..dynamics import forward_residual, mechanical_energy
from ..kinematics import make_work, place_links
from ..model import CompiledModel, Model, ModelError, StateError, compile_model, coordinate_names
from ..trajectory import Trajectory
from .dopri5 import Dopri5
from .protocol import Progress, Solver
from .unsupported import unsupported_features

ACCURACIES = tuple(Dopri5.TOLERANCES)

SOLVERS: dict[str, Callable[[CompiledModel, np.ndarray, np.ndarray, str], Solver]] = {"dopri5": Dopri5}

MUCH_DRIFT = 0.01
"""Part of the energy scale beyond which a motion looks wrong."""

SINGULAR = ("parallel-axes", "idle-axis")
"""Findings that make the mass matrix singular."""

NOTHING_MOVES = "nothing moves: all links rest in balance; look at gravity, and at the axes and places of the joints"


class SimulationError(RuntimeError):
    """The motion could not be followed any further: which link, which frame, why."""


@dataclass
class Report:
    """What a run took and how well it kept its energy.

    Attributes:
        frames: computed so far. steps, rejected: of the solver. wall_time [s].
        energy_drift: largest |kinetic + potential + dissipated - what they were at the start| [J].
        energy_scale: the larger of the kinetic energy's peak and the potential energy's range; 0 if nothing moves [J].
        loop_error: largest gap in a loop joint [m]; trees have none.
        notes: what the model asks for and this engine does not do yet, and what else a user may wonder at.
    """

    frames: int = 0
    steps: int = 0
    rejected: int = 0
    wall_time: float = 0.0
    energy_drift: float = 0.0
    energy_scale: float = 0.0
    loop_error: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def relative_drift(self) -> float:
        """energy_drift / energy_scale; 0 where nothing moves."""
        return self.energy_drift / self.energy_scale if self.energy_scale > 0.0 else 0.0


class Simulation:
    """Iterate to compute frame after frame; `trajectory` and `report` tell what came of it, at any time.

    Attributes:
        frames_done: how many frames `trajectory` has.
        compiled: the model as the solver reads it.

    Args:
        model: what moves.
        times: of the frames, ascending [s], shape (F,); the motion starts at times[0].
        accuracy: "draft", "good" or "exact".
        initial: {"q": {joint: number or list}, "qd": {...}}; joints that it leaves out start at home, at rest.
        solver: a name in `SOLVERS`.

    Raises:
        ModelError: the model cannot be simulated. StateError: `initial` does not fit it.
        SimulationError: while iterating; what was computed up to there is kept.
        ValueError: times do not ascend, or an accuracy or solver that is not known.
    """

    def __init__(
        self,
        model: Model,
        times: np.ndarray | Sequence[float],
        accuracy: str = "good",
        initial: dict | None = None,
        solver: str = "dopri5",
    ):
        self._times = np.ascontiguousarray(times, dtype=np.float64)
        if self._times.ndim != 1 or not len(self._times) or not np.all(np.diff(self._times) > 0.0):
            raise ValueError("times must be a list of at least one ascending number of seconds")
        if accuracy not in ACCURACIES:
            raise ValueError(f"accuracy '{accuracy}' is not known; allowed are {', '.join(ACCURACIES)}")
        if solver not in SOLVERS:
            raise ValueError(f"solver '{solver}' is not known; allowed are {', '.join(SOLVERS)}")
        q, qd = _start(initial)
        self.compiled = compile_model(model)
        self.compiled.require_simulable()
        self.frames_done = 0
        self._wall_time = 0.0
        self._notes = unsupported_features(model, self.compiled)
        q, qd = self.compiled.q_from(q), self.compiled.q_from(qd, velocities=True)
        _refuse_singular(self.compiled, q)
        self._solver = SOLVERS[solver](self.compiled, q, qd, accuracy)
        self._work = make_work(self.compiled.arrays)
        self._recorded = _empty_trajectory(self.compiled, self._times)

    def __len__(self) -> int:
        return len(self._times)

    def __iter__(self) -> Iterator[int]:
        """The number of frames done, after each bit of work: the same number again while a frame takes long."""
        while self.frames_done < len(self._times):
            self._work_on(self.frames_done)
            yield self.frames_done

    @property
    def trajectory(self) -> Trajectory:
        """The frames computed so far."""
        return self._recorded.first(self.frames_done)

    @property
    def report(self) -> Report:
        """What the run took so far, and how well it kept its energy."""
        done = self.trajectory
        total = done.kinetic + done.potential + done.dissipated
        scale = float(max(done.kinetic.max(initial=0.0), np.ptp(done.potential) if len(done) else 0.0))
        moves = scale > 1e-12 * np.abs(total).max(initial=0.0)  # what stands still has energies that differ by rounding
        report = Report(
            frames=len(done),
            steps=self._solver.steps,
            rejected=self._solver.rejected,
            wall_time=self._wall_time,
            energy_drift=float(np.abs(total - total[:1]).max(initial=0.0)),
            energy_scale=scale if moves else 0.0,
            notes=self._notes,
        )
        if not moves and len(done) > 1:
            report.notes = [*self._notes, NOTHING_MOVES]
        elif report.relative_drift > MUCH_DRIFT:
            lost = f"energy is off by {report.relative_drift:.0%} of what moves: choose a higher accuracy"
            report.notes = [*self._notes, lost]
        return report

    def run(self) -> Trajectory:
        """Compute all frames."""
        for _ in self:
            continue
        return self.trajectory

    def _work_on(self, frame: int) -> None:
        begun = time.perf_counter()
        progress = self._solver.advance(float(self._times[frame] - self._times[0]))
        if progress is Progress.HOPELESS:
            raise SimulationError(self._explanation(frame))
        if progress is Progress.REACHED:
            self._record(frame)
        self._wall_time += time.perf_counter() - begun

    def _record(self, frame: int) -> None:
        solver, out, compiled = self._solver, self._recorded, self.compiled
        out.q[frame], out.qd[frame], out.dissipated[frame] = solver.q, solver.qd, solver.dissipated
        out.kinetic[frame], out.potential[frame] = mechanical_energy(compiled.arrays, self._work, solver.q, solver.qd)
        place_links(compiled.arrays, self._work, solver.q, compiled.link_body, compiled.X_BL, out.X_WL[frame])
        self.frames_done = frame + 1

    def _explanation(self, frame: int) -> str:
        rates = self._solver.accelerations()
        worst = int(np.argmax(np.where(np.isfinite(rates), np.abs(rates), math.inf))) if len(rates) else 0
        link = self.compiled.link_of_dof(worst)
        cause = (
            f"its joint moves at {self._solver.qd[worst]:.3g} and accelerates at {rates[worst]:.3g} (SI), so it was "
            "too fast at the start, has next to no mass or inertia about its joint, or bears a spring or damper that "
            "is too stiff for its mass"
        )
        return f"link '{link}': the motion cannot be followed past {self._solver.time:.6g} s, frame {frame}: {cause}"


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


def _start(initial: dict | None) -> tuple[dict, dict]:
    initial = initial or {}
    unknown = set(initial) - {"q", "qd"}
    if unknown:
        raise StateError(f"'{sorted(unknown)[0]}' is not known; allowed are q and qd")
    for key, values in initial.items():
        if not isinstance(values, dict):
            raise StateError(f"'{key}' must map joint names to numbers, found {values!r}")
    return initial.get("q", {}), initial.get("qd", {})


def _empty_trajectory(compiled: CompiledModel, times: np.ndarray) -> Trajectory:
    frames = len(times)
    return Trajectory(
        times=times,
        link_names=compiled.link_names,
        X_WL=np.zeros((frames, len(compiled.link_names), 7)),
        q_names=tuple(coordinate_names(compiled)),
        q=np.zeros((frames, compiled.nq)),
        qd_names=tuple(coordinate_names(compiled, velocities=True)),
        qd=np.zeros((frames, compiled.nv)),
        kinetic=np.zeros(frames),
        potential=np.zeros(frames),
        dissipated=np.zeros(frames),
    )
