# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on a model from outside while it moves: prescribed motion, forces of a callback, springs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..dynamics.constraints import Signal
from ..kinematics.forward import link_row
from ..model import StateError
from ..model.compiling.compiled import CompiledModel, numbers_of
from ..model.text import timed
from ..spatial import ZERO, Vec3, cos_sin
from .external_forces import PUSH, TETHER, aim, arm_of
from .inputs import DEGREE, Inputs
from .schedule import Numbers, Schedule


@dataclass(frozen=True)
class FrameState:
    """The argument of a callback for forces: the motion at a frame, from which it goes on to the next one.

    The number of joints that act, and so the layout of q and qd, can change during a simulation: when joints break, and
    when they are enabled or disabled. `compiled` always has the layout of this call.

    Attributes:
        frame: number of the next frame. time: now, the time of the frame before that one [s].
        q: shape (nq,). qd: shape (nv,).
        X_WL: link poses, shape (L, 7) [m]. V_WL: link twists, shape (L, 6), linear part first [m/s, rad/s].
        compiled: the model with the joints that act now. q[compiled.spans[joint].q] and qd[compiled.spans[joint].v] are
            those of a joint; compiled.link_names has the order of X_WL and V_WL.
        is_new_layout: whether the layout of q and qd is another one than at the call before; True at the first call,
            and at the first one after `Simulation.restore`.
    """

    frame: int
    time: float
    q: np.ndarray
    qd: np.ndarray
    X_WL: np.ndarray
    V_WL: np.ndarray
    compiled: CompiledModel
    is_new_layout: bool


@dataclass(frozen=True)
class Forces:
    """The forces that a callback applies until the next frame.

    They stay constant until then. If a joint breaks, or is disabled, between two frames, its force ends, and all others
    go on.

    Attributes:
        joints: {joint: force on each of its velocity coordinates [N m or N]}. Joints that act at
            another time, but not now, may be named.
        links: {link: (force [N], torque [N m] about the link's origin), six numbers in world axes}.
    """

    joints: Mapping[str, Numbers] = field(default_factory=dict)
    links: Mapping[str, Numbers] = field(default_factory=dict)


@dataclass(frozen=True)
class Tether:
    """A spring and damper that pull a point of a link to a target point, which moves at constant speed within a frame.

    Attributes:
        link: its name. point: in the link's frame [m].
        place: function of the time [s] that gives the target point in the world [m], or None while nothing pulls.
        stiffness [N/m]. damping [N s/m].
    """

    link: str
    point: Vec3
    place: Callable[[float], Numbers | None]
    stiffness: float
    damping: float


@dataclass(frozen=True)
class Controls:
    """Prescribed motion and forces of a simulation.

    Prescribed motion acts through the joints, whatever force that takes. Between two frames it is a polynomial of
    degree 7 through the values of the function at eight times. Where a function jumps, what it moves is placed anew
    without a velocity (`jumps.py`).

    Attributes:
        joints: {joint: function of the time [s] that gives its coordinates, shaped as in a state}.
        links: {link: function of the time [s] that gives its pose X_WL, x y z qw qx qy qz}.
        released: {link: time [s] from which on the motion in `links` is no longer prescribed}. The link goes on with
            the velocity that it has then. Links that are left out are prescribed to the end.
        forces: a callback that is called once at each frame, except the last one, and returns the forces that act until
            the next frame. So a controller with a state of its own can count on one call per period, as in a discrete
            block of Simulink or a periodic update of Drake. After `Simulation.restore`, it is called again for the
            frames that are computed again.
        schedule: properties of the model that change in time, and when joints are enabled.
        tethers: springs that pull links; if it is a list, more can be added while a simulation runs.
    """

    joints: Mapping[str, Callable[[float], Numbers]] = field(default_factory=dict)
    links: Mapping[str, Callable[[float], Numbers]] = field(default_factory=dict)
    released: Mapping[str, float] = field(default_factory=dict)
    forces: Callable[[FrameState], Forces] | None = None
    schedule: Schedule = field(default_factory=Schedule)
    tethers: Sequence[Tether] = ()

    def __post_init__(self):
        """Raise `TypeError` if a prescribed motion is not a function of the time."""
        for what, given in (("joints", self.joints), ("links", self.links)):
            for name, path in given.items():
                if not callable(path):
                    raise TypeError(
                        f"{what} of Controls takes functions of the time, found {path!r} for '{name}'; write "
                        f"{{'{name}': lambda time: …}}"
                    )

    def require(self, compiled: CompiledModel) -> None:
        """Check the names.

        Raises:
            StateError: if a prescribed joint or link does not move or does not exist, or a released link is not
                prescribed.
        """
        for given, known, what in (
            (self.joints, compiled.spans, "joint"),
            (self.links, compiled.link_names, "link"),
            ([tether.link for tether in self.tethers], compiled.link_names, "link"),
        ):
            for name in given:
                if name not in known:
                    raise StateError(f"no {what} '{name}' can be moved; there are: {', '.join(known)}")
        for name in self.released:
            if name not in self.links:
                known = ", ".join(self.links) or "none"
                raise StateError(
                    f"link '{name}' is released, but its motion is not prescribed; prescribed are: {known}"
                )

    def links_led_at(self, time: float) -> dict[str, Callable[[float], Numbers]]:
        """Return those of `links` whose motion is prescribed from a time [s] on."""
        return {name: path for name, path in self.links.items() if time < self.released.get(name, math.inf)}

    def led_from(self, time: float) -> Controls:
        """Return these controls without the links that are released at a time [s] or before."""
        links = self.links_led_at(time)
        return replace(self, links=links, released={name: at for name, at in self.released.items() if name in links})

    @property
    def are_steady(self) -> bool:
        """Return whether nothing changes from frame to frame."""
        return self.schedule.is_steady and not (self.joints or self.links or self.forces or self.tethers)

    def values(self, signal: Signal, compiled: CompiledModel, time: float) -> np.ndarray:
        """Return the prescribed values at a time [s], shape (signal.numbers,).

        Raises:
            StateError: if a function does not return that many finite numbers.
        """
        give = (self.links if signal.of_link else self.joints)[signal.name]
        count = 7 if signal.of_link else compiled.spans[signal.name].joint.nq
        found = give(time)
        given = numbers_of(found)
        what = f"{'link' if signal.of_link else 'joint'} '{signal.name}'"
        if given.shape != (count,) or not np.isfinite(given).all():
            raise StateError(f"{what} takes {count} finite number(s) at {timed(time)}, found {found!r}")
        if signal.place is None and not given[-4:].any():
            raise StateError(f"{what} needs a quaternion w x y z at {timed(time)}, found 0 0 0 0")
        if signal.place is not None:
            return given[signal.place : signal.place + 1]
        return given if count == 7 else np.concatenate([np.zeros(3), given])

    def sample(self, signals: Sequence[Signal], compiled: CompiledModel, begin: float, end: float) -> list[np.ndarray]:
        """Return the prescribed values between two times [s], at the times of `spread`: shape (DEGREE + 1, numbers)
        each.

        Raises:
            StateError: as `values`.
        """
        times = spread(begin, end).tolist()
        return [np.array([self.values(signal, compiled, time) for time in times]) for signal in signals]

    def prescribe(
        self, inputs: Inputs, signals: Sequence[Signal], samples: Sequence[np.ndarray], window: tuple[float, float]
    ) -> Inputs:
        """Return the inputs with polynomials through the samples. window: of the solver's time [s]."""
        if not signals:
            return inputs
        found = []
        for signal, values in zip(signals, samples, strict=True):
            if signal.place is None:
                values = np.hstack([values[:, :3], _aligned(values[:, 3:])])
            found.append(coefficients_through(values))
        coefficients = np.ascontiguousarray(np.concatenate(found, axis=1).T)
        return inputs._replace(signals=coefficients, window=np.array(window))

    def forces_at(self, now: FrameState) -> Forces:
        """Call the callback, and return its forces; none if there is no callback.

        Raises:
            StateError: if it returns something else.
        """
        found = self.forces(now) if self.forces else Forces()
        if not isinstance(found, Forces):
            raise StateError(f"the callback for forces must return Forces, found {found!r} at {timed(now.time)}")
        return found

    def push(self, inputs: Inputs, compiled: CompiledModel, forces: Forces) -> Inputs:
        """Return the inputs with these forces of the callback.

        Raises:
            ModelError: if a joint or link does not exist. StateError: if a count of numbers is wrong, or one is not
                finite.
        """
        applied_tau = compiled.q_from(forces.joints, velocities=True)
        pushes = np.zeros(len(forces.links), PUSH).view(np.recarray)
        for push, (name, wrench) in zip(pushes, forces.links.items(), strict=True):
            aim(push, compiled, link_row(compiled, name), ZERO)
            numbers = numbers_of(wrench)
            if numbers.shape != (6,) or not np.isfinite(numbers).all():
                raise StateError(f"link '{name}' takes a wrench of 6 finite numbers, found {wrench!r}")
            push.wrench = np.roll(numbers, 3)
        return inputs._replace(
            applied_tau=applied_tau, pushes=np.concatenate([inputs.pushes, pushes]).view(np.recarray)
        )

    def pull(self, inputs: Inputs, compiled: CompiledModel, begin: float, end: float) -> Inputs:
        """Return the inputs with the tethers that pull between two times [s].

        Raises:
            StateError: if a target point is not three finite numbers.
        """
        found = []
        for tether in self.tethers:
            places = [tether.place(time) for time in (begin, end)]
            if places[0] is None:
                continue
            here, there = (numbers_of(places[0] if place is None else place) for place in places)
            if here.shape != (3,) or there.shape != (3,) or not np.isfinite([here, there]).all():
                raise StateError(
                    f"link '{tether.link}' is pulled to 3 finite numbers at {timed(begin)}, found {places!r}"
                )
            row = link_row(compiled, tether.link)
            rate = (there - here) / (end - begin)
            arm = arm_of(compiled, row, tether.point)
            found.append((row, compiled.link_body[row], arm, here, rate, tether.stiffness, tether.damping))
        return inputs._replace(tethers=np.array(found, TETHER).view(np.recarray))


def spread(begin: float, end: float) -> np.ndarray:
    """Return the times at which prescribed motion is sampled between two times [s], shape (DEGREE + 1,)."""
    times = begin + (end - begin) * 0.5 * (NODES + 1.0)
    times[-1] = end
    return times


NODES = np.array([-cos_sin(np.pi * k / DEGREE)[0] for k in range(DEGREE + 1)])
"""Chebyshev nodes from -1 to 1. A polynomial through values at these does not oscillate between them."""


def _lagrange(one: int) -> list[float]:
    """Return the coefficients of the polynomial that is 1 at one node and 0 at all others, the constant first.

    They are computed in integers, in which the nodes are multiples of 2^-60, so that only the last division rounds.
    """
    nodes = [int(node * 2.0**60) for node in NODES.tolist()]
    found, there = [1], 1
    for node in nodes[:one] + nodes[one + 1 :]:
        found = [above - node * below for above, below in zip([0, *found], [*found, 0], strict=True)]
        there *= nodes[one] - node
    return [(number << 60 * power) / there for power, number in enumerate(found)]


BASIS = np.array([_lagrange(one) for one in range(DEGREE + 1)])


def coefficients_through(values: np.ndarray) -> np.ndarray:
    """Return the coefficients of polynomials through values at the nodes, both of shape (DEGREE + 1, n).

    Terms are added in a fixed order. A matrix product would call BLAS, whose order of additions depends on the
    processor.
    """
    found = np.zeros((DEGREE + 1, values.shape[1]))
    for powers, value in zip(BASIS, values, strict=True):
        found += np.multiply.outer(powers, value)
    return found


def _aligned(quats: np.ndarray) -> np.ndarray:
    """Return quaternions, shape (n, 4), each with the sign that is nearer to the one before."""
    flips = np.where(np.sum(quats[1:] * quats[:-1], axis=1) < 0.0, -1.0, 1.0)
    return quats * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
