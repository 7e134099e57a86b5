# SPDX-License-Identifier: GPL-3.0-or-later
"""Make new joints between links, and move joints, while all links stay where they were drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
from mathutils import Vector

from ....core.spatial import IDENTITY, Pose, Vec3, compose, inverse, norm, quat_of_z, scale
from ...nodes import Node, children_of, dimensions_of, origin_of, owner_of
from ...props import axes_in_use, carrier_of, fit_to_type, kind_of
from ...props.settings import joint_settings, link_settings
from ..posing.link_poses import drawn_pose
from ..values.numbers import format_pose
from .frames import frames_at_empty, store_frames

SIZE_WITHOUT_LINKS = 0.05
"""Size of a joint's Empty if its links have no size and their origins lie on the joint [Blender units]."""

LENGTH_NOISE = 1e-6
"""Length below which a size or a distance is a rounding error [Blender units]."""
Z: Vec3 = (0.0, 0.0, 1.0)


def new_joint(child: Node, parent: Node | None, kind: str, X_WJ: Pose) -> Node:
    """Return a new joint at X_WJ [Blender units], named after the child and in the child's collection.

    Args:
        parent: None for the world.
        kind: the joint's type.

    Raises:
        ModelError: if a link has scale 0.
    """
    ends = [link for link in (child, parent) if link is not None]
    drawn = {link: drawn_pose(link) for link in ends}  # before anything is changed
    obj = bpy.data.objects.new(f"{child.name}_joint", None)
    _collection_of(child).objects.link(obj)
    show_as_plain_axes(obj, _size_beside(ends, X_WJ))
    settings = joint_settings(obj)
    settings.is_joint = True
    settings.type = kind
    settings.parent_node, settings.child_node = parent, child
    fit_to_type(settings)
    _store(obj, drawn, X_WJ)
    return obj


def _size_beside(links: Sequence[Node], X_WJ: Pose) -> float:
    """Return the size of a joint's Empty from the links that it joins, the child first [Blender units].

    It is half the size of the first shape that has one. If none has, it is the distance from the joint to the origin of
    a link, as a measure of the machine's size.
    """
    position = Vector(X_WJ[:3])
    parts = [part for link in links for part in (link, *children_of(link)) if carrier_of(part) == link]
    sizes = [0.5 * max(dimensions_of(part)[:]) for part in parts]
    distances = [(origin_of(link) - position).length for link in links]
    return next((size for size in (*sizes, *distances) if size > LENGTH_NOISE), SIZE_WITHOUT_LINKS)


def show_as_plain_axes(obj: bpy.types.Object, size: float) -> None:
    """Show a joint's Empty as plain axes, which name no axis.

    The overlays draw the joint's own axes, and arrows in other directions would contradict them.
    """
    obj.empty_display_type = "PLAIN_AXES"
    obj.show_in_front = True
    obj.empty_display_size = size


def _collection_of(link: Node) -> bpy.types.Collection:
    """Return the link's first collection that the view layer shows and that is editable; else the scene's own."""
    shown = _shown_below(bpy.context.view_layer.layer_collection)
    found = (item for item in owner_of(link).users_collection if item in shown and item.is_editable)
    return next(found, bpy.context.scene.collection)


def _shown_below(layer: bpy.types.LayerCollection) -> set[bpy.types.Collection]:
    if layer.exclude:
        return set()
    return {layer.collection}.union(*map(_shown_below, layer.children))


def move_joint(obj: Node, X_WJ: Pose) -> None:
    """Move the joint to X_WJ [Blender units]. Its links stay where they were drawn.

    Raises:
        ModelError: if a link has scale 0.
    """
    _store(obj, {link: drawn_pose(link) for link in _links_of(obj)}, X_WJ)


def rebind(joints: Iterable[Node]) -> None:
    """Let joints join their links at the present poses, with coordinates 0, and with their frames at their Empties.

    Raises:
        ModelError: if a joint lacks a link, or if a link has scale 0; no joint is changed then.
    """
    frames = {obj: frames_at_empty(obj) for obj in joints}
    drawn = {link: drawn_pose(link) for obj in frames for link in _links_of(obj)}
    for obj, (X_PJ, X_CJ) in frames.items():
        store_frames(obj, X_PJ, X_CJ)
    for link, pose in drawn.items():
        link_settings(link).rest_pose = format_pose(pose)


def _links_of(obj: Node) -> list[Node]:
    settings = joint_settings(obj)
    return [link for link in (settings.child_node, settings.parent_node) if link is not None]


def _store(obj: Node, drawn: dict[Node, Pose], X_WJ: Pose) -> None:
    settings = joint_settings(obj)
    X_WP, X_WC = (drawn.get(link, IDENTITY) for link in (settings.parent_node, settings.child_node))
    store_frames(obj, compose(inverse(X_WP), X_WJ), compose(inverse(X_WC), X_WJ))
    for link, pose in drawn.items():
        link_settings(link).rest_pose = format_pose(pose)


def frame_along(origin: Vec3, direction: Vec3) -> Pose:
    """Return the pose at `origin` whose z axis points along `direction`. The first axis of a new joint is z."""
    return (*origin, *quat_of_z(direction))


def pointed_direction(settings) -> Vec3:
    """Return the unit direction of the first axis whose direction the user chooses, in the joint's frame.

    It is z if the type decides all directions, or if the axis has no direction yet.
    """
    kind = kind_of(settings)
    for number, axis in enumerate(axes_in_use(settings)):
        if kind.slot(number).is_pointed:
            length = norm(axis.xyz)
            return scale(tuple(axis.xyz), 1.0 / length) if length else Z
    return Z
