# SPDX-License-Identifier: GPL-3.0-or-later
"""How links touch: surfaces, layers and pairs, between Blender's properties and the core's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from ...core.geometry import Plane, Shape, Surface
from ...core.model import WORLD, ContactPair, Joint, Link, Model
from ...core.model.naming import STATIC, claim
from .. import ids
from ..props import is_link
from ..props.naming import model_name
from ..props.surface import LAYERS, surface_of_material
from .fields import MEETING_FIELDS, SURFACE_FIELDS, read_fields, write_fields
from .numbers import Units, shortest, units_of

if TYPE_CHECKING:
    from .read import SceneReading

GROUND = "ground"
"""The link that stands for the scene's ground."""


@dataclass(frozen=True)
class Touch:
    """How a collision touches. surface, layers, meets: as a `Shape` has them."""

    surface: Surface | None
    layers: int
    meets: int


def touch_of(obj: bpy.types.Object, link: bpy.types.Object | None, units: Units) -> Touch:
    """Of an object that collides as a shape of the link; None for what belongs to none.

    What the object does not say of its surface, its link does, and of that its material. It is on, and meets, the
    layers that both are.
    """
    own = getattr(obj, ids.LINK).surface
    surface, layers, meets = surface_at(own, units), mask_of(own.layers), mask_of(own.meets)
    if link is None:
        return Touch(surface, layers, meets)
    settings = getattr(link, ids.LINK)
    if own.source == "AUTO":
        surface = surface_at(settings.surface, units)
        if settings.surface.source == "AUTO" and settings.mass_source == "DENSITY":
            surface = surface_of_material(settings.density)
    return Touch(surface, layers & mask_of(settings.surface.layers), meets & mask_of(settings.surface.meets))


def surface_at(settings, units: Units) -> Surface | None:
    """What somebody has typed; None where nobody has."""
    if settings.source != "CUSTOM":
        return None
    static = shortest(settings.static_friction) if settings.use_static_friction else None
    return Surface(static_friction=static, **read_fields(SURFACE_FIELDS, settings, units))


def write_surface(surface: Surface | None, settings, units: Units) -> list[str]:
    """Returns what Blender's properties could not take."""
    settings.source = "AUTO" if surface is None else "CUSTOM"
    if surface is None:
        return []
    static = surface.static_friction
    settings.use_static_friction = static is not None
    settings.static_friction = surface.friction if static is None else static
    return write_fields(SURFACE_FIELDS, settings, surface, units)


def write_touch(shape: Shape, obj: bpy.types.Object, units: Units) -> list[str]:
    """What a collision says of touching; returns what Blender's properties could not take."""
    settings = getattr(obj, ids.LINK).surface
    settings.layers, settings.meets = bits_of(shape.layers), bits_of(shape.meets)
    return write_surface(shape.surface, settings, units)


def read_meeting(link: bpy.types.Object, units: Units) -> dict:
    """Whom of its own machine it meets, as fields of a `Link`."""
    return read_fields(MEETING_FIELDS, getattr(link, ids.LINK), units)


def mask_of(bits) -> int:
    return sum(1 << number for number, bit in enumerate(bits) if bit)


def bits_of(mask: int) -> list[bool]:
    return [bool(mask >> number & 1) for number in range(LAYERS)]


def read_pairs(scene: bpy.types.Scene, known: set[str]) -> list[ContactPair]:
    """Of the pairs that the scene keeps, those whose links are there. known: their names."""
    found = []
    for pair in getattr(scene, ids.SCENE).pairs:
        ends = [model_name(obj) for obj in (pair.a, pair.b) if obj is not None]
        if len(set(ends)) == 2 and known.issuperset(ends):
            found.append(ContactPair(ends[0], ends[1], pair.meets))
    return found


def drop_lost_pairs(scene: bpy.types.Scene) -> None:
    """Those one of whose links was deleted."""
    pairs = getattr(scene, ids.SCENE).pairs
    for number in reversed(range(len(pairs))):
        if not all(is_link(obj) and obj.users_scene for obj in (pairs[number].a, pairs[number].b)):
            pairs.remove(number)


def add_ground(reading: SceneReading, scene: bpy.types.Scene) -> None:
    """The scene's endless floor, as a link that is fixed to the world, if it is on."""
    settings = getattr(scene, ids.SCENE)
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
