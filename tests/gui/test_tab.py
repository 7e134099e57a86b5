"""The tab fits the window: what one presses every day is never scrolled out of sight."""

import bpy
import harness
from harness import open_tab, screenshot
from scenes import hanging_bars, select

DAILY = ("limberjack.preview", "limberjack.simulate", "limberjack.link_tag", "limberjack.joint_pick")


def test_the_tab_fits_a_window_of_900_pixels():
    """Empty, with a link, and with a joint that has a drive: nothing is scrolled away, nothing lies beyond the end."""
    yield from open_tab()
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


def _fits(state: str, daily: tuple[str, ...]):
    harness.region("UI").tag_redraw()
    yield 1.5  # the scene is read, panels glide
    x = harness.region("UI").x + harness.region("UI").width // 2
    yield from harness.move((x, harness.region("UI").y + 200))
    yield from harness.turn_wheel(20)
    assert harness._scrolled() <= 1.0, f"{state}: {harness._scrolled():.0f} pixels of the tab do not fit"
    yield from screenshot(f"tab_{state}")
    for name in daily:
        yield from harness.find_button(
            name,
            across=0.25 if name in ("limberjack.preview", "limberjack.link_tag", "limberjack.joint_pick") else 0.75,
        )
        assert harness._scrolled() <= 1.0
