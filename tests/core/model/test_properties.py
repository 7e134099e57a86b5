"""Changes by name."""

import math

import pytest

from limberjack.core.model import WORLD, Joint, Link, Model, ModelError, set_joint_property


@pytest.fixture
def model():
    joints = [Joint("lead", "screw", WORLD, "nut"), Joint("socket", "ball", "nut", "arm")]
    return Model(links=[Link("nut"), Link("arm")], joints=joints)


def test_numbers_arrive(model):
    """Guards each kind of property: of an axis, pitch, and a home of several coordinates."""
    set_joint_property(model, "lead", "damping", "2.5")
    set_joint_property(model, "lead", "upper", "inf")
    set_joint_property(model, "lead", "pitch", "-0.02")
    set_joint_property(model, "socket", "home", "0,1,0,0")
    lead, socket = model.joints
    assert (lead.axes[0].damping, lead.axes[0].upper, lead.pitch) == (2.5, math.inf, -0.02)
    assert socket.home == (0.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("joint", "name", "text", "words"),
    [
        ("led", "damping", "1", "no joint 'led'; there are: lead, socket"),
        ("lead", "dampnig", "1", r"joint 'lead' \(screw\) has no property 'dampnig'; it has: home, pitch, lower"),
        ("socket", "armature", "1", r"joint 'socket' \(ball\) has no property 'armature'; it has: home, lower"),
        ("lead", "damping", "much", r"damping takes 1 number\(s\), found 'much'"),
        ("lead", "damping", "nan", "found 'nan'"),
        ("socket", "home", "1,0", r"home takes 4 number\(s\)"),
    ],
)
def test_what_cannot_be_set_is_explained(model, joint, name, text, words):
    """Guards --set: what was found, what there is."""
    with pytest.raises(ModelError, match=words):
        set_joint_property(model, joint, name, text)
