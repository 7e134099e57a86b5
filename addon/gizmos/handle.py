# SPDX-License-Identifier: GPL-3.0-or-later
"""A handle of a joint or of a capsule: a mark that faces the view and can be dragged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ...core.model import ModelError
from ..bridge.viewport.rays import ray_under
from ..nodes.naming import node_of
from ..overlays import labels
from ..watch import note_change
from .capsule_drags import CAPSULE_DRAGS
from .drags import JOINT_DRAGS, Drag
from .typed import Typed

if TYPE_CHECKING:
    from ..bridge.joints.axis_views import AxisView

DRAGS = JOINT_DRAGS | CAPSULE_DRAGS
"""The actions of all handles, by role."""

SIDES = 16


def _disc(radius: float, sides: int = SIDES, turned: float = 0.0) -> list[tuple[float, float, float]]:
    corners = [
        (radius * math.cos(turned + math.tau * i / sides), radius * math.sin(turned + math.tau * i / sides), 0.0)
        for i in range(sides)
    ]
    return [point for i in range(sides) for point in ((0.0, 0.0, 0.0), corners[i - 1], corners[i])]


SHAPES = {
    "pose": _disc(0.11),
    "swing": _disc(0.11),
    "home": _disc(0.1, 4),
    "zero": _disc(0.08, 4, math.pi / 4.0),
    "aim": _disc(0.11, 3, math.pi / 2.0),
    "lower": _disc(0.1, 3, math.pi),
    "upper": _disc(0.1, 3),
    "capsule_start": _disc(0.09, 6),
    "capsule_end": _disc(0.09, 6),
    "capsule_radius": _disc(0.09, 6),
}
"""Triangles of each handle: disc for motion, diamond for start, square for zero, triangles for limits and axes, and
hexagons for capsules."""

TIPS = {
    "pose": "Position: moves the joint",
    "swing": "Swing: turns the joint",
    "home": "Start of simulations",
    "zero": "Zero: moves the parent's side alone",
    "aim": "Axis. Ctrl snaps",
    "lower": "Lower limit. Ctrl: both ends",
    "upper": "Upper limit. Ctrl: both ends",
    "capsule_start": "Start of the shape. Ctrl: both ends",
    "capsule_end": "End of the shape. Ctrl: both ends",
    "capsule_radius": "Thickness of the shape",
}
"""Texts that are shown beside the handle under the mouse."""

TIP_OF_CONE = "Largest swing"
"""Tooltip of the handle of a cone's limit, which has no other end."""


def tip_of(role: str, axis: AxisView) -> str:
    """Return the text of a handle under the mouse."""
    return TIP_OF_CONE if axis.kind == "cone" and role == "upper" else TIPS[role]


class LIMBERJACK_GT_handle(bpy.types.Gizmo):
    """A handle of a joint, or of the capsule of a bone.

    Attributes:
        role: key of `DRAGS`, the action of a drag.
        target: name of the node, its `JointView` or `CapsuleView`, the `AxisView` of the handle, and the radius of its
            ring; None while the handle is hidden.
    """

    bl_idname = "LIMBERJACK_GT_handle"

    __slots__ = ("drag", "role", "shapes", "target", "typed")

    def setup(self):
        self.role = ""
        self.target: tuple | None = None
        self.drag: Drag | None = None
        self.typed = Typed()
        self.shapes = {role: self.new_custom_shape("TRIS", points) for role, points in SHAPES.items()}

    def draw(self, context):
        if self.target:
            self.draw_custom_shape(self.shapes[self.role])
            if self.is_highlight:
                labels.note_hover()
            if self.is_highlight and self.drag is None and context.space_data.overlay.show_overlays:
                _, _, axis, _ = self.target
                labels.hovered.append((self.matrix_basis.translation.copy(), tip_of(self.role, axis)))

    def draw_select(self, _context, select_id):
        if self.target:
            self.draw_custom_shape(self.shapes[self.role], select_id=select_id)

    def invoke(self, context, event):
        assert self.target  # handles without a target are hidden
        name, view, axis, radius = self.target
        self.typed = Typed()
        try:
            self.drag = DRAGS[self.role](context, node_of(context.scene, name), view, axis, radius)
            self.drag.press(ray_under(context, event))
        except ModelError as error:
            message = str(error)
            context.window_manager.popup_menu(lambda menu, _: menu.layout.label(text=message), title="", icon="ERROR")
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def modal(self, context, event, tweak):
        drag, is_snapping = self.drag, "SNAP" in (tweak or ())
        try:
            if self.typed.add_key(event):
                if self.typed.value is not None:
                    drag.set_value(context, drag.from_typed_number(self.typed.value), is_snapping)
            elif not self.typed.text and event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
                drag.move_to(context, ray_under(context, event), is_snapping)
        except ModelError as error:
            self._show_in_header(context, str(error))
            return {"RUNNING_MODAL"}
        typed = f"   [{self.typed.text}]" if self.typed.text else ""
        self._show_in_header(context, drag.status_text(context.scene) + typed)
        note_change([drag.obj])
        return {"RUNNING_MODAL"}

    def exit(self, context, cancel):
        drag, self.drag = self.drag, None
        self._show_in_header(context, None)
        if drag is None:
            return
        drag.end()
        if cancel:
            drag.cancel()
        elif drag.value != drag.initial_value:
            drag.confirm(context)
        note_change([drag.obj])

    def _show_in_header(self, context, text: str | None) -> None:
        if context.area:
            context.area.header_text_set(text)
            context.area.tag_redraw()  # settings of bones change nothing that Blender draws by itself
