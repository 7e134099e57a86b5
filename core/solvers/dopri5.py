"""Smooth motion by Dormand and Prince's explicit Runge-Kutta pair of orders 5 and 4, with the error under control.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed., 1993), Table II.5.2 for the
coefficients, section II.4 for the error norm, equation (IV.2.43) of volume II for the step control.
"""

from __future__ import annotations

import math

import numpy as np

from .. import jit
from ..dynamics.aba import accelerations
from ..dynamics.forces import joint_forces
from ..jit import jitable, kernel
from ..joints import FREE, SCREWS
from ..kinematics.work import get3, get4, make_work, put3, put4
from ..model import CompiledModel
from ..spatial import quat_normalized, quat_rate, quat_to_mat, rotate
from .protocol import Progress

STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])

SHORTEST_STEP = 1e-9
"""Seconds; below it a step is hopeless: the motion diverges, or is too stiff for an explicit method."""

BODY_STEPS_AT_ONCE = {True: 5000, False: 25}
"""Bodies times steps that `advance` takes in one call, compiled or not: some 30 ms, in which Esc has to wait."""

REACHED, UNDERWAY, HOPELESS = int(Progress.REACHED), int(Progress.UNDERWAY), int(Progress.HOPELESS)

STATE = np.dtype(
    [
        ("time", np.float64),
        ("step", np.float64),  # what the error control would like next [s]
        ("error", np.float64),  # of the last step taken, 1 = as much as allowed
        ("started", np.int64),
        ("steps", np.int64),
        ("rejected", np.int64),
    ],
    align=True,
)


class Dopri5:
    """Integrates one compiled model; `y` holds q, then qd, then the energy that dampers have taken away [J].

    Attributes:
        q: shape (nq,). qd: shape (nv,). Views of the present state.
    """

    TOLERANCES = {"draft": 1e-4, "good": 1e-6, "exact": 1e-10}

    def __init__(self, compiled: CompiledModel, q: np.ndarray, qd: np.ndarray, accuracy: str):
        self._model = compiled.arrays
        self._work = make_work(compiled.arrays)
        self._y = np.concatenate([q, qd, [0.0]])
        self._stages = np.zeros((7, len(self._y)))
        self._trial = self._y.copy()
        self._tau = np.zeros(compiled.nv)
        self._state = np.zeros(1, STATE).view(np.recarray)
        self._tolerance = self.TOLERANCES[accuracy]
        self._steps_at_once = max(1, BODY_STEPS_AT_ONCE[jit.is_available()] // len(compiled.arrays.bodies))
        self.q = self._y[: compiled.nq]
        self.qd = self._y[compiled.nq : -1]

    @property
    def dissipated(self) -> float:
        """Energy that dampers have taken away so far [J]."""
        return float(self._y[-1])

    @property
    def time(self) -> float:
        """How far the motion has come [s]; short of what was asked where `advance` failed."""
        return float(self._state[0].time)

    @property
    def steps(self) -> int:
        return int(self._state[0].steps)

    @property
    def rejected(self) -> int:
        return int(self._state[0].rejected)

    def advance(self, time: float) -> Progress:
        """Bring the state to `time` [s], or a part of the way where that takes long."""
        return Progress(
            advance(
                self._model,
                self._work,
                self._y,
                self._trial,
                self._stages,
                self._tau,
                self._state,
                time,
                self._tolerance,
                self._steps_at_once,
            )
        )

    def accelerations(self) -> np.ndarray:
        """At the present state, shape (nv,)."""
        slopes = np.zeros_like(self._y)
        with np.errstate(all="ignore"):
            slope(self._model, self._work, self._y, slopes, self._tau)
        return slopes[len(self.q) : -1]


@jitable
def rates_of_positions(model, q, qd, out):
    """Write dq/dt, shape (nq,), to `out`: qd itself for columns, the rates of position and quaternion for charts."""
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                out[body.q + j - body.v] = qd[j]
        else:
            turned = body.q
            angular = body.v
            if body.kind == FREE:
                turned += 3
                angular += 3
                R = quat_to_mat(quat_normalized(get4(q, turned)))
                put3(out, rotate(R, get3(qd, body.v)), body.q)
            put4(out, quat_rate(get4(q, turned), get3(qd, angular)), turned)


@jitable
def normalize_quaternions(model, q):
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind != SCREWS:
            turned = body.q
            if body.kind == FREE:
                turned += 3
            put4(q, quat_normalized(get4(q, turned)), turned)


@jitable
def slope(model, work, y, out, tau):
    """Write dy/dt to `out`."""
    nv = tau.shape[0]
    nq = y.shape[0] - nv - 1
    q = y[:nq]
    qd = y[nq : nq + nv]
    rates_of_positions(model, q, qd, out[:nq])
    out[nq + nv] = joint_forces(model, q, qd, tau)
    accelerations(model, work, q, qd, tau, out[nq : nq + nv])


@jitable
def combine(y, stages, stage, h, out):
    """Where `stage` looks: y plus h times its weighted sum of the slopes before it."""
    for k in range(y.shape[0]):
        total = 0.0
        for s in range(stage):
            total += STAGES[stage, s] * stages[s, k]
        out[k] = y[k] + h * total


@jitable
def error_norm(y, trial, stages, h, tolerance):
    """Root mean square of the local error, 1 where it is just as large as `tolerance` allows, absolute and relative.

    The last entry of y, dissipated energy, follows the motion and steers nothing.
    """
    total = 0.0
    count = y.shape[0] - 1
    for k in range(count):
        error = 0.0
        for s in range(7):
            error += ERROR[s] * stages[s, k]
        allowed = tolerance * (1.0 + max(abs(y[k]), abs(trial[k])))
        error *= h / allowed
        total += error * error
    return math.sqrt(total / max(count, 1))


@jitable
def is_finite(y):
    total = 0.0
    for k in range(y.shape[0]):
        total += 0.0 * y[k]  # infinities and NaN times 0 are NaN
    return total == 0.0


@jitable
def first_step(y, slopes, tolerance):
    """A step that changes the state by about tolerance^(1/5) of itself: soon corrected, never absurd."""
    size = 0.0
    rate = 0.0
    for k in range(y.shape[0] - 1):
        weight = 1.0 + abs(y[k])
        size = max(size, abs(y[k]) / weight)
        rate = max(rate, abs(slopes[k]) / weight)
    return 0.1 * tolerance**0.2 * max(size, 0.1) / max(rate, 1e-3)


@jitable
def try_step(model, work, y, trial, stages, tau, h, tolerance):
    """Leave in `trial` where y is after h seconds. Returns the error: 1 is as much as allowed, infinite all is lost."""
    for stage in range(1, 7):
        combine(y, stages, stage, h, trial)
        if not is_finite(trial):
            return math.inf
        slope(model, work, trial, stages[stage], tau)
    return error_norm(y, trial, stages, h, tolerance)


@kernel
def advance(model, work, y, trial, stages, tau, state, end, tolerance, most_steps):
    """Integrate `y` in place up to `end` [s], by at most so many steps. Returns a `Progress`."""
    now = state[0]
    q = y[: y.shape[0] - tau.shape[0] - 1]
    if now.started == 0:
        slope(model, work, y, stages[0], tau)
        now.step = first_step(y, stages[0], tolerance)
        now.error = 1e-4
        now.started = 1
    for _ in range(most_steps):
        if now.time >= end:
            return REACHED
        if not now.step > SHORTEST_STEP:
            return HOPELESS
        remaining = end - now.time
        h = remaining / math.ceil(remaining / now.step)  # even steps up to the frame: no sliver is left over
        error = try_step(model, work, y, trial, stages, tau, h, tolerance)
        if error <= 1.0:
            growth = 0.9 * max(error, 1e-10) ** -0.17 * now.error**0.04
            now.step = h * min(max(growth, 0.2), 5.0)
            now.error = max(error, 1e-4)
            now.time = end if h == remaining else now.time + h
            now.steps += 1
            for k in range(y.shape[0]):
                y[k] = trial[k]
                stages[0, k] = stages[6, k]  # the last slope is the next step's first
            normalize_quaternions(model, q)
        else:  # an error that is not a number comes here as well
            now.step = h * max(0.2, 0.9 * error**-0.2) if error < 1e300 else 0.1 * h
            now.rejected += 1
    return REACHED if now.time >= end else UNDERWAY
