# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints, poses and inertias mirrored at the plane x = 0.

S = diag(-1, 1, 1) maps a point to its image, and a frame X to S X S, which is a right-handed frame again. A rotation
about n becomes the rotation by the same angle about -S n, and a translation along n the same translation along S n. So
coordinates keep their values if the user chooses the direction of the axis. If the type fixes the direction, a
coordinate may change its sign; then its limits, home, spring and drive change with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...joints import Unit
from ...joints.limited_quantities import CONE, DISTANCE
from ...spatial import Pose, Quat, Sym3, Vec3, norm, scale, sub
from ..elements import Axis, Joint, Mimic
from ..errors import ModelError

SENSELESS = (CONE, DISTANCE)
"""Limited quantities that have the same value for n and for -n."""

SAME_DIRECTION = 1e-9
"""Largest distance between the ends of two unit vectors that count as equal [1]."""


def mirrored_point(point: Vec3) -> Vec3:
    """Return S p of a point [m], or S n of the direction of a translation."""
    return (0.0 - point[0], point[1], point[2])


def mirrored_turn(quat: Quat) -> Quat:
    """Return the rotation S R S of the rotation R."""
    w, x, y, z = quat
    return (w, x, 0.0 - y, 0.0 - z)


def mirrored_pose(pose: Pose) -> Pose:
    """Return the pose S X S [m]."""
    return mirrored_point(pose[:3]) + mirrored_turn(pose[3:])


def mirrored_inertia(inertia: Sym3) -> Sym3:
    """Return S I S of the inertia I, (xx, xy, xz, yy, yz, zz) [kg m^2]."""
    xx, xy, xz, yy, yz, zz = inertia
    return (xx, 0.0 - xy, 0.0 - xz, yy, yz, zz)


def mirrored_joint(joint: Joint) -> Joint:
    """Return the joint between the images of the two links. Its X_J at the mirrored coordinates is S X_J S.

    `mirror_signs` returns which coordinates change their sign. The mimic stays unchanged, since `mirrored_mimic` needs
    the leader.

    Raises:
        ModelError: if an axis has no direction, or if the type of the joint fixes a screw whose image is not of that
            type.
    """
    signs = mirror_signs(joint)
    axes = [_mirrored_axis(joint, number, sign) for number, sign in enumerate(signs)]
    return replace(
        joint,
        X_PJ=mirrored_pose(joint.X_PJ),
        X_CJ=mirrored_pose(joint.X_CJ),
        axes=axes + joint.axes[len(axes) :],
        pitch=0.0 - joint.pitch if joint.kind.threaded else joint.pitch,
        home=_mirrored_values(joint, signs, joint.home, [column.axis for column in joint.all_columns]),
    )


def mirrored_mimic(mimic: Mimic, follower: Joint, leader: Joint | None) -> Mimic:
    """Return the mimic of the follower's image, which follows the leader's image.

    Args:
        follower, leader: the joints before they are mirrored. The leader is None if it has no image and leads both
            joints.

    Raises:
        ModelError: as `mirror_signs`.
    """
    own = mirror_signs(follower)[mimic.axis]
    its = 1 if leader is None else mirror_signs(leader)[mimic.leader_axis]
    return replace(
        mimic,
        multiplier=own * its * mimic.multiplier,
        offset=own * mimic.offset + 0.0,
        reference=its * mimic.reference + 0.0,
    )


def mirror_signs(joint: Joint) -> tuple[int, ...]:
    """Return a sign for each axis of the joint: 1 if its coordinate keeps its value in the mirror, -1 if it is negated.

    Raises:
        ModelError: as `mirrored_joint`.
    """
    _require_image(joint)
    return tuple(_sign(joint, number) for number in range(joint.axis_count))


def _sign(joint: Joint, number: int) -> int:
    chosen = _direction_chosen(joint, number)
    is_senseless = any(row.axis == number and row.code in SENSELESS for row in joint.kind.limited_quantities)
    if chosen is None or is_senseless:
        return 1
    wanted = _image(joint, number, joint.unit_direction(number))
    if norm(sub(wanted, chosen)) < SAME_DIRECTION:
        return 1
    if norm(sub(wanted, scale(chosen, -1.0))) < SAME_DIRECTION:
        return -1
    raise ModelError(
        f"joint '{joint.name}' ({joint.type}) cannot be mirrored: its type fixes axis {number + 1} in the direction "
        f"{chosen}, askew to the mirror; use a custom joint"
    )


def _direction_chosen(joint: Joint, number: int) -> Vec3 | None:
    """Return the direction of the axis on the joint's image, or None if neither the user nor the type gives it one."""
    slot = joint.kind.slot(number)
    if slot.along is not None:
        return _direction_chosen(joint, slot.along)
    return _image(joint, number, joint.unit_direction(number)) if slot.is_pointed else slot.direction


def _image(joint: Joint, number: int, direction: Vec3) -> Vec3:
    """Return the direction with which the coordinate keeps its value in the mirror.

    It is -S n for an angle, and S n for a length.
    """
    image = mirrored_point(direction)
    return scale(image, -1.0) if joint.axis_unit(number) is Unit.ANGLE else image


def _require_image(joint: Joint) -> None:
    """Check that the type of the joint does not fix a thread, whose hand changes in a mirror, or a point off the plane.

    Raises:
        ModelError: if it does.
    """
    for column in () if joint.kind.is_open else joint.kind.columns:
        if (column.turn and column.slide) or mirrored_point(column.point) != column.point:
            raise ModelError(
                f"joint '{joint.name}' ({joint.type}) cannot be mirrored: its type fixes a thread or a point that has "
                "no image of the same type; use a custom joint"
            )


def _mirrored_axis(joint: Joint, number: int, sign: int) -> Axis:
    axis, slot = joint.axes[number], joint.kind.slot(number)
    if slot.is_pointed:
        axis = replace(axis, xyz=_image(joint, number, axis.xyz))
    if joint.kind.is_open:
        hand = -1.0 if axis.turn else 1.0
        axis = replace(axis, slide=hand * axis.slide + 0.0, point=mirrored_point(axis.point))
    if sign > 0:
        return axis
    return replace(
        axis,
        lower=0.0 - axis.upper,
        upper=0.0 - axis.lower,
        spring_reference=0.0 - axis.spring_reference,
        drive_target=0.0 - axis.drive_target,
    )


def _mirrored_values(
    joint: Joint, signs: tuple[int, ...], values: Sequence[float], axes: list[int]
) -> tuple[float, ...]:
    """Return `values` mirrored.

    `axes` has the number of the axis of each value; it is not used if the joint has a chart.
    """
    if not joint.kind.chart:
        return tuple(signs[number] * value + 0.0 for number, value in zip(axes, values, strict=True))
    w, x, y, z = values[-4:]
    place = (0.0 - values[0], *values[1:3]) if len(values) > 4 else ()
    return (*place, *mirrored_turn((w, x, y, z)))
