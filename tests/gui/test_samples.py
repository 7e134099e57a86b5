# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first click: a sample scene, which plays and bakes, and is nobody's file."""

from pathlib import Path

import bpy
import harness
from harness import links, over_viewport, press, screenshot, simulated, until
from sidebar import click_button, open_tab

from support.plan import walk


def installed_files() -> dict[str, tuple[int, int]]:
    """Size and time of every file of the extension's scenes."""
    folder = harness.module("ops.files.samples").FOLDER
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in Path(folder).iterdir()}


def choose_sample(name: str, rows_below: float) -> harness.Steps:
    yield from click_button("limberjack.link_tag", rows_below=rows_below, across=0.25)
    yield from screenshot(f"samples_menu_{name}")
    yield from harness.choose_from_menu(list(harness.module("ops.files.samples").samples()).index(name))


@walk
def test_sample_from_an_empty_scene_to_a_bake():
    """The button is on top where there are no links; the whole machine is seen; one click bakes it; Ctrl+S asks for a
    name, and the extension's own files stay as they are."""
    before = installed_files()
    yield from open_tab()
    yield from choose_sample("ragdoll", rows_below=-1.6)
    yield from until(links, "the sample opens")
    yield from harness.at_rest()
    yield from screenshot("sample_opened")
    for name in links():
        seen = harness.on_screen(bpy.data.objects[name].matrix_world.translation)
        area = harness.region()
        assert 0 < seen[0] - area.x < area.width, f"{name} is beside the view"
        assert 0 < seen[1] - area.y < area.height, f"{name} is above or below the view"
    bpy.context.scene.frame_end = 24
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    assert bpy.data.actions, "nothing is baked"
    yield from screenshot("sample_baked")

    yield from over_viewport()
    yield from press("S", ctrl=True)
    yield from harness.at_rest()
    yield from screenshot("sample_saved")
    assert not bpy.data.filepath, f"Ctrl+S has written {bpy.data.filepath}"
    yield from press("ESC")
    yield from harness.at_rest()
    for window in list(bpy.context.window_manager.windows)[1:]:
        with bpy.context.temp_override(window=window):
            bpy.ops.wm.window_close()
    assert installed_files() == before, "the installed samples are changed"


def test_unsaved_changes_are_asked_about():
    """Who has something unsaved can stay with it."""
    bpy.ops.mesh.primitive_monkey_add()
    bpy.ops.ed.undo_push(message="A monkey")
    yield from open_tab()
    yield from choose_sample("crane", rows_below=-1.6)
    yield from harness.at_rest()
    yield from screenshot("sample_asks")
    assert "Suzanne" in bpy.data.objects, "the unsaved scene is closed without a question"
    yield from press("ESC")
    yield from harness.at_rest()
    assert "Suzanne" in bpy.data.objects, "Esc in the dialog has closed the scene"
    assert not links(), "Esc in the dialog has opened the sample"
