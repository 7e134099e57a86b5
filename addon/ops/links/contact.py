# SPDX-License-Identifier: GPL-3.0-or-later
"""Set contact properties of several links: surfaces, and pairs of links that collide or do not."""

import bpy
from bpy.props import EnumProperty

from ....core.geometry.densities import SUBSTANCES
from ....core.model.text import counted
from ... import bridge, ids
from ...bridge.findings.last_run import last_run
from ...nodes import model_name
from ...props import carrier_of, is_link
from ...props.chosen import meant_active_node, meant_nodes
from ...props.entries import number_of
from ...props.pairs import set_pair
from ...props.settings import link_settings, scene_settings
from ...props.surface import SurfaceProperties
from ..report import fail, in_object_or_pose_mode, succeed

COPIED = ("collides", "self_collide", "family")
"""Properties of a link that are copied with its surface."""

MARKER = "Impact"


def _presets():
    return [
        (item.name, item.label, f"{item.friction:g} / {item.restitution:g}", number_of(item.name))
        for item in SUBSTANCES
        if item.name != "water"
    ]


class OnSurfaces:
    """An operator on links, and on shapes of links, that are selected."""

    @classmethod
    def poll(cls, context):
        if not any(carrier_of(obj) for obj in meant_nodes(context)):
            cls.poll_message_set("Select links, or objects that are parented to links")
            return False
        return in_object_or_pose_mode(cls, context)


class LIMBERJACK_OT_surface_preset(OnSurfaces, bpy.types.Operator):
    """Give the selection the surface of a material"""

    bl_idname = ids.OP_SURFACE
    bl_label = "Surface Preset"
    bl_options = {"REGISTER", "UNDO"}

    material: EnumProperty(
        name="Material", description="Material whose friction / restitution the surface gets", items=_presets()
    )

    def execute(self, context):
        substance = next(item for item in SUBSTANCES if item.name == self.material)
        objects = [obj for obj in meant_nodes(context) if carrier_of(obj)]
        for obj in objects:
            surface = link_settings(obj).surface
            surface.source, surface.use_static_friction, surface.use_stiffness = "CUSTOM", False, False
            surface.friction, surface.restitution = substance.friction, substance.restitution
        return succeed(self, context, f"{counted(objects, 'surface')} of {substance.label}")


class LIMBERJACK_OT_surface_copy(OnSurfaces, bpy.types.Operator):
    """Copy the active object's surface, layers and collision settings to the selection"""

    bl_idname = ids.OP_SURFACE_COPY
    bl_label = "Copy to Selected"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if carrier_of(meant_active_node(context)) is None:
            cls.poll_message_set("The active object is neither a link nor a shape of a link")
            return False
        return super().poll(context)

    def execute(self, context):
        source = link_settings(meant_active_node(context))
        names = [item.identifier for item in SurfaceProperties.bl_rna.properties if not item.is_readonly]
        others = [obj for obj in meant_nodes(context) if carrier_of(obj) and obj != meant_active_node(context)]
        for obj in others:
            settings = link_settings(obj)
            for name in names:
                setattr(settings.surface, name, getattr(source.surface, name))
            for name in COPIED if is_link(obj) and is_link(meant_active_node(context)) else ():
                setattr(settings, name, getattr(source, name))
        return succeed(self, context, f"Copied to {counted(others, 'object')}")


class LIMBERJACK_OT_contact_pair_add(bpy.types.Operator):
    """Make each pair of the selected links collide or pass through each other, overriding joints and families"""

    bl_idname = ids.OP_PAIR_ADD
    bl_label = "Add Pair"
    bl_options = {"REGISTER", "UNDO"}

    how: EnumProperty(
        name="Collision",
        description="Whether the selected links collide with each other",
        items=(
            ("PASS", "Never Collide", "They pass through each other", 0),
            ("MEET", "Always Collide", "They collide, even if a joint joins them", 1),
        ),
    )

    @classmethod
    def poll(cls, context):
        if sum(is_link(obj) for obj in meant_nodes(context)) < 2:
            cls.poll_message_set("Select two links or more")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        links = sorted((obj for obj in meant_nodes(context) if is_link(obj)), key=model_name)
        pairs = [(a, b) for number, b in enumerate(links) for a in links[:number]]
        bridge.links.contact_settings.drop_lost_pairs(context.scene)
        for a, b in pairs:
            set_pair(context.scene, a, b, self.how == "MEET")
        does = "always collide" if self.how == "MEET" else "never collide"
        return succeed(self, context, f"{counted(pairs, 'pair')} of links will {does}")


class LIMBERJACK_OT_contact_pair_remove(bpy.types.Operator):
    """Remove the pair; joints and families decide again whether its links collide"""

    bl_idname = ids.OP_PAIR_REMOVE
    bl_label = "Remove Pair"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        settings = scene_settings(context.scene)
        if not settings.pair < len(settings.pairs):
            cls.poll_message_set("There is no pair in the list")
            return False
        return True

    def execute(self, context):
        settings = scene_settings(context.scene)
        settings.pairs.remove(settings.pair)
        settings.pair = max(0, min(settings.pair, len(settings.pairs) - 1))
        return succeed(self, context, "The pair is removed")


class LIMBERJACK_OT_impact_markers(bpy.types.Operator):
    """Mark on the timeline where links struck each other in the last simulation, for sounds and dust to follow"""

    bl_idname = ids.OP_IMPACT_MARKERS
    bl_label = "Mark Impacts"
    bl_options = {"REGISTER", "UNDO"}

    least: bpy.props.FloatProperty(
        name="Least Impulse (N s)", description="Weaker impacts are not marked", min=0.0, default=0.0, precision=3
    )

    @classmethod
    def poll(cls, context):
        run = last_run(context.scene)
        if run is None or run.trajectory.impacts is None:
            cls.poll_message_set("First, use Simulate and Bake with Contact on")
            return False
        return True

    def execute(self, context):
        run = last_run(context.scene)
        assert run is not None
        markers = context.scene.timeline_markers
        for marker in [marker for marker in markers if marker.name.startswith(f"{MARKER}: ")]:
            markers.remove(marker)
        found = bridge.findings.impacts.strong_impacts(run, self.least)
        if not found:
            return fail(self, context, f"No two links struck each other with {self.least:g} N s or more")
        for impact in found:
            markers.new(f"{MARKER}: {impact.first}, {impact.second}, {impact.impulse:.3g} N s", frame=impact.frame)
        return succeed(self, context, f"{counted(found, 'impact')} marked")


CLASSES = (
    LIMBERJACK_OT_surface_preset,
    LIMBERJACK_OT_surface_copy,
    LIMBERJACK_OT_contact_pair_add,
    LIMBERJACK_OT_contact_pair_remove,
    LIMBERJACK_OT_impact_markers,
)
