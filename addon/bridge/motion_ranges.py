# SPDX-License-Identifier: GPL-3.0-or-later
"""How far joints go while their links move as they are animated, and the limits that follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...core.joints import JOINT_TYPES, Unit
from ...core.kinematics import coordinates_at
from ...core.model import Axis, Joint, ModelError
from ...core.model.screws import joint_pose, measured_rows
from ...core.spatial import IDENTITY, Pose, compose, inverse, norm, rotvec_of_quat
from .. import ids
from .numbers import scaled_pose, unit_length
from .poses import live_pose

STILL = {Unit.ANGLE: 1e-4, Unit.LENGTH: 1e-5, Unit.NUMBER: 0.0}
"""Range [rad, m] below which an axis counts as unmoved: more than single precision makes of a link at rest."""

ROOM = {Unit.ANGLE: np.deg2rad(2.0), Unit.LENGTH: 0.001, Unit.NUMBER: 0.0}
"""What an axis that stands still gets on either side [rad, m], so that it is not locked."""


@dataclass
class Motion:
    """What a joint goes through.

    Attributes:
        lowest, highest: of each limited axis, by its number [rad, m].
        astray: how far its links went from what the joint allows [m, rad].
    """

    joint: Joint
    q: np.ndarray
    lowest: dict[int, float] = field(default_factory=dict)
    highest: dict[int, float] = field(default_factory=dict)
    astray: float = 0.0

    def look(self, X_J: Pose) -> None:
        self.q = coordinates_at(self.joint, X_J, self.q)
        found = joint_pose(self.joint, self.q.tolist())
        gap = compose(inverse(found), X_J)
        self.astray = max(self.astray, norm(gap[:3]), norm(rotvec_of_quat(gap[3:])))
        values = {column.axis: float(self.q[place]) for place, column in enumerate(self.joint.columns)}
        values |= {row.axis: value for row, value, _ in measured_rows(self.joint, found)}
        for number, value in values.items():
            if self.joint.kind.slot(number).limited:
                self.lowest[number] = min(value, self.lowest.get(number, value))
                self.highest[number] = max(value, self.highest.get(number, value))

    def moves(self, number: int) -> bool:
        return self.highest[number] - self.lowest[number] > STILL[self.joint.axis_unit(number)]

    def limited(self, margin: float) -> Joint:
        """The joint with limits at the motion's, and `margin` times their distance beyond on either side."""
        axes = list(self.joint.axes)
        bounds = {row.axis: (row.least, row.most) for row in self.joint.kind.rows}
        for number, lowest in self.lowest.items():
            highest = self.highest[number]
            room = margin * (highest - lowest) if self.moves(number) else ROOM[self.joint.axis_unit(number)]
            least, most = bounds.get(number, (-np.inf, np.inf))
            axes[number] = replace(axes[number], upper=float(min(highest + room, most)))
            if "lower" in self.joint.kind.slot(number).fields:
                axes[number].lower = float(max(lowest - room, least))
        return replace(self.joint, axes=axes, home=self._home_within(axes))

    def _home_within(self, axes: list[Axis]) -> tuple[float, ...]:
        home = list(self.joint.home)
        for place, column in enumerate(self.joint.all_columns):
            if column.axis in self.lowest:
                home[place] = min(max(home[place], axes[column.axis].lower), axes[column.axis].upper)
        return tuple(home)


def limitable(joints: dict[bpy.types.Object, Joint]) -> dict[bpy.types.Object, Joint]:
    """Those that can have limits; fixed joints and their like are passed over. Raises ModelError where all are such."""
    found = {obj: joint for obj, joint in joints.items() if _can_be_limited(joint)}
    if not found:
        joint = next(iter(joints.values()))
        raise ModelError(
            f"joint '{joint.name}' ({JOINT_TYPES[joint.type].label}) has nothing to limit: choose another type, or "
            "select other joints"
        )
    return found


def _can_be_limited(joint: Joint) -> bool:
    numbers = [column.axis for column in joint.columns] + [row.axis for row in joint.kind.rows]
    return any(joint.kind.slot(number).limited for number in numbers)


def require_motion(obj: bpy.types.Object, motion: Motion, scene: bpy.types.Scene) -> None:
    if not any(motion.moves(number) for number in motion.lowest):
        settings = getattr(obj, ids.JOINT)
        parent = f"'{settings.parent.name}'" if settings.parent else "the world"
        raise ModelError(
            f"joint '{obj.name}': '{settings.child.name}' does not move against {parent} from frame "
            f"{scene.frame_start} to {scene.frame_end}: animate it, or deselect the joint"
        )


def watched(joints: dict[bpy.types.Object, Joint], scene: bpy.types.Scene) -> dict[bpy.types.Object, Motion]:
    """The motion of each joint over the scene's frames; the scene is left at the frame where it was."""
    motions = {obj: Motion(joint, np.array(joint.q_neutral)) for obj, joint in joints.items()}
    before, within = scene.frame_current, scene.frame_subframe
    try:
        for frame in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(frame)
            _look(motions.items(), unit_length(scene))
    finally:
        scene.frame_set(before, subframe=within)
    return motions


def _look(motions: Iterable[tuple[bpy.types.Object, Motion]], unit: float) -> None:
    for obj, motion in motions:
        settings = getattr(obj, ids.JOINT)
        X_WP, X_WC = (
            scaled_pose(live_pose(link), unit) if link else IDENTITY for link in (settings.parent, settings.child)
        )
        motion.look(compose(inverse(compose(X_WP, motion.joint.X_PJ)), compose(X_WC, motion.joint.X_CJ)))
