# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a preview, which is computed frame by frame and includes every pull of the mouse."""

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

MOST_FORCE = 10.0
"""Largest force of a pull, as a multiple of the weight of everything that is joined to the link, at strength 1.

It does not depend on the distance of the mouse. With more, links become so fast that they pass through a wall in one
convex step.
"""

MOST_STRETCH = MOST_FORCE * 9.81 / (math.tau * FREQUENCY) ** 2
"""Largest distance from the grabbed point to the point to which the spring pulls it [m]."""

MOST_EXTRA_TIME = 1200.0
"""Longest time by which a motion may exceed its range [s]."""

SNAPSHOT_INTERVAL = 4
"""Number of frames between stored states. A motion that is cut continues from the last stored state."""

NUMBERS_PER_LINK = 13
"""Count of numbers that a link takes in a frame."""

MOST_EXTRA_NUMBERS = 1e7
"""Count of numbers that may be stored beyond the range, which bounds the memory."""


@dataclass
class MousePull:
    """A pull of a link by one of its points.

    Attributes:
        point: in the link's frame [m]. strength: factor of the usual strength.
        targets: points in the world to which the spring pulls [m], by index of the frame.
    """

    link: str
    point: Vec3
    strength: float = 1.0
    targets: dict[int, Vec3] = field(default_factory=dict)


class PreviewMotion:
    """A motion from the first frame of a scene's range to the last, with all pulls so far. It continues beyond the
    range while the user pulls.

    Attributes:
        frames: of the scene, shape (F,). last: last frame of the range. done: number of computed frames.
        touching: contact points [m] and contact forces [N], shape (K, 3) each, by index of the frame.
        frames_with_stored_pulls: number of frames whose pulls are stored. They are repeated when the motion is computed
            again.

    Args:
        own_poses: poses of the links before the preview [m], by name.

    Raises:
        ModelError, BakeError: if the scene cannot be simulated as it is.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        settings: bake.settings.BakeSettings,
        reading: bridge.scene.read.SceneReading,
        own_poses: Mapping[str, Pose],
    ):
        self.inputs = bake.inputs.simulation_inputs.SimulationInputs(scene, settings, reading, present_poses=own_poses)
        self.last = self.inputs.settings.last
        self.frames = self._frames()
        self.frames_with_stored_pulls = 0
        self.pulls: list[MousePull] = []
        self._times = (self.frames - self.frames[0]) / self.inputs.fps
        self._components = bridge.posing.posing.components_of(self.inputs.model)
        self._begin()

    def _frames(self) -> np.ndarray:
        """Return the frames of the range and further ones, shape (F,).

        `MOST_EXTRA_TIME` and `MOST_EXTRA_NUMBERS` bound the number of further frames.
        """
        own, step = self.inputs.frames, self.inputs.spacing
        affordable = MOST_EXTRA_NUMBERS / (NUMBERS_PER_LINK * max(len(self.inputs.model.links), 1))
        more = int(min(MOST_EXTRA_TIME * self.inputs.fps / step, affordable))
        return np.concatenate([own, own[-1] + step * np.arange(1, more + 1)])

    def _begin(self) -> None:
        self.tethers: list[Tether] = [self._tether(pull) for pull in self.pulls]
        controls = replace(self.inputs.controls, tethers=self.tethers)
        self.simulation: Simulation = self.inputs.simulation(
            times=self._times, numbers=self.frames, controls=controls, record=["efforts"]
        )
        self._snapshots: list[Snapshot] = []
        self.touching: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._resume()

    def _resume(self) -> None:
        self._pending: Iterator[int] = iter(self.simulation)
        self._failure: Exception | None = None

    @property
    def done(self) -> int:
        return self.simulation.frames_done

    @property
    def is_pulled(self) -> bool:
        return any(pull.targets for pull in self.pulls)

    def poses(self, number: int) -> dict[str, Pose]:
        """Return the pose X_WL of every link in a computed frame [m], by name."""
        motion = self.simulation.trajectory
        rows = map(tuple, motion.X_WL[number].tolist())
        return dict(zip(motion.link_names, rows, strict=True))

    def compute(self, count: int, seconds: float, pull: MousePull | None = None, target: Vec3 | None = None) -> None:
        """Compute until there are `count` frames, or for about `seconds`.

        Args:
            pull: the pull in new frames; None for none.
            target: point in the world to which it pulls [m]; it may be far away.

        Raises:
            SimulationError: if the simulation fails; the computed frames are kept.
        """
        if self._failure is not None and count > self.done:
            raise self._failure
        begun = time.perf_counter()
        while self.done < min(count, len(self.frames)):
            number = self.done
            if pull is not None and target is not None and number >= self.frames_with_stored_pulls:
                reachable = self._within_reach(pull, number - 1, target)
                pull.targets.setdefault(number - 1, reachable)
                pull.targets[number] = reachable
            self.frames_with_stored_pulls = max(self.frames_with_stored_pulls, number + 1)
            self._advance()
            if time.perf_counter() - begun > seconds:
                return

    def _advance(self) -> None:
        from ...core.diagnosis import SimulationError

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
        if before % SNAPSHOT_INTERVAL == 0:
            self._snapshots.append(self.simulation.snapshot())

    def begin_pull(self, link: str, point: Vec3, number: int, strength: float) -> MousePull:
        """Begin to pull a link in the frame after `number`, and drop the frames after it."""
        if self.done > number + 1:
            self.drop_frames_after(number)
        pull = MousePull(link, point, strength)
        self.pulls.append(pull)
        self.tethers.append(self._tether(pull))
        return pull

    def drop_frames_after(self, number: int) -> None:
        """Drop frames and pulls after a frame; `compute` continues from there."""
        for pull in self.pulls:
            pull.targets = {frame: target for frame, target in pull.targets.items() if frame <= number}
        self.pulls = [pull for pull in self.pulls if pull.targets]
        self.tethers[:] = [self._tether(pull) for pull in self.pulls]
        self.frames_with_stored_pulls = number + 1
        self._snapshots = [state for state in self._snapshots if state.frames <= number + 1]
        for frame in [frame for frame in self.touching if frame >= self._snapshots[-1].frames]:
            del self.touching[frame]
        self.simulation.restore(self._snapshots[-1])
        self._resume()

    def adopt_pulls(self, before: PreviewMotion) -> None:
        """Take the pulls of another motion of the scene, before anything is computed."""
        links = {link.name for link in self.inputs.model.links}
        is_alike = np.array_equal(before.frames[: len(self.frames)], self.frames[: len(before.frames)])
        self.pulls = [pull for pull in before.pulls if pull.link in links] if is_alike else []
        self.frames_with_stored_pulls = before.frames_with_stored_pulls if is_alike else 0
        self._begin()

    def _tether(self, pull: MousePull) -> Tether:
        from ...core.simulation import Tether

        model = self.inputs.model
        component = self._components[pull.link]
        mass = sum(link.mass for link in model.links if self._components[link.name] == component)
        rate = math.tau * FREQUENCY * math.sqrt(pull.strength)

        def target(seconds: float) -> Vec3 | None:
            return pull.targets.get(int(np.searchsorted(self._times, seconds - 1e-6)))

        stiffness, damping = mass * rate**2, 2.0 * mass * rate
        if any(link.collisions for link in model.links):
            stiffness, damping = self._limited_for_convex_steps(pull, stiffness, damping)
        return Tether(pull.link, pull.point, target, stiffness, damping)

    def _limited_for_convex_steps(self, pull: MousePull, stiffness: float, damping: float) -> tuple[float, float]:
        """Return stiffness and damping, limited so that convex steps are stable.

        Convex steps evaluate the pull at the beginning of a step. With a = damping h / m and b = stiffness h^2 / m, an
        oscillation of the mass m in steps of h grows if a > 2 or b > 2 a, or, if the position is advanced by the new
        velocity, if 2 a + b > 4. So both are limited to 1. m is the effective mass of the link alone at the point, in
        the direction in which it is least; everything that is joined to the link only increases it.
        """
        from ...core.model.compiling.compile import compile_model
        from ...core.solvers.registry import CONVEX_STEPS

        compiled = compile_model(self.inputs.model, split_loops=False)  # whose links have their whole mass
        row = compiled.link_names.index(pull.link)
        body = compiled.arrays.bodies[compiled.link_body[row]]
        if body.mass <= 0.0:
            return stiffness, damping
        X_BL, com = tuple(compiled.X_BL[row]), body.moment / body.mass
        lever = np.subtract(compose(X_BL, (*pull.point, *IDENTITY[3:]))[:3], com)
        xx, xy, xz, yy, yz, zz = body.inertia
        C, L = _cross_matrix(com), _cross_matrix(lever)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + body.mass * C @ C
        inverse_mass = np.eye(3) / body.mass - L @ np.linalg.pinv(inertia, hermitian=True) @ L
        mass = 1.0 / np.linalg.eigvalsh(inverse_mass)[-1]
        h = CONVEX_STEPS[self.inputs.settings.accuracy]
        return min(stiffness, mass / h**2), min(damping, mass / h)

    def _within_reach(self, pull: MousePull, number: int, target: Vec3) -> Vec3:
        """Return the point towards `target` that is at most `MOST_STRETCH` from the grabbed point in a frame [m]."""
        at = compose(self.poses(number)[pull.link], (*pull.point, *IDENTITY[3:]))[:3]
        way = sub(target, at)
        return add(at, scale(way, MOST_STRETCH / max(math.sqrt(dot(way, way)), MOST_STRETCH)))


def _cross_matrix(a: np.ndarray) -> np.ndarray:
    """Return the matrix of the cross product, shape (3, 3): it maps b to a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
