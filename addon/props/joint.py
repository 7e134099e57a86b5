# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of a joint, on an Empty or on a bone: its frames, axes and initial values.

A quantity whose unit depends on the joint's type is stored as a plain number. The panel shows properties in degrees or
in metres that read and write this number. Units, names and the number of coordinates follow from the type and the axes:
`core_joint` provides them.
"""

from typing import TYPE_CHECKING

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

from ...core.joints import JOINT_TYPES, JointType
from ...core.model import ModelError
from ..icons import icon_of_type
from ..nodes import model_name
from . import live_values
from .axis import DEGREES, AxisProperties, shown_as_length, shown_in_degrees
from .entries import number_of
from .joint_ends import child_chosen, may_be_end, parent_chosen, read_child, read_parent, world_chosen
from .made_by import note_maker
from .overriding import let_override
from .pairs import do_ends_collide, let_ends_collide
from .references import bone_beside, drop_foreign_bone, node_at
from .settings import joint_settings, node_with

if TYPE_CHECKING:
    from ...core.model import Joint

FEW_AXES = 3
"""Number of axes up to which panels are expanded, since their fields are visible at once."""


def type_items():
    """Return the items of a menu: common joint types, then the others, each below a heading."""
    common = sorted((entry for entry in JOINT_TYPES.values() if entry.common), key=lambda entry: entry.common)
    advanced = [entry for entry in JOINT_TYPES.values() if not entry.common]
    return [
        ("", "Joints", ""),
        *map(_type_item, common),
        ("", "Advanced", ""),
        *map(_type_item, advanced),
    ]


def _type_item(entry: JointType):
    return entry.name, entry.title, entry.summary, icon_of_type(entry), number_of(entry.name)


def _counted_from_one(stored, name, description):
    return IntProperty(
        name=name,
        description=description,
        min=1,
        get=lambda self: getattr(self, stored) + 1,
        set=lambda self, value: setattr(self, stored, value - 1),
    )


def _live(**look):
    """Return a property that reads and moves the joint. Keys are set on the plain property `q` instead."""
    return FloatProperty(
        name="Position",
        description="Position of the joint. Its links follow, and so do loops and coupled joints",
        get=live_values.read,
        set=live_values.write,
        options={"SKIP_SAVE"},
        **look,
    )


def _strength(name, description, default):
    return FloatProperty(
        name=name, description=description, default=default, min=1e-6, soft_max=1e6, step=1000, precision=1
    )


def limits_of(coordinate) -> tuple[float, float] | None:
    """Return the two limits of a coordinate, in its own unit.

    It is None if one of them is missing, or if there is no range between them.
    """
    joint = joint_settings(node_with(coordinate))
    known = core_joint(joint)
    if known.kind.chart:
        return None
    number = known.all_columns[live_values.number_of(coordinate)].axis
    axis = axes_in_use(joint)[number]
    is_limited = known.kind.slot(number).limited and axis.use_lower and axis.use_upper
    return (axis.lower, axis.upper) if is_limited and axis.lower < axis.upper else None


def _share(coordinate) -> float:
    """Return the position between the limits [percent]."""
    lower, upper = limits_of(coordinate) or (0.0, 1.0)
    return min(max(100.0 * (live_values.read(coordinate) - lower) / (upper - lower), 0.0), 100.0)


def _set_share(coordinate, share: float):
    limits = limits_of(coordinate)
    if limits:
        live_values.write(coordinate, limits[0] + 0.01 * share * (limits[1] - limits[0]))


@let_override
class CoordinateProperties(PropertyGroup):
    """A position coordinate of a joint, locked or not."""

    home: FloatProperty(name="Start", description="Where a simulation starts")
    home_angle: shown_in_degrees("home", "Start", "Where a simulation starts")
    home_length: shown_as_length("home", "Start", "Where a simulation starts")
    q: FloatProperty(name="Keyed Position", description="Joint value set by keys")
    value_plain: _live(precision=4)
    value_angle: _live(subtype="ANGLE", precision=DEGREES)
    value_length: _live(unit="LENGTH")
    share: FloatProperty(
        name="Position",
        description="Position of the joint between its limits",
        subtype="PERCENTAGE",
        min=0.0,
        max=100.0,
        precision=0,
        get=_share,
        set=_set_share,
        options={"SKIP_SAVE"},
    )


def _is_other_joint(mimic, obj: Object) -> bool:
    return joint_settings(obj).is_joint and obj != node_with(mimic)


def _leader_chosen(mimic, _context):
    drop_foreign_bone(mimic, "leader")


@let_override
class MimicProperties(PropertyGroup):
    """The joint follows another: multiplier * (leader - reference) + offset, in rad and m."""

    leader: PointerProperty(
        name="Leader",
        description="Joint that this one follows",
        type=Object,
        poll=_is_other_joint,
        update=_leader_chosen,
    )
    leader_bone: bone_beside()
    multiplier: FloatProperty(
        name="Multiplier", description="How far this axis moves when the leader's axis moves by one unit", default=1.0
    )
    offset: FloatProperty(name="Offset", description="Added after the multiplication, in rad or m")
    reference: FloatProperty(
        name="Reference", description="Subtracted from the leader's coordinate before the multiplication, in rad or m"
    )
    axis: IntProperty(name="Axis", description="Axis that follows, counted from 0", min=0)
    leader_axis: IntProperty(name="Leader's Axis", description="Axis that is followed, counted from 0", min=0)
    axis_number: _counted_from_one("axis", "Axis", "Which axis of this joint follows")
    leader_axis_number: _counted_from_one("leader_axis", "Leader's Axis", "Which axis of the leader is followed")

    leader_node = node_at("leader")


def kind_of(joint) -> JointType:
    """Return the joint's type.

    Raises:
        ModelError: if only a newer version knows the type: Blender keeps its number and reads it as "".
    """
    if not joint.type:
        raise ModelError(
            f"joint '{model_name(node_with(joint))}' is of a type that this version of Limberjack does not know: "
            "update Limberjack, or choose another type"
        )
    return JOINT_TYPES[joint.type]


def core_joint(joint) -> "Joint":
    """Return a core `Joint` with only the type and the axes of a joint.

    It suffices for units, names and numbers of coordinates, not for simulation.

    Raises:
        ModelError: as in `kind_of`.
    """
    kind_of(joint)
    from ...core.model import Axis, Joint

    axes = [Axis(turn=axis.turn, slide=axis.slide, locked=axis.locked) for axis in axes_in_use(joint)]
    return Joint(model_name(node_with(joint)), joint.type, "", "", axes=axes)


def axes_in_use(joint) -> list[AxisProperties]:
    """Return the axes that the joint's type has.

    A joint may store more axes than these, or fewer in a file from before the type had so many.
    """
    return joint.axes[: _axis_count(joint)]


def _axis_count(joint) -> int:
    kind = kind_of(joint)
    return joint.open_axes if kind.is_open else len(kind.axes)


def fit_to_type(joint):
    """Give the joint as many axes and coordinates as its type has.

    Surplus axes are kept, in case the type is changed back.
    """
    count = _axis_count(joint)
    while len(joint.axes) < count:
        _append_axis(joint, len(joint.axes))
    for axis in axes_in_use(joint):
        axis.show_expanded = count <= FEW_AXES
    joint.coordinates.clear()
    for value in core_joint(joint).neutral:
        joint.coordinates.add().home = value


def _append_axis(joint, number: int):
    """Append an axis, with the default direction of axis `number`."""
    joint.axes.add().xyz = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))[number % 3]


def add_axis(joint):
    """Add an axis, the outermost one, to a joint whose type has any number of axes."""
    _append_axis(joint, joint.open_axes)
    joint.axes.move(len(joint.axes) - 1, joint.open_axes)
    joint.open_axes += 1
    joint.coordinates.add()


def remove_axis(joint, number: int):
    """Remove axis `number` from a joint whose type has any number of axes."""
    joint.axes.remove(number)
    joint.coordinates.remove(number)
    joint.open_axes -= 1


@let_override
class JointProperties(PropertyGroup):
    """The settings of a joint. Every object and every pose bone has this group; it is used only if `is_joint` is set.

    The joint of a bone is stored on the bone, which is its child. Its parent is the nearest link above the bone, unless
    another one or the world was chosen.
    """

    is_joint: BoolProperty(name="Joint", description="This Empty joins two links", update=note_maker)
    type: EnumProperty(
        name="Type",
        description="How the child may move relative to the parent",
        items=type_items(),
        default="revolute",
        update=lambda self, _context: fit_to_type(self),
    )
    parent: PointerProperty(
        name="Parent",
        description="Parent link of the joint; empty for the world",
        type=Object,
        poll=may_be_end,
        update=parent_chosen,
    )
    parent_bone: bone_beside()
    # Blender clears `parent` silently when the link is deleted. This distinguishes that from a choice of the world.
    to_world: BoolProperty(
        name="Join to World",
        description="The parent of the joint is the world, not a link",
        default=True,
        update=world_chosen,
    )
    child: PointerProperty(
        name="Child",
        description="Link that the joint moves",
        type=Object,
        poll=may_be_end,
        update=child_chosen,
    )
    child_bone: bone_beside()
    closes_loop: BoolProperty(
        name="Closes Loop",
        description="If joints form a loop, cut the loop at this joint",
    )
    collide_ends: BoolProperty(
        name="Collide with Each Other",
        description="Let the two links that the joint joins collide with each other, which joined links do not by "
        "themselves: as Always Collide in the list of pairs",
        get=do_ends_collide,
        set=let_ends_collide,
        options={"SKIP_SAVE"},
    )
    enabled: BoolProperty(name="Enabled", description="When off, simulations ignore this joint", default=True)
    drive_strength: FloatProperty(
        name="Strength",
        description="Fraction of the drive's force that acts: 1 for all of it, 0 for a limp joint. It is the stiffness "
        "of a part of a ragdoll",
        subtype="FACTOR",
        default=1.0,
        min=0.0,
        max=1.0,
    )
    is_held: BoolProperty(name="Lock for Posing", description="Posing does not move the joint")
    use_released_at: BoolProperty(
        name="Break at Frame",
        description="Release the joint at this frame; its links keep their velocity",
    )
    released_at: FloatProperty(
        name="Frame", description="Frame at which the joint breaks", default=25.0, step=100, precision=2
    )
    use_break_force: BoolProperty(
        name="Break Force",
        description="The joint breaks when it carries more than this force; its links keep their velocity",
    )
    break_force: _strength(
        "Force",
        "Largest force that the joint carries (N), from weight, drives and contacts. An impact counts as "
        "its impulse divided by 1/60 s",
        1000.0,
    )
    use_break_torque: BoolProperty(
        name="Break Torque",
        description="The joint breaks when it carries more than this torque; its links keep their velocity",
    )
    break_torque: _strength("Torque", "Largest torque about the joint's origin that the joint carries (N m)", 100.0)
    X_PJ: StringProperty(
        name="Frame in Parent", description="Joint frame in the parent link: x y z qw qx qy qz, exactly"
    )
    X_CJ: StringProperty(name="Frame in Child", description="Joint frame in the child link: x y z qw qx qy qz, exactly")
    limit_turn: FloatVectorProperty(
        name="Turn Limits",
        description="Turns the frame of a bone's joint from the bone at rest, about the bone's axes: the middle of a "
        "cone, and where coordinates are zero",
        subtype="EULER",
        unit="ROTATION",
    )
    axes: CollectionProperty(type=AxisProperties)
    open_axes: IntProperty(
        name="Axes", description="How many axes count where the type leaves their number open", default=1, min=0
    )
    pitch: FloatProperty(
        name="Pitch", description="Distance along the axis per turn, right-handed", unit="LENGTH", precision=4
    )
    use_home: BoolProperty(name="Initial Pose", description="Start simulations from another position", default=False)
    coordinates: CollectionProperty(type=CoordinateProperties)
    use_mimic: BoolProperty(
        name="Follow Joint", description="Move this joint in proportion to another one, as gears and linkages do"
    )
    mimic: PointerProperty(type=MimicProperties)
    extras: StringProperty(description="What the file says of the joint besides, such as sensors")

    parent_node = node_at("parent").getter(read_parent)
    child_node = node_at("child").getter(read_child)
