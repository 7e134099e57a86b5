# SPDX-License-Identifier: GPL-3.0-or-later
"""The axes of a joint are those that were given, in the places that its type has for them."""

from dataclasses import replace

import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.model.editing.editing import replace_joint

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def six_axes(*axes):
    return Joint("j", "d6", WORLD, "link", axes=[*axes])


def moved(joint, q):
    """Pose of the link at coordinates."""
    return forward_kinematics(Model("m", [Link("link")], [joint]), q)[0][0]


def test_a_short_list_names_the_axes_that_move():
    """Guards what was given: a turn about x and one about z once became slides along x and y, with all others free."""
    joint = six_axes(Axis(Z, damping=2.0), Axis(X, damping=1.0))
    assert [axis.locked for axis in joint.axes] == [True, True, True, False, True, False]
    assert [axis.damping for axis in joint.axes] == [0.0, 0.0, 0.0, 1.0, 0.0, 2.0]
    assert joint.nv == 2
    half = 0.5**0.5
    assert moved(joint, [0.0, 1.5707963267948966]) == pytest.approx([0.0, 0.0, 0.0, half, 0.0, 0.0, half])


def test_a_short_list_tells_slides_from_turns():
    """Guards slides: an axis that slides takes the place of the slide along its direction, of any length."""
    joint = six_axes(Axis((0.0, 3.0, 0.0), slide=1.0, lower=-0.5), Axis(Y, turn=1.0))
    assert [axis.locked for axis in joint.axes] == [True, False, True, True, False, True]
    assert joint.axes[1].lower == -0.5
    assert joint.axes[1].xyz == Y
    assert moved(joint, [0.3, 0.0]) == pytest.approx([0.0, 0.3, 0.0, 1.0, 0.0, 0.0, 0.0])


def test_a_whole_list_and_none():
    """Guards the other ways: six axes stand in the type's order, and none at all leaves all six free."""
    assert six_axes().nv == 6
    whole = six_axes(*[Axis(locked=number != 1) for number in range(6)])
    assert [axis.xyz for axis in whole.axes] == [X, Y, Z, X, Y, Z]
    assert moved(whole, [0.3]) == pytest.approx([0.0, 0.3, 0.0, 1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("axes", "told"),
    [
        (
            [Axis((0.6, 0.8, 0.0))],
            "its axes cannot turn about 0.6 0.8 0; in a list of fewer than 6, axes are 1 0 0, 0 1 0",
        ),
        ([Axis((-1.0, 0.0, 0.0), slide=1.0)], "its axes cannot slide along -1 0 0; in a list of fewer than 6"),
        ([Axis((0.0, 0.0, 0.0))], "its axes cannot turn about 0 0 0; "),
        ([Axis(X), Axis(X)], "two of its axes turn about 1 0 0; list each axis that moves once"),
        (
            [Axis(X)] * 6,
            "its axis y always points along 0 1 0, found 1 0 0; leave xyz out, and turn the joint's frames",
        ),
    ],
)
def test_a_direction_that_cannot_be_is_refused(axes, told):
    """Guards against an axis that is taken for another in silence."""
    with pytest.raises(ModelError, match=rf"^joint 'j' \(d6\): {told}"):
        six_axes(*axes)
    joint = six_axes()
    with pytest.raises(ModelError, match=rf"^joint 'j' \(d6\): {told}"):
        joint.axes = axes


@pytest.mark.parametrize(
    "name", [kind.name for kind in JOINT_TYPES.values() if any(slot.direction for slot in kind.axes)]
)
def test_a_type_that_decides_a_direction_is_never_given_another(name):
    """Guards every type: the direction of a slot that has its own is refused, not replaced."""
    kind = JOINT_TYPES[name]
    own = [Axis(slot.direction) if slot.direction else Axis() for slot in kind.axes]
    assert Joint("j", name, WORLD, "link", axes=own) == Joint("j", name, WORLD, "link")
    for number, slot in enumerate(kind.axes):
        if slot.direction:
            wrong = [replace(axis, xyz=(0.0, 0.6, 0.8)) if place == number else axis for place, axis in enumerate(own)]
            with pytest.raises(ModelError, match=r"always points along .*, found 0 0.6 0.8; leave xyz out"):
                Joint("j", name, WORLD, "link", axes=wrong)


def test_another_type_takes_its_own_directions():
    """Guards `joint.type = …`: a hinge about y becomes six axes, and its direction is not in the way."""
    joint = Joint("j", "revolute", WORLD, "link", axes=[Axis(Y, upper=1.0)])
    joint.type = "d6"
    assert [axis.xyz for axis in joint.axes] == [X, Y, Z, X, Y, Z]
    assert joint.nv == 6


@pytest.mark.parametrize("name", [kind.name for kind in JOINT_TYPES.values() if not kind.is_open])
def test_a_joint_that_another_replaces_has_all_its_axes(name):
    """Guards replace_joint: the axes that an old joint has not are free, and no short list is taken for a choice."""
    model = Model("m", [Link("link")], [Joint("j", "universal", WORLD, "link", axes=[Axis(Z), Axis(Y)])])
    assert replace_joint(model, "j", name).nv == Joint("j", name, WORLD, "link").nv
