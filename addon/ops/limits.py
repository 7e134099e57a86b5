"""Limits of joints from the motion that their links have."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from bpy.props import FloatProperty

from ...core.joints import JOINT_TYPES, Unit
from ...core.model import Axis, Joint, ModelError
from ...core.model.screws import joint_pose, measured_rows
from ...core.model.text import counted
from ...core.spatial import IDENTITY, Pose, compose, inverse, norm, rotvec_of_quat
from .. import bridge, ids
from ..props import is_joint
from .report import fail, named, succeed
from .selection import OnSelectedJoints

STILL = {Unit.ANGLE: 1e-4, Unit.LENGTH: 1e-5, Unit.NUMBER: 0.0}
"""Range [rad, m] below which an axis counts as unmoved: more than single precision makes of a link at rest."""

ROOM = {Unit.ANGLE: np.deg2rad(2.0), Unit.LENGTH: 0.001, Unit.NUMBER: 0.0}
"""What an axis that stands still gets on either side [rad, m], so that it is not locked."""

ASTRAY = 0.02
"""Distance [m] or angle [rad] off what the joint allows from which on the user is told."""


@dataclass
class _Motion:
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
        from ...core.kinematics import coordinates_at

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


class LIMBERJACK_OT_limits_from_motion(OnSelectedJoints, bpy.types.Operator):
    """Set the limits of the selected joints to the range of their links' animation, over the scene's frames"""

    bl_idname = ids.OP_LIMITS_FROM_MOTION
    bl_label = "Limits from Motion"
    bl_options = {"REGISTER", "UNDO"}
    what = "joints whose links are animated"

    margin: FloatProperty(
        name="Margin",
        description="Added on either side, in percent of the range. An axis that stands still gets 2° or 1 mm instead",
        default=10.0,
        min=0.0,
        soft_max=100.0,
        subtype="PERCENTAGE",
    )

    def execute(self, context):
        scene = context.scene
        objects = [obj for obj in context.selected_objects if is_joint(obj)]
        try:  # all of them before any is changed
            joints = {obj: bridge.read_joints.read_joint(obj, scene) for obj in objects}
            motions = _watched(_limited_ones(joints), scene)
            for obj, motion in motions.items():
                _require_motion(obj, motion, scene)
        except ModelError as error:
            return fail(self, context, error)
        notes = []
        for obj, motion in motions.items():
            notes += bridge.write.store_joint(motion.limited(self.margin / 100.0), obj, scene)
            if motion.astray > ASTRAY:
                notes.append(
                    f"joint '{obj.name}': its links move by up to {motion.astray:.3g} m or rad in ways that it does "
                    "not allow: is its place or its type right?"
                )
        return succeed(self, context, f"{counted(motions, 'joint')} limited to how the links move", notes)


def _limited_ones(joints: dict[bpy.types.Object, Joint]) -> dict[bpy.types.Object, Joint]:
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


def _require_motion(obj: bpy.types.Object, motion: _Motion, scene: bpy.types.Scene) -> None:
    if not any(motion.moves(number) for number in motion.lowest):
        settings = getattr(obj, ids.JOINT)
        raise ModelError(
            f"joint '{obj.name}': '{settings.child.name}' does not move against {named(settings.parent)} from frame "
            f"{scene.frame_start} to {scene.frame_end}: animate it, or deselect the joint"
        )


def _watched(joints: dict[bpy.types.Object, Joint], scene: bpy.types.Scene) -> dict[bpy.types.Object, _Motion]:
    """The motion of each joint over the scene's frames; the scene is left at the frame where it was."""
    motions = {obj: _Motion(joint, np.array(joint.q_neutral)) for obj, joint in joints.items()}
    before, within = scene.frame_current, scene.frame_subframe
    try:
        for frame in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(frame)
            _look(motions.items(), bridge.numbers.unit_length(scene))
    finally:
        scene.frame_set(before, subframe=within)
    return motions


def _look(motions: Iterable[tuple[bpy.types.Object, _Motion]], unit: float) -> None:
    for obj, motion in motions:
        settings = getattr(obj, ids.JOINT)
        X_WP, X_WC = (
            bridge.numbers.scaled_pose(bridge.poses.live_pose(link), unit) if link else IDENTITY
            for link in (settings.parent, settings.child)
        )
        motion.look(compose(inverse(compose(X_WP, motion.joint.X_PJ)), compose(X_WC, motion.joint.X_CJ)))


CLASSES = (LIMBERJACK_OT_limits_from_motion,)
