# SPDX-License-Identifier: GPL-3.0-or-later
"""Links in wire or bounds display are found by the mouse: on their edges, and inside their silhouette."""

import math

import bpy
import pytest
from mathutils import Vector

from limberjack.addon.bridge.viewport.wires import wire_link_near
from limberjack.addon.ops.views import link_at

from .conftest import link
from .test_pick import View

DISPLAYS = ["WIRE", "BOUNDS"]


@pytest.fixture
def cage(build):
    """A link of 2 m in the origin."""
    cube = build.cube("cage")
    build.tag(cube)
    return cube


def found_at(view, point, aside=0.0):
    """The name of the link that is found some pixels to the right of a point of the world, and the place [m]."""
    bpy.context.view_layer.update()
    seen = link_at(bpy.context, view, view, Vector(view.beside(point, aside)))
    return (None, None) if seen is None else (seen[0].name, seen[1])


@pytest.mark.parametrize("is_perspective", [False, True])
@pytest.mark.parametrize("display", DISPLAYS)
def test_an_edge_of_a_wire_is_pressed(cage, display, is_perspective):
    """Guards the drag of a link in wire display: on its edge and 4 pixels beside it the link is found, at the edge."""
    cage.display_type = display
    view = View(is_perspective=is_perspective)
    for aside in (0.0, 4.0):
        name, place = found_at(view, (1.0, 0.3, 1.0), aside)
        assert name == "cage"
        assert (abs(place.x), abs(place.z)) == pytest.approx((1.0, 1.0), abs=1e-6)
        assert place.y == pytest.approx(0.3, abs=0.05)
    assert found_at(view, (1.0, 0.3, 1.0), 12.0) == (None, None)


@pytest.mark.parametrize("display", DISPLAYS)
def test_inside_the_silhouette(build, cage, display):
    """Guards pressing between the edges: the link is found at its face, but what is seen through it comes first."""
    cage.display_type = display
    view = View()
    name, place = found_at(view, (0.5, 0.3, 1.0))
    assert name == "cage"
    assert place.z == pytest.approx(1.0, abs=1e-5)
    inner = build.cube("inner", size=1.2)
    build.tag(inner)
    assert found_at(view, (0.5, 0.3, 0.6))[0] == "inner"


def test_what_stands_before_an_edge_hides_it(build, cage):
    """Guards against reaching through a surface to an edge behind it."""
    cage.display_type = "WIRE"
    screen = build.cube("screen", location=(0.0, 0.0, 3.0))
    build.tag(screen)
    assert found_at(View(), (1.0, 0.3, 1.0), -3.0)[0] == "screen"
    screen.location.z = -3.0
    assert found_at(View(), (1.0, 0.3, 1.0), -3.0)[0] == "cage"


def test_collision_shapes_and_other_objects_are_no_links(build, cage):
    """Guards box select: a collision shape in wire display, and a wire object that is no link, are not pressed."""
    shape = build.cube("shape", size=3.0)
    shape.parent, shape.display_type = cage, "WIRE"
    link(shape).role = "COLLISION"
    alone = build.cube("alone", location=(4.0, 0.0, 0.0))
    alone.display_type = "WIRE"
    for point in ((1.5, 0.3, 1.5), (5.0, 0.3, 1.0), (4.5, 0.3, 1.0)):
        assert found_at(View(), point) == (None, None)


def test_an_edge_that_reaches_behind_the_eye(build):
    """Guards perspective: of a beam that goes through the camera, the visible part is found where it is seen."""
    beam = build.cube("beam", size=1.0)
    beam.scale = (0.02, 0.02, 100.0)
    beam.display_type = "WIRE"
    build.tag(beam)
    bpy.context.view_layer.update()
    view = View(is_perspective=True)
    seen = wire_link_near(bpy.context, view, view, view.beside((0.01, 0.01, -30.0), 0.0), 2.0)
    assert seen is not None
    assert seen[0] == beam
    assert math.hypot(seen[1].x, seen[1].y) < 0.03
