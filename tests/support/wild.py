# SPDX-License-Identifier: GPL-3.0-or-later
"""Wild models: trees and loops of every joint type with every feature, by seed, as no sane person would build them.

`wild_model` is a plain function of a generator, so that a seed alone tells a model; `wild_models` is the same to
hypothesis. What is drawn is always meaningful: physical inertias, fields that an axis's slot has, loops and couplings
that are closed at home. Whether it can move, and how gently, is left to chance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from limberjack.core.joints import FREE, JOINT_TYPES, JointType
from limberjack.core.model import COUPLING_TYPES, WORLD, Axis, Coupling, Joint, Mimic, Model
from limberjack.core.model.drives import DRIVES
from limberjack.core.model.screws import joint_pose, limited_quantities_at
from limberjack.core.spatial import IDENTITY, Pose, compose, inverse
from limberjack.core.trajectory.trajectory import Trajectory

from .models import aimed, place, random_link, random_pose, random_unit

MOST_LINKS = 8
OPEN_AXES = 4
"""Most axes of a joint of an open type; three of them at most are plain slides, which more would make redundant."""


@dataclass(frozen=True)
class Wild:
    """A model and the state that it starts from, as `Simulation` takes them."""

    model: Model
    initial: dict


def wild_model(rng: np.random.Generator, most_links: int = MOST_LINKS) -> Wild:
    model = Model("wild", [_link(rng, f"link{i}") for i in range(rng.integers(1, most_links + 1))])
    if rng.random() < 0.1:
        model.gravity = tuple((9.81 * np.array(random_unit(rng))).tolist())
    for i, link in enumerate(model.links):
        if rng.random() < 0.05:
            link.pose = random_pose(rng, 1.0)  # it floats
            continue
        inner = WORLD if i == 0 or rng.random() < 0.15 else f"link{rng.integers(max(0, i - 3), i)}"
        backward = inner != WORLD and rng.random() < 0.15
        ends = (link.name, inner) if backward else (inner, link.name)
        joint = _joint(rng, f"joint{i}", *ends)
        across = _across(joint)
        link.pose = compose(_pose(model, inner), inverse(across) if backward else across)
        model.joints.append(joint)
    for i in range(rng.choice(3, p=(0.55, 0.3, 0.15))):
        _close_loop(rng, model, f"loop{i}")
    if rng.random() < 0.25:
        _mimic(rng, model)
    if rng.random() < 0.15:
        _couple(rng, model)
    place(model)  # as drawn, that is at q = 0, but for those that float
    moving = [joint for joint in model.joints if joint.nv and not _held(joint) and rng.random() < 0.3]
    carried = {branch.joint.name for branch in model.tree().branches}
    return Wild(
        model, {"qd": {joint.name: rng.normal(size=joint.nv).tolist() for joint in moving if joint.name in carried}}
    )


def from_seed(seed: int) -> Wild:
    return wild_model(np.random.default_rng(seed))


def wild_models() -> st.SearchStrategy[Wild]:
    """A failing example is told by its seed: `from_seed` has it, and so has `benchmarks/wild.py --only SEED`."""
    return st.builds(from_seed, st.integers(0, 2**32 - 1))


def log_uniform(rng: np.random.Generator, least: float, most: float) -> float:
    return float(math.exp(rng.uniform(math.log(least), math.log(most))))


def _link(rng, name):
    """Of 1e-3 to 1e3 kg, as large as `random_link`'s."""
    link, mass = random_link(rng, name), log_uniform(rng, 1e-3, 1e3)
    link = replace(link, mass=mass, inertia=tuple(moment * mass / link.mass for moment in link.inertia))
    if rng.random() < 0.1:
        link.linear_damping, link.angular_damping = rng.uniform(0.0, 1.0, size=2).tolist()
    return link


def _joint(rng, name, parent, child) -> Joint:
    """Of any type, with a home, and with features about it."""
    kind = JOINT_TYPES[str(rng.choice(list(JOINT_TYPES)))]
    axes = _open_axes(rng) if kind.is_open else aimed(kind.name, [Axis(xyz=random_unit(rng)) for _ in kind.axes])
    pitch = rng.choice((-1.0, 1.0)) * rng.uniform(0.05, 0.5) if kind.threaded else 0.0
    reach = log_uniform(rng, 0.1, 1.0)
    joint = Joint(name, kind.name, parent, child, random_pose(rng, reach), random_pose(rng, reach), axes, float(pitch))
    joint.home = _home(rng, kind, len(joint.home))
    for number in range(joint.axis_count):
        joint.axes[number] = _featured(rng, joint, number)
    return joint


def _open_axes(rng):
    """Turns, slides and screws about skew lines, in any order."""
    made: list[Axis] = []
    for _ in range(rng.integers(1, OPEN_AXES + 1)):
        what = str(rng.choice(["turn", "slide", "screw"]))
        if what == "slide" and sum(axis.turn == 0.0 for axis in made) == 3:
            what = "turn"
        turn = 0.0 if what == "slide" else float(rng.choice([1.0, -1.0, 0.5]))
        slide = 0.0 if what == "turn" else 1.0 if what == "slide" else float(rng.uniform(0.05, 0.3))
        made.append(Axis(random_unit(rng), turn=turn, slide=slide, point=tuple((0.3 * rng.normal(size=3)).tolist())))
    return made


def _home(rng, kind: JointType, numbers: int) -> tuple[float, ...]:
    if not kind.chart:
        return tuple((0.7 * rng.normal(size=numbers)).tolist())
    turn = np.array([1.0, *(0.4 * rng.normal(size=3))])
    place = 0.5 * rng.normal(size=3) if kind.code == FREE else ()
    return (*map(float, place), *(turn / np.linalg.norm(turn)).tolist())


def _featured(rng, joint: Joint, number: int) -> Axis:
    """Axis `number` with some of what its slot has a field for."""
    slot, drawn = joint.kind.slot(number), {}
    at, least, most = _measured(joint, number)
    has_spring_axis = joint.kind.code == FREE and number in joint.kind.spring_axes  # nothing else holds the link
    mass = log_uniform(rng, 1e-3, 1e1)
    if slot.limited and rng.random() < 0.4:
        drawn |= _limits(rng, at, least, most)
    if has_spring_axis or rng.random() < 0.25:
        stiffness = log_uniform(rng, 1.0, 1e8)
        drawn |= {
            "spring_stiffness": stiffness,
            "spring_reference": at + rng.normal() * min(1.0, 30.0 / stiffness**0.5),
        }
        drawn |= {"damping": log_uniform(rng, 1e-2, 1.0) * 2.0 * math.sqrt(stiffness * mass)}
    elif rng.random() < 0.4:
        drawn |= {"damping": log_uniform(rng, 1e-2, 1e2)}
    if rng.random() < 0.25:
        drawn |= {"friction": log_uniform(rng, 1e-2, 1e2)}
    if rng.random() < 0.15:
        drawn |= {"velocity": log_uniform(rng, 0.2, 10.0)}
    if rng.random() < 0.15:
        drawn |= {"armature": log_uniform(rng, 1e-3, 1.0)}
    if rng.random() < 0.3:
        drawn |= _drive(rng, at, mass)
    if rng.random() < 0.08:
        drawn |= {"locked": True}
    return replace(joint.axes[number], **{name: value for name, value in drawn.items() if name in slot.fields})


def _measured(joint: Joint, number: int) -> tuple[float, float, float]:
    """What limits and springs of an axis are about: its value at home, the least and the most that it can be."""
    for column, at in zip(joint.all_columns, joint.home, strict=False):
        if column.axis == number:
            return at, -math.inf, math.inf
    for row, at, _ in limited_quantities_at(joint, joint_pose(joint, joint.home)):
        if row.axis == number:
            return at, row.least, row.most
    return 0.0, -math.inf, math.inf


def _limits(rng, at, least, most) -> dict:
    """About where home is; once in a while it lies outside, and once in a while they leave no room."""
    lower, upper = at - log_uniform(rng, 0.02, 2.0), at + log_uniform(rng, 0.02, 2.0)
    chance = rng.random()
    if chance < 0.05:
        lower = upper = at
    elif chance < 0.1:
        away = (upper - lower) * rng.choice((-1.0, 1.0))
        lower, upper = lower + away, upper + away
    elif chance < 0.2:
        lower = -math.inf
    elif chance < 0.3:
        upper = math.inf
    found = {"lower": min(max(lower, least), most), "upper": min(max(upper, least), most)}
    rigid = rng.random() < 0.5
    found |= {"stiffness": math.inf if rigid else log_uniform(rng, 1e2, 1e8)}
    return found | ({"restitution": rng.random()} if rigid else {"dissipation": rng.uniform(0.0, 2.0)})


def _drive(rng, at, mass) -> dict:
    mode = str(rng.choice([name for name in DRIVES if name != "off"]))
    stiffness = log_uniform(rng, 1.0, 1e8)
    damping = log_uniform(rng, 1e-2, 2.0) * 2.0 * math.sqrt(stiffness * mass)
    target = {"position": at + rng.normal(), "velocity": 3.0 * rng.normal(), "force": log_uniform(rng, 1e-2, 30.0)}
    found = {"drive_mode": mode, "drive_stiffness": stiffness, "drive_damping": damping, "drive_target": target[mode]}
    return found | ({"effort": log_uniform(rng, 1e-1, 1e3)} if rng.random() < 0.6 else {})


def _held(joint: Joint) -> bool:
    return bool(joint.fixed_columns or joint.fixed_quantities)


def _close_loop(rng, model: Model, name: str) -> None:
    """Join two links, or a link and the world, where they are at home."""
    ends = [WORLD, *(link.name for link in model.links)]
    if len(ends) < 3:
        return
    one, other = (ends[i] for i in sorted(rng.choice(len(ends), 2, replace=False)))  # the world is no child
    joint = _joint(rng, name, one, other)
    if joint.kind.is_free:
        return
    reached = compose(compose(_pose(model, one), joint.X_PJ), joint_pose(joint, joint.q_home))
    joint.X_CJ = compose(inverse(_pose(model, other)), reached)
    joint.closes_loop = bool(rng.random() < 0.5)
    model.joints.append(joint)


def _pose(model: Model, name: str) -> Pose:
    """Of a link, or the world, at home: while a model is drawn, its links stand there."""
    return IDENTITY if name == WORLD else model.link(name).pose


def _across(joint: Joint) -> Pose:
    """From the joint's parent to its child, at home."""
    return compose(compose(joint.X_PJ, joint_pose(joint, joint.q_home)), inverse(joint.X_CJ))


def _coordinates(model: Model, joints: Iterable[Joint]) -> list[tuple[Joint, int]]:
    """(joint, number of an axis) of each coordinate that can follow or lead."""
    return [
        (joint, column.axis)
        for joint in joints
        if not joint.kind.chart
        for column in joint.columns
        if not joint.axes[column.axis].has_no_room
    ]


def _at_home(joint: Joint, axis: int) -> float:
    return joint.home[next(i for i, column in enumerate(joint.all_columns) if column.axis == axis)]


def _mimic(rng, model: Model) -> None:
    found = _coordinates(model, model.joints)
    if len({joint.name for joint, _ in found}) < 2:
        return
    follower, axis = found[rng.integers(len(found))]
    found = [pair for pair in found if pair[0] is not follower]
    leader, leader_axis = found[rng.integers(len(found))]
    multiplier, reference = float(rng.uniform(-2.0, 2.0)), float(rng.normal())
    offset = _at_home(follower, axis) - multiplier * (_at_home(leader, leader_axis) - reference)
    follower.mimic = Mimic(leader.name, multiplier, offset, reference, axis, leader_axis)


def _couple(rng, model: Model) -> None:
    kind = COUPLING_TYPES[str(rng.choice(list(COUPLING_TYPES)))]
    found = _coordinates(model, model.joints)
    rng.shuffle(found)
    chosen: list[tuple[Joint, int]] = []
    if not kind.parts:
        chosen = found[: int(rng.integers(2, 5))]
    for unit in kind.units:
        fits = [pair for pair in found if pair[0].axis_unit(pair[1]) is unit and pair not in chosen]
        if not fits:
            return
        chosen.append(fits[0])
    ratio = float(rng.choice((-1.0, 1.0)) * rng.uniform(0.2, 3.0))
    weights = kind.weights(ratio) or rng.uniform(0.2, 2.0, len(chosen)).tolist()
    if len(weights) < 2:
        return
    offset = sum(w * _at_home(*pair) for w, pair in zip(weights, chosen, strict=True))
    axes = [(joint.name, axis) for joint, axis in chosen]
    given = [] if kind.parts else weights
    model.couplings.append(Coupling("coupling", kind.name, axes, ratio, offset, given))


# ---- how a run is judged


NAMED = re.compile(r"\b(link|joint|coupling|gearbox)s? '")
"""In the message of each error that a model may end in."""


def has_nan(motion: Trajectory) -> bool:
    """Return whether poses or energies of a motion are NaN; coordinates of a joint that let go may be."""
    parts = (motion.X_WL, motion.kinetic, motion.potential, motion.dissipated, motion.supplied)
    return not all(np.isfinite(part).all() for part in parts)


def energy_change(motion: Trajectory) -> tuple[float, float]:
    """How far energy grew that nothing accounts for, and how far it drifted either way, relative to what moved."""
    total = motion.kinetic + motion.potential + motion.dissipated - motion.supplied
    moved = (motion.kinetic.max(), np.ptp(motion.potential), np.ptp(motion.dissipated), np.ptp(motion.supplied))
    scale = max(*map(float, moved), 1e-9 * float(np.abs(motion.potential).max()), 1e-12)
    off = (total - total[0]) / scale
    return float(off.max()), float(np.abs(off).max())
