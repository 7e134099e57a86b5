# SPDX-License-Identifier: GPL-3.0-or-later
"""Open sample scenes as new files, so that saving never changes the installed ones."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import bpy
from bpy.app.handlers import persistent
from bpy.props import StringProperty

from ... import ids
from ...props import carrier_of
from ...props.settings import scene_settings
from ..report import fail, nothing_runs

FOLDER = Path(__file__).parents[3] / "sample_scenes"

LAST = 1000
"""Order of samples without one: after all others."""

NEXT = "Press Play, or Simulate and Bake"


class Sample(NamedTuple):
    """A sample scene: a .blend file beside a .json file of the same name.

    Attributes:
        title: in the menu. description: description in one line.
        order: position in the menu. Samples of the same order are sorted by title.
    """

    path: Path
    title: str
    description: str
    order: float


@functools.cache
def samples() -> dict[str, Sample]:
    """Return the samples by name, in the order of the menu."""
    found = []
    for path in FOLDER.glob("*.json"):
        if path.with_suffix(".blend").is_file():
            about = json.loads(path.read_text(encoding="utf-8"))
            title = about.get("title") or path.stem.replace("_", " ").title()
            description, order = about.get("says", "").rstrip("."), about.get("order", LAST)
            found.append(Sample(path.with_suffix(".blend"), title, description, order))
    return {sample.path.stem: sample for sample in sorted(found, key=lambda sample: (sample.order, sample.title))}


_awaited: tuple[Sample, list[str]] | None = None
"""The sample that is being opened, and the names of its objects. The user may still cancel it."""

_opened: Sample | None = None


def opened() -> Sample | None:
    """Return the sample that is open, until it is baked or saved or another file is opened; None otherwise."""
    has_news = bool(bpy.data.filepath or scene_settings(bpy.context.scene).last_result)
    return None if has_news else _opened


class LIMBERJACK_OT_sample_open(bpy.types.Operator):
    """Open a sample scene as a new file"""

    bl_idname = ids.OP_SAMPLE_OPEN
    bl_label = "Open a Sample"
    bl_options = {"INTERNAL"}

    name: StringProperty(
        name="Name", description="Name of the sample's file, without its suffix", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context):
        return nothing_runs(cls, context)

    @classmethod
    def description(cls, _context, properties):
        sample = samples().get(properties.name)
        return sample.description if sample and sample.description else cls.__doc__

    def invoke(self, context, event):
        return self._open(context, "INVOKE_DEFAULT")  # asks about unsaved changes

    def execute(self, context):
        return self._open(context, "EXEC_DEFAULT")

    def _open(self, context, how: str) -> set[str]:
        global _awaited
        sample = samples().get(self.name)
        if sample is None:
            return fail(self, context, f"there is no sample '{self.name}': name one of {', '.join(samples())}")
        library = bpy.data.libraries.load(str(sample.path))
        with library as (there, _):  # pyright: ignore[reportGeneralTypeIssues] - the stubs have it return nothing
            _awaited = sample, sorted(there.objects)
        bpy.ops.wm.read_homefile(how, filepath=str(sample.path), load_ui=False)
        return {"FINISHED"}


@persistent
def _loaded(*_) -> None:
    """Recognise a sample by the names of its objects.

    Blender does not report from which file a new file was made.
    """
    global _awaited, _opened
    awaited, _awaited, _opened = _awaited, None, None
    if awaited and not bpy.data.filepath and awaited[1] == sorted(obj.name for obj in bpy.data.objects):
        _opened = awaited[0]
        if not bpy.app.background:
            bpy.app.timers.register(_show_all)


def _show_all() -> None:
    """Show all links in every 3D view, from the direction of the scene's camera."""
    for window in bpy.context.window_manager.windows:
        with _only_links_selected(window.view_layer):
            for area in window.screen.areas:
                region = next((region for region in area.regions if region.type == "WINDOW"), None)
                if area.type == "VIEW_3D" and region:
                    _turn(area.spaces.active.region_3d, window.scene.camera)
                    with bpy.context.temp_override(window=window, area=area, region=region):
                        bpy.ops.view3d.view_selected()


def _turn(view: bpy.types.RegionView3D, camera: bpy.types.Object | None) -> None:
    if view.view_perspective == "CAMERA":
        view.view_perspective = "PERSP"
    if camera:
        view.view_rotation = camera.matrix_world.to_quaternion()


@contextmanager
def _only_links_selected(layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Select only the links and their shapes, within this context."""
    before = {obj for obj in layer.objects if obj.select_get(view_layer=layer)}
    try:
        for obj in layer.objects:
            obj.select_set(carrier_of(obj) is not None, view_layer=layer)
        yield
    finally:
        for obj in layer.objects:
            obj.select_set(obj in before, view_layer=layer)


def start() -> None:
    bpy.app.handlers.load_post.append(_loaded)


def stop() -> None:
    bpy.app.handlers.load_post.remove(_loaded)


CLASSES = (LIMBERJACK_OT_sample_open,)
