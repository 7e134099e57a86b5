# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Drake's tests of files (multibody/parsing/test): joints of its own in URDF, and automatic inertia in SDF.

The files are written anew, with the numbers that the tests expect.
"""

from math import pi

import numpy as np
import pytest

import limberjack as lj
from support.peers import differs


def read(path, text):
    path.write_text(text)
    return lj.read(path).model


def drake_joint(kind, inner="", damping=""):
    """An element of Drake's own, named after its type, between link1 and link2."""
    dynamics = f'<dynamics damping="{damping}"/>' if damping else ""
    ends = '<parent link="link1"/><child link="link2"/>'
    return f'<drake:joint name="{kind}" type="{kind}">{ends}{inner}{dynamics}</drake:joint>'


def read_urdf(path, joints):
    """A model with the links that its joints name."""
    links = "".join(f'<link name="link{n}"/>' for n in range(1, 5) if f'"link{n}"' in joints)
    return read(path, f'<robot name="a" xmlns:drake="http://drake.mit.edu">{links}{joints}</robot>')


def test_screw_joint(tmp_path):
    """Guards pitch [m a turn], axis and damping of a screw."""
    inner = '<axis xyz="1 0 0"/><drake:screw_thread_pitch value="0.04"/>'
    joint = read_urdf(tmp_path / "a.urdf", drake_joint("screw", inner, "0.1")).joint("screw")
    assert differs([joint.pitch, *joint.axes[0].xyz, joint.axes[0].damping], [0.04, 1, 0, 0, 0.1]) < 1e-12


@pytest.mark.parametrize(("kind", "damping"), [("planar", "0.1 0.1 0.1"), ("ball", "0.1")])
def test_damping_of_three_axes(kind, damping, tmp_path):
    """Guards damping of planar and ball joints: three numbers for the one, one for all axes of the other."""
    inner = '<axis xyz="0 0 1"/>' if kind == "planar" else ""
    joint = read_urdf(tmp_path / "a.urdf", drake_joint(kind, inner, damping)).joint(kind)
    assert differs([each.damping for each in joint.axes[:3]], [0.1] * 3) < 1e-12


@pytest.mark.parametrize(("leads_first", "multiplier", "offset"), [(False, 1.23, 4.56), (True, 6.54, 3.21)])
def test_mimic_forward_and_backward_reference(leads_first, multiplier, offset, tmp_path):
    """Guards mimics of joints that the file names later, or named earlier."""
    ends = '<axis xyz="0 0 1"/><parent link="link{}"/><child link="link{}"/>'
    leader = f'<joint name="leader" type="continuous">{ends.format(1, 2)}</joint>'
    mimic = f'<mimic joint="leader" multiplier="{multiplier}" offset="{offset}"/>'
    follower = f'<joint name="follower" type="continuous">{ends.format(3, 4)}{mimic}</joint>'
    text = leader + follower if leads_first else follower + leader
    found = read_urdf(tmp_path / "a.urdf", text).joint("follower").mimic
    assert differs([found.multiplier, found.offset], [multiplier, offset]) == 0.0


@pytest.mark.parametrize(("normal", "expected"), [("0 1 0", (1.2, 0, -3.4)), ("0 0 1", (1.2, 3.4, 0))])
def test_planar_joint_axis(normal, expected, tmp_path):
    """Guards which way the two slides of a planar joint lead for a normal."""
    model = read_urdf(tmp_path / "a.urdf", drake_joint("planar", f'<axis xyz="{normal}"/>'))
    pose = lj.transform(model, {"planar": [1.2, 3.4, 0]}, "link2", "link1")
    assert differs(pose[:3], expected) < 1e-9


def test_auto_inertia_for_primitives(tmp_path):
    """Guards mass, centre and inertia of a box and a ball in one link, by a density of 25 kg/m^3."""
    shapes = (
        "<collision name='collision1'><pose>1 2 3 0 0 0</pose><geometry><box><size>0.2 0.3 0.4</size></box></geometry>"
        "</collision><collision name='collision2'><pose>10 20 30 0 0 0</pose><geometry><sphere><radius>0.35</radius>"
        "</sphere></geometry></collision>"
    )
    inertial = '<inertial auto="true"><density>25</density></inertial>'
    text = f"<sdf version='1.11'><model name='m'><link name='body'>{inertial}{shapes}</link></model></sdf>"
    (link,) = read(tmp_path / "a.sdf", text).links
    box, ball = 25 * 0.024, 25 * 4 / 3 * pi * 0.35**3
    places = np.array([[1, 2, 3.0], [10, 20, 30.0]])
    com = (box * places[0] + ball * places[1]) / (box + ball)
    own = [box / 12 * np.diag([0.09 + 0.16, 0.04 + 0.16, 0.04 + 0.09]), 0.4 * ball * 0.35**2 * np.eye(3)]
    expected = np.zeros((3, 3))
    for mass, place, each in zip((box, ball), places, own, strict=True):
        d = place - com
        expected += each + mass * (d @ d * np.eye(3) - np.outer(d, d))
    found = [link.mass, *link.com, *link.inertia]
    assert differs(found, [box + ball, *com, *expected[np.triu_indices(3)]]) < 1e-10 * (box + ball) * 1000
