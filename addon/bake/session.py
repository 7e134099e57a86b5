"""`BakeRun`: simulate a scene and bake it. The window's operator and the command line both drive it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.check import check_model
from ...core.model import Model
from .. import ids
from ..bridge import SceneReading, frame_rate, scan_scene, store_rest_poses, store_weights, unit_length
from ..bridge.problems import left_links
from ..props import is_led
from .errors import BakeError
from .fcurves import BakeAction
from .leading import let_lead, paths_of, sample_leads
from .restore import action_of, foreign_actions, remember, remove_unused
from .transforms import channels_of, require_bakeable

if TYPE_CHECKING:
    from ...core.solvers import Report, Simulation


@dataclass
class BakeResult:
    """What a bake came to. report: core's, on the simulation. notes: what the user should know, diagnoses apart."""

    action: bpy.types.Action
    frames: int
    links: int
    seconds: float
    report: Report
    notes: list[str]

    @property
    def diagnoses(self) -> list[str]:
        """What the doctor found, a sentence each."""
        return [str(diagnosis) for diagnosis in self.report.diagnoses]

    @property
    def summary(self) -> str:
        drift = f"energy error {self.report.relative_drift:.1e}" if self.report.energy_scale else "nothing moved"
        loops = f", loops open by {self.report.loop_error:.1e} m at most" if self.report.loop_error else ""
        return f"{self.frames} frames of {self.links} links in {self.seconds:.2g} s, {drift}{loops}"


class BakeRun:
    """Call `step` until it returns True, then `finish`. Up to there the scene is not touched.

    Args:
        first, last: frames; the scene's own range where they are None.
        accuracy: "draft", "good" or "exact"; the scene's own setting where it is None.
        initial: {"q": {joint: number or list}, "qd": {...}}; each joint's start where it is None.
        overwrite: put the bake in the place of animation that is not ours (which is kept as an action).
        reading: what the scene was read as, from the same first frame, for a caller that has changed the model; None
            reads it.

    Raises:
        ModelError, BakeError: the scene cannot be simulated or baked as it is.
        SimulationError: from `step`; the message names link, frame and cause.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        first: int | None = None,
        last: int | None = None,
        accuracy: str | None = None,
        initial: dict | None = None,
        overwrite: bool = False,
        reading: SceneReading | None = None,
    ):
        self.scene = scene
        self.first = scene.frame_start if first is None else first
        self.last = scene.frame_end if last is None else last
        if self.last < self.first:
            raise BakeError(f"the last frame, {self.last}, lies before the first, {self.first}: change the range")
        self.fps = frame_rate(scene)
        self.frames = np.arange(self.first, self.last + 1)
        self.reading = reading or scan_scene(scene, first=self.first)
        self._require_bakeable(overwrite)
        self._warnings = self._checked()
        self._leads = sample_leads(scene, self.reading, self.frames)
        self.simulation = self._simulation(accuracy or getattr(scene, ids.SCENE).accuracy, initial)
        self._pending = iter(self.simulation)
        self._seconds = 0.0

    @property
    def model(self) -> Model:
        return self.reading.model

    @property
    def frames_done(self) -> int:
        """Frames simulated so far."""
        return self.simulation.frames_done

    @property
    def progress(self) -> float:
        return self.frames_done / len(self.frames)

    def _require_bakeable(self, overwrite: bool) -> None:
        objects = list(self.reading.objects.values())
        if not objects:
            raise BakeError("there are no links in the scene: select objects and tag them as links")
        baked = [obj for obj in objects if not is_led(obj)]
        if not baked:
            raise BakeError("all links move as they are animated: there is nothing to simulate")
        for obj in baked:
            require_bakeable(obj)
        foreign = [] if overwrite else foreign_actions(baked)
        if foreign:
            raise BakeError(
                f"'{foreign[0].name}' is animated already, by the action '{action_of(foreign[0]).name}': "
                "allow the bake to take its place (overwrite), or clear it first"
            )

    def _checked(self) -> list[str]:
        """What core's check finds suspect; an error is raised."""
        issues = check_model(self.model)
        for issue in issues:
            if issue.is_error:
                raise BakeError(f"{issue.subject}: {issue.message}")
        told = [f"{issue.subject}: {issue.message}" for issue in issues]
        return told + [problem.message for problem in left_links(self.scene, self.reading)]

    def _simulation(self, accuracy: str, initial: dict | None) -> Simulation:
        # Here, since it brings numba in, which the add-on is not to wait for when it starts.
        from ...core.solvers import Controls, Simulation

        times = (self.frames - self.first) / self.fps
        model = let_lead(self.reading, self._leads)
        controls = Controls(links=paths_of(self._leads, self.fps))
        return Simulation(model, times, accuracy=accuracy, initial=initial, controls=controls)

    def step(self, seconds: float = 0.03) -> bool:
        """Simulate for about so long. True: all frames are there."""
        begun = time.perf_counter()
        finished = False
        while not finished and time.perf_counter() - begun < seconds:
            finished = next(self._pending, None) is None
        self._seconds += time.perf_counter() - begun
        return finished

    def run(self) -> BakeResult:
        """Simulate everything and bake it."""
        while not self.step(1.0):
            continue
        return self.finish()

    def finish(self) -> BakeResult:
        """Write the keys. The scene changes here, and only if the whole of the motion can be written."""
        self._require_links()
        trajectory = self.simulation.trajectory
        unit = unit_length(self.scene)
        poses = {}
        for number, name in enumerate(trajectory.link_names):
            if is_led(self.reading.objects[name]):
                continue
            X_WL = np.array(trajectory.X_WL[:, number])
            X_WL[:, :3] /= unit
            poses[self.reading.objects[name]] = X_WL
        channels = channels_of(self.scene, poses, self.frames)
        store_rest_poses(self.reading, self.scene)
        store_weights(self.reading)
        action = self._write(channels)
        self.scene.frame_set(self.scene.frame_current, subframe=self.scene.frame_subframe)
        result = BakeResult(
            action,
            len(self.frames),
            len(poses),
            self._seconds,
            self.simulation.report,
            [*self.reading.notes, *self._warnings, *self.simulation.report.notes],
        )
        settings = getattr(self.scene, ids.SCENE)
        settings.last_result, settings.last_notes = result.summary, "\n".join(result.notes)
        settings.last_diagnoses = "\n".join(result.diagnoses)
        return result

    def _require_links(self) -> None:
        """A script, or an undo, may have taken objects away while the simulation went on."""
        objects = set(self.scene.objects)
        for name, obj in self.reading.objects.items():
            try:
                is_there = bool(obj.name) and obj in objects  # its name cannot be read once it is freed
            except ReferenceError:
                is_there = False
            if not is_there:
                raise BakeError(f"link '{name}' was deleted while it was simulated: simulate again")

    def _write(self, channels: dict) -> bpy.types.Action:
        replaced = [action_of(obj) for obj in channels]
        bake = BakeAction(f"{self.scene.name} Limberjack Bake")
        for obj, values in channels.items():
            remember(obj)
            bake.write(obj, values, self.frames)
        remove_unused(action for action in replaced if action is not None)
        return bake.action
