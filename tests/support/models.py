"""Models that several tests share, made by formula and by seed."""

from __future__ import annotations

import numpy as np

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, CompiledModel, Joint, Link, Model

MOVING_TYPES = tuple(name for name in JOINT_TYPES if name != "fixed")


def random_pose(rng: np.random.Generator, reach: float = 0.3) -> tuple:
    quat = rng.normal(size=4)
    return (*(rng.normal(size=3) * reach).tolist(), *(quat / np.linalg.norm(quat)).tolist())


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


def random_tree(seed: int, size: int = 30) -> Model:
    """A tree in which every joint type occurs, with springs, dampers and armature left out."""
    rng = np.random.default_rng(seed)
    types = list(JOINT_TYPES)
    model = Model(name=f"tree{seed}")
    for i in range(size):
        model.links.append(random_link(rng, f"link{i}"))
        parent = WORLD if i == 0 else f"link{rng.integers(max(0, i - 4), i)}"
        name = types[i % len(types)]
        axes = [Axis(xyz=random_unit(rng)) for _ in JOINT_TYPES[name].axes or "ab"]
        model.joints.append(
            Joint(f"joint{i}", name, parent, f"link{i}", random_pose(rng), random_pose(rng), axes, pitch=0.3)
        )
    return model


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
                axes=[Axis(xyz=(0.0, 1.0, 0.0)) for _ in JOINT_TYPES[joint_type].axes],
            )
        )
    return model
