# SPDX-License-Identifier: GPL-3.0-or-later
"""Store results of reading a scene in the scene: weights that the panel shows, and the poses as drawn."""

import bpy

from ...nodes import Node
from ...props.settings import link_settings
from ..animation.motion_sources import is_animated
from ..links.mass import MassProperties
from ..posing.link_poses import drawn_pose
from ..values.numbers import format_pose, scaled_pose, unit_length
from .read import SceneReading


def store_weight(link: Node, weight: MassProperties | None) -> None:
    """Store volume and notes for the panel.

    Args:
        weight: None for a link whose mass does not come from its meshes.
    """
    settings = link_settings(link)
    if weight:
        settings.volume = weight.volume
    settings.mass_note = "; ".join(weight.notes) if weight else ""


def store_weights(reading: SceneReading) -> None:
    """Store volume and notes of all links for the panel."""
    for name, obj in reading.objects.items():
        store_weight(obj, reading.weights.get(name))


def store_rest_poses(reading: SceneReading, scene) -> None:
    """Store the poses in which the model was drawn, before an animation moves its objects.

    The frames of a bone's joint are read from the poses of its links, and not stored. So for a bone, it is the pose
    that was read, and not the pose that the joints give it in the model, whose last digits differ.
    """
    carried = {joint.child for joint in reading.model.joints}
    unit = unit_length(scene)
    for name, obj in reading.objects.items():
        if name in carried and not is_animated(obj) and isinstance(obj, bpy.types.Object):
            pose = scaled_pose(reading.model.link(name).pose, 1.0 / unit)
        else:
            pose = drawn_pose(obj)
        settings, text = link_settings(obj), format_pose(pose)
        if settings.rest_pose != text:
            settings.rest_pose = text
