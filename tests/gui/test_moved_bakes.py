# SPDX-License-Identifier: GPL-3.0-or-later
"""A baked machine, moved and copied by keys and mouse: its bake goes along, and an undo takes both back."""

import bpy
import harness
from harness import Steps, over_viewport, press, screenshot, type_text, until
from scenes import hanging_bars, motion, select
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
    before = bpy.context.scene.limberjack.gone_along
    yield from over_viewport()
    yield from press(key, **modifiers)
    yield from press(axis)
    yield from type_text(number)
    yield PAUSE
    assert bpy.context.scene.limberjack.gone_along == before, "a bake went along while the mouse was still moving"
    yield from press("RET")
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


@walk
def test_moved_with_g():
    """G X 3 on a whole machine takes its bake along; one Ctrl-Z takes it back, bit by bit, and a redo brings it."""
    yield from baked_at_a_frame()
    here, before = motion(), everything()
    yield from transform("G", "X", "3")
    there = motion()
    assert all(is_displaced(name, there, here) for name in MOVED), "the bake did not go along"
    assert "bake-moved" not in problems(), problems()
    yield from screenshot("bake_moved_along")
    after = everything()
    yield from undo()
    yield from harness.at_rest()
    assert everything() == before, "one Ctrl-Z does not take it back"
    yield from redo()
    yield from harness.at_rest()
    assert everything() == after, "one Shift-Ctrl-Z does not bring it again"


def test_copied_with_shift_d():
    """Shift-D X 5 gives a copy that plays beside the first one, by an action of its own; Ctrl-Z takes it away."""
    yield from baked_at_a_frame()
    here, before = motion(), everything()
    yield from transform("D", "X", "5", shift=True)
    there = motion()
    for name in MOVED:
        assert is_displaced(name, there, here, by=0.0), f"'{name}' was moved by its copy"
        assert is_displaced(f"{name}.001", there, here, name, 5.0), f"the copy of '{name}' does not play where it is"
    assert len(bpy.data.actions) == 2, bpy.data.actions.keys()
    yield from screenshot("bake_copied")
    after = everything()
    yield from undo()
    yield from harness.at_rest()
    assert everything() == before, "one Ctrl-Z does not take the copy away"
    yield from redo()
    yield from harness.at_rest()
    assert everything() == after, "one Shift-Ctrl-Z does not bring the copy again"


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
