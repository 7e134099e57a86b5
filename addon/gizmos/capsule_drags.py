# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of the handles of a bone's capsule: its ends and its radius.

With Blender's X-Axis Mirror, the bone of the other side gets the same shape.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import bridge
from ..nodes import Node, is_part, owner_of
from ..props.ragdoll import is_body_part
from ..props.settings import is_link_bone
from .drags import Drag


class CapsuleDrag(Drag):
    snaps = False
    view: bridge.links.capsule_views.CapsuleView

    def begin(self, context) -> float:
        self.bones = [self.obj, *_other_side(self.obj)]
        return self.axis.value

    def changed_objects(self, context) -> Iterable[Node]:
        return self.bones

    def take_snapshot(self, context) -> bridge.values.snapshot.CapsuleSnapshot:
        return bridge.values.snapshot.CapsuleSnapshot(self.changed_objects(context))

    def confirm(self, context) -> None:
        """End the drag as one undo step. Parts of a ragdoll that overlap now do not collide with each other."""
        parts = [bone for bone in self.bones if is_body_part(bone)]
        bridge.characters.ragdoll_bodies.add_pairs_of(parts, context.scene)
        super().confirm(context)


class EndDrag(CapsuleDrag):
    """A drag of one end. The capsule does not become shorter than a ball. With Ctrl, its middle stays."""

    is_start = False

    def begin(self, context) -> float:
        super().begin(context)
        return self.view.start if self.is_start else self.view.end

    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
        start, end, least = self.view.start, self.view.end, 2.0 * self.view.radius
        if with_ctrl:
            middle = 0.5 * (start + end)
            half = max(middle - value if self.is_start else value - middle, 0.5 * least)
            start, end = middle - half, middle + half
        elif self.is_start:
            start = min(value, end - least)
        else:
            end = max(value, start + least)
        self.value = start if self.is_start else end
        for bone in self.bones:
            bridge.links.capsule_views.set_ends(bone, context.scene, start, end)


class CapsuleStartDrag(EndDrag):
    label, is_start = "Start", True


class CapsuleEndDrag(EndDrag):
    label = "End"


class CapsuleRadiusDrag(CapsuleDrag):
    label = "Radius"

    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
        self.value = abs(value)  # the mouse may cross the axis
        self.snapshot.restore()
        for bone in self.bones:
            bridge.links.capsule_views.set_radius(bone, context.scene, self.value)


CAPSULE_DRAGS = {
    "capsule_start": CapsuleStartDrag,
    "capsule_end": CapsuleEndDrag,
    "capsule_radius": CapsuleRadiusDrag,
}
"""The actions of a capsule's handles, by role."""


def _other_side(bone: Node) -> list[Node]:
    """Return the link on the other side of the armature if Blender mirrors edits in Pose Mode, in a list."""
    pose = owner_of(bone).pose
    if not is_part(bone) or pose is None or not pose.use_mirror_x:
        return []
    other = bridge.scene.mirroring_bones.other_side(bone)
    return [other] if other is not None and is_link_bone(other) else []
