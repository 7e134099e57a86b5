# SPDX-License-Identifier: GPL-3.0-or-later
"""Geoms: shapes, poses, colours, masks and groups."""

import math

import pytest

from limberjack.core.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere
from limberjack.core.spatial import quat_rotate
from support.mjcf_texts import body, errors_of, issues_of, model_of

CORNERS = "".join(f"{x} {y} {z} " for x in (0, 2) for y in (0, 1) for z in (0, 4))
FACES = "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 1 5 7 1 7 3"
BOX = f'<asset><mesh name="m" vertex="{CORNERS}" face="{FACES}"/></asset>'
"""A box of 2 x 1 x 4 m with a corner at the origin."""


def visual(geom, rest=""):
    (found,) = model_of(body(geom), rest).link("b").visuals
    return found


@pytest.mark.parametrize(
    ("geom", "expected"),
    [
        ('<geom size="0.1"/>', Sphere(0.1)),
        ('<geom type="sphere" size="0.1 5 6"/>', Sphere(0.1)),
        ('<geom type="capsule" size="0.1 0.3"/>', Capsule(0.1, 0.6)),
        ('<geom type="cylinder" size="0.1 0.3"/>', Cylinder(0.1, 0.6)),
        ('<geom type="ellipsoid" size="0.1 0.2 0.3"/>', Ellipsoid((0.1, 0.2, 0.3))),
        ('<geom type="box" size="0.1 0.2 0.3"/>', Box((0.2, 0.4, 0.6))),
        ('<geom type="plane" size="1 2 3"/>', Plane(size=(2.0, 4.0))),
    ],
)
def test_types(geom, expected):
    """MuJoCo's sizes are radii and half lengths; a geom without a type is a sphere."""
    assert visual(geom).geometry == expected


def test_a_plane_without_end():
    """A plane of size 0 is drawn without end; ours is drawn as a large one."""
    geometry = visual('<geom type="plane" size="0 0 1"/>').geometry
    assert isinstance(geometry, Plane)
    assert min(geometry.size) > 1.0


def test_poses():
    """A geom stands at its pos with its orientation, in the body."""
    found = visual('<geom size="0.1" pos="1 2 3" euler="0 0 90"/>')
    assert found.pose == pytest.approx((1, 2, 3, math.sqrt(0.5), 0, 0, math.sqrt(0.5)))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("capsule", Capsule(0.1, 2.0)),
        ("cylinder", Cylinder(0.1, 2.0)),
        ("box", Box((0.2, 0.2, 2.0))),
        ("ellipsoid", Ellipsoid((0.1, 0.1, 1.0))),
    ],
)
def test_fromto(kind, expected):
    """A shape between two points: its middle is between them, and z points to the first one."""
    found = visual(f'<geom type="{kind}" size="0.1" fromto="1 0 0 1 2 0"/>')
    assert found.geometry == expected
    assert found.pose[:3] == pytest.approx((1, 1, 0))
    assert quat_rotate(found.pose[3:], (0.0, 0.0, 1.0)) == pytest.approx((0, -1, 0), abs=1e-12)


def test_fromto_downwards():
    """Guards a shape along -z, whose turn is about x as in MuJoCo although 1e-17 is in place of 0."""
    found = visual('<geom type="box" size="0.1" fromto="0 0 0 1e-17 0 1"/>')
    assert quat_rotate(found.pose[3:], (1.0, 0.0, 0.0)) == pytest.approx((1, 0, 0), abs=1e-9)


def test_fromto_in_a_frame():
    """The points are in the frame around the geom."""
    geom = '<frame pos="0 0 5" euler="90 0 0"><geom type="capsule" size="0.1" fromto="0 0 0 0 0 1"/></frame>'
    found = visual(geom)
    assert found.pose[:3] == pytest.approx((0, -0.5, 5))


def test_fitted_to_a_mesh():
    """A primitive that names a mesh is fitted to it: a box to a mesh that is a box becomes that box."""
    for compiler in ("", '<compiler fitaabb="true"/>'):
        found = visual('<geom type="box" mesh="m"/>', BOX + compiler)
        assert sorted(found.geometry.size) == pytest.approx([1.0, 2.0, 4.0])
        assert found.pose[:3] == pytest.approx((1.0, 0.5, 2.0))


@pytest.mark.parametrize(
    ("masks", "layers", "meets"),
    [
        ("", 1, 1),
        ('contype="2" conaffinity="4"', 2, 4),
        ('contype="0"', 0, 1),
        ('contype="4294967295"', 0xFFFF_FFFF, 1),
        ('contype="-1"', 0xFFFF_FFFF, 1),
    ],
)
def test_masks(masks, layers, meets):
    """Masks have 32 bits."""
    (shape,) = model_of(body(f'<geom size="0.1" {masks}/>')).link("b").collisions
    assert (shape.layers, shape.meets) == (layers, meets)


@pytest.mark.parametrize(
    ("attributes", "is_visual", "collides"),
    [
        ("", True, True),
        ('contype="0" conaffinity="0"', True, False),
        ('contype="0" conaffinity="0" group="4"', True, False),
        ('group="3"', False, True),
        ('group="2"', True, True),
        ('rgba="1 0 0 0"', False, True),
        ('rgba="1 0 0 0" contype="0" conaffinity="0"', False, False),
    ],
)
def test_what_is_seen(attributes, is_visual, collides):
    """A geom that MuJoCo's viewer hides is a collision only, unless it does nothing else."""
    link = model_of(body(f'<geom size="0.1" {attributes}/>')).link("b")
    assert (bool(link.visuals), bool(link.collisions)) == (is_visual, collides)


@pytest.mark.parametrize(
    ("geom", "color"),
    [
        ('<geom size="1"/>', None),
        ('<geom size="1" rgba="1 0 0 0.5"/>', (1.0, 0.0, 0.0, 0.5)),
        ('<geom size="1" material="blue"/>', (0.0, 0.0, 1.0, 1.0)),
        ('<geom size="1" material="blue" rgba="1 0 0 1"/>', (1.0, 0.0, 0.0, 1.0)),
        ('<geom size="1" material="plain"/>', (1.0, 1.0, 1.0, 1.0)),
    ],
)
def test_colours(geom, color):
    """A geom has its own colour, or else its material's."""
    assets = '<asset><material name="blue" rgba="0 0 1 1"/><material name="plain"/></asset>'
    assert visual(geom, assets).color == color


def test_an_image():
    """The image of a texture lies in texturedir."""
    assets = """<compiler texturedir="t"/>
    <asset><texture name="i" type="2d" file="a.png"/><material name="m" texture="i"/></asset>"""
    assert "t/a.png" in str(visual('<geom size="1" material="m"/>', assets).material.texture)


@pytest.mark.parametrize(
    ("geom", "code"),
    [
        ('<geom type="cube" size="1"/>', "bad-value"),
        ("<geom/>", "bad-size"),
        ('<geom size="0"/>', "bad-size"),
        ('<geom size="-1"/>', "bad-size"),
        ('<geom type="box" size="1 1"/>', "bad-size"),
        ('<geom type="box" size="1 1 1 1"/>', "bad-number"),
        ('<geom type="mesh"/>', "no-mesh"),
        ('<geom type="mesh" mesh="z"/>', "unknown-mesh"),
        ('<geom type="capsule" size="1" fromto="0 0 1 0 0 1"/>', "bad-size"),
        ('<geom type="capsule" fromto="0 0 1 0 0 2"/>', "bad-size"),
        ('<geom type="capsule" size="1" fromto="0 0 1"/>', "bad-number"),
        ('<geom size="1" contype="1.5"/>', "bad-number"),
        ('<geom size="1" contype="1e300"/>', "bad-number"),
        ('<geom size="1" condim="x"/>', "bad-number"),
        ('<geom size="1" name="a"/><geom size="1" name="a"/>', "repeated-name"),
    ],
)
def test_wrong_geoms(geom, code):
    """Guards refusals: each text gives exactly one error, as in MuJoCo."""
    assert errors_of(body(geom)) == [code]


def test_a_material_that_is_not_there():
    """It does not matter for the motion, so it is a warning."""
    assert issues_of(body('<geom size="1" material="z"/>')) == [("warning", "unknown-material")]


def test_geoms_without_names():
    """Guards that shapes of one link have different names."""
    names = [shape.name for shape in model_of(body('<geom size="1"/>' * 3)).link("b").visuals]
    assert len({*names}) == 3


def test_sites():
    """A site is a frame of its body; with fromto it is in the middle of the two points."""
    sites = '<site name="s" pos="1 0 0" euler="0 0 90"/><site name="t" type="capsule" size="0.1" fromto="0 0 0 0 0 2"/>'
    first, second = model_of(body(sites)).frames
    assert (first.name, first.link, first.pose[:3]) == ("s", "b", (1.0, 0.0, 0.0))
    assert second.pose[:3] == (0.0, 0.0, 1.0)


def test_a_site_needs_no_size():
    """Guards sites between two points: MuJoCo gives them 5 mm, and they are frames here anyway."""
    (frame,) = model_of(body('<site name="t" type="capsule" fromto="0 0 0 0 0 2"/>')).frames
    assert frame.pose[:3] == (0.0, 0.0, 1.0)


def test_two_sites_of_one_name():
    """The second one is an error, also in another body."""
    assert errors_of(body('<site name="s"/>') + '<site name="s"/>') == ["repeated-name"]
