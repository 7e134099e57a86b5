# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's preferences for all files: overlays, their colours and sizes, and where other simulators are."""

import textwrap
from types import SimpleNamespace

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, StringProperty

from ..core.compilation import jit, kernel_cache
from . import ids
from .props.settings import window_status

ROOT_PACKAGE = __package__.rpartition(".")[0]

OVERLAYS = {
    "show_overlays": ("Overlays", "Draw the model over the 3D view", True),
    "show_joints": ("Joints", "Draw each joint by how it moves: a ring turns, a rail slides", True),
    "show_limits": ("Limits", "Draw the limits of each joint", True),
    "show_lines": (
        "Links to Joints",
        "Draw lines from each joint to the links that it joins, dashed where it closes a loop",
        True,
    ),
    "show_masses": ("Centres of Mass", "Draw each link's centre of mass, and a box of the same inertia", False),
    "show_capsules": ("Capsules of Bones", "Draw the capsules with which bones collide", True),
    "show_ragdolls": (
        "Ragdoll",
        "Draw the body parts of the active ragdoll as translucent shapes, coloured by what they follow",
        True,
    ),
    "show_pins": (
        "Pins",
        "Draw a ball on each link whose position is pinned, and a box where position and rotation are pinned",
        True,
    ),
    "show_contacts": ("Contacts", "Draw the contact points and forces of the last simulation", True),
    "show_problems": ("Problems", "Draw joints with problems in a separate colour", True),
}
"""Label, tooltip and default of each switch, by property."""

COLORS = {
    "joint_color": ("Joint", (0.95, 0.75, 0.2, 0.9)),
    "limit_color": ("Limits", (0.3, 0.8, 1.0, 0.9)),
    "line_color": ("Lines", (0.8, 0.8, 0.8, 0.5)),
    "loop_color": ("Loop", (0.85, 0.45, 1.0, 0.9)),
    "mass_color": ("Mass", (0.45, 0.9, 0.45, 0.8)),
    "physics_color": ("Follows Physics", (0.25, 0.6, 1.0, 0.3)),
    "animation_color": ("Follows Animation", (1.0, 0.6, 0.15, 0.3)),
    "pin_color": ("Pins", (1.0, 0.55, 0.1, 1.0)),
    "contact_color": ("Contacts", (1.0, 0.35, 0.75, 1.0)),
    "problem_color": ("Problem", (1.0, 0.2, 0.15, 1.0)),
}
SIZE = 1.0
WIDTH = 1.5
LETTERS = 110
"""Number of characters after which a line of the self-check is wrapped."""


class LimberjackPreferences(bpy.types.AddonPreferences):
    bl_idname = ROOT_PACKAGE

    size: FloatProperty(name="Size", description="Size of the overlay of a joint", default=SIZE, min=0.05, soft_max=5.0)
    width: FloatProperty(name="Line Width", description="In pixels", default=WIDTH, min=0.5, soft_max=6.0)
    judge_python: StringProperty(
        name="Python of Simulators",
        description="A Python that has MuJoCo or Drake, with which exports are compared. Empty: Blender's own, and "
        "those in the search path",
        subtype="FILE_PATH",
    )

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        switches = layout.column(heading="Overlays")
        for name in OVERLAYS:
            switches.prop(self, name)
        layout.prop(self, "size")
        layout.prop(self, "width")
        colors = layout.column()
        for name in COLORS:
            colors.prop(self, name)
        layout.prop(self, "judge_python")
        _draw_self_check(layout.box(), window_status(context.window_manager))


def _draw_self_check(layout, status):
    row = layout.row()
    row.operator(ids.OP_SELF_CHECK, icon="CHECKMARK")
    row.operator(ids.OP_SELF_CHECK_COPY, icon="COPYDOWN")
    if not jit.library() or kernel_cache.has_kernels():  # kernels of a version without a library may remain
        row.operator(ids.OP_CACHE_CLEAR, icon="TRASH")
    if status.running:
        layout.progress(factor=status.factor, text=status.text)
    lines = layout.column(align=True)
    for line in (part for text in status.self_check.splitlines() for part in textwrap.wrap(text, LETTERS)):
        lines.label(text=line)


for _name, (_label, _description, _default) in OVERLAYS.items():
    LimberjackPreferences.__annotations__[_name] = BoolProperty(name=_label, description=_description, default=_default)
for _name, (_label, _default) in COLORS.items():
    LimberjackPreferences.__annotations__[_name] = FloatVectorProperty(
        name=_label, subtype="COLOR_GAMMA", size=4, min=0.0, max=1.0, default=_default
    )

_AT_FIRST = SimpleNamespace(
    size=SIZE,
    width=WIDTH,
    judge_python="",
    **{name: default for name, (_, _, default) in OVERLAYS.items()},
    **{name: default for name, (_, default) in COLORS.items()},
)


def preferences():
    """Return the user's preferences, or the defaults if the add-on is not installed, as in Python."""
    addon = bpy.context.preferences.addons.get(ROOT_PACKAGE)
    return addon.preferences if addon else _AT_FIRST
