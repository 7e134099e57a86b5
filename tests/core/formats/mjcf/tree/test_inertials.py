# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses and inertias of bodies, against closed forms."""

import math

import numpy as np
import pytest

from limberjack.core.spatial import sym_to_mat
from support.mjcf_texts import errors_of, issues_of, model_of

SPHERE = 4.0 / 3.0 * math.pi * 1000.0
"""Mass of a sphere of 1 m radius of MuJoCo's default density [kg]."""


def link(content, rest=""):
    return model_of(f'<body name="b">{content}</body>', rest).link("b")


def inertia(content, rest=""):
    return np.array(sym_to_mat(link(content, rest).inertia)).reshape(3, 3)


def test_diaginertia():
    """Principal moments are about the axes of <inertial>, which may be turned."""
    turned = '<inertial pos="1 2 3" euler="0 0 90" mass="2" diaginertia="1 2 2.5"/>'
    assert (link(turned).mass, link(turned).com) == (2.0, (1.0, 2.0, 3.0))
    assert inertia(turned) == pytest.approx(np.diag([2.0, 1.0, 2.5]), abs=1e-12)


def test_fullinertia():
    """Its order is xx yy zz xy xz yz."""
    found = inertia('<inertial pos="0 0 0" mass="2" fullinertia="3 4 5 0.1 0.2 0.3"/>')
    assert found == pytest.approx(np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]))


def test_inertia_from_geoms():
    """A body without <inertial> weighs what its geoms weigh; two spheres have the parallel axis theorem's inertia."""
    found = link('<geom size="1" pos="2 0 0"/><geom size="1" pos="-2 0 0" density="1000"/>')
    assert found.mass == pytest.approx(2.0 * SPHERE)
    assert found.com == pytest.approx((0, 0, 0), abs=1e-12)
    about, offset = 0.4 * SPHERE, 4.0 * SPHERE
    moments = inertia('<geom size="1" pos="2 0 0"/><geom size="1" pos="-2 0 0"/>')
    assert moments == pytest.approx(np.diag([2 * about, 2 * (about + offset), 2 * (about + offset)]))


@pytest.mark.parametrize(
    ("geom", "mass"),
    [
        ('<geom size="1" mass="3"/>', 3.0),
        ('<geom size="1" density="2"/>', SPHERE / 500.0),
        ('<geom size="1" mass="3" density="2"/>', 3.0),
        ('<geom size="1" mass="0"/><geom size="1" mass="1"/>', 1.0),
        ('<geom type="plane" size="1 1 1"/><geom size="1" mass="1"/>', 1.0),
        ('<geom size="1" mass="3" shellinertia="true"/>', 3.0),
        ('<geom size="1" density="2" shellinertia="true"/>', 8.0 * math.pi),
    ],
)
def test_masses_of_geoms(geom, mass):
    """mass is used before density, planes weigh nothing, and the density of a shell is per area."""
    assert link(geom).mass == pytest.approx(mass)


def test_shells():
    """A thin shell of a sphere has 2/3 m r^2, a solid one 2/5 m r^2."""
    solid, shell = (inertia(f'<geom size="2" mass="3" {word}/>') for word in ("", 'shellinertia="true"'))
    assert (solid[0, 0], shell[0, 0]) == pytest.approx((0.4 * 12.0, 12.0 * 2.0 / 3.0))


@pytest.mark.parametrize(
    ("compiler", "mass"),
    [
        ("", 1.0),
        ('<compiler inertiafromgeom="auto"/>', 1.0),
        ('<compiler inertiafromgeom="false"/>', 1.0),
        ('<compiler inertiafromgeom="true"/>', 5.0),
        ('<compiler inertiafromgeom="true" inertiagrouprange="0 1"/>', 2.0),
        ('<compiler inertiafromgeom="true" inertiagrouprange="3 4"/>', 3.0),
    ],
)
def test_inertiafromgeom(compiler, mass):
    """Guards which geoms replace an <inertial>, and which groups of them weigh."""
    content = """<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom size="1" mass="2" group="1"/><geom size="1" mass="3" group="3"/>"""
    assert link(content, compiler).mass == mass


def test_groups_without_an_inertial():
    """Guards hands with heavy meshes for the eye: a lost inertiagrouprange turned 34.5 kg into 77.5."""
    content = '<geom size="1" mass="2" group="0"/><geom size="1" mass="3" group="2"/>'
    assert link(content, '<compiler inertiagrouprange="0 0"/>').mass == 2.0


def test_boundmass_and_boundinertia():
    """Least mass and least principal moments; larger ones stay."""
    content = '<inertial pos="0 0 0" euler="0 0 90" mass="0.5" diaginertia="0.1 0.2 0.25"/>'
    compiler = '<compiler boundmass="1" boundinertia="0.15"/>'
    assert link(content, compiler).mass == 1.0
    assert inertia(content, compiler) == pytest.approx(np.diag([0.2, 0.15, 0.25]), abs=1e-12)
    assert link(content, '<compiler boundmass="0.1"/>').mass == 0.5


def test_balanceinertia():
    """Moments that no body can have become their mean; those of real bodies stay."""
    wrong = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/>'
    assert inertia(wrong, '<compiler balanceinertia="true"/>') == pytest.approx(np.diag([2.0, 2.0, 2.0]))
    right = '<inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5"/>'
    assert inertia(right, '<compiler balanceinertia="true"/>') == pytest.approx(np.diag([1.0, 2.0, 2.5]))


def test_settotalmass():
    """All bodies are scaled, masses and inertias, so that they weigh that much together; the world is left out."""
    bodies = """<geom size="1" mass="9"/><body name="a"><geom size="1" mass="1"/></body>
    <body name="b"><geom size="1" mass="3"/></body>"""
    model = model_of(bodies, '<compiler settotalmass="8"/>')
    assert (model.link("a").mass, model.link("b").mass) == pytest.approx((2.0, 6.0))
    assert model.link("b").inertia[0] == pytest.approx(0.4 * 6.0)


def test_the_world_is_not_bounded():
    """boundmass holds for bodies that move or are fixed, but MuJoCo's world has no mass."""
    model = model_of('<geom size="1"/><body name="b"><geom size="1"/></body>', '<compiler boundmass="1"/>')
    assert model.link("worldbody").mass == 0.0


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        ('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/>', ["two-inertias"]),
        ('<inertial pos="0 0 0" mass="x" diaginertia="1 1 1"/>', ["bad-number"]),
        ('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>', ["negative-mass"]),
        ('<inertial pos="0 0 0" mass="1" fullinertia="1 1 1"/>', ["bad-number"]),
    ],
)
def test_wrong_inertials(content, codes):
    """Guards refusals: each text gives exactly one error."""
    assert errors_of(f"<body>{content}</body>") == codes


def test_two_inertials():
    """The first one is read, with a warning."""
    twice = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
    assert ("warning", "repeated-element") in issues_of(f"<body>{twice}</body>")
    assert link(twice).mass == 1.0
