# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of newcomers: the default cube in the ground, machines in millimetres, a unit of a centimetre."""

import bpy
import harness
from harness import screenshot, until
from mathutils import Vector
from scenes import select
from sidebar import click_button, open_tab
from test_collisions import button
from test_handles import redo, undo
from test_preview import compiled, play, preview
from test_pull import look_at

from support.plan import walk

ASLANT = (0.78, 0.49, 0.20, 0.33)
"""A view from the front and above."""


def codes() -> list[str]:
    rig = harness.module("bridge.rig").last_rig(bpy.context.scene)
    return [item.code for item in rig.problems if item.severity != "note"] if rig else []


def clear() -> None:
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)


def over_3d_view():
    return bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region())


@walk
def test_the_default_cube_on_the_ground():
    """Guards the first minute: a cube of 2 m in the origin, tagged, with *Ground*, is told below Play.

    A click lifts it in one undo step. Played as it is, it is pushed out and stands on the ground.
    """
    clear()
    bpy.context.scene.frame_end = 120
    with over_3d_view():
        bpy.ops.mesh.primitive_cube_add(size=2.0)
        bpy.ops.limberjack.link_tag()
    cube = bpy.context.object
    bpy.context.scene.limberjack.ground = True
    bpy.ops.ed.undo_push(message="Cube on the ground")
    yield from compiled()
    yield from look_at(Vector((0.0, 0.0, 0.5)), 9.0, ASLANT)
    yield from open_tab()
    yield from until(lambda: codes() == ["sunk-in-ground"], "it is found in the ground")
    yield from screenshot("sunk_told")
    yield from click_button(button("Cube", "sunk-in-ground", "Lift"))
    yield from until(lambda: not codes(), "the warning goes")
    assert abs(cube.location.z - 1.0) < 1e-4, f"it was lifted to {cube.location.z} m"
    yield from screenshot("sunk_lifted")
    yield from undo()
    yield from until(lambda: codes() == ["sunk-in-ground"], "one undo takes it back")
    assert bpy.data.objects["Cube"].location.z == 0.0
    yield from play()
    yield from until(lambda: height_shown() > 0.999, "it is pushed out", timeout=60)
    yield from screenshot("sunk_pushed_out")
    number = preview().shown
    yield from until(lambda: preview().shown > number + 5 or not preview().is_playing, "it goes on")
    assert abs(height_shown() - 1.0) < 1e-3, f"it stands at {height_shown()} m"


def height_shown() -> float:
    """Return the height of the cube as the scene shows it [m]."""
    return bpy.data.objects["Cube"].matrix_world.translation.z


def pendulum(size: float, unit: float) -> bpy.types.Object:
    """Two bars of a length [m] that lie level, one after the other, on hinges; the second hinge is active."""
    clear()
    scene = bpy.context.scene
    scene.unit_settings.scale_length = unit
    length = size / unit
    with over_3d_view():
        for name, x in (("one", 0.0), ("two", length)):
            bpy.ops.mesh.primitive_cube_add(size=length)
            bar = bpy.context.object
            bar.name, bar.location, bar.scale = name, (x, 0.0, 0.0), (1.0, 0.15, 0.15)
            for vertex in bar.data.vertices:
                vertex.co.x += 0.5 * length
        select("one", "two")
        bpy.ops.limberjack.link_tag()
        select("one")
        bpy.ops.limberjack.joint_add(type="revolute")
        select("one", "two")
        bpy.ops.limberjack.joint_add(type="revolute")
    hinge = bpy.data.objects["two_joint"]
    for joint in (bpy.data.objects["one_joint"], hinge):
        joint.limberjack_joint.axes[0].xyz = (0.0, 1.0, 0.0)
    select("two_joint")
    bpy.ops.ed.undo_push(message="Pendulum")
    return hinge


def test_joints_at_all_scales():
    """Guards the size of joints: a ring is as large beside parts of 1 mm and of 100 m as beside those of 1 m."""
    shares = []
    for size, unit in ((1e-3, 1.0), (1e-3, 1e-3), (1.0, 1.0), (100.0, 1.0)):
        hinge = pendulum(size, unit)
        length = size / unit
        space = harness.viewport().spaces.active
        space.clip_start, space.clip_end = 0.01 * length, 1000.0 * length
        yield from open_tab()
        yield from look_at(Vector((length, 0.0, 0.0)), 5.0 * length, ASLANT)
        view, region = space.region_3d, harness.region()
        sizes = harness.module("overlays.sizes")
        radius = sizes.active_radius(hinge, region, view)
        pixels = radius / sizes.size_of_pixel(hinge.matrix_world.translation, region, view)
        assert sizes.MIN_PIXELS <= pixels <= sizes.MAX_SHARE * min(region.width, region.height), (
            f"the ring has {pixels} pixels"
        )
        shares.append(hinge.empty_display_size / length)
        yield from screenshot(f"joints_at_{size:g}_unit_{unit:g}")
    assert max(shares) - min(shares) < 1e-3, f"Empties are {shares} times as large as their links"


def test_gravity_of_a_centimetre_scene():
    """Guards scenes whose unit is a centimetre: gravity of 0.0981 m/s^2 is told below Play, and a click and one undo
    step make it the Earth's."""
    pendulum(1.0, 0.01)
    scene = bpy.context.scene
    scene.gravity = (0.0, 0.0, -9.81)
    bpy.ops.ed.undo_push(message="Gravity as in a new scene")
    yield from open_tab()
    yield from until(lambda: codes() == ["gravity-by-unit"], "gravity is told")
    yield from screenshot("gravity_told")
    yield from click_button("limberjack.earth_gravity()")
    yield from until(lambda: not codes(), "the warning goes")
    assert abs(scene.gravity.z + 981.0) < 1e-3, f"gravity is {scene.gravity.z}"
    yield from undo()
    yield from until(lambda: codes() == ["gravity-by-unit"], "one undo brings it back")
    yield from redo()
    yield from until(lambda: not codes(), "redo makes it the Earth's again")
