# SPDX-License-Identifier: GPL-3.0-or-later
"""IK drag of a link by one of its points: the target of the point, and the links that may follow."""

from __future__ import annotations

from collections.abc import Collection

import bpy
from mathutils import Vector

from ....core.kinematics import Reach, Target
from ....core.model import WORLD, Model, ModelError
from ....core.spatial import IDENTITY, compose, inverse
from ...nodes import Node, model_name
from ...props.settings import link_settings, scene_settings
from ..values.numbers import unit_length
from .posing import Posing


class Pull:
    """One IK drag of a link.

    Attributes:
        start: the point at the beginning, in world axes [Blender units].

    Args:
        link: the link's object.
        point: a point of the link, in world axes [Blender units].

    Raises:
        ModelError: if the scene cannot be read or the link cannot be moved.
    """

    def __init__(self, scene: bpy.types.Scene, link: Node, point: Vector):
        self.start = point.copy()
        self._link = model_name(link)
        self._unit = unit_length(scene)
        self._posing = Posing(scene)
        X_WL = self._posing.pose_of(model_name(link))
        _require_movable(link, self._posing)
        x, y, z = point * self._unit
        self._point = compose(inverse(X_WL), (x, y, z, *IDENTITY[3:]))[:3]
        self._turn = X_WL[3:]
        is_carrier = moves_only_with_base(self._posing.model, model_name(link), self._posing.locked)
        self._moves_base = is_carrier or scene_settings(scene).moves_base

    def to(self, place: Vector, keeps_orientation: bool = False) -> Reach:
        """Move the point as near as possible to a place in the world [Blender units], and the links with it.

        Args:
            keeps_orientation: whether the link keeps the orientation that it had at the beginning.

        Raises:
            ModelError: if a link that would move is animated.
        """
        x, y, z = place * self._unit
        target = Target(self._link, (x, y, z), self._turn if keeps_orientation else None, point=self._point)
        return self._posing.pull([target], moves_base=self._moves_base)

    @property
    def grabbed_point(self) -> Vector:
        """The present place of the point that is pulled, in world axes [Blender units]."""
        at = compose(self._posing.pose_of(self._link), (*self._point, *IDENTITY[3:]))
        return Vector(at[:3]) / self._unit


def moves_only_with_base(model: Model, link: str, locked: Collection[str]) -> bool:
    """Return whether a link of a floating component can move only together with the whole component."""
    return model.tree().root_of(link) != WORLD and not _moves_by_joints(model, link, locked)


def _moves_by_joints(model: Model, link: str, locked: Collection[str]) -> bool:
    """Return whether a joint on the path from the root to the link can move."""
    return any(branch.joint.nv and branch.joint.name not in locked for branch in model.tree().path(link))


def _require_movable(link: Node, posing: Posing) -> None:
    """Raise `ModelError`, which says why, if nothing can move the link."""
    settings, model = link_settings(link), posing.model
    if settings.pin == "POSE":
        raise ModelError(f"link '{model_name(link)}' is pinned as it stands: unpin it to pull it")
    if _moves_by_joints(model, model_name(link), posing.locked) or model.tree().root_of(model_name(link)) != WORLD:
        return
    if settings.motion == "STATIC":
        raise ModelError(f"link '{model_name(link)}' is static: let its motion be free to pull it")
    if settings.motion == "KINEMATIC":
        raise ModelError(
            f"link '{model_name(link)}' moves as it is animated: animate it, or let its motion be free to pull it"
        )
    raise ModelError(
        f"link '{model_name(link)}' cannot be pulled: no joint lets it move, as all are fixed, locked or held"
    )
