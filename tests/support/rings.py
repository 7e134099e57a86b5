# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings of links that any joint of theirs can close, so that the same motion comes about in several ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, Joint, Model
from limberjack.core.model.screws import joint_pose
from limberjack.core.spatial import compose, inverse

from .models import aimed, random_link, random_pose, random_unit
from .models import axes as axes_of


def on_trial(joint_type, rng, parent, child):
    """A joint of a type with springs and dampers, away from home where it has coordinates."""
    axes = aimed(joint_type, [Axis(xyz=random_unit(rng)) for _ in range(axes_of(joint_type))])
    if JOINT_TYPES[joint_type].is_open:
        axes = [replace(axes[0], slide=0.1, point=(0.1, 0.0, 0.2)), replace(axes[1], point=(0.0, 0.1, 0.0))]
    joint = Joint("tested", joint_type, parent, child, random_pose(rng), random_pose(rng), axes, pitch=0.3)
    for i, axis in enumerate(joint.axes[: joint.axis_count]):
        known = joint.kind.slot(i).fields
        if "spring_stiffness" in known:
            axis.spring_stiffness = 5.0 + i
        if "spring_reference" in known:
            axis.spring_reference = 0.3 + 0.1 * i
        if "damping" in known:
            axis.damping = 0.2 + 0.1 * i
        if "armature" in known:
            axis.armature = 0.05
    if joint.kind.chart:
        quat = np.array([1.0, 0.1, -0.2, 0.15])
        joint.home = (*((0.2, 0.1, -0.3)[: joint.nq - 4]), *(quat / np.linalg.norm(quat)).tolist())
    else:
        joint.home = tuple((0.2 * rng.normal(size=len(joint.home))).tolist())
    return joint


def springy(name, joint_type, parent, child, X_PJ, X_CJ):
    axes = [Axis(spring_stiffness=20.0 + i, damping=0.3) for i in range(len(JOINT_TYPES[joint_type].axes))]
    return Joint(name, joint_type, parent, child, X_PJ, X_CJ, axes)


def ring(joint_type, closing, backward=False, seed=1):
    """The world, a link on a d6, the joint under test, and a link on a ball, as drawn; `closing` closes the ring."""
    rng = np.random.default_rng(seed)
    one, other = random_link(rng, "one"), random_link(rng, "other")
    one.pose = random_pose(rng)
    ends = ("other", "one") if backward else ("one", "other")
    joint = on_trial(joint_type, rng, *ends)
    across = compose(compose(joint.X_PJ, joint_pose(joint, joint.home)), inverse(joint.X_CJ))
    other.pose = compose(one.pose, inverse(across) if backward else across)
    holds = [random_pose(rng), random_pose(rng)]
    model = Model(links=[one, other])
    model.joints = [
        springy("left", "d6", WORLD, "one", compose(one.pose, holds[0]), holds[0]),
        joint,
        springy("right", "ball", WORLD, "other", compose(other.pose, holds[1]), holds[1]),
    ]
    model.joint(closing).closes_loop = True
    return model


def loose_ring(joint_type, closing, backward=False, seed=1):
    """As `ring`, with a d6 for the ball, so that the joint under test may move as it is told."""
    model = ring(joint_type, closing, backward, seed)
    ball = model.joints.pop()
    model.joints.append(springy("right", "d6", WORLD, "other", ball.X_PJ, ball.X_CJ))
    model.joints[-1].closes_loop = ball.closes_loop
    return model


def grounded(joint_type, closing, backward=False):
    """As `ring`, but a `base` that is fixed to the world takes the ball's place."""
    model = ring(joint_type, "tested", backward)
    pose = model.link("other").pose
    model.link("other").name = "base"
    joint = model.joint("tested")
    joint.parent, joint.child = ("base", "one") if backward else ("one", "base")
    joint.closes_loop = closing == "tested"
    model.joints[2] = Joint("anchor", "fixed", WORLD, "base", pose)
    model.joint("left").closes_loop = closing == "left"
    return model
