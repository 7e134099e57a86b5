# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of joints, named after what they do: a door's hinge, a drawer, a knee. They are data, applied to a joint.

Forces cannot be right for every size. These are for objects of about 1 kg and 0.3 m; those of a car's wheel are for a
corner of a car, about 300 kg. Each summary names the forces that matter.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..spatial import Vec3, quat_of_z, quat_rotate

if TYPE_CHECKING:
    from .elements import Joint


Fields = dict[str, Any]
"""Fields of an `Axis` that differ from their defaults."""

DEGREE = math.pi / 180.0
"""One degree [rad]."""

SIDE: Vec3 = (0.0, 1.0, 0.0)
"""The direction across a wheel, about which it rolls."""


class Preset(NamedTuple):
    """A joint type with its axes. The first direction that the user chooses is z here.

    Attributes:
        label, summary: texts of the menu.
    """

    name: str
    label: str
    summary: str
    type: str
    axes: tuple[Fields, ...]


def _axis(**fields: Any) -> Fields:
    return fields


def _ball(cone: float, twist: tuple[float, float], damping: float) -> tuple[Fields, ...]:
    """Return the axes of a ball joint from the limits of its cone and its twist, in degrees, and damping [N m s]."""
    low, high = twist
    limits = _axis(upper=cone * DEGREE), _axis(lower=low * DEGREE, upper=high * DEGREE)
    return (*(_axis(damping=damping) for _ in range(3)), *limits)


def _bend(degrees: float, damping: float) -> tuple[Fields, ...]:
    return (_axis(lower=0.0, upper=degrees * DEGREE, damping=damping),)


PRESETS: dict[str, Preset] = {
    entry.name: entry
    for entry in (
        Preset(
            "door_hinge",
            "Door Hinge",
            "Opens by 110°, with friction of 0.2 N m and damping of 0.1 N m s",
            "revolute",
            (_axis(lower=0.0, upper=110.0 * DEGREE, friction=0.2, damping=0.1),),
        ),
        Preset(
            "lid",
            "Lid with Spring",
            "Opens by 100°, and a soft spring of 1 N m/rad holds it at 60°",
            "revolute",
            (
                _axis(
                    lower=0.0,
                    upper=100.0 * DEGREE,
                    spring_stiffness=1.0,
                    spring_reference=60.0 * DEGREE,
                    damping=0.1,
                ),
            ),
        ),
        Preset(
            "drawer",
            "Drawer",
            "Slides out by 0.4 m, with friction of 1 N and damping of 2 N s/m",
            "prismatic",
            (_axis(lower=0.0, upper=0.4, friction=1.0, damping=2.0),),
        ),
        Preset(
            "piston",
            "Piston",
            "Slides by 0.1 m either way and may turn in its bore, with damping of 1 N s/m and 0.001 N m s",
            "cylindrical",
            (_axis(lower=-0.1, upper=0.1, damping=1.0), _axis(damping=0.001)),
        ),
        Preset(
            "wheel",
            "Wheel",
            "Turns without end, with damping of 0.01 N m s",
            "continuous",
            (_axis(damping=0.01),),
        ),
        Preset(
            "caster",
            "Caster",
            "Swivels about the joint's axis and rolls across it, with damping of 0.02 and 0.005 N m s",
            "revolute2",
            (_axis(damping=0.02), _axis(xyz=SIDE, damping=0.005)),
        ),
        Preset(
            "steered_wheel",
            "Steered Wheel on a Spring",
            "Gives way by 0.1 m along the joint's axis, at 40 kN/m and 3 kN s/m, steers by 35° about it with a servo "
            "of 2 kN m/rad, and rolls across it: for a corner of a car, some 300 kg",
            "custom",
            (
                _axis(turn=0.0, slide=1.0, lower=-0.1, upper=0.1, spring_stiffness=40000.0, damping=3000.0),
                _axis(
                    lower=-35.0 * DEGREE,
                    upper=35.0 * DEGREE,
                    drive_mode="position",
                    drive_stiffness=2000.0,
                    drive_damping=100.0,
                    effort=500.0,
                ),
                _axis(xyz=SIDE, damping=0.1),
            ),
        ),
        Preset(
            "servo",
            "Servo",
            "Goes to a target angle within ±90° and holds it, with 50 N m/rad, 2 N m s and 20 N m at most",
            "revolute",
            (
                _axis(
                    lower=-90.0 * DEGREE,
                    upper=90.0 * DEGREE,
                    drive_mode="position",
                    drive_stiffness=50.0,
                    drive_damping=2.0,
                    effort=20.0,
                ),
            ),
        ),
        Preset(
            "turntable",
            "Turntable Motor",
            "Turns once in two seconds, with 10 N m at most",
            "continuous",
            (_axis(drive_mode="velocity", drive_target=math.pi, drive_damping=5.0, effort=10.0, damping=0.01),),
        ),
        Preset(
            "rope",
            "Rope or Chain Link",
            "Turns every way, with damping of 0.005 N m s",
            "ball",
            (_axis(damping=0.005), _axis(damping=0.005), _axis(damping=0.005)),
        ),
        Preset(
            "neck",
            "Neck",
            "Leans by 40° and twists by 70° either way, with damping of 0.5 N m s; the axis points to the head",
            "ball",
            _ball(40.0, (-70.0, 70.0), 0.5),
        ),
        Preset(
            "shoulder",
            "Ragdoll Shoulder",
            "Swings by 80° and twists by 60° either way, with damping of 0.5 N m s; the axis points along the arm",
            "ball",
            _ball(80.0, (-60.0, 60.0), 0.5),
        ),
        Preset(
            "elbow",
            "Ragdoll Elbow",
            "Bends by 145°, with damping of 0.3 N m s",
            "revolute",
            _bend(145.0, 0.3),
        ),
        Preset(
            "hip",
            "Ragdoll Hip",
            "Swings by 60° and twists by 40° either way, with damping of 1 N m s; the axis points along the leg",
            "ball",
            _ball(60.0, (-40.0, 40.0), 1.0),
        ),
        Preset(
            "knee",
            "Ragdoll Knee",
            "Bends by 140°, with damping of 0.5 N m s",
            "revolute",
            _bend(140.0, 0.5),
        ),
    )
}
"""All presets by name, in the order of the menu."""


def with_preset(joint: Joint, preset: Preset) -> Joint:
    """Return the joint with the preset's type, axes and home, between the same links, at the same frames.

    If the joint already has the first axis whose direction the user chooses, that axis keeps its direction, and the
    other directions of the preset turn with it.

    Raises:
        ModelError: if that axis has no direction.
    """
    from .elements import Axis, Joint

    bare = Joint(joint.name, preset.type, joint.parent, joint.child, axes=[Axis(**fields) for fields in preset.axes])
    pointed = [number for number in range(bare.axis_count) if bare.kind.slot(number).is_pointed]
    if pointed and pointed[0] < joint.axis_count and joint.kind.slot(pointed[0]).is_pointed:
        turn = quat_of_z(joint.unit_direction(pointed[0]))
        for number in pointed[1:]:
            bare.axes[number].xyz = quat_rotate(turn, bare.axes[number].xyz)
        bare.axes[pointed[0]].xyz = joint.direction(pointed[0])
    return replace(joint, type=bare.type, axes=bare.axes, pitch=0.0, home=bare.home)
