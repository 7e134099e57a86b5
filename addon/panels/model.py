# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the model as a tree: below each link its joints, and below each joint the link that it carries."""

from typing import TYPE_CHECKING

import bpy
from bpy.app.translations import pgettext_iface

from .. import ids
from ..bridge.rig import Rig, last_rig
from ..icons import icon_of_joint
from ..nodes import Node, model_name
from ..props import is_joint
from ..props.chosen import meant_active_node
from ..props.members import joints_in, links_in
from ..props.settings import joint_settings, link_settings, scene_settings
from .base import Folded

if TYPE_CHECKING:
    from ...core.model import Joint, Model

STEP = 0.6
"""Width of an indentation, relative to an icon."""


class LIMBERJACK_UL_model(bpy.types.UIList):
    """The links and joints among a scene's objects, or among an armature's bones; all else is filtered out"""

    bl_idname = ids.UL_MODEL

    def draw_item(self, context, layout, _data, item, _number, _active_data, _active_property, _index, _flag):
        rig = last_rig(context.scene)
        name = model_name(item)
        place = _places(rig).get(name) if rig else None
        row = layout.row(align=True)
        for _ in range(place[1] if place else 0):
            row.separator(factor=STEP)
        row.prop(item, "name", text="", emboss=False, icon=_icon(item, rig))
        if rig and name in rig.troubled:
            row.label(text="", icon="ERROR")
        _draw_hold(row, item, item == meant_active_node(context))

    def filter_items(self, context, data, propname):
        scene = context.scene
        return in_tree_order(self, context, data, [*links_in(scene), *joints_in(scene)])


def in_tree_order(rows, context, data, shown: list[Node]) -> tuple[list[int], list[int]]:
    """Return flags and order for a UIList of a scene's objects or an armature's bones.

    Args:
        data: the scene, or the pose of the armature.
        shown: the links and joints that have rows, if `data` contains them. All others of `data` come after them in its
            order, and are not examined.

    Returns:
        For each object or bone of `data`, the flag that it is shown and matches the search, and the number of its row.
    """
    rig = last_rig(context.scene)
    places = _places(rig) if rig else {}
    wanted = rows.filter_name.casefold()
    rows_of = data.bones[:] if isinstance(data, bpy.types.Pose) else data.objects[:]
    numbers = {obj: number for number, obj in enumerate(rows_of)}
    flags, order = [0] * len(numbers), [0] * len(numbers)
    found = [node for node in dict.fromkeys(shown) if node in numbers]
    in_order = sorted(found, key=lambda obj: (places.get(model_name(obj), (len(places), 0))[0], obj.name))
    for rank, obj in enumerate(in_order):
        is_wanted = (wanted in obj.name.casefold()) != rows.use_filter_invert if wanted else True
        order[numbers[obj]] = rank
        flags[numbers[obj]] = rows.bitflag_filter_item if is_wanted else 0
        del numbers[obj]
    for rank, number in enumerate(numbers.values(), len(in_order)):
        order[number] = rank
    return flags, order


class LIMBERJACK_PT_model(Folded, bpy.types.Panel):
    bl_idname = ids.PT_MODEL
    bl_label = "Model"

    def draw(self, context):
        scene = context.scene
        links, joints = len(links_in(scene)), len(joints_in(scene))
        self.layout.label(text=pgettext_iface("Links: {links}, joints: {joints}").format(links=links, joints=joints))
        if links or joints:
            draw_rows(self.layout, context, ids.UL_MODEL)


def draw_rows(layout, context, kind: str) -> None:
    """Draw a list of the scene's links and joints: of the active armature's bones in Pose Mode, else of objects.

    Args:
        kind: `bl_idname` of the list's type.
    """
    scene, armature = context.scene, context.object
    settings = scene_settings(scene)
    if context.mode == "POSE" and armature.pose is not None:
        layout.template_list(kind, "bones", armature.pose, "bones", settings, "bone_row", rows=4)
    else:
        layout.template_list(kind, "", scene, "objects", settings, "row", rows=4)


def _draw_hold(row, obj: Node, is_active: bool) -> None:
    """Draw the switch that keeps an object out of posing, if it is on or if the object is active."""
    if is_joint(obj):
        joint = joint_settings(obj)
        if joint.is_held or is_active:
            row.prop(joint, "is_held", text="", icon="LOCKED" if joint.is_held else "UNLOCKED", emboss=False)
        return
    pin = link_settings(obj).pin
    if pin != "NONE" or is_active:
        chosen = row.operator(ids.OP_LINK_PIN, text="", icon="UNPINNED" if pin == "NONE" else "PINNED", emboss=False)
        chosen.object, chosen.pin = model_name(obj), "POSE" if pin == "NONE" else pin


_known: tuple[int, dict[str, tuple[int, int]]] = (-1, {})


def _places(rig: Rig) -> dict[str, tuple[int, int]]:
    """Return the row and the depth of every link and joint by name, computed once for each reading of the scene."""
    global _known
    if _known[0] != rig.version:
        _known = rig.version, tree_places(rig.model)
    return _known[1]


def tree_places(model: "Model") -> dict[str, tuple[int, int]]:
    """Return the row and the depth in the tree of every link and joint, by name."""
    from ...core.model import WORLD

    tree = model.tree()
    hanging: dict[str, list[tuple[Joint, str]]] = {}
    for branch in tree.branches:
        hanging.setdefault(branch.inner, []).append((branch.joint, branch.outer))
    for joint in tree.loops:
        hanging.setdefault(joint.parent, []).append((joint, ""))
    places: dict[str, tuple[int, int]] = {}
    rest = [(name, 0) for name in reversed(tree.roots)]
    rest += _rows_below(hanging, WORLD, 0)
    while rest:
        name, depth = rest.pop()
        places[name] = (len(places), depth)
        rest += _rows_below(hanging, name, depth + 1)
    return places


def _rows_below(hanging: dict[str, list[tuple["Joint", str]]], link: str, depth: int) -> list[tuple[str, int]]:
    """Return each joint below a link, followed by the link that it carries, in reverse order."""
    rows = []
    for joint, carried in hanging.get(link, ()):
        rows += [(joint.name, depth)] + ([(carried, depth + 1)] if carried else [])
    return rows[::-1]


def _icon(obj: Node, rig: Rig | None) -> str:
    if not is_joint(obj):
        return "MESH_CUBE"
    if rig and model_name(obj) in rig.loops:
        return "LINKED"
    found = next((joint for joint in rig.model.joints if joint.name == model_name(obj)), None) if rig else None
    return icon_of_joint(found) if found else "EMPTY_ARROWS"


CLASSES = (LIMBERJACK_UL_model, LIMBERJACK_PT_model)
