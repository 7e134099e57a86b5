"""The tab in the 3D view's sidebar."""

from . import (
    exchange,
    graph,
    joint,
    light,
    link,
    main,
    model,
    pose,
    presets,
    problems,
    pull,
    simulate,
)

# In the order of the tab
THEMES = (presets, main, link, joint, problems, model, pull, pose, simulate, graph, light, exchange)
CLASSES = tuple(cls for theme in THEMES for cls in theme.CLASSES)

add_tools = pull.add_tools
remove_tools = pull.remove_tools

__all__ = ["CLASSES", "add_tools", "remove_tools"]
