# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint of the tree as MuJoCo's joints, which move a body by screws about lines in the body.

With frames X_PJ and X_CJ and screws S_i, a joint moves its child by X_PC(q) = X_PJ S_1(q_1) ... S_n(q_n) X_CJ^-1.
MuJoCo has the pose at q = 0 and each line in the body: X_PC(q) = D T_1(q_1) ... T_n(q_n) with D = X_PJ X_CJ^-1 and
T_i = X_CJ S_i X_CJ^-1.
A screw that is locked, or whose limits leave no room, is a constant pose, which moves the lines before it. A joint that
the tree passes from its child to its parent moves by the inverse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from ....joints import BALL
from ....model import Axis, Joint
from ....model.graph import Branch
from ....model.screws import Screw, screws_of
from ....spatial import IDENTITY, IDENTITY_QUAT, Pose, compose, inverse, quat_mul, quat_rotate
from ...substitutes import scaled_axis
from ...xml.output import number, numbers
from .names import Names

FAR = 1e9
"""Limit in the place of an infinite one beside a finite one [rad or m]."""

CLEAN = 1e-15
"""Absolute value of a coordinate below which it is a rounding error of 0 [m or 1]."""


@dataclass(frozen=True)
class MovedAxis:
    """One joint of MuJoCo's.

    Attributes:
        name: in the file. kind: its type.
        screw: its line in the body; of a ball, only its point counts.
        joint: name of our joint. number: of its axis, or 0 for a ball.
        axis: with the values of MuJoCo's coordinate; of a ball, `upper` limits its whole angle.
        factor: MuJoCo's coordinate per unit of ours.
        home: MuJoCo's coordinates in our initial pose.
        follows: (name, ratio) of the joint that this one follows, of a thread; or None.
    """

    name: str
    kind: str
    screw: Screw
    joint: str
    number: int
    axis: Axis
    factor: float
    home: tuple[float, ...]
    follows: tuple[str, float] | None = None

    def element(self) -> Element:
        """Return its element."""
        element = Element("joint", name=self.name, type=self.kind)
        point = _clean(self.screw.point)
        if any(point):
            element.set("pos", numbers(point))
        if self.kind == "ball":
            if math.isfinite(self.axis.upper):
                element.set("range", numbers((0.0, self.axis.upper)))
        else:
            element.set("axis", numbers(_clean(self.screw.direction)))
            if not self.axis.is_unlimited:
                limits = (self.axis.lower, self.axis.upper)
                element.set("range", numbers(min(max(value, -FAR), FAR) for value in limits))
        put_forces(element, self.axis)
        return element

    def seen_from(self, X_CB: Pose) -> MovedAxis:
        """Return the joint for a body whose frame is at the pose X_CB in this body [m]."""
        home = self.home
        if self.kind == "ball":
            home = _turned(inverse(X_CB)[3:], home)
        return replace(self, screw=_moved(self.screw, inverse(X_CB)), home=home)


@dataclass
class MovedBody:
    """The pose and the joints of a body in its parent.

    Attributes:
        pose: X_PB at q = 0 [m].
        axes: its joints, from the parent to the body.
        losses: lines about what MuJoCo's joints cannot express.
    """

    pose: Pose
    axes: list[MovedAxis] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)

    def before(self, other: MovedBody) -> MovedBody:
        """Return the motion of a body that moves by `other` in this body, relative to this body's parent."""
        axes = [axis.seen_from(other.pose) for axis in self.axes]
        return MovedBody(compose(self.pose, other.pose), axes + other.axes, self.losses + other.losses)


def moved_by(branch: Branch, names: Names) -> MovedBody:
    """Return how the outer link of a branch moves in its inner one."""
    joint = branch.joint
    subject = f"joint '{joint.name}'"
    inner, outer = (joint.X_CJ, joint.X_PJ) if branch.backward else (joint.X_PJ, joint.X_CJ)
    if joint.kind.chart and joint.kind.chart.code == BALL:
        return _ball(joint, inner, outer, branch.backward, names)
    if joint.kind.chart:
        moved = MovedBody(compose(inner, inverse(outer)))
        moved.losses.append(f"{subject} is of type {joint.type}, which MJCF has not; its links move freely")
        return moved
    constant = kept_at(joint)
    screws = [
        (replace(screw, locked_at=constant.get(screw.axis)), home)
        for screw, home in zip(screws_of(joint), joint.home, strict=True)
    ]
    if branch.backward:
        screws = [(screw.backward(), home) for screw, home in reversed(screws)]
    before = IDENTITY
    found = MovedBody(IDENTITY)
    lines: list[tuple[Screw, float]] = []
    for screw, home in screws:
        if screw.locked_at is not None:
            before = compose(before, screw.locked_pose())
        else:
            lines.append((_moved(screw, before), home))
    found.pose = compose(compose(inner, before), inverse(outer))
    for place, value in constant.items():
        if not joint.is_locked(place):
            found.losses.append(f"{subject} is written without the axis whose limits keep it at {value:g}: it is fixed")
    into_body = compose(outer, inverse(before))
    for screw, home in lines:
        _add_screw(found, joint, _moved(screw, into_body), home, len(lines) > 1, names)
    return found


def kept_at(joint: Joint) -> dict[int, float]:
    """Return the value of each axis that never moves: it is locked, or its two limits are one value.

    MuJoCo has no range of one value.
    """
    found: dict[int, float] = {}
    for column, home in zip(() if joint.kind.chart else joint.all_columns, joint.home, strict=False):
        lower, upper = joint.range_of(column.axis)
        if joint.is_locked(column.axis):
            found[column.axis] = home
        elif lower == upper:
            found[column.axis] = lower
    return found


def _moved(screw: Screw, X: Pose) -> Screw:
    """Return a screw whose line is moved by a pose."""
    point = compose(X, screw.point + IDENTITY_QUAT)[:3]
    return replace(screw, direction=quat_rotate(X[3:], screw.direction), point=point)


def _add_screw(
    found: MovedBody, joint: Joint, screw: Screw, home: float, is_one_of_several: bool, names: Names
) -> None:
    """Add the hinge or slide of a screw; for a thread both, of which the slide follows the hinge."""
    axis, slot = joint.axes[screw.axis], joint.kind.slot(screw.axis)
    name = joint.name
    if is_one_of_several:
        name = f"{name}_{slot.name or screw.axis + 1}"
    kind, factor = ("hinge", screw.turn) if screw.turn else ("slide", screw.slide)
    name = names.claim("joint", name, is_told=not is_one_of_several)
    axis = _acting(axis, slot.fields)
    scaled = scaled_axis(axis, factor)
    found.axes.append(MovedAxis(name, kind, screw, joint.name, screw.axis, scaled, factor, (factor * home,)))
    if factor != 1.0:
        found.losses.append(f"joint '{joint.name}': its coordinate is {factor:g} times as large in MJCF")
    found.losses += _losses_of_axis(f"joint '{joint.name}'", axis)
    if screw.turn and screw.slide:
        thread = names.claim("joint", f"{name}_slide", is_told=False)
        ratio = screw.slide / screw.turn
        slide = MovedAxis(thread, "slide", screw, "", 0, Axis(), 1.0, (ratio * factor * home,), (name, ratio))
        found.axes.append(slide)
        found.losses.append(f"joint '{joint.name}' is a hinge and a slide that an equality constraint ties")


def _acting(axis: Axis, fields: frozenset[str]) -> Axis:
    """Return an axis in which fields without an effect have their defaults."""
    default = Axis()
    names = vars(default).keys() - fields - {"xyz", "turn", "slide", "point"}
    return replace(axis, **{name: getattr(default, name) for name in names})


def _clean(values: Sequence[float]) -> list[float]:
    return [0.0 if abs(value) < CLEAN else value for value in values]


def put_forces(element: Element, axis: Axis) -> None:
    """Set the attributes of a joint whose values are not 0, besides its range."""
    for name, value in (
        ("damping", axis.damping),
        ("frictionloss", axis.friction),
        ("armature", axis.armature),
        ("stiffness", axis.spring_stiffness),
    ):
        if value:
            element.set(name, number(value))
    if axis.spring_stiffness and axis.spring_reference:
        element.set("springref", number(axis.spring_reference))
    if math.isfinite(axis.effort) and axis.effort > 0.0:
        element.set("actuatorfrcrange", numbers((-axis.effort, axis.effort)))


def _losses_of_axis(subject: str, axis: Axis) -> list[str]:
    found = []
    if axis.restitution and not axis.is_unlimited:
        found.append(f"{subject}: MJCF has no restitution of stops; {axis.restitution:g} is left out")
    if math.isfinite(axis.stop_stiffness) and not axis.is_unlimited:
        found.append(f"{subject}: how its stops give way is left out, since MJCF has no newtons there")
    if math.isfinite(axis.velocity_limit):
        found.append(f"{subject}: MJCF has no velocity limits; {axis.velocity_limit:g} is left out")
    return found


def _ball(joint: Joint, inner: Pose, outer: Pose, backward: bool, names: Names) -> MovedBody:
    found = MovedBody(compose(inner, inverse(outer)))
    w, x, y, z = joint.home
    home = _turned(outer[3:], (w, -x, -y, -z) if backward else joint.home)
    first, subject = joint.axes[0], f"joint '{joint.name}'"
    same = ("damping", "friction", "armature", "spring_stiffness")
    axis = Axis(**{field_name: getattr(first, field_name) for field_name in same})
    if any(getattr(each, field_name) != getattr(axis, field_name) for each in joint.axes[:3] for field_name in same):
        words = "a ball of MJCF has one damping, friction, armature and spring; those of x are written"
        found.losses.append(f"{subject}: {words}")
    cone, twist = joint.axes[3], joint.axes[4]
    limits = [value for value in (cone.upper, twist.upper, -twist.lower) if math.isfinite(value)]
    if limits:
        axis.upper = max(limits)
        if len({*limits}) > 1 or len(limits) < 3:
            words = "a ball of MJCF has one limit, of its whole angle; the largest of cone and twist is written"
            found.losses.append(f"{subject}: {words}")
    if any(each.drive_mode != "off" for each in joint.axes[:3]):
        found.losses.append(f"{subject}: its drives are left out: a ball of MJCF has none of three axes")
    centre = Screw((0.0, 0.0, 1.0), outer[:3], 1.0, 0.0)
    found.axes.append(MovedAxis(names.claim("joint", joint.name), "ball", centre, joint.name, 0, axis, 1.0, home))
    return found


def free_joint(joint: Joint, name: str, losses: list[str]) -> Element:
    """Return the element of a free joint that resists motion: with the damping, friction and armature of its axes.

    What MuJoCo cannot say is added to `losses`.
    """
    move, turn = joint.axes
    if (move.damping, move.friction, move.armature) != (turn.damping, turn.friction, turn.armature):
        words = "a free joint of MJCF resists motion and rotation by the same numbers; those of motion are written"
        losses.append(f"joint '{joint.name}': {words}")
    element = Element("joint", name=name, type="free")
    put_forces(element, Axis(damping=move.damping, friction=move.friction, armature=move.armature))
    return element


def _turned(turn: Sequence[float], quat: Sequence[float]) -> tuple[float, ...]:
    """Return a rotation, as a quaternion, about axes that are turned."""
    if tuple(quat) == IDENTITY_QUAT:  # without rounding errors, by which a start would differ from the file's own
        return IDENTITY_QUAT
    w, x, y, z = turn
    return quat_mul(quat_mul((w, x, y, z), tuple(quat)), (w, -x, -y, -z))


def put_pose(element: Element, pose: Pose) -> None:
    """Set pos and quat of an element; none for the identity."""
    position, quat = _clean(pose[:3]), _clean(pose[3:])
    if any(position):
        element.set("pos", numbers(position))
    if quat != [1.0, 0.0, 0.0, 0.0]:
        element.set("quat", numbers(quat))
