# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab fits the window: what one presses every day is never scrolled out of sight."""

import bpy
import harness
import sidebar
from harness import screenshot
from scenes import hanging_bars, select
from sidebar import open_tab

DAILY = ("limberjack.preview", "limberjack.simulate", "limberjack.link_tag", "limberjack.joint_pick")


def test_the_tab_fits_a_window_of_900_pixels():
    """Empty, with a link, and with a joint that has a drive: nothing is scrolled away, nothing lies beyond the end."""
    yield from open_tab()
    sidebar.forget_places()
    yield from _fits("empty", DAILY[2:])
    hanging_bars()
    select("Upper")
    yield from _fits("link", DAILY)
    joint = bpy.data.objects["Lower_joint"].limberjack_joint
    joint.type = "revolute"
    joint.axes[0].drive_mode, joint.axes[0].drive_stiffness = "position", 10.0
    joint.axes[0].use_lower = joint.axes[0].use_upper = True
    select("Lower_joint")
    yield from _fits("joint", DAILY)
    limit = 'bpy.data.objects["Lower_joint"].limberjack_joint.axes[0].upper_angle'
    yield from sidebar.click_beside(limit, across=0.3, found_at=0.75, rows_below=5.9)
    assert (yield from sidebar.is_open("LIMBERJACK_PT_drives")), "a click on its header does not open the drive"
    yield from _in_view(
        "drive", (*DAILY, "limberjack.drive_to_pose", limit, limit.replace("upper_angle", "drive_target_angle"))
    )


def test_the_tab_fits_a_window_of_720_pixels():
    """On a small screen, the buttons of every day are in view, with a joint's limits and the target of its drive."""
    size = harness.window().width, harness.window().height
    yield from harness.resize(1280, 720)
    try:
        yield from open_tab()
        sidebar.forget_places()
        hanging_bars()
        joint = bpy.data.objects["Lower_joint"].limberjack_joint
        joint.type = "revolute"
        axis = joint.axes[0]
        axis.drive_mode, axis.drive_stiffness, axis.use_lower, axis.use_upper = "position", 10.0, True, True
        select("Lower")
        yield from _in_view("small_link", DAILY)
        select("Lower_joint")
        limit = 'bpy.data.objects["Lower_joint"].limberjack_joint.axes[0].upper_angle'
        if not (yield from sidebar.is_open("LIMBERJACK_PT_drives")):
            yield from sidebar.click_beside(limit, across=0.3, found_at=0.75, rows_below=5.9)
        target = limit.replace("upper_angle", "drive_target_angle")
        yield from _in_view("small_drive", (*DAILY, limit.replace("upper", "lower"), limit, target))
    finally:
        yield from harness.resize(*size)
        sidebar.forget_places()


def _in_view(state: str, names: tuple[str, ...]):
    """Of what is unfolded by hand, only closed panels may lie beyond the end."""
    yield from harness.at_rest()
    yield from screenshot(f"tab_{state}")
    for name in names:
        yield from sidebar.find_button(name, across=_across(name))
        assert sidebar.scrolled() <= 1.0, f"{state}: {name} is scrolled away"


def _across(name: str) -> float:
    return 0.25 if name in ("limberjack.preview", "limberjack.link_tag", "limberjack.joint_pick") else 0.75


def _fits(state: str, daily: tuple[str, ...]):
    harness.region("UI").tag_redraw()
    yield from harness.at_rest()
    x = harness.region("UI").x + harness.region("UI").width // 2
    yield from harness.move((x, harness.region("UI").y + 200))
    yield from sidebar.turn_wheel(20)
    assert sidebar.scrolled() <= 1.0, f"{state}: {sidebar.scrolled():.0f} pixels of the tab do not fit"
    yield from screenshot(f"tab_{state}")
    for name in daily:
        yield from sidebar.find_button(name, across=_across(name))
        assert sidebar.scrolled() <= 1.0
