# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator's first minutes: tag, join, bake, take it back."""

import bpy
import harness
import sidebar
from harness import choose_from_menu, click_object, links, over_viewport, press, screenshot, simulated, status, until
from scenes import GRIP, action_of, hanging_bars, motion, two_bars
from sidebar import click_button, click_tab, open_tab

from support.plan import walk


def add_joint(kind: str):
    """By the panel's menu, which stands beside "Tag as Links"."""
    kinds = [item.identifier for item in bpy.ops.limberjack.joint_add.get_rna_type().properties["type"].enum_items]
    yield from sidebar.click_beside("limberjack.link_tag", across=0.75)
    yield from screenshot("add_joint_menu")
    yield from choose_from_menu(kinds.index(kind))
    joint = bpy.context.object
    assert joint.limberjack_joint.is_joint, "Add Joint has made no joint"
    assert joint.limberjack_joint.type == kind, f"{kind} was chosen, {joint.limberjack_joint.type} was made"
    return joint


@walk
def test_tag_join_and_bake_with_the_mouse():
    """From two objects to baked motion with nothing but the sidebar and the viewport."""
    two_bars()
    yield from click_tab()
    yield from screenshot("tab")
    yield from over_viewport()
    yield from press("A")
    yield from click_button("limberjack.link_tag", across=0.25)
    assert sorted(links()) == ["Lower", "Upper"], f"tagged as links: {links()}"
    yield from screenshot("tagged")

    yield from click_object(bpy.data.objects["Upper"], GRIP)
    ground = yield from add_joint("fixed")
    assert ground.limberjack_joint.parent is None, "a link joined alone has a parent"
    yield from click_object(bpy.data.objects["Upper"], GRIP)
    yield from click_object(bpy.data.objects["Lower"], GRIP, shift=True)
    yield from screenshot("two_selected")
    joint = yield from add_joint("ball")
    ends = (joint.limberjack_joint.parent.name, joint.limberjack_joint.child.name)
    assert ends == ("Upper", "Lower"), f"Upper was selected first, then Lower; the joint goes from {ends}"
    yield from screenshot("joined")

    yield from click_button("limberjack.simulate", across=0.6)
    assert status().running or action_of("Lower"), "Simulate and Bake has started nothing"
    yield from screenshot("compiling_or_simulating")
    yield from simulated()
    bpy.context.scene.frame_set(16)
    yield from screenshot("baked")
    baked = motion()
    assert baked[1]["Lower"] != baked[16]["Lower"], "the hanging bar does not move"
    assert baked[1]["Upper"] == baked[16]["Upper"], "the bar that the world holds moves"


def test_one_undo_takes_the_whole_bake_back():
    """A bake is one step of undo and redo, however many objects and keys it writes."""
    hanging_bars()
    yield from open_tab()
    before = motion()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    baked = motion()
    assert baked != before, "the bake has changed nothing"

    yield from over_viewport()
    yield from press("Z", ctrl=True)
    yield from screenshot("undone")
    assert motion() == before, "one Ctrl-Z does not give back the poses from before the bake"
    assert not action_of("Lower"), f"one Ctrl-Z leaves the action {action_of('Lower')}"
    assert sorted(links()) == ["Lower", "Upper"], "one Ctrl-Z takes back more than the bake"

    yield from press("Z", ctrl=True, shift=True)
    yield from screenshot("redone")
    assert motion() == baked, "Shift-Ctrl-Z does not bring the bake again"


def test_escape_leaves_the_scene_as_it_was():
    """Who loses patience in the middle of a long bake loses nothing else."""
    hanging_bars(frames=200_000)
    yield from open_tab()
    before = motion()
    yield from click_button("limberjack.simulate", across=0.6)
    assert status().running, "Simulate and Bake has started nothing"
    yield from until(lambda: status().factor > 0.0, "frames are simulated", timeout=300)
    yield from screenshot("simulating")
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: not status().running, "Esc ends the simulation")
    yield from screenshot("escaped")
    assert motion() == before, "poses have changed"
    assert not bpy.data.actions, f"actions are left: {bpy.data.actions.keys()}"
    assert not status().error, f"Esc counts as an error: {status().error}"


def test_animation_is_replaced_only_after_a_question():
    """Keys that the user has set survive: the dialog asks, Esc is a no, and Clear Bake gives them back after a yes."""
    hanging_bars()
    bpy.data.objects["Lower"].keyframe_insert("location", frame=1)
    bpy.ops.ed.undo_push(message="Keys of the user")
    own = action_of("Lower")
    yield from open_tab()

    yield from click_button("limberjack.simulate", across=0.6)
    yield from screenshot("asks_before_replacing")
    assert not status().running, "the simulation has started without asking"
    yield from press("ESC")
    yield from harness.at_rest()
    assert not status().running, "Esc in the dialog has started the simulation"
    assert action_of("Lower") == own, "Esc in the dialog has replaced the animation"

    yield from click_button("limberjack.simulate", across=0.6)
    yield from press("RET")
    yield from until(lambda: action_of("Lower") != own, "Return in the dialog leads to a bake", timeout=300)
    yield from simulated()
    assert own in bpy.data.actions, "the user's action is lost"

    yield from click_button("limberjack.bake_clear")
    assert action_of("Lower") == own, f"Clear Bake gives back '{action_of('Lower')}', not '{own}'"
    yield from screenshot("cleared")
