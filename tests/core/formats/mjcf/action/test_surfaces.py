# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties: friction as given, and the depth at rest that MuJoCo has."""

import math

import numpy as np
import pytest

from limberjack.core.formats.mjcf.action.surfaces import SOLIMP, impedance
from limberjack.core.geometry.contact_properties import combine_surfaces
from limberjack.core.simulation import Simulation
from support.mjcf_texts import MASS, model_of, reading_of

G = 9.81
RADIUS = 0.1


def ball(attributes="", mass=1.0, rest="", floor="", place=RADIUS):
    bodies = f"""<geom name="floor" type="plane" size="2 2 1" {floor}/>
    <body name="b" pos="0 0 {place}"><freejoint/><geom name="g" size="{RADIUS}" mass="{mass}" {attributes}/></body>"""
    return model_of(bodies, rest)


def surface(attributes="", **parts):
    return ball(attributes, **parts).link("b").collisions[0].surface


def depth_at_rest(model, mass):
    """Return the depth by the stiffness alone, m g / k [m]."""
    return mass * G / model.link("b").collisions[0].surface.stiffness


@pytest.mark.parametrize("mass", [1.0, 100.0])
def test_depth_at_rest(mass):
    """A ball on MuJoCo's default surface rests 0.367 mm deep, whatever its mass, in a simulation of ours."""
    simulation = Simulation(ball(mass=mass, place=RADIUS - 0.0003), np.linspace(0.0, 1.0, 11))
    height = simulation.run().link("b")[-1][2]
    assert RADIUS - height == pytest.approx(0.367e-3, rel=0.1)


def equation(r, solref, solimp):
    """Return the reference acceleration d k r minus the rest of gravity, (1 - d) g. It is 0 at the depth at rest."""
    d = impedance(r, solimp)
    k = 1.0 / (solref[0] * solref[1]) ** 2 if solref[0] > 0.0 else -solref[0]
    return d * d * k / solimp[1] ** 2 * r - (1.0 - d) * G


@pytest.mark.parametrize(
    ("solref", "solimp"),
    [
        ((0.02, 1.0), SOLIMP),
        ((0.005, 1.0), SOLIMP),
        ((0.02, 0.3), SOLIMP),
        ((0.02, 1.0), (0.5, 0.99, 0.01, 0.5, 2.0)),
        ((0.02, 1.0), (0.8, 0.8, 0.01, 0.5, 1.0)),
        ((-5000.0, -100.0), SOLIMP),
        ((0.02, 1.0), (0.9, 0.5, 0.001, 0.5, 2.0)),
        ((0.02, 1.0), (0.9, 0.95, 0.001, 0.001, 400.0)),
        ((-1e5, 0.0), (0.9, 0.95, 0.001, 0.3, 4.0)),
    ],
)
def test_the_depth_solves_mujocos_equation(solref, solimp):
    """The depth at rest follows from solref, also from a direct one, and solimp."""
    text = f'solref="{solref[0]} {solref[1]}" solimp="{" ".join(map(str, solimp))}"'
    depth = depth_at_rest(ball(text), 1.0)
    assert depth > 0.0
    assert equation(depth, solref, solimp) == pytest.approx(0.0, abs=1e-6 * G)


def test_impedance():
    """d goes from d0 to dwidth, is half way at the midpoint for equal powers, and is monotone."""
    solimp = (0.2, 0.8, 0.01, 0.5, 2.0)
    assert impedance(0.0, solimp) == 0.2
    assert impedance(0.01, solimp) == pytest.approx(0.8)
    assert impedance(1.0, solimp) == pytest.approx(0.8)
    assert impedance(0.005, solimp) == pytest.approx(0.5)
    assert impedance(0.0025, solimp) == pytest.approx(0.2 + 0.6 * 0.5 * 0.25)
    values = [impedance(depth, solimp) for depth in np.linspace(0.0, 0.01, 50)]
    assert all(np.diff(values) > 0.0)
    assert impedance(0.0025, (0.2, 0.8, 0.01, 0.5, 1.0)) == pytest.approx(0.35)


def test_impedances_are_bounded():
    """Guards solimp="1 1" and the like, which MuJoCo bounds to 0.9999."""
    assert impedance(0.0, (1.0, 1.0, 0.001, 0.5, 2.0)) == 0.9999
    assert math.isfinite(depth_at_rest(ball('solimp="1 1 0"'), 1.0))
    assert impedance(0.5, (0.9, 0.95, 0.0, 1.0, 9.0)) == pytest.approx(0.95)


@pytest.mark.parametrize(
    "solref", ["1e200 1e200", "1e-200 1e-200", "-1e-320 0", "-1e308 0", "1 1e308", "-1e200 -1e300"]
)
def test_extreme_times(solref):
    """Numbers that nobody means overflow nowhere: the contact is rigid or has a stiffness."""
    assert surface(f'solref="{solref}"').stiffness > 0.0


def test_solimp_may_be_incomplete():
    """The numbers that are left out are MuJoCo's."""
    assert surface('solimp="0.9 0.95"').stiffness == surface().stiffness


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", (1.0, 0.0, 0.0)),
        ('friction="0.5"', (0.5, 0.0, 0.0)),
        ('friction="0.5 0.02 0.003"', (0.5, 0.0, 0.0)),
        ('friction="0.5 0.02 0.003" condim="4"', (0.5, 0.02, 0.0)),
        ('friction="0.5 0.02 0.003" condim="6"', (0.5, 0.02, 0.003)),
        ('condim="1"', (0.0, 0.0, 0.0)),
    ],
)
def test_friction(attributes, expected):
    """condim says which of the three frictions act, of a geom that meets nothing that stands still."""
    found = model_of(f'<body name="b"><freejoint/><geom size="1" {attributes}/></body>').link("b").collisions[0].surface
    assert (found.friction, found.spinning_friction, found.rolling_friction) == expected


@pytest.mark.parametrize(
    ("geom", "floor", "expected"),
    [
        ('friction="0.5"', 'friction="0.3"', (0.5, 0.0, 0.0)),
        ('friction="0.3"', 'friction="0.5"', (0.5, 0.0, 0.0)),
        ('friction="0.3" priority="1"', 'friction="0.5"', (0.3, 0.0, 0.0)),
        ('friction="0.3"', 'friction="0.5" priority="2"', (0.5, 0.0, 0.0)),
        ('friction="0.3" condim="1"', 'friction="0.2" condim="1"', (0.0, 0.0, 0.0)),
        ('friction="0.3" condim="1"', 'friction="0.2"', (0.3, 0.0, 0.0)),
        ('friction="0.3 0.01" condim="4"', 'friction="0.2 0.02"', (0.3, 0.02, 0.0)),
        ('friction="0.3" condim="6"', "", (1.0, 0.005, 0.0001)),
    ],
)
def test_friction_on_a_floor(geom, floor, expected):
    """A geom that moves has on the floor the friction that MuJoCo takes: the larger one, or that of the higher
    priority, with the larger condim (Computation, "Contact parameters")."""
    model = ball(geom, floor=floor)
    surfaces = [model.link(name).collisions[0].surface for name in ("b", "worldbody")]
    found = combine_surfaces(*surfaces)
    assert (found.friction, found.spinning_friction, found.rolling_friction) == expected


def test_links_that_are_fixed_together_share_a_mass():
    """The stiffness is that for the mass of all that is fixed to the link."""
    bodies = f"""<geom type="plane" size="1 1 1"/><body name="b"><freejoint/><geom size="0.1" mass="1"/>
    <body name="c">{MASS}</body></body>"""
    alone = surface()
    together = model_of(bodies).link("b").collisions[0].surface
    assert together.stiffness == pytest.approx(2.0 * alone.stiffness)


def test_what_does_not_move_is_rigid():
    """The floor, and a body that is fixed to the world."""
    model = ball(floor='solref="0.5 1"')
    assert model.link("worldbody").collisions[0].surface.stiffness == math.inf
    fixed = model_of('<body name="b"><geom size="1"/></body>').link("b")
    assert fixed.collisions[0].surface.stiffness == math.inf


def test_without_gravity():
    """Stiffness is finite where nothing rests."""
    assert math.isfinite(surface(rest='<option gravity="0 0 0"/>').stiffness)


def test_different_frictions_are_told():
    """MuJoCo takes the larger of two frictions, we the smaller one; a note tells where two geoms that move have two."""
    bodies = """<geom type="plane" size="1 1 1" friction="0.7"/><body><freejoint/><geom size="1" friction="2"/></body>
    <body><freejoint/><geom size="1" friction="{}"/></body>"""
    for friction, is_told in (("2", False), ("3", True)):
        text = f"<mujoco><worldbody>{bodies.format(friction)}</worldbody></mujoco>"
        notes = reading_of(text).notes
        assert any("different frictions" in note for note in notes) is is_told
