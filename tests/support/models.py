# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that several tests share, made by formula and by seed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

import numpy as np

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compiled import CompiledModel
from limberjack.core.spatial import compose, inverse

MOVING_TYPES = tuple(name for name in JOINT_TYPES if name != "fixed")


def random_pose(rng: np.random.Generator, reach: float = 0.3) -> tuple:
    quat = rng.normal(size=4)
    return (*(rng.normal(size=3) * reach).tolist(), *(quat / np.linalg.norm(quat)).tolist())


def dump(model: Model) -> str:
    """Everything in a model as text, the same for the same model; arrays and bytes as digests of them."""

    def digest(value: np.ndarray | bytes) -> str:
        return hashlib.sha256(value if isinstance(value, bytes) else value.tobytes()).hexdigest()

    return json.dumps(asdict(model), indent=1, default=digest)


def random_unit(rng: np.random.Generator) -> tuple:
    vector = rng.normal(size=3)
    return tuple((vector / np.linalg.norm(vector)).tolist())


def random_link(rng: np.random.Generator, name: str) -> Link:
    """A link with the inertia of a cloud of points, so that it is physical by construction."""
    points = rng.normal(size=(8, 3)) * rng.uniform(0.1, 0.5, size=3)
    points -= points.mean(axis=0)
    mass = rng.uniform(0.5, 3.0)
    covariance = mass * points.T @ points / len(points)
    inertia = np.trace(covariance) * np.eye(3) - covariance
    com = tuple((rng.normal(size=3) * 0.2).tolist())
    return Link(name, mass, com, tuple(inertia[np.triu_indices(3)].tolist()))


def aimed(joint_type: str, axes: list[Axis]) -> list[Axis]:
    """The axes, without directions where the type decides them."""
    kind = JOINT_TYPES[joint_type]
    chosen = [kind.is_open or kind.slot(number).is_pointed for number in range(len(axes))]
    return [axis if own else replace(axis, xyz=Axis.xyz) for axis, own in zip(axes, chosen, strict=True)]


def random_tree(seed: int, size: int = 30) -> Model:
    """A tree in which every joint type occurs, placed as drawn, with springs, dampers and armature left out."""
    rng = np.random.default_rng(seed)
    types = list(JOINT_TYPES)
    model = Model(name=f"tree{seed}")
    for i in range(size):
        model.links.append(random_link(rng, f"link{i}"))
        parent = WORLD if i == 0 else f"link{rng.integers(max(0, i - 4), i)}"
        name = types[i % len(types)]
        drawn = [Axis(xyz=random_unit(rng)) for _ in JOINT_TYPES[name].axes or "ab"]
        axes = aimed(name, drawn if JOINT_TYPES[name].is_open else drawn[: len(JOINT_TYPES[name].axes)])
        model.joints.append(
            Joint(f"joint{i}", name, parent, f"link{i}", random_pose(rng), random_pose(rng), axes, pitch=0.3)
        )
    place(model)
    return model


def random_graph(seed: int, size: int = 24, loops: int = 0, floats: bool = False) -> Model:
    """As `random_tree`, with some joints from child to parent, some axes locked off zero, and `loops` closed as drawn.

    Args:
        floats: let it hang in the world by no joint.
    """
    rng = np.random.default_rng(seed)
    model = random_tree(seed, size)
    # Types in another order than along the tree's index, the world's own joint among them.
    model.joints = [
        Joint(
            j.name,
            name,
            j.parent,
            j.child,
            j.X_PJ,
            j.X_CJ,
            aimed(name, [Axis(random_unit(rng)) for _ in range(6)][: axes(name)]),
            0.3,
        )
        for j, name in zip(model.joints, rng.permutation([j.type for j in model.joints]).tolist(), strict=True)
    ]
    for joint in model.joints:
        if not joint.kind.chart:
            joint.home = tuple((rng.normal(size=len(joint.home)) * 0.5).tolist())
            joint.axes = [replace(axis, locked=bool(rng.random() < 0.2)) for axis in joint.axes]
            if joint.parent != WORLD and rng.random() < 0.4:
                joint.parent, joint.child = joint.child, joint.parent
    if floats:
        del model.joints[0]
        model.links[0].pose = random_pose(rng)
    place(model)
    for i in range(loops):
        one, other = (model.links[n] for n in rng.choice(size, 2, replace=False))
        X_PJ = random_pose(rng)
        X_CJ = compose(inverse(other.pose), compose(one.pose, X_PJ))
        model.joints.append(Joint(f"loop{i}", "ball", one.name, other.name, X_PJ, X_CJ, closes_loop=i % 2 == 0))
    return model


def axes(joint_type: str) -> int:
    """How many axes to give a joint of a type."""
    return len(JOINT_TYPES[joint_type].axes) or 2 * JOINT_TYPES[joint_type].is_open


def place(model: Model) -> None:
    """Put links where the joints' frames put them at q = 0."""
    for name, pose in tree_poses(model).items():
        model.link(name).pose = pose


def random_q(model: Model, seed: int) -> dict[str, list[float]]:
    """Coordinates for every joint that moves, but for those that close loops."""
    rng = np.random.default_rng(seed)
    values, loops = {}, model.tree().loops
    for joint in model.joints:
        if joint.nq and joint not in loops:
            q = rng.normal(size=joint.nq)
            if joint.kind.chart:
                q[-4:] /= np.linalg.norm(q[-4:])
            values[joint.name] = q.tolist()
    return values


def matrix(pose: tuple) -> np.ndarray:
    """A pose (x, y, z, qw, qx, qy, qz) as a 4 x 4 matrix, by Rodrigues' formula from axis and angle."""
    w, v = pose[3], np.array(pose[4:])
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    X = np.eye(4)
    X[:3, :3] += 2.0 * w * K + 2.0 * K @ K
    X[:3, 3] = pose[:3]
    return X


def random_state(compiled: CompiledModel, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=compiled.nq), rng.normal(size=compiled.nv)
    for span in compiled.spans.values():
        if span.joint.kind.chart:
            q[span.q][-4:] /= np.linalg.norm(q[span.q][-4:])
    return q, qd


def chain(size: int, joint_type: str = "revolute") -> Model:
    """Uniform thin rods of 1 m and 1 kg along x, turning about y: horizontal as drawn."""
    model = Model(name=f"chain{size}")
    for i in range(size):
        model.links.append(Link(f"rod{i}", 1.0, (0.5, 0.0, 0.0), (1e-3, 0.0, 0.0, 1 / 12, 0.0, 1 / 12)))
        model.joints.append(
            Joint(
                f"joint{i}",
                joint_type,
                WORLD if i == 0 else f"rod{i - 1}",
                f"rod{i}",
                X_PJ=(0.0 if i == 0 else 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
                axes=aimed(joint_type, [Axis(xyz=(0.0, 1.0, 0.0)) for _ in JOINT_TYPES[joint_type].axes]),
            )
        )
    return model
