"""The tab in the 3D view's sidebar."""

from . import axes, drives, exchange, joint, light, link, main, model, presets, problems, simulate

# In the order of the tab
THEMES = (main, model, link, joint, axes, drives, problems, simulate, light, exchange, presets)
CLASSES = tuple(cls for theme in THEMES for cls in theme.CLASSES)

__all__ = ["CLASSES"]
