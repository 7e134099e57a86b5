"""The tab in the 3D view's sidebar."""

from . import (
    axes,
    drives,
    exchange,
    graph,
    joint,
    light,
    link,
    main,
    model,
    pose,
    presets,
    preview,
    problems,
    pull,
    simulate,
)

# In the order of the tab
THEMES = (
    *(main, model, pull, pose, link, joint, axes, drives),
    *(problems, preview, simulate, graph, light, exchange, presets),
)
CLASSES = tuple(cls for theme in THEMES for cls in theme.CLASSES)

add_tools = pull.add_tools
remove_tools = pull.remove_tools

__all__ = ["CLASSES", "add_tools", "remove_tools"]
