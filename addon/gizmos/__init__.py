"""What is dragged in the 3D view."""

from . import joint

CLASSES = joint.CLASSES

__all__ = ["CLASSES"]
