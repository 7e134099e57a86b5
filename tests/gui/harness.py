"""What a user has: a mouse, keys, and eyes. For tests inside a Blender that runs with --enable-event-simulate.

All that takes time is a generator, to be called with `yield from`: it yields seconds in which Blender handles events.
Positions are in the window's pixels, from its lower left corner.
"""

import importlib
import math
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector
from traces import Traces, traces

OUT = Path("/mnt/host")
PACKAGE = "bl_ext.user_default.limberjack"
TAB = "Limberjack"

Position = tuple[int, int]
Steps = Generator[float, None, Any]

ROW = 20  # pixels; so high is a button
HEADER = 14  # pixels from the sidebar's upper end to the middle of the first header
SCAN_STEP = 16  # pixels, so that none is passed over
EDGE = 32  # pixels at the sidebar's lower end, where a click on half a button would take the border
HOVER = 0.04  # seconds that Blender needs to find the button under the mouse
SCAN = 0.01  # seconds, where only what is under the mouse is asked, and nothing is to be seen

_mouse: Position = (0, 0)
_last_seen: dict[str, tuple[float, Position]] = {}  # how far the sidebar was scrolled, and the place
_tab_heights: dict[str, int] = {}
modules_before_install: set[str] = set()
traces_before_install: Traces = {}


# The session


def install_extension(zip_file: Path) -> Steps:
    modules_before_install.update(sys.modules)
    traces_before_install.update(traces())
    bpy.ops.extensions.package_install_files(filepath=str(zip_file), repo="user_default", enable_on_install=True)
    yield 0.5
    assert PACKAGE in bpy.context.preferences.addons, f"{zip_file.name} is not enabled after its installation"


def compile_solver() -> Steps:
    """Begin at once, in the add-on's own child process; the steps last until it is done."""
    warming = module("warming")
    child = warming.Warming() if warming.Warming.is_needed() else None
    return until(lambda: child is None or child.is_done, "the solver is compiled", timeout=400)


def fresh_file() -> Steps:
    """Blender as it starts, with the extension enabled."""
    bpy.ops.wm.read_homefile(use_empty=False)
    bpy.context.preferences.system.viewport_aa = "OFF"  # else each view is drawn eight times, and here without a GPU
    yield 0.5
    assert PACKAGE in bpy.context.preferences.addons, "a new file has switched the extension off"


def until(condition: Callable[[], object], what: str, timeout: float = 10.0) -> Steps:
    """Wait until `condition()` holds; `what` says what was waited for."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout:g} s for this: {what}")
        yield 0.05


def let_go() -> Steps:
    """Leave menus, dialogs and running operators, whatever a failed test has left open."""
    send("LEFTMOUSE", "RELEASE")
    for _ in range(3):
        yield from press("ESC")


def screenshot(name: str) -> Steps:
    """The whole screen, as out/gui/NAME.png. Blender's own screenshot operator gives black under Mesa."""
    yield 0.5  # panels glide to their places
    subprocess.run(["import", "-window", "root", OUT / f"{name}.png"], check=True)


# Mouse and keys


def send(event: str, value: str, **modifiers) -> None:
    window().event_simulate(type=event, value=value, x=_mouse[0], y=_mouse[1], **modifiers)


def move(position: Position, **modifiers) -> Steps:
    _point(position, **modifiers)
    yield HOVER


def hover(position: Position) -> Steps:
    """As `move`, for what lights up: Blender leaves a button at one event, and comes to the next at another."""
    _point((position[0] + 1, position[1]))
    _point(position)
    yield SCAN


def _point(position: Position, **modifiers) -> None:
    global _mouse
    _mouse = (int(position[0]), int(position[1]))
    send("MOUSEMOVE", "NOTHING", **modifiers)


def press(key: str, **modifiers) -> Steps:
    """A key or a mouse button, down and up where the mouse is: press("Z", ctrl=True)."""
    send(key, "PRESS", **modifiers)
    yield 0.05
    send(key, "RELEASE", **modifiers)
    yield 0.3


def click(position: Position, **modifiers) -> Steps:
    yield from move((position[0] - 2, position[1] - 2))
    yield from move(position)
    yield 0.2
    yield from press("LEFTMOUSE", **modifiers)


def drag(start: Position, end: Position, steps: int = 8, **modifiers) -> Steps:
    """Press the mouse, move and release it. Modifiers are held while it moves."""
    yield from hold(start, end, steps, **modifiers)
    send("LEFTMOUSE", "RELEASE", **modifiers)
    yield 0.3


def hold(start: Position, end: Position, steps: int = 8, **modifiers) -> Steps:
    """As `drag`, with the button still down at the end."""
    yield from move((start[0] - 3, start[1] - 3))
    yield from move(start)
    yield 0.3
    send("LEFTMOUSE", "PRESS")
    yield 0.1
    for key, down in modifiers.items():
        if down:
            send({"ctrl": "LEFT_CTRL", "shift": "LEFT_SHIFT"}[key], "PRESS", **modifiers)
            yield 0.05
    for i in range(1, steps + 1):
        yield from move(
            (start[0] + (end[0] - start[0]) * i // steps, start[1] + (end[1] - start[1]) * i // steps), **modifiers
        )
        yield 0.03


def type_text(text: str) -> Steps:
    """Digits, points and minus signs, as keys."""
    names = {".": "PERIOD", "-": "MINUS"}
    digits = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
    for character in text:
        key = names.get(character) or digits[int(character)]
        send(key, "PRESS", unicode=character)
        yield 0.05
        send(key, "RELEASE")
        yield 0.05


def choose_from_menu(number: int) -> Steps:
    """Take an entry, counted from 0, of the menu that is open."""
    yield from press("HOME")
    for _ in range(number):
        yield from press("DOWN_ARROW")
    yield from press("RET")


# The viewport


def window() -> bpy.types.Window:
    return bpy.context.window_manager.windows[0]


def viewport() -> bpy.types.Area:
    return next(area for area in window().screen.areas if area.type == "VIEW_3D")


def region(kind: str = "WINDOW") -> bpy.types.Region:
    return next(region for region in viewport().regions if region.type == kind)


def on_screen(point: Vector) -> Position:
    """Where a point of the world is seen."""
    seen = location_3d_to_region_2d(region(), viewport().spaces.active.region_3d, point)
    return (round(region().x + seen.x), round(region().y + seen.y))


def over_viewport() -> Steps:
    """Move the mouse where nothing but the viewport takes keys."""
    yield from move((region().x + region().width // 3, region().y + 60))


def click_object(obj: bpy.types.Object, local: Vector, **modifiers) -> Steps:
    """Click on a point of the object, given in its own axes."""
    yield from click(on_screen(obj.matrix_world @ Vector(local)), **modifiers)


# The sidebar


def open_tab(name: str = TAB) -> Steps:
    """Press N, and click down the column of tabs until ours is the one in front."""
    if region("UI").width <= 1:
        yield from over_viewport()
        yield from press("N")
        yield from until(lambda: region("UI").width > 1, "the sidebar opens")
    yield from _sidebar_at_rest()
    sidebar = region("UI")
    heights = range(sidebar.y + sidebar.height - 20, sidebar.y, -2 * SCAN_STEP)
    for y in (_tab_heights.get(name, heights[0]), *heights):
        if sidebar.active_panel_category == name:
            return
        yield from click((sidebar.x + sidebar.width - 10, y))
        _tab_heights[name] = y
    raise AssertionError(f"there is no tab {name} in the sidebar")


def _sidebar_at_rest() -> Steps:
    """It slides in, and its buttons with it."""
    before, now = None, (region("UI").x, region("UI").width)
    while before != now:
        yield 0.5
        before, now = now, (region("UI").x, region("UI").width)


def is_open(panel: str) -> Steps:
    """Whether the sidebar shows what is in a panel, scrolled away or not."""
    cls = getattr(bpy.types, panel)
    draw, seen = cls.draw, []
    cls.draw = lambda self, context: seen.append(self) or draw(self, context)  # which returns None
    region("UI").tag_redraw()
    yield 0.5
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
    yield 0.5


def click_beside(name: str, across: float, found_at: float = 0.25, rows_below: float = 0) -> Steps:
    """Click what cannot say its name, a menu or a panel's header, in the row of a button that can or below it."""
    _x, y = yield from find_button(name, found_at)
    yield from click((region("UI").x + round(region("UI").width * across), y - round(ROW * rows_below)))


def button_under_mouse() -> str:
    """What the sidebar's highlighted button does: "limberjack.simulate()", or the path of its property."""
    manager = bpy.context.window_manager
    with bpy.context.temp_override(window=window(), area=viewport(), region=region("UI")):
        if bpy.ops.ui.copy_python_command_button.poll():
            bpy.ops.ui.copy_python_command_button()
        elif bpy.ops.ui.copy_data_path_button.poll():
            bpy.ops.ui.copy_data_path_button(full_path=True)
        else:
            return ""
    return manager.clipboard.removeprefix("bpy.ops.")


def find_button(name: str, across: float = 0.5) -> Steps:
    """Hover down the sidebar until a button's operator or property starts with `name`; scroll where it must be.

    across: where in the sidebar's width, from 0 to 1.
    """
    if name in _last_seen:
        scrolled, place = _last_seen[name]
        yield from move(place)
        yield from _scroll_to(scrolled)
        if (yield from _rests_at(place, name)):
            return place
    x = region("UI").x + round(region("UI").width * across)
    place = yield from _on_this_page(x, name)
    if not place:
        begun = _scrolled()
        yield from press("HOME")  # leads to the top
        place = (yield from _on_this_page(x, name)) if _scrolled() != begun else None
    while not place and (yield from _turn_page()):
        place = yield from _on_this_page(x, name)
    place = place or (yield from _on_this_page(x, name, edge=0))  # at the very end the lowest button is whole
    assert place, f"there is no button for {name} in the sidebar"
    _last_seen[name] = _scrolled(), place
    return place


def _on_this_page(x: int, name: str, edge: int = EDGE) -> Steps:
    """The middle of the button, or None where it is scrolled away."""
    sidebar = region("UI")
    for y in range(sidebar.y + sidebar.height - SCAN_STEP // 2, sidebar.y + edge, -SCAN_STEP):
        yield from hover((x, y))
        if button_under_mouse().startswith(name):
            top = yield from _upper_end(x, y, name)
            place = (x, round(top - ROW / 2 * bpy.context.preferences.system.ui_scale))
            if (yield from _rests_at(place, name)):
                return place
    return None


def _upper_end(x: int, y: int, name: str) -> Steps:
    """Of the button that the scan has come upon from above, somewhere within a step of it."""
    for higher in range(y + 4, y + SCAN_STEP, 4):
        yield from hover((x, higher))
        if not button_under_mouse().startswith(name):
            return higher - 2
    return y + SCAN_STEP - 2


def _turn_page() -> Steps:
    """Turn the wheel over the sidebar until its lowest buttons are the highest; whether anything has moved."""
    begun = before = _scrolled()
    step = 0.0
    while before - begun + step <= region("UI").height - 2 * EDGE:
        yield from turn_wheel()
        step, before = _scrolled() - before, _scrolled()
        if not step:
            break
    return before > begun


def turn_wheel(times: int = 1, event: str = "WHEELDOWNMOUSE") -> Steps:
    """Scroll what is under the mouse, down or, by WHEELUPMOUSE, up."""
    for _ in range(times):
        send(event, "PRESS")
        yield 2 * HOVER


def _scroll_to(pixels: float) -> Steps:
    """Turn the wheel over the sidebar until so many pixels of it lie above what is seen, or as near as it gets."""
    event = "WHEELDOWNMOUSE" if pixels > _scrolled() else "WHEELUPMOUSE"
    away = abs(pixels - _scrolled())
    before = math.inf
    while 1.0 < away < before:
        yield from turn_wheel(event=event)
        before, away = away, abs(pixels - _scrolled())


def _scrolled() -> float:
    """How many pixels of the sidebar lie above what is seen."""
    return -region("UI").view2d.region_to_view(0, region("UI").height)[1]


def _rests_at(position: Position, name: str) -> Steps:
    """Whether the button is there now and a moment later: panels glide when one above them changes its size."""
    for pause in (0.25, 0.0):
        yield from hover(position)
        if not button_under_mouse().startswith(name):
            return False
        yield pause
    return True


def click_button(name: str, rows_below: float = 0, across: float = 0.5, **modifiers) -> Steps:
    """Click a button of the sidebar; `rows_below` reaches what cannot say its name, a menu or a panel's header."""
    x, y = yield from find_button(name, across)
    row = 20 * bpy.context.preferences.system.ui_scale
    yield from click((x, round(y - rows_below * row)), **modifiers)


# The add-on


def status() -> bpy.types.PropertyGroup:
    return bpy.context.window_manager.limberjack_status


def module(name: str):
    """One of the add-on's modules, as Blender has it."""
    return importlib.import_module(f"{PACKAGE}.addon.{name}")


def links() -> list[str]:
    return [obj.name for obj in bpy.context.scene.objects if obj.limberjack_link.is_link]


def simulated() -> Steps:
    """Wait until the simulation that was started has come to its end."""
    yield from until(lambda: not status().running, "the simulation ends", timeout=300)
    assert not status().error, f"the simulation failed: {status().error}"
    assert bpy.context.scene.limberjack.last_result, "the simulation failed, and left its findings"
    yield 0.3
