# SPDX-License-Identifier: GPL-3.0-or-later
"""A preview of a scene: the frame that it shows, its motion, and its reaction to changes of the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Vector

from ...core.model import ModelError
from ...core.spatial import IDENTITY, Pose, Vec3, compose, inverse
from .. import bake, bridge, watch
from ..bridge.findings.last_run import last_run, restore_run, store_run
from ..nodes import Node, model_name
from ..nodes.naming import node_named
from ..props import is_kinematic
from ..props.settings import scene_settings
from .display import keep_shown_poses, restore_own_poses, show
from .preview_motion import MousePull, PreviewMotion

if TYPE_CHECKING:
    from ...core.model import Model

LEAST_COMPUTING_TIME = 0.02
"""Least computing time between two redraws [s]."""

COMPUTING_SHARE = 0.5
"""Part of the time between two redraws that is used for computing, if redraws are slow."""

SMOOTHING = 0.1
"""Weight of the last redraw in the displayed pace."""

LONGEST_TICK = 1.0
"""Longest time between two redraws that counts [s]. After more, as after a dialog, the motion continues from its frame.
"""


class PreviewOverError(Exception):
    """The scene of a preview does not exist any more."""


class Preview:
    """A preview, from its start until it is stopped or its pose is kept.

    Attributes:
        uid: the scene's session uid.
        is_playing: whether time advances. playhead: the scene frame that is shown, with a fraction.
        problem: why nothing moves, for the panel; empty if there is no problem.
        pace: simulated seconds per second, smoothed.

    Raises:
        ModelError, BakeError: if the scene cannot be simulated as it is; nothing has changed then.
    """

    def __init__(self, scene: bpy.types.Scene):
        self.uid = scene.session_uid
        self._before = scene.frame_current, scene.frame_subframe
        self._run_before = last_run(scene)
        self._motion: PreviewMotion | None = None
        self._pull: MousePull | None = None
        self._target: Vec3 | None = None
        self._own_poses: dict[str, Pose] = {}
        self._names: list[str] = []
        self._shown = -1
        self._key: tuple = ()
        self._seen_changes = watch.changes
        self.is_touched, self.is_playing, self.problem, self.pace = False, True, "", 1.0
        self._read(scene)
        self.playhead = float(self.motion.frames[0])

    @property
    def scene(self) -> bpy.types.Scene:
        """The scene.

        Raises:
            PreviewOverError: if it was deleted, or if another file was opened.
        """
        for scene in bpy.data.scenes:
            if scene.session_uid == self.uid:
                return scene
        raise PreviewOverError

    @property
    def has_scene(self) -> bool:
        return any(scene.session_uid == self.uid for scene in bpy.data.scenes)

    @property
    def motion(self) -> PreviewMotion:
        assert self._motion is not None
        return self._motion

    @property
    def has_motion(self) -> bool:
        """Whether the scene can be simulated as it is; if not, `problem` says why."""
        return self._motion is not None

    @property
    def model(self) -> Model:
        return self.motion.inputs.model

    @property
    def is_pulling(self) -> bool:
        return self._pull is not None

    @property
    def number(self) -> int:
        """The index of the motion's frame at the playhead."""
        return self._number_at(self.playhead)

    def _number_at(self, frame: float) -> int:
        return max(int(np.searchsorted(self.motion.frames, frame + 1e-6, side="right")) - 1, 0)

    @property
    def is_behind(self) -> bool:
        """Whether the frame at the playhead has not been computed yet, after a change."""
        return self._motion is not None and self.motion.done <= self.number

    @property
    def shown(self) -> int:
        """The index of the frame that is shown; -1 for none."""
        return self._shown

    @property
    def catch_up_progress(self) -> float:
        """The part of the frames up to the playhead that is computed again after a change, from 0 to 1."""
        return self.motion.done / (self.number + 1)

    # ---- time

    def tick(self, seconds: float) -> None:
        """Advance by some time [s]: compute, and show the frame at the playhead.

        Raises:
            PreviewOverError: if the scene does not exist any more.
        """
        scene = self.scene
        if self.is_touched or watch.changes != self._seen_changes:
            self._read_again(scene)
        if self._motion is None:
            return
        goes_on, before = self.is_playing and not self.is_behind, self.playhead
        wanted = self._next(scene, seconds) if goes_on else before
        self._compute(self._number_at(wanted) + 1, max(LEAST_COMPUTING_TIME, COMPUTING_SHARE * seconds))
        if goes_on and not self.problem:
            is_there = self.motion.done > self._number_at(wanted)
            self.playhead = wanted if is_there else float(self.motion.frames[self.motion.done - 1])
            comes_to_end = before < self.motion.last <= self.playhead
            self.is_playing = self.is_pulling or not comes_to_end
            made = (self.playhead - before) / bridge.values.numbers.frame_rate(scene) / max(seconds, 1e-6)
            self.pace += SMOOTHING * (made - self.pace)
        self._show(scene)

    def _next(self, scene: bpy.types.Scene, seconds: float) -> float:
        """Return the frame to show after some time [s]."""
        frames, end = self.motion.frames, self.motion.last
        if scene_settings(scene).preview.pace == "REAL":
            wanted = self.playhead + min(seconds, LONGEST_TICK) * bridge.values.numbers.frame_rate(scene)
        else:
            wanted = float(frames[min(self.number + 1, len(frames) - 1)])
        beyond = self.is_pulling or self.playhead >= end
        return min(wanted, float(frames[-1] if beyond else end))

    def _compute(self, count: int, seconds: float) -> None:
        try:
            self.motion.compute(count, seconds, self._pull, self._target)
        except _simulation_error() as error:
            self.problem, self.is_playing = str(error), False
            self.end_pull()
            self.playhead = float(self.motion.frames[max(self.motion.done - 1, 0)])

    def play(self) -> None:
        """Play from the playhead on, or from the first frame if the playhead is at the end of the range."""
        if self._motion is not None and not self.problem:
            if self.playhead >= self.motion.last:
                self.playhead = float(self.motion.frames[0])
            self.is_playing = True

    def pause(self) -> None:
        self.is_playing = False

    def toggle(self) -> None:
        """Pause if it plays, play if it is paused."""
        if self.is_playing:
            self.pause()
        else:
            self.play()

    def step(self, frames: int) -> None:
        """Move the playhead by some frames and pause there. Missing frames will be computed."""
        if self._motion is not None:
            self.scrub(float(self.motion.frames[self.number]) + frames)

    def scrub(self, frame: float) -> None:
        """Move the playhead to a frame and pause there."""
        self.is_playing = False
        if self._motion is not None:
            first, done = (float(self.motion.frames[number]) for number in (0, max(self.motion.done - 1, 0)))
            self.playhead = min(max(frame, first), max(done, float(self.motion.last)))

    # ---- the mouse

    def begin_pull(self, link: Node, point: Vector) -> None:
        """Begin to pull a link by one of its points, and play.

        Args:
            point: in world axes [Blender units].

        Raises:
            ModelError: if no pull can move the link.
        """
        if self._motion is None:
            raise ModelError(f"there is nothing to pull: {self.problem}")
        if is_kinematic(link):
            raise ModelError(f"link '{model_name(link)}' moves as it is animated: pull at what hangs on it")
        if self.is_behind:
            raise ModelError("the motion is still coming to this frame after a change: pull once it is there")
        number = self.number
        X_WL = self.motion.poses(number)[model_name(link)]
        x, y, z = self._in_metres(point)
        grabbed_point = compose(inverse(X_WL), (x, y, z, *IDENTITY[3:]))[:3]
        strength = scene_settings(self.scene).preview.strength
        self._pull = self.motion.begin_pull(model_name(link), grabbed_point, number, strength)
        self._target = (x, y, z)
        self.is_playing, self.problem = True, ""

    def pull_to(self, place: Vector) -> None:
        """Pull towards a point in the world [Blender units]."""
        self._target = self._in_metres(place)

    def end_pull(self) -> None:
        self._pull = self._target = None

    @property
    def line(self) -> tuple[Vector, Vector] | None:
        """The grabbed point and the point to which it is pulled, in world axes [Blender units]; None without a pull."""
        if self._pull is None or self._target is None or self._motion is None or not self.motion.done:
            return None
        X_WL = self.motion.poses(min(self.number, self.motion.done - 1))[self._pull.link]
        grabbed_point = compose(X_WL, (*self._pull.point, *IDENTITY[3:]))[:3]
        unit = bridge.values.numbers.unit_length(self.scene)
        return Vector(grabbed_point) / unit, Vector(self._target) / unit

    def _in_metres(self, place: Vector) -> Vec3:
        x, y, z = place * bridge.values.numbers.unit_length(self.scene)
        return x, y, z

    # ---- the links in the viewport

    def _show(self, scene: bpy.types.Scene) -> None:
        number = min(self.number, self.motion.done - 1)
        if number < 0 or number == self._shown:
            return
        frame = float(self.motion.frames[number])
        whole = math.floor(frame)
        with ignoring_changes_until_updated():
            if (scene.frame_current, scene.frame_subframe) != (whole, frame - whole):
                scene.frame_set(whole, subframe=frame - whole)
            self._put_links(scene, number)

    def _put_links(self, scene: bpy.types.Scene, number: int) -> None:
        self._shown = number
        poses = self.motion.poses(number)
        there = {name: obj for name in self._names if (obj := node_named(scene, name)) is not None}
        show({obj: poses[name] for name, obj in there.items()}, bridge.values.numbers.unit_length(scene))
        store_run(
            scene,
            self.model,
            self.motion.simulation.trajectory,
            float(self.motion.frames[0]),
            bridge.values.numbers.frame_rate(scene),
            self.motion.touching,
        )

    def on_undo(self) -> None:
        """Show all links again after an undo, which may have put them anywhere."""
        self._shown, self.is_touched = -1, True

    def on_frame_set(self, scene: bpy.types.Scene) -> None:
        """Show the links at another frame of the scene, whose animation may have moved them."""
        self._shown = -1
        if self._motion is None:
            return
        if abs(scene.frame_current_final - self.playhead) >= 1.0:
            self.scrub(scene.frame_current_final)
        if not self.is_behind:
            with watch.ignoring_changes():
                self._put_links(scene, self.number)

    def restore_for_saving(self) -> None:
        """Restore the own poses of the links while a file is saved."""
        self._restore_links_and_frame(self.scene)
        self._shown = -1

    def show_again(self) -> None:
        if self._motion is not None:
            self._show(self.scene)

    # ---- its end

    def stop(self) -> None:
        """Restore the poses of all links and the frame."""
        scene = self.scene
        self._restore_links_and_frame(scene)
        restore_run(scene, self._run_before)

    def _restore_links_and_frame(self, scene: bpy.types.Scene) -> None:
        frame, subframe = self._before
        with ignoring_changes_until_updated():
            restore_own_poses(scene.objects)
            scene.frame_set(frame, subframe=subframe)

    def keep_pose(self) -> None:
        """Make the shown poses the links' own."""
        keep_shown_poses(self.scene.objects)

    # ---- the scene

    def _read_again(self, scene: bpy.types.Scene) -> None:
        """Read the scene after a change, and compute the motion again if it is not valid any more."""
        self.is_touched, self._seen_changes = False, watch.changes
        try:
            self._read(scene)
        except ModelError as error:
            self.problem, self._motion, self._key = str(error), None, ()
            self.end_pull()
            with ignoring_changes_until_updated():
                restore_own_poses(scene.objects)
            self._shown = -1

    def _read(self, scene: bpy.types.Scene) -> None:
        """Read the scene, and begin a new motion if anything that determines it has changed.

        Raises:
            ModelError, BakeError: if the scene cannot be simulated.
        """
        settings = bake.settings.settings_of(scene)
        with ignoring_changes_until_updated():
            reading = bridge.scene.read.scan_scene(
                scene, first=settings.first, weigh=bridge.rig.weigh_once, collide=bridge.rig.collide_once
            )
            self._names = [model_name(obj) for obj in bake.bake_checks.links_to_move(reading)]
            # Raises BakeError if the model has an error.
            bake.bake_checks.warnings_of_check(reading)
            self._store_own_poses(reading, scene)
            bridge.scene.store.store_rest_poses(reading, scene)  # an undo may have reverted them
            key = (
                settings,
                bridge.values.numbers.frame_rate(scene),
                bake.receipts.staleness.digest_of_inputs(scene, reading.model, settings.start),
            )
            is_new = key != self._key or self._motion is None
            if not (is_new or reading.kinematic_joints or reading.animated):
                return
            restore_own_poses(scene.objects)
            self._shown = -1
            motion = PreviewMotion(scene, settings, reading, self._own_poses)
            if is_new or motion.inputs.animation_digest != self.motion.inputs.animation_digest:
                self._motion, self._key, self.problem = self._with_present_pulls(motion), key, ""

    def _with_present_pulls(self, motion: PreviewMotion) -> PreviewMotion:
        """Return a new motion with the pulls of the present one, and keep the playhead."""
        if self._motion is not None:
            motion.adopt_pulls(self._motion)
            self.playhead = min(max(self.playhead, float(motion.frames[0])), float(motion.frames[-1]))
        self.end_pull()
        return motion

    def _store_own_poses(self, reading: bridge.scene.read.SceneReading, scene: bpy.types.Scene) -> None:
        """Store the links' own poses before they are moved, for a start from the current pose."""
        new = {name: obj for name, obj in reading.objects.items() if name not in self._own_poses}
        if any(bridge.animation.motion_sources.is_previewed(obj) for obj in new.values()):  # a link was renamed
            restore_own_poses(scene.objects)
            bpy.context.view_layer.update()
            self._shown = -1
        self._own_poses |= bridge.posing.present_poses.poses_now(new, bridge.values.numbers.unit_length(scene))


def _simulation_error() -> type[Exception]:
    from ...core.diagnosis import SimulationError

    return SimulationError


@contextmanager
def ignoring_changes_until_updated() -> Iterator[None]:
    """Do as `watch.ignoring_changes`, and update the view layer at the end.

    Blender would report the changes later, outside of the context.
    """
    with watch.ignoring_changes():
        yield
        bpy.context.view_layer.update()


_current: list[Preview] = []


def current() -> Preview | None:
    """Return the present preview; None if there is none. There is at most one."""
    return _current[0] if _current else None


def begin(scene: bpy.types.Scene) -> Preview:
    """Start a preview in place of the present one.

    Raises:
        ModelError, BakeError: if the scene cannot be simulated.
    """
    if _current and _current[0].has_scene:
        _current[0].stop()
    end()
    _current.append(Preview(scene))
    return _current[0]


def end() -> None:
    """Drop the present preview without restoring its links."""
    _current.clear()
