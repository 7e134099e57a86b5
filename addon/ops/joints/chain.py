# SPDX-License-Identifier: GPL-3.0-or-later
"""Join links in a row: by clicking one after the other, or by name."""

from itertools import pairwise

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty
from bpy_extras import view3d_utils
from mathutils import Vector

from ....core.model import ModelError
from ....core.model.text import counted
from ....core.spatial import IDENTITY, add, scale
from ... import ids
from ...bridge.joints.joining import new_joint
from ...bridge.posing.link_poses import drawn_pose
from ...nodes import Node, model_name, owner_of
from ...nodes.naming import node_named
from ...props import carrier_of, is_link
from ...props.joint import type_items
from ...props.members import joints_in
from ...props.settings import joint_settings
from ..report import fail, named, redraw, select_only, succeed
from ..selection import JOINED_BY_TAGGING, OnLinks
from ..views import is_navigation, nearest_link, view_under

PASSED_ON = ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TIMER")
Link = Node


class LIMBERJACK_OT_joint_chain(OnLinks, bpy.types.Operator):
    """Click the links one by one, from the base outward; each is joined to the one before"""

    bl_idname = ids.OP_CHAIN
    refusal_of_bones = JOINED_BY_TAGGING
    bl_label = "Join in a Chain"
    bl_options = {"REGISTER", "UNDO"}

    links: CollectionProperty(
        name="Links", description="Names of the links, in order", type=bpy.types.OperatorFileListElement
    )
    type: EnumProperty(
        name="Type",
        description="How each link may move relative to the previous one",
        items=type_items(),
        default="revolute",
    )
    origin: EnumProperty(
        name="Place",
        description="Position of each joint; its axes are parallel to the world's",
        items=(
            ("CHILD", "Child's Origin", "Where the outer link has its origin", 0),
            ("BETWEEN", "Between Origins", "Halfway between the origins of the two links", 1),
        ),
    )
    to_world: BoolProperty(name="Start at the World", description="Join the first link to the world")

    _chain = ()
    _before = (), None

    def execute(self, context):
        """Join the links that are named."""
        try:
            chain = [_link_named(item.name, context.scene) for item in self.links]
            for number, link in enumerate(chain):
                _require_new_pair(chain[:number], link, context.scene, self.to_world)
            joints = _join(chain, self.type, self.origin, self.to_world)
        except ModelError as error:
            return fail(self, context, error)
        select_only(context, *joints)
        return succeed(self, context, f"{counted(chain, 'link')} joined in a chain by {counted(joints, 'joint')}")

    def invoke(self, context, event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        self.begin(context)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def begin(self, context):
        self._chain = []
        self._before = list(context.selected_objects), context.view_layer.objects.active
        self._show(context)

    def modal(self, context, event):
        if event.type in PASSED_ON or is_navigation(event):
            return {"PASS_THROUGH"}
        if event.type == "ESC":
            self.cancel(context)
            self.report({"INFO"}, "Cancelled: nothing is joined")
            return {"CANCELLED"}
        if (event.type == "LEFTMOUSE" and event.value == "DOUBLE_CLICK") or (
            event.type in ("RET", "NUMPAD_ENTER", "RIGHTMOUSE") and event.value == "PRESS"
        ):
            return self._finish(context)
        if event.value in ("PRESS", "DOUBLE_CLICK") and event.type == "BACK_SPACE":
            self._remove_last(context)
        elif event.value == "PRESS" and event.type == "LEFTMOUSE":
            self._click(context, event)
        return {"RUNNING_MODAL"}  # the scene must not change meanwhile

    def cancel(self, context):
        """End without joints. Blender also calls this when a file is loaded."""
        self._select(context, *self._before)
        self._clean_up(context)

    def _click(self, context, event):
        obj = object_under(context, event)
        if obj is None:
            return self._show(context)
        link = carrier_of(obj)
        try:
            if link is None:
                raise ModelError(f"'{obj.name}' is no link: tag it first")
            _require_new_pair(self._chain, link, context.scene, self.to_world)
        except ModelError as error:
            self.report({"WARNING"}, str(error))
            return self._show(context, str(error))
        self._chain.append(link)
        self._select(context, self._chain, link)
        return self._show(context)

    def _remove_last(self, context):
        if self._chain:
            self._chain.pop()
        self._select(context, self._chain, self._chain[-1] if self._chain else None)
        self._show(context)

    def _finish(self, context):
        self.links.clear()
        for link in self._chain:
            self.links.add().name = model_name(link)
        self._select(context, *self._before)  # remains if joining fails
        self._clean_up(context)
        return self.execute(context)

    def _select(self, context, objects: list[Link], active: Link | None):
        for obj in context.selected_objects:
            obj.select_set(False)
        for obj in objects:
            owner_of(obj).select_set(True)
        context.view_layer.objects.active = owner_of(active) if active else None

    def _show(self, context, problem: str = ""):
        if context.workspace:
            context.workspace.status_text_set(f"{problem}. {self._next()}" if problem else self._next())
        redraw(context)

    def _next(self) -> str:
        keys = "Backspace takes the last back, Enter or double-click joins, Esc cancels"
        if not self._chain:
            return "Click the first link of the chain, the one that carries the others. Esc cancels"
        return f"{len(self._chain)} in the chain: click the link that '{self._chain[-1].name}' carries. {keys}"

    def _clean_up(self, context):
        if context.workspace:
            context.workspace.status_text_set(None)
        redraw(context)


def object_under(context, event) -> Node | None:
    """Return the first object that the mouse ray hits in a 3D view, or else the nearest link close to the mouse."""
    view = view_under(context, event)
    if view is None:
        return None
    _, region, region_3d, (x, y) = view
    pixel = Vector((x, y))
    origin = view3d_utils.region_2d_to_origin_3d(region, region_3d, pixel)
    direction = view3d_utils.region_2d_to_vector_3d(region, region_3d, pixel)
    hit, *_, obj, _ = context.scene.ray_cast(context.evaluated_depsgraph_get(), origin, direction)
    if hit:
        return obj.original
    return nearest_link(context, region, region_3d, pixel)


def _link_named(name: str, scene: bpy.types.Scene) -> Link:
    obj = node_named(scene, name)
    if obj is None:
        raise ModelError(f"there is no object '{name}' in this scene: name links of this scene")
    if not is_link(obj):
        raise ModelError(f"'{name}' is no link: tag it first")
    return obj


def _require_new_pair(chain: list[Link], link: Link, scene: bpy.types.Scene, to_world: bool) -> None:
    """Raise `ModelError` if the link cannot be the next of the chain."""
    parent = chain[-1] if chain else None
    if link == parent:
        raise ModelError(f"'{model_name(link)}' is the last of the chain already: click another link")
    if parent is None and not to_world:
        return
    ends = {parent, link}
    found = [model_name(obj) for obj in joints_in(scene) if _ends_of(obj) == ends]
    if found:
        raise ModelError(f"'{model_name(link)}' is joined to {named(parent)} already, by '{found[0]}'")
    if any({one, other} == ends for one, other in pairwise(chain)):
        raise ModelError(f"'{model_name(link)}' is next to {named(parent)} in the chain already: click another link")


def _ends_of(joint: Node) -> set[Link | None]:
    settings = joint_settings(joint)
    return {settings.parent_node, settings.child_node}


def _join(chain: list[Link], kind: str, origin: str, to_world: bool) -> list[Node]:
    pairs: list[tuple[Link | None, Link]] = list(pairwise(chain))
    if to_world and chain:
        pairs.insert(0, (None, chain[0]))
    if not pairs:
        raise ModelError(f"The chain has {counted(chain, 'link')}: it takes two at least")
    places = [_place(parent, child, origin) for parent, child in pairs]  # before any joint is made
    return [
        new_joint(child, parent, kind, (*place, *IDENTITY[3:]))
        for (parent, child), place in zip(pairs, places, strict=True)
    ]


def _place(parent: Link | None, child: Link, origin: str):
    at = drawn_pose(child)[:3]
    carrier = drawn_pose(parent)[:3] if parent else at
    return scale(add(at, carrier), 0.5) if origin == "BETWEEN" else at


CLASSES = (LIMBERJACK_OT_joint_chain,)
