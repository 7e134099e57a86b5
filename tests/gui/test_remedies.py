# SPDX-License-Identifier: GPL-3.0-or-later
"""What the doctor says of a simulation, and its remedy by a click in the panel Problems."""

import bpy
from harness import region, screenshot, simulated
from scenes import hanging_bars, select
from sidebar import click_button, open_tab
from test_bake import bake
from test_handles import undo

from support.plan import walk


def _axis():
    return bpy.data.objects["Lower_joint"].limberjack_joint.axes[0]


def _findings() -> list[str]:
    return [finding.code for finding in bpy.context.scene.limberjack.findings]


def _weak_drive() -> None:
    """A bar that lies on its side, and a drive that is to lift it and cannot."""
    hanging_bars()
    joint = bpy.data.objects["Lower_joint"].limberjack_joint
    joint.type = "revolute"
    axis = joint.axes[0]
    axis.xyz = (1.0, 0.0, 0.0)
    axis.drive_mode, axis.drive_stiffness, axis.drive_target = "position", 1e6, 1.5
    axis.use_effort, axis.effort = True, 1.0
    select()
    bpy.ops.ed.undo_push(message="A weak drive")


@walk
def test_a_weak_drive_is_strengthened_with_a_click():
    """The panel has the doctor's sentence below its heading; its button sets the value, in one step of undo."""
    _weak_drive()
    yield from bake()
    assert _findings() == ["effort-too-small"], _findings()
    yield from open_tab()
    yield from screenshot("finding_in_problems")
    yield from click_button("limberjack.remedy_apply")
    assert _axis().effort > 100.0, f"the button was clicked: the drive has {_axis().effort}"
    assert not _findings(), _findings()
    region("UI").tag_redraw()
    yield from screenshot("finding_acted_on")
    yield from undo()
    assert (_axis().effort, _findings()) == (1.0, ["effort-too-small"]), "one Ctrl-Z does not take the remedy back"
    yield from click_button("limberjack.remedy_apply")
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    assert not _findings(), f"simulated again, the drive is still in trouble: {_findings()}"
