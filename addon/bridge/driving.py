# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives that hold joints where they stand, as stiff as the inertia that they meet asks for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import bpy

from ...core.dynamics import tree_mass_matrix
from ...core.model import Axis, Joint
from ...core.model.compile import compile_model
from ...core.spatial import rotvec_of_quat
from .. import ids
from ..props.naming import object_of
from .fields import AXIS_FIELDS, FACES, write_fields
from .numbers import units_of
from .posing import Posing
from .read import read_scene

AIM = tuple(field for field in AXIS_FIELDS if field.name in ("drive_mode", "drive_target"))
PULL = tuple(field for field in AXIS_FIELDS if field.name in ("drive_stiffness", "drive_damping"))


@dataclass(frozen=True)
class Tuning:
    """How a driven axis swings, if the inertia that it meets were all that moves.

    Attributes:
        frequency: of the undamped swing [Hz]. damping_ratio: 1 where it just does not swing.
    """

    frequency: float
    damping_ratio: float

    def of(self, inertia: float) -> tuple[float, float]:
        """Stiffness and damping for an inertia [kg m^2 or kg], in N m/rad or N/m, and the same per speed."""
        w = math.tau * self.frequency
        return inertia * w * w, 2.0 * self.damping_ratio * inertia * w


@dataclass(frozen=True)
class Drivable:
    """An axis that can have a position drive.

    Attributes:
        value: where it stands [rad or m]. place: of its velocity among the joint's.
    """

    number: int
    value: float
    place: int


def drivable_axes(joint: Joint, q: tuple[float, ...]) -> Iterator[Drivable]:
    """q: the joint's coordinates; of a chart, its last four are a quaternion w x y z."""
    turn = rotvec_of_quat(q[-4:]) if joint.kind.chart else ()
    for number in range(joint.axis_count):
        if "drive_target" not in joint.kind.slot(number).fields:
            continue
        if joint.kind.chart:
            place = joint.kind.law.index(number)
            yield Drivable(number, turn[place], place)
        elif (place := joint.place_of(number)) is not None:
            yield Drivable(number, q[place], place)


def drive_to_pose(
    scene: bpy.types.Scene, posing: Posing, names: list[str], tuning: Tuning, tunes_all: bool
) -> Iterator[tuple[bpy.types.Object, str]]:
    """Give every axis of the joints that can be driven a position drive to where it stands.

    Yields, for each: the joint's object, and the data path of the target as panels show it.

    Args:
        posing: the scene's, as it stands. tunes_all: also the drives that pull to a position already.
    """
    units = units_of(scene)
    inertias = _inertias(scene, posing)
    for name in names:
        obj, joint = object_of(scene, name), posing.acting(name)
        for found in drivable_axes(joint, posing.q_of(name)):
            stored = getattr(obj, ids.JOINT).axes[found.number]
            drive, fields = Axis(drive_mode="position", drive_target=found.value), AIM
            inertia = inertias.get((name, found.place))
            if inertia and (tunes_all or stored.drive_mode != "position"):
                stiffness, damping = tuning.of(inertia)
                drive = replace(drive, drive_stiffness=stiffness, drive_damping=damping)
                fields += PULL
            unit = joint.axis_unit(found.number)
            write_fields(fields, stored, drive, units, coordinate=unit)
            yield obj, f"{ids.JOINT}.axes[{found.number}].drive_target{FACES[unit]}"


def _inertias(scene: bpy.types.Scene, posing: Posing) -> Mapping[tuple[str, int], float]:
    """What each velocity of a joint would have to move by itself [kg m^2 or kg], by the joint's name and its place.

    Joints that close loops have none of their own.
    """
    weighed = {link.name: link for link in read_scene(scene).links}
    compiled = compile_model(replace(posing.model, links=[weighed[link.name] for link in posing.model.links]))
    moving = compiled.spans.keys() & set(posing.moving)
    M = tree_mass_matrix(compiled, compiled.q_from({name: posing.q_of(name) for name in moving}))
    return {
        (name, place): float(M[v, v])
        for name in moving
        for place in range(compiled.spans[name].joint.nv)
        for v in (compiled.spans[name].v_at(place),)
    }
