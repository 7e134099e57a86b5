# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages' pictures of the window: `make pictures` puts them into docs/."""

import bpy
import harness
import people
import properties
from harness import hold, module, over_viewport, press, screenshot, send, simulated, until
from mathutils import Vector
from sidebar import click_button, find_button, is_open, open_tab
from test_bone_colliders import stage
from test_bone_handles import handle as bone_handle
from test_bone_handles import on_ring as bone_on_ring
from test_handles import handle, on_ring
from test_same_keys import open_file

BESIDE = Vector((-1.0, -0.45, 0.25))
"""Where a knee is looked at from."""

TO_INITIAL_VELOCITY = 6.8
"""Rows from Untag, while all panels below it are closed, to the header of the panel Initial Velocity."""

SAMPLES = harness.OUT / "source" / "sample_scenes"


def sample(name: str) -> harness.Steps:
    """Open it, and look at it as its camera does, from a little nearer."""
    yield from open_file(SAMPLES / f"{name}.blend")
    camera, view = bpy.context.scene.camera, harness.viewport().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_rotation = camera.matrix_world.to_quaternion()
    look_clearly()
    yield from open_tab()


def look_clearly() -> None:
    """Draw outlines, colours and shadows, which the other tests do without."""
    bpy.context.preferences.system.viewport_aa = "8"
    shading = harness.viewport().spaces.active.shading
    shading.show_object_outline = shading.show_specular_highlight = True
    harness.viewport().spaces.active.overlay.show_outline_selected = True
    shading.light, shading.color_type, shading.show_cavity, shading.show_shadows = "STUDIO", "MATERIAL", True, True
    harness.viewport().spaces.active.overlay.show_floor = False


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
    assert module("bake.receipts.restore").baked_links(bpy.context.scene), "the crane is not baked"
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


def test_bone_handles():
    """An arm in Pose Mode: the limits of its elbow, the upper one held by the mouse."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    data = bpy.data.armatures.new("Arm")
    arm = bpy.data.objects.new("Arm", data)
    bpy.context.scene.collection.objects.link(arm)
    bpy.context.view_layer.objects.active = arm
    bpy.ops.object.mode_set(mode="EDIT")
    ends = ((0.0, 0.0, 1.4), (0.35, 0.0, 1.2), (0.62, 0.0, 1.35), (0.8, 0.0, 1.45))
    for number, name in enumerate(("upper_arm", "forearm", "hand")):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = ends[number], ends[number + 1]
        bone.parent = data.edit_bones[number - 1] if number else None
    bpy.ops.object.mode_set(mode="POSE")
    for bone in arm.pose.bones:
        bone.select = True
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.limberjack.link_tag()
    elbow = arm.pose.bones["forearm"].limberjack_joint
    elbow.type = "revolute"
    to_bone = (arm.matrix_world @ arm.pose.bones["forearm"].matrix).to_3x3().inverted()
    elbow.axes[0].xyz = to_bone @ Vector((0.0, -1.0, 0.0))
    elbow.axes[0].use_lower, elbow.axes[0].lower = True, -0.6
    for bone in arm.pose.bones:
        bone.select = bone.name == "forearm"
    data.bones.active = arm.pose.bones["forearm"].bone
    harness.viewport().spaces.active.region_3d.view_rotation = (0.76, 0.645, 0.05, 0.06)
    look_at((0.45, 0.0, 1.3), 1.6)
    yield from open_tab()
    yield from harness.at_rest()
    yield from hold(bone_handle("upper"), bone_on_ring(0.9))
    yield from screenshot("picture_bone_handles")
    send("LEFTMOUSE", "RELEASE")
    yield from until(lambda: elbow.axes[0].use_upper, "the limit was dragged")


def test_throw():
    """A ball that was keyed by hand and thrown from its keys: its path, and the buttons for throws in the tab."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.context.scene.frame_end = 54
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.mesh.primitive_plane_add(size=1.0)
        bpy.context.object.name, bpy.context.object.scale = "Floor", (14.0, 5.0, 1.0)
        bpy.ops.limberjack.collider_add()
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5)
        ball = bpy.context.object
        ball.name = "Ball"
        bpy.ops.object.shade_smooth()
        bpy.ops.limberjack.link_tag()
    for frame, place in ((1, (-5.5, 0.0, 1.0)), (20, (-3.5, 0.0, 2.5))):
        ball.location = place
        ball.keyframe_insert("location", frame=frame)
    for curve in ball.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for key in curve.keyframe_points:
            key.interpolation, key.easing = "QUAD", "EASE_IN"
    bpy.context.scene.frame_set(1)
    look_clearly()
    harness.viewport().spaces.active.region_3d.view_rotation = (0.76, 0.645, 0.05, 0.06)
    look_at((-0.4, 0.0, 1.6), 13.5)
    yield from open_tab()
    yield from choose("Ball")
    yield from click_button("limberjack.link_untag", across=0.75, rows_below=TO_INITIAL_VELOCITY)
    assert (yield from is_open("LIMBERJACK_PT_link_start")), "a click on its header does not open Initial Velocity"
    yield from click_button("limberjack.throw_from_animation")
    bpy.context.scene.frame_end = 54
    yield from click_button("limberjack.simulate", across=0.6)
    yield from press("RET")
    yield from simulated()
    ball.animation_visualization.motion_path.show_frame_numbers = False
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.object.paths_calculate(display_type="RANGE", range="SCENE")
    harness.viewport().spaces.active.overlay.show_cursor = False
    bpy.context.scene.frame_set(31)
    yield from find_button("limberjack.link_let_go")
    yield from over_viewport()
    yield from screenshot("picture_throw")
    assert ball.matrix_world.translation.z > 2.6, f"the ball does not rise beyond its last key: {ball.matrix_world}"


def test_sunk():
    """A new cube with its middle in a floor: the warning and its button are below Play."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.mesh.primitive_plane_add(size=8.0)
        bpy.context.object.name = "Floor"
        bpy.ops.limberjack.collider_add()
        bpy.ops.mesh.primitive_cube_add(size=2.0)
        bpy.ops.limberjack.link_tag()
    bpy.ops.ed.undo_push(message="Cube in a floor")
    look_clearly()
    harness.viewport().spaces.active.region_3d.view_rotation = (0.78, 0.49, 0.20, 0.33)
    look_at((0.0, 0.0, 0.3), 11.0)
    yield from open_tab()
    yield from choose("Cube")
    yield from find_button('limberjack.problem_mend(name="Cube", code="sunk-in-ground", label="Lift"')
    yield from over_viewport()
    yield from screenshot("picture_sunk")


def test_character():
    """A character that kicks boxes: the outlines of the capsules of its bones, and Bones as Colliders in the tab."""
    stage("Body")
    look_clearly()
    harness.viewport().spaces.active.region_3d.view_rotation = (0.62, 0.47, 0.38, 0.5)
    look_at((0.0, -0.45, 0.85), 4.6)
    yield from open_tab()
    yield from click_button("limberjack.bones_as_colliders")
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    harness.viewport().spaces.active.overlay.show_cursor = False
    bpy.context.scene.frame_set(16)
    yield from over_viewport()
    yield from screenshot("picture_character")
    assert sum(bone.limberjack_link.is_link for bone in bpy.data.objects["Figure"].pose.bones) == 15


def test_ragdoll():
    """A character that falls: its parts as translucent shapes, coloured by what they follow, and the panel Ragdoll."""
    people.empty_scene()
    rig = people.metarig()
    scene = bpy.context.scene
    scene.limberjack.ground, scene.limberjack.contact, scene.frame_end = True, True, 24
    people.in_pose_mode(rig)
    look_clearly()
    harness.viewport().spaces.active.overlay.show_floor = True
    harness.viewport().spaces.active.overlay.show_cursor = False
    harness.viewport().spaces.active.region_3d.view_rotation = (0.71, 0.66, 0.17, 0.19)
    look_at((0.2, -0.1, 1.0), 3.0)
    yield from open_tab()
    yield from click_button("limberjack.make_ragdoll")
    for side in "LR":
        for name in ("thigh", "shin", "foot"):
            rig.pose.bones[f"{name}.{side}"].limberjack_link.follows = "KINEMATIC"
    for bone in rig.pose.bones:
        bone.select = bone.name == "forearm.L"
    rig.data.bones.active = rig.data.bones["forearm.L"]
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    scene.frame_set(7)
    yield from over_viewport()
    yield from screenshot("picture_ragdoll")
    hand = rig.pose.bones["hand.L"]
    assert hand.head.z < hand.bone.head_local.z - 0.05, "the arm does not fall"


def test_bounce():
    """Blender's own cube, baked as it bounces on the ground, and the Physics tab where all of it was done."""
    cube, scene = bpy.data.objects["Cube"], bpy.context.scene
    cube.location.z = 4.0
    scene.frame_end = 60
    look_clearly()
    harness.viewport().spaces.active.overlay.show_floor = True
    harness.viewport().spaces.active.region_3d.view_rotation = (0.75, 0.62, 0.14, 0.17)
    look_at((0.0, 0.0, 2.2), 15.0)
    yield from properties.click_tab("PHYSICS")
    yield from properties.click_button("limberjack.link_tag", across=0.25)
    yield from properties.click_button("limberjack.ground")
    scene.limberjack.ground_bounce = 0.7
    yield from properties.click_button("limberjack.simulate", across=0.7)
    yield from simulated()
    harness.viewport().spaces.active.overlay.show_cursor = False
    scene.frame_set(30)
    yield from over_viewport()
    yield from screenshot("picture_bounce")
    assert cube.matrix_world.translation.z > 1.5, f"the cube does not bounce: {cube.matrix_world}"
