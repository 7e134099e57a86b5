# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion that a preview shows: computed a bit at a time, kept, and with every pull of the mouse in it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.spatial import IDENTITY, Pose, Vec3, add, compose, dot, scale, sub
from .. import bake, bridge

if TYPE_CHECKING:
    from ...core.solvers import Simulation, Snapshot, Tether

FREQUENCY = 2.0
"""Hertz, with which all that is joined to a link would swing on the pull, at strength 1."""

HARDEST = 10.0
"""Times the weight of all that is joined to a link, the most that it is pulled with, at strength 1.

However far away the mouse is: with more, links become so fast that they pass a wall in one convex step.
"""

AHEAD = HARDEST * 9.81 / (math.tau * FREQUENCY) ** 2
"""Metres from the held point to where the spring pulls it, at most."""

LONGEST = 1200.0
"""Seconds that a motion may go on beyond its range."""

KEPT_EVERY = 4
"""Frames from one state that is kept to the next: a motion that is cut goes on from the last one before."""

NUMBERS, ROOM = 13, 1e7
"""That a link takes in a frame, and that there is room for beyond the range."""


@dataclass
class Hold:
    """A pull of a link by a point of it.

    Attributes:
        point: in the link's frame [m]. strength: times the usual.
        places: where the spring pulls the point to in the world [m], by the number of the frame.
    """

    link: str
    point: Vec3
    strength: float = 1.0
    places: dict[int, Vec3] = field(default_factory=dict)


class PreviewMotion:
    """From the first frame of a scene's range to the last and, as long as somebody pulls, on; with all pulls so far.

    Attributes:
        frames: of the scene, shape (F,). last: of the range. done: how many are computed.
        touching: by their numbers, the points in which links touch and the forces there [m, N], shape (K, 3) each.
        known: how many have their pulls, so that these are pulled again as they were when all is computed anew.

    Args:
        stand: where the links were before the preview [m], by name.

    Raises:
        ModelError, BakeError: the scene cannot be simulated as it is.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        settings: bake.settings.BakeSettings,
        reading: bridge.read.SceneReading,
        stand: Mapping[str, Pose],
    ):
        self.course = bake.course.Course(scene, settings, reading, stand=stand)
        self.last = self.course.settings.last
        self.frames = self._frames()
        self.known = 0
        self.holds: list[Hold] = []
        self._times = (self.frames - self.frames[0]) / self.course.fps
        self._pieces = bridge.posing.pieces_of(self.course.model)
        self._begin()

    def _frames(self) -> np.ndarray:
        """Those of the range, and as many more as there is room for."""
        own, step = self.course.frames, self.course.spacing
        room = ROOM / (NUMBERS * max(len(self.course.model.links), 1))
        more = int(min(LONGEST * self.course.fps, room) / step)
        return np.concatenate([own, own[-1] + step * np.arange(1, more + 1)])

    def _begin(self) -> None:
        self.tethers: list[Tether] = [self._tether(hold) for hold in self.holds]
        controls = replace(self.course.controls, tethers=self.tethers)
        self.simulation: Simulation = self.course.simulation(times=self._times, controls=controls, record=["efforts"])
        self._kept: list[Snapshot] = []
        self.touching: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._go_on()

    def _go_on(self) -> None:
        self._pending: Iterator[int] = iter(self.simulation)
        self._failure: Exception | None = None

    @property
    def done(self) -> int:
        return self.simulation.frames_done

    @property
    def is_pulled(self) -> bool:
        return any(hold.places for hold in self.holds)

    def poses(self, number: int) -> dict[str, Pose]:
        """X_WL of every link in a computed frame [m], by name."""
        motion = self.simulation.trajectory
        rows = map(tuple, motion.X_WL[number].tolist())
        return dict(zip(motion.link_names, rows, strict=True))

    def compute(self, count: int, seconds: float, hold: Hold | None = None, place: Vec3 | None = None) -> None:
        """Go on until there are `count` frames, or for about so long.

        hold: what pulls in new frames, towards a place in the world [m], as far away as it may be.

        Raises:
            SimulationError: the motion cannot be followed; what was computed is kept.
        """
        if self._failure is not None and count > self.done:
            raise self._failure
        begun = time.perf_counter()
        while self.done < min(count, len(self.frames)):
            number = self.done
            if hold is not None and place is not None and number >= self.known:
                near = self._within_reach(hold, number - 1, place)
                hold.places.setdefault(number - 1, near)
                hold.places[number] = near
            self.known = max(self.known, number + 1)
            self._advance()
            if time.perf_counter() - begun > seconds:
                return

    def _advance(self) -> None:
        from ...core.solvers import SimulationError

        before = self.done
        try:
            next(self._pending)
        except SimulationError as error:
            self._failure = error
            raise
        if self.done == before:
            return
        if found := self.simulation.contacts:
            points, forces = ([getattr(contact, name) for contact in found] for name in ("point", "force"))
            self.touching[before] = np.array(points), np.array(forces)
        if before % KEPT_EVERY == 0:
            self._kept.append(self.simulation.snapshot())

    def take(self, link: str, point: Vec3, number: int, strength: float) -> Hold:
        """Begin to pull a link in the frame after `number`: what was computed beyond that is no more."""
        if self.done > number + 1:
            self.cut(number)
        hold = Hold(link, point, strength)
        self.holds.append(hold)
        self.tethers.append(self._tether(hold))
        return hold

    def cut(self, number: int) -> None:
        """Forget what was computed and pulled after a frame; `compute` goes on from there."""
        for hold in self.holds:
            hold.places = {frame: place for frame, place in hold.places.items() if frame <= number}
        self.holds = [hold for hold in self.holds if hold.places]
        self.tethers[:] = [self._tether(hold) for hold in self.holds]
        self.known = number + 1
        self._kept = [state for state in self._kept if state.frames <= number + 1]
        for frame in [frame for frame in self.touching if frame >= self._kept[-1].frames]:
            del self.touching[frame]
        self.simulation.restore(self._kept[-1])
        self._go_on()

    def take_over(self, before: PreviewMotion) -> None:
        """Pull as another motion of the scene was pulled, before anything is computed."""
        links = {link.name for link in self.course.model.links}
        is_alike = np.array_equal(before.frames[: len(self.frames)], self.frames[: len(before.frames)])
        self.holds = [hold for hold in before.holds if hold.link in links] if is_alike else []
        self.known = before.known if is_alike else 0
        self._begin()

    def _tether(self, hold: Hold) -> Tether:
        from ...core.solvers import Tether

        model = self.course.model
        piece = self._pieces[hold.link]
        mass = sum(link.mass for link in model.links if self._pieces[link.name] == piece)
        rate = math.tau * FREQUENCY * math.sqrt(hold.strength)

        def place(seconds: float) -> Vec3 | None:
            return hold.places.get(int(np.searchsorted(self._times, seconds - 1e-6)))

        stiffness, damping = mass * rate**2, 2.0 * mass * rate
        if any(link.collisions for link in model.links):
            stiffness, damping = self._as_convex_steps_bear(hold, stiffness, damping)
        return Tether(hold.link, hold.point, place, stiffness, damping)

    def _as_convex_steps_bear(self, hold: Hold, stiffness: float, damping: float) -> tuple[float, float]:
        """A spring and a damper, no stronger than convex steps can follow, which take them as they are before a step.

        With a = damping h / m and b = stiffness h^2 / m, a swing of the mass m in steps of h grows where a > 2 or
        b > 2 a, or, where the place moves by the new velocity, where 2 a + b > 4: so both are 1 at most. m is what the
        link alone would resist with at the point, where it yields most; what is joined to it only makes it resist more.
        """
        from ...core.model.compile import compile_model
        from ...core.solvers.touching import Touching

        compiled = compile_model(self.course.model)
        row = compiled.link_names.index(hold.link)
        body = compiled.arrays.bodies[compiled.link_body[row]]
        if body.mass <= 0.0:
            return stiffness, damping
        X_BL, com = tuple(compiled.X_BL[row]), body.moment / body.mass
        arm = np.subtract(compose(X_BL, (*hold.point, *IDENTITY[3:]))[:3], com)
        xx, xy, xz, yy, yz, zz = body.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + body.mass * _crossing(com) @ _crossing(com)
        yields = np.eye(3) / body.mass - _crossing(arm) @ np.linalg.pinv(inertia, hermitian=True) @ _crossing(arm)
        mass, h = 1.0 / np.linalg.eigvalsh(yields)[-1], Touching.CONVEX_STEP[self.course.settings.accuracy]
        return min(stiffness, mass / h**2), min(damping, mass / h)

    def _within_reach(self, hold: Hold, number: int, place: Vec3) -> Vec3:
        """On the way to a place, as far from where the point is in a frame as a pull may be at its hardest [m]."""
        at = compose(self.poses(number)[hold.link], (*hold.point, *IDENTITY[3:]))[:3]
        way = sub(place, at)
        return add(at, scale(way, AHEAD / max(math.sqrt(dot(way, way)), AHEAD)))


def _crossing(a: np.ndarray) -> np.ndarray:
    """The matrix that takes b to a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
