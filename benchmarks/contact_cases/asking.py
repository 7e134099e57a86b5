# SPDX-License-Identifier: GPL-3.0-or-later
"""What a case asks of the engine: motions, and the thresholds between what holds and what does not."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from limberjack.core.diagnosis import SimulationError
from limberjack.core.kinematics import tree_kinematics
from limberjack.core.kinematics.proximity.distances import Proximity
from limberjack.core.simulation import Controls, Simulation

from .references import LEVELS, Reference
from .worlds import World

HAS_CONTACT = "contact" in inspect.signature(Simulation.__init__).parameters
WIDTH = 3.0
"""Of the bracket in which a threshold is sought, to either side, in tolerances at draft."""


class MissedError(RuntimeError):
    """A measure cannot be read, and why."""


class Motion:
    """What came of a simulation.

    Attributes:
        t: times of the frames that were computed, shape (F,) [s].
        impacts: all of them, in order. contacts: a list for each frame, where asked for, else only the last one's.
    """

    def __init__(self, simulation: Simulation, contacts: list[list]):
        trajectory = simulation.trajectory
        self.simulation, self.trajectory, self.contacts = simulation, trajectory, contacts
        self.t, self.names = trajectory.times, trajectory.link_names
        self.impacts = list(getattr(simulation, "impacts", ()))
        self.gravity = np.array(simulation.compiled.model.gravity)
        compiled = simulation.compiled
        moved = [tree_kinematics(compiled, q, qd) for q, qd in zip(trajectory.q, trajectory.qd, strict=True)]
        self.X = np.array([poses for poses, _ in moved])
        self.V = np.array([twists for _, twists in moved])

    def _link(self, name: str):
        return self.simulation.compiled.model.link(name)

    def rotations(self, name: str) -> np.ndarray:
        """Shape (F, 3, 3): columns are the link's axes in the world."""
        w, x, y, z = self.X[:, self.names.index(name), 3:].T
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=1)

    def point(self, name: str, place: np.ndarray) -> np.ndarray:
        """Where a point of a link is in the world, shape (F, 3); place: in the link's frame."""
        return self.X[:, self.names.index(name), :3] + self.rotations(name) @ np.asarray(place, float)

    def x(self, name: str) -> np.ndarray:
        """Of the centre of mass, shape (F, 3) [m]."""
        return self.point(name, self._link(name).com)

    def v(self, name: str) -> np.ndarray:
        """Of the centre of mass, world axes, shape (F, 3) [m/s]."""
        arm = self.rotations(name) @ np.array(self._link(name).com)
        return self.V[:, self.names.index(name), :3] + np.cross(self.w(name), arm)

    def w(self, name: str) -> np.ndarray:
        """World axes, shape (F, 3) [rad/s]."""
        return self.V[:, self.names.index(name), 3:]

    def spin(self, name: str) -> np.ndarray:
        """The angular momentum about the link's own centre, world axes, shape (F, 3)."""
        xx, xy, xz, yy, yz, zz = self._link(name).inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        R = self.rotations(name)
        return np.einsum("fij,jk,flk,fl->fi", R, inertia, R, self.w(name))

    def kinetic(self, name: str) -> np.ndarray:
        moving = 0.5 * self._link(name).mass * (self.v(name) ** 2).sum(axis=1)
        return moving + 0.5 * (self.w(name) * self.spin(name)).sum(axis=1)

    def energy(self, name: str) -> np.ndarray:
        """Kinetic and gravitational, the latter 0 at the world's origin [J]."""
        return self.kinetic(name) - self._link(name).mass * self.x(name) @ self.gravity

    def force(self, first: str, second: str, frame: int = -1) -> np.ndarray:
        """What the first link does to the second by all their contacts at a frame whose contacts were kept [N]."""
        found = np.zeros(3)
        for contact in self.contacts[frame]:
            if (contact.first, contact.second) == (first, second):
                found += contact.force
            elif (contact.second, contact.first) == (first, second):
                found -= contact.force
        return found

    def penetration(self, every: int = 1, begin: float = 0.0) -> float:
        """The deepest overlap at the frames from a time on, measured by core/collision, not by the solver [m]."""
        near = Proximity(self.simulation.compiled.model)
        deepest = 0.0
        for q in self.trajectory.q[self.t >= begin][::-every]:
            near.place(q)
            deepest = max(deepest, *(-found.gap for found in near.pairs_nearer(0.0)), 0.0)
        return deepest

    def blows(self, within: float = 1e-6) -> list[list]:
        """The impacts, those of one moment together."""
        found: list[list] = []
        for impact in self.impacts:
            if found and impact.time - found[-1][0].time <= within:
                found[-1].append(impact)
            else:
                found.append([impact])
        return found


@dataclass
class Asker:
    """Asks at one accuracy, and counts what it took.

    Attributes:
        limit: seconds of wall time for one run. steps, wall, runs: of all runs so far.
    """

    reference: Reference
    accuracy: str
    limit: float = math.inf
    steps: int = 0
    wall: float = 0.0
    runs: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def p(self) -> dict:
        return self.reference.parameters

    def simulate(
        self,
        world: World,
        times: np.ndarray | list[float],
        controls: Controls | None = None,
        keep_contacts: bool = False,
        until: Callable[[np.ndarray], bool] | None = None,
    ) -> Motion:
        """until: ends the run once it is true of a frame's link poses, shape (L, 7).

        Raises:
            MissedError: it took longer than the limit. SimulationError: the engine gave up.
        """
        more = {"contact": True} if HAS_CONTACT else {}
        simulation = Simulation(
            world.model, np.asarray(times, float), self.accuracy, world.initial, controls=controls, **more
        )
        contacts: list[list] = []
        begun, done = time.perf_counter(), 0
        self.runs += 1
        try:
            for done in simulation:
                if keep_contacts and done > len(contacts):
                    contacts.append(list(getattr(simulation, "contacts", ())))
                if time.perf_counter() - begun > self.limit:
                    raise MissedError(f"took more than {self.limit:g} s, and reached frame {done} of {len(simulation)}")
                if until and done and until(simulation.trajectory.X_WL[done - 1]):
                    break
        finally:
            self.wall += simulation.report.wall_time
            self.steps += simulation.report.steps
        if not keep_contacts:
            contacts = [list(getattr(simulation, "contacts", ()))]
        return Motion(simulation, contacts)

    def simulate_as_far(self, world: World, times: np.ndarray, limit: float) -> tuple[Motion, str]:
        """As far as it comes within seconds of wall time, or at all, and why it came no further; empty where it did."""
        more = {"contact": True} if HAS_CONTACT else {}
        simulation = Simulation(world.model, times, self.accuracy, world.initial, **more)
        failed, begun = "", time.perf_counter()
        try:
            for _ in simulation.parts():
                if time.perf_counter() - begun > limit:  # a report each time would be in the way of what is measured
                    break
        except SimulationError as error:
            failed = str(error)
        self.wall, self.steps = simulation.report.wall_time, simulation.report.steps
        return Motion(simulation, []), failed

    def threshold(self, name: str, holds: Callable[[float], bool], scale: float = 1.0) -> float:
        """The largest number at which something holds, by halving a bracket around what is expected.

        Below it holds; with scale -1 above. The bracket is no mirror of itself, so that no halving meets the expected
        number; it ends at half the tolerance of "exact", so that halving is off by a quarter of that.

        Raises:
            MissedError: it holds at both ends, or at neither.
        """
        measure = self.reference.measures[name]
        expected, width = measure.value, WIDTH * measure.tolerances[LEVELS[-1]]
        low, high = expected - 1.03 * scale * width, expected + 0.93 * scale * width
        for end, wanted in ((low, True), (high, False)):
            if holds(end) != wanted:
                raise MissedError(
                    f"at {end:.5g} it {'does not hold, but should' if wanted else 'holds, but should not'}"
                )
        while abs(high - low) > 0.5 * measure.tolerances[LEVELS[0]]:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if holds(middle) else (low, middle)
        return 0.5 * (low + high)
