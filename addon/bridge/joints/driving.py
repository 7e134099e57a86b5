# SPDX-License-Identifier: GPL-3.0-or-later
"""Position drives that hold joints at their present values, with gains that follow from the inertia of each axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import bpy

from ....core.dynamics import tree_mass_matrix
from ....core.model import Axis, Joint
from ....core.model.compiling.compile import compile_model
from ....core.spatial import rotvec_of_quat
from ... import ids
from ...nodes import Node
from ...nodes.naming import node_of
from ...props.settings import joint_settings
from ..posing.posing import Posing
from ..scene.read import read_scene
from ..values.fields import AXIS_FIELDS, COORDINATE_SUFFIXES, write_fields
from ..values.numbers import units_of

TARGET_FIELDS = tuple(field for field in AXIS_FIELDS if field.name in ("drive_mode", "drive_target"))
GAIN_FIELDS = tuple(field for field in AXIS_FIELDS if field.name in ("drive_stiffness", "drive_damping"))


@dataclass(frozen=True)
class Tuning:
    """The oscillation of a driven axis while all other axes are at rest.

    Attributes:
        frequency: undamped natural frequency [Hz].
        damping_ratio: 1 for critical damping.
    """

    frequency: float
    damping_ratio: float

    def of(self, inertia: float) -> tuple[float, float]:
        """Return stiffness [N m/rad or N/m] and damping [N m s/rad or N s/m] for an inertia [kg m^2 or kg]."""
        w = math.tau * self.frequency
        return inertia * w * w, 2.0 * self.damping_ratio * inertia * w


@dataclass(frozen=True)
class Drivable:
    """An axis that can have a position drive.

    Attributes:
        number: of the axis among the joint's axes.
        value: its present coordinate [rad or m].
        v_index: index of its velocity among the joint's.
    """

    number: int
    value: float
    v_index: int


def drivable_axes(joint: Joint, q: tuple[float, ...]) -> Iterator[Drivable]:
    """Yield the axes of a joint that can have a position drive.

    Args:
        q: the joint's coordinates; the last four of a chart are a quaternion w x y z.
    """
    turn = rotvec_of_quat(q[-4:]) if joint.kind.chart else ()
    for number in range(joint.axis_count):
        if "drive_target" not in joint.kind.slot(number).fields:
            continue
        if joint.kind.chart:
            v_index = joint.kind.spring_axes.index(number)
            yield Drivable(number, turn[v_index], v_index)
        elif (v_index := joint.place_of(number)) is not None:
            yield Drivable(number, q[v_index], v_index)


def drive_to_pose(
    scene: bpy.types.Scene, posing: Posing, names: list[str], tuning: Tuning, tunes_all: bool
) -> Iterator[tuple[Node, str]]:
    """Give every axis that can be driven a position drive whose target is the present value.

    Args:
        posing: of the scene, at the present poses.
        names: of the joints.
        tunes_all: whether axes that have a position drive already get new gains, too.

    Yields:
        For each axis, the joint's object and the data path of the target as panels show it.
    """
    units = units_of(scene)
    inertias = _inertias(scene, posing)
    for name in names:
        obj, joint = node_of(scene, name), posing.enabled_joint(name)
        for found in drivable_axes(joint, posing.q_of(name)):
            stored = joint_settings(obj).axes[found.number]
            drive, fields = Axis(drive_mode="position", drive_target=found.value), TARGET_FIELDS
            inertia = inertias.get((name, found.v_index))
            if inertia and (tunes_all or stored.drive_mode != "position"):
                stiffness, damping = tuning.of(inertia)
                drive = replace(drive, drive_stiffness=stiffness, drive_damping=damping)
                fields += GAIN_FIELDS
            unit = joint.axis_unit(found.number)
            write_fields(fields, stored, drive, units, coordinate=unit)
            yield obj, f"{ids.JOINT}.axes[{found.number}].drive_target{COORDINATE_SUFFIXES[unit]}"


def _inertias(scene: bpy.types.Scene, posing: Posing) -> Mapping[tuple[str, int], float]:
    """Return the diagonal of the mass matrix [kg m^2 or kg], by joint name and index of the velocity.

    Joints that close loops are not included.
    """
    with_mass = {link.name: link for link in read_scene(scene).links}
    weighed = replace(posing.model, links=[with_mass[link.name] for link in posing.model.links])
    compiled = compile_model(weighed, split_loops=False)
    moving = compiled.spans.keys() & set(posing.movable_joints)
    M = tree_mass_matrix(compiled, compiled.q_from({name: posing.q_of(name) for name in moving}))
    return {
        (name, v_index): float(M[v, v])
        for name in moving
        for v_index in range(compiled.spans[name].joint.nv)
        for v in (compiled.spans[name].v_at(v_index),)
    }
