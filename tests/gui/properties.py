# SPDX-License-Identifier: GPL-3.0-or-later
"""The Properties editor as a user sees it: its tabs, and its buttons, found by what lies under the mouse."""

import bpy
from harness import Position, Steps, _point, at_rest, click, drawn, window
from sidebar import SCAN_STEP, button_under_mouse


def editor() -> bpy.types.Area:
    return next(area for area in window().screen.areas if area.type == "PROPERTIES")


def part(kind: str = "WINDOW") -> bpy.types.Region:
    return next(region for region in editor().regions if region.type == kind)


def click_tab(context: str) -> Steps:
    """Click down the column of tabs until this one is in front, such as "PHYSICS"."""
    tabs = part("NAVIGATION_BAR")
    for y in range(tabs.y + tabs.height - SCAN_STEP, tabs.y, -SCAN_STEP):
        if editor().spaces.active.context == context:
            return
        yield from click((tabs.x + tabs.width // 2, y))
        yield from at_rest()
    raise AssertionError(f"the Properties editor has no tab {context}")


def find_button(name: str, across: float = 0.5) -> Steps:
    """Return a place on the button whose operator or property starts with `name`, among those that are in view."""
    yield from at_rest()
    region = part()
    x = region.x + round(region.width * across)
    for y in range(region.y + region.height - SCAN_STEP // 2, region.y, -SCAN_STEP // 2):
        _point((x + 1, y))
        _point((x, y))
        yield from drawn()
        if button_under_mouse(editor(), region).startswith(name):
            return (x, y)
    raise AssertionError(f"there is no button for {name} in view in the Properties editor")


def click_button(name: str, across: float = 0.5) -> Steps:
    place: Position = yield from find_button(name, across)
    yield from click(place)
