# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes are values: no two joints share one."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model

COPIES = {
    "replace": dataclasses.replace,
    "copy": Joint.copy,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda joint: pickle.loads(pickle.dumps(joint)),
}
"""Ways to copy a joint."""


def damping_of(joint):
    return [axis.damping for axis in joint.axes]


@pytest.mark.parametrize("kind", [kind.name for kind in JOINT_TYPES.values() if kind.axes])
def test_joints_of_one_axis_have_an_axis_each(kind):
    """Guards against an axis that two joints share: the damping of one is not that of the other."""
    axis = Axis()
    axes = [axis] * len(JOINT_TYPES[kind].axes)
    joints = [Joint(name, kind, WORLD, "link", axes=axes) for name in "ab"]
    before = damping_of(joints[0])
    for own in joints[0].axes:
        own.damping += 1.0
    assert damping_of(joints[0]) == [damping + 1.0 for damping in before]
    assert damping_of(joints[1]) == before
    assert axis.damping == 0.0


def test_axes_of_one_joint_are_apart():
    """Guards lists that repeat an axis, as `[Axis()] * 3` does."""
    joint = Joint("j", "custom", WORLD, "link", axes=[Axis()] * 3)
    joint.axes[0].damping = 1.0
    assert damping_of(joint) == [1.0, 0.0, 0.0]


def put(axes, axis):
    """Put an axis into a list in all ways that lists have."""
    axes.append(axis)
    axes.insert(0, axis)
    axes.extend([axis])
    axes += [axis]
    axes[0] = axis
    axes[1:2] = [axis, axis]


def test_an_axis_that_is_added_is_a_copy():
    """Guards changes of the list: whichever way an axis comes into it, it is the joint's own."""
    axis, joints = Axis(), [Joint(name, "custom", WORLD, "link") for name in "ab"]
    for joint in joints:
        put(joint.axes, axis)
        joint.axes += [axis]
    owned = [id(own) for joint in joints for own in joint.axes]
    assert len({*owned, id(axis)}) == len(owned) + 1 == 13
    joints[0].axes[0].damping = 2.0
    assert damping_of(joints[0]) == [2.0] + [0.0] * 5
    assert damping_of(joints[1]) == [0.0] * 6
    with pytest.raises(TypeError, match=r"the axes of a joint are a list of Axis, found 3\.0; write Axis\(xyz="):
        joints[0].axes.append(3.0)


def test_an_axis_keeps_no_vector_that_can_change():
    """Guards directions: lists and arrays become tuples, so that a change of one axis's direction is no other's."""
    given = [0.0, 1.0, 0.0]
    axes = [Axis(given), Axis(given, point=np.array(given)), Axis(np.array(given))]
    given[1] = 5.0
    assert [axis.xyz for axis in axes] == [(0.0, 1.0, 0.0)] * 3
    assert axes[1].point == (0.0, 1.0, 0.0)
    assert axes[0] == axes[2]


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_of_a_joint_has_axes_of_its_own(way):
    """Guards copies: they are equal, and a change of one's axes or mimic is no other's."""
    joint = Joint("j", "revolute", WORLD, "link", axes=[Axis(damping=3.0)], mimic=Mimic("leader"))
    other = COPIES[way](joint)
    assert other == joint
    other.axes[0].damping, other.mimic.offset = 1.0, 2.0
    other.axes.append(Axis())
    assert damping_of(joint) == [3.0]
    assert joint.mimic.offset == 0.0
    axis = Axis()
    other.axes[0] = axis
    assert other.axes[0] is not axis


def test_a_joint_keeps_a_mimic_of_its_own():
    """Guards mimics that two joints were given: the offset of one is not that of the other."""
    mimic = Mimic("leader")
    joints = [Joint(name, "revolute", WORLD, "link", mimic=mimic) for name in "ab"]
    joints[1].mimic.offset = 1.0
    joints[0].mimic = joints[1].mimic
    joints[0].mimic.offset = 2.0
    assert (mimic.offset, joints[0].mimic.offset, joints[1].mimic.offset) == (0.0, 2.0, 1.0)


def test_copies_of_a_model_have_axes_of_their_own():
    """Guards `Model.copy`, also of a model whose joints were made of one axis."""
    axis = Axis()
    model = Model(links=[Link("a"), Link("b")])
    model.joints = [Joint("one", "revolute", WORLD, "a", axes=[axis]), Joint("two", "revolute", "a", "b", axes=[axis])]
    other = model.copy()
    other.joints[0].axes[0].damping = 1.0
    assert [damping_of(joint) for joint in (*model.joints, *other.joints)] == [[0.0], [0.0], [1.0], [0.0]]
