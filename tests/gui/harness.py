"""What a user has: a mouse, keys, and eyes. For tests inside a Blender that runs with --enable-event-simulate.

All that takes time is a generator, to be called with `yield from`: it yields seconds in which Blender handles events.
Positions are in the window's pixels, from its lower left corner.
"""

import importlib
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

OUT = Path("/mnt/host")
PACKAGE = "bl_ext.user_default.limberjack"
TAB = "Limberjack"

Position = tuple[int, int]
Steps = Generator[float, None, Any]

SCAN_STEP = 8  # pixels; a button is 20 high
EDGE = 32  # pixels at the sidebar's lower end, where a click on half a button would take the border
HOVER = 0.04  # seconds that Blender needs to find the button under the mouse

_mouse: Position = (0, 0)
_last_seen: dict[str, Position] = {}
modules_before_install: set[str] = set()


# The session


def install_extension(zip_file: Path) -> Steps:
    modules_before_install.update(sys.modules)
    bpy.ops.extensions.package_install_files(filepath=str(zip_file), repo="user_default", enable_on_install=True)
    yield 0.5
    assert PACKAGE in bpy.context.preferences.addons, f"{zip_file.name} is not enabled after its installation"


def fresh_file() -> Steps:
    """Blender as it starts, with the extension enabled."""
    bpy.ops.wm.read_homefile(use_empty=False)
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
    global _mouse
    _mouse = (int(position[0]), int(position[1]))
    send("MOUSEMOVE", "NOTHING", **modifiers)
    yield HOVER


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
    for y in range(sidebar.y + sidebar.height - 20, sidebar.y, -2 * SCAN_STEP):
        if sidebar.active_panel_category == name:
            return
        yield from click((sidebar.x + sidebar.width - 10, y))
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
    cls.draw = lambda self, context: (seen.append(self), draw(self, context))
    region("UI").tag_redraw()
    yield 0.5
    cls.draw = draw
    return bool(seen)


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
    if name in _last_seen and (yield from _rests_at(_last_seen[name], name)):
        return _last_seen[name]
    sidebar = region("UI")
    x = sidebar.x + round(sidebar.width * across)
    scrolls = ([], ["HOME"], *[["WHEELDOWNMOUSE"] * 6] * 6)  # HOME leads to the top
    for number, keys in enumerate(scrolls, 1):
        for key in keys:
            yield from press(key)
        edge = EDGE if number < len(scrolls) else 0  # at the very end the lowest button is whole
        for y in range(sidebar.y + sidebar.height - SCAN_STEP, sidebar.y + edge, -SCAN_STEP):
            yield from move((x, y))
            if button_under_mouse().startswith(name):
                place = (x, y - SCAN_STEP // 2)
                if (yield from _rests_at(place, name)):
                    _last_seen[name] = place
                    return place
    raise AssertionError(f"there is no button for {name} in the sidebar")


def _rests_at(position: Position, name: str) -> Steps:
    """Whether the button is there now and a moment later: panels glide when one above them changes its size."""
    for pause in (0.25, 0.0):
        yield from move((position[0] + 1, position[1]))
        yield from move(position)
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
    yield 0.3
