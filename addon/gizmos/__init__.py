# SPDX-License-Identifier: GPL-3.0-or-later
"""What is dragged in the 3D view."""

from . import joint

CLASSES = joint.CLASSES

__all__ = ["CLASSES"]
