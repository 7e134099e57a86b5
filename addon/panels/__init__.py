"""The tab in the 3D view's sidebar."""

from . import exchange, joint, link, main, simulate

CLASSES = (*main.CLASSES, *link.CLASSES, *joint.CLASSES, *simulate.CLASSES, *exchange.CLASSES)

__all__ = ["CLASSES"]
