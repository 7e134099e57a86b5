# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the values that a drag may change, so that Esc restores them exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...nodes import Node
from ...props.settings import joint_settings, link_settings

TRANSFORM = ("rotation_mode", "location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
JOINT = ("X_PJ", "X_CJ", "use_home")
MIMIC = ("offset", "reference")
AXIS = ("xyz", "use_lower", "lower", "use_upper", "upper")
CAPSULE = ("bone_radius", "bone_start", "bone_end")


class Snapshot:
    """The transforms of links and joints, and the properties of joints that drags change."""

    def __init__(self, objects: Iterable[Node]):
        self._stored_values = [kept for obj in objects for kept in self._of_object(obj)]

    def restore(self) -> None:
        for owner, name, value in self._stored_values:
            setattr(owner, name, value)

    def _of_object(self, obj: Node) -> Iterator[tuple]:
        yield from _values(obj, TRANSFORM)
        joint = joint_settings(obj)
        if joint.is_joint:
            yield from _values(joint, JOINT)
            for axis in joint.axes:
                yield from _values(axis, AXIS)
            yield from _values(joint.mimic, MIMIC)
            for coordinate in joint.coordinates:
                yield from _values(coordinate, ("home",))


class CapsuleSnapshot(Snapshot):
    """The capsules of bones."""

    def _of_object(self, obj: Node) -> Iterator[tuple]:
        yield from _values(link_settings(obj), CAPSULE)


def _values(owner, names: Iterable[str]):
    for name in names:
        value = getattr(owner, name)
        yield owner, name, value if isinstance(value, bool | str | float) else tuple(value)
