# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of every joint type that Pinocchio has, in chains built there by its own API."""

from __future__ import annotations

import json
import math
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.dynamics import forward_dynamics
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model.compiling.compile import compile_model
from support.conformance import random_chain, random_coordinates
from support.exponentials import inverse_of, matrix_of
from support.judges import PYTHON, needs_python_judges

SEEDS = range(4)
STAGES = 6


def hinge(joint, number=0):
    return ["RevoluteUnaligned", list(joint.direction(number))]


def slider(joint, number=0):
    return ["PrismaticUnaligned", list(joint.direction(number))]


def in_series(joint):
    """One hinge or slider for each column of ours, about and along one point."""
    make = {True: hinge, False: slider}
    return [make[column.turn != 0.0](joint, column.axis) for column in joint.columns]


def helical(joint):
    """Its pitch is in metres per radian, ours in metres per turn."""
    return ["HelicalUnaligned", list(joint.direction(0)), joint.pitch / math.tau]


THEIRS = {
    "revolute": hinge,
    "prismatic": slider,
    "screw": helical,
    "continuous": lambda joint: [f"RUB{'XYZ'[np.argmax(joint.direction(0))]}"],
    "universal": lambda joint: ["Universal", list(joint.direction(0)), list(joint.direction(1))],
    "revolute2": in_series,
    "cylindrical": in_series,
    "planar": lambda joint: ["Planar"],
    "euler_zyx": lambda joint: ["SphericalZYX"],
    "euler_xyz": in_series,
    "euler_yxz": in_series,
    "euler_zxy": in_series,
    "translation": lambda joint: ["Translation"],
    "d6": in_series,
    "ball": lambda joint: ["Spherical"],
    "free": lambda joint: ["FreeFlyer"],
    "distance": lambda joint: ["FreeFlyer"],  # rows and stops exert no force here
    "cable": lambda joint: ["FreeFlyer"],
}


def planar_turn(angle):
    """From our velocities, x and y in the parent-side frame, to theirs, in the child-side one: V = A qd."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def their_state(joint, q, qd, tau):
    """(q, v, tau, A, drift) in their coordinates: v = A qd, so v' = A qdd + drift, and A^T takes their tau to ours."""
    A, drift = np.eye(joint.nv), np.zeros(joint.nv)
    if joint.kind.chart:  # w last; velocities are in the child-side frame there too, the linear ones first
        q = np.array([*q[:-4], *q[-3:], q[-4]])
    elif joint.type == "continuous":  # a cosine and a sine
        q = np.array([math.cos(q[0]), math.sin(q[0])])
    elif joint.type == "planar":  # x, y, cosine, sine; velocities in the child-side frame
        A = planar_turn(q[2])
        drift = qd[2] * np.array([A[1, :2] @ qd[:2], -A[0, :2] @ qd[:2], 0.0])
        q = np.array([q[0], q[1], math.cos(q[2]), math.sin(q[2])])
    return q, A @ qd, np.linalg.solve(A.T, tau), A, drift


def parts(X):
    return [X[:3, :3].tolist(), X[:3, 3].tolist()]


def chain_with_states(joint_type, seed):
    """A chain of ours with a state, the same for Pinocchio, and how its accelerations become ours."""
    rng = np.random.default_rng(seed)
    model = random_chain(rng, joint_type, STAGES)
    for joint in model.joints:
        joint.axes = [replace(axis, locked=False, armature=0.0) for axis in joint.axes]
        joint.home = joint.neutral
        if joint_type == "continuous":  # its Python makes an endless hinge about a coordinate axis only
            joint.axes = [replace(joint.axes[0], xyz=tuple(rng.permutation([1.0, 0.0, 0.0]).tolist()))]
        if joint_type == "universal":  # Pinocchio's is the cross of a drive shaft, at right angles
            across = np.cross(joint.axes[0].xyz, joint.axes[1].xyz)
            joint.axes[1] = replace(joint.axes[1], xyz=tuple((across / np.linalg.norm(across)).tolist()))
    compiled = compile_model(model)
    q, qd, tau = np.zeros(compiled.nq), np.zeros(compiled.nv), 5.0 * rng.normal(size=compiled.nv)
    stages, back, before = [], [], np.eye(4)
    for joint, link in zip(model.joints, model.links, strict=True):
        span = compiled.spans[joint.name]
        q[span.q], qd[span.v] = random_coordinates(joint, rng)
        their_q, v, force, A, drift = their_state(joint, q[span.q], qd[span.v], tau[span.v])
        xx, xy, xz, yy, yz, zz = link.inertia
        to_link = inverse_of(matrix_of(joint.X_CJ))  # their links have their frame at the joint
        stages.append(
            {
                "joint": THEIRS[joint_type](joint),
                "placement": parts(before @ matrix_of(joint.X_PJ)),
                "body": parts(to_link),
                "mass": link.mass,
                "com": link.com,
                "inertia": [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
                "q": their_q.tolist(),
                "v": v.tolist(),
                "tau": force.tolist(),
            }
        )
        back.append((span, A, drift))
        before = to_link
    return forward_dynamics(compiled, q, qd, tau), stages, back


@needs_python_judges
@pytest.mark.parametrize("joint_type", tuple(THEIRS))
def test_accelerations_are_pinocchios(joint_type, tmp_path):
    """Guards each type's columns or chart, its velocity coordinates, and ABA over it, by another engine's."""
    cases = [chain_with_states(joint_type, seed) for seed in SEEDS]
    asked = tmp_path / "chains.json"
    asked.write_text(json.dumps([stages for _, stages, _ in cases]))
    script = Path(__file__).with_name("pinocchio_joints.py")
    told = subprocess.run([PYTHON, script, asked], capture_output=True, text=True, check=True).stdout
    for (ours, _, back), theirs in zip(cases, json.loads(told), strict=True):
        expected, start = np.zeros(len(ours)), 0
        for span, A, drift in back:
            v = np.array(theirs[start : start + len(drift)])
            expected[span.v] = np.linalg.solve(A, v - drift)
            start += len(drift)
        assert np.abs(ours - expected).max() <= 1e-9 * np.abs(expected).max()


def test_only_fixed_and_open_types_are_left_out():
    """Guards the table above: a new type must be put before Pinocchio, or said here to be none of its own."""
    assert set(JOINT_TYPES) - set(THEIRS) == {"fixed", "custom"}
