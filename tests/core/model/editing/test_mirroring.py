# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint's mirror image, against matrices that are reflected as matrices."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.joints import JOINT_TYPES, Column, JointType
from limberjack.core.model import Axis, Joint, Mimic, Model, ModelError
from limberjack.core.model.editing.mirroring import (
    mirror_signs,
    mirrored_inertia,
    mirrored_joint,
    mirrored_mimic,
    mirrored_point,
    mirrored_pose,
    mirrored_turn,
)
from limberjack.core.model.screws import joint_pose, limited_quantities_at
from limberjack.core.simulation import Simulation
from support.conformance import random_coordinates, random_joint
from support.exponentials import matrix_of
from support.models import random_link, random_pose

S = np.diag([-1.0, 1.0, 1.0, 1.0])
TYPES = tuple(JOINT_TYPES)


def reflected(pose):
    return S @ matrix_of(pose) @ S


def mirrored_coordinates(joint, q):
    """Where the image stands: coordinates by the signs of their axes, a chart's as the pose that they are."""
    if not joint.kind.chart:
        signs = mirror_signs(joint)
        return tuple(signs[column.axis] * value for column, value in zip(joint.columns, q, strict=True))
    return (*mirrored_point(q[:-4]), *mirrored_turn(q[-4:])) if len(q) > 4 else mirrored_turn(q)


def any_joint(kind: str, rng: np.random.Generator) -> Joint:
    """With random axes, frames, start, locks, limits, springs and drives."""
    joint = random_joint(kind, rng)
    for axis in joint.axes:
        axis.lower, axis.upper = sorted(rng.uniform(-1.5, 1.5, size=2).tolist())
        axis.lower = -math.inf if rng.random() < 0.2 else axis.lower
        axis.drive_mode = str(rng.choice(["position", "velocity", "force"]))
        axis.drive_target, axis.drive_stiffness, axis.drive_damping = rng.uniform(-1.0, 1.0), 3.0, 0.5
    if joint.kind.chart:
        joint.home = tuple(random_coordinates(joint, rng)[0].tolist())
    return joint


def admits(joint: Joint, q) -> list[bool]:
    """Whether each limited coordinate, and each measured row, is within its limits."""
    places = [(joint.axes[column.axis], q[place], column.axis) for place, column in enumerate(joint.columns)]
    inside = [axis.lower <= value <= axis.upper for axis, value, n in places if joint.kind.slot(n).limited]
    rows = limited_quantities_at(joint, joint_pose(joint, q))
    lowest = [
        joint.axes[row.axis].lower if "lower" in joint.kind.slot(row.axis).fields else row.least for row, *_ in rows
    ]
    return inside + [
        low <= value <= joint.axes[row.axis].upper for low, (row, value, _) in zip(lowest, rows, strict=True)
    ]


@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_image_moves_as_the_image_of_the_motion(kind, seed):
    """Guards every type: frames, poses, rows, limits and home of the image are those that a mirror shows."""
    rng = np.random.default_rng(seed)
    joint = any_joint(kind, rng)
    image = mirrored_joint(joint)
    for side in ("X_PJ", "X_CJ"):
        assert matrix_of(getattr(image, side)) == pytest.approx(reflected(getattr(joint, side)), abs=1e-12)
    for _ in range(3):
        q = random_coordinates(joint, rng)[0].tolist()
        there = mirrored_coordinates(joint, q)
        assert matrix_of(joint_pose(image, there)) == pytest.approx(reflected(joint_pose(joint, q)), abs=1e-12)
        assert admits(image, there) == admits(joint, q)
        rows, images = (
            limited_quantities_at(joint, joint_pose(joint, q)),
            limited_quantities_at(image, joint_pose(image, there)),
        )
        signs = mirror_signs(joint)
        assert [value for _, value, _ in images] == pytest.approx([signs[row.axis] * value for row, value, _ in rows])
    at_home = joint_pose(joint, joint.q_home)
    assert matrix_of(joint_pose(image, image.q_home)) == pytest.approx(reflected(at_home), abs=1e-12)


@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_twice_is_the_joint_itself(kind, seed):
    """Guards that nothing is lost on the way to the mirror and back."""
    joint = any_joint(kind, np.random.default_rng(seed))
    again = mirrored_joint(mirrored_joint(joint))
    assert again.home == pytest.approx(joint.home)
    assert (again.X_PJ, again.X_CJ, again.pitch, again.axes) == (joint.X_PJ, joint.X_CJ, joint.pitch, joint.axes)


@pytest.mark.parametrize("kind", TYPES)
def test_forces_are_mirrored(kind):
    """Guards springs, drives, dampers and limits, whose signs no pose shows: the image swings as the image would."""
    rng = np.random.default_rng(len(kind))
    joint = any_joint(kind, rng)
    for axis in joint.axes:
        axis.locked = False
        axis.stiffness = 1e3
        axis.lower, axis.upper = (-0.3, 0.4) if kind != "distance" else (0.0, 0.5)
    joint = replace(joint, home=joint.neutral)
    link = random_link(rng, "link")
    image = replace(link, com=mirrored_point(link.com), inertia=mirrored_inertia(link.inertia))
    gravity = (2.0, -1.0, -9.81)
    times = np.linspace(0.0, 0.3, 4)
    found = []
    for body, held, pull in ((link, joint, gravity), (image, mirrored_joint(joint), mirrored_point(gravity))):
        run = Simulation(Model(links=[body], joints=[held], gravity=pull), times, accuracy="exact")
        found.append(run.run().X_WL[:, 0])
    assert kind == "fixed" or np.abs(found[0][-1] - found[0][0]).max() > 1e-3
    for pose, seen in zip(*found, strict=True):
        assert matrix_of(seen) == pytest.approx(reflected(pose), abs=1e-7)


def test_signs_of_the_types():
    """Guards what the signs are where a type fixes the direction: x turns alike, y and z the other way."""
    cases = {"d6": (-1, 1, 1, 1, -1, -1), "planar": (-1, 1, -1), "euler_yxz": (-1, 1, -1), "revolute": (1,)}
    for kind, signs in cases.items():
        assert mirror_signs(Joint("joint", kind, "world", "link")) == signs


def test_limits_swap_where_the_sign_changes():
    """Guards the numbers on a sign that flips: what was the upper stop becomes the lower one."""
    turn = Axis(lower=-0.2, upper=1.5, spring_reference=0.3, drive_mode="velocity", drive_target=2.0)
    image = mirrored_joint(Joint("joint", "planar", "world", "link", axes=[Axis(), Axis(), turn], home=(1.0, 2.0, 0.5)))
    found = image.axes[2]
    assert (found.lower, found.upper, found.spring_reference, found.drive_target) == (-1.5, 0.2, -0.3, -2.0)
    assert image.home == (-1.0, 2.0, -0.5)


def test_threads_change_hands():
    """Guards pitch and the slide of a custom screw: the image of a right-handed thread is left-handed."""
    screw = Joint("joint", "screw", "world", "link", pitch=0.01)
    assert mirrored_joint(screw).pitch == -0.01
    custom = Joint("joint", "custom", "world", "link", axes=[Axis(turn=1.0, slide=0.2, point=(0.1, 0.2, 0.3))])
    axis = mirrored_joint(custom).axes[0]
    assert (axis.turn, axis.slide, axis.point) == (1.0, -0.2, (-0.1, 0.2, 0.3))


@pytest.mark.parametrize("leader_kind", ["planar", "revolute"])
def test_mimics_follow_the_signs_of_both(leader_kind):
    """Guards that the image's follower stands where the image of the follower does, wherever the leader is."""
    leader = Joint("leader", leader_kind, "world", "a")
    follower = Joint("follower", "planar", "world", "b")
    number = len(mirror_signs(leader)) - 1
    mimic = Mimic("leader", 1.5, 0.2, 0.1, axis=0, leader_axis=number)
    image = mirrored_mimic(mimic, follower, leader)
    for q in (-0.7, 0.4):
        there = mirrored_coordinates(leader, [q] * leader.nq)[number]
        expected = -(1.5 * (q - 0.1) + 0.2)  # a slide along x is the negative in the mirror
        assert image.multiplier * (there - image.reference) + image.offset == pytest.approx(expected)
        kept = mirrored_mimic(mimic, follower, None)
        assert kept.multiplier * (q - kept.reference) + kept.offset == pytest.approx(expected)


def test_poses_and_inertias():
    """Guards the two against their definitions as matrices."""
    rng = np.random.default_rng(5)
    pose = random_pose(rng)
    assert matrix_of(mirrored_pose(pose)) == pytest.approx(reflected(pose), abs=1e-15)
    inertia = random_link(rng, "link").inertia
    full = np.zeros((3, 3))
    full[np.triu_indices(3)] = inertia
    image = np.zeros((3, 3))
    image[np.triu_indices(3)] = mirrored_inertia(inertia)
    assert image + np.triu(image, 1).T == pytest.approx(S[:3, :3] @ (full + np.triu(full, 1).T) @ S[:3, :3])


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (JointType("thread", "", "", columns=(Column(turn=1.0, slide=0.1),)), "thread"),
        (JointType("off", "", "", columns=(Column(turn=1.0, point=(0.1, 0.0, 0.0)),)), "thread or a point"),
    ],
)
def test_types_without_an_image(kind, message, monkeypatch):
    """Guards that a type whose image is of no type of ours is refused, and not mirrored wrongly."""
    monkeypatch.setitem(JOINT_TYPES, kind.name, kind)
    with pytest.raises(ModelError, match=message):
        mirrored_joint(Joint("joint", kind.name, "world", "link"))
