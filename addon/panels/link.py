"""The active object, as a link or as a shape of one."""

import bpy

from .. import ids
from ..bridge import LINK_FIELDS
from ..bridge.parts import SOLID
from ..props import is_joint, is_link
from .base import Below, in_columns, paragraph


def _carrier(obj: bpy.types.Object | None) -> bpy.types.Object | None:
    """The link whose shape the object is."""
    while obj is not None and not is_link(obj):
        obj = None if is_joint(obj) else obj.parent
    return obj


class LIMBERJACK_PT_link(Below, bpy.types.Panel):
    bl_idname = ids.PT_LINK
    bl_label = "Link"

    @classmethod
    def poll(cls, context):
        return _carrier(context.active_object) is not None

    def draw(self, context):
        layout = in_columns(self.layout)
        obj = context.active_object
        settings = getattr(obj, ids.LINK)
        if is_link(obj):
            layout.prop(obj, "name")
            _draw_mass(layout, context, settings)
            for field in LINK_FIELDS:
                layout.prop(settings, field.name)
        else:
            layout.label(text=f"A shape of {_carrier(obj).name}")
        if obj.type in SOLID or obj.is_instancer:
            layout.prop(settings, "role")
            if not obj.is_instancer:  # what it instances has a geometry of its own
                layout.prop(settings, "primitive")
            paragraph(layout, context, "Collision shapes are exported. They do not collide in the simulation")
        if is_link(obj):
            row = layout.row(align=True)
            row.operator(ids.OP_LINK_WEIGH)
            row.operator(ids.OP_LINK_UNTAG)


def _draw_mass(layout, context, settings):
    layout.row().prop(settings, "mass_source", expand=True)
    if settings.mass_source == "DENSITY":
        layout.prop(settings, "density")
        row = layout.row()
        row.enabled = False
        row.prop(settings, "mass_shown")
        if settings.mass_note:
            paragraph(layout, context, settings.mass_note, icon="INFO")
        return
    layout.prop(settings, "mass")
    layout.prop(settings, "com")
    column = layout.column(align=True)
    for number, name in enumerate(("xx", "xy", "xz", "yy", "yz", "zz")):
        column.prop(settings, "inertia", index=number, text=f"Inertia {name}" if number == 0 else name)


CLASSES = (LIMBERJACK_PT_link,)
