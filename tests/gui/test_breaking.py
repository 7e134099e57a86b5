# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint that breaks, by the mouse: its strength in the panel, the bake, what the panel says of it, and undo."""

import bpy
from harness import over_viewport, press, screenshot, simulated
from scenes import hanging_bars, motion, select
from sidebar import click_button, open_panel, open_tab

from support.plan import walk

STRENGTH = 'bpy.data.objects["Lower_joint"].limberjack_joint.use_break_force'
"""The box in the panel, by the path that Blender copies."""


@walk
def test_a_joint_breaks_in_the_window():
    """From a tick in the panel to a link that falls, and to the sentence that says why; Ctrl-Z takes the bake back."""
    hanging_bars()
    joint = bpy.data.objects["Lower_joint"].limberjack_joint
    joint.break_force = 1.0
    select("Lower_joint")
    yield from open_tab()
    yield from open_panel("LIMBERJACK_PT_joint_more")
    yield from click_button(STRENGTH, across=0.46)
    assert joint.use_break_force, "the box of Break Force was clicked, and is not ticked"
    yield from screenshot("break_force")
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    notes = bpy.context.scene.limberjack.last_notes
    assert "joint 'Lower_joint' broke at the start, under" in notes, notes
    heights = {frame: poses["Lower"][2][3] for frame, poses in motion().items()}
    assert heights[1] - heights[24] > 1.0, f"the bar does not fall: {heights}"
    bpy.context.scene.frame_set(16)
    yield from screenshot("broken")
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    assert bpy.data.objects["Lower"].animation_data is None, "one Ctrl-Z has not taken the bake back"
