# SPDX-License-Identifier: GPL-3.0-or-later
"""Find colliders whose shape changes over time, and the causes of the change: modifiers and animations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...nodes import Node, has_own_shape, model_name, object_of
from ...nodes.animation import is_property_animated
from ...props import ancestors, carrier_of, is_kinematic
from ...props.settings import link_settings
from ..animation.motion_sources import follows_keyed_joint, has_own_motion

if TYPE_CHECKING:
    from ..scene.read import SceneReading

CODE = "collider-deforms"
"""Code of the error about a collider that changes its form."""

BY_BONES = "collider-follows-bones"
"""Code of that error if an armature deforms the collider: the bones can collide in its place."""

CHANGES_BY_ITSELF = {
    *("BUILD", "CLOTH", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "SOFT_BODY", "WAVE"),
}
"""Types of modifiers that change a mesh from frame to frame without any keys."""

NODES_OF_TIME = {"GeometryNodeInputSceneTime", "GeometryNodeSimulationInput"}
"""Types of geometry nodes whose result depends on the frame."""

ANY_PATH = ("",)
"""Beginning of a data path for `is_property_animated` that matches every data path."""

APPLY = "apply it or remove it"
DELETE_ANIMATION = "delete their animation"


class FormChange(NamedTuple):
    """A cause that changes the form of an object over time.

    Attributes:
        cause: the cause, in words.
        remedy: what to do about it, in words.
        armature: name of the armature that deforms the mesh; empty for other causes.
    """

    cause: str
    remedy: str
    armature: str = ""


class DeformingCollider(NamedTuple):
    """A collider whose form changes over time.

    Attributes:
        link: its name in the model.
        message: why it cannot be simulated, and what to do.
        code: of the error, `CODE` or `BY_BONES`.
    """

    link: str
    message: str
    code: str


def form_changes(
    shape: bpy.types.Object, _looked_at: frozenset[bpy.types.Object] = frozenset()
) -> Iterator[FormChange]:
    """Yield the causes that change the form of an object over time.

    A modifier whose result is the same at each frame is no cause.

    Args:
        _looked_at: objects that the search has visited already; they end the recursion.
    """
    if shape in _looked_at:
        return
    looked_at = _looked_at | {shape}
    keys = getattr(shape.data, "shape_keys", None)
    if keys and is_property_animated(keys, ("key_blocks", "eval_time")):
        yield FormChange("its shape keys", DELETE_ANIMATION)
    if shape.data and is_property_animated(shape.data, ANY_PATH):
        yield FormChange("the keys of its data", DELETE_ANIMATION)
    if shape.parent and shape.parent_type == "ARMATURE" and _moves_bones(shape.parent, shape):
        yield FormChange(f"the armature '{shape.parent.name}'", "unparent it", shape.parent.name)
    for modifier in shape.modifiers:
        if not modifier.show_viewport:
            continue
        cause = f"the modifier '{modifier.name}'"
        if isinstance(modifier, bpy.types.ArmatureModifier):
            if modifier.object and _moves_bones(modifier.object, shape):
                yield FormChange(cause, APPLY, modifier.object.name)
        elif modifier.type in CHANGES_BY_ITSELF or _depends_on_motion(modifier, shape, looked_at):
            yield FormChange(cause, APPLY)
            continue
        if is_property_animated(shape, (f'modifiers["{modifier.name}"]',)):
            yield FormChange(cause, APPLY)


def _moves_bones(armature: bpy.types.Object, shape: bpy.types.Object) -> bool:
    """Return whether the bones of an armature move relative to a mesh that they deform."""
    if is_property_animated(armature, ("pose.",)) or not _movers_of(armature) <= _movers_of(shape):
        return True
    bones = armature.pose.bones if armature.pose else ()
    return any(not constraint.mute and constraint.influence > 0.0 for bone in bones for constraint in bone.constraints)


def _moves_against(other: bpy.types.Object, shape: bpy.types.Object) -> bool:
    """Return whether an object that a modifier reads is animated relative to the shape that has the modifier."""
    others_movers, own = _movers_of(other), _movers_of(shape)
    return not others_movers <= own or (is_kinematic(carrier_of(shape)) and not own <= others_movers)


def _movers_of(obj: Node | None) -> set[Node]:
    """Return the objects that animation moves, among an object and its ancestors."""
    above = (obj, *ancestors(obj)) if obj else ()
    return {carrier for carrier in above if has_own_motion(carrier) or follows_keyed_joint(carrier)}


def _depends_on_motion(
    modifier: bpy.types.Modifier, shape: bpy.types.Object, looked_at: frozenset[bpy.types.Object]
) -> bool:
    """Return whether a data-block that a modifier reads moves relative to the shape, or changes over time."""
    for item in _read_by(modifier):
        if isinstance(item, bpy.types.Object):
            if _moves_against(item, shape) or any(form_changes(item, looked_at)):
                return True
        elif is_property_animated(item, ANY_PATH) or (isinstance(item, bpy.types.NodeTree) and _depends_on_time(item)):
            return True
    return False


def _read_by(modifier: bpy.types.Modifier) -> Iterator[bpy.types.ID]:
    """Yield the data-blocks that a modifier reads: objects, textures, node groups, and what these refer to."""
    for prop in modifier.bl_rna.properties:
        if isinstance(prop, bpy.types.PointerProperty):
            value = getattr(modifier, prop.identifier)
            if isinstance(value, bpy.types.ID):
                yield value
            if isinstance(value, bpy.types.NodeTree):
                yield from (item for tree in _trees_in(value) for item in _read_by_nodes(tree))
    if isinstance(modifier, bpy.types.NodesModifier):
        yield from (value for value in _inputs_of(modifier) if isinstance(value, bpy.types.ID))


def _inputs_of(modifier: bpy.types.NodesModifier) -> list[object]:
    """Return the values that a user has given to the inputs of a node group."""
    properties = getattr(modifier, "properties", None)
    if properties is None:  # before Blender 5
        return [*modifier.values()]
    inputs = properties.inputs
    return [getattr(getattr(inputs, prop.identifier), "value", None) for prop in inputs.bl_rna.properties]


def _trees_in(tree: bpy.types.NodeTree) -> list[bpy.types.NodeTree]:
    """Return the node tree and all groups in it, each once."""
    found = [tree]
    for known in found:
        groups = (getattr(node, "node_tree", None) for node in known.nodes)
        found += {group for group in groups if group is not None and group not in found}
    return found


def _read_by_nodes(tree: bpy.types.NodeTree) -> Iterator[bpy.types.Object]:
    """Yield the objects that the inputs of a tree's nodes name."""
    for node in tree.nodes:
        for socket in node.inputs:
            value = getattr(socket, "default_value", None)
            if isinstance(value, bpy.types.Object):
                yield value


def _depends_on_time(tree: bpy.types.NodeTree) -> bool:
    return any(node.bl_idname in NODES_OF_TIME for known in _trees_in(tree) for node in known.nodes)


def deforming_colliders(reading: SceneReading) -> list[DeformingCollider]:
    """Return the colliders of a scene whose collision shapes change their form over time.

    A simulation would use the form at the frame that is shown. A collider that only moves as a whole is not included.
    A free link is not included either, since it is a rigid body even if its mesh deforms.

    Args:
        reading: of the scene, with collisions; links without collision shapes are skipped.
    """
    found = []
    shapes = shapes_of(reading.objects.values())
    for link in reading.model.links:
        obj = reading.objects.get(link.name)
        if obj is None or not link.collisions or link_settings(obj).motion == "FREE":
            continue
        changed = ((shape, change) for shape in _colliding_shapes(shapes[obj]) for change in form_changes(shape))
        for shape, change in list(changed)[:1]:
            code = BY_BONES if change.armature else CODE
            found.append(DeformingCollider(link.name, _message(obj, shape, change), code))
    return found


def shapes_of(links: Iterable[Node]) -> dict[Node, list[bpy.types.Object]]:
    """Return the objects that each link carries, the link itself first if it is an object.

    It visits all objects once, because Blender searches the whole file for the children of each object.
    """
    found = {link: [object_of(link)] if has_own_shape(link) else [] for link in links}
    for obj in bpy.data.objects:
        carrier = carrier_of(obj)
        if obj != carrier and carrier in found:
            found[carrier].append(obj)
    return found


def _colliding_shapes(shapes: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the collision shapes of a link, as `ShapeReader` chooses them.

    Args:
        shapes: of the link, as in `shapes_of`.
    """
    marked = [shape for shape in shapes if link_settings(shape).role in ("COLLISION", "BOTH")]
    return marked or [shape for shape in shapes if link_settings(shape).role == "AUTO"]


def _message(link: Node, shape: bpy.types.Object, change: FormChange) -> str:
    whose = "it" if shape == link else f"its shape '{shape.name}'"
    form = "its form" if shape == link else f"the form of {whose}"
    if change.armature:
        return (
            f"link '{model_name(link)}': the armature '{change.armature}' deforms {whose} over time, and a collider "
            "keeps its form: press Bones as Colliders, and the bones collide in its place; or apply the modifier"
        )
    ends = "apply the modifier" if change.remedy == APPLY else change.remedy
    return (
        f"link '{model_name(link)}': {form} is changed over time by {change.cause}, and a collider keeps "
        f"its form: {ends}, or let it collide by a shape that keeps its form (Add Collision Shape)"
    )
