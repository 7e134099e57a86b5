# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside Blender for first_play.py, in a folder of its own: installs a zip, opens a sample, and takes the time.

With a window, Play is pressed with the mouse, and what counts is a picture in which links have moved. Without one there
is no preview, and it is a bake of two frames.
"""

import json
import os
import sys
import time
import traceback
from pathlib import Path

import bpy

sys.path.insert(0, os.getcwd())

PACKAGE = "bl_ext.user_default.limberjack"
RESULT = Path("result.json")
VISIBLE = 1e-4  # m
PATIENCE = 350  # seconds


def install(zip_file: str) -> None:
    path = str(Path(zip_file).resolve())
    bpy.ops.extensions.package_install_files(filepath=path, repo="user_default", enable_on_install=True)
    assert PACKAGE in bpy.context.preferences.addons, "the add-on is not enabled after its installation"


def places() -> dict:
    """Of the links, by name."""
    scene = bpy.context.window_manager.windows[0].scene if bpy.context.window_manager.windows else bpy.context.scene
    return {obj.name: obj.matrix_world.translation.copy() for obj in scene.objects if obj.limberjack_link.is_link}


def has_moved(before: dict) -> bool:
    now = places()
    return any((now[name] - place).length > VISIBLE for name, place in before.items())


def report(first: float, again: float) -> None:
    """Seconds."""
    found = {
        "blender": bpy.app.version_string,
        "python": ".".join(map(str, sys.version_info[:3])),
        "first_frame_s": first,
        "again_s": again,
        "numba": getattr(sys.modules.get("numba"), "__file__", None),
    }
    RESULT.write_text(json.dumps(found), encoding="utf-8")


def without_window(zip_file: str, sample: str) -> None:
    install(zip_file)
    report(bake(sample), bake(sample))


def bake(sample: str) -> float:
    """Seconds of the bake of a sample that was just opened."""
    bpy.ops.limberjack.sample_open(name=sample)
    scene = bpy.context.scene
    scene.frame_set(scene.frame_start)
    scene.frame_end = scene.frame_start + 1
    before = places()
    begun = time.monotonic()
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    seconds = time.monotonic() - begun
    scene.frame_set(scene.frame_end)
    assert has_moved(before), "nothing moves"
    return seconds


def in_window(zip_file: str, sample: str):
    """A generator: it yields seconds in which Blender handles events."""
    import harness

    harness.OUT = Path.cwd()
    install(zip_file)
    yield 1.0
    bpy.ops.limberjack.sample_open(name=sample)
    yield from harness.until(harness.links, "the sample opens")
    yield 1.5
    yield from harness.open_tab()
    yield from harness.screenshot("opened")
    first = yield from play(harness)
    yield from harness.screenshot("moving")
    yield from harness.over_viewport()
    yield from harness.press("ESC")
    again = yield from play(harness)
    report(first, again)


def play(harness):
    """Seconds from the press of the button to the first picture with links elsewhere."""
    place = yield from harness.find_button("limberjack.preview()", across=0.2)
    yield from harness.hover(place)
    yield 0.5
    before, pictures = places(), []

    def drawn():
        if not pictures and has_moved(before):
            pictures.append(time.monotonic())

    handler = bpy.types.SpaceView3D.draw_handler_add(drawn, (), "WINDOW", "POST_PIXEL")
    begun = time.monotonic()
    harness.send("LEFTMOUSE", "PRESS")
    yield 0.05
    harness.send("LEFTMOUSE", "RELEASE")
    shots = 0
    while not pictures:
        assert time.monotonic() - begun < PATIENCE, f"no link moves in {PATIENCE} s"
        if time.monotonic() - begun > 20.0 * (shots + 1):
            shots += 1
            yield from harness.screenshot(f"waiting{shots}")
        yield 0.02
    bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")
    return pictures[0] - begun


def drive(steps) -> None:
    """By a timer, since only that lets Blender handle events between two steps."""

    def tick():
        try:
            return next(steps)
        except StopIteration:
            leave(0)
        except BaseException:  # a timer that raises is only dropped: the window would stay for ever
            traceback.print_exc()
            leave(1)

    bpy.context.preferences.view.show_splash = False
    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


def leave(code: int) -> None:
    sys.stdout.flush()
    os._exit(code)  # bpy may crash when the interpreter ends, and a window gives no cleaner way


if bpy.app.background:
    try:
        without_window(*sys.argv[-2:])
    except Exception:
        traceback.print_exc()
        leave(1)
    leave(0)
else:
    drive(in_window(*sys.argv[-2:]))
