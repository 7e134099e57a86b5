# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of the parts of a body: which way they bend, from where angles count, and that limits contain rest poses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from limberjack.core.characters.anatomy import BodyAxes, Place, anatomy_of
from limberjack.core.characters.body_parts import PARTS, Hinge
from limberjack.core.characters.bone_names import LEFT, MIDDLE, RIGHT
from limberjack.core.characters.joint_ranges import Limb, joint_of_part
from support.skeletons import POSES, body

AXES = BodyAxes((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
SIDES = {".L": LEFT, ".R": RIGHT}
HINGES = {"forearm": AXES.front, "shin": (0.0, 1.0, 0.0)}
"""Direction to which these parts move when they bend: to the front and to the back."""

ANY_TURN = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(Rotation.from_rotvec)
DIRECTION = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 3)
    .filter(lambda v: 0.1 < np.linalg.norm(v))
    .map(lambda v: v / np.linalg.norm(v))
)


def limb_of(bones, name, rotation=None):
    """The part of a bone of a skeleton, whose axes are turned by a rotation."""
    by_name = {bone.name: bone for bone in bones}
    along, above = (
        None if bone is None else np.subtract(bone.tail, bone.head) / np.linalg.norm(np.subtract(bone.tail, bone.head))
        for bone in (by_name[name], by_name.get(by_name[name].parent))
    )
    columns = (rotation or Rotation.identity()).as_matrix().T
    return Limb(tuple(along), None if above is None else tuple(above), tuple(map(tuple, columns)))


def axis_of(made, limb):
    """The first axis of a joint in the axes of the armature."""
    return np.array(limb.rotation).T @ np.array(made.axes[0].xyz) / np.linalg.norm(made.axes[0].xyz)


def bent(made, limb, angle):
    """Direction of the part when its hinge has turned by an angle [rad] from the rest pose."""
    return Rotation.from_rotvec(angle * axis_of(made, limb)).apply(limb.direction)


def angle_between(one, other):
    return math.atan2(np.linalg.norm(np.cross(one, other)), np.dot(one, other))


@pytest.mark.parametrize("part", HINGES)
@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("word", SIDES)
@pytest.mark.parametrize("rest", [0.0, 5.0, 25.0])
def test_elbows_and_knees_bend_the_right_way(part, pose, word, rest):
    """Guards hinges on both sides and in each usual rest pose: at a right angle, the forearm points to the front and
    the shin to the back; the straight limb is the end of the range, whatever the bend at rest."""
    bones = body(pose, elbow=rest, knee=rest)
    limb = limb_of(bones, part + word)
    made = joint_of_part(Place(part, SIDES[word]), limb, AXES)
    assert (made.type, made.turn) == ("revolute", (1.0, 0.0, 0.0, 0.0))
    (axis,) = made.axes
    np.testing.assert_allclose(bent(made, limb, math.radians(90.0 - rest)), HINGES[part], atol=1e-9)
    rule = PARTS[part].joint
    assert isinstance(rule, Hinge)
    assert math.degrees(axis.lower) == pytest.approx(-rest, abs=1e-9)
    assert math.degrees(axis.upper) == pytest.approx(rule.high - rest)
    np.testing.assert_allclose(bent(made, limb, axis.lower), limb.above, atol=1e-9)


@given(DIRECTION, st.floats(10.0, 120.0), st.floats(-60.0, 60.0))
def test_a_bent_limb_tells_its_axis(above, bend, off):
    """Guards elbows that are drawn bent, and not exactly to the front: the axis is perpendicular to both parts, and the
    straight limb counts as 0."""
    front = np.array(AXES.front) - np.dot(AXES.front, above) * above
    if np.linalg.norm(front) < 0.3:
        return
    toward = Rotation.from_rotvec(math.radians(off) * above).apply(front / np.linalg.norm(front))
    along = math.cos(math.radians(bend)) * above + math.sin(math.radians(bend)) * toward
    limb = Limb(tuple(along), tuple(above), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    made = joint_of_part(Place("forearm", LEFT), limb, AXES)
    axis = axis_of(made, limb)
    assert abs(axis @ above) < 1e-9
    assert abs(axis @ along) < 1e-9
    np.testing.assert_allclose(bent(made, limb, made.axes[0].lower), above, atol=1e-9)


@pytest.mark.parametrize("word", SIDES)
def test_arms_held_forward_bend_upward(word):
    """Guards characters that stretch their arms to the front, where elbows cannot bend to the front."""
    limb = Limb(AXES.front, AXES.front, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    made = joint_of_part(Place("forearm", SIDES[word]), limb, AXES)
    np.testing.assert_allclose(bent(made, limb, math.radians(90.0)), AXES.up, atol=1e-12)


@pytest.mark.parametrize("drawn", [-30.0, -5.0])
def test_a_limb_that_is_drawn_bent_the_wrong_way(drawn):
    """Guards overstretched elbows: the rest pose is within the range, which counts from the straight limb."""
    limb = limb_of(body(elbow=drawn), "forearm.L")
    made = joint_of_part(Place("forearm", LEFT), limb, AXES)
    assert made.axes[0].lower <= 0.0 < made.axes[0].upper
    assert math.degrees(made.axes[0].upper) == pytest.approx(145.0 - drawn)
    np.testing.assert_allclose(bent(made, limb, math.radians(90.0 - drawn)), AXES.front, atol=1e-9)


@given(st.sampled_from([*PARTS]), st.sampled_from([*POSES]), st.sampled_from([*SIDES]), ANY_TURN, ANY_TURN)
def test_the_joint_turns_with_the_armature(part, pose, word, turn, roll):
    """Guards armatures in any orientation, and bones with any roll: in the axes of the bone, the joint of a turned body
    is that of the body, and its directions in the armature do not depend on the axes of the bone."""
    name = {"forearm": "forearm", "shin": "shin"}.get(part, "upper_arm") + word
    place = Place(part, SIDES[word])
    limb = limb_of(body(pose), name)
    turned = limb_of(body(pose, turn.as_matrix()), name, turn)
    made = joint_of_part(place, limb, AXES)
    other = joint_of_part(place, turned, BodyAxes(*map(tuple, turn.apply(AXES))))
    assert other.type == made.type
    np.testing.assert_allclose(other.turn, made.turn, atol=1e-9)
    for ours, theirs in zip(made.axes, other.axes, strict=True):
        np.testing.assert_allclose(
            [*theirs.xyz, theirs.lower, theirs.upper], [*ours.xyz, ours.lower, ours.upper], atol=1e-9
        )
    rolled = limb_of(body(pose), name, roll)
    again = joint_of_part(place, rolled, AXES)
    number = 0 if made.type == "revolute" else 3
    np.testing.assert_allclose(roll.apply(again.axes[number].xyz), made.axes[number].xyz, atol=1e-9)


def swing_and_twist(made, limb):
    """Angles by which the rest pose has left the middle of a ball's cone, and twisted [rad].

    In the joint's frame on the part above, which is turned by `turn`, the part at rest is turned by its inverse.
    """
    along = np.array(limb.rotation) @ limb.direction
    rest = Rotation.from_quat(np.roll(made.turn, -1)).inv()
    seen = rest.apply(along)
    axis = np.cross(along, seen)
    swing = angle_between(along, seen)
    back = Rotation.from_rotvec(axis / np.linalg.norm(axis) * -swing if swing > 1e-9 else np.zeros(3))
    return swing, float((back * rest).as_rotvec() @ along)


@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("word", SIDES)
@given(roll=ANY_TURN)
def test_cones_contain_the_rest_pose(pose, word, roll):
    """Guards shoulders in T-pose, A-pose and with hanging arms, and all other balls: the rest pose is within the cone
    with room to move, and is not twisted."""
    bones = body(pose)
    for part in ("upper_arm", "hand", "thigh", "foot", "clavicle"):
        limb = limb_of(bones, part + word, roll)
        made = joint_of_part(Place(part, SIDES[word]), limb, AXES)
        assert made.type == "ball"
        swing, twist = swing_and_twist(made, limb)
        assert swing < made.axes[3].upper - math.radians(10.0), part
        assert abs(twist) < 1e-9
        assert (made.axes[4].lower, made.axes[4].upper) == (-made.axes[4].upper, made.axes[4].upper)
    for part, name in (("spine", "chest"), ("neck", "neck"), ("head", "head")):
        limb = limb_of(bones, name, roll)
        made = joint_of_part(Place(part, MIDDLE), limb, AXES)
        assert swing_and_twist(made, limb) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("part", "allowed", "forbidden"),
    [
        ("upper_arm", {"up and out": (1, 0, 0.3), "front": (0, 1, 0), "down": (0.1, 0, -1)}, {"back": (0, -1, 0)}),
        (
            "thigh",
            {"front": (0, 1, 0), "down": (0, 0, -1), "out": (0.7, 0, -0.7)},
            {"up": (0, 0.1, 1), "back": (0, -1, 0)},
        ),
    ],
)
@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("word", SIDES)
def test_cones_are_those_of_a_body(part, allowed, forbidden, pose, word):
    """Guards the middles of the cones: arms and legs reach to the front and hang down, whatever the rest pose, and do
    not reach straight back. Directions are out, front and up."""
    limb = limb_of(body(pose), part + word)
    made = joint_of_part(Place(part, SIDES[word]), limb, AXES)
    middle = Rotation.from_quat(np.roll(made.turn, -1)).apply(limb.direction)
    outward = SIDES[word] * np.array(AXES.left)
    for directions, is_allowed in ((allowed, True), (forbidden, False)):
        for name, (out, front, up) in directions.items():
            direction = out * outward + front * np.array(AXES.front) + up * np.array(AXES.up)
            assert (angle_between(middle, direction) <= made.axes[3].upper) == is_allowed, name


def test_many_bones_share_the_range_of_a_spine():
    """Guards spines: the ranges of all joints together are those of the part, but each moves by at least 8 degrees."""
    limb = limb_of(body(), "chest")
    for count, cone, twist in ((1, 70.0, 45.0), (2, 35.0, 22.5), (5, 14.0, 9.0), (100, 8.0, 8.0)):
        made = joint_of_part(Place("spine", MIDDLE), limb, AXES, count)
        assert np.degrees([made.axes[3].upper, made.axes[4].upper]) == pytest.approx([cone, twist])
    alone = joint_of_part(Place("limb", MIDDLE), limb, AXES, 5)
    assert math.degrees(alone.axes[3].upper) == pytest.approx(45.0)


@given(st.sampled_from([*PARTS]), st.sampled_from([LEFT, RIGHT]), DIRECTION, DIRECTION)
def test_limbs_of_any_direction_have_a_joint_that_contains_their_rest(part, side, along, above):
    """Guards limbs that are drawn in odd directions: axes are unit vectors, and a hinge's rest is in its range."""
    limb = Limb(tuple(along), tuple(above), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    made = joint_of_part(Place(part, side), limb, AXES)
    assert np.linalg.norm(made.turn) == pytest.approx(1.0)
    for axis in made.axes:
        assert np.linalg.norm(axis.xyz) == pytest.approx(1.0)
        assert axis.lower <= 0.0 <= axis.upper


def test_opposite_of_the_middle():
    """Guards a limb that is drawn exactly opposite to the middle of its cone: it is turned by 180 degrees."""
    middle = np.array(PARTS["thigh"].joint.middle)
    direction = -(middle[0] * np.array(AXES.left) + middle[1] * np.array(AXES.front) + middle[2] * np.array(AXES.up))
    limb = Limb(tuple(direction / np.linalg.norm(direction)), None, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    made = joint_of_part(Place("thigh", LEFT), limb, AXES)
    turned = Rotation.from_quat(np.roll(made.turn, -1)).apply(limb.direction)
    np.testing.assert_allclose(turned, -np.array(limb.direction), atol=1e-9)


def test_a_whole_body():
    """Guards the two modules together: of a body with Mixamo's axes, whose y axis is up, each part has the joint of its
    role, and mirrored parts have the same ranges."""
    turn = Rotation.from_euler("x", -90.0, degrees=True)
    bones = body("A", turn.as_matrix())
    found = anatomy_of(bones, (0.0, 1.0, 0.0))
    for part in ("upper_arm", "forearm", "thigh", "shin", "foot"):
        ranges = []
        for word in SIDES:
            limb = limb_of(bones, part + word, turn)
            made = joint_of_part(found.places[part + word], limb, found.axes)
            ranges.append([(axis.lower, axis.upper) for axis in made.axes])
            if part in HINGES:
                np.testing.assert_allclose(turn.inv().apply(bent(made, limb, math.pi / 2)), HINGES[part], atol=1e-9)
        np.testing.assert_allclose(*ranges, atol=1e-12)
