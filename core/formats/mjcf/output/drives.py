# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives as actuators. Their targets are the controls of the key `home`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from ...xml.output import number, numbers
from .joints import MovedAxis
from .names import Names


def write_drives(axes: Sequence[MovedAxis], names: Names) -> tuple[Element, list[float]]:
    """Return the <actuator> section and the control of each actuator that its drive's target asks for."""
    root = Element("actuator")
    controls: list[float] = []
    for moved in axes:
        axis = moved.axis
        # An effort limit of 0 leaves a drive without force, and a range of 0 is none in MuJoCo.
        if axis.drive_mode == "off" or moved.kind == "ball" or moved.follows or not axis.effort > 0.0:
            continue
        given = {"name": names.claim("actuator", moved.name, is_told=False), "joint": moved.name}
        if math.isfinite(axis.effort):
            given["forcerange"] = numbers((-axis.effort, axis.effort))
        if axis.drive_mode == "position":
            given["kp"] = number(axis.drive_stiffness)
            if axis.drive_damping:
                given["kv"] = number(axis.drive_damping)
            SubElement(root, "position", given)
        elif axis.drive_mode == "velocity":
            SubElement(root, "velocity", given | {"kv": number(axis.drive_damping)})
        else:
            SubElement(root, "motor", given)
        controls.append(axis.drive_target)
    return root, controls
