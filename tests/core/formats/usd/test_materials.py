# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of colliders, and colours of what is seen."""

import pytest

from limberjack.core.geometry.contact_properties import Surface
from support.usd import SOLID, body, codes_of, link_of, prim

pytest.importorskip("pxr", reason="usd-core is not installed")

CUBE = ["PhysicsCollisionAPI"]


def material(name: str, content: str) -> str:
    return prim("Material", name, content, ["PhysicsMaterialAPI"])


def surface_of(materials: str, content: str, above: str = "") -> Surface | None:
    """The surface of a cube with this content, in a body with that above it."""
    link = link_of(materials + body("a", f"{SOLID}{above}\n" + prim("Cube", "c", content, CUBE)))
    return link.collisions[0].surface


SLICK = material("slick", "float physics:dynamicFriction = 0.1\nfloat physics:staticFriction = 0.2")
ROUGH = material("rough", "float physics:dynamicFriction = 0.8\nfloat physics:restitution = 0.3")


def test_friction_and_restitution():
    """A coefficient that a material does not give is 0, as the schema says; the default surface counts without one."""
    assert surface_of(SLICK, "rel material:binding = </slick>") == Surface(pytest.approx(0.1), pytest.approx(0.2), 0.0)
    assert surface_of(ROUGH, "rel material:binding = </rough>") == Surface(pytest.approx(0.8), None, pytest.approx(0.3))
    assert surface_of("", "") is None


def test_bindings_by_precedence():
    """The purpose physics comes first, then the nearest binding, unless one above is stronger."""
    physics, plain = "rel material:binding:physics = </slick>", "rel material:binding = </rough>"
    both = SLICK + ROUGH
    assert surface_of(both, f"{physics}\n{plain}").friction == pytest.approx(0.1)
    assert surface_of(both, plain, physics).friction == pytest.approx(0.1)
    assert surface_of(both, "", plain).friction == pytest.approx(0.8)
    assert surface_of(both, plain, physics.replace(":physics", "")).friction == pytest.approx(0.8)
    stronger = 'rel material:binding = </slick> (bindMaterialAs = "strongerThanDescendants")'
    assert surface_of(both, plain, stronger).friction == pytest.approx(0.1)


def test_materials_without_contact_properties_are_none():
    """A look alone leaves the default surface."""
    assert surface_of(prim("Material", "look"), "rel material:binding = </look>") is None


def test_numbers_that_are_no_frictions():
    """Numbers below 0 are errors."""
    text = material("m", "float physics:dynamicFriction = -1") + body(
        "a", f"{SOLID}" + prim("Cube", "c", "rel material:binding = </m>", CUBE)
    )
    assert "bad-number" in codes_of(text)


def color_of(content: str, materials: str = ""):
    link = link_of(materials + body("a", f"{SOLID}" + prim("Cube", "c", content)))
    material_of = link.visuals[0].material
    return material_of and material_of.diffuse


def test_display_colours():
    """A display colour has an opacity of its own; without one, there is no colour."""
    color = "color3f[] primvars:displayColor = [(1, 0.5, 0)]"
    assert color_of(color) == pytest.approx((1, 0.5, 0, 1))
    assert color_of(f"{color}\nfloat[] primvars:displayOpacity = [0.25]") == pytest.approx((1, 0.5, 0, 0.25))
    assert color_of("") is None
    assert color_of("color3f[] primvars:displayColor = []") is None


def test_preview_surfaces():
    """The diffuse colour of a bound material's preview surface comes before the display colour."""
    inputs = "color3f inputs:diffuseColor = (0, 1, 0.5)\nfloat inputs:opacity = 0.5"
    shader = prim("Shader", "s", f'uniform token info:id = "UsdPreviewSurface"\n{inputs}')
    content = "rel material:binding = </m>\ncolor3f[] primvars:displayColor = [(1, 0, 0)]"
    assert color_of(content, prim("Material", "m", shader)) == pytest.approx((0, 1, 0.5, 0.5))
    nested = prim("Material", "m", prim("NodeGraph", "g", shader))
    assert color_of(content, nested) == pytest.approx((0, 1, 0.5, 0.5))
