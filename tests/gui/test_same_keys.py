# SPDX-License-Identifier: GPL-3.0-or-later
"""One scene baked three ways: by the panel, by `blender -b`, and by the wheel, for which wheel.py runs afterwards."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import bpy
import harness
from baked_keys import keys_of_bake
from harness import OUT, PACKAGE, Steps, screenshot, simulated, until
from sidebar import click_button, open_tab
from test_exchange import empty_scene, import_by_drop

from support.plan import walk

SOURCE = Path(__file__).parents[2]


def test_crane():
    """The keys of the panel, of `blender -b` and of the wheel are the same for a crane with ball joints."""
    yield from bake_sample_two_ways("crane")


def test_double_pendulum():
    """As for the crane, for a motion that amplifies what is different at its beginning, where both arms are raised."""
    yield from bake_sample_two_ways("double_pendulum")


def test_cradle():
    """As for the crane, for impacts, one after the other, beside joints."""
    yield from bake_sample_two_ways("cradle")


@walk
def test_four_bar():
    """As for the crane, for a loop that was imported, with reduced keys on links and joints."""
    empty_scene()
    yield from import_by_drop(SOURCE / "tests" / "data", "four_bar.sdf")
    bake = bpy.context.scene.limberjack.bake
    bake.onto, bake.reduces = "BOTH", True
    bpy.ops.wm.save_as_mainfile(filepath=str(OUT / "four_bar.blend"))
    yield from bake_two_ways("four_bar")


def bake_sample_two_ways(name: str) -> Steps:
    shutil.copy(SOURCE / "sample_scenes" / f"{name}.blend", OUT / f"{name}.blend")
    yield from bake_two_ways(name)


def bake_two_ways(name: str) -> Steps:
    """By the panel and by `blender -b`, which are to agree bit for bit; the panel's keys are left for the wheel."""
    yield from open_file(OUT / f"{name}.blend")
    assert not bpy.data.actions, f"{name}.blend has actions: {bpy.data.actions.keys()}"
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    bpy.context.scene.frame_set(bpy.context.scene.frame_end // 2)
    yield from screenshot(f"same_keys_{name}")
    by_panel = keys_of_bake()
    moving = [curve for curve, keys in by_panel.items() if len({value for _, value in keys}) > 1]
    assert moving, f"nothing moves, so that nothing is compared: {sorted(by_panel)}"
    (OUT / f"{name}_window.json").write_text(json.dumps(by_panel))

    yield from bake_in_background(name)
    yield from open_file(OUT / f"{name}_background.blend")
    assert keys_of_bake() == by_panel, "`blender -b` gives other keys than the panel"


def open_file(path: Path) -> Steps:
    """With the window's own layout, not the file's."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    yield from harness.at_rest()


def bake_in_background(name: str) -> Steps:
    command = [bpy.app.binary_path, "--factory-startup", "-b", OUT / f"{name}.blend", "--addons", PACKAGE]
    command += ["--command", "limberjack", "bake", "-o", OUT / f"{name}_background.blend"]
    log = OUT / f"{name}_background.log"
    with log.open("w") as stream:
        child = subprocess.Popen(command, stdout=stream, stderr=stream, env=os.environ)
    yield from until(lambda: child.poll() is not None, "`blender -b` ends", timeout=200)
    assert child.returncode == 0, f"`blender -b` ended with code {child.returncode}: {log.read_text()}"
