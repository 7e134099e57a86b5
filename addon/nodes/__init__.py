# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes: what may be a link or a joint of a scene.

`Node` is the type of a link or joint in the rest of the add-on; this package contains all that depends on its kind.
It uses Blender's data only, and knows neither the settings of links and joints nor models.
"""

from typing import TypeAlias

import bpy

Node: TypeAlias = bpy.types.Object
"""A link or a joint of a scene."""
