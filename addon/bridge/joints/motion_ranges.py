# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure the range of joint coordinates while links move by animation, and set limits accordingly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ....core.joints import JOINT_TYPES, Unit
from ....core.kinematics import coordinates_at
from ....core.model import Axis, Joint, ModelError
from ....core.model.screws import joint_pose, limited_quantities_at
from ....core.spatial import IDENTITY, Pose, compose, inverse, norm, rotvec_of_quat
from ...nodes import Node, model_name
from ...props.settings import joint_settings
from ..posing.link_poses import live_pose
from ..values.numbers import scaled_pose, unit_length

AT_REST = {Unit.ANGLE: 1e-4, Unit.LENGTH: 1e-5, Unit.NUMBER: 0.0}
"""Range of a coordinate below which its axis counts as unmoved [rad, m]. It is larger than the range that single
precision causes for a link at rest.
"""

MARGIN_AT_REST = {Unit.ANGLE: np.deg2rad(2.0), Unit.LENGTH: 0.001, Unit.NUMBER: 0.0}
"""Distance of the limits on either side of an axis that does not move [rad, m], so that it is not locked."""


@dataclass
class MotionRange:
    """The range of a joint's motion.

    Attributes:
        q: coordinates at the last frame; the start of the search at the next.
        lowest, highest: coordinate range of each limited axis, by axis number [rad, m].
        largest_gap: largest gap between the links and the poses that the joint allows [m, rad].
    """

    joint: Joint
    q: np.ndarray
    lowest: dict[int, float] = field(default_factory=dict)
    highest: dict[int, float] = field(default_factory=dict)
    largest_gap: float = 0.0

    def add_pose(self, X_J: Pose) -> None:
        self.q = coordinates_at(self.joint, X_J, self.q)
        found = joint_pose(self.joint, self.q.tolist())
        gap = compose(inverse(found), X_J)
        self.largest_gap = max(self.largest_gap, norm(gap[:3]), norm(rotvec_of_quat(gap[3:])))
        values = {column.axis: float(self.q[index]) for index, column in enumerate(self.joint.columns)}
        values |= {row.axis: value for row, value, _ in limited_quantities_at(self.joint, found)}
        for number, value in values.items():
            if self.joint.kind.slot(number).limited:
                self.lowest[number] = min(value, self.lowest.get(number, value))
                self.highest[number] = max(value, self.highest.get(number, value))

    def moves(self, number: int) -> bool:
        return self.highest[number] - self.lowest[number] > AT_REST[self.joint.axis_unit(number)]

    def with_limits(self, margin: float) -> Joint:
        """Return the joint with limits around the motion's range.

        Args:
            margin: distance of the limits from the range, relative to its length.
        """
        axes = list(self.joint.axes)
        bounds = {row.axis: (row.least, row.most) for row in self.joint.kind.limited_quantities}
        for number, lowest in self.lowest.items():
            highest = self.highest[number]
            distance = (
                margin * (highest - lowest) if self.moves(number) else MARGIN_AT_REST[self.joint.axis_unit(number)]
            )
            least, most = bounds.get(number, (-np.inf, np.inf))
            axes[number] = replace(axes[number], upper=float(min(highest + distance, most)))
            if "lower" in self.joint.kind.slot(number).fields:
                axes[number].lower = float(max(lowest - distance, least))
        return replace(self.joint, axes=axes, home=self._home_within(axes))

    def _home_within(self, axes: list[Axis]) -> tuple[float, ...]:
        home = list(self.joint.home)
        for index, column in enumerate(self.joint.all_columns):
            if column.axis in self.lowest:
                home[index] = min(max(home[index], axes[column.axis].lower), axes[column.axis].upper)
        return tuple(home)


def joints_with_limits(joints: dict[Node, Joint]) -> dict[Node, Joint]:
    """Return the joints that can have limits, without others such as fixed joints.

    Raises:
        ModelError: if no joint can.
    """
    found = {obj: joint for obj, joint in joints.items() if _can_be_limited(joint)}
    if not found:
        joint = next(iter(joints.values()))
        raise ModelError(
            f"joint '{joint.name}' ({JOINT_TYPES[joint.type].label}) has nothing to limit: choose another type, or "
            "select other joints"
        )
    return found


def _can_be_limited(joint: Joint) -> bool:
    numbers = [column.axis for column in joint.columns] + [row.axis for row in joint.kind.limited_quantities]
    return any(joint.kind.slot(number).limited for number in numbers)


def require_motion(obj: Node, motion: MotionRange, scene: bpy.types.Scene) -> None:
    if not any(motion.moves(number) for number in motion.lowest):
        settings = joint_settings(obj)
        parent = f"'{model_name(settings.parent_node)}'" if settings.parent_node else "the world"
        raise ModelError(
            f"joint '{model_name(obj)}': '{model_name(settings.child_node)}' does not move against {parent} from frame "
            f"{scene.frame_start} to {scene.frame_end}: animate it, or deselect the joint"
        )


def recorded_motions(joints: dict[Node, Joint], scene: bpy.types.Scene) -> dict[Node, MotionRange]:
    """Return the motion of each joint over the scene's frames. The scene returns to the frame that it showed."""
    motions = {obj: MotionRange(joint, np.array(joint.q_neutral)) for obj, joint in joints.items()}
    before, within = scene.frame_current, scene.frame_subframe
    try:
        for frame in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(frame)
            _add_frame(motions.items(), unit_length(scene))
    finally:
        scene.frame_set(before, subframe=within)
    return motions


def _add_frame(motions: Iterable[tuple[Node, MotionRange]], unit: float) -> None:
    for obj, motion in motions:
        motion.add_pose(present_displacement(obj, motion.joint, unit))


def present_displacement(obj: Node, joint: Joint, unit: float) -> Pose:
    """Return the pose of a joint's child-side frame in its parent-side frame, as the links are now [m].

    Args:
        joint: as it was read from `obj`. unit: length of a Blender unit [m].
    """
    settings = joint_settings(obj)
    X_WP, X_WC = (
        scaled_pose(live_pose(link), unit) if link else IDENTITY for link in (settings.parent_node, settings.child_node)
    )
    return compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))
