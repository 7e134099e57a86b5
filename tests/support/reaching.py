# SPDX-License-Identifier: GPL-3.0-or-later
"""Real robots that are asked for poses which they can take, and where links stand by plain products of exponentials."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from limberjack.core.formats import read
from limberjack.core.kinematics import Target
from limberjack.core.model import WORLD, Model
from limberjack.core.model.compiling.compiled import CompiledModel

from .exponentials import inverse_of, matrix_of, pose_at, rotation_angles
from .models import random_pose
from .shared import CORPUS

NEAR = 1e-6
"""Metres and radians at which a robot counts as being where it was asked to be."""


@dataclass(frozen=True)
class Robot:
    """Which links of a URDF file are led; moves_base: its base floats, and is put anywhere."""

    file: str
    links: tuple[str, ...]
    is_turned: bool = True
    moves_base: bool = False

    @property
    def path(self):
        return CORPUS / "urdf" / self.file

    def model(self) -> Model:
        return read(self.path).model


FEET = tuple(f"{end}_FOOT" for end in ("FL", "FR", "HL", "HR"))
ROBOTS = {
    "panda": Robot("erd_panda/panda.urdf", ("panda_hand",)),
    "ur5": Robot("erd_ur5_robot/ur5_robot.urdf", ("tool0",)),
    "solo12": Robot("erd_solo12/solo12.urdf", FEET, is_turned=False),
    "solo12_free": Robot("erd_solo12/solo12.urdf", FEET, is_turned=False, moves_base=True),
}


def random_coordinates(robot: Robot, compiled: CompiledModel, rng: np.random.Generator) -> dict[str, list[float]]:
    """{joint: coordinates} within limits; ones that are wider than half a turn to either side end there."""
    values = {}
    for name, span in compiled.spans.items():
        if span.joint.kind.chart:
            values[name] = list(random_pose(rng)) if robot.moves_base else compiled.q_home[span.q].tolist()
            continue
        ranges = [span.joint.range_of(column.axis) for column in span.joint.columns]
        values[name] = [rng.uniform(max(low, -math.pi), min(high, math.pi)) for low, high in ranges]
    return values


def link_matrices(compiled: CompiledModel, values: Mapping) -> dict[str, np.ndarray]:
    """X_WL of every link that the tree carries, shape (4, 4), from {joint: coordinates}."""
    moving = {name: span.joint for name, span in compiled.spans.items()}
    joints = list({joint.name: joint for joint in compiled.model.joints} | moving)
    known = {joint.name: joint for joint in compiled.model.joints} | moving
    found, waiting = {WORLD: np.eye(4)}, [known[name] for name in joints]
    while waiting:
        placed = [joint for joint in waiting if (joint.parent in found) != (joint.child in found)]
        if not placed:
            return found
        for joint in placed:
            across = pose_at(joint, np.array(values.get(joint.name, ()), float))
            X_PC = matrix_of(joint.X_PJ) @ across @ inverse_of(matrix_of(joint.X_CJ))
            if joint.parent in found:
                found.setdefault(joint.child, found[joint.parent] @ X_PC)
            else:
                found.setdefault(joint.parent, found[joint.child] @ inverse_of(X_PC))
        waiting = [joint for joint in waiting if joint.parent not in found or joint.child not in found]
    return found


def pose_of(X: np.ndarray) -> tuple:
    """x y z qw qx qy qz of a matrix, shape (4, 4)."""
    angles = rotation_angles(X[:3, :3])
    size = np.linalg.norm(angles)
    turned = np.sin(0.5 * size) * angles / size if size else np.zeros(3)
    return (*X[:3, 3].tolist(), math.cos(0.5 * size), *turned.tolist())


def targets_at(robot: Robot, poses: Mapping[str, tuple]) -> list[Target]:
    """That its led links be there."""
    return [
        Target(link, place=poses[link][:3], turn=poses[link][3:] if robot.is_turned else None) for link in robot.links
    ]


def apart(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Distance [m] and angle [rad] between two poses, shape (4, 4) each."""
    turned = rotation_angles(one[:3, :3].T @ other[:3, :3])
    return float(np.linalg.norm(one[:3, 3] - other[:3, 3])), float(np.linalg.norm(turned))


def is_at(robot: Robot, found: Mapping[str, np.ndarray], wanted: Mapping[str, np.ndarray]) -> bool:
    """Whether the led links stand where they should, by matrices of shape (4, 4)."""
    for link in robot.links:
        distance, angle = apart(found[link], wanted[link])
        if distance > NEAR or (robot.is_turned and angle > NEAR):
            return False
    return True


def beyond_limits(model: Model, values: Mapping) -> float:
    """How far coordinates {joint: numbers} are beyond their limits at most [rad or m]."""
    worst = 0.0
    for joint in model.joints:
        if joint.kind.chart:
            continue
        for column, value in zip(joint.columns, values.get(joint.name, ()), strict=True):
            low, high = joint.range_of(column.axis)
            worst = max(worst, low - value, value - high)
    return worst
