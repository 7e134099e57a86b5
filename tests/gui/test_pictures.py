"""The README's pictures of the window: `make pictures` puts them into docs/."""

import bpy
import harness
from harness import hold, module, over_viewport, screenshot, send, simulated, until
from mathutils import Vector
from sidebar import click_button, open_tab
from test_handles import handle, on_ring
from test_same_keys import open_file

BESIDE = Vector((-1.0, -0.45, 0.25))
"""Where a knee is looked at from."""

SAMPLES = harness.OUT / "source" / "sample_scenes"


def sample(name: str) -> harness.Steps:
    """Open it, and look at it as its camera does, from a little nearer."""
    bpy.context.preferences.system.viewport_aa = "8"
    yield from open_file(SAMPLES / f"{name}.blend")
    camera, view = bpy.context.scene.camera, harness.viewport().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_rotation = camera.matrix_world.to_quaternion()
    shading = harness.viewport().spaces.active.shading
    shading.show_object_outline = shading.show_specular_highlight = True
    harness.viewport().spaces.active.overlay.show_outline_selected = True
    shading.light, shading.color_type, shading.show_cavity, shading.show_shadows = "STUDIO", "MATERIAL", True, True
    harness.viewport().spaces.active.overlay.show_floor = False
    yield from open_tab()


def choose(name: str) -> harness.Steps:
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects[name].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    yield from harness.at_rest()


def look_at(point, distance: float) -> None:
    view = harness.viewport().spaces.active.region_3d
    view.view_location, view.view_distance = Vector(point), distance


def test_window():
    """A crane that was baked, in mid-swing: overlays of all joints, the tab beside it."""
    yield from harness.compile_solver()
    yield from sample("crane")
    look_at((1.9, 0.4, 1.7), 12.0)
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    bpy.context.scene.frame_set(50)
    yield from choose("reach")
    yield from over_viewport()
    yield from screenshot("picture_window")
    assert module("bake.restore").baked_links(bpy.context.scene), "the crane is not baked"
    assert bpy.context.object.limberjack_joint.is_joint


def test_handles():
    """A puppet's knee, its upper limit held by the mouse: the shin is seen at both ends."""
    yield from sample("ragdoll")
    yield from choose("knee.R")
    look_at(bpy.context.object.matrix_world.translation, 0.9)
    harness.viewport().spaces.active.region_3d.view_rotation = BESIDE.to_track_quat("Z", "Y")
    yield from harness.at_rest()
    before = bpy.context.object.limberjack_joint.axes[0].upper
    yield from hold(handle("upper"), on_ring(before - 0.25))
    yield from screenshot("picture_handles")
    send("LEFTMOUSE", "RELEASE")
    yield from until(lambda: bpy.context.object.limberjack_joint.axes[0].upper < before, "the limit was dragged")
