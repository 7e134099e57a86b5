# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles that are dragged in the 3D view."""

from . import joint

CLASSES = joint.CLASSES

__all__ = ["CLASSES"]
