# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of one axis of a joint, and properties that show a stored number as an angle or a length."""

from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty
from bpy.types import PropertyGroup

from ...core.model.drives import DRIVES, OFF
from .entries import number_of
from .overriding import let_override

DEGREES = 3
"""Precision at which Blender shows tenths of a degree, as the handles do. The default shows whole degrees."""


def shown(stored, name, description, **look):
    """Return a property that shows a stored number, and sets it. look: unit, subtype and precision."""
    return FloatProperty(
        name=name,
        description=description,
        get=lambda self: getattr(self, stored),
        set=lambda self, value: setattr(self, stored, value),
        **look,
    )


def shown_in_degrees(stored, name, description):
    """Return `shown` for an angle in radians."""
    return shown(stored, name, description, subtype="ANGLE", precision=DEGREES)


def shown_as_length(stored, name, description):
    """Return `shown` for a length in the scene's units."""
    return shown(stored, name, description, unit="LENGTH")


@let_override
class AxisProperties(PropertyGroup):
    """One axis of a joint; names as in core's `Axis`. A limit whose `use_` is off is infinite."""

    show_expanded: BoolProperty(name="Expanded", description="Show the axis's settings", default=True)
    show_drive: BoolProperty(name="Expanded", description="Show the axis's drive", default=False)
    locked: BoolProperty(name="Locked", description="Hold the joint at its start on this axis")
    xyz: FloatVectorProperty(
        name="Axis", description="Direction in the joint's own axes", subtype="XYZ", default=(0.0, 0.0, 1.0)
    )
    turn: FloatProperty(
        name="Turn", description="Radians that it turns for a unit of its coordinate", default=1.0, precision=4
    )
    slide: FloatProperty(
        name="Slide", description="Distance along the axis per unit of its coordinate", unit="LENGTH", precision=4
    )
    point: FloatVectorProperty(
        name="Point", description="A point on the axis, in the joint's own axes", subtype="XYZ", unit="LENGTH"
    )
    use_lower: BoolProperty(name="Lower Limit", description="Stop the joint at a lower limit")
    use_upper: BoolProperty(name="Upper Limit", description="Stop the joint at an upper limit")
    use_effort: BoolProperty(name="Max Force", description="Limit the effort (motor strength) of the drive")
    use_velocity: BoolProperty(name="Speed Limit", description="Limit the joint's speed")
    use_stiffness: BoolProperty(name="Soft Stop", description="The limits give way like springs", default=True)
    lower: FloatProperty(name="Lower", description="Lower limit")
    upper: FloatProperty(name="Upper", description="Upper limit")
    velocity: FloatProperty(name="Speed", description="Largest speed, per second", min=0.0)
    spring_reference: FloatProperty(name="Rest Position", description="Where the spring is at rest")
    effort: FloatProperty(
        name="Max Force", description="Effort limit (motor strength): largest force of the drive, in N m or N", min=0.0
    )
    stiffness: FloatProperty(
        name="Stop Stiffness",
        description="Stiffness of the stops at the limits, in N m/rad or N/m. Stops with 1e8 or more are rigid",
        default=1e8,
        min=0.0,
    )
    dissipation: FloatProperty(
        name="Stop Dissipation", description="Dissipation (cushioning) of the stops at the limits", default=1.0, min=0.0
    )
    restitution: FloatProperty(
        name="Restitution",
        description="Restitution (bounciness): speed after a rigid stop divided by the speed before it",
        min=0.0,
        max=1.0,
    )
    damping: FloatProperty(
        name="Damping", description="Damping (drag): force per speed, in N m s/rad or N s/m", min=0.0
    )
    friction: FloatProperty(name="Friction", description="Dry friction (stiff joint), in N m or N", min=0.0)
    armature: FloatProperty(
        name="Rotor Inertia",
        description="Armature (flywheel of the motor): inertia of the drive as the joint feels it, in kg m² or kg",
        min=0.0,
    )
    spring_stiffness: FloatProperty(
        name="Spring", description="Stiffness of the spring in the joint, in N m/rad or N/m", min=0.0
    )
    drive_mode: EnumProperty(
        name="Drive",
        description="Drive (motor): what a motor in the joint does",
        items=[(mode.name, mode.label, mode.help, number_of(mode.name)) for mode in DRIVES.values()],
        default=OFF.name,
    )
    drive_stiffness: FloatProperty(
        name="Stiffness",
        description="Stiffness (strength): force per distance from the target, in N m/rad or N/m",
        min=0.0,
    )
    drive_damping: FloatProperty(
        name="Damping", description="Force per speed relative to the target, in N m s/rad or N s/m", min=0.0
    )
    drive_target: FloatProperty(name="Force", description="Force of the drive, in N m or N")

    lower_angle: shown_in_degrees("lower", "Lower", "Where the joint stops in this direction")
    lower_length: shown_as_length("lower", "Lower", "Lower limit")
    upper_angle: shown_in_degrees(
        "upper", "Upper", "Where the joint stops in this direction. Of a cone: how far the joint swings from its middle"
    )
    upper_length: shown_as_length("upper", "Upper", "Upper limit")
    velocity_turning: shown_in_degrees("velocity", "Speed", "Largest speed, per second")
    velocity_sliding: shown("velocity", "Speed", "Largest speed", unit="VELOCITY")
    spring_reference_angle: shown_in_degrees("spring_reference", "Rest Position", "Where the spring is at rest")
    spring_reference_length: shown_as_length("spring_reference", "Rest Position", "Where the spring is at rest")
    drive_target_angle: shown_in_degrees("drive_target", "Target", "Target of the drive")
    drive_target_length: shown_as_length("drive_target", "Target", "Target of the drive")
    drive_target_turning: shown_in_degrees("drive_target", "Speed per s", "Angular speed of the drive")
    drive_target_sliding: shown("drive_target", "Speed", "Speed that the drive keeps", unit="VELOCITY")
