# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of an SDF joint besides its frame: its type, axes, thread and mimic."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...files.xml import Element
from ...joints import JOINT_TYPES, JointType, Unit
from ...model import Axis, Joint, Mimic
from ...spatial import Vec3
from ..alike import lower_bound, upper_bound
from ..drake.elements import MIMIC as DRAKE_MIMIC
from ..drake.output import drake_offset
from ..findings import Findings
from ..xml.kept import known

GEARBOX = JointType("gearbox", "Gearbox", "Couples two hinges of a third link", sdf="gearbox")
"""The type of a gearbox, which is a coupling in a `Model` and not a joint."""

LEADER_AXES = ("axis", "axis2")
"""Values of the attribute `axis` of a <mimic>, in the order of axes."""

DYNAMICS_TAGS = ("damping", "friction", "spring_reference", "spring_stiffness")
"""Elements of <dynamics>, named like fields of `Axis`."""

AXIS_KNOWN = known(
    "xyz",
    "use_parent_model_frame",
    "initial_position",  # no program ever read it; SDF 1.9 removed it
    limit=known("lower", "upper", "effort", "velocity", "stiffness", "dissipation"),
    dynamics=known(*DYNAMICS_TAGS),
    mimic=known("multiplier", "offset", "reference"),
)
"""Elements of an <axis> that are read."""

JOINT_KNOWN = known(
    *("parent", "child", "pose", "thread_pitch", "screw_thread_pitch", "gearbox_ratio", "gearbox_reference_body"),
    DRAKE_MIMIC,
    axis=AXIS_KNOWN,
    axis2=AXIS_KNOWN,
    physics=known(simbody=known("must_be_loop_joint")),
)
"""Elements of a <joint> that are read."""

SAME_OFFSET = 1e-9
"""Largest difference between the offsets of two mimics that are the same but for rounding, absolute [rad or m] or
relative.
"""


KINDS = {kind.sdf: kind for kind in (*JOINT_TYPES.values(), GEARBOX) if kind.sdf}
"""Joint types, by their names in SDF."""


def read_type(joint: Element, findings: Findings) -> JointType | None:
    """Return the type of a joint, or None after an error was reported."""
    name = joint.attributes.get("type", "").strip()
    if name not in KINDS:
        message = f"type '{name}' is not a joint type of SDF; allowed are {', '.join(KINDS)}"
        findings.error(joint, "unknown-joint-type", message)
    return KINDS.get(name)


def axis_tag(number: int) -> str:
    """Return the tag of axis `number`: axis, axis2, ..."""
    return "axis" if number == 0 else f"axis{number + 1}"


def read_axes(
    joint: Element, kind: JointType, in_joint_frame: Callable[[Element, Vec3], Vec3], findings: Findings
) -> list[Axis]:
    """Return as many axes as the type has.

    in_joint_frame: function (element of the axis, vector) that returns the vector in the axes of the joint's frame.
    """
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
    axis = Axis(xyz=in_joint_frame(element, findings.vector(element, "xyz", (0.0, 0.0, 1.0))))
    if kind.axes[0].limited:
        axis.lower = lower_bound(findings.number(limit, "lower", -math.inf, infinite=True))
        axis.upper = upper_bound(findings.number(limit, "upper", math.inf, infinite=True))
    axis.effort = _at_most(limit, "effort", findings)
    axis.velocity = _at_most(limit, "velocity", findings)
    axis.stiffness = findings.number(limit, "stiffness", axis.stiffness, infinite=True)
    axis.dissipation = findings.number(limit, "dissipation", axis.dissipation)
    for tag in DYNAMICS_TAGS:
        setattr(axis, tag, findings.number(dynamics, tag, getattr(axis, tag)))
    return axis


def _at_most(element: Element | None, tag: str, findings: Findings) -> float:
    """Return an effort or velocity limit. A negative number means no limit in SDF."""
    value = findings.number(element, tag, math.inf, infinite=True)
    return math.inf if value < 0.0 else upper_bound(value)


def read_pitch(joint: Element, version: tuple[int, int], findings: Findings) -> float:
    """Return the pitch of a screw [m/turn], right-handed.

    `screw_thread_pitch` (1.10 and later) has this meaning; `thread_pitch` is in rad/m, left-handed.
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
    """Return the first <mimic> of the axes (1.11 and later), or else <drake:mimic>; None if there is none.

    scoped: function that returns the leader's name in the model.
    """
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
    drakes = joint.child(DRAKE_MIMIC)
    return found if drakes is None else _with_drakes(drakes, found, kind, scoped, findings)


def _with_drakes(
    element: Element, found: Mimic | None, kind: JointType, scoped: Callable[[str], str], findings: Findings
) -> Mimic | None:
    """Return the mimic of a joint that has a <drake:mimic>. It is the <mimic> of SDF, if there is one.

    A warning says if the two differ, or if the joint has several axes.
    """
    for name in ("multiplier", "offset"):
        if name not in element.attributes:
            findings.error(element, "bad-number", f"<{DRAKE_MIMIC}> has no {name}; give a number, as Drake wants it")
    leader = scoped(element.attributes.get("joint", "").strip())
    multiplier, offset = findings.attribute(element, "multiplier", 1.0), findings.attribute(element, "offset", 0.0)
    if found is not None:
        is_same = (leader, multiplier) == (found.leader, found.multiplier)
        is_same = is_same and math.isclose(offset, drake_offset(found), rel_tol=SAME_OFFSET, abs_tol=SAME_OFFSET)
        if not is_same:
            message = f"<{DRAKE_MIMIC}> differs from <mimic>, which is read; make them alike"
            findings.warning(element, "two-mimics", message)
        return found
    if len(kind.columns) != 1:
        message = f"<{DRAKE_MIMIC}> is left out: Drake reads it on joints of one axis only"
        findings.warning(element, "not-simulated", message)
        return None
    return Mimic(leader, multiplier, offset)


def closes_loop(joint: Element, findings: Findings) -> bool:
    """Return whether <must_be_loop_joint> is set, an element of Simbody.

    The spanning tree does not contain such a joint.
    """
    switch = joint.child("physics", "simbody", "must_be_loop_joint")
    return switch is not None and findings.flag(switch.text, switch)


def state_of(state: Element, joint: Joint, findings: Findings) -> tuple[float, ...]:
    """Return the joint's coordinates in a <joint_state> of SDF 1.12.

    Coordinates that it leaves out keep their values.
    """
    home = list(joint.home)
    for place, column in enumerate(joint.all_columns):
        position = state.child(f"{axis_tag(column.axis)}_state", "position")
        if position is None:
            continue
        (value,) = findings.parse(position, "<position>", position.text, (home[place],)) or (home[place],)
        in_degrees = findings.flag(position.attributes.get("degrees", ""), position)
        home[place] = math.radians(value) if in_degrees and column.unit is Unit.ANGLE else value
    return tuple(home)
