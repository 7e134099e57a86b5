# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Drake's tests of files (multibody/parsing/test): joints of its own in URDF, and automatic inertia in SDF.

The files are written anew, with the numbers that the tests expect.
"""

from math import inf, pi

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


@pytest.mark.parametrize(("kind", "damping"), [("planar", "0.1 0.1 0.1"), ("ball", "0.1"), ("universal", "0.1")])
def test_damping_of_several_axes(kind, damping, tmp_path):
    """Guards damping of Drake's joints: three numbers for a planar one, one for all axes of the others."""
    inner = '<axis xyz="0 0 1"/>' if kind == "planar" else ""
    joint = read_urdf(tmp_path / "a.urdf", drake_joint(kind, inner, damping)).joint(kind)
    number = 2 if kind == "universal" else 3
    assert differs([each.damping for each in joint.axes[:number]], [0.1] * number) < 1e-12


def test_universal_joint_axes(tmp_path):
    """Guards the axes that a universal joint of Drake's has without a word: x, then y."""
    axes = read_urdf(tmp_path / "a.urdf", drake_joint("universal")).joint("universal").axes
    assert differs([each.xyz for each in axes], [[1, 0, 0], [0, 1, 0]]) < 1e-12


LIMITS = '<limit effort="{}" lower="{}" upper="{}" velocity="{}" drake:acceleration="200"/><dynamics damping="0.1"/>'


@pytest.mark.parametrize(
    ("kind", "numbers", "expected"),
    [
        ("revolute", (100, -1, 2, 100), [100, -1, 2, 100, 0.1]),
        ("prismatic", (0, -2, 1, 5), [0, -2, 1, 5, 0.1]),
        ("revolute", (), [inf, -inf, inf, inf, 0]),
    ],
    ids=["revolute", "prismatic", "no limits"],
)
def test_limits(kind, numbers, expected, tmp_path):
    """Guards effort, position and velocity limits: of a joint without any, all are infinite."""
    ends = '<axis xyz="0 0 1"/><parent link="link1"/><child link="link2"/>'
    inner = ends + (LIMITS.format(*numbers) if numbers else "")
    found = read_urdf(tmp_path / "a.urdf", f'<joint name="j" type="{kind}">{inner}</joint>').joint("j").axes[0]
    assert [found.effort, found.lower, found.upper, found.velocity, found.damping] == expected


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


def read_automatic(path, inertial, collisions):
    """The link of a model whose inertia follows from its collisions, as [mass, centre, six entries of the inertia]."""
    shapes = "".join(
        f"<collision name='c{number}'><pose>{place} 0 0 0</pose><geometry>{geometry}</geometry></collision>"
        for number, (place, geometry) in enumerate(collisions)
    )
    inertial = f'<inertial auto="true">{inertial}</inertial>'
    text = f"<sdf version='1.11'><model name='m'><link name='body'>{inertial}{shapes}</link></model></sdf>"
    (link,) = read(path, text).links
    return [link.mass, *link.com, *link.inertia]


def combined(*parts):
    """Return mass, centre and inertia of parts with (mass, place, inertia about their own centre)."""
    mass = sum(part[0] for part in parts)
    com = sum(part[0] * np.array(part[1], float) for part in parts) / mass
    inertia = np.zeros((3, 3))
    for each, place, own in parts:
        d = place - com
        inertia += own + each * (d @ d * np.eye(3) - np.outer(d, d))
    return [mass, *com, *inertia[np.triu_indices(3)]]


def box(mass, place, x, y, z):
    """A part of `combined`: an even box with these edges [m]."""
    return mass, place, mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])


PLACES = ("1 2 3", (1, 2, 3)), ("10 20 30", (10, 20, 30))


def test_auto_inertia_for_primitives(tmp_path):
    """Guards mass, centre and inertia of a box and a ball in one link, by a density of 25 kg/m^3."""
    geometry = "<box><size>0.2 0.3 0.4</size></box>", "<sphere><radius>0.35</radius></sphere>"
    shapes = [(place, each) for (place, _), each in zip(PLACES, geometry, strict=True)]
    found = read_automatic(tmp_path / "a.sdf", "<density>25</density>", shapes)
    mass = 25 * 4 / 3 * pi * 0.35**3
    ball = mass, PLACES[1][1], 0.4 * mass * 0.35**2 * np.eye(3)
    expected = combined(box(25 * 0.024, PLACES[0][1], 0.2, 0.3, 0.4), ball)
    assert differs(found, expected) < 1e-10 * expected[0] * 1000


CUBE = """v 1 -1 -1\nv 1 -1 1\nv -1 -1 1\nv -1 -1 -1\nv 1 1 -1\nv 1 1 1\nv -1 1 1\nv -1 1 -1
f 1 3 4\nf 8 6 5\nf 5 2 1\nf 6 3 2\nf 3 8 4\nf 1 8 5\nf 1 2 3\nf 8 7 6\nf 5 6 2\nf 6 7 3\nf 3 7 8\nf 1 4 8\n"""
"""A cube of 2 m, in triangles (Drake's tri_cube.obj)."""
INVERTED = """v -1 1 -1\nv -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv 1 -1 1\nv -1 -1 1\nv -1 1 1\nv 1 1 1
f 1 2 3 4\nf 5 6 7 8\n"""
"""Top and bottom of that cube, which face each other (Drake's two_inverted_faces.obj): the volume is negative."""


def mesh(path, text, scale):
    path.write_text(text)
    return f"<mesh><uri>{path.name}</uri><scale>{scale}</scale></mesh>"


@pytest.mark.parametrize(("given", "density"), [("<density>25</density>", 25), ("<mass>25</mass>", 25 / 0.048)])
def test_auto_inertia_for_mesh(given, density, tmp_path):
    """Guards mass, centre and inertia of two scaled meshes in one link, by a density, and scaled to a mass."""
    scales = ("0.1 0.15 0.2", "0.3 0.05 0.2")
    shapes = [
        (place, mesh(tmp_path / "cube.obj", CUBE, scale)) for (place, _), scale in zip(PLACES, scales, strict=True)
    ]
    found = read_automatic(tmp_path / "a.sdf", given, shapes)
    masses = 0.2 * 0.3 * 0.4 * density, 0.6 * 0.1 * 0.4 * density
    expected = combined(box(masses[0], PLACES[0][1], 0.2, 0.3, 0.4), box(masses[1], PLACES[1][1], 0.6, 0.1, 0.4))
    assert differs(found, expected) < 1e-9 * expected[0]


def test_auto_inertia_for_mesh_of_inverted_faces(tmp_path):
    """Guards a mesh without an inside: mass, centre and inertia are those of its convex hull, a box."""
    shapes = [("1 2 3", mesh(tmp_path / "faces.obj", INVERTED, "0.1 0.15 0.2"))]
    found = read_automatic(tmp_path / "a.sdf", "<density>25</density>", shapes)
    assert differs(found, combined(box(0.6, (1, 2, 3), 0.2, 0.3, 0.4))) < 1e-9
