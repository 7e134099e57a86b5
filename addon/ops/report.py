# SPDX-License-Identifier: GPL-3.0-or-later
"""How operators tell the user what went wrong, or what they should know, and leave what was made selected."""

import textwrap

import bpy
from bpy.app.translations import pgettext_iface

from ...core.model.text import counted
from .. import ids
from ..watch import note_change

MOST_SECONDS_TOLD = 86400.0

MOST_IN_POPUP, LETTERS_IN_POPUP = 5, 60
"""Sentences that a popup shows, and letters of a line of it."""


def fail(operator, context, error: Exception | str) -> set[str]:
    """Report an error, and keep it for the panel."""
    status = getattr(context.window_manager, ids.STATUS)
    status.error, status.notes = str(error), ""
    operator.report({"ERROR"}, str(error))
    redraw(context)
    return {"CANCELLED"}


def succeed(operator, context, message: str, notes=(), refused=(), *, shows_notes: bool = True) -> set[str]:
    """Report what was done, and what the user should know about it.

    The status bar shows only the last report: a single note, or how many there are to be read in the panel.

    Args:
        notes: sentences, which the panel keeps until the next operator of ours.
        shows_notes: off for a bake, whose notes the panel has from the scene.
        refused: sentences on what was not done though the user asked for it; a popup at the mouse shows them.
    """
    status = getattr(context.window_manager, ids.STATUS)
    status.error = ""
    note_change(context.selected_objects)
    operator.report({"INFO"}, message)
    notes = list(dict.fromkeys((*refused, *notes)))  # several shapes of a link may have one and the same flaw
    status.notes = "\n".join(notes) if shows_notes else ""
    if refused:
        pop_up(context, message, list(dict.fromkeys(refused)))
    for note in notes:
        operator.report({"WARNING"}, note)
    if len(notes) > 1:
        operator.report({"WARNING"}, f"{message}: {counted(notes, 'warning')}, see the tab Limberjack")
    redraw(context)
    return {"FINISHED"}


def pop_up(context, title: str, sentences: list[str]) -> None:
    """Show sentences at the mouse, until it leaves them; nothing without a window."""
    if bpy.app.background or context.window is None:
        return
    shown = sentences[:MOST_IN_POPUP]

    def draw(menu, _context):
        for sentence in shown:
            for number, line in enumerate(textwrap.wrap(pgettext_iface(sentence), LETTERS_IN_POPUP)):
                menu.layout.label(text=line, translate=False, icon="BLANK1" if number else "ERROR")
        if len(sentences) > len(shown):
            more = pgettext_iface("More of them: {count}").format(count=len(sentences) - len(shown))
            menu.layout.label(text=more, translate=False)

    context.window_manager.popup_menu(draw, title=title)


def redraw(context) -> None:
    """Show in the panels what has changed: Blender redraws them of itself only when the mouse comes by."""
    for area in (area for window in context.window_manager.windows for area in window.screen.areas):
        if area.type in ("VIEW_3D", "PROPERTIES", "PREFERENCES"):
            area.tag_redraw()


def time_left(seconds: float) -> str:
    """For a progress bar, once it can be told."""
    if seconds > MOST_SECONDS_TOLD:
        return ""
    return f", {seconds / 60.0:.0f} min left" if seconds > 90.0 else f", {seconds:.0f} s left"


def nothing_runs(cls, context) -> bool:
    """No simulation and no compilation, which hold the window's status."""
    if not getattr(context.window_manager, ids.STATUS).running:
        return True
    cls.poll_message_set("A simulation is running")
    return False


def in_object_mode(cls, context) -> bool:
    if context.mode == "OBJECT":
        return True
    cls.poll_message_set("Switch to Object Mode first")
    return False


def named(parent: bpy.types.Object | None) -> str:
    """A joint's parent, in a sentence."""
    return f"'{parent.name}'" if parent else "the world"


def select_only(context, *objects: bpy.types.Object) -> None:
    """Select these and nothing else, as far as the view layer has them; the last is active."""
    context.view_layer.update()  # which lets it know of new objects
    objects = tuple(obj for obj in objects if obj.name in context.view_layer.objects)
    for obj in context.selected_objects:
        obj.select_set(False)
    for obj in objects:
        obj.select_set(True)
    if objects:
        context.view_layer.objects.active = objects[-1]
