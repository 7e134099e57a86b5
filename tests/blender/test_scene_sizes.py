# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of millimetres and of hundreds of metres: gravity, the size of joints, and whether something moves."""

from types import SimpleNamespace

import bpy
import pytest
from mathutils import Matrix, Vector

from limberjack.addon import ids
from limberjack.addon.bridge.joints.joining import SIZE_WITHOUT_LINKS
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.write import write_scene
from limberjack.addon.bridge.values.gravity import CODE as GRAVITY
from limberjack.addon.cli.blend import load_open_scene
from limberjack.addon.overlays.sizes import active_radius
from limberjack.addon.panels.main import LIMBERJACK_PT_main
from limberjack.addon.preferences import preferences
from limberjack.core.model import WORLD, Joint, Link, Model

from .conftest import joint
from .paper import Paper


def codes(scene):
    forget_rigs()
    return [item.code for item in show_rig(scene).problems]


def pendulum(build, size, unit):
    """A bar of a size [m] that lies level, hinged about Y in the world at one end, in a scene of a unit [m]."""
    bpy.context.scene.unit_settings.scale_length = unit
    bar = build.cube("bar", size=size / unit)
    for vertex in bar.data.vertices:
        vertex.co.x += 0.5 * size / unit
    build.tag(bar)
    hinge = build.join(bar, None)
    joint(hinge).axes[0].xyz = (0.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    return bar, hinge


@pytest.mark.parametrize("unit", [1.0, 0.01, 0.001])
@pytest.mark.parametrize("size", [100.0, 1.0, 1e-3, 1e-4, 1e-5])
def test_a_small_pendulum_moves(scene, build, size, unit):
    """Guards `nothing moves`, before and after a simulation, at every size and Unit Scale: the bar falls by gravity."""
    _, hinge = pendulum(build, size, unit)
    scene.gravity = (0.0, 0.0, -9.81 / unit)
    assert codes(scene) == []
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    assert "othing moves" not in scene.limberjack.last_result + scene.limberjack.last_notes
    least, most = 1e-4, 1000.0  # of Blender's own property
    assert hinge.empty_display_size == pytest.approx(min(max(0.5 * size / unit, least), most), rel=1e-5)


def test_the_empty_of_a_joint_of_links_without_size(scene, build):
    """Guards joints of Empties: their size is the way to a link, and a fixed one if there is no way."""
    ends = [bpy.data.objects.new(name, None) for name in ("near", "far")]
    for number, end in enumerate(ends):
        scene.collection.objects.link(end)
        end.location.x = 0.003 * number
    bpy.context.view_layer.update()
    build.tag(*ends)
    assert build.join(ends[1], ends[0]).empty_display_size == pytest.approx(0.003, rel=1e-4)
    assert build.join(ends[0], None).empty_display_size == pytest.approx(SIZE_WITHOUT_LINKS)


@pytest.mark.parametrize(("size", "shown"), [(1.0, 0.1), (0.002, 0.0005)])
def test_empties_of_a_model_of_a_file(scene, size, shown):
    """Guards imports: the Empties of a machine in millimetres are no larger than half of its parts."""
    moment = 0.1 * 0.25 * size**2  # of a radius of gyration of size / 2 about each axis, with mass 0.1 kg
    bar = Link("bar", 0.1, inertia=(moment * 2 / 3, 0.0, 0.0, moment * 2 / 3, 0.0, moment * 2 / 3))
    objects, _ = write_scene(Model("machine", [bar], [Joint("hinge", "revolute", WORLD, "bar")]), scene)
    assert [obj.empty_display_size for obj in objects.values()] == pytest.approx([shown, shown])


@pytest.mark.parametrize(("own", "expected"), [(1e-4, 80.0), (1.0, 100.0), (1e3, 240.0)])
def test_the_ring_of_the_active_joint_fits_its_view(scene, monkeypatch, own, expected):
    """Guards handles: the ring has at least 80 pixels, and at most 0.3 of the smaller side of the view.

    A pixel covers 0.01 units in a view of 1000 by 800 pixels that looks straight down.
    """
    obj = bpy.data.objects.new("joint", None)
    scene.collection.objects.link(obj)
    obj.empty_display_size = own / preferences().size
    region = SimpleNamespace(width=1000, height=800)
    flat = Matrix.Diagonal((2.0 / 10.0, 2.0 / 8.0, -0.01, 1.0))
    view = SimpleNamespace(window_matrix=flat, perspective_matrix=flat)
    monkeypatch.setattr("limberjack.addon.overlays.sizes.resolution_scale", lambda: 1.0)  # 0 without a window
    assert active_radius(obj, region, view) / 0.01 == pytest.approx(expected, rel=0.051)


# ---- gravity


@pytest.mark.parametrize(("unit", "metres"), [(0.01, "0.0981"), (0.001, "0.00981"), (10.0, "98.1")])
def test_gravity_that_only_the_unit_changes_is_told_and_set(scene, build, unit, metres):
    """Guards a centimetre scene with a new scene's gravity: it is told in m/s^2, and a button makes it the Earth's."""
    pendulum(build, 1.0, unit)
    assert codes(scene) == [GRAVITY]
    (problem,) = show_rig(scene).problems
    assert (problem.severity, problem.name) == ("warning", "")
    assert f"gravity is {metres} m/s^2" in problem.message
    paper = Paper()
    LIMBERJACK_PT_main.draw(SimpleNamespace(layout=paper), bpy.context)
    assert ids.OP_EARTH_GRAVITY in paper.operators, "the button is not beside Play"
    found = [issue for issue in load_open_scene().issues if issue.code == GRAVITY]
    assert [(issue.severity, issue.subject) for issue in found] == [("warning", "scene")]
    assert bpy.ops.limberjack.earth_gravity() == {"FINISHED"}
    assert codes(scene) == []
    assert show_rig(scene).model.gravity == pytest.approx((0.0, 0.0, -9.81), rel=1e-6)


def test_a_gravity_that_was_chosen_is_not_told(scene, build):
    """Guards right scenes: a new one, one with Earth's gravity in its unit, the Moon's, and one without gravity."""
    pendulum(build, 1.0, 1.0)
    assert codes(scene) == []
    scene.gravity.z = -1.62
    assert codes(scene) == []
    scene.unit_settings.scale_length = 0.01
    for number in (-981.0, -162.0):
        scene.gravity.z = number
        assert GRAVITY not in codes(scene)
    scene.gravity.z = -9.81
    assert GRAVITY in codes(scene)
    scene.use_gravity = False
    assert GRAVITY not in codes(scene)


def test_the_button_keeps_the_direction(scene, build):
    """Guards scenes whose gravity points elsewhere, or nowhere: the direction stays, or is downward."""
    pendulum(build, 1.0, 0.01)
    scene.gravity = 9.81 * Vector((0.6, 0.0, -0.8))
    bpy.ops.limberjack.earth_gravity()
    assert tuple(scene.gravity) == pytest.approx((588.6, 0.0, -784.8), rel=1e-5)
    scene.gravity = (0.0, 0.0, 0.0)
    bpy.ops.limberjack.earth_gravity()
    assert tuple(scene.gravity) == pytest.approx((0.0, 0.0, -981.0), rel=1e-5)
