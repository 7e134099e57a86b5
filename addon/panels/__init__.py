# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of the tab in the 3D view's sidebar."""

from . import exchange, light, link, main, menus, model, physics, ragdoll, tools
from .joints import joint, pose, presets
from .simulation import graph, problems, pull, simulate

# In the order of the panels in the tab
THEMES = (
    presets,
    menus,
    main,
    ragdoll,
    physics,
    link,
    joint,
    problems,
    model,
    pull,
    pose,
    simulate,
    graph,
    light,
    exchange,
)
CLASSES = tuple(cls for theme in THEMES for cls in theme.CLASSES)


def add_to_blender():
    tools.add_tools()
    menus.add_to_blender()


def remove_from_blender():
    menus.remove_from_blender()
    tools.remove_tools()


__all__ = ["CLASSES", "add_to_blender", "remove_from_blender"]
