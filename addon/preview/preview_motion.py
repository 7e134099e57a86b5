# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a preview: computed part by part, kept, and with every pull of the mouse in it."""

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
    from ...core.simulation import Simulation, Snapshot, Tether

FREQUENCY = 2.0
"""Natural frequency of everything that is joined to a link on the spring of the pull, at strength 1 [Hz]."""

HARDEST = 10.0
"""Largest force of a pull, as a multiple of the weight of everything that is joined to the link, at strength 1.

It does not depend on the distance of the mouse. With more, links become so fast that they pass through a wall in one
convex step.
"""

AHEAD = HARDEST * 9.81 / (math.tau * FREQUENCY) ** 2
"""Largest distance from the held point to the point to which the spring pulls it [m]."""

LONGEST = 1200.0
"""Longest time by which a motion may exceed its range [s]."""

KEPT_EVERY = 4
"""Number of frames between stored states. A motion that is cut continues from the last stored state."""

NUMBERS = 13
"""Count of numbers that a link takes in a frame."""

ROOM = 1e7
"""Count of numbers that may be stored beyond the range, which bounds the memory."""


@dataclass
class Hold:
    """A pull of a link by one of its points.

    Attributes:
        point: in the link's frame [m]. strength: factor of the usual strength.
        places: points in the world to which the spring pulls [m], by index of the frame.
    """

    link: str
    point: Vec3
    strength: float = 1.0
    places: dict[int, Vec3] = field(default_factory=dict)


class PreviewMotion:
    """A motion from the first frame of a scene's range to the last, with all pulls so far. It goes on while the user
    pulls.

    Attributes:
        frames: of the scene, shape (F,). last: last frame of the range. done: number of computed frames.
        touching: contact points [m] and contact forces [N], shape (K, 3) each, by index of the frame.
        known: number of frames whose pulls are stored, so that they are repeated when the motion is computed again.

    Args:
        present_poses: poses of the links before the preview [m], by name.

    Raises:
        ModelError, BakeError: if the scene cannot be simulated as it is.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        settings: bake.settings.BakeSettings,
        reading: bridge.scene.read.SceneReading,
        present_poses: Mapping[str, Pose],
    ):
        self.inputs = bake.inputs.simulation_inputs.SimulationInputs(
            scene, settings, reading, present_poses=present_poses
        )
        self.last = self.inputs.settings.last
        self.frames = self._frames()
        self.known = 0
        self.holds: list[Hold] = []
        self._times = (self.frames - self.frames[0]) / self.inputs.fps
        self._components = bridge.posing.posing.components_of(self.inputs.model)
        self._begin()

    def _frames(self) -> np.ndarray:
        """Return the frames of the range, and as many more as `LONGEST` and `ROOM` allow, shape (F,)."""
        own, step = self.inputs.frames, self.inputs.spacing
        room = ROOM / (NUMBERS * max(len(self.inputs.model.links), 1))
        more = int(min(LONGEST * self.inputs.fps / step, room))
        return np.concatenate([own, own[-1] + step * np.arange(1, more + 1)])

    def _begin(self) -> None:
        self.tethers: list[Tether] = [self._tether(hold) for hold in self.holds]
        controls = replace(self.inputs.controls, tethers=self.tethers)
        self.simulation: Simulation = self.inputs.simulation(times=self._times, controls=controls, record=["efforts"])
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
        """Return the pose X_WL of every link in a computed frame [m], by name."""
        motion = self.simulation.trajectory
        rows = map(tuple, motion.X_WL[number].tolist())
        return dict(zip(motion.link_names, rows, strict=True))

    def compute(self, count: int, seconds: float, hold: Hold | None = None, place: Vec3 | None = None) -> None:
        """Compute until there are `count` frames, or for about `seconds`.

        Args:
            hold: the pull in new frames; None for none.
            place: point in the world to which it pulls [m]; it may be far away.

        Raises:
            SimulationError: if the simulation fails; the computed frames are kept.
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
        from ...core.simulation import SimulationError

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
        """Begin to pull a link in the frame after `number`, and drop the frames after it."""
        if self.done > number + 1:
            self.cut(number)
        hold = Hold(link, point, strength)
        self.holds.append(hold)
        self.tethers.append(self._tether(hold))
        return hold

    def cut(self, number: int) -> None:
        """Drop frames and pulls after a frame; `compute` continues from there."""
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
        """Take the pulls of another motion of the scene, before anything is computed."""
        links = {link.name for link in self.inputs.model.links}
        is_alike = np.array_equal(before.frames[: len(self.frames)], self.frames[: len(before.frames)])
        self.holds = [hold for hold in before.holds if hold.link in links] if is_alike else []
        self.known = before.known if is_alike else 0
        self._begin()

    def _tether(self, hold: Hold) -> Tether:
        from ...core.simulation import Tether

        model = self.inputs.model
        component = self._components[hold.link]
        mass = sum(link.mass for link in model.links if self._components[link.name] == component)
        rate = math.tau * FREQUENCY * math.sqrt(hold.strength)

        def place(seconds: float) -> Vec3 | None:
            return hold.places.get(int(np.searchsorted(self._times, seconds - 1e-6)))

        stiffness, damping = mass * rate**2, 2.0 * mass * rate
        if any(link.collisions for link in model.links):
            stiffness, damping = self._as_convex_steps_bear(hold, stiffness, damping)
        return Tether(hold.link, hold.point, place, stiffness, damping)

    def _as_convex_steps_bear(self, hold: Hold, stiffness: float, damping: float) -> tuple[float, float]:
        """Return stiffness and damping, limited so that convex steps are stable.

        Convex steps evaluate the pull at the beginning of a step. With a = damping h / m and b = stiffness h^2 / m, an
        oscillation of the mass m in steps of h grows if a > 2 or b > 2 a, or, if the position is advanced by the new
        velocity, if 2 a + b > 4. So both are limited to 1. m is the effective mass of the link alone at the point, in
        the direction in which it is least; everything that is joined to the link only increases it.
        """
        from ...core.model.compiling.compile import compile_model
        from ...core.solvers.hybrid_contact.solver import HybridContactSolver

        compiled = compile_model(self.inputs.model)
        row = compiled.link_names.index(hold.link)
        body = compiled.arrays.bodies[compiled.link_body[row]]
        if body.mass <= 0.0:
            return stiffness, damping
        X_BL, com = tuple(compiled.X_BL[row]), body.moment / body.mass
        arm = np.subtract(compose(X_BL, (*hold.point, *IDENTITY[3:]))[:3], com)
        xx, xy, xz, yy, yz, zz = body.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + body.mass * _crossing(com) @ _crossing(com)
        yields = np.eye(3) / body.mass - _crossing(arm) @ np.linalg.pinv(inertia, hermitian=True) @ _crossing(arm)
        mass, h = 1.0 / np.linalg.eigvalsh(yields)[-1], HybridContactSolver.CONVEX_STEP[self.inputs.settings.accuracy]
        return min(stiffness, mass / h**2), min(damping, mass / h)

    def _within_reach(self, hold: Hold, number: int, place: Vec3) -> Vec3:
        """Return the point in the direction of `place`, at most `AHEAD` from the held point in a frame [m]."""
        at = compose(self.poses(number)[hold.link], (*hold.point, *IDENTITY[3:]))[:3]
        way = sub(place, at)
        return add(at, scale(way, AHEAD / max(math.sqrt(dot(way, way)), AHEAD)))


def _crossing(a: np.ndarray) -> np.ndarray:
    """Return the matrix of the cross product, shape (3, 3): it maps b to a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
