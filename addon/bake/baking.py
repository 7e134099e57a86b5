# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of all bakes: read and check the scene, compute the motion step by step, write keys and a receipt."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface

from ...core.model import Model
from ...core.trajectory.trajectory import Trajectory
from ...core.version import VERSION
from ..bridge.baked_machines.keyed_poses import store_baked_matrices
from ..bridge.baked_machines.machines import require_in_place
from ..bridge.findings.last_run import store_run
from ..bridge.findings.problems import displaced_links, wind_without_drag
from ..bridge.findings.stored_findings import store_findings
from ..bridge.scene.read import SceneReading, scan_scene
from ..bridge.scene.store import store_rest_poses, store_weights
from ..bridge.values.numbers import frame_rate
from ..nodes import Node, armature_bones, model_name, owner_of
from ..nodes.animation import action_of
from ..nodes.naming import node_named
from ..props.members import joints_in
from ..props.settings import scene_settings
from .bake_checks import OF_HOME, links_to_move, warnings_of_check
from .errors import BakeError
from .keys.joint_values import values_of_trajectory
from .keys.transforms import require_keyable
from .keys.writing import KeyWriter, Motion
from .receipts.receipt import DIGEST_VERSION, Receipt, store_receipt
from .receipts.restore import is_baked, objects_with_user_animation
from .receipts.staleness import digest_of_inputs
from .settings import BakeSettings

if TYPE_CHECKING:
    from ...core.diagnosis import Diagnosis
    from ...core.simulation import Report


SUMMARIES = (
    "Baked frames {first}–{last} on {links} link",
    "Baked frames {first}–{last} on {links} links",
    "Nothing moves",
)
"""Sentences of `BakeResult.summary`, which are translated: for one link, for several links, and if nothing moves."""


@dataclass
class BakeResult:
    """The result of a bake.

    Attributes:
        first, last: frames of the bake. links: number of links that have the motion.
        keys: number of keys that were written. possible: number without reduction.
        seconds: computing time [s]. report: core's report on the simulation; None without a simulation.
        findings: diagnoses of the motion. notes: messages for the user.
    """

    action: bpy.types.Action
    first: int
    last: int
    links: int
    keys: int
    possible: int
    seconds: float
    report: Report | None
    findings: list[Diagnosis]
    notes: list[str]

    @property
    def diagnoses(self) -> list[str]:
        """The findings as text, one sentence each."""
        return [str(finding) for finding in self.findings]

    @property
    def summary(self) -> str:
        """The summary for animators."""
        return ". ".join(self.lines(str))

    def lines(self, translated: Callable[[str], Any]) -> list[str]:
        """Return the sentences of the summary.

        Args:
            translated: function that translates one of `SUMMARIES`.
        """
        one, many, still = SUMMARIES
        said = translated(one if self.links == 1 else many)
        said = said.format(first=self.first, last=self.last, links=self.links)
        return [said, translated(still)] if self.report and not self.report.energy_scale else [said]

    @property
    def details(self) -> str:
        """Accuracy and cost in words."""
        lines = [f"{self.seconds:.2g} s"]
        if self.report and self.report.energy_scale:
            lines.append(f"energy kept to {self.report.relative_drift:.0e}")
        if self.report and self.report.loop_error:
            lines.append(f"loops closed to {self.report.loop_error:.0e} m")
        if self.keys < self.possible:
            lines.append(f"{self.keys} keys instead of {self.possible}")
        return ", ".join(lines)


class Bake(ABC):
    """A motion that is being written into a scene. Subclasses compute the motion.

    Call `step` until it returns True, then `finish`. `cancel` removes everything. The scene is unchanged until
    `finish`.

    Args:
        settings: of the bake.
        reading: of the scene, from the same first frame, if the caller has changed its model; None to read it.

    Raises:
        ModelError, BakeError: if the scene cannot be baked as it is.
    """

    source = ""
    """The receipt's name for the source of the motion."""

    def __init__(self, scene: bpy.types.Scene, settings: BakeSettings, reading: SceneReading | None = None):
        self.scene, self.settings = scene, settings
        self.first, self.last = settings.first, settings.last
        self.fps = frame_rate(scene)
        self.frames = settings.frames
        require_in_place(scene)
        self._is_changed = reading is not None
        self.reading = reading or scan_scene(scene, first=self.first)
        self._joints: dict[str, Node] = {}
        self._require_bakeable()
        self._owners = [owner_of(obj) for _, _, obj in self._nodes()]
        self._check_warnings = warnings_of_check(self.reading)
        suspect = displaced_links(self.scene, self.reading) + wind_without_drag(self.model)
        self.notes = [*self.reading.notes, *(problem.message for problem in suspect)]
        self._writer: KeyWriter | None = None
        self._written = 0
        self._seconds = 0.0
        self._pending = self._work()

    @property
    def model(self) -> Model:
        return self.reading.model

    @property
    @abstractmethod
    def trajectory(self) -> Trajectory:
        """The motion, at `frames`."""

    @property
    def report(self) -> Report | None:
        return None

    def diagnose(self) -> list[Diagnosis]:
        """Return the findings about the motion so far."""
        return []

    def _starts_at_home(self, joint: str) -> bool:
        """Return whether the motion begins with this joint at home. A motion that is given does not depend on homes."""
        return False

    @property
    @abstractmethod
    def frames_done(self) -> int:
        """The number of frames of motion computed so far."""

    @abstractmethod
    def _move(self) -> Iterator[None]:
        """Compute the motion, one part per iteration."""

    def _motion(self) -> Motion:
        """Return the motion to be keyed, after all of it has been computed."""
        names, X_WL = self.trajectory.link_names, self.trajectory.X_WL
        poses = {name: X_WL[:, number] for number, name in enumerate(names)}
        return Motion(self.frames, poses, values_of_trajectory(self.trajectory, self.model), self.trajectory.broken)

    def _require_bakeable(self) -> None:
        baked = links_to_move(self.reading)
        if self.settings.moves_joints:
            found = {joint.name: node_named(self.scene, joint.name) for joint in self.model.joints if joint.nq}
            self._joints = {name: obj for name, obj in found.items() if obj is not None}
            for obj in self._joints.values():
                require_keyable(obj)
        baked += [obj for obj in joints_in(self.scene) if model_name(obj) in self._joints or is_baked(obj)]
        conflicting = [] if self.settings.overwrite else objects_with_user_animation(baked)
        if conflicting:
            raise BakeError(
                f"'{conflicting[0].name}' is animated already, by the action '{_action_name(conflicting[0])}': "
                "allow the bake to take its place (overwrite), or clear it first"
            )

    @property
    def progress(self) -> float:
        """The progress, from 0 to 1."""
        moved = self.frames_done / len(self.frames)
        if self.settings.tolerance is None:
            return moved
        return 0.5 * moved + 0.5 * (self._written / len(self._writer) if self._writer else 0.0)

    @property
    def seconds_left(self) -> float:
        """The estimated remaining time [s]; infinite as long as there is no estimate."""
        done = self.progress
        return self._seconds * (1.0 - done) / done if done > 0.0 else float("inf")

    @property
    def doing(self) -> str:
        """The present activity in words, for a progress bar."""
        if self._writer:
            return f"Fitting keys, object {self._written} of {len(self._writer)}"
        return f"Frame {self.frames_done} of {len(self.frames)}"

    def _work(self) -> Iterator[None]:
        for _ in self._move():
            yield
        yield from self._write()

    def _write(self) -> Iterator[None]:
        self._require_links()
        self._writer = KeyWriter(self.scene, self.reading, self._motion(), self.settings)
        for _ in self._writer:
            self._written += 1
            yield
            self._require_links()

    def step(self, seconds: float = 0.03) -> bool:
        """Work for about `seconds`, at least one part. Return whether everything is ready for `finish`."""
        self._require_links()
        begun = time.perf_counter()
        finished = next(self._pending, self) is self
        while not finished and time.perf_counter() - begun < seconds:
            finished = next(self._pending, self) is self
        self._seconds += time.perf_counter() - begun
        return finished

    def run(self, on_progress: Callable[[int], None] = lambda _done: None) -> BakeResult:
        """Do all steps, and return the result.

        on_progress: takes the number of finished frames, several times a second. If it raises, the bake is cancelled.
        """
        try:
            while not self.step(0.25):
                on_progress(self.frames_done)
            return self.finish()
        except BaseException:
            self.cancel()
            raise

    @property
    def good_frames(self) -> np.ndarray:
        """The frames that have motion so far, shape (F,). A bake needs at least two."""
        return self.frames[: self.frames_done]

    def keep_good_frames(self) -> None:
        """End the bake at the last frame that has motion, after `step` has failed. Then call `step` again.

        Raises:
            BakeError: if fewer than two frames have motion.
        """
        if len(self.good_frames) < 2:
            raise BakeError("the simulation failed before its second frame: there is nothing to keep")
        self.frames = self.good_frames
        self.last = int(self.frames[-1])
        self.notes.append(f"the bake ends at frame {self.last}, where the simulation ended")
        self._pending = self._write()

    def cancel(self) -> None:
        """End the bake and leave the scene as it was."""
        self._pending = iter(())
        if self._writer:
            self._writer.discard()
            self._writer = None

    def finish(self) -> BakeResult:
        """Write the keys to the scene, after `step` has returned True. Return the result.

        Raises:
            BakeError: if a link was deleted meanwhile; the scene is unchanged then.
        """
        writer = self._writer
        assert writer is not None
        try:
            self._require_links()
        except BakeError:
            self.cancel()
            raise
        begun = time.perf_counter()
        store_rest_poses(self.reading, self.scene)
        store_weights(self.reading)
        keys = writer.commit()
        self._writer = None
        self.scene.frame_set(self.scene.frame_current, subframe=self.scene.frame_subframe)
        store_baked_matrices([*writer.links.values()])
        self._seconds += time.perf_counter() - begun
        report = self.report
        findings = self.diagnose()
        # A finding replaces the check's warning about the same cause.
        lines = {(finding.code, finding.name) for finding in findings}
        suspect = [
            text
            for text, (code, name) in self._check_warnings.items()
            if (code, name) not in lines and (code not in OF_HOME or self._starts_at_home(name))
        ]
        result = BakeResult(
            writer.bake.action,
            self.first,
            self.last,
            len(writer.links),
            keys,
            writer.possible,
            self._seconds,
            report,
            findings,
            [*self.notes, *suspect, *writer.notes, *(report.notes if report else ())],
        )
        self._store_receipt(result, writer)
        store_run(self.scene, self.model, self.trajectory, self.first, self.fps)
        stored = scene_settings(self.scene)
        stored.last_result, stored.last_details = "\n".join(result.lines(pgettext_iface)), result.details
        stored.last_notes = "\n".join(result.notes)
        store_findings(self.scene, result.findings)
        return result

    def _store_receipt(self, result: BakeResult, writer: KeyWriter) -> None:
        settings, tolerance = self.settings, self.settings.tolerance
        model = scan_scene(self.scene, first=self.first).model if self._is_changed else self.model
        inputs = digest_of_inputs(self.scene, model, settings.start)
        receipt = Receipt(
            rounding=DIGEST_VERSION,
            version=VERSION,
            source=self.source,
            model=inputs.model,
            motion=inputs.motion,
            carriers=inputs.carriers,
            movers=inputs.movers,
            keys=writer.bake.digest,
            first=self.first,
            last=self.last,
            asked_last=settings.last,
            step=settings.step,
            fps=self.fps,
            accuracy=settings.accuracy,
            start=settings.start,
            onto=settings.onto,
            contact=settings.contact,
            distance=tolerance.distance if tolerance else 0.0,
            angle=tolerance.angle if tolerance else 0.0,
            written=result.keys,
            possible=result.possible,
            off_by=writer.off_by,
            turned_by=writer.turned_by,
            result=f"{result.summary}: {result.details}",
        )
        store_receipt(result.action, receipt)

    def _nodes(self) -> list[tuple[str, str, Node]]:
        """Return what each link and joint is, its name and its node."""
        links = [("link", name, obj) for name, obj in self.reading.objects.items()]
        return links + [("joint", name, obj) for name, obj in self._joints.items()]

    def _require_links(self) -> None:
        """Raise `BakeError` if a script or an undo has removed objects or the scene meanwhile."""
        try:
            objects = set(self.scene.objects)
        except ReferenceError as error:
            raise BakeError("the scene was undone or closed while it was simulated: simulate again") from error
        bones: dict[bpy.types.Object, Collection[Node]] = {}
        for (what, name, obj), owner in zip(self._nodes(), self._owners, strict=True):
            try:
                is_there = bool(owner.name) and owner in objects  # reading the name of a freed object raises
                if is_there and obj != owner:  # a freed bone raises nothing, so no property of it is read
                    if owner not in bones:
                        bones[owner] = set(armature_bones(owner))
                    is_there = obj in bones[owner]
            except ReferenceError:
                is_there = False
            if not is_there:
                raise BakeError(f"{what} '{name}' was deleted while it was simulated: simulate again")


def _action_name(obj: Node) -> str:
    action = action_of(obj)
    return action.name if action else ""
