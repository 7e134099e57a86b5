# SPDX-License-Identifier: GPL-3.0-or-later
"""Play of bones beside files and other armatures: what is saved, opened and chosen while it is on."""

import bpy
import harness
from harness import OUT, Steps, over_viewport, press, screenshot, status, until
from sidebar import click_button, click_tab
from test_bones import NAMES, armature_in_pose_mode, tag_all_bones

from support.plan import walk

OTHER = "Other Leg"
"""An armature with bones of the same names, beside the one that plays."""


def preview():
    return harness.module("preview").current()


def places() -> dict[str, list[tuple[float, ...]]]:
    """Return the tails of the bones of each armature."""
    armatures = [obj for obj in bpy.data.objects if obj.pose]
    return {obj.name: [bone.tail[:] for bone in obj.pose.bones] for obj in armatures}


def own_channels() -> dict[str, list[tuple[float, ...]]]:
    """The transforms of bones that are stored in the file, and whether their constraints are switched off."""
    armatures = [obj for obj in bpy.data.objects if obj.pose]
    return {
        obj.name: [
            (*bone.location, *bone.rotation_quaternion, *(constraint.mute for constraint in bone.constraints))
            for bone in obj.pose.bones
        ]
        for obj in armatures
    }


def two_legs() -> Steps:
    """Two armatures with bones of the same names, of which the first one is tagged, bent, and in Pose Mode."""
    leg = armature_in_pose_mode()
    leg.pose.bones["thigh"].rotation_quaternion = (0.96, 0.0, 0.0, 0.28)
    leg.pose.bones["shin"].constraints.new("LIMIT_ROTATION").use_limit_x = True  # Play switches it off
    other = leg.copy()
    other.data, other.name, other.location.y = leg.data.copy(), OTHER, 2.0
    bpy.context.scene.collection.objects.link(other)
    yield from click_tab()
    yield from tag_all_bones()
    bpy.ops.ed.undo_push(message="Two legs")
    yield from harness.at_rest()


def play() -> Steps:
    yield from click_button("limberjack.preview()", across=0.2)
    yield from until(lambda: preview() is not None and preview().shown >= 3, "the leg plays", timeout=60)


def enter_pose_mode_of(name: str) -> None:
    bpy.ops.object.mode_set(mode="OBJECT")
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name == name)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    bpy.ops.object.mode_set(mode="POSE")


@walk
def test_a_file_is_saved_and_opened_while_bones_play():
    """Guards files: the pose in a file that is saved in Play is the artist's own, and the opened file plays again."""
    yield from two_legs()
    channels, before = own_channels(), places()
    yield from play()
    assert places()["Leg"] != before["Leg"], "the leg does not move"
    bpy.ops.wm.save_as_mainfile(filepath=str(OUT / "bones_played.blend"))
    number = preview().shown
    yield from until(lambda: preview().shown > number, "it plays on after saving")
    bpy.ops.wm.open_mainfile(filepath=str(OUT / "bones_played.blend"))
    yield from harness.at_rest()
    assert preview() is None
    assert (own_channels(), places()) == (channels, before), "the opened file has another pose"
    yield from play()
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
    assert (own_channels(), places()) == (channels, before), "Play after opening does not put the bones back"


def test_another_armature_is_chosen_while_bones_play():
    """Guards two characters of one rig: Play goes on while the artist poses and tags the bones of the other one."""
    yield from two_legs()
    channels, before = own_channels(), places()
    yield from play()
    enter_pose_mode_of(OTHER)
    number = preview().shown
    yield from until(lambda: preview().shown > number, "it plays on in Pose Mode of the other one", timeout=60)
    yield from screenshot("bones_other_armature")
    assert places()[OTHER] == before[OTHER], "the other leg moves, which has no links"
    bpy.ops.pose.select_all(action="SELECT")
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}, status().error
    yield from until(lambda: places()[OTHER] != before[OTHER], "both legs move", timeout=60)
    yield from screenshot("bones_both_play")
    enter_pose_mode_of("Leg")
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
    assert (own_channels(), places()) == (channels, before), "the bones are not put back"
    assert [bone.limberjack_link.is_link for bone in bpy.data.objects[OTHER].pose.bones] == [True] * len(NAMES)
