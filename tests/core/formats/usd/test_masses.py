# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of bodies: what MassAPI says takes precedence over what follows from colliders."""

import math

import pytest

from limberjack.core.spatial import compose
from support.usd import body, codes_of, link_of, model_of, prim

pytest.importorskip("pxr", reason="usd-core is not installed")

MASS = ("PhysicsCollisionAPI", "PhysicsMassAPI")


def cube(content: str = "", name: str = "c", **place: object) -> str:
    """A collider: a cube with edges of one unit, of 1000 kg and 166.7 kg m^2 as water."""
    return prim("Cube", name, f"double size = 1\n{content}", MASS, **place)


def diagonal(link) -> tuple[float, float, float]:
    xx, _, _, yy, _, zz = link.inertia
    return xx, yy, zz


def test_nothing_is_given():
    """Colliders count as water; a body without any is told, and gets 1 kg."""
    link = link_of(body("a", cube(at=(1, 2, 3))))
    assert link.mass == pytest.approx(1000)
    assert link.com == pytest.approx((1, 2, 3))
    assert diagonal(link) == pytest.approx((1000 / 6,) * 3)
    assert link_of(body("a", "")).mass == 1.0
    assert codes_of(body("a", "")) == ["no-mass"]


def test_units_of_mass_and_length():
    """Masses are in units of the stage, the density of water is not."""
    units = {"unit": 0.01, "metadata": "kilogramsPerUnit = 2"}
    link = link_of(body("a", cube()), **units)
    assert link.mass == pytest.approx(0.001)
    link = link_of(body("a", "float physics:mass = 3\nfloat3 physics:diagonalInertia = (1, 2, 3)"), **units)
    assert link.mass == pytest.approx(6)
    assert diagonal(link) == pytest.approx((2e-4, 4e-4, 6e-4))
    assert link_of(body("a", cube("float physics:density = 5")), **units).mass == pytest.approx(10)


def test_a_mass_scales_the_inertia_of_the_shapes():
    """The mass of a body replaces that of its colliders, and leaves where it lies."""
    link = link_of(body("a", "float physics:mass = 6\n" + cube(at=(1, 0, 0))))
    assert (link.mass, link.com) == (6, pytest.approx((1, 0, 0)))
    assert diagonal(link) == pytest.approx((1, 1, 1))


def test_a_body_that_is_its_own_collider_counts_once():
    """A cube with both schemas has one collision, one visual and the mass of one cube."""
    link = link_of(body("a", "double size = 1\nfloat physics:density = 5", ["PhysicsCollisionAPI"], kind="Cube"))
    assert link.mass == pytest.approx(5)
    assert (len(link.collisions), len(link.visuals)) == (1, 1)


@pytest.mark.parametrize("given", ["float physics:mass = 0", "float physics:density = 0", ""])
def test_zero_and_infinity_are_not_given(given):
    """The schema's own defaults, written out, change nothing."""
    infinite = "point3f physics:centerOfMass = (-inf, -inf, -inf)\nfloat3 physics:diagonalInertia = (0, 0, 0)"
    axes = "quatf physics:principalAxes = (0, 0, 0, 0)"
    link = link_of(body("a", "\n".join([given, infinite, axes, cube(at=(1, 0, 0))])))
    assert link.mass == pytest.approx(1000)
    assert link.com == pytest.approx((1, 0, 0))


def test_a_centre_moves_the_inertia_of_the_shapes():
    """The inertia of shapes is taken about the centre that is given, as pxr's ComputeMassProperties does."""
    link = link_of(body("a", "float physics:mass = 6\npoint3f physics:centerOfMass = (0, 0, 0)\n" + cube(at=(1, 0, 0))))
    assert link.com == (0, 0, 0)
    assert diagonal(link) == pytest.approx((1, 7, 7))


def test_a_centre_scales_with_its_body():
    """The centre is in the scaled axes of the prim."""
    given = "float physics:mass = 1\npoint3f physics:centerOfMass = (1, 2, -1)"
    link = link_of(body("a", given, at=(10, 0, 0), size=(2, 3, -4)), unit=0.01)
    assert compose(link.pose, (*link.com, 1, 0, 0, 0))[:3] == pytest.approx((0.12, 0.06, 0.04))


def test_principal_axes():
    """Moments are along axes that are turned against the body."""
    turned = "quatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)"
    given = f"float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 2, 2.5)\n{turned}"
    assert diagonal(link_of(body("a", given))) == pytest.approx((2, 1, 2.5))


def test_the_tensor_of_newtons_schema_comes_first():
    """newton:inertia, in the order xx yy zz xy xz yz, takes precedence over the moments."""
    given = "float[] newton:inertia = [3, 4, 5, 0.1, 0.2, 0.3]\nfloat3 physics:diagonalInertia = (1, 1, 1)"
    link = link_of(body("a", f"float physics:mass = 1\n{given}"))
    assert link.inertia == pytest.approx((3, 0.1, 0.2, 4, 0.3, 5))


def test_densities_by_precedence():
    """The density of a collider comes before that of its body, and that before its material's."""
    material = prim("Material", "m", "float physics:density = 3", ["PhysicsMaterialAPI"])
    bind = "rel material:binding:physics = </m>"
    body_has, both = (
        body("a", f"float physics:density = 5\n{cube(content + bind)}")
        for content in ("", "float physics:density = 7\n")
    )
    assert link_of(material + body("a", cube(bind))).mass == pytest.approx(3)
    assert link_of(material + body_has).mass == pytest.approx(5)
    assert link_of(material + both).mass == pytest.approx(7)


def test_masses_of_colliders_add_up():
    """Each collider may have a mass, a centre and an inertia of its own."""
    heavy = cube("float physics:mass = 3\npoint3f physics:centerOfMass = (0.5, 0, 0)", at=(1, 0, 0))
    link = link_of(body("a", heavy))
    assert (link.mass, link.com) == (pytest.approx(3), pytest.approx((1.5, 0, 0)))
    assert diagonal(link) == pytest.approx((0.5, 1.25, 1.25))
    link = link_of(body("a", heavy + cube("float physics:mass = 1", "d", at=(-0.5, 0, 0))))
    assert (link.mass, link.com) == (pytest.approx(4), pytest.approx((1, 0, 0)))
    turned = cube("float physics:mass = 3\nfloat3 physics:diagonalInertia = (1, 2, 3)", turn=(0.5, 0.5, 0.5, 0.5))
    assert diagonal(link_of(body("a", turned))) == pytest.approx((3, 1, 2))


def test_a_body_with_a_centre_and_no_shape():
    """Its inertia is that of a ball about the centre that is given."""
    link = link_of(body("a", "float physics:mass = 2\npoint3f physics:centerOfMass = (5, 0, 0)"))
    xx, yy, zz = diagonal(link)
    assert link.com == (5, 0, 0)
    assert xx == yy == zz
    assert 0 < xx < 0.1


def test_numbers_that_are_not_masses():
    """Masses and densities below 0, and those that are no numbers, are errors."""
    for given in ("float physics:mass = -1", "float physics:density = -1", "float physics:mass = nan"):
        assert "bad-number" in codes_of(body("a", given + "\n" + cube()))
    assert "bad-number" in codes_of(body("a", "float physics:mass = 1\nfloat3 physics:diagonalInertia = (inf, 1, 1)"))


def test_shapes_of_instances_are_weighed():
    """A body in an instance weighs as much as the same body written out."""
    part = prim("Xform", "part", body("b", cube(at=(1, 0, 0))))
    instance = prim("Xform", "two", "", metadata="instanceable = true\nreferences = </part>", at=(5, 0, 0))
    links = model_of(part + instance).links
    assert [link.mass for link in links] == pytest.approx([1000, 1000])
    assert links[1].pose[0] == pytest.approx(5)
    assert links[1].com == pytest.approx((1, 0, 0))
    assert math.isclose(links[0].inertia[0], links[1].inertia[0])
