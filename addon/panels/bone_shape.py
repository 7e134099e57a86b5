# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the shape of a bone, which the panels Link and Ragdoll show."""

from __future__ import annotations

from bpy.app.translations import pgettext_iface

from .. import ids


def draw_shape_of_bone(layout, settings, with_offset: bool = False) -> None:
    """Draw the kind of a bone's shape and its measures, and the button that fits it to meshes.

    Args:
        with_offset: whether to draw the offset of a capsule, too.
    """
    layout.row().prop(settings, "bone_shape", expand=True)
    if settings.bone_shape == "BOX":
        layout.column(align=True).prop(settings, "box_size")
        layout.column(align=True).prop(settings, "box_center")
    elif settings.bone_shape == "HULL":
        if not settings.bone_hull:
            layout.label(text="Not fitted: collides as its capsule", icon="INFO")
    else:
        _draw_capsule(layout, settings, with_offset)
    layout.operator(ids.OP_BONE_FIT).selected_only = True


def _draw_capsule(layout, settings, with_offset: bool) -> None:
    column = layout.column(align=True)
    for name in ("bone_radius", "bone_start", "bone_end"):
        column.prop(settings, name)
    if with_offset:
        column = layout.column(align=True)
        for number, name in enumerate("XZ"):
            text = pgettext_iface("Offset {axis}").format(axis=name)
            column.prop(settings, "bone_offset", index=number, text=text, translate=False)
