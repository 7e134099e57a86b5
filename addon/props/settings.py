# SPDX-License-Identifier: GPL-3.0-or-later
"""The property groups of this add-on on Blender's data, with their types.

Blender adds these properties while the add-on is enabled, so type checkers do not know them as attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .. import ids

if TYPE_CHECKING:
    from ..nodes import Node
    from .bake import BeforeProperties
    from .joint import JointProperties
    from .light import LightProperties
    from .link import LinkProperties
    from .scene import SceneProperties, StatusProperties


def link_settings(node: Node) -> LinkProperties:
    """Return the settings of a link, or of a shape of a link. Every node has them; most require `is_link`."""
    return getattr(node, ids.LINK)


def joint_settings(node: Node) -> JointProperties:
    """Return the settings of a joint. Every node has them; they are used only if `is_joint` is set."""
    return getattr(node, ids.JOINT)


def before_bake(node: Node) -> BeforeProperties:
    """Return what a bake has replaced on a link or joint, for Clear Bake."""
    return getattr(node, ids.BEFORE)


def light_settings(light: bpy.types.Light) -> LightProperties:
    """Return what a file says of a light that Blender does not store."""
    return getattr(light, ids.LIGHT)


def scene_settings(scene: bpy.types.Scene) -> SceneProperties:
    """Return the settings of a scene's model and of its simulation."""
    return getattr(scene, ids.SCENE)


def window_status(window_manager: bpy.types.WindowManager) -> StatusProperties:
    """Return what operators report of their work: it belongs to the session and is not saved."""
    return getattr(window_manager, ids.STATUS)
