# SPDX-License-Identifier: GPL-3.0-or-later
"""What every joint type must do, whatever it is made of: `check_type` judges one joint at one random state."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from limberjack.core.dynamics import forward_dynamics, mechanical_energy, passive_forces
from limberjack.core.joints import FREE, JOINT_TYPES
from limberjack.core.kinematics import JointMotion, coordinates_at, forward_kinematics, joint_coordinates, make_work
from limberjack.core.kinematics.coordinates import rates_at
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.model.screws import joint_pose

from .exponentials import (
    inverse_of,
    matrix_of,
    moved,
    pose_at,
    quat_of_rotation_vector,
    rotation_angles,
    screws,
    slope,
    subspace_at,
    twist_along,
)
from .maximal import Maximal
from .models import aimed, random_link, random_pose, random_unit


def random_axis(rng: np.random.Generator) -> Axis:
    """Locked or not; the fields that its slot does not use are set as well, and must not matter."""
    return Axis(
        xyz=random_unit(rng),
        locked=bool(rng.random() < 0.3),
        damping=rng.uniform(0.1, 1.0),
        spring_stiffness=rng.uniform(1.0, 10.0),
        spring_reference=rng.uniform(-0.5, 0.5),
        armature=rng.uniform(0.0, 0.2),
    )


def random_open_axes(rng: np.random.Generator) -> list[Axis]:
    """Turns, slides and screws about skew lines, in any order; no more slides than leave all rates distinct."""
    made = []
    for kind in rng.choice(["turn", "slide", "screw"], size=rng.integers(1, 5)):
        kind = "turn" if kind == "slide" and sum(axis.turn == 0.0 for axis in made) == 2 else kind
        turn = 0.0 if kind == "slide" else rng.choice([1.0, -1.0, 0.5])
        slide = 0.0 if kind == "turn" else 1.0 if kind == "slide" else rng.uniform(0.05, 0.2)
        point = tuple((0.3 * rng.normal(size=3)).tolist())
        made.append(replace(random_axis(rng), turn=float(turn), slide=float(slide), point=point))
    return made


def random_joint(type_name: str, rng: np.random.Generator, name: str = "joint", ends=(WORLD, "link")) -> Joint:
    """With random frames, axes, pitch, locks, springs and dampers."""
    kind = JOINT_TYPES[type_name]
    axes = random_open_axes(rng) if kind.is_open else aimed(type_name, [random_axis(rng) for _ in kind.axes])
    joint = Joint(name, type_name, *ends, random_pose(rng), random_pose(rng), axes, pitch=rng.uniform(0.1, 0.5))
    if kind.chart:
        return joint
    return replace(joint, home=tuple(rng.uniform(-1.0, 1.0, size=len(joint.home)).tolist()))


def random_coordinates(joint: Joint, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(q, qd), where no angle that a chart measures comes near half a turn, from which on it has no derivative."""
    if not joint.kind.chart:
        return rng.uniform(-1.4, 1.4, size=joint.nq), rng.normal(size=joint.nv)
    quat = quat_of_rotation_vector(np.array(random_unit(rng)) * rng.uniform(0.3, 2.0))
    position = rng.normal(size=3) if joint.kind.code == FREE else np.zeros(0)
    return np.concatenate([position, quat]), rng.normal(size=joint.nv)


def random_tree_state(compiled, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(q, qd) of a whole model, joint by joint as `random_coordinates`."""
    q, qd = np.zeros(compiled.nq), np.zeros(compiled.nv)
    for span in compiled.spans.values():
        q[span.q], qd[span.v] = random_coordinates(span.joint, rng)
    return q, qd


def random_chain(rng: np.random.Generator, type_name: str, size: int = 6) -> Model:
    """Of one type, held by the world, every axis with an armature."""
    model = Model()
    for i in range(size):
        model.links.append(random_link(rng, f"link{i}"))
        model.joints.append(random_joint(type_name, rng, f"joint{i}", (f"link{i - 1}" if i else WORLD, f"link{i}")))
    return model


def mixed_tree(rng: np.random.Generator, types) -> Model:
    """A joint of each of `types`; half of those that can be are walked from child to parent, and one piece floats."""
    model = Model()
    for i, type_name in enumerate(types):
        ends = [WORLD if i == 0 else f"link{rng.integers(max(0, i - 5), i)}", f"link{i}"]
        if i == len(types) // 2:  # a tree of its own begins here
            model.links.append(random_link(rng, f"link{i}"))
            model.links[-1].pose = random_pose(rng)
            continue
        if not JOINT_TYPES[type_name].chart and rng.random() < 0.5:
            ends.reverse()
        model.links.append(random_link(rng, f"link{i}"))
        model.joints.append(random_joint(type_name, rng, f"joint{i}", tuple(ends)))
    return model


def alone(joint: Joint, rng: np.random.Generator, backward: bool = False) -> Model:
    """A model of this joint and nothing else that moves; backward, its child is held and its parent moves."""
    link = random_link(rng, "link")
    if not backward:
        return Model(links=[link], joints=[replace(joint, parent=WORLD, child="link")])
    held = Joint("held", "fixed", WORLD, "base", random_pose(rng), random_pose(rng))
    return Model(links=[Link("base"), link], joints=[held, replace(joint, parent="link", child="base")])


def check_type(joint: Joint, rng: np.random.Generator) -> dict[str, float]:
    """Judge a joint at a random state, by arithmetic that shares nothing with the engine's.

    Returns the largest error of each kind, relative to 1 or to the quantity's own size, whichever is larger.
    """
    q, qd = random_coordinates(joint, rng)
    return {
        **check_pose(joint, q, rng),
        **check_motion(joint, q, qd),
        **check_rows(joint, q, qd),
        **check_forces(joint, q, qd, rng),
        **check_dynamics(joint, rng),
        **check_round_trip(joint, q, qd),
    }


def error(found, wanted) -> float:
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    assert np.isfinite(found).all()
    return float(np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0)))


def within(limit: float, **errors: float) -> dict[str, float]:
    for what, size in errors.items():
        assert size <= limit, f"{what}: off by {size:.3g}, allowed are {limit:g}"
    return errors


def check_pose(joint: Joint, q: np.ndarray, rng: np.random.Generator) -> dict[str, float]:
    """X(q), by `joint_pose` and by the kernels, which walk a joint from either end, against exponentials."""
    wanted = pose_at(joint, q)
    errors = {"pose": error(matrix_of(joint_pose(joint, q)), wanted)}
    for backward in (False,) if joint.kind.chart else (False, True):
        for merged in (True, False):
            model = alone(joint, rng, backward)
            compiled = compile_model(model, merge_fixed=merged)
            assert not compiled.loops
            assert not compiled.floating
            X_WL, _ = forward_kinematics(compiled, compiled.q_from({joint.name: q} if joint.nq else {}))
            poses = {WORLD: np.eye(4)} | dict(zip(compiled.link_names, map(matrix_of, X_WL), strict=True))
            acting = model.joint(joint.name)
            X_WJ = poses[acting.parent] @ matrix_of(joint.X_PJ)
            found = inverse_of(X_WJ) @ poses[acting.child] @ matrix_of(joint.X_CJ)
            errors[f"kernel pose, {backward=} {merged=}"] = error(found, wanted)
    return within(1e-12, **errors)


def check_motion(joint: Joint, q: np.ndarray, qd: np.ndarray) -> dict[str, float]:
    """S(q) and its rate against differences of poses, and of those twists again; nothing compiled runs here."""
    motion = JointMotion(joint)

    def twist(rates, time=0.0):
        return twist_along(lambda t: pose_at(joint, moved(joint, q, rates, t)), time)

    S = np.array([twist(unit) for unit in np.eye(joint.nv)]).reshape(-1, 6).T
    drift = slope(lambda t: twist(qd, t))
    return within(1e-7, S=error(motion.subspace(q), S), drift=error(motion.drift(q, qd), drift))


def measured(joint: Joint, q: np.ndarray) -> list[float]:
    """What the rows of types in the list measure, by geometry: 0 a distance, 1 a cone, 2 a twist about its axis."""
    X = pose_at(joint, q)
    values = []
    for row in joint.kind.limited_quantities:
        n = np.array(joint.direction(row.axis))
        carried = X[:3, :3] @ n
        if row.code == 0:
            values.append(np.linalg.norm(X[:3, 3]))
        elif row.code == 1:
            values.append(np.arccos(np.clip(n @ carried, -1.0, 1.0)))
        else:
            axis = np.cross(n, carried)
            size = np.linalg.norm(axis)
            angle = np.arctan2(size, n @ carried)
            back = matrix_of((0, 0, 0, *quat_of_rotation_vector(-axis * angle / size)))[:3, :3]
            values.append(rotation_angles(back @ X[:3, :3]) @ n)
    return values


def check_rows(joint: Joint, q: np.ndarray, qd: np.ndarray) -> dict[str, float]:
    """Constraint rows against geometry, and their gradients against differences of it."""
    values, gradients = JointMotion(joint).rows(q)

    def along(unit):
        return slope(lambda time: np.array(measured(joint, moved(joint, q, unit, time))), 2e-4)

    wanted = np.array([along(unit) for unit in np.eye(joint.nv)]).reshape(joint.nv, len(values)).T
    return within(1e-7, rows=error(values, measured(joint, q)), gradients=error(gradients, wanted))


def check_forces(joint: Joint, q: np.ndarray, qd: np.ndarray, rng: np.random.Generator) -> dict[str, float]:
    """Springs against the gradient of their energy, dampers and all of dynamics against the balance of power."""
    model = alone(joint, rng)
    compiled = compile_model(model)
    arrays, work = compiled.arrays, make_work(compiled.arrays)
    tau = rng.normal(size=joint.nv)
    still = np.zeros(joint.nv)
    passive = passive_forces(compiled, q, qd)
    spring, damper = passive_forces(compiled, q, still), passive - passive_forces(compiled, q, still)
    qdd = forward_dynamics(compiled, q, qd, tau + passive) if joint.nv else still
    model.gravity = (0.0, 0.0, 0.0)
    weightless = compile_model(model).arrays

    def stored(rates, time):
        return mechanical_energy(weightless, work, moved(joint, q, rates, time), still)[1]

    def energy(time):
        return sum(mechanical_energy(arrays, work, moved(joint, q, qd, time), qd + time * qdd))

    pull = np.array([-slope(lambda t, unit=unit: stored(unit, t)) for unit in np.eye(joint.nv)])
    assert damper @ qd <= 0.0
    return within(
        1e-7,
        springs=error(spring, pull),
        power=error(slope(energy, 2e-4), (tau + damper) @ qd),
        stored=error(stored(still, 0.0), stored_in_springs(joint, q)),
        dampers=error(damper, damped(joint, q, qd)),
    )


def stored_in_springs(joint: Joint, q: np.ndarray) -> float:
    """k x^2 / 2 of every spring; of a chart, x is the way and the rotation vector from the springs' rest."""
    if not joint.kind.chart:
        axes = [joint.axes[column.axis] for column in joint.columns]
        return sum(
            0.5 * axis.spring_stiffness * (value - axis.spring_reference) ** 2
            for axis, value in zip(axes, q, strict=True)
        )
    stiffness, rest = (of_law(joint, name) for name in ("spring_stiffness", "spring_reference"))
    turned = matrix_of((0, 0, 0, *quat_of_rotation_vector(rest[-3:])))[:3, :3].T @ pose_at(joint, q)[:3, :3]
    way = q[:-4] - rest[:-3]
    stretch = np.concatenate([way, rotation_angles(turned)])
    rows = sum(0.5 * axis.spring_stiffness * (value - axis.spring_reference) ** 2 for axis, value in sprung(joint, q))
    return 0.5 * float(stiffness @ stretch**2) + rows


def sprung(joint: Joint, q: np.ndarray) -> list[tuple]:
    """The axes whose springs act on what a row measures, with its value."""
    rows = [row for row in joint.kind.limited_quantities if "spring_stiffness" in joint.kind.axes[row.axis].fields]
    values = dict(zip(joint.kind.limited_quantities, measured(joint, q), strict=True))
    return [(joint.axes[row.axis], values[row]) for row in rows]


def of_law(joint: Joint, name: str) -> np.ndarray:
    """A field of the axis that acts on each velocity of a chart; 0 where none does."""
    law = joint.kind.spring_axes or (None,) * joint.nv
    acts = [axis is not None and name in joint.kind.axes[axis].fields for axis in law]
    return np.array([getattr(joint.axes[axis], name) if on else 0.0 for axis, on in zip(law, acts, strict=True)])


def damped(joint: Joint, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The force of the dampers on each velocity, and on what rows measure along their gradients."""
    if not joint.kind.chart:
        return -np.array([joint.axes[column.axis].damping for column in joint.columns]) * qd
    force = -of_law(joint, "damping") * qd
    for row, gradient in zip(joint.kind.limited_quantities, JointMotion(joint).rows(q)[1], strict=True):
        if "damping" in joint.kind.axes[row.axis].fields:
            force = force - joint.axes[row.axis].damping * gradient * (gradient @ qd)
    return force


def pose_gap(joint: Joint, q, X: np.ndarray) -> float:
    """How far X_J(q) is from X [m, rad]."""
    left = inverse_of(pose_at(joint, np.asarray(q))) @ X
    return float(max(np.abs(left[:3, 3]).max(), np.abs(rotation_angles(left[:3, :3])).max()))


def check_dynamics(joint: Joint, rng: np.random.Generator) -> dict[str, float]:
    """Accelerations where the joint hangs on something that tumbles, from either end, against maximal coordinates."""
    errors = {}
    for backward in (False,) if joint.kind.chart else (False, True):
        ends = {"parent": "link", "child": "base"} if backward else {"parent": "base", "child": "link"}
        free = random_joint("free", rng, "tumbling", (WORLD, "base"))
        links = [random_link(rng, "base"), random_link(rng, "link")]
        compiled = compile_model(Model(links=links, joints=[free, replace(joint, **ends)]))
        assert not compiled.loops
        q, qd = random_tree_state(compiled, rng)
        tau = rng.normal(size=compiled.nv)
        wanted, _ = Maximal(compiled, q, qd).accelerations(tau)
        errors[f"accelerations, {backward=}"] = error(forward_dynamics(compiled, q, qd, tau), wanted)
    return within(1e-9, **errors)


def check_round_trip(joint: Joint, q: np.ndarray, qd: np.ndarray) -> dict[str, float]:
    """From q to a pose and back: the same q from nearby, whole turns included, and the same pose from home.

    Four turns or more about any lines have no closed form, so only from nearby can they be asked for.
    """
    X = joint_pose(joint, q)
    turned = q + whole_turns(joint)
    signs = {}
    if joint.kind.chart:
        other = q.copy()
        other[-4:] *= -1.0
        signs = {"same sign": error(coordinates_at(joint, X, other), other)}
    again, left = rates_at(joint, q, subspace_at(joint, q) @ qd)
    compiled = compile_model(Model(links=[Link("link")], joints=[replace(joint, parent=WORLD, child="link")]))
    start = compiled.q_home if sum(column.turn != 0.0 for column in joint.columns) <= 3 else q
    state = compiled.q_from({joint.name: q} if joint.nq else {})
    found = joint_coordinates(compiled, *forward_kinematics(compiled, state, qd), near=(state, qd))
    return within(
        1e-10,
        **signs,
        same_q=error(coordinates_at(joint, X, q), q),
        whole_turns=error(coordinates_at(joint, X, turned), turned),
        from_home=pose_gap(joint, coordinates_at(joint, X, start), pose_at(joint, q)),
        rates=error(again, qd),
        unexplained=error(left, np.zeros(6)),
        model_q=error(found.q, state),
        model_qd=error(found.qd, qd),
        residual=found.residual,
    )


def whole_turns(joint: Joint) -> np.ndarray:
    """A different number of whole turns for each hinge; a thread has none that leave its pose alone."""
    if joint.kind.chart:
        return np.zeros(joint.nq)
    twists = [twist for twist, locked_at in screws(joint) if locked_at is None]
    ends = [abs(twist[:3] @ twist[3:]) < 1e-12 < np.linalg.norm(twist[3:]) for twist in twists]
    return np.array(
        [
            (2 * i - 3) * math.tau / np.linalg.norm(twist[3:]) if endless else 0.0
            for i, (twist, endless) in enumerate(zip(twists, ends, strict=True))
        ]
    )
