# SPDX-License-Identifier: GPL-3.0-or-later
"""A01 to A05 of the IFToMM multibody benchmark as models: how they start, what is measured of them, what is known.

All are drawn as they start, so that every joint starts at 0.

Source: M. Gonzalez, F. Gonzalez, A. Luaces, J. Cuadrado, A collaborative benchmarking framework for multibody system
dynamics, Engineering with Computers 26 (2010), and its library of problems, lim.ii.udc.es/mbsbenchmark. A03 is also
in Hairer and Wanner, Solving Ordinary Differential Equations II (1996), section VII.7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    ZERO,
    Pose,
    Vec3,
    add,
    compose,
    inverse,
    quat_of_rotvec,
    quat_rotate,
    scale,
)
from limberjack.core.trajectory.trajectory import Trajectory

G = 9.81
DOWN: Vec3 = (0.0, -G, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

Part = tuple[float, Vec3, Vec3]
"""Of a link, in its own axes: mass [kg], centre of mass [m], inertias about that along x, y and z [kg m^2]."""


@dataclass(frozen=True)
class Mechanism:
    """One problem of the benchmark.

    Attributes:
        initial: as `Simulation` takes it [rad, m, rad/s, m/s].
        duration: how long the benchmark runs it [s].
        names: of the numbers that `value` gives.
        value: what is measured, shape (frames, k) [m or rad].
        known: such values by time [s], and where they are from.
        exact: values at times [s], shape (n,), from an exact equation of motion, where there is one.
        forces: motors of constant force or torque, by joint [N or N m].
    """

    name: str
    model: Model
    initial: dict
    duration: float
    names: tuple[str, ...]
    value: Callable[[Trajectory], np.ndarray]
    known: dict[float, tuple[float, ...]]
    source: str
    exact: Callable[[Sequence[float]], np.ndarray] | None = None
    forces: dict[str, float] = field(default_factory=dict)

    def energy_drift(self, trajectory: Trajectory) -> float:
        """Largest |kinetic + potential + dissipated - what the motors have done - what it was at the start| [J]."""
        total = trajectory.kinetic + trajectory.potential + trajectory.dissipated
        for joint, force in self.forces.items():
            total = total - force * coordinate(trajectory, joint)
        return float(np.abs(total - total[:1]).max(initial=0.0))


def coordinate(trajectory: Trajectory, joint: str) -> np.ndarray:
    """Of a joint that has but one, shape (frames,) [rad or m]."""
    return trajectory.q[:, [name for name, _ in trajectory.q_names].index(joint)]


def point_of(trajectory: Trajectory, link: str, at: Vec3) -> np.ndarray:
    """Where a point of a link, given in its frame [m], is in the world, shape (frames, 3) [m]."""
    X_WL = trajectory.X_WL[:, trajectory.link_names.index(link)]
    axis = X_WL[:, 4:]
    aside = np.cross(axis, at)
    return X_WL[:, :3] + at + 2.0 * (X_WL[:, 3:4] * aside + np.cross(axis, aside))


def box(mass: float, size: Vec3, com: Vec3) -> Part:
    """A solid box; lengths of 0 make it a thin plate or rod."""
    xx, yy, zz = (mass / 12.0 * length**2 for length in size)
    return mass, com, (yy + zz, xx + zz, xx + yy)


def body(name: str, pose: Pose | Vec3, *parts: Part) -> Link:
    """A link of several parts; their inertias are summed about the common centre of mass."""
    mass = sum(part[0] for part in parts)
    com = np.sum([np.multiply(m, at) for m, at, _ in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for m, at, own in parts:
        arm = np.subtract(at, com)
        inertia += np.diag(own) + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    X_WL = (*pose, *IDENTITY_QUAT) if len(pose) == 3 else pose
    return Link(name, mass, tuple(com.tolist()), tuple(inertia[np.triu_indices(3)].tolist()), X_WL)


def turned_z(place: Vec3, angle: float) -> Pose:
    """A frame at a place [m] of the world, turned about z [rad]."""
    return (*place, *quat_of_rotvec((0.0, 0.0, angle)))


def seen(X_WL: Pose, at: Vec3) -> Vec3:
    """A point, given in a frame [m], in the world."""
    return add(X_WL[:3], quat_rotate(X_WL[3:], at))


def join(
    model: Model, name: str, kind: str, parent: str, child: str, at: Vec3, axis: Vec3 | Axis = Z, to: Vec3 | None = None
) -> None:
    """Add a joint with its frame in the parent `at` a point of the world [m], and that in the child there, or at `to`.

    Its axis is given in the world's axes.
    """
    X_PJ, X_CJ = (
        compose(inverse(IDENTITY if link == WORLD else model.link(link).pose), (*place, *IDENTITY_QUAT))
        for link, place in ((parent, at), (child, to or at))
    )
    axis = axis if isinstance(axis, Axis) else Axis(xyz=axis)
    model.joints.append(Joint(name, kind, parent, child, X_PJ, X_CJ, [axis], closes_loop=to is not None))


def simple_pendulum() -> Mechanism:
    """A01: a point mass on a massless bar, let go from the horizontal."""
    model = Model("A01", [body("bob", ZERO, (1.0, (-1.0, 0.0, 0.0), ZERO))], gravity=DOWN)
    join(model, "pivot", "continuous", WORLD, "bob", ZERO)

    def exact(times: Sequence[float]) -> np.ndarray:
        """sin(a / 2) = sqrt(1/2) cd(sqrt(g) t | 1/2), a the angle from straight down (Whittaker, Dynamics)."""
        _, cn, dn, _ = ellipj(math.sqrt(G) * np.asarray(times), 0.5)
        angle = -2.0 * np.arcsin(math.sqrt(0.5) * cn / dn)
        return np.stack([np.sin(angle), -np.cos(angle)], axis=1)

    return Mechanism(
        "A01 simple pendulum",
        model,
        {},
        10.0,
        ("x", "y"),
        lambda run: point_of(run, "bob", (-1.0, 0.0, 0.0))[:, :2],
        {1.0: (0.9862917511, -0.1650108531), 2.0: (-0.7935661953, -0.6084839304)},
        "closed form, by Jacobi's elliptic functions",
        exact,
    )


def exact_four_bars(count: int, times: Sequence[float]) -> np.ndarray:
    """Tips of the first crank, shape (n, 2) [m], from Lagrange's equation of the one freedom that there is.

    All cranks stand at the angle a from the x axis: a'' = -k g cos a, a(0) = 90 degrees, a'(0) = -1 rad/s.
    """
    k = ((count + 1) / 2 + count) / ((count + 1) / 3 + count)
    at, back = np.unique(np.asarray(times, dtype=float), return_inverse=True)
    start, span = (math.pi / 2, -1.0), (0.0, max(at[-1], 1e-9))
    run = solve_ivp(lambda _, y: (y[1], -k * G * math.cos(y[0])), span, start, "DOP853", at, rtol=1e-13, atol=1e-13)
    angle = run.y[0][back]
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def four_bars(count: int = 2) -> Mechanism:
    """A02: parallel cranks in a row, couplers from tip to tip, singular whenever all lies flat."""
    model = Model("A02", gravity=DOWN)
    for i in range(count + 1):
        model.links.append(body(f"crank{i}", (float(i), 0.0, 0.0), box(1.0, Y, (0.0, 0.5, 0.0))))
    for i in range(count):
        model.links.append(body(f"coupler{i}", (float(i), 1.0, 0.0), box(1.0, X, (0.5, 0.0, 0.0))))
    for i in range(count + 1):
        join(model, f"pivot{i}", "revolute", WORLD, f"crank{i}", (float(i), 0.0, 0.0))
    for i in range(count):
        join(model, f"left{i}", "revolute", f"crank{i}", f"coupler{i}", (float(i), 1.0, 0.0))
        join(model, f"right{i}", "revolute", f"crank{i + 1}", f"coupler{i}", (i + 1.0, 1.0, 0.0))
    rates = {f"pivot{i}": -1.0 for i in range(count + 1)} | {f"left{i}": 1.0 for i in range(count)}

    known = {
        2: {1.0: (-0.195020302, -0.980799206), 2.0: (0.057815796, 0.998327268)},
        40: {1.0: (-0.115356881, -0.993324111), 2.0: (0.034466307, 0.999405860)},
    }
    return Mechanism(
        f"A02 {count} four-bars",
        model,
        {"qd": rates},
        20.0 if count >= 40 else 10.0,
        ("x", "y"),
        lambda run: point_of(run, "crank0", (0.0, 1.0, 0.0))[:, :2],
        known.get(count, {}),
        "its one-freedom equation of motion, integrated by SciPy's DOP853",
        partial(exact_four_bars, count),
    )


ANDREWS_START = {
    "beta": -0.0617138900142764496,
    "Theta": 0.0,
    "gamma": 0.4552798191630703803,
    "Phi": 0.2226683901658858847,
    "delta": 0.4873649795438425502,
    "Omega": -0.2226683901658858847,
    "epsilon": 1.2305474445498211925,
}
"""The seven angles of A03 at the start [rad]: each turns the joint of its name."""
ANDREWS_END = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
)
"""And at 0.03 s."""
ANDREWS_BODIES = {
    "K1": (0.04325, 2.194e-6, (0.00092, 0.0, 0.0)),
    "K2": (0.00365, 4.410e-7, (-0.0115, 0.0, 0.0)),
    "K3": (0.02373, 5.255e-6, (0.01043, -0.01874, 0.0)),
    "K4": (0.00706, 5.667e-7, (0.0, 0.01421 - 0.02, 0.0)),
    "K5": (0.07050, 1.169e-5, (0.02308, 0.00916, 0.0)),
    "K6": (0.00706, 5.667e-7, (0.02 - 0.01421, 0.0, 0.0)),
    "K7": (0.05498, 1.912e-5, (-0.00449, -0.01228, 0.0)),
}
"""Mass [kg], inertia about the com [kg m^2], com in a frame at the hinge, turned by the body's absolute angle [m]."""


def squeezing_mechanism() -> Mechanism:
    """A03: Andrews' squeezing mechanism, which lives for 30 ms."""
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
    beta, theta, gamma, phi, delta, omega, epsilon = ANDREWS_START.values()
    K1, K3, K5, K7 = turned_z(ZERO, beta), turned_z(B, gamma), turned_z(A, delta), turned_z(A, epsilon)
    K2 = turned_z(seen(K1, (0.007, 0.0, 0.0)), beta + theta)
    K4 = turned_z(seen(K5, (0.04, 0.0, 0.0)), phi + delta)
    K6 = turned_z(seen(K7, (0.0, -0.04, 0.0)), omega + epsilon)
    E, D = seen(K2, (-0.028, 0.0, 0.0)), seen(K3, (0.02, -0.018, 0.0))
    model = Model("A03", gravity=ZERO)
    for (name, (mass, inertia, com)), pose in zip(ANDREWS_BODIES.items(), (K1, K2, K3, K4, K5, K6, K7), strict=True):
        # a flat body's inertias: the motion in its plane knows only the last one
        model.links.append(body(name, pose, (mass, com, (inertia / 2.0, inertia / 2.0, inertia))))
    for name, parent, child, at in (
        ("beta", WORLD, "K1", K1[:3]),
        ("Theta", "K1", "K2", K2[:3]),
        ("gamma", WORLD, "K3", B),
        ("Phi", "K5", "K4", K4[:3]),
        ("delta", WORLD, "K5", A),
        ("Omega", "K7", "K6", K6[:3]),
        ("epsilon", WORLD, "K7", A),
        ("E3", "K2", "K3", E),
        ("E4", "K2", "K4", E),
        ("E6", "K2", "K6", E),
    ):
        join(model, name, "revolute", parent, child, at)
    join(model, "spring", "distance", WORLD, "K3", C, Axis(spring_stiffness=4530.0, spring_reference=0.07785), to=D)
    return Mechanism(
        "A03 Andrews' squeezing mechanism",
        model,
        {},
        0.03,
        tuple(ANDREWS_START),
        lambda run: np.stack([start + coordinate(run, name) for name, start in ANDREWS_START.items()], axis=1),
        {0.0: tuple(ANDREWS_START.values()), 0.03: ANDREWS_END},
        "Test Set for IVP Solvers, Bari, 'andrews'",
        forces={"beta": 0.033},
    )


def bricard() -> Mechanism:
    """A04: six hinges along the edges of a cube, five bars; rigid by Gruebler's count, yet it moves."""
    corners = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
    model = Model("A04", gravity=DOWN)
    for i in range(5):
        way = np.subtract(corners[i + 1], corners[i])
        size = tuple(np.where(way, 1.0, 0.1).tolist())
        middle = tuple((np.add(corners[i], corners[i + 1]) / 2.0).tolist())
        model.links.append(body(f"bar{i + 1}", middle, box(1.0, size, ZERO)))
    for i, axis in enumerate((Y, Z, X, Y, Z)):
        join(model, f"P{i}", "revolute", f"bar{i}" if i else WORLD, f"bar{i + 1}", corners[i], axis)
    join(model, "P5", "revolute", WORLD, "bar5", corners[5], X)
    return Mechanism(
        "A04 Bricard's mechanism",
        model,
        {},
        10.0,
        ("x", "y", "z"),
        lambda run: point_of(run, "bar3", (0.0, 0.0, 0.5)),
        {0.0: (1.0, -1.0, 1.0), 1.0: (0.51050146, -1.64916760, 0.14012311)},
        "computed for this project with SciPy, tolerances 1e-11",
    )


def flyball_governor() -> Mechanism:
    """A05: two rods with balls on a turning shaft, each held by a stiff spring-damper to a slider on the shaft."""
    density, reach, droop = 3000.0, 0.05, math.radians(30.0)
    thin = density * 1.0 * 0.01 * 0.01
    start: Vec3 = (0.0, 0.5, 0.0)
    model = Model("A05", gravity=DOWN)
    model.links.append(body("shaft", ZERO, box(thin, (0.01, 1.0, 0.01), (0.0, 0.5, 0.0))))
    model.links.append(body("slider", start, box(density * 0.1**3, (0.1, 0.1, 0.1), ZERO)))
    join(model, "spin", "continuous", WORLD, "shaft", ZERO, Y)
    join(model, "slide", "prismatic", "shaft", "slider", start, Y)
    pull = Axis(spring_stiffness=8e5, spring_reference=0.5, damping=4e4)
    for side, sign, angle in (("right", 1.0, -droop), ("left", -1.0, math.pi + droop)):
        pivot = (sign * reach, 1.0, 0.0)
        along = (math.cos(angle), math.sin(angle), 0.0)
        rod, ball = box(thin, (1.0, 0.01, 0.01), (0.5, 0.0, 0.0)), (5.0, X, ZERO)
        model.links.append(body(side, turned_z(pivot, angle), rod, ball))
        join(model, f"{side}_pivot", "revolute", "shaft", side, pivot)
        middle = add(pivot, scale(along, 0.5))
        join(model, f"{side}_spring", "distance", side, "slider", middle, pull, to=(sign * reach, 0.5, 0.0))
    return Mechanism(
        "A05 flyball governor",
        model,
        {"qd": {"spin": 2.0 * math.pi}},
        10.0,
        ("s",),
        lambda run: point_of(run, "slider", ZERO)[:, 1:2],
        {0.0: (0.5,), 0.1: (0.523836476,), 0.5: (0.743249425,), 1.0: (0.501420922,)},
        "computed for this project with SciPy, tolerances 1e-11",
    )


MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "A01": simple_pendulum,
    "A02": four_bars,
    "A03": squeezing_mechanism,
    "A04": bricard,
    "A05": flyball_governor,
}
