# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a bake, stored in the scene, and the state of each object before a bake."""

import math

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Action, PropertyGroup

from .overriding import let_override


def _forget_maker(settings, _context):
    """Note that the user has chosen where simulations start."""
    settings.start_by_ragdoll = False


class BakeProperties(PropertyGroup):
    """Part of the scene's settings. Frames are Blender's, lengths Blender units, angles radians."""

    start: EnumProperty(
        name="Start From",
        description="Where the links are when the simulation begins",
        items=(
            ("HOME", "Initial Pose", "Every joint in its initial pose, at rest", 0),
            ("POSE", "Current Pose", "The links as they stand now, at rest", 1),
            (
                "KEYS",
                "Animation",
                "Pose and velocity of the animation at the first frame; the animation before it is kept",
                2,
            ),
        ),
        update=_forget_maker,
    )
    start_by_ragdoll: BoolProperty(
        description="Whether Make Ragdoll has chosen where simulations start, since a character is animated"
    )
    onto: EnumProperty(
        name="Keys On",
        description="What gets the keyframes",
        items=(
            ("LINKS", "Links", "Location and rotation of the link objects. These keys play without the add-on", 0),
            ("JOINTS", "Joints", "Joint values. They move the links only while this add-on is enabled", 1),
            ("BOTH", "Both", "The links, and the values of the joints, for drivers and graphs to read", 2),
        ),
    )
    use_range: BoolProperty(name="Custom Range", description="Override the scene's frame range")
    first: IntProperty(name="First", description="Frame at which the simulation begins", default=1)
    last: IntProperty(name="Last", description="Frame at which it ends", default=250)
    step: FloatProperty(
        name="Frame Step",
        description="Frames from one key to the next. Below 1, keys lie between frames, too, for motion blur",
        default=1.0,
        min=0.02,
        soft_min=0.25,
        soft_max=10.0,
        step=25,
        precision=2,
    )
    reduces: BoolProperty(
        name="Reduce Keys",
        description="The fewest keys that keep every link within a distance and an angle at every frame",
    )
    distance: FloatProperty(
        name="Distance",
        description="Largest allowed distance of a link from its simulated position",
        subtype="DISTANCE",
        unit="LENGTH",
        default=1e-4,
        min=1e-7,
        soft_max=0.1,
        precision=5,
    )
    angle: FloatProperty(
        name="Angle",
        description="Greatest allowed rotation of a link from its simulated orientation",
        subtype="ANGLE",
        unit="ROTATION",
        default=math.radians(0.05),
        min=math.radians(1e-4),
        soft_max=math.radians(5.0),
        precision=3,
    )


@let_override
class BeforeProperties(PropertyGroup):
    """The state of an object before its bake. Every object has this group."""

    is_kept: BoolProperty(description="Whether the rest holds something")
    numbers: StringProperty(description="Values of what the bake has keyed, before it")
    action: PointerProperty(type=Action, description="Action that the bake took the place of")
    slot: StringProperty(description="Slot of that action")
    stood: StringProperty(
        description="Where the bake has a link at its first frame: the upper rows of its matrix in the world, so that "
        "it is known when the link is scaled, or carried elsewhere; empty where that moves by itself"
    )
