# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings about a scene's last simulation."""

from bpy.props import IntProperty, PointerProperty, StringProperty
from bpy.types import Object, PropertyGroup

from .references import bone_beside, node_at


class FindingProperties(PropertyGroup):
    """A diagnosis of core, with its remedy if it has one."""

    code: StringProperty(description="Of its kind")
    name: StringProperty(description="Of the culprit when it was found; empty where no object is to blame")
    culprit: PointerProperty(type=Object, description="Joint or link that is to blame, whatever it is called now")
    culprit_bone: bone_beside()
    message: StringProperty(description="What was found, why it matters, what to do")
    kind: StringProperty(description="What the remedy changes: joint, link or run; empty where there is none")
    axis: IntProperty(description="Number of the joint's axis that it changes, counted from 0")
    changes: StringProperty(description="Core's fields and their new values in SI units and radians, as JSON")
    seen: StringProperty(description="Digest of what it is about as that was; empty until the scene came to rest")

    culprit_node = node_at("culprit")
