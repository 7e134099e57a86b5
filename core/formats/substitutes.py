# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that a file format does not have, as chains of joints that it has.

A chain has the same motion as the joint: its screws are those of the joint, one after another, with a very light link
between each two. Only joints with a quaternion get other coordinates, which are singular where two hinges align.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..joints import BALL
from ..joints.limited_quantities import CONE, TWIST
from ..model import WORLD, Axis, Coupling, Gearbox, Joint, Link, Mimic, Model, ModelError
from ..model.drives import DRIVES, Aim
from ..model.elements import BREAKING
from ..model.naming import claim
from ..model.screws import joint_pose
from ..spatial import IDENTITY, IDENTITY_QUAT, ZERO, Pose, Vec3, atan2, compose, inverse, quat_of_z, quat_to_mat
from ..spatial.arrays import eigh

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

LIGHT = 1e-8
"""Mass and moment of inertia of a link between two steps, as parts of the smallest of its neighbours.

Motion changes by less than a millionth, even behind five such links. MuJoCo, Drake and libsdformat accept them. Only
Gazebo's URDF reader drops links below 1e-6 kg with their joints; use SDF for Gazebo.
"""
ALONE = 1.0, 1e-3
"""Mass [kg] and moment of inertia [kg m^2] that replace those of neighbours without mass."""

Coordinate = tuple[str, int]
"""(joint, number of its axis)."""


@dataclass(frozen=True)
class Step:
    """One screw of a chain, about or along `axis.xyz`.

    Its coordinate is `factor` times that of the joint's axis `number`.

    Attributes:
        before: pose of the step's joint frame in that of the step before it [m].
        pitch [m/turn]: of a screw. home: coordinate at the start.
        follows: multiplier with which it mimics the step before it; 0 if it moves by itself.
    """

    type: str
    axis: Axis
    before: Pose = IDENTITY
    pitch: float = 0.0
    number: int = 0
    factor: float = 1.0
    home: float = 0.0
    follows: float = 0.0


@dataclass
class Chain:
    """The chain that replaces a joint.

    Attributes:
        steps: from the parent outward.
        after: pose of the joint's child-side frame in that of the last step [m].
        notes: what a message says about the chain besides.
        turn: pose of the first step's frame in the joint's parent-side frame [m].
        places: {number of the joint's axis: (number of its step, factor)}.
    """

    steps: list[Step]
    after: Pose = IDENTITY
    notes: str = ""
    turn: Pose = IDENTITY
    places: dict[int, tuple[int, float]] = field(default_factory=dict)


def substituted(model: Model, can: Callable[[Joint], bool]) -> tuple[Model, list[str]]:
    """Return the model with chains in place of the joints that a format does not have, and a line about each.

    Joints without a chain stay as they are: ropes, cables, joints that close loops, and joints that are disabled.
    Mimics and couplings follow the axes that they name. The joints of a chain are named JOINT_1, JOINT_2, ... from the
    parent outward, and the links between them JOINT_1_link, ..., with masses by `LIGHT`. `model` stays unchanged.

    Args:
        can: function that returns whether the format can express a joint.
    """
    loops = {joint.name for joint in model.tree().loops}
    chains: dict[str, Chain] = {}
    for joint in model.joints:
        if joint.enabled and joint.name not in loops and not can(joint) and (chain := _chain_of(joint, can)):
            chains[joint.name] = chain
    if not chains:
        return model, []
    return _Substitution(model, chains).run()


# ---- chains for joints


def _chain_of(joint: Joint, can: Callable[[Joint], bool]) -> Chain | None:
    if joint.kind.chart is None:
        return _series(joint, can)
    if joint.kind.code == BALL:
        return _three_hinges(joint)
    return _six_axes(joint) if joint.kind.is_free else None


def _series(joint: Joint, can: Callable[[Joint], bool]) -> Chain:
    """Return the chain of the columns of a joint. Locked columns become parts of the frames between the others."""
    chain, pending = Chain([]), IDENTITY
    for column, home in zip(joint.all_columns, joint.home, strict=True):
        axis = replace(joint.axes[column.axis], xyz=joint.unit_direction(column.axis), locked=False)
        slide, point = column.slide_with(joint.pitch), (*column.point, *IDENTITY_QUAT)
        to_line, from_line = point, inverse(point)
        pending = _then(pending, to_line)
        if joint.is_locked(column.axis):
            step = _single(column.turn, slide, axis, home, column.axis)
            pending = _then(pending, joint_pose(_as_joint(step), (step.home,)))
        else:
            limited = joint.kind.slot(column.axis).limited
            steps = _steps_of(column.turn, slide, axis, home, column.axis, limited, can)
            chain.places[column.axis] = (len(chain.steps), steps[0].factor)
            chain.steps += [replace(steps[0], before=pending), *steps[1:]]
            pending = IDENTITY
        pending = _then(pending, from_line)
    chain.after = pending
    return chain


def _steps_of(
    turn: float, slide: float, axis: Axis, home: float, number: int, limited: bool, can: Callable[[Joint], bool]
) -> list[Step]:
    """Return one step, or two for a screw that the format does not have: a slide, and a hinge that mimics it."""
    step = _single(turn, slide, axis, home, number)
    if step.type == "revolute" and (not limited or step.axis.is_unlimited):
        step = replace(step, type="continuous")
    if step.type != "screw" or can(_as_joint(step)):
        return [step]
    slider = _single(0.0, slide, axis, home, number)
    hinge = Axis(xyz=axis.xyz)
    return [slider, Step("continuous", hinge, follows=turn / slide, number=number, home=turn * home)]


def _single(turn: float, slide: float, axis: Axis, home: float, number: int) -> Step:
    """Return a screw as a joint of one axis, with a coordinate in rad, or in m if it only slides."""
    factor = turn or slide
    name = "prismatic" if not turn else "screw" if slide else "revolute"
    pitch = math.tau * slide / turn if name == "screw" else 0.0
    return Step(name, scaled_axis(axis, factor), pitch=pitch, number=number, factor=factor, home=factor * home)


def scaled_axis(axis: Axis, factor: float) -> Axis:
    """Return the axis for a coordinate that is `factor` times as large.

    Forces are divided by it, so that work stays the same.
    """
    if factor == 1.0:
        return axis
    lower, upper = sorted((axis.lower * factor, axis.upper * factor))
    size, square = abs(factor), factor * factor
    target = 1.0 / factor if DRIVES[axis.drive_mode].aim is Aim.FORCE else factor
    return replace(
        axis,
        lower=lower,
        upper=upper,
        effort=axis.effort / size,
        velocity=axis.velocity * size,
        damping=axis.damping / square,
        friction=axis.friction / size,
        armature=axis.armature / square,
        stiffness=axis.stiffness / square,
        dissipation=axis.dissipation / size,
        spring_reference=axis.spring_reference * factor,
        spring_stiffness=axis.spring_stiffness / square,
        drive_stiffness=axis.drive_stiffness / square,
        drive_damping=axis.drive_damping / square,
        drive_target=axis.drive_target * target,
        turn=1.0,
        slide=0.0,
        point=ZERO,
    )


def _as_joint(step: Step) -> Joint:
    return Joint("", step.type, WORLD, "", axes=[step.axis], pitch=step.pitch)


def _three_hinges(joint: Joint) -> Chain:
    """Return three hinges about x, y and z of the joint's frame. If it has limits, z is turned onto their axis.

    The first two hinges are each limited by the half angle of the cone, so the corners of a pyramid exceed the cone.
    """
    cones = [row.axis for row in joint.kind.limited_quantities if row.code == CONE]
    twists = [row.axis for row in joint.kind.limited_quantities if row.code == TWIST]
    limited = [number for number in cones + twists if not joint.axes[number].is_unlimited]
    turn = ZERO + quat_of_z(joint.unit_direction(limited[0])) if limited else IDENTITY
    lean = min((joint.axes[number].upper for number in cones), default=math.inf)
    bounds = [(-lean, lean), (-lean, lean)] + [(joint.axes[n].lower, joint.axes[n].upper) for n in twists[:1] or []]
    home = hinge_angles(compose(inverse(turn), compose(joint_pose(joint, joint.home), turn)))
    steps = []
    for number, (direction, (lower, upper)) in enumerate(zip((X, Y, Z), bounds, strict=True)):
        stops = joint.axes[twists[0] if number == 2 else cones[0]]
        axis = replace(
            joint.axes[joint.kind.spring_axes[number]],
            xyz=direction,
            lower=lower,
            upper=upper,
            stiffness=stops.stiffness,
            dissipation=stops.dissipation,
            restitution=stops.restitution,
        )
        name = "continuous" if axis.is_unlimited else "revolute"
        steps.append(Step(name, axis, number=number, home=home[number]))
    return Chain(steps, notes="which are singular where the second stands at 90 degrees", turn=turn)


def _six_axes(joint: Joint) -> Chain:
    X_J = joint_pose(joint, joint.home)
    steps = [Step("prismatic", Axis(xyz=d), home=at) for d, at in zip((X, Y, Z), X_J[:3], strict=True)]
    steps += [Step("continuous", Axis(xyz=d), home=at) for d, at in zip((X, Y, Z), hinge_angles(X_J), strict=True)]
    return Chain(steps, notes="which are singular where the second hinge stands at 90 degrees")


def hinge_angles(X: Pose) -> Vec3:
    """Return the angles [rad] of the rotations about x, then y, then z that give the rotation of a pose."""
    R = quat_to_mat(X[3:])
    return atan2(-R[5], R[8]), atan2(R[2], math.hypot(R[0], R[1])), atan2(-R[1], R[0])


# ---- the new model


class _Substitution:
    """Replaces joints by chains, {joint: chain}."""

    def __init__(self, model: Model, chains: dict[str, Chain]):
        self.model, self.chains = model, chains
        self.notes: list[str] = []
        self.links_taken = {link.name for link in model.links} | {WORLD}
        self.joints_taken = {joint.name for joint in model.joints}
        self.by_name = {link.name: link for link in model.links}
        self.axes: dict[Coordinate, tuple[str, float]] = {}
        self.links_before: dict[str, list[Link]] = {}

    def run(self) -> tuple[Model, list[str]]:
        model, made = self.model, []
        for joint in model.joints:
            made += self._made(joint, self.chains[joint.name]) if joint.name in self.chains else [joint]
        joints = [replace(joint, mimic=self._moved(joint.mimic) if joint.mimic else None) for joint in made]
        links = [one for link in model.links for one in (*self.links_before.get(link.name, ()), link)]
        couplings = self._couplings(joints)
        return replace(model, links=links, joints=joints, couplings=couplings), self.notes

    def _made(self, joint: Joint, chain: Chain) -> list[Joint]:
        if not chain.steps:
            self.notes.append(f"joint '{joint.name}' ({joint.type}) is locked; written as fixed")
            return [replace(joint, type="fixed", axes=[], home=(), X_PJ=compose(joint.X_PJ, chain.after), mimic=None)]
        names = self._names(joint, len(chain.steps))
        made, inner = [], joint.parent
        X_PJ, X_WP = _then(joint.X_PJ, chain.turn), self._pose(joint.parent)
        for number, (step, name) in enumerate(zip(chain.steps, names, strict=True)):
            is_last = number == len(chain.steps) - 1
            X_PJ = _then(X_PJ, step.before) if number == 0 else step.before
            X_WP = _then(X_WP, X_PJ)
            outer = joint.child if is_last else self._between(joint, name, X_WP)
            made.append(
                Joint(
                    name,
                    step.type,
                    inner,
                    outer,
                    X_PJ=X_PJ,
                    X_CJ=_then(_then(joint.X_CJ, chain.turn), inverse(chain.after)) if is_last else IDENTITY,
                    axes=[step.axis],
                    pitch=step.pitch,
                    home=(step.home,),
                    mimic=Mimic(names[number - 1], step.follows) if step.follows else None,
                )
            )
            inner = outer
        strength = {name: getattr(joint, name) for name in BREAKING}
        made[0] = replace(made[0], released_at=joint.released_at, **strength, extras=joint.extras)
        for number, (place, factor) in chain.places.items():
            self.axes[joint.name, number] = (names[place], factor)
        self._hand_on(joint, chain, made)
        self._tell(joint, chain, made)
        return made

    def _names(self, joint: Joint, count: int) -> list[str]:
        if count == 1:
            return [joint.name]
        return [claim(f"{joint.name}_{number}", self.joints_taken) for number in range(1, count + 1)]

    def _pose(self, link: str) -> Pose:
        return self.by_name[link].pose if link in self.by_name else IDENTITY

    def _between(self, joint: Joint, name: str, pose: Pose) -> str:
        """Add a very light link at a pose in the world [m]. Return its name."""
        parent, child = self.by_name.get(joint.parent), self.by_name[joint.child]
        mass, inertia = _tiny([link for link in (parent, child) if link is not None])
        chosen = claim(f"{name}_link", self.links_taken)
        link = Link(chosen, mass, ZERO, (inertia, 0.0, 0.0, inertia, 0.0, inertia), pose=pose, gravity=child.gravity)
        self.links_before.setdefault(joint.child, []).append(link)
        return chosen

    def _hand_on(self, joint: Joint, chain: Chain, made: list[Joint]) -> None:
        """Move the joint's own mimic to the step of its axis."""
        mimic = joint.mimic
        if mimic is None or mimic.axis not in chain.places:
            return
        place, factor = chain.places[mimic.axis]
        scaled = replace(mimic, axis=0, multiplier=mimic.multiplier * factor, offset=mimic.offset * factor)
        made[place] = replace(made[place], mimic=scaled)

    def _moved(self, mimic: Mimic) -> Mimic:
        """Return the mimic with the leader that its leader's axis has become."""
        if (mimic.leader, mimic.leader_axis) not in self.axes:
            return mimic
        leader, factor = self.axes[mimic.leader, mimic.leader_axis]
        return replace(
            mimic,
            leader=leader,
            leader_axis=0,
            multiplier=mimic.multiplier / factor,
            reference=mimic.reference * factor,
        )

    def _couplings(self, joints: list[Joint]) -> list[Coupling | Gearbox]:
        kept: list[Coupling | Gearbox] = []
        for coupling in self.model.couplings:
            try:
                kept.append(self._coupling(coupling, joints))
            except ModelError as reason:
                self.notes.append(f"coupling '{coupling.name}' is left out: {reason}")
        return kept

    def _coupling(self, coupling: Coupling | Gearbox, joints: list[Joint]) -> Coupling | Gearbox:
        """Return a coupling between the joints that its axes have become.

        Raises:
            ModelError: if it cannot be expressed any more.
        """
        if isinstance(coupling, Gearbox):
            coupling.equation(joints)
            return coupling
        if gone := [joint for joint, axis in coupling.axes if joint in self.chains and (joint, axis) not in self.axes]:
            raise ModelError(f"joint '{gone[0]}' has become others")
        ends = [self.axes.get((joint, axis)) for joint, axis in coupling.axes]
        axes = [(end[0], 0) if end else old for end, old in zip(ends, coupling.axes, strict=True)]
        factors = [end[1] if end else 1.0 for end in ends]
        if len(set(factors)) == 1:
            return replace(coupling, axes=axes, offset=coupling.offset * factors[0])
        if coupling.weights or len(factors) > 2:
            terms = coupling.equation(joints).terms
            weights = [term.weight / factor for term, factor in zip(terms, factors, strict=True)]
            return replace(coupling, type="sum", axes=axes, ratio=1.0, weights=weights)
        ratio = coupling.ratio * factors[1] / factors[0]
        return replace(coupling, axes=axes, ratio=ratio, offset=coupling.offset * factors[1])

    def _tell(self, joint: Joint, chain: Chain, made: list[Joint]) -> None:
        names = ", ".join(f"'{one.name}' ({one.type})" for one in made)
        notes = f", {chain.notes}" if chain.notes else ""
        self.notes.append(f"joint '{joint.name}' ({joint.type}) is written as {names}{notes}")


def _tiny(neighbours: list[Link]) -> tuple[float, float]:
    """Return the mass [kg] and the moment of inertia [kg m^2] of a link between two links.

    One of the neighbours may be the world, which is not in the list.
    """
    masses = [link.mass for link in neighbours if link.mass > 0.0]
    moments = [least for link in neighbours if (least := _least_moment(link)) > 0.0]
    mass, moment = min(masses, default=ALONE[0]), min(moments, default=ALONE[1])
    return LIGHT * mass, LIGHT * moment


def _least_moment(link: Link) -> float:
    xx, xy, xz, yy, yz, zz = link.inertia
    return float(eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))[0][0])


def _then(X_AB: Pose, X_BC: Pose) -> Pose:
    """Return X_AC. If one pose is the identity, the result is equal to the other to the last bit."""
    if X_AB == IDENTITY:
        return X_BC
    return X_AB if X_BC == IDENTITY else compose(X_AB, X_BC)
