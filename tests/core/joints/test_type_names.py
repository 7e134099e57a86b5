# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of joint types in other programs, and misspelt ones: the error suggests the type."""

import pytest

import limberjack as lj
from limberjack.core.joints import JOINT_TYPES, type_name, unknown_type
from limberjack.core.joints.types import stem_of

ELSEWHERE = {
    "MATLAB and Simscape": {
        "Revolute Joint": "revolute",
        "Weld Joint": "fixed",
        "6-DOF Joint": "free",
        "Cartesian Joint": "translation",
        "Lead Screw Joint": "screw",
        "Spherical Joint": "ball",
    },
    "RBDL": {
        "JointTypeRevolute": "revolute",
        "JointTypeRevoluteZ": "revolute",
        "JointTypePrismatic": "prismatic",
        "JointTypeFloatingBase": "free",
        "FloatingBase": "free",
        "JointTypeSpherical": "ball",
        "JointTypeEulerZYX": "euler_zyx",
        "JointTypeTranslationXYZ": "translation",
        "JointTypeHelical": "screw",
        "JointTypeFixed": "fixed",
    },
    "Newton": {"REVOLUTE": "revolute", "BALL": "ball", "D6": "d6", "FREE": "free", "DISTANCE": "distance"},
    "Webots": {
        "HingeJoint": "revolute",
        "SliderJoint": "prismatic",
        "BallJoint": "ball",
        "Hinge2Joint": "revolute2",
    },
    "Unity": {
        "RevoluteJoint": "revolute",
        "PrismaticJoint": "prismatic",
        "SphericalJoint": "ball",
        "FixedJoint": "fixed",
        "CharacterJoint": "ball",
        "ConfigurableJoint": "d6",
        "SpringJoint": "distance",
    },
    "URDF": {"Continuous": "continuous", "FLOATING": "free"},
    "MuJoCo": {"slide": "prismatic", "mjJNT_HINGE": "revolute"},
    "Drake": {"WeldJoint": "fixed", "QuaternionFloatingJoint": "free", "BallRpyJoint": "ball"},
    "Pinocchio": {"JointModelRX": "revolute", "JointModelFreeFlyer": "free", "JointModelRUBZ": "continuous"},
    "PyBullet": {"JOINT_REVOLUTE": "revolute", "JOINT_POINT2POINT": "ball"},
    "USD": {"PhysicsRevoluteJoint": "revolute", "PhysicsDistanceJoint": "distance"},
    "misspelt": {"revolut": "revolute", "prizmatic": "prismatic", "fxied": "fixed", "cylinder": "cylindrical"},
}
"""The names that programs give their joint types in their manuals, and the type that moves so here."""


@pytest.mark.parametrize("program", ELSEWHERE)
def test_the_error_names_the_type(program):
    """Guards users of other programs: what they write is either taken, or the error says what to write."""
    for word, name in ELSEWHERE[program].items():
        if type_name(word) is not None:
            assert type_name(word) == name
            continue
        with pytest.raises(lj.ModelError, match=rf"joint 'j': type '{word}' is not known; did you mean '{name}'\? All"):
            lj.Joint("j", word, "a", "b")


def test_what_is_like_no_type_gets_the_list():
    """Guards against wild guesses, and words that are no text."""
    for word in ("pivot", "Joint", "", "gearbox", None, 5):
        assert unknown_type(word) == f"'{word}' is not known; allowed are {', '.join(JOINT_TYPES)}"


def test_no_word_means_two_types():
    """Guards the list of types: a word of another program stands at one type, in the form that is compared."""
    found = [(word, entry.name) for entry in JOINT_TYPES.values() for word in (*entry.aliases, *entry.elsewhere)]
    assert len({word for word, _ in found}) == len(found)
    for word, name in found:
        assert stem_of(word) == word
        assert type_name(word) in (None, name)
