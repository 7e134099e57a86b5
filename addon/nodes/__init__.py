# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes: what may be a link or a joint of a scene. Everything that depends on the kind of node is in this package.

`Node` is the type of links and joints in the rest of the add-on. Each kind is a module with the functions of `Kind`
and an entry in `KINDS`; the functions below find the kind of a node. The package uses Blender's data only, and knows
neither the settings of links and joints nor models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeAlias, TypeGuard

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import bones, objects

Node: TypeAlias = bpy.types.Object | bpy.types.PoseBone
"""A link or a joint of a scene."""


class Kind(Protocol):
    """An interface of modules, each of which implements one kind of node. The functions below describe the results."""

    CHANNELS: tuple[str, ...]
    JOINS_ITSELF: bool
    HAS_OWN_SHAPE: bool
    IS_PART: bool

    def prefix_of(self, node, /) -> str: ...
    def model_name(self, node, /) -> str: ...
    def parent_of(self, node, /) -> Node | None: ...
    def attachment_of(self, node, /) -> str: ...
    def parent_inverse(self, node, /) -> np.ndarray: ...
    def own_matrix(self, node, /) -> np.ndarray: ...
    def world_matrix(self, node, /) -> np.ndarray: ...
    def evaluated(self, node, depsgraph: bpy.types.Depsgraph, /) -> Node: ...
    def compose_channels(self, node, values: dict[str, list[float]], /) -> np.ndarray: ...
    def delta_location(self, node, /) -> np.ndarray: ...
    def delta_rotation(self, node, /) -> np.ndarray: ...
    def delta_scale(self, node, /) -> Vector: ...
    def has_location(self, node, /) -> bool: ...
    def obstacle_to_showing(self, node, /) -> str: ...
    def set_transform(self, node, location: Vector, rotation: Matrix, /) -> None: ...
    def children_of(self, node, /) -> tuple[bpy.types.Object, ...]: ...
    def dimensions_of(self, node, /) -> Vector: ...
    def display_size(self, node, /) -> float: ...
    def is_selected(self, node, /) -> bool: ...
    def select(self, node, selected: bool, /) -> None: ...
    def is_visible(self, node, /) -> bool: ...


KINDS: dict[type, Kind] = {bpy.types.Object: objects, bpy.types.PoseBone: bones}
"""The kinds of nodes, by Blender's type."""


def _kind_of(node: Node) -> Kind:
    return KINDS[type(node)]


def is_node(value: object) -> TypeGuard[Node]:
    """Return whether a value of Blender's is of a kind that can be a link or joint."""
    return type(value) in KINDS


def owner_of(node: Node) -> bpy.types.Object:
    """Return the object that stores the node, and whose action contains the node's F-curves."""
    owner = node.id_data
    assert isinstance(owner, bpy.types.Object)
    return owner


def armature_bones(obj: bpy.types.Object) -> bpy.types.bpy_prop_collection[bpy.types.PoseBone] | tuple[()]:
    """Return the pose bones that the object stores: those of an armature, else none."""
    return obj.pose.bones if obj.pose is not None else ()


def object_of(node: Node) -> bpy.types.Object:
    """Return the node as an object, for code about objects: meshes, materials and what carries them.

    Raises:
        TypeError: if the node is of another kind.
    """
    if not isinstance(node, bpy.types.Object):
        raise TypeError(f"'{node.name}' is no object")
    return node


def uid_of(node: Node) -> tuple[int, str]:
    """Return a key of the node for caches: it stays the same when Blender moves its data, as an undo does."""
    return owner_of(node).session_uid, _kind_of(node).prefix_of(node)


def prefix_of(node: Node) -> str:
    """Return what stands before the node's properties in data paths of its owner, with the separator."""
    return _kind_of(node).prefix_of(node)


def channels_of(node: Node) -> tuple[str, ...]:
    """Return the data paths of the properties that place the node relative to its parent."""
    return _kind_of(node).CHANNELS


def joins_itself(node: Node) -> TypeGuard[bpy.types.PoseBone]:
    """Return whether the joint that is stored on a node moves that node, as a bone's does. An Empty's moves a link.

    Type checkers take such nodes for bones, as no other kind joins itself.
    """
    return _kind_of(node).JOINS_ITSELF


def has_own_shape(node: Node) -> bool:
    """Return whether the node itself may be a shape of its link. A bone has only the shapes of what hangs on it."""
    return _kind_of(node).HAS_OWN_SHAPE


def is_part(node: Node) -> TypeGuard[bpy.types.PoseBone]:
    """Return whether the node is a part of the object that stores it, as a bone is. Constraints of others may move it.

    Type checkers take parts for bones, since no other kind of node is a part.
    """
    return _kind_of(node).IS_PART


def parts_among(nodes: Iterable[Node]) -> list[bpy.types.PoseBone]:
    """Return those of the nodes that are parts of the objects that store them."""
    return [node for node in nodes if is_part(node)]


def model_name(node: Node) -> str:
    """Return the name of the node in models, messages, trajectories and exports. It is unique in a scene."""
    return _kind_of(node).model_name(node)


def parent_of(node: Node) -> Node | None:
    """Return the node that carries this one."""
    return _kind_of(node).parent_of(node)


def attachment_of(node: Node) -> str:
    """Return a word for the part of its parent that carries the node, such as "bone".

    It is empty if there is no parent, or if `space.space_of` computes the space of the node's own transform.
    """
    return _kind_of(node).attachment_of(node)


def parent_inverse(node: Node) -> np.ndarray:
    """Return the matrix from the space of the node's own transform to its parent's axes, shape (4, 4).

    If the node has an attachment, this is between the matrix and the parent.
    """
    return _kind_of(node).parent_inverse(node)


def own_matrix(node: Node) -> np.ndarray:
    """Return the node's present own transform, shape (4, 4), in its space."""
    return _kind_of(node).own_matrix(node)


def world_matrix(node: Node) -> np.ndarray:
    """Return the node's present transform in the world, shape (4, 4) [Blender units]."""
    return _kind_of(node).world_matrix(node)


def evaluated(node: Node, depsgraph: bpy.types.Depsgraph) -> Node:
    """Return the node as the dependency graph evaluates it."""
    return _kind_of(node).evaluated(node, depsgraph)


def compose_channels(node: Node, values: dict[str, list[float]]) -> np.ndarray:
    """Return the own transform that values of all of `channels_of` give the node, shape (4, 4)."""
    return _kind_of(node).compose_channels(node, values)


def delta_location(node: Node) -> np.ndarray:
    """Return the location that is added to the node's own, shape (3,) [Blender units]."""
    return _kind_of(node).delta_location(node)


def delta_rotation(node: Node) -> np.ndarray:
    """Return the rotation that is applied after the node's own, shape (3, 3)."""
    return _kind_of(node).delta_rotation(node)


def delta_scale(node: Node) -> Vector:
    """Return the three factors by which the node's own scale is multiplied."""
    return _kind_of(node).delta_scale(node)


def has_location(node: Node) -> bool:
    """Return whether Blender uses the node's location; it does not if the node is a connected bone."""
    return _kind_of(node).has_location(node)


def obstacle_to_showing(node: Node) -> str:
    """Return why Blender does not show the node's own transform, and what to do; empty if it shows it."""
    return _kind_of(node).obstacle_to_showing(node)


def set_transform(node: Node, location: Vector, rotation: Matrix) -> None:
    """Set location and rotation of the node's own transform. Euler angles are those nearest to the present ones.

    Args:
        location: [Blender units]. rotation: 3 by 3. Both include the deltas.
    """
    _kind_of(node).set_transform(node, location, rotation)


def children_of(node: Node) -> tuple[bpy.types.Object, ...]:
    """Return the objects that the node carries directly."""
    return _kind_of(node).children_of(node)


def hang_on(obj: bpy.types.Object, node: Node, space: Matrix) -> None:
    """Parent an object to a node.

    Args:
        space: matrix from the space of the object's own transform to the node's axes, 4 by 4.
    """
    obj.parent, obj.parent_type = owner_of(node), "OBJECT"
    obj.matrix_parent_inverse = space
    if is_part(node):
        obj.parent_type, obj.parent_bone = "BONE", node.name
        unplaced = Matrix(parent_inverse(obj).tolist()) @ space.inverted()
        obj.matrix_parent_inverse = unplaced.inverted() @ space


def dimensions_of(node: Node) -> Vector:
    """Return the extents of what is seen of the node itself, along its own axes [Blender units]."""
    return _kind_of(node).dimensions_of(node)


def display_size(node: Node) -> float:
    """Return the size at which a joint's node is drawn [Blender units], to which glyphs are proportional."""
    return _kind_of(node).display_size(node)


def origin_of(node: Node) -> Vector:
    """Return the node's present place in the world [Blender units]."""
    return Vector(world_matrix(node)[:3, 3].tolist())


def is_selected(node: Node) -> bool:
    """Return whether the node is selected in the present view layer."""
    return _kind_of(node).is_selected(node)


def select(node: Node, selected: bool) -> None:
    """Select or deselect the node in the present view layer."""
    _kind_of(node).select(node, selected)


def is_visible(node: Node) -> bool:
    """Return whether the node is visible in the present view layer."""
    return _kind_of(node).is_visible(node)
