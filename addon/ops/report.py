# SPDX-License-Identifier: GPL-3.0-or-later
"""How operators report errors and messages to the user, and select the objects that they have made."""

import textwrap

import bpy
from bpy.app.translations import pgettext_iface

from ...core.model.text import counted
from ..nodes import Node, armature_bones, model_name, owner_of, select
from ..props.chosen import meant_nodes
from ..props.settings import window_status
from ..watch import note_change

LONGEST_ESTIMATE = 86400.0

MOST_IN_POPUP = 5
"""Number of sentences that a popup shows."""

LETTERS_IN_POPUP = 60
"""Number of letters in a line of a popup."""


def fail(operator, context, error: Exception | str) -> set[str]:
    """Report an error, keep it for the panel, and return the result of a cancelled operator."""
    status = window_status(context.window_manager)
    status.error, status.notes = str(error), ""
    operator.report({"ERROR"}, str(error))
    redraw(context)
    return {"CANCELLED"}


def succeed(operator, context, message: str, notes=(), refused=(), *, details=(), shows_notes: bool = True) -> set[str]:
    """Report what was done, with notes for the user, and return the result of a finished operator.

    The status bar shows only the last report: a single note, or the number of notes that the panel shows.

    Args:
        notes: sentences, which the panel keeps until the next operator of this add-on.
        details: sentences about what is as it should be. The panel shows them after the notes; they are no warnings.
        shows_notes: False for a bake, whose notes the panel takes from the scene.
        refused: sentences about requests that were not carried out. A popup at the mouse shows them.
    """
    status = window_status(context.window_manager)
    status.error = ""
    note_change({*context.selected_objects, *meant_nodes(context)})
    for detail in details:
        operator.report({"INFO"}, detail)
    operator.report({"INFO"}, message)
    notes = list(dict.fromkeys((*refused, *notes)))  # shapes of a link may share a note
    status.notes = "\n".join((*notes, *details)) if shows_notes else ""
    if refused:
        pop_up(context, message, list(dict.fromkeys(refused)))
    for note in notes:
        operator.report({"WARNING"}, note)
    if len(notes) > 1:
        operator.report({"WARNING"}, f"{message}: {counted(notes, 'warning')}, see the tab Limberjack")
    redraw(context)
    return {"FINISHED"}


def pop_up(context, title: str, sentences: list[str]) -> None:
    """Show sentences in a popup at the mouse. Without a window, nothing is shown."""
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
    """Redraw the panels. Blender itself redraws them only when the mouse moves over them."""
    for area in (area for window in context.window_manager.windows for area in window.screen.areas):
        if area.type in ("VIEW_3D", "PROPERTIES", "PREFERENCES"):
            area.tag_redraw()


def time_left(seconds: float) -> str:
    """Return the remaining time for a progress bar; empty if there is no estimate yet."""
    if seconds > LONGEST_ESTIMATE:
        return ""
    return f", {seconds / 60.0:.0f} min left" if seconds > 90.0 else f", {seconds:.0f} s left"


def nothing_runs(cls, context) -> bool:
    """Return whether no simulation and no compilation is running in the window."""
    if not window_status(context.window_manager).running:
        return True
    cls.poll_message_set("A simulation is running")
    return False


def in_object_mode(cls, context) -> bool:
    if context.mode == "OBJECT":
        return True
    cls.poll_message_set("Switch to Object Mode first")
    return False


def in_object_or_pose_mode(cls, context) -> bool:
    if context.mode in ("OBJECT", "POSE"):
        return True
    cls.poll_message_set("Switch to Object Mode or Pose Mode first")
    return False


def refuses_pose_mode(cls, context, sentence: str) -> bool:
    """Return whether a sentence says why an operator makes no sense for bones, and the mode is Pose Mode."""
    if not sentence or context.mode != "POSE":
        return False
    cls.poll_message_set(sentence)
    return True


def named(parent: Node | None) -> str:
    """Return the name of a joint's parent for a sentence."""
    return f"'{model_name(parent)}'" if parent else "the world"


def select_only(context, *nodes: Node) -> None:
    """Select only these objects, as far as the view layer includes them. The last one becomes active.

    Of a bone, the armature is selected, and within that only such bones.
    """
    context.view_layer.update()  # makes new objects known to it
    objects = [obj for obj in map(owner_of, nodes) if obj.name in context.view_layer.objects]
    for obj in context.selected_objects:
        obj.select_set(False)
    for obj in objects:
        obj.select_set(True)
        for bone in armature_bones(obj):
            select(bone, bone in nodes)
    if objects:
        context.view_layer.objects.active = objects[-1]
