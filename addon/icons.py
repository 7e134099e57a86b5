# SPDX-License-Identifier: GPL-3.0-or-later
"""The icons of joints in menus, lists and panels, which show how a joint moves."""

from typing import TYPE_CHECKING

from ..core.joints import BALL, FREE, JointType, Unit

if TYPE_CHECKING:
    from ..core.model import Joint

OF_UNIT = {Unit.ANGLE: "DRIVER_ROTATIONAL_DIFFERENCE", Unit.LENGTH: "DRIVER_DISTANCE", Unit.NUMBER: "DOT"}
OF_CHART = {BALL: "SPHERE", FREE: "EMPTY_AXIS"}


def icon_of_joint(joint: "Joint") -> str:
    return _icon(joint.kind, joint.columns)


def icon_of_type(kind: JointType) -> str:
    return "MODIFIER" if kind.is_open else _icon(kind, kind.columns)


def _icon(kind: JointType, columns) -> str:
    """Return the icon for the first motion of a joint type."""
    if kind.chart:
        return OF_CHART[kind.code]
    return OF_UNIT[columns[0].unit] if columns else "DECORATE_LOCKED"
