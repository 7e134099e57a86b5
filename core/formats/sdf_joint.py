"""What an SDF joint holds besides its frame: its type, axes, thread and mimic."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..joints import JOINT_TYPES, JointType
from ..model import Axis, Mimic
from ..spatial import Vec3
from .findings import Findings
from .xml import Element

UNBOUNDED = 1e16
"""What SDF writes for a limit that is none."""

SDF_TYPES = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw", "gearbox")
KINDS = {kind.sdf: kind for kind in JOINT_TYPES.values() if kind.sdf}
JOINT_TAGS = ("parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch")
AXIS_TAGS = ("xyz", "use_parent_model_frame", "limit", "dynamics", "mimic")
LIMIT_TAGS = ("lower", "upper", "effort", "velocity", "stiffness", "dissipation")
LEADER_AXES = ("axis", "axis2")
DYNAMICS_TAGS = ("damping", "friction", "spring_reference", "spring_stiffness")


def read_type(joint: Element, findings: Findings) -> JointType | None:
    """The joint's type, or None after reporting one that cannot be taken."""
    name = joint.attributes.get("type", "").strip()
    if name in KINDS:
        return KINDS[name]
    if name in SDF_TYPES:
        findings.error(
            joint, "joint-type-not-supported", f"type '{name}' is not supported yet; supported are {', '.join(KINDS)}"
        )
    else:
        findings.error(
            joint, "unknown-joint-type", f"type '{name}' is not a joint type of SDF; allowed are {', '.join(SDF_TYPES)}"
        )
    return None


def axis_tag(number: int) -> str:
    return "axis" if number == 0 else f"axis{number + 1}"


def read_axes(
    joint: Element, kind: JointType, in_joint_frame: Callable[[Element, Vec3], Vec3], findings: Findings
) -> list[Axis]:
    """As many axes as the type has; `in_joint_frame` turns a vector from the axes that it is given in."""
    findings.skip_unknown(joint, JOINT_TAGS)
    tags = [axis_tag(number) for number in range(len(kind.columns))]
    for element in joint.children:
        if element.tag in ("axis", "axis2") and element.tag not in tags:
            findings.skip(element)
    axes = []
    for tag in tags:
        element = joint.child(tag)
        if element is None:
            findings.warning(joint, "no-axis", f"has no <{tag}>, though its type turns or slides; 0 0 1 is taken")
            axes.append(Axis())
        else:
            axes.append(_axis(element, kind, in_joint_frame, findings))
    return axes


def _axis(
    element: Element, kind: JointType, in_joint_frame: Callable[[Element, Vec3], Vec3], findings: Findings
) -> Axis:
    limit, dynamics = element.child("limit"), element.child("dynamics")
    for part, known in ((element, AXIS_TAGS), (limit, LIMIT_TAGS), (dynamics, DYNAMICS_TAGS)):
        findings.skip_unknown(part, known)
    axis = Axis(xyz=in_joint_frame(element, findings.vector(element, "xyz", (0.0, 0.0, 1.0))))
    if kind.axes[0].limited:
        axis.lower = _limit(limit, "lower", -UNBOUNDED, findings)
        axis.upper = _limit(limit, "upper", UNBOUNDED, findings)
    axis.effort = _at_most(limit, "effort", findings)
    axis.velocity = _at_most(limit, "velocity", findings)
    axis.stiffness = findings.number(limit, "stiffness", axis.stiffness, infinite=True)
    axis.dissipation = findings.number(limit, "dissipation", axis.dissipation)
    for tag in DYNAMICS_TAGS:
        setattr(axis, tag, findings.number(dynamics, tag, getattr(axis, tag)))
    return axis


def _limit(element: Element | None, tag: str, default: float, findings: Findings) -> float:
    value = findings.number(element, tag, default, infinite=True)
    return math.copysign(math.inf, value) if abs(value) >= UNBOUNDED else value


def _at_most(element: Element | None, tag: str, findings: Findings) -> float:
    """A negative effort or velocity is SDF's word for no limit."""
    value = findings.number(element, tag, math.inf, infinite=True)
    return math.inf if value < 0.0 or value >= UNBOUNDED else value


def read_pitch(joint: Element, version: tuple[int, int], findings: Findings) -> float:
    """Metres per turn, right-handed.

    `screw_thread_pitch` (1.10 and later) is just that; `thread_pitch` is in radians per metre, left-handed.
    """
    modern = joint.child("screw_thread_pitch")
    old = joint.child("thread_pitch")
    if modern is not None or (old is None and version >= (1, 10)):
        return findings.number(joint, "screw_thread_pitch", 1.0)
    thread_pitch = findings.number(joint, "thread_pitch", 1.0)
    if thread_pitch == 0.0:
        findings.error(old or joint, "zero-pitch", "thread_pitch is 0 rad/m, an endless slide; give another number")
        return 0.0
    return -math.tau / thread_pitch


def read_mimic(joint: Element, kind: JointType, scoped: Callable[[str], str], findings: Findings) -> Mimic | None:
    """The first <mimic> of the axes (1.11 and later), with the leader's name as `scoped` gives it."""
    found = None
    for number in range(len(kind.columns)):
        element = joint.child(axis_tag(number), "mimic")
        if element is None:
            continue
        leader_axis = element.attributes.get("axis", "axis")
        if found is not None or leader_axis not in LEADER_AXES:
            findings.skip(element)
            continue
        found = Mimic(
            scoped(element.attributes.get("joint", "").strip()),
            multiplier=findings.number(element, "multiplier", 1.0),
            offset=findings.number(element, "offset", 0.0),
            reference=findings.number(element, "reference", 0.0),
            axis=number,
            leader_axis=LEADER_AXES.index(leader_axis),
        )
    return found
