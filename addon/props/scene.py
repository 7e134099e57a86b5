# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of a scene, and the state that the window manager shows during long operations."""

import bpy
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
from bpy.types import PropertyGroup

from ..nodes import armature_bones, owner_of
from ..nodes.chosen import choose_only
from .bake import BakeProperties
from .findings import FindingProperties
from .made_by import made_by
from .poses import PoseProperties
from .preview import PreviewProperties
from .settings import window_status
from .surface import ContactPairProperties, SurfaceProperties, choose_bounce, own_bounce


def _active_row(settings) -> int:
    """Return the row of the active object in the model's tree."""
    active = bpy.context.view_layer.objects.active
    return settings.id_data.objects.find(active.name) if active else -1


def _choose_row(settings, row: int):
    """Select the object of a row that was clicked."""
    choose_only(bpy.context, settings.id_data.objects[row])


def _active_bone_row(_settings) -> int:
    """Return the row of the active bone among those of its armature."""
    active = bpy.context.active_pose_bone
    return armature_bones(owner_of(active)).find(active.name) if active else -1


def _choose_bone_row(_settings, row: int):
    """Select the bone of a row that was clicked, in Pose Mode."""
    armature = bpy.context.object
    if armature is not None:
        choose_only(bpy.context, armature_bones(armature)[row])


def _forget_maker(settings, _context):
    """Note that the user, or another operator than Make Ragdoll, has chosen whether there is contact."""
    settings.contact_by_ragdoll = False


def _redraw_views(_settings, context):
    for area in context.screen.areas if context.screen else ():
        if area.type == "VIEW_3D":
            area.tag_redraw()


class SceneProperties(PropertyGroup):
    """The settings of a scene, and the results of its last simulation."""

    version: made_by()
    model_name: StringProperty(name="Model Name", description="Name in exported files; empty to use the scene's name")
    extras: StringProperty(description="What the model's file says of it besides, such as plugins")
    accuracy: EnumProperty(
        name="Accuracy",
        description="How accurately the equations of motion are solved",
        items=(
            ("draft", "Draft", "Fast, for a first look", 0),
            ("good", "Good", "For most work", 1),
            ("exact", "Exact", "As closely as possible", 2),
        ),
        default="good",
    )
    wind: FloatVectorProperty(
        name="Wind",
        description="Speed of the air; it acts on links with Damping",
        subtype="VELOCITY",
        unit="VELOCITY",
    )
    contact: BoolProperty(
        name="Contact",
        description="Links strike, slide and rest on each other in simulations, instead of passing through",
        update=_forget_maker,
    )
    contact_by_ragdoll: BoolProperty(description="Whether Make Ragdoll has switched contact on")
    ground: BoolProperty(name="Ground", description="Ground (floor): invisible, infinite, at height zero of the world")
    ground_surface: PointerProperty(type=SurfaceProperties)
    ground_bounce: FloatProperty(
        name="Bounciness",
        description="How far links bounce off the ground (its restitution): speed after a bounce divided by the speed "
        "before it. Of two surfaces, the larger counts",
        subtype="FACTOR",
        min=0.0,
        max=1.0,
        get=lambda self: own_bounce(self.ground_surface),
        set=lambda self, value: choose_bounce(self.ground_surface, value),
        options={"SKIP_SAVE"},
    )
    pairs: CollectionProperty(
        type=ContactPairProperties,
        name="Pairs",
        description="Pairs of links that always or never collide, whether joined or not",
    )
    pair: IntProperty(name="Pair", description="The pair that is chosen in the list", min=0)
    bake: PointerProperty(type=BakeProperties)
    preview: PointerProperty(type=PreviewProperties)
    shows_graph: BoolProperty(
        name="Graph", description="Draw graphs of the last motion over the 3D view", update=_redraw_views
    )
    graph: EnumProperty(
        name="Quantity",
        description="What the graphs show: the active joint, or all joints",
        items=(
            ("values", "Values", "Where joints are", 0),
            ("velocities", "Velocities", "How fast the joints move", 1),
            ("efforts", "Efforts", "Forces and torques of the drives", 2),
            (
                "energy",
                "Energy",
                "Kinetic, potential, dissipated and supplied energy, and their balance, which should stay constant",
                3,
            ),
            ("loop-error", "Loop Error", "Largest gap in a loop, or error of a coupling", 4),
        ),
        default="values",
        update=_redraw_views,
    )
    keeps_turn: BoolProperty(
        name="Keep Orientation", description="A link that is pulled keeps its orientation, as far as it can"
    )
    moves_base: BoolProperty(
        name="Move Base", description="If the machine floats, pulling a link may also move its base"
    )
    row: IntProperty(
        name="Row",
        description="The link or joint that is active",
        get=_active_row,
        set=_choose_row,
        options={"SKIP_SAVE"},
    )
    bone_row: IntProperty(
        name="Row",
        description="The bone that is active",
        get=_active_bone_row,
        set=_choose_bone_row,
        options={"SKIP_SAVE"},
    )
    poses: CollectionProperty(type=PoseProperties)
    pose: IntProperty(name="Pose", description="The pose that is chosen in the list", min=0)
    last_result: StringProperty(name="Last Result", description="Results of the last simulation")
    last_details: StringProperty(name="Details", description="Accuracy and cost of the last simulation")
    last_notes: StringProperty(name="Notes", description="Notes about the last simulation, one per line")
    findings: CollectionProperty(
        type=FindingProperties, name="Findings", description="Why the last simulation failed or may look wrong"
    )


class StatusProperties(PropertyGroup):
    """The state of the add-on in this session.

    The window manager has this group, so that undo does not change it and files do not store it.
    """

    running: BoolProperty(options={"SKIP_SAVE"})
    factor: FloatProperty(min=0.0, max=1.0, options={"SKIP_SAVE"})
    text: StringProperty(options={"SKIP_SAVE"})
    error: StringProperty(options={"SKIP_SAVE"})
    notes: StringProperty(description="What the last operator told besides, one per line", options={"SKIP_SAVE"})
    self_check: StringProperty(options={"SKIP_SAVE"})
    shows_part_panels: BoolProperty(
        name="All Settings",
        description="Show everything that a rigid body and its joint have, in two more panels below",
        options={"SKIP_SAVE"},
    )


def show_error(text: str) -> None:
    """Show an error in the panel, from code that is no operator. An empty text removes it."""
    status = window_status(bpy.data.window_managers[0])
    if status.error != text:  # writing causes a redraw
        status.error = text
