# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinned links and joints that are locked for posing, which a change of the pose must not move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ....core.kinematics import Target
from ....core.spatial import Pose
from ...nodes import Node, model_name
from ...props import is_joint
from ...props.settings import joint_settings, link_settings


def pin_targets(links: Mapping[str, Node], at: Mapping[str, Pose]) -> tuple[Target, ...]:
    """Return a target for each pinned link that keeps it where it is.

    Args:
        links: by name. at: X_WL of each [m].
    """
    pins = []
    for name, obj in links.items():
        pin = link_settings(obj).pin
        if pin != "NONE":
            pins.append(Target(name, place=at[name][:3], turn=at[name][3:] if pin == "POSE" else None))
    return tuple(pins)


def locked_joints(objects: Iterable[Node]) -> frozenset[str]:
    """Return the names of the joints that are locked for posing."""
    return frozenset(model_name(obj) for obj in objects if is_joint(obj) and joint_settings(obj).is_held)
