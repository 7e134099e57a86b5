"""What an Empty stores as a joint: its frames, axes and home.

A quantity whose unit depends on the joint's type is stored as a plain number. The panel shows one of its faces, in
degrees or in metres, which read and write that number.
"""

import zlib

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

from ...core.joints import JOINT_TYPES
from .. import ids


def type_items():
    """Numbers come from the names: a new type in the middle of the list must not change what files have stored."""
    return [
        (entry.name, entry.label, entry.summary, zlib.crc32(entry.name.encode()) & 0x7FFFFFFF)
        for entry in JOINT_TYPES.values()
    ]


def _face(stored, name, description, **look):
    return FloatProperty(
        name=name,
        description=description,
        get=lambda self: getattr(self, stored),
        set=lambda self, value: setattr(self, stored, value),
        **look,
    )


def _angle(stored, name, description):
    return _face(stored, name, description, subtype="ANGLE")


def _length(stored, name, description):
    return _face(stored, name, description, unit="LENGTH")


class AxisProperties(PropertyGroup):
    """One axis of a joint; names as in core's `Axis`. A limit whose `use_` is off is infinite."""

    xyz: FloatVectorProperty(
        name="Axis", description="Direction in the joint's own axes", subtype="XYZ", default=(0.0, 0.0, 1.0)
    )
    use_lower: BoolProperty(name="Lower Limit", description="Stop the joint at a lower limit")
    use_upper: BoolProperty(name="Upper Limit", description="Stop the joint at an upper limit")
    use_effort: BoolProperty(name="Effort Limit", description="Limit the force of the joint's drive")
    use_velocity: BoolProperty(name="Speed Limit", description="Limit the joint's speed")
    use_stiffness: BoolProperty(name="Soft Stop", description="The limits give way like springs", default=True)
    lower: FloatProperty()
    upper: FloatProperty()
    velocity: FloatProperty(min=0.0)
    spring_reference: FloatProperty()
    effort: FloatProperty(name="Effort", description="Largest force of the drive, in N m or N", min=0.0)
    stiffness: FloatProperty(
        name="Stop Stiffness", description="Of the stops at the limits, in N m/rad or N/m", default=1e8, min=0.0
    )
    dissipation: FloatProperty(name="Stop Dissipation", description="Of the stops at the limits", default=1.0, min=0.0)
    damping: FloatProperty(name="Damping", description="Force per speed, in N m s/rad or N s/m", min=0.0)
    friction: FloatProperty(name="Friction", description="Dry friction, in N m or N", min=0.0)
    armature: FloatProperty(name="Armature", description="Inertia of the drive, in kg m² or kg", min=0.0)
    spring_stiffness: FloatProperty(
        name="Spring", description="Stiffness of the spring in the joint, in N m/rad or N/m", min=0.0
    )

    lower_angle: _angle("lower", "Lower", "Lower limit")
    lower_length: _length("lower", "Lower", "Lower limit")
    upper_angle: _angle("upper", "Upper", "Upper limit")
    upper_length: _length("upper", "Upper", "Upper limit")
    velocity_angle: _angle("velocity", "Speed", "Largest speed, per second")
    velocity_length: _face("velocity", "Speed", "Largest speed", unit="VELOCITY")
    spring_reference_angle: _angle("spring_reference", "Rest", "Where the spring is at rest")
    spring_reference_length: _length("spring_reference", "Rest", "Where the spring is at rest")


class CoordinateProperties(PropertyGroup):
    """One of a joint's position coordinates."""

    home: FloatProperty()
    home_angle: _angle("home", "Start", "Where a simulation starts")
    home_length: _length("home", "Start", "Where a simulation starts")
    home_number: _face("home", "Start", "Where a simulation starts")


class MimicProperties(PropertyGroup):
    """The joint follows another: multiplier * (leader - reference) + offset, in rad and m."""

    leader: PointerProperty(
        name="Leader",
        description="Joint that this one follows",
        type=Object,
        poll=lambda self, obj: getattr(obj, ids.JOINT).is_joint and obj != self.id_data,
    )
    multiplier: FloatProperty(name="Multiplier", description="Turns or slides per turn or slide", default=1.0)
    offset: FloatProperty(name="Offset", description="Added to what the leader gives, in rad or m")
    reference: FloatProperty(name="Reference", description="Taken from the leader's coordinate, in rad or m")


def fit_to_type(joint):
    """Give the joint as many axes and coordinates as its type has. Axes beyond them are kept, for the way back."""
    kind = JOINT_TYPES[joint.type]
    while len(joint.axes) < kind.axis_count:
        axis = joint.axes.add()
        axis.xyz = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))[(len(joint.axes) - 1) % 3]
    joint.coordinates.clear()
    for value in kind.home:
        joint.coordinates.add().home = value


def _is_link(_self, obj):
    return getattr(obj, ids.LINK).is_link


def _forget_frames(joint, _context=None):
    """Frames in one link mean nothing in another."""
    joint.X_PJ = joint.X_CJ = ""


def _parent_chosen(joint, _context):
    joint.to_world = joint.parent is None


def _world_chosen(joint, _context):
    """Runs after every choice of a parent too, so that the two cannot contradict each other."""
    _forget_frames(joint)
    if joint.to_world and joint.parent:
        joint.parent = None


class JointProperties(PropertyGroup):
    """On every object; it has a meaning only where `is_joint` is set."""

    is_joint: BoolProperty(name="Joint", description="This Empty joins two links")
    type: EnumProperty(
        name="Type",
        description="How the child may move against the parent",
        items=type_items(),
        default="revolute",
        update=lambda self, _context: fit_to_type(self),
    )
    parent: PointerProperty(
        name="Parent",
        description="Link that carries the joint; none for the world",
        type=Object,
        poll=_is_link,
        update=_parent_chosen,
    )
    # Blender empties `parent` without a word when the link is deleted. This tells that from a choice of the world.
    to_world: BoolProperty(
        name="Join to World", description="The joint hangs in the world, on no link", default=True, update=_world_chosen
    )
    child: PointerProperty(
        name="Child",
        description="Link that the joint moves",
        type=Object,
        poll=_is_link,
        update=_forget_frames,
    )
    X_PJ: StringProperty(
        name="Frame in Parent", description="Joint frame in the parent link: x y z qw qx qy qz, exactly"
    )
    X_CJ: StringProperty(name="Frame in Child", description="Joint frame in the child link: x y z qw qx qy qz, exactly")
    axes: CollectionProperty(type=AxisProperties)
    pitch: FloatProperty(
        name="Pitch", description="Way along the axis in one turn, right-handed", unit="LENGTH", precision=4
    )
    use_home: BoolProperty(
        name="Start", description="Start simulations elsewhere than where the model was drawn", default=False
    )
    coordinates: CollectionProperty(type=CoordinateProperties)
    use_mimic: BoolProperty(
        name="Follow Joint", description="Move this joint in proportion to another one, as gears and linkages do"
    )
    mimic: PointerProperty(type=MimicProperties)
