# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of the panels, measured: none is wider than its place in a sidebar or Properties editor of default width.

Shares of a row are those of Blender's layouts, checked by screenshots of Blender 5.2 at resolution scale 1.
"""

from collections.abc import Iterator
from types import SimpleNamespace

import blf
import bpy
import pytest

from limberjack.addon import panels
from limberjack.addon.panels.base import NAMES
from limberjack.addon.panels.main import LIMBERJACK_PT_main
from limberjack.addon.panels.physics import LIMBERJACK_PT_main_physics
from limberjack.addon.panels.ragdoll import LIMBERJACK_PT_ragdoll
from limberjack.addon.props.settings import window_status
from limberjack.addon.translations import read_messages
from limberjack.core.joints import JOINT_TYPES

from .characters import character, choose
from .conftest import joint, link
from .paper import Paper

SIDEBAR = 237.0
"""Width of a panel's content in the sidebar [px]."""

PHYSICS = 160.0
"""Width of a panel's content in the Properties editor of a window of 1280 by 720 pixels [px]."""

ICON, ARROW, MARGIN = 20.0, 16.0, 7.0
"""Widths of an icon, of a menu's arrow, and of what a button leaves free beside its label [px]."""

BOX = 31.0
"""Width of a check box and of what it leaves free beside its label [px]."""

NUMBER = 30.0
"""Width of a short number, such as 0.00, with a gap beside it [px]."""


class Layout(Paper):
    """A layout that keeps its items as functions of a width, which yield each label, its width and its room."""

    def __init__(self, words, kind="column", above=None, factor=0.0, heading=""):
        super().__init__()
        self._words, self._kind, self._factor, self._heading = words, kind, factor, heading
        self._items = []
        self.ui_units_x = 0.0
        self.use_property_split = above is not None and above.use_property_split

    def measured(self, width: float) -> Iterator[tuple[str, float, float]]:
        """Yield all labels with the width that they need and the width that they get [px]."""
        if self._heading and self.use_property_split:
            yield self._needs(self._heading, NAMES * width - MARGIN)
            width *= 1.0 - NAMES
        for item, room in zip(self._items, self._rooms(width), strict=True):
            yield from item.measured(room) if isinstance(item, Layout) else item(room)

    def _rooms(self, width: float) -> list[float]:
        count = len(self._items)
        if self._kind == "split" and count:
            return [self._factor * width, *[(1.0 - self._factor) * width / (count - 1 or 1)] * (count - 1)]
        if self._kind != "row":
            return [width] * count
        fixed = [_fixed_width(item) for item in self._items]
        shared = (width - sum(fixed)) / (sum(not each for each in fixed) or 1)
        return [each or shared for each in fixed]

    def _needs(self, text: str, room: float) -> tuple[str, float, float]:
        blf.size(0, 11)
        shown = self._words.get(text) or text
        return shown, blf.dimensions(0, shown)[0], room

    def _below(self, kind: str, factor=0.0, heading="") -> "Layout":
        below = Layout(self._words, kind, self, factor, heading)
        self._items.append(below)
        return below

    def row(self, heading="", **_):
        return self._below("row", heading=heading)

    def column(self, **_):  # its heading stands where its items have no names, and all have
        return self._below("column")

    def box(self):
        return self._below("column")

    def split(self, factor=0.5, **_):
        return self._below("split", factor)

    def panel(self, _name, **_):
        return self._below("row"), self._below("column")

    def panel_prop(self, _data, _name):
        return self.panel("")

    def operator(self, name, text=None, icon="NONE", **_):
        button = super().operator(name)
        self._add(button._kind.name if text is None else text, MARGIN + (ICON if icon != "NONE" else 0.0))
        return button

    def operator_menu_enum(self, name, prop, text=None, icon="NONE"):
        self.operator(name, text, icon)

    def menu(self, name, text=None, icon="NONE", **_):
        label = getattr(bpy.types, name).bl_label if text is None else text
        self._add(label, MARGIN + ARROW + (ICON if icon != "NONE" else 0.0))

    def label(self, text="", icon="NONE", **_):
        self._add(text, ICON if icon != "NONE" else 0.0)

    def _add(self, text: str, beside: float) -> None:
        def item(width):
            return [self._needs(text, width - beside)] if text else []

        item.is_icon = not text
        self._items.append(item)

    def prop(self, data, name, text=None, expand=False, index=-1, placeholder="", **_):
        is_split = self.use_property_split
        rna = data.bl_rna.properties[name]
        label = rna.name if text is None else text

        def item(width):
            return self._measure_prop(rna, label, expand, index, is_split, width)

        item.is_icon = not label and rna.type == "BOOLEAN"
        self._items.append(item)

    def _measure_prop(self, rna, label, expand, index, is_split, width):
        if rna.type == "BOOLEAN":
            if label and not rna.is_array:
                yield self._needs(label, ((1.0 - NAMES) if is_split else 1.0) * width - BOX)
            return
        if expand:
            for choice in rna.enum_items:
                yield self._needs(choice.name, width / len(rna.enum_items) - MARGIN)
            return
        if label and is_split:
            is_vector = getattr(rna, "is_array", False) and rna.subtype in ("XYZ", "EULER") and index < 0
            yield self._needs((self._words.get(label) or label) + " X" * is_vector, NAMES * width - MARGIN)
            width *= 1.0 - NAMES
        elif label:
            yield self._needs(label, width - MARGIN - NUMBER)
        if rna.type == "ENUM":
            for choice in rna.enum_items:
                yield self._needs(choice.name, width - MARGIN - ARROW - (ICON if choice.icon != "NONE" else 0.0))


def _fixed_width(item) -> float:
    if isinstance(item, Layout):
        return ICON * item.ui_units_x
    return ICON if item.is_icon else 0.0


def cut_off(words, width: float, classes) -> dict[str, tuple[int, int]]:
    """Return the labels that are wider than their room, with both numbers [px]."""
    found = {}
    for cls in classes:
        if hasattr(cls, "poll") and not cls.poll(bpy.context):
            continue
        layout = Layout(words)
        cls.draw(SimpleNamespace(layout=layout), bpy.context)
        found |= {text: (round(need), round(room)) for text, need, room in layout.measured(width) if need > room}
    return found


def in_tab():
    return [cls for cls in panels.CLASSES if issubclass(cls, bpy.types.Panel) and cls.bl_space_type == "VIEW_3D"]


@pytest.fixture(params=["", "de_DE"], ids=["english", "german"])
def words(request):
    """Set the language of labels."""
    return read_messages(request.param) if request.param else {}


def test_labels_of_a_link(scene, build, words):
    """Guards names, buttons and choices of a link and of the scene, with all sections open, in all languages."""
    bars, _ = build.pendulum(2)
    settings = link(bars[1])
    settings.surface.use_stiffness = True
    bpy.context.view_layer.objects.active = bars[1]
    scene.limberjack.ground = True
    found = {}
    for settings.mass_source in ("MASS", "DENSITY", "CUSTOM"):
        for settings.surface.source in ("AUTO", "CUSTOM"):
            found |= cut_off(words, SIDEBAR, in_tab())
    assert found == {}


@pytest.mark.parametrize("name", JOINT_TYPES)
def test_labels_of_a_joint(build, words, name):
    """Guards names, buttons and choices of a joint of each type, with limits, stops, a drive and a leader."""
    _, joints = build.pendulum(2)
    settings = joint(joints[1])
    settings.type, settings.use_mimic = name, True
    for axis in settings.axes:
        axis.show_expanded = axis.show_drive = axis.use_lower = axis.use_upper = axis.use_stiffness = True
    bpy.context.view_layer.objects.active = joints[1]
    found = cut_off(words, SIDEBAR, in_tab())
    for axis in settings.axes:
        axis.drive_mode = "position"
    assert found | cut_off(words, SIDEBAR, in_tab()) == {}


def test_buttons_of_the_physics_tab(scene, build, words):
    """Guards the buttons of every day in a narrow Properties editor: to tag, to play, to bake, to switch the ground."""
    cube = build.cube()
    bpy.context.view_layer.objects.active = cube
    scene.limberjack.ground = True
    found = cut_off(words, PHYSICS, [LIMBERJACK_PT_main_physics])
    build.tag(cube)
    assert found | cut_off(words, PHYSICS, [LIMBERJACK_PT_main_physics]) == {}


@pytest.mark.parametrize("bone", ["hips", "thigh", "shin"])
def test_labels_of_a_ragdoll(scene, words, bone):
    """Guards the panel of a ragdoll, of its part at the top, a ball and a hinge, in both modes."""
    rig, _ = character()
    choose(rig)
    shown = (LIMBERJACK_PT_main, LIMBERJACK_PT_ragdoll)
    found = cut_off(words, SIDEBAR, shown)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.limberjack.make_ragdoll()
    status = window_status(bpy.context.window_manager)
    status.notes = ""  # paragraphs are wrapped
    for active in (None, rig.data.bones[bone]):
        rig.data.bones.active = active
        found |= cut_off(words, SIDEBAR, shown)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert found | cut_off(words, SIDEBAR, shown) == {}


@pytest.mark.parametrize("bone", ["hips", "thigh", "shin"])
def test_labels_of_all_settings_of_a_part(scene, words, bone):
    """Guards All Settings of a ragdoll's part: the panels Link and Joint of the part at the top, a ball and a hinge,
    with their sections open."""
    rig, _ = character()
    choose(rig)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.limberjack.make_ragdoll()
    status = window_status(bpy.context.window_manager)
    status.notes = ""  # paragraphs are wrapped
    status.shows_part_panels = True
    rig.data.bones.active = rig.data.bones[bone]
    for axis in joint(rig.pose.bones[bone]).axes:
        axis.show_expanded = axis.show_drive = True
    found = cut_off(words, SIDEBAR, in_tab())
    status.shows_part_panels = False
    bpy.ops.object.mode_set(mode="OBJECT")
    assert found == {}
