# SPDX-License-Identifier: GPL-3.0-or-later
"""The preferences' self-check, with a solver yet to be compiled: the window lives, and says what it waits for."""

import importlib
import itertools
import time

import bpy
import harness
import sidebar
from harness import screenshot, send, status, until


def start() -> None:
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.limberjack.self_check("INVOKE_DEFAULT")


def show_preferences() -> harness.Steps:
    """In the place of the 3D view, at our add-on."""
    preferences = bpy.context.preferences
    preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Limberjack"
    harness.viewport().ui_type = "PREFERENCES"
    yield from harness.at_rest()
    area = next(area for area in harness.window().screen.areas if area.type == "PREFERENCES")
    with bpy.context.temp_override(window=harness.window(), area=area):
        bpy.ops.preferences.addon_expand(module=harness.PACKAGE)
    region = next(region for region in area.regions if region.type == "WINDOW")
    yield from harness.move((region.x + region.width // 2, region.y + region.height // 2))
    yield from sidebar.turn_wheel(30)


def compiled() -> int:
    """How many kernels the extension's cache has."""
    kernel_cache = importlib.import_module(f"{harness.PACKAGE}.core.compilation.kernel_cache")
    return len(list(kernel_cache.cache_folder().glob("*/*.nbc")))


def test_check_with_a_cold_solver():
    """Esc keeps what is compiled, the next check goes on from there, and tells the time that it takes."""
    assert bpy.ops.limberjack.cache_clear() == {"FINISHED"}
    start()
    assert status().running, "the check has compiled in the window's own process"
    yield from until(lambda: compiled() >= 2, "two kernels are compiled", timeout=200)
    assert status().text.startswith("Compiling the solver"), status().text
    yield from harness.over_viewport()
    send("ESC", "PRESS")
    yield from until(lambda: not status().running, "Esc ends the check")
    yield from show_preferences()

    area = next(area for area in harness.window().screen.areas if area.type == "PREFERENCES")
    with bpy.context.temp_override(window=harness.window(), area=area, region=area.regions[-1]):
        bpy.ops.limberjack.self_check("INVOKE_DEFAULT")
    yield from harness.drawn()
    assert compiled() >= 2, "the second check begins anew"
    begun, seen = time.monotonic(), []
    while status().running:
        seen.append((time.monotonic() - begun, status().text))
        if len(seen) == 50:
            yield from screenshot("self_check_compiling")
        yield 0.25
        assert time.monotonic() - begun < 350, f"it never ends: {status().text}"
    for moment, text in seen[::12]:
        print(f"SELFCHECK {moment:.1f} {text}", flush=True)
    pauses = max(later[0] - sooner[0] for sooner, later in itertools.pairwise(seen))
    assert pauses < 3.0, f"the window stood still for {pauses:.1f} s"
    assert "The solver is right" in status().self_check, status().self_check
    print("SELFCHECK", status().self_check.replace("\n", " | "), flush=True)
    yield from screenshot("self_check")
    bpy.ops.limberjack.self_check_copy()
    assert bpy.context.window_manager.clipboard == status().self_check
