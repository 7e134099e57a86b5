# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert contact settings between Blender's properties and core: surfaces, layers and pairs."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from ....core.geometry import Plane, Shape, Surface
from ....core.geometry.shapes import ALL_LAYERS
from ....core.model import WORLD, ContactPair, Joint, Link, Model
from ....core.model.naming import STATIC, claim
from ....core.spatial import Pose, compose, inverse
from ...nodes import Node, model_name, owner_of
from ...props import is_link
from ...props.pairs import overlapping_parts
from ...props.settings import link_settings, scene_settings
from ...props.surface import LAYERS, surface_of_material
from ..values.fields import MEETING_FIELDS, SURFACE_FIELDS, read_fields, write_fields
from ..values.numbers import Units, shortest, units_of

if TYPE_CHECKING:
    from ..scene.read import SceneReading

GROUND = "ground"
"""Name of the link that represents the scene's ground."""


@dataclass(frozen=True)
class ContactSettings:
    """Contact settings of a collision.

    Attributes:
        surface, layers, meets: as in `Shape`.
    """

    surface: Surface | None
    layers: int
    meets: int


def contact_settings_of(obj: Node, link: Node | None, units: Units) -> ContactSettings:
    """Return the contact settings of an object that collides.

    An unset surface is the link's, and the link's unset surface is that of its material. Layers are those that object
    and link have in common.

    Args:
        link: to which the object belongs; None if it belongs to none.
    """
    own = link_settings(obj).surface
    surface, layers, meets = surface_at(own, units), mask_of(own.layers), mask_of(own.meets)
    if link is None:
        return ContactSettings(surface, layers, meets)
    settings = link_settings(link)
    if own.source == "AUTO":
        surface = surface_at(settings.surface, units)
        if settings.surface.source == "AUTO" and settings.mass_source == "DENSITY":
            surface = surface_of_material(settings.density)
    return ContactSettings(surface, layers & mask_of(settings.surface.layers), meets & mask_of(settings.surface.meets))


def surface_at(settings, units: Units) -> Surface | None:
    """Return the surface that the user has set; None if it is unset."""
    if settings.source != "CUSTOM":
        return None
    static = shortest(settings.static_friction) if settings.use_static_friction else None
    return Surface(static_friction=static, **read_fields(SURFACE_FIELDS, settings, units))


def write_surface(surface: Surface | None, settings, units: Units) -> list[str]:
    """Write a surface to Blender's properties. Return messages about values that these could not store."""
    settings.source = "AUTO" if surface is None else "CUSTOM"
    if surface is None:
        return []
    static = surface.static_friction
    settings.use_static_friction = static is not None
    settings.static_friction = surface.friction if static is None else static
    return write_fields(SURFACE_FIELDS, settings, surface, units)


def write_contact_settings(shape: Shape, obj: Node, units: Units) -> list[str]:
    """Write the contact settings of a shape to its object.

    Returns:
        Messages about values that Blender's properties could not store.
    """
    settings = link_settings(obj).surface
    settings.layers, settings.meets = bits_of(shape.layers), bits_of(shape.meets)
    lost = [
        f"its {name} beyond the first {LAYERS} are left out"
        for name, mask in (("layers", shape.layers), ("layers to collide with", shape.meets))
        if mask != ALL_LAYERS and mask >> LAYERS
    ]
    return lost + write_surface(shape.surface, settings, units)


def read_collision_filter(link: Node, units: Units) -> dict:
    """Return the fields of a `Link` that say with which links of its own machine it collides."""
    return read_fields(MEETING_FIELDS, link_settings(link), units)


def mask_of(bits) -> int:
    """Return the bit mask of a scene's layer switches. If all switches are on, return `ALL_LAYERS`."""
    return ALL_LAYERS if all(bits) else sum(1 << number for number, bit in enumerate(bits) if bit)


def bits_of(mask: int) -> list[bool]:
    return [bool(mask >> number & 1) for number in range(LAYERS)]


def read_pairs(scene: bpy.types.Scene, known: set[str]) -> list[ContactPair]:
    """Return the contact pairs of a scene and of the ragdolls in it whose links are in the model.

    For two links that have a pair in the scene, that of a ragdoll is left out.

    Args:
        known: names of the links.
    """
    stored = [(pair.a_node, pair.b_node, pair.meets) for pair in scene_settings(scene).pairs]
    stored += [(a, b, False) for obj in scene.objects for a, b in overlapping_parts(obj)]
    found: dict[frozenset[str], ContactPair] = {}
    for a, b, meets in stored:
        ends = [model_name(obj) for obj in (a, b) if obj is not None]
        if len(set(ends)) == 2 and known.issuperset(ends):
            found.setdefault(frozenset(ends), ContactPair(ends[0], ends[1], meets))
    return [*found.values()]


def drop_lost_pairs(scene: bpy.types.Scene) -> None:
    """Remove contact pairs of which a link was deleted."""
    pairs = scene_settings(scene).pairs
    for number in reversed(range(len(pairs))):
        if not all(is_link(obj) and owner_of(obj).users_scene for obj in (pairs[number].a_node, pairs[number].b_node)):
            pairs.remove(number)


def add_ground(reading: SceneReading, scene: bpy.types.Scene) -> None:
    """Add the scene's infinite floor, if it is on, as a link that is fixed to the world."""
    settings = scene_settings(scene)
    if not settings.ground:
        return
    model: Model = reading.model
    name = claim(GROUND, {item.name for item in (*model.links, *model.joints)} | {obj.name for obj in scene.objects})
    own = settings.ground_surface
    shape = Shape(f"{name}_collision", Plane(size=(100.0, 100.0)))
    shape.surface, shape.layers, shape.meets = surface_at(own, units_of(scene)), mask_of(own.layers), mask_of(own.meets)
    model.links.insert(0, Link(name, collisions=[shape]))
    model.joints.insert(
        0, Joint(claim(f"{name}{STATIC}", {joint.name for joint in model.joints}), "fixed", WORLD, name)
    )


def ground_poses(model: Model, known: Container[str]) -> dict[str, Pose]:
    """Return the pose of the ground [m] by its name; empty if the model has no ground.

    The ground is the only link of a scene's model without an object, so no object tells its pose.

    Args:
        known: names of the links that have objects.
    """
    grounds = [joint for joint in model.joints if joint.parent == WORLD and joint.child not in known]
    return {joint.child: compose(joint.X_PJ, inverse(joint.X_CJ)) for joint in grounds}
