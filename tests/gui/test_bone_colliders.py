# SPDX-License-Identifier: GPL-3.0-or-later
"""A character pushes boxes: Bones as Colliders by its button, in Object Mode and in Pose Mode."""

import bpy
import harness
from figures import SMALL, boxes, figure, kick
from harness import over_viewport, screenshot, simulated, status
from sidebar import click_button, click_tab, find_button, open_tab
from test_handles import look_at, redo, undo

from support.plan import walk

TO_CAPSULE = -2.2
"""Rows from Untag, while Mass below it is closed, to the header Shape of a kinematic bone."""


def stage(chosen: str) -> None:
    """A character in front of a wall of boxes, on the ground, with its mesh or its armature selected."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    look_at((0.0, -0.3, 0.9), 5.0, (0.62, 0.42, 0.37, 0.55))
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        armature, _ = figure()
        kick(armature)
        boxes()
    scene = bpy.context.scene
    scene.limberjack.ground = scene.limberjack.contact = True
    scene.frame_end = 20
    scene.frame_set(1)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects[chosen].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects[chosen]
    bpy.ops.ed.undo_push(message="Stage")


def colliders() -> list[str]:
    return [bone.name for bone in bpy.data.objects["Figure"].pose.bones if bone.limberjack_link.is_link]


def places() -> dict[str, tuple[float, ...]]:
    return {obj.name: tuple(obj.matrix_world.translation) for obj in bpy.data.objects if obj.name.startswith("Box")}


@walk
def test_a_character_kicks_boxes():
    """From an animated character to boxes that it has kicked: one button, one bake; each undo takes one step back."""
    stage("Body")
    yield from harness.compile_solver()
    yield from click_tab()
    yield from screenshot("character")
    yield from click_button("limberjack.bones_as_colliders")
    assert not status().error, status().error
    made = colliders()
    assert len(made) == 15, made
    assert not set(SMALL) & set(made), "fingers have capsules of their own"
    yield from undo()
    assert colliders() == [], "one undo leaves colliders"
    yield from redo()
    assert colliders() == made
    yield from over_viewport()
    yield from screenshot("bone_colliders")

    bpy.context.scene.frame_set(1)
    before = places()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    bpy.context.scene.frame_set(20)
    yield from over_viewport()
    yield from screenshot("kicked")
    after = places()
    moved = [name for name, place in after.items() if (before[name][1] - place[1]) > 0.1]
    assert len(moved) > 2, f"the kick moves {moved}: {after}"


def test_the_button_is_there_in_pose_mode():
    """Guards artists who pose a character: the same button is in the tab, and Pose Mode stays."""
    stage("Figure")
    bpy.ops.object.mode_set(mode="POSE")
    yield from open_tab()
    yield from click_button("limberjack.bones_as_colliders")
    assert bpy.context.mode == "POSE"
    assert len(colliders()) == 15, colliders()
    yield from over_viewport()
    yield from screenshot("bone_colliders_pose")


def test_the_capsule_of_a_bone_is_set_and_fitted():
    """Guards Shape in the panel Link: it opens, shows the fitted numbers, and Fit to Mesh restores them."""
    stage("Figure")
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.limberjack.bones_as_colliders()
    bones = bpy.data.objects["Figure"].pose.bones
    for bone in bones:
        bone.select = bone.name == "thigh.L"
    bpy.data.objects["Figure"].data.bones.active = bones["thigh.L"].bone
    own = bones["thigh.L"].limberjack_link
    fitted, own.bone_radius = own.bone_radius, 0.5
    yield from open_tab()
    yield from click_button("limberjack.link_untag", across=0.75, rows_below=TO_CAPSULE)
    yield from find_button("limberjack.bones_fit_to_mesh")
    yield from over_viewport()
    yield from screenshot("capsule")
    yield from click_button("limberjack.bones_fit_to_mesh")
    assert not status().error, status().error
    assert own.bone_radius == fitted, (own.bone_radius, fitted)
    assert bones["shin.L"].limberjack_link.motion == "KINEMATIC"
