# SPDX-License-Identifier: GPL-3.0-or-later
"""Sample scenes, opened from the panel."""

from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.ops.files.samples import FOLDER, LIMBERJACK_OT_sample_open, samples
from limberjack.addon.props import is_link

from .paper import draw_all

NAMES = sorted(path.stem for path in FOLDER.glob("*.blend"))


def test_every_scene_is_offered():
    """Each .blend of sample_scenes has an entry with a title, and a tooltip in a line without final full stop."""
    assert sorted(samples()) == NAMES
    for name, sample in samples().items():
        assert sample.title
        told = LIMBERJACK_OT_sample_open.description(bpy.context, SimpleNamespace(name=name))
        assert told
        assert not told.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_opens_as_a_new_file(name):
    """Saving asks for a name, so that no file of the installation is written; the scene has links, at its first
    frame, and the panel says what to do next."""
    assert bpy.ops.limberjack.sample_open(name=name) == {"FINISHED"}
    assert bpy.data.filepath == ""
    assert any(is_link(obj) for obj in bpy.context.scene.objects)
    assert bpy.context.scene.frame_current == bpy.context.scene.frame_start
    assert "Press Play, or Simulate and Bake" in draw_all(None)


def test_preferences_are_kept():
    """What the user has set in Blender's preferences is none of a sample's business."""
    view = bpy.context.preferences.view
    before = view.show_developer_ui
    try:
        view.show_developer_ui = not before
        bpy.ops.limberjack.sample_open(name=NAMES[0])
        assert view.show_developer_ui == (not before)
    finally:
        view.show_developer_ui = before


def test_the_hint_is_for_samples_alone(build, tmp_path):
    """It goes away with the first bake, with a name of the user's own, and with the next file."""
    hint = "Press Play"
    bpy.ops.limberjack.sample_open(name="double_pendulum")
    bpy.context.scene.frame_end = 3
    bpy.ops.limberjack.simulate()
    assert hint not in draw_all(None)
    bpy.ops.limberjack.sample_open(name="double_pendulum")
    assert hint in draw_all(None)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "mine.blend"))
    assert hint not in draw_all(None)
    bpy.ops.limberjack.sample_open(name="double_pendulum")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    build.pendulum()
    assert hint not in draw_all(None)


def test_a_dialog_that_is_cancelled_leaves_no_hint(build, monkeypatch):
    """Who keeps the unsaved file, and later makes a new one, has not opened the sample."""
    from limberjack.addon.ops.files import samples as module

    bpy.ops.limberjack.sample_open(name="double_pendulum")
    monkeypatch.setattr(module, "_awaited", (samples()["crane"], ["arm", "boom"]))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    build.pendulum()
    assert "Press Play" not in draw_all(None)


def test_a_sample_that_is_not_there():
    """A script's wrong name is answered with the right ones, and nothing is closed for it."""
    bpy.context.scene.name = "mine"
    with pytest.raises(RuntimeError, match=r"no sample 'cranes': name one of .*crane"):
        bpy.ops.limberjack.sample_open(name="cranes")
    assert bpy.context.scene.name == "mine"


def test_not_while_something_is_simulated():
    """A file that is opened would end the simulation without a word."""
    status = getattr(bpy.context.window_manager, ids.STATUS)
    status.running = True
    try:
        assert not bpy.ops.limberjack.sample_open.poll()
    finally:
        status.running = False


def test_no_files_are_needed(monkeypatch, tmp_path):
    """A package without sample scenes has an empty menu, and works."""
    from limberjack.addon.ops.files import samples as module

    monkeypatch.setattr(module, "FOLDER", Path(tmp_path))
    samples.cache_clear()
    try:
        assert samples() == {}
        draw_all(None)
    finally:
        samples.cache_clear()
