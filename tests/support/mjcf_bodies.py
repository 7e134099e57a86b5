# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of the bodies of a written MJCF file, by the rules of MuJoCo's documentation and without our reader.

It knows what the writer uses: angles in radians, pos and quat, and joints without `ref`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from limberjack.core.kinematics import tree_poses
from limberjack.core.model import Joint, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import compose, inverse, quat_mul


def rotation(quat: Sequence[float]) -> np.ndarray:
    """The matrix of a quaternion w x y z."""
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(quat)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def transform(pos: Sequence[float], R: np.ndarray) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, pos
    return X


def _numbers(element, name: str, default: str) -> list[float]:
    return [float(word) for word in element.get(name, default).split()]


def _moved(joint, values: Mapping[str, Sequence[float]]) -> np.ndarray:
    """The motion of a body by one joint, in its frame before it."""
    value = values[joint.get("name")]
    pos, axis = _numbers(joint, "pos", "0 0 0"), _numbers(joint, "axis", "0 0 1")
    axis /= np.linalg.norm(axis)
    match joint.get("type"):
        case "slide":
            return transform(value[0] * axis, np.eye(3))
        case "hinge":
            R = rotation([np.cos(0.5 * value[0]), *np.sin(0.5 * value[0]) * axis])
        case "ball":
            R = rotation(value)
    return transform(np.asarray(pos) - R @ pos, R)


def body_poses(path: Path, values: Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
    """The 4x4 pose in the world of each body of a file.

    values: the coordinates of each joint by its name in the file; of a free joint, its pose.
    """
    found: dict[str, np.ndarray] = {}

    def walk(element, X):
        for body in element.findall("body"):
            local = transform(_numbers(body, "pos", "0 0 0"), rotation(_numbers(body, "quat", "1 0 0 0")))
            X_WB = X @ local
            for joint in body:
                if joint.tag == "freejoint":
                    value = values[joint.get("name")]
                    X_WB = transform(value[:3], rotation(value[3:]))
                elif joint.tag == "joint":
                    X_WB = X_WB @ _moved(joint, values)
            found[body.get("name")] = X_WB
            walk(body, X_WB)

    walk(ElementTree.parse(path).getroot().find("worldbody"), np.eye(4))
    return found


def names_of(joint: Joint) -> list[str]:
    """The name in the file of each column of a joint of screws; "" if it is written as a constant pose."""
    able = [c for c in joint.columns if np.diff(joint.range_of(c.axis)).item() != 0.0]
    several = len(able) > 1
    return [
        "" if c not in able else f"{joint.name}_{joint.kind.slot(c.axis).name or c.axis + 1}" if several else joint.name
        for c in joint.columns
    ]


def random_values(model: Model, rng: np.random.Generator) -> dict[str, list[float]]:
    """Coordinates of all joints that move in the tree, also outside of limits, for `tree_poses`."""
    compiled = compile_model(model, split_loops=False)
    found = {}
    for name, span in compiled.spans.items():
        values = rng.normal(size=span.joint.nq)
        for place, value in [] if span.joint.kind.chart else span.joint.fixed_columns:
            values[place] = value
        if span.joint.kind.chart:
            values[-4:] /= np.linalg.norm(values[-4:])
        found[name] = values.tolist()
    return found


def values_in_file(model: Model, path: Path, q: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """The coordinates of the file's joints at coordinates of ours; of what floats, its pose.

    A ball of MuJoCo turns in the axes that its body has as drawn.
    """
    poses, drawn = tree_poses(model, q), tree_poses(model)
    owners = {joint.get("name"): body.get("name") for body in ElementTree.parse(path).iter("body") for joint in body}
    found: dict[str, Sequence[float]] = {name: poses[name] for name in model.tree().roots}
    for joint in model.joints:
        if joint.name not in q:
            continue
        if joint.type == "ball":
            turn = compose(inverse(drawn[owners[joint.name]]), compose(drawn[joint.child], joint.X_CJ))[3:]
            back = (turn[0], -turn[1], -turn[2], -turn[3])
            found[joint.name] = quat_mul(quat_mul(turn, tuple(q[joint.name])), back)
        elif joint.kind.chart:
            found[joint.child] = poses[joint.child]
        for name, column, value in zip(names_of(joint), joint.columns, q[joint.name], strict=False):
            slide = column.slide_with(joint.pitch)
            found[name] = [(column.turn or slide) * value]
            if column.turn and slide:
                found[f"{name}_slide"] = [slide * value]
    return found


def pose_error(model: Model, path: Path, q: Mapping[str, Sequence[float]]) -> float:
    """The largest difference between the matrices of a link's pose at q in a model and in its file."""
    ours, theirs = tree_poses(model, q), body_poses(path, values_in_file(model, path, q))
    assert theirs
    return max(float(np.abs(transform(ours[k][:3], rotation(ours[k][3:])) - X).max()) for k, X in theirs.items())
