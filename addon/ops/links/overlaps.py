# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs for links that overlap at the start of simulations."""

from typing import TYPE_CHECKING

import bpy
from mathutils import Matrix, Vector

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge
from ...nodes import model_name, object_of
from ...nodes.naming import node_named
from ...props.members import joints_in
from ...props.pairs import set_pair
from ...props.settings import joint_settings, link_settings
from ..report import select_only

if TYPE_CHECKING:
    from ....core.kinematics.proximity.distances import Separation

APART = 1e-5
"""Gap that is left between links that were moved apart [m], more than single precision rounds by."""

SHALLOW = 1e-9
"""Largest depth at which links touch without overlapping [m]."""

MOST_MOVES = 20
"""Number of moves of one link after which it must overlap nothing."""

MOST_ROUNDS = 100
"""Number of rounds in which all links are moved. A stack needs one round more than it has links on top of each other.
"""

SMALLEST = 0.5
"""Smallest factor by which a shape is scaled."""


def let_pass_through(context, obj) -> str:
    """Let the link pass through all links that it overlaps."""
    others = [
        node_named(context.scene, found.b if found.a == model_name(obj) else found.a) for found in _overlaps_of(obj)
    ]
    there = [other for other in others if other is not None]
    if not there:
        raise ModelError(f"link '{obj.name}' overlaps the scene's ground, which is no object: move it up")
    for other in there:
        set_pair(context.scene, obj, other, False)
    return f"'{model_name(obj)}' passes through {', '.join(repr(model_name(other)) for other in there)}"


def move_apart(context, obj) -> str:
    """Move a link out of all links that it overlaps, one after the other, each time by the shortest way."""
    mover = _movable_link(context, obj)
    unit, before = bridge.values.numbers.unit_length(context.scene), mover.matrix_world.copy()
    for _ in range(MOST_MOVES):
        found = _overlaps_of(mover)
        if not found:
            return f"'{mover.name}' is moved out of what it was in"
        way = _way_out(min(found, key=lambda each: each.gap), mover, unit)
        mover.matrix_world = Matrix.Translation(way) @ mover.matrix_world
        context.view_layer.update()
    mover.matrix_world = before
    raise ModelError(f"link '{mover.name}' is jammed between others: move it by hand")


def select_overlapping(context, _obj) -> str:
    """Select all links that overlap others."""
    names = {name for found in _overlaps_in(context.scene) for name in (found.a, found.b)}
    links = [link for link in (node_named(context.scene, name) for name in sorted(names)) if link is not None]
    select_only(context, *links)
    return f"{counted(links, 'link')} that overlap selected"


def move_all_apart(context, _obj) -> str:
    """Move links out of each other until none overlap; of each pair, the upper one is moved.

    Raises:
        ModelError: if some links cannot be moved, or are jammed between others; no link is moved then.
    """
    scene, moved = context.scene, {}
    joined = _joined_in(scene)
    for _ in range(MOST_ROUNDS):
        found = _overlaps_in(scene)
        if not found:
            return f"{counted(moved, 'link')} moved apart"
        ways: dict[bpy.types.Object, Vector] = {}
        for each in found:  # the deepest first, each link once per round
            mover = _upper_movable_link(scene, each, joined)
            if mover is not None and mover not in ways:
                ways[mover] = _way_out(each, mover, bridge.values.numbers.unit_length(scene))
        if not ways:
            break
        for mover, way in ways.items():
            moved.setdefault(mover, mover.matrix_world.copy())
            mover.matrix_world = Matrix.Translation(way) @ mover.matrix_world
        context.view_layer.update()
    left = len(_overlaps_in(scene))
    for link, before in moved.items():
        link.matrix_world = before
    raise ModelError(f"{counted(left, 'pair')} of links are jammed, joined or held: move them by hand")


def _upper_movable_link(scene, found: "Separation", joined: set) -> bpy.types.Object | None:
    """Return the link of a pair that may be moved, the upper one if both may; None if neither may."""
    links = [node_named(scene, name) for name in (found.a, found.b)]
    movable = [object_of(link) for link in links if link is not None and _is_movable(link, joined)]
    return max(movable, key=lambda link: link.matrix_world.translation.z, default=None)


def _way_out(found: "Separation", mover: bpy.types.Object, unit: float) -> Vector:
    """Return the shortest displacement that moves a link out of the other one of a pair [Blender units]."""
    away = -1.0 if found.a == model_name(mover) else 1.0  # the normal leads from a to b
    return away * (-found.gap + APART) / unit * Vector(found.normal)


def shrink(context, obj) -> str:
    """Scale down each collision shape of the smaller link about its own centre, until the link overlaps nothing.

    If the link collides as its visible mesh, it gets a collision shape first.
    """
    link = _smallest_moving(context, obj)
    if _scale_without_overlap(link, link, context) < SMALLEST:
        raise ModelError(f"link '{link.name}' is in others by more than a quarter of its size: move it by hand")
    if not _shapes_of(link):
        select_only(context, link)
        bpy.ops.limberjack.collision_add(type="AUTO")
    shapes = {shape: shape.matrix_world.copy() for shape in _shapes_of(link)}
    for _ in range(MOST_MOVES):
        shares = {shape: _scale_without_overlap(link, shape, context) for shape in shapes}
        if min(shares.values()) == 1.0:
            return f"The collision shapes of '{link.name}' are smaller: they are in nothing"
        for shape, share in shares.items():
            middle = Matrix.Translation(shape.matrix_world @ (sum(map(Vector, shape.bound_box), Vector()) / 8.0))
            shape.matrix_world = middle @ Matrix.Scale(share, 4) @ middle.inverted() @ shape.matrix_world
        context.view_layer.update()
    for shape, matrix in shapes.items():
        shape.matrix_world = matrix
    raise ModelError(f"link '{link.name}' is in others however small its shapes are: move it by hand")


def _smallest_moving(context, obj) -> bpy.types.Object:
    """Return the smallest free link among a link and those that it overlaps. Bones do not count."""
    names = {model_name(obj), *(name for found in _overlaps_of(obj) for name in (found.a, found.b))}
    links = [link for link in (node_named(context.scene, name) for name in sorted(names)) if link is not None]
    free = [link for link in links if link_settings(link).motion == "FREE"]
    moving = [link for link in free if isinstance(link, bpy.types.Object)]
    if free and not moving:
        raise ModelError(f"'{model_name(free[0])}' is a bone: make its shape smaller, in the panel Link, Shape")
    if not moving:
        raise ModelError(f"link '{obj.name}' and what it overlaps do not move by themselves: move them by hand")
    return min(moving, key=lambda link: max(link.dimensions))


def _shapes_of(link) -> list[bpy.types.Object]:
    return [child for child in link.children if link_settings(child).role == "COLLISION"]


def _scale_without_overlap(link, shape, context) -> float:
    """Return the factor by which a shape must be scaled to remove the deepest overlap of its link; 1 for none."""
    found = _overlaps_of(link)
    if not found:
        return 1.0
    depth = APART - min(each.gap for each in found)
    least = min(shape.dimensions) * bridge.values.numbers.unit_length(context.scene)
    return 1.0 - 2.0 * depth / least if least else 0.0


def _movable_link(context, obj) -> bpy.types.Object:
    """Return the link to move: the given one or another that it overlaps, without joints and animation."""
    joined = _joined_in(context.scene)
    others = [found.b if found.a == model_name(obj) else found.a for found in _overlaps_of(obj)]
    for link in (obj, *filter(None, (node_named(context.scene, name) for name in others))):
        if _is_movable(link, joined):
            return object_of(link)
    raise ModelError(f"link '{model_name(obj)}' and what it overlaps are joined or held: move the machine by hand")


def _joined_in(scene) -> set:
    return {end for joint in joints_in(scene) for end in ends_of(joint)}


def _is_movable(link, joined: set) -> bool:
    """Return whether a link is an object that neither a joint nor animation holds."""
    is_free = isinstance(link, bpy.types.Object) and link_settings(link).motion == "FREE"
    return is_free and link not in joined and not bridge.animation.motion_sources.is_animated(link)


def ends_of(joint) -> tuple:
    settings = joint_settings(joint)
    return settings.parent_node, settings.child_node


def _overlaps_of(obj) -> "list[Separation]":
    return [found for found in _overlaps_in(bpy.context.scene) if model_name(obj) in (found.a, found.b)]


def _overlaps_in(scene) -> "list[Separation]":
    """Return the pairs of links that overlap, the deepest first."""
    from ....core.kinematics.proximity.distances import overlaps

    found = [each for each in overlaps(bridge.scene.read.read_scene(scene)) if each.gap < -SHALLOW]
    return sorted(found, key=lambda each: each.gap)
