# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar as a user sees it: its tabs, its panels, and its buttons, found by what lies under the mouse."""

import math

import bpy
from harness import (
    TAB,
    Position,
    Steps,
    _point,
    at_rest,
    click,
    drawn,
    move,
    press,
    region,
    send,
    until,
    viewport,
    window,
)

ROW = 20
"""Height of a button [px]."""

HEADER = 14
"""Distance from the sidebar's upper end to the middle of the first header [px]."""

SCAN_STEP = 16
"""Distance between two places where a button is looked for [px]. It is less than ROW, so no button is passed over."""

EDGE = 32
"""Height of the sidebar's lower end, where a click on half a button would take the border [px]."""

NEAR = 5
"""Number of steps above and below the place where a row was seen last, before the whole sidebar is searched."""

_rows: dict[str, tuple[float, int]] = {}
"""Where buttons were seen last: by what `button_under_mouse` said, how far the sidebar was scrolled, and y."""


def open_tab(name: str = TAB) -> Steps:
    """Show the sidebar with this tab in front. `click_tab` does this with keys and mouse."""
    if region("UI").width <= 1:
        viewport().spaces.active.show_region_ui = True
        yield from until(lambda: region("UI").width > 1, "the sidebar opens")
        yield from drawn()
    region("UI").active_panel_category = name
    region("UI").tag_redraw()
    yield from at_rest()


def click_tab(name: str = TAB) -> Steps:
    """Press N, and click down the column of tabs until this one is in front."""
    if region("UI").width <= 1:
        yield from move((region().x + region().width // 3, region().y + 60))
        yield from press("N")
        yield from until(lambda: region("UI").width > 1, "the sidebar opens")
    yield from at_rest()
    sidebar = region("UI")
    for y in range(sidebar.y + sidebar.height - 20, sidebar.y, -2 * SCAN_STEP):
        if sidebar.active_panel_category == name:
            return
        yield from click((sidebar.x + sidebar.width - 10, y))
    raise AssertionError(f"there is no tab {name} in the sidebar")


def is_open(panel: str) -> Steps:
    """Whether the sidebar shows what is in a panel, scrolled away or not."""
    cls = getattr(bpy.types, panel)
    draw, seen = cls.draw, []
    cls.draw = lambda self, context: seen.append(self) or draw(self, context)  # which returns None
    region("UI").tag_redraw()
    yield from at_rest()
    cls.draw = draw
    return bool(seen)


def open_panel(panel: str) -> Steps:
    """One that is closed at first, with all the others."""
    for _ in range(3):
        if (yield from is_open(panel)):
            return
        yield from toggle_panels()
    assert (yield from is_open(panel)), f"{panel} does not open"


def toggle_panels() -> Steps:
    """Ctrl and a click on the main panel's header close all that are below it, or open them all."""
    sidebar = region("UI")
    yield from move((sidebar.x + sidebar.width // 3, sidebar.y + sidebar.height // 2))
    yield from press("HOME")
    header = round(HEADER * bpy.context.preferences.system.ui_scale)
    yield from click((sidebar.x + sidebar.width // 3, sidebar.y + sidebar.height - header), ctrl=True)
    yield from at_rest()


def click_button(name: str, rows_below: float = 0, across: float = 0.5, **modifiers) -> Steps:
    """Click a button of the sidebar; `rows_below` reaches what cannot say its name, a menu or a panel's header."""
    x, y = yield from find_button(name, across, is_exact=rows_below != 0)
    row = ROW * bpy.context.preferences.system.ui_scale
    yield from click((x, round(y - rows_below * row)), **modifiers)


def click_beside(name: str, across: float, found_at: float = 0.25, rows_below: float = 0) -> Steps:
    """Click what cannot say its name, a menu or a panel's header, in the row of a button that can or below it."""
    _x, y = yield from find_button(name, found_at, is_exact=True)
    yield from click((region("UI").x + round(region("UI").width * across), y - round(ROW * rows_below)))


# Looking for a button


def button_under_mouse(area: bpy.types.Area | None = None, part: bpy.types.Region | None = None) -> str:
    """Return the operator of the highlighted button, "limberjack.simulate()", or the path of its property.

    Args:
        area, part: where the mouse is; by default, in the 3D view's sidebar.
    """
    manager = bpy.context.window_manager
    manager.clipboard = ""  # some buttons allow one of these operators, which then copies nothing
    with bpy.context.temp_override(window=window(), area=area or viewport(), region=part or region("UI")):
        if bpy.ops.ui.copy_python_command_button.poll():
            bpy.ops.ui.copy_python_command_button()
        elif bpy.ops.ui.copy_data_path_button.poll():
            bpy.ops.ui.copy_data_path_button(full_path=True)
        else:
            return ""
    return manager.clipboard.removeprefix("bpy.ops.")


def button_at(position: Position) -> Steps:
    """Return what the button at a place does.

    Blender leaves a button at one event, and enters the next at another. It takes a button that was left for the active
    one until the sidebar is drawn again.
    """
    _point((position[0] + 1, position[1]))
    _point(position)
    yield from drawn()
    name = button_under_mouse()
    if name:
        _rows[name] = scrolled(), position[1]
    return name


def find_button(name: str, across: float = 0.5, is_exact: bool = False) -> Steps:
    """Return a place on the button whose operator or property starts with `name`; scroll where it must be.

    The rows where it was seen before are tried first, and their neighbours, then the whole sidebar.

    Args:
        across: where in the sidebar's width, from 0 to 1.
        is_exact: whether the place has to be the button's middle, from which others are counted.
    """
    yield from at_rest()
    x = region("UI").x + round(region("UI").width * across)
    place = yield from _where_it_was(x, name)
    if not place:
        place = yield from _on_this_page(x, name)
    if not place:
        begun = scrolled()
        yield from press("HOME")  # leads to the top
        place = (yield from _on_this_page(x, name)) if scrolled() != begun else None
    while not place and (yield from _turn_page()):
        place = yield from _on_this_page(x, name)
    place = place or (yield from _on_this_page(x, name, edge=0))  # at the very end the lowest button is whole
    assert place, f"there is no button for {name} in the sidebar"
    return (yield from _middle(*place, name)) if is_exact else place


def forget_places() -> None:
    """Look for all buttons anew, from where the sidebar is: other tests may have seen them on a scrolled page."""
    _rows.clear()


def _where_it_was(x: int, name: str) -> Steps:
    """A place on the button, or None where it is not near a row where it was seen before."""
    seen = {place for row, place in _rows.items() if _is_whole(name, row)}
    sidebar = region("UI")
    for way, y in sorted(seen, key=lambda place: place[0] - place[1])[:2]:  # the uppermost row first
        yield from move((x, y))
        yield from _scroll_to(way)
        for number in range(2 * NEAR + 1):
            near = y + SCAN_STEP * ((number + 1) // 2) * (-1) ** number
            if not sidebar.y + EDGE < near < sidebar.y + sidebar.height:
                continue
            if (yield from button_at((x, near))).startswith(name):
                return (x, near)
    return None


def _is_whole(name: str, row: str) -> bool:
    """Whether `name` is all of a row's operator or property, and not the beginning of a longer identifier."""
    rest = row.removeprefix(name)
    return row.startswith(name) and not (rest[:1].isalnum() or rest[:1] == "_")


def _on_this_page(x: int, name: str, edge: int = EDGE) -> Steps:
    """A place on the button, or None where it is scrolled away."""
    sidebar = region("UI")
    for y in range(sidebar.y + sidebar.height - SCAN_STEP // 2, sidebar.y + edge, -SCAN_STEP):
        if (yield from button_at((x, y))).startswith(name):
            return (x, y)
    return None


def _middle(x: int, y: int, name: str) -> Steps:
    """The middle of the button that is at a place, to 2 pixels."""
    above = 0
    for step in (ROW // 2, ROW // 4, ROW // 8):
        inside = (yield from button_at((x, y + above + step))).startswith(name)
        above += step if inside else 0
    place = (x, round(y + above + 1 - ROW / 2 * bpy.context.preferences.system.ui_scale))
    found = yield from button_at(place)
    assert found.startswith(name), f"{name} moves while it is looked for: {found} is in its place"
    yield from drawn()
    return place


# Scrolling


def _turn_page() -> Steps:
    """Turn the wheel over the sidebar until its lowest buttons are the highest; whether anything has moved."""
    begun = scrolled()
    yield from _scroll_to(begun + region("UI").height - 2 * EDGE, beyond=False)
    return scrolled() > begun


def turn_wheel(times: int = 1, event: str = "WHEELDOWNMOUSE") -> Steps:
    """Scroll what is under the mouse, down or, by WHEELUPMOUSE, up."""
    for _ in range(times):
        send(event, "PRESS")
    yield from drawn()


def _scroll_to(pixels: float, beyond: bool = True) -> Steps:
    """Turn the wheel over the sidebar until so many pixels of it lie above what is seen, or as near as it gets.

    The first turn shows how far a turn leads, and the others follow at once. beyond: whether it may be more pixels.
    """
    before = scrolled()
    if abs(pixels - before) <= 1.0:
        return
    event = "WHEELDOWNMOUSE" if pixels > before else "WHEELUPMOUSE"
    yield from turn_wheel(event=event)
    step = scrolled() - before
    if step:
        rest = (pixels - scrolled()) / step
        yield from turn_wheel(max(0, round(rest) if beyond else math.floor(rest)), event)


def scrolled() -> float:
    """How many pixels of the sidebar lie above what is seen."""
    return -region("UI").view2d.region_to_view(0, region("UI").height)[1]
