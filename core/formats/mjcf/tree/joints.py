# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a body. MuJoCo stacks several joints in one body; here they are one joint of type `custom`.

A hinge or slide moves the body by the screw S(q - ref) about its line in the body, and the screws follow each other
from the parent to the body:

    X_PB(q) = D S1(q1 - r1) ... Sn(qn - rn), with D the pose as drawn.

With A1 = 1, A(k+1) = Ak Sk(-rk), this is D (A1 S1(q1) A1^-1) ... (An Sn(qn) An^-1) A(n+1): screws about the lines
Ak(line k), which our joints have, and a constant pose in the body.

Source: MuJoCo documentation, XML Reference, "body/joint"; mj_kinematics in engine_core_smooth.c.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ....model import Axis, Joint, Link
from ....model.screws import Screw
from ....spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    ZERO,
    ZERO_SYM,
    Pose,
    Vec3,
    compose,
    inverse,
    quat_rotate,
    sub,
)
from ...findings import Findings
from ..poses import numbers_of, unit_vector
from ..settings import word
from .bodies import Body, Part

KINDS = ("hinge", "slide", "ball", "free")
"""Types of <joint>; the first is the default."""


Start = Mapping[Part, tuple[float, ...]]
"""Coordinates of joints at the start."""


@dataclass(frozen=True)
class JointPlace:
    """The place of a joint of the file in the model.

    Attributes:
        part: its element.
        joint: name of the joint; "" for a free joint without resistance, whose link floats.
        axis: number of its axis there; 0 for a ball.
        kind: one of `KINDS`.
        child: name of the link that it moves.
        ref: value of its coordinate as drawn [rad or m].
    """

    part: Part
    joint: str
    axis: int
    kind: str
    child: str
    ref: float = 0.0


@dataclass(frozen=True)
class MovedBody:
    """The joints of one body.

    Attributes:
        links: links without mass between the joints, from the parent to the body; mostly none.
        joints: from the parent to the body; none if the body floats.
        pose: X_PB at q = 0 [m].
        places: where each joint of the file is, by its name, or by "" if it has none.
    """

    links: list[Link]
    joints: list[Joint]
    pose: Pose
    places: list[tuple[str, JointPlace]]


@dataclass(frozen=True)
class _Degree:
    """A hinge or slide: its screw in the body, and its value in the pose as drawn."""

    part: Part
    screw: Screw
    ref: float


def read_joints(body: Body, link: str, parent: str, start: Start, findings: Findings) -> MovedBody:
    """Return the joints that move a body with respect to its parent.

    Args:
        link, parent: names of the links of the body and its parent.
        start: coordinates of joints at the start, if they differ from ref.
    """
    runs = _runs(body, findings)
    links: list[Link] = []
    joints: list[Joint] = []
    places: list[tuple[str, JointPlace]] = []
    pose, before = IDENTITY, parent
    for number, run in enumerate(runs, 1):
        child = link if number == len(runs) else f"{link}_{number}"
        drawn = body.pose if number == 1 else IDENTITY
        kind = kind_of(run[0], findings)
        name = run[0].name if len(run) == 1 and run[0].name else f"{child}_joint"
        if kind == "free":
            joint = _free(name, run[0], drawn, before, child, findings)
            if joint.has_no_effect:  # a link without a joint floats
                places.append((run[0].name, JointPlace(run[0], "", 0, kind, child)))
                pose = compose(pose, drawn)
                continue
            joint.home = compose(inverse(drawn), cast(Pose, start.get(run[0], drawn)))
            places.append((run[0].name, JointPlace(run[0], name, 0, kind, child)))
        elif kind == "ball":
            joint = _ball(name, run[0], drawn, before, child, findings)
            joint.home = start.get(run[0], joint.home)
            places.append((run[0].name, JointPlace(run[0], name, 0, kind, child)))
        else:
            degrees = [_degree(part, findings) for part in run]
            joint = _screws(name, degrees, drawn, before, child, findings)
            joint.home = tuple(start.get(degree.part, (degree.ref,))[0] for degree in degrees)
            for axis, degree in enumerate(degrees):
                place = JointPlace(degree.part, name, axis, kind_of(degree.part, findings), child, degree.ref)
                places.append((degree.part.name, place))
        joints.append(joint)
        pose = compose(pose, compose(joint.X_PJ, inverse(joint.X_CJ)))
        if child != link:
            links.append(Link(child, mass=0.0, inertia=ZERO_SYM, pose=pose))
            before = child
    return MovedBody(links, joints, pose if runs else body.pose, places)


def kind_of(part: Part, findings: Findings) -> str:
    """Return the type of a joint, one of `KINDS`."""
    if part.element.tag == "freejoint":
        return "free"
    return word(part.element, "type", {kind: kind for kind in KINDS}, KINDS[0], findings)


def _runs(body: Body, findings: Findings) -> list[list[Part]]:
    """Return the joints of a body: consecutive hinges and slides together, each ball and free joint alone."""
    runs: list[list[Part]] = []
    was_screw = False
    for part in body.all("joint"):
        is_screw = kind_of(part, findings) in KINDS[:2]
        if is_screw and was_screw:
            runs[-1].append(part)
        else:
            runs.append([part])
        was_screw = is_screw
    has_free = any(kind_of(run[0], findings) == "free" for run in runs)
    if has_free and (len(runs) > 1 or (body.parent and body.parent.parent)):
        at = body.all("joint")[0].element
        message = "a free joint is the only joint of a body in <worldbody>; move the body there, or take joints out"
        findings.error(at, "free-joint", message)
    return runs


def _degree(part: Part, findings: Findings) -> _Degree:
    element, settings = part.element, part.around.file.settings
    is_hinge = kind_of(part, findings) == "hinge"
    axis = findings.attribute_vector(element, "axis", (0.0, 0.0, 1.0))
    unit = unit_vector(axis)
    if unit is None:
        findings.error(element, "zero-axis", "its axis is 0 0 0, which has no direction; write 0 0 1, say")
    direction = quat_rotate(part.around.pose[3:], unit or (0.0, 0.0, 1.0))
    ref = findings.attribute(element, "ref", 0.0) * (settings.radians_per_unit if is_hinge else 1.0)
    return _Degree(part, Screw(direction, _point(part, findings), float(is_hinge), float(not is_hinge)), ref)


def _point(part: Part, findings: Findings) -> Vec3:
    """Return the point through which a joint's axis runs, in the body [m]."""
    point = findings.attribute_vector(part.element, "pos", ZERO)
    return compose(part.around.pose, point + IDENTITY_QUAT)[:3]


def _screws(name: str, degrees: Sequence[_Degree], drawn: Pose, parent: str, child: str, findings: Findings) -> Joint:
    """Return one joint of hinges and slides in series."""
    origin = degrees[0].screw.point
    X_BO = origin + IDENTITY_QUAT
    if len(degrees) == 1:
        (degree,) = degrees
        axis = read_axis(degree.part, degree.screw.direction, findings)
        turning = "continuous" if axis.is_unlimited else "revolute"
        kind = "prismatic" if degree.screw.slide else turning
        X_PJ = compose(compose(drawn, degree.screw.pose(-degree.ref)) if degree.ref else drawn, X_BO)
        return Joint(name, kind, parent, child, X_PJ, X_BO, [axis])
    before = IDENTITY  # A_k
    axes = []
    for degree in degrees:
        screw = degree.screw
        axis = read_axis(degree.part, quat_rotate(before[3:], screw.direction), findings)
        axis.turn, axis.slide = screw.turn, screw.slide
        axis.point = sub(compose(before, screw.point + IDENTITY_QUAT)[:3], origin)
        axes.append(axis)
        if degree.ref:
            before = compose(before, screw.pose(-degree.ref))
    X_CJ = X_BO if before == IDENTITY else compose(inverse(before), X_BO)
    return Joint(name, "custom", parent, child, compose(drawn, X_BO), X_CJ, axes)


def _ball(name: str, part: Part, drawn: Pose, parent: str, child: str, findings: Findings) -> Joint:
    """Return a ball joint. MuJoCo limits its whole angle; here the same number limits its cone and its twist."""
    X_BO = _point(part, findings) + IDENTITY_QUAT
    values = read_axis(part, Axis.xyz, findings)
    joint = Joint(name, "ball", parent, child, compose(drawn, X_BO), X_BO)
    for axis in joint.axes[:3]:
        axis.damping, axis.friction, axis.armature = values.damping, values.friction, values.armature
        axis.spring_stiffness = values.spring_stiffness
    if math.isfinite(values.upper):
        cone, twist = joint.axes[3], joint.axes[4]
        cone.upper, twist.lower, twist.upper = values.upper, -values.upper, values.upper
        findings.note(
            f"the range of a ball joint limits its whole angle; here it limits the cone and the twist, each alone "
            f"(first in {part.element.subject}, line {part.element.line})",
            once="ball range",
        )
    return joint


def _free(name: str, part: Part, drawn: Pose, parent: str, child: str, findings: Findings) -> Joint:
    """Return a free joint with the damping, friction and armature of one of MuJoCo's."""
    values = read_axis(part, Axis.xyz, findings)
    joint = Joint(name, "free", parent, child, drawn)
    for axis in joint.axes:
        axis.damping, axis.friction, axis.armature = values.damping, values.friction, values.armature
    if values.spring_stiffness:
        place = f"first in {part.element.subject}, line {part.element.line}"
        findings.note(f"the spring of a free joint is not read ({place})", once="free spring")
    return joint


def read_axis(part: Part, direction: Vec3, findings: Findings) -> Axis:
    """Return an axis with the values of a joint's element. Angles are in degrees or radians, as the file says."""
    element, settings = part.element, part.around.file.settings
    kind = kind_of(part, findings)
    unit = settings.radians_per_unit if kind != "slide" else 1.0
    axis = Axis(direction)
    lower, upper = findings.attribute_vector(element, "range", (0.0, 0.0))
    has_range = settings.autolimits and (lower, upper) != (0.0, 0.0)
    if settings.limits and settings.is_on(element.attributes.get("limited", ""), has_range):
        axis.lower, axis.upper = lower * unit, upper * unit
    if settings.dampers:
        axis.damping = numbers_of(element, "damping", (0.0, 0.0, 0.0), findings)[0]
    if settings.springs:
        axis.spring_stiffness = numbers_of(element, "stiffness", (0.0, 0.0, 0.0), findings)[0]
        axis.spring_reference = findings.attribute(element, "springref", 0.0) * (unit if kind == "hinge" else 1.0)
    if settings.friction:
        axis.friction = findings.attribute(element, "frictionloss", 0.0)
    axis.armature = findings.attribute(element, "armature", 0.0)
    least, most = findings.attribute_vector(element, "actuatorfrcrange", (0.0, 0.0))
    has_range = settings.autolimits and (least, most) != (0.0, 0.0)
    if kind in KINDS[:2] and settings.is_on(element.attributes.get("actuatorfrclimited", ""), has_range):
        axis.effort = max(abs(least), abs(most))
        if least != -most:
            message = (
                f"the drive of a joint may push by {least:g} to {most:g}; here its limit is {axis.effort:g} both ways"
            )
            findings.note(f"{message} (first in {element.subject}, line {element.line})", once="one-sided effort")
    return axis
