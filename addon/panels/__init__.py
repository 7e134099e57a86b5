"""The tab in the 3D view's sidebar."""

from . import axes, exchange, joint, light, link, main, simulate

# In the order of the tab: what is always needed stays in view, whatever is selected.
CLASSES = (
    *main.CLASSES,
    *simulate.CLASSES,
    *link.CLASSES,
    *joint.CLASSES,
    *axes.CLASSES,
    *light.CLASSES,
    *exchange.CLASSES,
)

__all__ = ["CLASSES"]
