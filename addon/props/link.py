# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of an object that is a link, or a shape of a link."""

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

from ...core.characters.choices import BONE_SHAPES
from ...core.geometry.densities import SUBSTANCES, substance_of
from .entries import number_of
from .made_by import made_by, note_maker
from .overriding import let_override
from .ragdoll import follow, self_collision_property, stiffness_property, total_mass_property
from .references import bone_beside, node_at
from .settings import node_with
from .surface import OverlappingPartsProperties, SurfaceProperties

OTHER = ("OTHER", "Custom", "Any density, typed below")


def _material_items():
    known = [(item.name, item.label, f"{item.density:g} kg/m³", number_of(item.name)) for item in SUBSTANCES]
    return [*known, (*OTHER, number_of(OTHER[0]))]


def _material(link) -> int:
    found = substance_of(link.density)
    return number_of(found.name if found else OTHER[0])


def _choose_material(link, number: int) -> None:
    for item in SUBSTANCES:
        if number_of(item.name) == number:
            link.density = item.density


FOLLOWS = (
    ("FREE", "Physics", "It falls, collides and hangs on its joint", 0),
    ("KINEMATIC", "Animation", "It keeps following its keys and controls, and pushes what follows physics", 1),
)
"""Kinds of motion that a part of a ragdoll may have, in the words of artists: two of those of a link."""


def _followed(link) -> int:
    return 1 if link.motion == "KINEMATIC" else 0


def _follow(link, number: int) -> None:
    follow(node_with(link), FOLLOWS[number][0])


def _mass_shown(link) -> float:
    return link.volume * link.density if link.mass_source == "DENSITY" else link.mass


@let_override
class LinkProperties(PropertyGroup):
    """The settings of a link, or of a shape of a link. Every object has this group; most of it requires `is_link`."""

    version: made_by()  # also that of a joint
    is_link: BoolProperty(name="Link", description="This object is a link (rigid body) of the model", update=note_maker)

    mass_source: EnumProperty(
        name="Mass",
        description="How the link's mass (weight) and its distribution are determined",
        items=(
            ("MASS", "Mass", "Type the mass; it is spread evenly over the link's meshes", 2),
            ("DENSITY", "Material", "From the volume of the link's meshes and the density of one material", 0),
            ("CUSTOM", "Custom", "Type mass, center of mass and inertia, or keep what was imported", 1),
        ),
        default="DENSITY",
    )
    material: EnumProperty(
        name="Material",
        description="What the link is made of; sets its density",
        items=_material_items(),
        get=_material,
        set=_choose_material,
    )
    density: FloatProperty(
        name="Density",
        description="Density in kg/m³: water is 1000, steel 7850, pine 500",
        default=1000.0,
        min=1e-6,
        soft_max=20000.0,
    )
    mass: FloatProperty(
        name="Mass (kg)",
        description="Mass (weight) of this link, or of this part of a ragdoll",
        default=1.0,
        min=0.0,
        precision=4,
    )
    com: FloatVectorProperty(
        name="Center of Mass",
        description="Center of mass (balance point) in the link's axes, from its origin",
        subtype="XYZ",
        unit="LENGTH",
    )
    inertia: FloatVectorProperty(
        name="Inertia (kg m²)",
        description="Inertia (resistance to turning): xx, xy, xz, yy, yz, zz about the center of mass, in the link's "
        "axes",
        size=6,
        default=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0),
        precision=6,
    )

    motion: EnumProperty(
        name="Motion",
        description="What moves the link in simulations",
        items=(
            ("FREE", "Free", "Free (dynamic): moved by forces and joints", 0),
            ("STATIC", "Static", "Static (fixed): held in the world at its current position", 1),
            (
                "KINEMATIC",
                "Kinematic",
                "Kinematic (animated): moved by its keyframes; drives the links joined to it",
                2,
            ),
        ),
    )
    animated: BoolProperty(
        name="Animated",
        description="While this is on, a free link follows its own keys and pushes other links. Key it off, or press "
        "Let Go at This Frame in Initial Velocity, and the link flies on with the velocity that it has then",
    )
    pin: EnumProperty(
        name="Pin",
        description="What is kept fixed on the link when other links are posed",
        items=(
            ("NONE", "None", "The link goes along", 0),
            ("PLACE", "Place", "Its origin stays, and it may turn", 1),
            ("POSE", "Pose", "It keeps its position and orientation", 2),
        ),
    )
    linear_damping: FloatProperty(
        name="Damping",
        description="Damping (air drag): slows the link's movement, as thick air would: the part of its speed that it "
        "would lose in a second at this rate, if nothing else acted (1/s)",
        min=0.0,
        soft_max=10.0,
        precision=3,
    )
    angular_damping: FloatProperty(
        name="Spin Damping",
        description="Spin damping (air drag): slows the link's turning, as thick air would: the part of its spin that "
        "it would lose in a second at this rate, if nothing else acted (1/s)",
        min=0.0,
        soft_max=10.0,
        precision=3,
    )
    gravity: BoolProperty(
        name="Gravity",
        description="Let gravity act on the link",
        default=True,
    )
    force: FloatVectorProperty(
        name="Force (N)", description="Pushes the link at its center of mass, along the world's axes", subtype="XYZ"
    )
    torque: FloatVectorProperty(
        name="Torque", description="Turns the link about the world's axes, in N m", subtype="XYZ"
    )
    force_turns_along: BoolProperty(
        name="Along with Link", description="Force and torque turn with the link, like those of an engine"
    )

    velocity: FloatVectorProperty(
        name="Velocity",
        description="Velocity of the link's center of mass when a simulation begins, along the world's axes",
        subtype="XYZ",
        unit="VELOCITY",
    )
    angular_velocity: FloatVectorProperty(
        name="Spin per s",
        description="Angular velocity of the link when a simulation begins, about the world's axes, per second",
        subtype="EULER",
        unit="ROTATION",
    )

    volume: FloatProperty(name="Volume", description="Volume that was weighed last (m³)")
    mass_shown: FloatProperty(
        name="Mass (kg)", description="Mass of the link in simulations and files", get=_mass_shown, precision=4
    )
    mass_note: StringProperty(name="Note", description="What was assumed to compute the link's mass")

    rest_pose: StringProperty(
        name="Rest Pose",
        description="Where the link is when every joint is at zero: x y z qw qx qy qz, in the world",
    )

    before_preview: StringProperty(
        description="Where a preview has taken the link from: its location and rotations, while one shows it elsewhere"
    )

    led_by: PointerProperty(
        type=Object, description="Joint whose keyed values move the link, which is animated as long as it has such keys"
    )
    led_by_bone: bone_beside()

    role: EnumProperty(
        name="Shape",
        description="Role of this object in its link",
        items=(
            ("AUTO", "Automatic", "Visible; also collides if the link has no separate collision shape", 0),
            ("VISUAL", "Visual", "Only seen", 1),
            ("COLLISION", "Collision", "Only collides; it has no mass", 2),
            ("BOTH", "Both", "Seen, and collides", 3),
        ),
    )
    primitive: EnumProperty(
        name="Geometry",
        description="Primitive that replaces the mesh; it is as large as the mesh's bounds",
        items=(
            ("MESH", "Mesh", "The mesh as it is", 0),
            ("BOX", "Box", "A box as large as the mesh's bounds", 1),
            ("SPHERE", "Sphere", "A sphere as large as the mesh's bounds", 2),
            ("CYLINDER", "Cylinder", "A cylinder along z as large as the mesh's bounds", 3),
            ("PLANE", "Plane", "An infinite ground; the mesh is only the visible part of it", 4),
            ("CAPSULE", "Capsule", "A cylinder along z with round ends, as large as the mesh's bounds", 5),
            ("CONE", "Cone", "A cone along z with its tip on top, as large as the mesh's bounds", 6),
            ("ELLIPSOID", "Ellipsoid", "An ellipsoid as large as the mesh's bounds", 7),
            ("POLYLINE", "Extrusion", "Outlines in x and y, extruded along z", 8),
            ("HULL", "Convex Hull", "Visible as the mesh; collides as its convex hull", 9),
        ),
    )
    is_fitted: BoolProperty(
        name="Fitted",
        description="A generated collision shape of its link; generating again replaces it. Of a bone: its shape was "
        "fitted to meshes, and counts beside the objects on the bone",
    )
    fitted_from: StringProperty(
        description="Digest of the mesh that convex pieces were made from, and how many they are"
    )
    fit_note: StringProperty(name="Fit", description="How near a fitted shape comes to what is seen of its link")
    mesh_uri: StringProperty(name="Mesh File", description="File of the shape's mesh, if the mesh was not read")
    foreign: StringProperty(description="A shape of a kind that only its file's format knows, as it stands there")
    extras: StringProperty(description="What the file says of the link or shape besides, such as plugins and sensors")
    collides: BoolProperty(
        name="Collides", description="Other links and colliders do not pass through the link", default=True
    )
    recognizes: BoolProperty(
        name="Recognize Primitives",
        description="A mesh of the link whose corners lie on a box, sphere, cylinder, cone or capsule collides as "
        "that, and not as its convex hull. Links that were tagged by older versions keep their hulls",
    )
    surface: PointerProperty(type=SurfaceProperties)
    self_collide: BoolProperty(
        name="Self Collision",
        description="The link also collides with links of its own machine, except those that a joint connects it to",
    )
    family: StringProperty(
        name="Family",
        description="Links of the same family do not collide; empty for the links that joints connect it with",
    )
    name_in_file: StringProperty(description="Name that the file has for it")
    name_here: StringProperty(description="Name that Blender gave it for that; it counts while it has this name")
    bone_shape: EnumProperty(
        name="Shape",
        description="What the bone collides as",
        items=[(shape.name, shape.label, shape.help, number) for number, shape in enumerate(BONE_SHAPES)],
    )
    bone_radius: FloatProperty(
        name="Radius",
        description="Radius of the bone's capsule, relative to the length of the bone",
        default=0.1,
        min=0.001,
        soft_max=2.0,
        precision=3,
        step=1,
    )
    bone_start: FloatProperty(
        name="Start",
        description="Where the bone's capsule begins along the bone: 0 is its head, 1 its tail. Round ends count",
        default=0.0,
        soft_min=-1.0,
        soft_max=2.0,
        precision=3,
        step=1,
    )
    bone_end: FloatProperty(
        name="End",
        description="Where the bone's capsule ends along the bone: 0 is its head, 1 its tail. Round ends count",
        default=1.0,
        soft_min=-1.0,
        soft_max=2.0,
        precision=3,
        step=1,
    )
    bone_offset: FloatVectorProperty(
        name="Offset",
        description="How far the capsule lies beside the bone along its x and z axes, relative to the bone's length",
        size=2,
        precision=3,
        step=1,
    )
    bone_turn: FloatVectorProperty(
        name="Turn",
        description="Turns the bone's capsule from the bone, about the head and the axes of the bone. Bones from other "
        "programs may point across limbs",
        subtype="EULER",
        unit="ROTATION",
    )
    box_size: FloatVectorProperty(
        name="Size",
        description="Size of the bone's box along its axes, relative to the length of the bone",
        subtype="XYZ",
        default=(0.2, 1.0, 0.2),
        min=0.001,
        soft_max=2.0,
        precision=3,
        step=1,
    )
    box_center: FloatVectorProperty(
        name="Center",
        description="Middle of the bone's box along its axes, from the head of the bone, relative to the bone's length",
        subtype="XYZ",
        default=(0.0, 0.5, 0.0),
        soft_min=-1.0,
        soft_max=2.0,
        precision=3,
        step=1,
    )
    box_turn: FloatVectorProperty(
        name="Turn",
        description="Turns the bone's box from the bone, about the head and the axes of the bone. Boxes of feet stand "
        "upright",
        subtype="EULER",
        unit="ROTATION",
    )
    bone_hull: StringProperty(
        description="Corners of the bone's convex hull in the axes of the bone, relative to its length; empty if it "
        "was not fitted"
    )
    body_part: StringProperty(
        name="Body Part", description="Part of a body for which Make Ragdoll has set the bone up; empty for other links"
    )
    overlapping_parts: CollectionProperty(
        type=OverlappingPartsProperties,
        name="Overlapping Parts",
        description="Of an armature that is a ragdoll: pairs of its bones that do not collide with each other. The "
        "pairs of a scene come before them",
    )
    follows: EnumProperty(
        name="Follows",
        description="What moves this part of the ragdoll. The parts above a part that follows the animation follow it, "
        "too, and those below a part that follows physics fall with it",
        items=FOLLOWS,
        get=_followed,
        set=_follow,
        options={"SKIP_SAVE"},
    )
    ragdoll_mass: total_mass_property()
    ragdoll_stiffness: stiffness_property()
    ragdoll_self_collision: self_collision_property()
    is_frame: BoolProperty(name="Frame", description="This Empty is a named frame of the model")

    led_by_node = node_at("led_by")
