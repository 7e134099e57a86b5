# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a scene's preview."""

from bpy.props import EnumProperty, FloatProperty
from bpy.types import PropertyGroup


class PreviewProperties(PropertyGroup):
    """The settings of a scene's previews."""

    pace: EnumProperty(
        name="Pace",
        description="How fast Play shows the motion",
        items=(
            ("REAL", "Real Time", "In real time; frames are skipped where drawing takes too long", 0),
            ("EVERY", "Every Frame", "Every frame, as fast as possible", 1),
        ),
    )
    strength: FloatProperty(
        name="Mouse Strength",
        description="How hard the mouse pulls, relative to the weight of the whole machine",
        default=1.0,
        min=0.01,
        soft_max=10.0,
        precision=2,
    )
