# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of URDF joints: http://wiki.ros.org/urdf/XML/joint, and of <drake:joint>."""

from __future__ import annotations

import math

from ...extras import Extra
from ...files.xml import Element
from ...joints import JOINT_TYPES, JointType
from ...model import Axis, Joint, Mimic
from ...spatial import IDENTITY_QUAT, ZERO, Pose, Vec3, compose, norm, quat_of_z
from ..alike import lower_bound, upper_bound
from ..findings import Findings
from ..xml.kept import Known, extras_of
from .extras import FORMAT, attributes_besides
from .link import read_origin

JOINT_ELEMENTS = ("joint", "drake:joint")
"""Tags of joints."""

URDF_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
"""Types of <joint>."""

DRAKE_TYPES = ("ball", "screw", "universal", "planar", "curvilinear")
"""Types of <drake:joint>."""

KINDS = {kind.urdf: kind for kind in JOINT_TYPES.values() if kind.urdf} | {"spherical": JOINT_TYPES["ball"]}
"""Joint types, by their names in URDF."""

DRAKE_KINDS = KINDS | {name: JOINT_TYPES[name] for name in DRAKE_TYPES if name in JOINT_TYPES}
"""Joint types, by their names in <drake:joint>."""


PITCH = "drake:screw_thread_pitch"
LIMIT = ("lower", "upper", "effort", "velocity")
"""Attributes of <limit> that are read."""

DYNAMICS = ("damping", "friction")
"""Attributes of <dynamics> that are read."""

X_AND_Y: tuple[Vec3, Vec3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
"""Axes of a universal joint."""


def read_joint(element: Element, findings: Findings) -> Joint | None:
    """Return the joint of an element, or None after an error was reported."""
    kind = _kind(element, findings)
    ends = [_end(element, tag, findings) for tag in ("parent", "child")]
    if kind is None or not all(ends):
        return None
    origin, axis = read_origin(element, findings), _direction(element, findings)
    joint = Joint(element.name, kind.name, *ends, X_PJ=origin, axes=_axes(element, kind, axis, findings))
    if len(kind.columns) > 1 and not any(slot.is_pointed for slot in kind.axes):
        joint.X_CJ = _turn_onto(element, axis, findings)
        joint.X_PJ = compose(origin, joint.X_CJ) if joint.X_CJ[3:] != IDENTITY_QUAT else origin
    if kind.threaded:
        joint.pitch = findings.attribute(element.child(PITCH), "value", 1.0)
    joint.mimic = _mimic(element, findings)
    joint.extras = _extras(element, kind)
    return joint


def _turn_onto(element: Element, axis: Vec3, findings: Findings) -> Pose:
    """Return the smallest rotation from a frame with the axis of URDF to one whose z is that axis.

    Drake uses the same one.
    """
    if not norm(axis) > 0.0:
        findings.error(element, "zero-axis", "its axis is 0 0 0, which has no direction; write 0 0 1, say")
        return ZERO + IDENTITY_QUAT
    return ZERO + quat_of_z(axis)


def _kind(joint: Element, findings: Findings) -> JointType | None:
    name = joint.attributes.get("type", "").strip()
    is_drakes = joint.tag != "joint"
    kinds = DRAKE_KINDS if is_drakes else KINDS
    if name in kinds:
        return kinds[name]
    if is_drakes and name in DRAKE_TYPES:
        code, known = "joint-type-not-supported", ", ".join(entry for entry in DRAKE_TYPES if entry in kinds)
        message = f"type '{name}' is not supported; of Drake's, these are: {known}"
    elif is_drakes:
        code, message = "unknown-joint-type", f"type '{name}' is none of Drake's: {', '.join(DRAKE_TYPES)}"
    else:
        code, allowed = "unknown-joint-type", ", ".join(URDF_TYPES)
        message = f"type '{name}' is not a joint type of URDF; allowed are {allowed}"
        if name in DRAKE_TYPES:
            message += ", and in <drake:joint> this one too"
    findings.error(joint, code, message, f"joint '{joint.name}'")
    return None


def _end(joint: Element, tag: str, findings: Findings) -> str:
    element = joint.child(tag)
    name = (element.attributes.get("link") or element.text).strip() if element else ""
    if not name:
        findings.error(joint, f"no-{tag}", f'names no {tag}; write <{tag} link="..."/>')
    return name


# ---- axes


def _direction(joint: Element, findings: Findings) -> Vec3:
    return findings.attribute_vector(joint.child("axis"), "xyz", (1.0, 0.0, 0.0))


def _axes(joint: Element, kind: JointType, direction: Vec3, findings: Findings) -> list[Axis]:
    """Return as many axes as the type has. The two axes of a universal joint are x and y, as in Drake."""
    dampings = _dampings(joint, len(kind.axes), findings)
    friction = findings.attribute(joint.child("dynamics"), "friction", 0.0)
    if len(kind.columns) == 2:
        axes = [Axis(xyz=xyz) for xyz in X_AND_Y]
    else:  # <axis> has no meaning for a ball; for a planar joint it is the normal, which is in its frame
        axes = [Axis(xyz=direction) if kind.columns and slot.is_pointed else Axis() for slot in kind.axes]
    for axis, slot, damping in zip(axes, kind.axes, dampings, strict=True):
        if "damping" in slot.fields:
            axis.damping, axis.friction = damping, friction
    if len(kind.columns) == 1:
        _limits(joint, kind, axes[0], findings)
    return axes


def _dampings(joint: Element, count: int, findings: Findings) -> tuple[float, ...]:
    """Return a damping for each axis. URDF has one for all axes, Drake one for each axis of a planar joint."""
    dynamics = joint.child("dynamics")
    text = dynamics.attributes.get("damping", "") if dynamics else ""
    if count and len(text.split()) == count > 1:
        return findings.attribute_vector(dynamics, "damping", (0.0,) * count)
    return (findings.attribute(dynamics, "damping", 0.0),) * count


def _limits(joint: Element, kind: JointType, axis: Axis, findings: Findings) -> None:
    limit = joint.child("limit")
    limited = kind.axes[0].limited and not kind.threaded
    if limited and limit is None:
        message = "has no <limit>, which its type requires; read as unlimited: write one, or make it continuous"
        findings.warning(joint, "no-limit", message)
    elif limited:  # a missing attribute of <limit> means 0
        axis.lower = lower_bound(findings.attribute(limit, "lower", 0.0, infinite=True))
        axis.upper = upper_bound(findings.attribute(limit, "upper", 0.0, infinite=True))
    axis.effort = _largest(limit, "effort", findings)
    axis.velocity = _largest(limit, "velocity", findings)


def _largest(limit: Element | None, name: str, findings: Findings) -> float:
    """Return the effort or velocity limit. URDF has no number for "no limit"; a negative one is read as in SDF."""
    value = findings.attribute(limit, name, math.inf, infinite=True)
    if limit is None or value >= 0.0:
        return upper_bound(value)
    message = f"the {name} limit is {value:g}, read as no limit, as simulators do; give 0 or more, or a large number"
    findings.excuse(limit, "negative-limit", message)
    return math.inf


def _mimic(joint: Element, findings: Findings) -> Mimic | None:
    element = joint.child("mimic")
    if element is None:
        return None
    return Mimic(
        element.attributes.get("joint", "").strip(),
        multiplier=findings.attribute(element, "multiplier", 1.0),
        offset=findings.attribute(element, "offset", 0.0),
    )


def _extras(joint: Element, kind: JointType) -> tuple[Extra, ...]:
    """Return the parts that are not read. For a type that does not have exactly one axis, these include the limits."""
    known: dict[str, Known | None] = {tag: {} for tag in ("origin", "parent", "child", "axis", "dynamics", "mimic")}
    if kind.threaded:
        known[PITCH] = {}
    if len(kind.columns) == 1:
        known["limit"] = {}
    besides = [*attributes_besides(joint.child("dynamics"), DYNAMICS)]
    if "limit" in known:
        besides += attributes_besides(joint.child("limit"), LIMIT)
    return (*extras_of(joint, known, FORMAT), *besides)
