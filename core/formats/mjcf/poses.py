# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and orientations, which MJCF can give in five ways, and vectors that may be incomplete.

Source: MuJoCo documentation, Modeling, "Frame orientations".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...files.xml import Element
from ...spatial import (
    IDENTITY_QUAT,
    ZERO,
    Pose,
    Quat,
    Vec3,
    cross,
    dot,
    norm,
    quat_mul,
    quat_normalized,
    quat_of_mat,
    quat_of_rotvec,
    quat_of_z,
    scale,
    sub,
)
from ..findings import Findings, numbers_in
from .defaults import ORIENTATIONS
from .settings import Settings

LEAST = 1e-14
"""Length of a direction below which MuJoCo takes it for zero [1]."""

LEAST_TILT = 1e-10
"""Sine of the angle to the z axis, or to its opposite, below which MuJoCo takes a direction for it."""

AXES: dict[str, Vec3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
"""Unit vectors by the letters of `eulerseq`."""


def pose_of(element: Element, settings: Settings, findings: Findings) -> Pose:
    """Return the pose of an element in the frame around it [m]."""
    return findings.attribute_vector(element, "pos", ZERO) + orientation_of(element, settings, findings)


def orientation_of(element: Element, settings: Settings, findings: Findings) -> Quat:
    """Return the orientation of an element; the identity if it gives none, or after an error was reported."""
    given = [name for name in ORIENTATIONS if name in element.attributes]
    if len(given) > 1:
        message = f"its orientation is given in two ways, {given[0]} and {given[1]}; take one out"
        findings.error(element, "two-orientations", message)
    if not given:
        return IDENTITY_QUAT
    return _READERS[given[0]](element, settings, findings)


def _quat(element: Element, _settings: Settings, findings: Findings) -> Quat:
    return quat_of(element, "quat", findings)


def quat_of(element: Element, name: str, findings: Findings) -> Quat:
    """Return the quaternion in an attribute, at length 1; the identity if there is none."""
    quat = findings.attribute_vector(element, name, IDENTITY_QUAT)
    if not any(quat):
        findings.excuse(element, "bad-number", f"its {name} is 0 0 0 0, read as 1 0 0 0, as MuJoCo does; write that")
    return unit_quat(quat)


def unit_quat(values: Sequence[float]) -> Quat:
    """Return four numbers as a quaternion of length 1; the identity if all are 0."""
    largest = max(map(abs, values))
    if largest == 0.0:
        return IDENTITY_QUAT
    w, x, y, z = (value / largest for value in values)
    return quat_normalized((w, x, y, z))


def _axisangle(element: Element, settings: Settings, findings: Findings) -> Quat:
    x, y, z, angle = findings.attribute_vector(element, "axisangle", (0.0, 0.0, 1.0, 0.0))
    axis = _unit((x, y, z), element, "axisangle", findings)
    return quat_of_rotvec(scale(axis, angle * settings.radians_per_unit))


def _xyaxes(element: Element, _settings: Settings, findings: Findings) -> Quat:
    """Return the orientation whose x axis is the first vector, and whose y axis is nearest to the second one."""
    given = findings.attribute_vector(element, "xyaxes", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    x = _unit(given[:3], element, "xyaxes", findings)
    y = _unit(sub(given[3:], scale(x, dot(x, given[3:]))), element, "xyaxes", findings)
    z = cross(x, y)
    return quat_of_mat((x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))


def _zaxis(element: Element, _settings: Settings, findings: Findings) -> Quat:
    given = findings.attribute_vector(element, "zaxis", AXES["z"])
    return quat_along(_unit(given, element, "zaxis", findings))


def quat_along(direction: Vec3) -> Quat:
    """Return the smallest rotation that takes z to a direction of any length except 0, as MuJoCo computes it.

    Near -z, where small numbers decide about which axis it turns, this is x: 1e-16 in place of 0 does not matter.
    """
    x, y, z = scale(direction, 1.0 / norm(direction))
    return quat_of_z((0.0, 0.0, z) if norm((x, y, 0.0)) < LEAST_TILT else direction)


def _euler(element: Element, settings: Settings, findings: Findings) -> Quat:
    """Return the product of three rotations, about axes of the body (small letters) or fixed ones (capitals)."""
    angles = findings.attribute_vector(element, "euler", ZERO)
    return quat_of_euler(angles, settings)


def quat_of_euler(angles: Vec3, settings: Settings) -> Quat:
    """Return the orientation of three angles in the file's unit and sequence."""
    quat = IDENTITY_QUAT
    for letter, angle in zip(settings.eulerseq, angles, strict=True):
        turn = quat_of_rotvec(scale(AXES[letter.lower()], angle * settings.radians_per_unit))
        quat = quat_mul(quat, turn) if letter.islower() else quat_mul(turn, quat)
    return quat_normalized(quat)


_READERS = {"quat": _quat, "axisangle": _axisangle, "xyaxes": _xyaxes, "zaxis": _zaxis, "euler": _euler}


def _unit(vector: Vec3, element: Element, name: str, findings: Findings) -> Vec3:
    """Return a vector at length 1; the z axis after an error was reported."""
    found = unit_vector(vector)
    if found is None:
        message = f"{name} '{element.attributes[name]}' has no direction; give vectors that are not zero or parallel"
        findings.error(element, "zero-axis", message)
    return found or AXES["z"]


def unit_vector(vector: Vec3) -> Vec3 | None:
    """Return a vector at length 1, however long it is; None if MuJoCo takes its length for zero."""
    largest = max(map(abs, vector))
    if largest < LEAST or not math.isfinite(largest):
        return None
    x, y, z = (part / largest for part in vector)
    return scale((x, y, z), 1.0 / norm((x, y, z)))


def integer_of(element: Element, name: str, default: int, findings: Findings) -> int:
    """Return the integer in an attribute; the default if there is none, or after an error was reported."""
    number = findings.attribute(element, name, float(default))
    if number % 1 or not -(2**31) <= number < 2**32:
        message = f"{name} of <{element.tag}> is '{element.attributes[name]}'; give an integer of 32 bits"
        findings.error(element, "bad-number", message)
        return default
    return int(number)


def numbers_of(element: Element, name: str, default: Sequence[float], findings: Findings) -> tuple[float, ...]:
    """Return the numbers of an attribute that may give fewer than there are; the rest is that of the default."""
    text = element.attributes.get(name)
    if text is None:
        return tuple(default)
    found = numbers_in(text)
    if not found or len(found) > len(default):
        count = f"1 to {len(default)} numbers" if len(default) > 1 else "a number"
        findings.error(element, "bad-number", f"{name} of <{element.tag}> is '{text}'; give {count}")
        return tuple(default)
    return found + tuple(default[len(found) :])
