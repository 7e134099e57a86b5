# SPDX-License-Identifier: GPL-3.0-or-later
"""New joints between links, and joints put elsewhere, with all links where they were drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
from mathutils import Vector

from ...core.spatial import IDENTITY, Pose, Vec3, compose, inverse, norm, quat_of_z, scale
from .. import ids
from ..props import axes_in_use, carrier_of, fit_to_type, kind_of
from .frames import frames_at_empty, store_frames
from .numbers import format_pose
from .poses import drawn_pose

SIZE_WITHOUT_LINKS = 0.05
"""Size of the Empty of a joint whose links have no size and lie on it [Blender units]."""

NO_WAY = 1e-6
"""Length below which a size or a way is a rounding error [Blender units]."""
Z: Vec3 = (0.0, 0.0, 1.0)


def new_joint(child: bpy.types.Object, parent: bpy.types.Object | None, kind: str, X_WJ: Pose) -> bpy.types.Object:
    """A joint at X_WJ [Blender units], in the child's collection, named after the child; no parent is the world.

    Raises:
        ModelError: a link has no size.
    """
    ends = [link for link in (child, parent) if link is not None]
    drawn = {link: drawn_pose(link) for link in ends}  # before anything is changed
    obj = bpy.data.objects.new(f"{child.name}_joint", None)
    _collection_of(child).objects.link(obj)
    show_plainly(obj, _size_beside(ends, X_WJ))
    settings = getattr(obj, ids.JOINT)
    settings.is_joint = True
    settings.type = kind
    settings.parent, settings.child = parent, child
    fit_to_type(settings)
    _store(obj, drawn, X_WJ)
    return obj


def _size_beside(links: Sequence[bpy.types.Object], X_WJ: Pose) -> float:
    """Return the size of a joint's Empty from the links that it joins, the child first [Blender units].

    It is half the first link that has a size. If none has one, the way from the joint to a link tells how large the
    machine is.
    """
    place = Vector(X_WJ[:3])
    parts = [part for link in links for part in (link, *link.children) if carrier_of(part) == link]
    sizes = [0.5 * max(part.dimensions[:]) for part in parts]
    ways = [(link.matrix_world.translation - place).length for link in links]
    return next((size for size in (*sizes, *ways) if size > NO_WAY), SIZE_WITHOUT_LINKS)


def show_plainly(obj: bpy.types.Object, size: float) -> None:
    """Let the Empty of a joint name no axis: what the overlays draw does, and arrows would contradict it."""
    obj.empty_display_type = "PLAIN_AXES"
    obj.show_in_front = True
    obj.empty_display_size = size


def _collection_of(link: bpy.types.Object) -> bpy.types.Collection:
    """The first of the link's that the view layer shows and that can be changed; else the scene's own."""
    shown = _shown_below(bpy.context.view_layer.layer_collection)
    found = (item for item in link.users_collection if item in shown and item.is_editable)
    return next(found, bpy.context.scene.collection)


def _shown_below(layer: bpy.types.LayerCollection) -> set[bpy.types.Collection]:
    if layer.exclude:
        return set()
    return {layer.collection}.union(*map(_shown_below, layer.children))


def put_joint(obj: bpy.types.Object, X_WJ: Pose) -> None:
    """Move the joint to X_WJ [Blender units]; its links stay where they were drawn.

    Raises:
        ModelError: a link has no size.
    """
    _store(obj, {link: drawn_pose(link) for link in _links_of(obj)}, X_WJ)


def join_here(joints: Iterable[bpy.types.Object]) -> None:
    """Let joints join their links where these are now, as their zero, at the places of their Empties.

    Raises:
        ModelError: a joint lacks a link, or a link has no size; then none is changed.
    """
    frames = {obj: frames_at_empty(obj) for obj in joints}
    drawn = {link: drawn_pose(link) for obj in frames for link in _links_of(obj)}
    for obj, (X_PJ, X_CJ) in frames.items():
        store_frames(obj, X_PJ, X_CJ)
    for link, pose in drawn.items():
        getattr(link, ids.LINK).rest_pose = format_pose(pose)


def _links_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    settings = getattr(obj, ids.JOINT)
    return [link for link in (settings.child, settings.parent) if link is not None]


def _store(obj: bpy.types.Object, drawn: dict[bpy.types.Object, Pose], X_WJ: Pose) -> None:
    settings = getattr(obj, ids.JOINT)
    X_WP, X_WC = (drawn.get(link, IDENTITY) for link in (settings.parent, settings.child))
    store_frames(obj, compose(inverse(X_WP), X_WJ), compose(inverse(X_WC), X_WJ))
    for link, pose in drawn.items():
        getattr(link, ids.LINK).rest_pose = format_pose(pose)


def frame_along(origin: Vec3, direction: Vec3) -> Pose:
    """The pose at `origin` whose z points along `direction`: a new joint's first axis is z."""
    return (*origin, *quat_of_z(direction))


def pointed_direction(settings) -> Vec3:
    """Where, in the joint's frame, its first axis points whose direction the user chooses; z where the type decides.

    Of length 1; z for an axis that has no direction yet.
    """
    kind = kind_of(settings)
    for number, axis in enumerate(axes_in_use(settings)):
        if kind.slot(number).is_pointed:
            length = norm(axis.xyz)
            return scale(tuple(axis.xyz), 1.0 / length) if length else Z
    return Z
