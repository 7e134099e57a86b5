# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside Blender's window for window_bake.py: bakes each scene by the modal operator and by a script, in turns."""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import bpy
from mathutils import Vector

SOURCE = Path(__file__).parents[1]
sys.path[:0] = [str(SOURCE / "tests" / name) for name in ("gui", "packages", "")]
import harness  # noqa: E402 - lies in a folder just added
import sidebar  # noqa: E402

RESULT = Path("/mnt/host/window_bake.json")

TURNS = 2
"""Number of times that each way bakes a scene; the fastest counts."""

COURSES = 15
"""Number of layers of the tower, each of three bricks across those of the layer below."""


def open_car() -> None:
    path = str(SOURCE / "sample_scenes" / "car.blend")
    bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)


def make_tower() -> None:
    _clear(frames=120)
    with over_viewport():
        for number in range(3 * COURSES):
            layer, place = divmod(number, 3)
            along, across = (0.0, place - 1.0) if layer % 2 else (place - 1.0, 0.0)
            bpy.ops.mesh.primitive_cube_add(size=1.0, location=(along, across, 0.3 + 0.55 * layer))
            bpy.context.object.scale = (3.0, 0.95, 0.5) if layer % 2 else (0.95, 3.0, 0.5)
        _drop_on_floor()


def make_balls() -> None:
    _clear(frames=120)
    with over_viewport():
        for number in range(27):
            x, y, z = number % 3, number // 3 % 3, number // 9
            place = Vector((x, y, z)) * 1.05 + Vector((0.02 * z, 0.03 * z, 1.0))
            bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=place)
        _drop_on_floor()


SCENES: dict[str, Callable[[], None]] = {"car": open_car, "tower": make_tower, "balls27": make_balls}


def _clear(frames: int) -> None:
    bpy.ops.wm.read_homefile(use_empty=False)
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.context.scene.frame_end = frames


def _drop_on_floor() -> None:
    """Make all objects links, and a plane below them a collider."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.limberjack.link_tag()
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    bpy.ops.limberjack.collider_add()


def measured():
    """Seconds of each way by scene. A generator: it yields seconds in which Blender handles events."""
    yield from harness.install_extension(next(harness.OUT.glob("*.zip")))
    figures = {}
    for name, make in SCENES.items():
        times = {"window": [], "script": []}
        for _ in range(TURNS):
            for way, bake in (("script", bake_by_script), ("window", bake_in_window)):
                make()
                yield from harness.at_rest()
                harness.draw_cheaply()  # without a GPU, smoothing the edges of a view would take two seconds
                yield from sidebar.open_tab()
                times[way].append((yield from bake()))
        figures |= {f"{name}.{way}_s": min(found) for way, found in times.items()}
        figures[f"{name}.window_over_script"] = min(times["window"]) / min(times["script"])
    RESULT.write_text(json.dumps(figures), encoding="utf-8")


def over_viewport():
    return bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region())


def bake_by_script():
    """Bake by the operator without events, as a script does. Returns the time [s]."""
    begun = time.perf_counter()
    with over_viewport():
        assert bpy.ops.limberjack.simulate("EXEC_DEFAULT", overwrite=True) == {"FINISHED"}
    seconds = time.perf_counter() - begun
    yield from harness.at_rest()
    return seconds


def bake_in_window():
    """Bake by the modal operator, as a button does. Returns the time until it has ended [s]."""
    begun = time.perf_counter()
    with over_viewport():
        assert bpy.ops.limberjack.simulate("INVOKE_DEFAULT", overwrite=True) == {"RUNNING_MODAL"}
    yield from harness.until(lambda: not harness.status().running, "the bake ends", timeout=300)
    seconds = time.perf_counter() - begun
    assert not harness.status().error, harness.status().error
    yield from harness.at_rest()
    return seconds


def leave(code: int) -> None:
    sys.stdout.flush()
    os._exit(code)  # a window gives no cleaner way to choose the exit code


def main() -> None:
    steps = measured()

    def tick() -> float:
        try:
            return next(steps)
        except StopIteration:
            leave(0)
        except BaseException:  # Blender only drops a timer that raises: the window would stay open for ever
            traceback.print_exc()
            leave(1)

    bpy.context.preferences.view.show_splash = False
    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


main()
