# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages are where the user looks: below the buttons of the tab, and in a popup at the mouse for what was refused."""

from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.ops import report
from limberjack.addon.panels.main import LIMBERJACK_PT_main

from .paper import Paper

DAILY = {ids.OP_PREVIEW, ids.OP_SIMULATE, ids.OP_LINK_TAG, ids.OP_JOINT_PICK, ids.OP_COLLIDER_ADD, ids.OP_GROUND}
"""Buttons that no message may move."""


class InOrder(Paper):
    """A layout that keeps the names of operators and the texts of labels in the order in which they are drawn."""

    def __init__(self):
        super().__init__()
        self.drawn = []

    def operator(self, name, text="", **_):
        self.drawn.append(name)
        return super().operator(name, text)

    def label(self, text="", **_):
        self.drawn.append(text)
        super().label(text)

    def menu(self, name, **_):  # its entries are not in the panel
        self.drawn.append(name)


def test_messages_stand_below_all_buttons(scene, build):
    """Guards the button under the mouse: errors, notes and what is told before Play push none of them down."""
    build.tag(build.cube("cube"))
    bpy.ops.limberjack.ground()
    assert [problem.code for problem in show_rig(scene).problems] == ["sunk-in-ground"]
    status = getattr(bpy.context.window_manager, ids.STATUS)
    status.error, status.notes = "something is wrong", "a note"
    paper = InOrder()
    LIMBERJACK_PT_main.draw(SimpleNamespace(layout=paper), bpy.context)
    status.error = status.notes = ""
    assert set(paper.drawn) >= DAILY
    lowest = max(place for place, drawn in enumerate(paper.drawn) if drawn in DAILY)
    for message in ("something is wrong", "a note", "it starts 1 m deep in link"):
        (place,) = [place for place, drawn in enumerate(paper.drawn) if drawn.startswith(message)]
        assert place > lowest, f"{message!r} stands above {paper.drawn[lowest]}"


def test_refused_objects_pop_up(build, monkeypatch):
    """Guards a box selection with a light in it: a popup says what was tagged and why the light was not."""
    popped = []
    monkeypatch.setattr(report, "pop_up", lambda _context, title, sentences: popped.append((title, sentences)))
    cube = build.cube("cube")
    bpy.ops.object.light_add(type="POINT")
    lamp = bpy.context.object
    build.tag(lamp, cube)
    ((title, sentences),) = popped
    assert title.startswith("1 link tagged, but not 'Point'")
    assert sentences == [sentence for sentence in sentences if sentence.startswith("object 'Point' is a light")]
    popped.clear()
    build.tag(build.cube("other"))
    assert popped == [], "a popup appears where nothing was refused"


@pytest.mark.parametrize(("count", "shown", "last"), [(2, 2, "sentence 1"), (8, 6, "More of them: 3")])
def test_a_popup_has_few_sentences(monkeypatch, count, shown, last):
    """Guards the popup itself: it has a title, the first five sentences and the number of more."""
    opened = []
    manager = SimpleNamespace(popup_menu=lambda draw, title: opened.append((draw, title)))
    monkeypatch.setattr(report, "bpy", SimpleNamespace(app=SimpleNamespace(background=False)))
    report.pop_up(SimpleNamespace(window=1, window_manager=manager), "title", [f"sentence {i}" for i in range(count)])
    ((draw, title),) = opened
    paper = Paper()
    draw(SimpleNamespace(layout=paper), None)
    assert title == "title"
    assert (len(paper.texts), paper.texts[-1]) == (shown, last)
