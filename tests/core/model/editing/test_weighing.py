# SPDX-License-Identifier: GPL-3.0-or-later
"""Links weighed by the volume of their shapes."""

import math

import pytest

import limberjack as lj
from support.models import dump

DENSITY = 500.0
"""[kg/m^3]"""


def placed(name, geometry, x=0.0):
    return lj.Shape(name, geometry, (x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))


def dumbbell():
    """Two balls of radius 0.2 m whose centres are 1 m apart, on x."""
    return [placed("left", lj.Sphere(0.2), 1.0), placed("right", lj.Sphere(0.2), 2.0)]


def test_shapes_weigh_what_formulas_say():
    """Guards mass, centre and inertia: of a box, and of two balls by the parallel-axis theorem."""
    model = lj.Model(
        links=[
            lj.Link("bar", collisions=[lj.Shape("bar", lj.Box((0.1, 0.2, 3.0)))]),
            lj.Link("bell", visuals=dumbbell()),
        ]
    )
    assert lj.weigh(model, DENSITY) == []
    bar, bell = model.links
    assert bar.mass == pytest.approx(DENSITY * 0.1 * 0.2 * 3.0, rel=1e-14)
    moments = [bar.mass * (a * a + b * b) / 12.0 for a, b in ((0.2, 3.0), (0.1, 3.0), (0.1, 0.2))]
    assert bar.inertia == pytest.approx((moments[0], 0.0, 0.0, moments[1], 0.0, moments[2]), rel=1e-13)
    ball = DENSITY * 4.0 / 3.0 * math.pi * 0.2**3
    assert bell.mass == pytest.approx(2.0 * ball, rel=1e-14)
    assert bell.com == pytest.approx((1.5, 0.0, 0.0), rel=1e-14)
    own = 2.0 * 0.4 * ball * 0.2**2
    around = own + 2.0 * ball * 0.5**2
    assert bell.inertia == pytest.approx((own, 0.0, 0.0, around, 0.0, around), rel=1e-13)


def test_collisions_come_before_visuals():
    """Guards shells that are drawn around what collides; a plane has no volume, so visuals count then."""
    ball, box = lj.Shape("ball", lj.Sphere(0.5)), lj.Shape("box", lj.Box((1.0, 1.0, 1.0)))
    model = lj.Model(links=[lj.Link("a", visuals=[box], collisions=[ball]), lj.Link("b", visuals=[box])])
    model.link("b").collisions = [lj.Shape("floor", lj.Plane())]
    lj.weigh(model, DENSITY)
    assert [link.mass for link in model.links] == pytest.approx([DENSITY * math.pi / 6.0, DENSITY])


def test_only_the_named_links_are_weighed():
    """Guards masses that a user has set, and one name in the place of a list."""
    model = lj.Model(links=[lj.Link(name, collisions=[lj.Shape("s", lj.Box((1, 1, 1)))]) for name in "abc"])
    lj.weigh(model, 10.0, links="b")
    lj.weigh(model, 20.0, links=["c"])
    assert [link.mass for link in model.links] == [1.0, 10.0, 20.0]


def test_a_link_without_volume_keeps_its_mass_and_is_reported():
    """Guards against silence: frames without shapes stay as they are, and meshes that cannot be used are named."""
    tool = lj.Link("tool", mass=0.0, visuals=[lj.Shape("skin", lj.Mesh("gone.stl"))])
    model = lj.Model(links=[lj.Link("bare", mass=3.0), tool])
    lines = lj.weigh(model, DENSITY)
    assert [link.mass for link in model.links] == [3.0, 0.0]
    assert lines[0] == "link 'bare' has no shape whose volume is known; its mass stays 3 kg"
    assert lines[1].startswith("link 'tool': its 'skin' is not weighed: the mesh 'gone.stl': ")
    assert lines[2] == "link 'tool' has no shape whose volume is known; its mass stays 0 kg"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (1.0, ["a", "bare"]),
            r"link 'bare' has no shape whose volume is known; give it a solid such as a box, or set",
        ),
        ((1.0, ["a", "tail"]), "tail"),
        ((0.0,), r"density takes a finite number above 0 \[kg/m\^3\], such as 1000 for water; found 0\.0"),
        ((math.inf,), "density takes a finite number above 0.*found inf"),
        (("steel",), "density takes a finite number above 0.*found 'steel'"),
    ],
)
def test_what_cannot_be_weighed_changes_nothing(arguments, message):
    """Guards the model behind an error: the links before the wrong one keep their masses too."""
    model = lj.Model(links=[lj.Link("a", collisions=[lj.Shape("s", lj.Box((1, 1, 1)))]), lj.Link("bare")])
    before = dump(model)
    with pytest.raises(lj.ModelError, match=message):
        lj.weigh(model, *arguments)
    assert dump(model) == before
