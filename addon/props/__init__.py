# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that objects, scenes and the window manager store for Limberjack.

Lengths are in Blender units, as everywhere in Blender; masses in kg, inertias in kg m^2, forces in N or N m.
"""

from collections.abc import Iterator
from typing import TypeGuard, TypeVar

import bpy
from bpy.props import PointerProperty

from .. import ids
from ..nodes import KINDS, Node, is_part, owner_of, parent_of
from .axis import AxisProperties
from .bake import BakeProperties, BeforeProperties
from .findings import FindingProperties
from .joint import (
    CoordinateProperties,
    JointProperties,
    MimicProperties,
    add_axis,
    axes_in_use,
    core_joint,
    fit_to_type,
    kind_of,
    limits_of,
    remove_axis,
)
from .light import LightProperties
from .link import LinkProperties
from .live_values import provide
from .overriding import ALLOWED
from .poses import PoseJointProperties, PoseProperties
from .preview import PreviewProperties
from .scene import SceneProperties, StatusProperties, show_error
from .settings import acts_as_joint, joint_settings, link_settings, tagged_bones
from .surface import ContactPairProperties, OverlappingPartsProperties, SurfaceProperties

CLASSES = (
    SurfaceProperties,
    ContactPairProperties,
    OverlappingPartsProperties,
    LinkProperties,
    LightProperties,
    AxisProperties,
    CoordinateProperties,
    MimicProperties,
    JointProperties,
    PoseJointProperties,
    PoseProperties,
    BakeProperties,
    BeforeProperties,
    PreviewProperties,
    FindingProperties,
    SceneProperties,
    StatusProperties,
)

ATTACHED = (
    *((kind, ids.LINK, LinkProperties) for kind in KINDS),
    *((kind, ids.JOINT, JointProperties) for kind in KINDS),
    *((kind, ids.BEFORE, BeforeProperties) for kind in KINDS),
    (bpy.types.Light, ids.LIGHT, LightProperties),
    (bpy.types.Scene, ids.SCENE, SceneProperties),
    (bpy.types.WindowManager, ids.STATUS, StatusProperties),
)

AnyNode = TypeVar("AnyNode", bound=Node)


def attach():
    for owner, name, group in ATTACHED:
        setattr(owner, name, PointerProperty(type=group, override=ALLOWED))


def detach():
    for owner, name, _ in ATTACHED:
        delattr(owner, name)


def is_link(obj: AnyNode | None) -> TypeGuard[AnyNode]:
    return obj is not None and link_settings(obj).is_link


def is_kinematic(obj: Node | None) -> bool:
    """Return whether the object is a link that follows its own animation in simulations (kinematic)."""
    return is_link(obj) and link_settings(obj).motion == "KINEMATIC"


def is_joint(obj: AnyNode | None) -> TypeGuard[AnyNode]:
    """Return whether the node is a joint, as `acts_as_joint` does."""
    return obj is not None and acts_as_joint(obj)


def is_known_joint(obj: Node | None) -> bool:
    """Return whether the object is a joint of a type that this version knows."""
    return is_joint(obj) and bool(joint_settings(obj).type)


def ancestors(obj: Node) -> Iterator[Node]:
    """Yield the parents of the object, the nearest first."""
    while (parent := parent_of(obj)) is not None:
        obj = parent
        yield obj


def belongs_to_model(obj: Node) -> bool:
    """Return whether the node is a joint, belongs to a link, or is an armature with bones that do."""
    if is_joint(obj) or carrier_of(obj) is not None:
        return True
    return isinstance(obj, bpy.types.Object) and bool(tagged_bones(obj))


def carrier_of(obj: Node | None) -> Node | None:
    """Return the link to which the object belongs: itself or a parent; None for joints and other objects."""
    while obj is not None and not is_link(obj):
        obj = None if is_joint(obj) else shape_parent_of(obj)
    return obj


def shape_parent_of(obj: Node) -> Node | None:
    """Return the node of whose shape the object is a part, if that is a link.

    It is the parent; for a bone that is no link and may move by itself, the armature as a whole.
    """
    return owner_of(obj) if is_part(obj) else parent_of(obj)


def has_lost_its_parent(joint: JointProperties) -> bool:
    """Return whether the joint's parent was deleted. Such a joint is broken: its parent is not the world instead."""
    return joint.parent_node is None and not joint.to_world


__all__ = [
    "CLASSES",
    "add_axis",
    "ancestors",
    "attach",
    "axes_in_use",
    "belongs_to_model",
    "carrier_of",
    "core_joint",
    "detach",
    "fit_to_type",
    "has_lost_its_parent",
    "is_joint",
    "is_kinematic",
    "is_known_joint",
    "is_link",
    "kind_of",
    "limits_of",
    "provide",
    "remove_axis",
    "shape_parent_of",
    "show_error",
]
