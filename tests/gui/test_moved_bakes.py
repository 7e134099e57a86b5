# SPDX-License-Identifier: GPL-3.0-or-later
"""A baked machine, moved and copied by keys and mouse: the panel tells of it, and a button moves its bake along."""

import bpy
import harness
from harness import Steps, over_viewport, press, screenshot, type_text, until
from scenes import hanging_bars, motion, select
from sidebar import click_button, open_tab
from test_bake import bake, everything
from test_handles import redo, undo

from support.plan import walk

FRAME = 8
MOVED = ("Upper", "Lower", "Upper_joint", "Lower_joint")
PAUSE = 0.6
"""Seconds, more than after which the add-on takes a scene for being at rest."""


def baked_at_a_frame() -> Steps:
    hanging_bars()
    yield from bake()
    bpy.context.scene.frame_set(FRAME)
    select(*MOVED)
    bpy.ops.ed.undo_push(message="Frame")
    yield from harness.at_rest()
    yield from over_viewport()


def transform(key: str, axis: str, number: str, **modifiers) -> Steps:
    """By Blender's own keys, with a hesitation on the way."""
    yield from over_viewport()
    yield from press(key, **modifiers)
    yield from press(axis)
    yield from type_text(number)
    yield PAUSE
    assert "bake-left-behind" not in problems(), "a machine was compared with its bake while the mouse was moving"
    yield from press("RET")
    yield from harness.at_rest()


def move_along() -> Steps:
    """Press the button of the message below the bake."""
    yield from until(lambda: "bake-left-behind" in problems(), "the panel tells of the machine")
    yield from open_tab()
    yield from click_button(
        f'limberjack.problem_mend(name="{blamed()}", code="bake-left-behind", label="Move Bake Along"'
    )
    yield from harness.at_rest()


def is_displaced(name: str, there: dict, here: dict, other: str = "", by: float = 3.0) -> bool:
    """Whether an object stands, at all frames, where another one did or itself, and so far along X."""
    return all(
        abs(a - b - (by if (row, column) == (0, 3) else 0.0)) < 1e-5
        for frame in here
        for row in range(4)
        for column, (a, b) in enumerate(zip(there[frame][name][row], here[frame][other or name][row], strict=True))
    )


def problems() -> list[str]:
    rig = harness.module("bridge.rig").last_rig(bpy.context.scene)
    return [problem.code for problem in rig.problems] if rig else []


def blamed() -> str:
    """Return the name of the link that the message is about."""
    rig = harness.module("bridge.rig").last_rig(bpy.context.scene)
    return next(problem.name for problem in rig.problems if problem.code == "bake-left-behind")


@walk
def test_moved_with_g():
    """G X 3 on a whole machine is told; the button lets its bake move along as one undo step, bit by bit."""
    yield from baked_at_a_frame()
    here = motion()
    yield from transform("G", "X", "3")
    yield from until(lambda: "bake-left-behind" in problems(), "the panel tells of the machine")
    yield from screenshot("bake_left_behind")
    yield from move_along()
    there = motion()
    assert all(is_displaced(name, there, here) for name in MOVED), "the bake did not move along"
    assert "bake-left-behind" not in problems(), problems()
    yield from screenshot("bake_moved_along")
    after = everything()
    yield from undo()
    yield from harness.at_rest()
    assert not problems(), problems()
    again = motion()
    assert all(is_displaced(name, again, here, by=0.0) for name in MOVED), "one Ctrl-Z does not take the button back"
    yield from redo()
    yield from harness.at_rest()
    assert everything() == after, "one Shift-Ctrl-Z does not bring it again"


def test_moved_and_left():
    """A moved machine is back at its bake when the frame changes, with its joints, and nothing is told any more."""
    yield from baked_at_a_frame()
    here = motion()
    bpy.context.scene.frame_set(FRAME)
    yield from transform("G", "X", "3")
    yield from until(lambda: "bake-left-behind" in problems(), "the panel tells of the machine")
    bpy.context.scene.frame_set(FRAME + 1)
    yield from harness.at_rest()
    yield from until(lambda: not problems(), "nothing is told")
    there = motion()
    assert all(is_displaced(name, there, here, by=0.0) for name in MOVED), "the machine is not where it was"


def test_copied_with_shift_d():
    """Shift-D X 5 and the button give a copy that plays beside the first one, by an action of its own."""
    yield from baked_at_a_frame()
    here = motion()
    yield from transform("D", "X", "5", shift=True)
    copied = bpy.data.actions.keys()
    yield from move_along()
    there = motion()
    for name in MOVED:
        assert is_displaced(name, there, here, by=0.0), f"'{name}' was moved by its copy"
        assert is_displaced(f"{name}.001", there, here, name, 5.0), f"the copy of '{name}' does not play where it is"
    assert len(bpy.data.actions) == 2, bpy.data.actions.keys()
    bpy.context.scene.frame_set(FRAME)
    yield from screenshot("bake_copied")
    yield from undo()
    yield from harness.at_rest()
    assert bpy.data.actions.keys() == copied, "one Ctrl-Z does not take the button back"


def test_one_link_is_dragged():
    """A link that is dragged away from its keys stands in Problems at once, and is gone from there when it is back."""
    yield from baked_at_a_frame()
    select("Lower")
    yield from transform("G", "X", "1")
    yield from until(lambda: "bake-moved" in problems(), "Problems tells of the link")
    yield from screenshot("bake_left")
    bpy.context.scene.frame_set(FRAME + 1)
    yield from undo()
    yield from until(lambda: "bake-moved" not in problems(), "Problems tells of it no more")
