# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first bounce by the mouse alone, counted; a puppet thrown about in Play; undo and Esc with colliders."""

import bpy
import harness
from harness import on_screen, over_viewport, press, screenshot, status, until
from mathutils import Vector
from models import folder_of_meshes
from scenes import select
from sidebar import click_button, click_tab, open_tab
from test_exchange import empty_scene, leave_file_dialog, open_exchange, open_file_dialog
from test_handles import look_at
from test_newcomer import Counted

from support.plan import walk

MOST = 6
"""Actions, from a cube above a plane to a cube that is baked as it falls onto it and stays."""


def over_3d_view():
    return bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region())


def cube_above_plane():
    """Blender's own cube, two metres above a plane of ten."""
    cube = bpy.data.objects["Cube"]
    cube.location.z = 3.0
    with over_3d_view():
        bpy.ops.mesh.primitive_plane_add(size=10.0)
    bpy.context.object.name = "Floor"
    for obj in bpy.context.scene.objects:
        obj.select_set(False)
    bpy.context.view_layer.objects.active = None
    bpy.context.scene.frame_end = 48
    bpy.ops.ed.undo_push(message="A cube above a plane")
    look_at((0.0, 0.0, 1.5), 18.0, (0.72, 0.51, 0.27, 0.38))
    yield from harness.at_rest()
    return cube, bpy.data.objects["Floor"]


def click_world(point, **modifiers):
    yield from harness.click(on_screen(Vector(point)), **modifiers)


@walk
def test_a_bounce_by_the_mouse_alone():
    """Six actions: tag the cube, make the plane a collider, bake. It lands, and stays on the plane."""
    cube, floor = yield from cube_above_plane()
    act = Counted()
    yield from click_tab()
    act.done.append("the tab Limberjack")
    yield from act("click the cube", click_world((0.0, 0.0, 3.5)))
    yield from act("Tag as Links", click_button("limberjack.link_tag", across=0.25))
    yield from screenshot("contact_tagged")
    yield from act("click the plane", click_world((3.5, -2.0, 0.0)))
    assert bpy.context.object == floor, f"{bpy.context.object} is active, not the plane"
    yield from act("Collider", click_button("limberjack.collider_add", across=0.5))
    yield from screenshot("contact_collider")
    yield from act("Simulate and Bake", click_button("limberjack.simulate", across=0.6))
    yield from harness.simulated()
    assert floor.limberjack_link.motion == "KINEMATIC"
    assert bpy.context.scene.limberjack.contact, "Contact is off in a new scene"
    bpy.context.scene.frame_set(40)
    yield from screenshot("contact_landed")
    assert abs(cube.matrix_world.translation.z - 1.0) < 1e-4, cube.matrix_world.translation
    assert not (floor.animation_data and floor.animation_data.action), "the floor has keys"
    assert len(act.done) <= MOST, act.done

    yield from over_viewport()
    for _ in range(3):  # the bake, the collider, and what was selected
        yield from press("Z", ctrl=True)
    yield from until(lambda: not bpy.data.objects["Floor"].limberjack_link.is_link, "undo takes the collider back")
    for _ in range(2):
        yield from press("Z", ctrl=True, shift=True)
    yield from until(lambda: bpy.data.objects["Floor"].limberjack_link.is_link, "redo makes it a collider again")


def test_a_puppet_thrown_in_play():
    """The puppet tumbles in Play, lies, and is picked up and thrown; nothing sinks, and Esc puts all back."""
    with over_3d_view():
        bpy.ops.limberjack.sample_open("EXEC_DEFAULT", name="tumble")
    yield from harness.at_rest()
    scene = bpy.context.scene
    before = {obj.name: obj.matrix_world.copy() for obj in scene.objects if obj.limberjack_link.is_link}
    yield from open_tab()
    yield from click_button("limberjack.preview", across=0.2)
    preview = harness.module("preview")
    yield from until(lambda: preview.current() is not None and preview.current().number > 30, "Play plays", timeout=60)
    yield from screenshot("contact_play")
    pace = preview.current().pace
    yield from until(lambda: not preview.current().is_playing, "Play comes to the end, and it lies", timeout=60)
    chest = bpy.data.objects["chest"]
    start = on_screen(chest.matrix_world.translation)
    yield from harness.hold(start, (start[0] - 120, start[1] + 160), steps=20)
    assert preview.current().is_pulling, "the drag has not caught the puppet"
    number = preview.current().number
    yield from until(lambda: preview.current().number > number + 12, "the puppet is pulled", timeout=60)
    yield from screenshot("contact_pulled")
    harness.send("LEFTMOUSE", "RELEASE")
    number = preview.current().number
    yield from until(
        lambda: preview.current().number > number + 36 or not preview.current().is_playing, "it flies", timeout=60
    )
    yield from screenshot("contact_thrown")
    print(f"pace before the pull {pace:.2f}, after {preview.current().pace:.2f}")
    floor = bpy.data.objects["floor"]
    reach = 0.5 * floor.dimensions
    for name in (name for name in before if "." in name):  # its limbs, such as hand.L
        place = bpy.data.objects[name].matrix_world.translation
        beside = place - floor.matrix_world.translation
        falls = abs(beside.x) > reach.x or abs(beside.y) > reach.y  # thrown far enough, it lands beside the floor
        assert falls or place.z > -0.01, f"{name} has sunk to {tuple(place)}"
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview.current() is None, "Esc ends Play")
    for name, matrix in before.items():
        assert bpy.data.objects[name].matrix_world == matrix, f"{name} is not where it was"
    assert not status().error


def test_imported_meshes_rest_on_an_imported_mesh():
    """A world whose collisions are OBJ, STL and COLLADA files comes in by the menu's dialog with hidden collision
    objects, and in Play its bodies fall by 0.3 m onto the floor and lie there."""
    empty_scene()
    yield from open_exchange()
    yield from open_file_dialog("limberjack.import_model")
    yield from leave_file_dialog("execute", folder_of_meshes() / "yard.sdf")
    shapes = {obj.name: obj for obj in bpy.context.scene.objects if obj.limberjack_link.role == "COLLISION"}
    assert sorted(shapes) == ["corner_collision", "floor_collision", "wedge_collision"], sorted(shapes)
    assert all(shape.data.polygons and not shape.visible_get() for shape in shapes.values()), "collisions are seen"
    with over_3d_view():
        bpy.ops.view3d.view_all()
    bpy.context.scene.frame_end = 60
    select("wedge::body")
    yield from over_viewport()
    yield from press("ESC")  # closes the popup with what the import has reported
    yield from open_tab()
    yield from click_button("limberjack.preview", across=0.25)
    yield from until(lambda: bpy.context.scene.frame_current >= 40, "Play reaches frame 40", timeout=120)
    yield from screenshot("contact_meshes")
    for name in ("wedge::body", "corner::body"):
        z = bpy.data.objects[name].matrix_world.translation.z
        assert abs(z) < 2e-3, f"'{name}' started at 0.3 m, and lies at {z} m, not on the floor at 0 m"
    yield from over_viewport()
    yield from press("ESC")
    yield from harness.at_rest()
    assert abs(bpy.data.objects["wedge::body"].matrix_world.translation.z - 0.3) < 1e-6, "Esc puts nothing back"


@walk
def test_a_platform_with_stepped_keys_is_told_in_the_panel():
    """A plane with stepped keys jumps away from under the cube; the panel has the doctor's sentence."""
    cube, floor = yield from cube_above_plane()
    cube.location.z = 1.0
    with over_3d_view():
        select("Cube")
        bpy.ops.limberjack.link_tag()
        select("Floor")
        bpy.ops.limberjack.collider_add()
    for frame, x in ((1, 0.0), (20, 30.0)):
        floor.location.x = x
        floor.keyframe_insert("location", frame=frame)
    for curve in harness.module("bridge.animation.motion_sources").fcurves_of(floor):
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
    bpy.context.scene.frame_set(1)
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from harness.simulated()
    found = [(finding.code, finding.message) for finding in bpy.context.scene.limberjack.findings]
    assert [code for code, _ in found] == ["motion-jumps"], found
    assert "jumps by 30 m" in found[0][1], found
    assert "frame 20" in found[0][1], found
    yield from screenshot("contact_stepped_platform")
    seconds = (bpy.context.scene.frame_end - 20) / bpy.context.scene.render.fps
    bpy.context.scene.frame_set(bpy.context.scene.frame_end)
    place = cube.matrix_world.translation
    assert (place - Vector((0.0, 0.0, 1.0 - 0.5 * 9.81 * seconds**2))).length < 0.02, f"the cube is at {tuple(place)}"
