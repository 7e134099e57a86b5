# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles that are dragged in the 3D view."""

from . import capsule, joint

CLASSES = (*joint.CLASSES, *capsule.CLASSES)

__all__ = ["CLASSES"]
