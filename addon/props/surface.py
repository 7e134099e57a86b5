# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties of objects: their surface, and which layers they collide with."""

from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    PointerProperty,
)
from bpy.types import Object, PropertyGroup

from ...core.geometry.contact_properties import Surface
from ...core.geometry.densities import substance_of
from .overriding import let_override
from .references import bone_beside, node_at

DEFAULTS = Surface()

LAYERS = 16
"""Number of layers, as many as SDFormat's masks have bits."""

ALL = (True,) * LAYERS


@let_override
class SurfaceProperties(PropertyGroup):
    """The surface of a link, of a shape of a link, or of the scene's ground."""

    source: EnumProperty(
        name="Surface",
        description="Where the surface's friction and bounce come from",
        items=(
            ("AUTO", "Automatic", "A shape uses its link's surface; a link uses its material's surface", 0),
            ("CUSTOM", "Custom", "Typed below", 1),
        ),
    )
    friction: FloatProperty(
        name="Friction",
        description="Friction (grip): its force divided by the normal force. Ice 0.03, wood 0.45, steel 0.6, rubber 1. "
        "Of two surfaces, the smaller counts",
        default=DEFAULTS.friction,
        min=0.0,
        soft_max=2.0,
        precision=3,
    )
    use_static_friction: BoolProperty(
        name="Static", description="Starting to slide takes more force than continuing to slide"
    )
    static_friction: FloatProperty(
        name="Static Friction",
        description="Friction that must be overcome before it slides; at least as large as sliding friction",
        default=DEFAULTS.friction,
        min=0.0,
        soft_max=2.0,
        precision=3,
    )
    restitution: FloatProperty(
        name="Restitution",
        description="Restitution (bounciness): speed after a bounce divided by the speed before it, 0 to 1. Of two "
        "surfaces, the larger counts",
        default=DEFAULTS.restitution,
        min=0.0,
        max=1.0,
        precision=3,
    )
    use_stiffness: BoolProperty(name="Soft", description="The surface is soft")
    stiffness: FloatProperty(
        name="Stiffness (N/m)",
        description="Stiffness (hardness): force at each contact point per metre of penetration",
        default=1e5,
        min=1e-3,
        soft_min=100.0,
        soft_max=1e9,
        precision=1,
    )
    dissipation: FloatProperty(
        name="Dissipation",
        description="Dissipation (bounce absorption) in s/m: the relative increase of the force of a soft surface for "
        "each metre per second of approach",
        default=DEFAULTS.dissipation,
        min=0.0,
        soft_max=10.0,
        precision=3,
    )
    rolling_friction: FloatProperty(
        name="Rolling Friction",
        description="Torque that resists rolling, per newton of normal force",
        subtype="DISTANCE",
        unit="LENGTH",
        min=0.0,
        soft_max=0.1,
        precision=4,
    )
    spinning_friction: FloatProperty(
        name="Spin Friction",
        description="Torque that resists spinning in place, per newton of normal force",
        subtype="DISTANCE",
        unit="LENGTH",
        min=0.0,
        soft_max=0.1,
        precision=4,
    )
    velocity: FloatVectorProperty(
        name="Belt Velocity",
        description="Speed of the surface relative to its object, in the object's axes, as on a conveyor belt",
        subtype="VELOCITY",
        unit="VELOCITY",
    )
    slip_speed: FloatProperty(
        name="Slip Speed",
        description="Above 0, friction never sticks; it reaches full strength at a few times this speed",
        unit="VELOCITY",
        min=0.0,
        soft_max=1.0,
        precision=4,
    )
    layers: BoolVectorProperty(
        name="Layers", description="Layers that it is on", size=LAYERS, subtype="LAYER", default=ALL
    )
    meets: BoolVectorProperty(
        name="Collides With",
        description="Layers that it collides with. Two shapes collide if either is on a layer that the other "
        "collides with",
        size=LAYERS,
        subtype="LAYER",
        default=ALL,
    )


def own_bounce(surface: SurfaceProperties) -> float:
    """Return the restitution of a surface that belongs to no material, as the ground's does."""
    return surface.restitution if surface.source == "CUSTOM" else DEFAULTS.restitution


def choose_bounce(surface: SurfaceProperties, restitution: float) -> None:
    """Set the restitution of a surface, 0 to 1. The surface then uses its stored values instead of a material's."""
    surface.source, surface.restitution = "CUSTOM", restitution


class ContactPairProperties(PropertyGroup):
    """Whether two links collide. It overrides the rules for joined links and families."""

    a: PointerProperty(type=Object, name="First", description="One of the two links of the pair")
    a_bone: bone_beside()
    b: PointerProperty(type=Object, name="Second", description="The other one")
    b_bone: bone_beside()
    meets: BoolProperty(name="Collide", description="Whether the two links collide with each other")

    a_node = node_at("a")
    b_node = node_at("b")


@let_override
class OverlappingPartsProperties(PropertyGroup):
    """Two bones of the armature that stores it. They overlap as parts of a ragdoll, and do not collide."""

    a_bone: bone_beside()
    b_bone: bone_beside()


def surface_of_material(density: float) -> Surface | None:
    """Return the surface of the material with this density [kg/m^3].

    It is None for unknown materials, and for water, which has no shape.
    """
    found = substance_of(density)
    if found is None or found.name == "water":
        return None
    return Surface(found.friction, restitution=found.restitution)
