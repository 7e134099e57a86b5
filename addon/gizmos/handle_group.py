# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles in the 3D view that are placed together: those of a joint, and those of a capsule."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from mathutils import Matrix, Vector

from ...core.model import ModelError
from .. import bridge, watch
from ..nodes import Node, model_name, uid_of
from .handle import LIMBERJACK_GT_handle

if TYPE_CHECKING:
    from .drags import View

HandlePlacement = tuple[str, "bridge.joints.axis_views.AxisView", float, Vector]
"""Role, axis, radius of the ring, and location of a handle in the world."""


class HandleGroup:
    """The part of a gizmo group that places its handles. Those that are no longer needed are hidden and used again."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @staticmethod
    @abstractmethod
    def node_of(context) -> Node | None:
        """Return the node whose handles are shown; None if there is none."""

    @abstractmethod
    def view_of(self, node: Node, context) -> View:
        """Return the view of a node that drags get. Raise `ModelError` if it cannot be used as it is."""

    @abstractmethod
    def placements(self, view: View, node: Node, context) -> list[HandlePlacement]:
        """Return all handles of a node."""

    @abstractmethod
    def look(self, role: str, axis: bridge.joints.axis_views.AxisView) -> tuple[tuple[float, float, float], float]:
        """Return the colour and the opacity of a handle."""

    def view_key(self, node: Node, context) -> tuple:
        """Return what the places of the handles depend on, apart from changes of the scene."""
        return ()

    def setup(self, context):
        self.made_for = None
        self.places: list[HandlePlacement] = []
        self.refresh(context)

    def refresh(self, context):
        self.made_for = None
        self.draw_prepare(context)

    def draw_prepare(self, context):
        """Place the handles again if something has changed. It runs before each redraw."""
        node = self.node_of(context)
        if node is None:
            return
        if any(gizmo.is_modal for gizmo in self.gizmos):
            self._follow(context, node)
            return
        key = (watch.moves, uid_of(node), *self.view_key(node, context))
        if key != self.made_for:
            self.made_for = key
            self._place(node, context)
        self._face(context)

    def _place(self, node: Node, context) -> None:
        view, self.places = None, []
        for gizmo in self.gizmos:
            gizmo.hide, gizmo.target = True, None
        with suppress(ModelError):  # a node that cannot be used has no handles
            view = self.view_of(node, context)
            self.places = self.placements(view, node, context)
        while len(self.gizmos) < len(self.places):
            gizmo = self.gizmos.new(LIMBERJACK_GT_handle.bl_idname)
            gizmo.use_draw_modal = True
            gizmo.color_highlight, gizmo.alpha_highlight = (1.0, 1.0, 0.6), 1.0
            gizmo.scale_basis = 1.0
        for gizmo, (role, axis, ring, _) in zip(self.gizmos, self.places, strict=False):
            gizmo.hide = False
            gizmo.role, gizmo.target = role, (model_name(node), view, axis, ring)
            gizmo.color, gizmo.alpha = self.look(role, axis)

    def _follow(self, context, node: Node) -> None:
        """Move all handles to their new places during a drag; their roles stay."""
        try:
            places = self.placements(self.view_of(node, context), node, context)
        except ModelError:
            return
        if len(places) == len(self.places):
            self.places = places
        self._face(context)

    def _face(self, context) -> None:
        facing = context.region_data.view_rotation.to_matrix().to_4x4()
        for gizmo, (_, _, _, point) in zip(self.gizmos, self.places, strict=False):
            gizmo.matrix_basis = Matrix.Translation(point) @ facing
