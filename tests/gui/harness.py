# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user has: a mouse, keys, and eyes. For tests inside a Blender that runs with --enable-event-simulate.

All that takes time is a generator, to be called with `yield from`: it yields seconds in which Blender handles events.
What it waits for is a condition, such as that everything is drawn. Nothing waits for a fixed time.
Positions are in the window's pixels, from its lower left corner. The sidebar's functions are in sidebar.py.
"""

import ctypes
import importlib
import os
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

MODIFIERS = {"ctrl": "LEFT_CTRL", "shift": "LEFT_SHIFT", "alt": "LEFT_ALT"}
"""Keys of the modifiers that `send` takes."""
TURN = 0.0
"""Time until the next turn of Blender's main loop [s]. A turn handles events, then calls timers such as that of the
tests, then updates the scene and draws."""

QUICK_PNG = ("-define", "png:compression-level=1", "-define", "png:compression-filter=0")
"""Options of ImageMagick that halve the time that a screenshot takes."""

TOOLTIP = 1.0
"""Time after which Blender shows the tooltip of the button under the mouse [s]. Nothing tells that it does."""

QUIET = 0.05
"""Time without a drawing of the sidebar after which its panels stand still [s]. While they glide, it is drawn every
0.02 s, or as soon as the last drawing is done."""

GLIDING = 1.0
"""Upper bound of the time that panels glide [s]; Blender takes 0.3 s."""

POLL = 0.02
"""Time between two looks at a condition [s]."""

_mouse: Position = (0, 0)
_sidebar_draws = 0
modules_before_install: set[str] = set()
traces_before_install: Traces = {}


# The session


def install_extension(zip_file: Path) -> Steps:
    modules_before_install.update(sys.modules)
    traces_before_install.update(traces())
    bpy.types.SpaceView3D.draw_handler_add(_count_draws, (), "UI", "POST_PIXEL")
    bpy.ops.extensions.package_install_files(filepath=str(zip_file), repo="user_default", enable_on_install=True)
    yield from drawn()
    assert PACKAGE in bpy.context.preferences.addons, f"{zip_file.name} is not enabled after its installation"


def compile_solver() -> Steps:
    """Begin at once, in the add-on's own child process; the steps last until it is done."""
    warming = module("kernel_compilation")
    child = warming.KernelCompilation() if warming.KernelCompilation.is_needed() else None
    return until(lambda: child is None or child.is_done, "the solver is compiled", timeout=400)


def fresh_file() -> Steps:
    """Blender as it starts, with the extension enabled."""
    bpy.ops.wm.read_homefile(use_empty=False)
    draw_cheaply()
    bpy.context.preferences.view.use_reduce_motion = True
    bpy.context.preferences.view.smooth_view = 0  # views turn at once
    bpy.context.preferences.inputs.mouse_double_click_time = 1  # two clicks of a test are never a double click
    yield from at_rest()
    assert PACKAGE in bpy.context.preferences.addons, "a new file has switched the extension off"


def draw_cheaply() -> None:
    """Switch off what Blender itself draws beside objects and overlays of ours. Without a GPU, this halves the time."""
    bpy.context.preferences.system.viewport_aa = "OFF"  # else each view is drawn eight times
    space = viewport().spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.overlay.show_outline_selected = False
    space.shading.show_object_outline = space.shading.show_specular_highlight = False


def drawn() -> Steps:
    """Wait until Blender has handled what was sent, updated the scene and drawn it."""
    yield TURN  # the events are handled
    yield TURN  # the scene is updated and drawn


def at_rest() -> Steps:
    """Wait until the add-on has read the scene, everything is drawn, and the sidebar's panels stand still.

    Panels glide by a timer of Blender's, so the sidebar is drawn again and again until they are in their places. Where
    it is drawn without end, since it shows a progress, this ends after GLIDING.
    """
    yield from drawn()
    while is_to_be_read():
        yield from until(lambda: not is_to_be_read(), "the add-on reads the scene", timeout=60)
        yield from drawn()  # what it has read may have led to a change, which it reads next
    before, deadline = -1, time.monotonic() + GLIDING
    while before != _sidebar_draws and time.monotonic() < deadline:
        before = _sidebar_draws
        yield QUIET
        yield from drawn()  # a timer that has fired meanwhile is handled in the first turn, and drawn in it


def _count_draws() -> None:
    global _sidebar_draws
    _sidebar_draws += 1


def is_to_be_read() -> bool:
    """Whether the add-on is going to read the scene, and no operator of the user is at work, which it waits for."""
    watch = sys.modules.get(f"{PACKAGE}.addon.watch")
    if watch is None or not bpy.app.timers.is_registered(watch._read_scenes):
        return False
    windows = bpy.context.window_manager.windows
    return not any(watch._changes_scene(operator) for window in windows for operator in window.modal_operators)


def until(condition: Callable[[], object], what: str, timeout: float = 30.0) -> Steps:
    """Wait until `condition()` holds; `what` says what was waited for. timeout: when this is a failure [s]."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout:g} s for this: {what}")
        yield POLL


def let_go() -> Steps:
    """Leave menus, dialogs and running operators, whatever a failed test has left open."""
    send("LEFTMOUSE", "RELEASE")
    for _ in range(3):
        yield from press("ESC")


def screenshot(name: str) -> Steps:
    """The whole screen, as out/gui/NAME.png. Blender's own screenshot operator gives black under Mesa."""
    yield from at_rest()
    partial = OUT / f".{os.getpid()}_{name}.png"  # two windows may take a picture of the same name
    subprocess.run(["import", "-window", "root", *QUICK_PNG, partial], check=True)
    partial.rename(OUT / f"{name}.png")


def resize(width: int, height: int) -> Steps:
    """Make Blender's window smaller, as on a smaller screen. Python in Blender cannot, so the X server is told."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    try:
        x11.XDefaultRootWindow.restype = ctypes.c_ulong
        unused, windows, count = ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
        x11.XQueryTree(
            display, root, *[ctypes.byref(each) for each in (unused, unused, windows, count)]
        )  # there is no window manager, so Blender's windows are the root's own children
        for number in range(count.value):
            x11.XMoveResizeWindow(display, ctypes.c_ulong(windows[number]), 0, 0, width, height)
        x11.XFree(windows)
    finally:
        x11.XCloseDisplay(display)
    yield from until(lambda: (window().width, window().height) == (width, height), "the window has its new size")
    yield from at_rest()


# Mouse and keys


def send(event: str, value: str, **modifiers) -> None:
    window().event_simulate(type=event, value=value, x=_mouse[0], y=_mouse[1], **modifiers)


def move(position: Position, **modifiers) -> Steps:
    _point(position, **modifiers)
    yield from drawn()


def _point(position: Position, **modifiers) -> None:
    global _mouse
    _mouse = (int(position[0]), int(position[1]))
    send("MOUSEMOVE", "NOTHING", **modifiers)


def press(key: str, **modifiers) -> Steps:
    """A key or a mouse button, down and up where the mouse is: press("Z", ctrl=True).

    Modifiers are released too: Blender takes a modifier of a simulated event as held until its key is released, so that
    a later drag would subtract from the selection.
    """
    send(key, "PRESS", **modifiers)
    yield TURN
    send(key, "RELEASE", **modifiers)
    _release(modifiers)
    yield from drawn()


def _release(modifiers: dict[str, bool]) -> None:
    for modifier, is_held in modifiers.items():
        if is_held:
            send(MODIFIERS[modifier], "RELEASE")


def click(position: Position, **modifiers) -> Steps:
    yield from drawn()  # what the test has changed: handles are where they were drawn last
    _point((position[0] - 2, position[1] - 2))
    _point(position)
    yield from drawn()
    yield from press("LEFTMOUSE", **modifiers)


def drag(start: Position, end: Position, steps: int = 5, **modifiers) -> Steps:
    """Press the mouse, move and release it. Modifiers are held while it moves."""
    yield from hold(start, end, steps, **modifiers)
    send("LEFTMOUSE", "RELEASE", **modifiers)
    _release(modifiers)
    yield from drawn()


def hold(start: Position, end: Position, steps: int = 5, **modifiers) -> Steps:
    """As `drag`, with the button still down at the end."""
    yield from drawn()
    _point((start[0] - 3, start[1] - 3))
    yield from move(start)
    send("LEFTMOUSE", "PRESS")
    yield from drawn()
    for key, down in modifiers.items():
        if down:
            send(MODIFIERS[key], "PRESS", **modifiers)
            yield TURN
    for i in range(1, steps + 1):
        yield from move(
            (start[0] + (end[0] - start[0]) * i // steps, start[1] + (end[1] - start[1]) * i // steps), **modifiers
        )


def type_text(text: str) -> Steps:
    """Digits, points and minus signs, as keys."""
    names = {".": "PERIOD", "-": "MINUS"}
    digits = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
    for character in text:
        key = names.get(character) or digits[int(character)]
        send(key, "PRESS", unicode=character)
        send(key, "RELEASE")
        yield TURN
    yield from drawn()


def choose_from_menu(number: int) -> Steps:
    """Take an entry, counted from 0, of the menu that is open."""
    for key in ("HOME", *["DOWN_ARROW"] * number, "RET"):
        yield from press(key)


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
    yield from at_rest()
