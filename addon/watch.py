# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells the rest of the add-on that the scene has changed, so that no cache outlives what it holds.

What older versions have made is brought up to date before anything looks at it.

While the user drags something, a scene changes with every movement of the mouse: it is read when it comes to rest.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

import bpy
from bpy.app.handlers import persistent

from ..core.model import ModelError
from . import bridge, ids
from .bridge.last_run import forget_runs
from .props import carrier_of, is_joint, is_link, show_error
from .props.overriding import complete_overrides
from .props.owners import holds_ours

LASTING = "LIMBERJACK_OT_preview"
"""The operator of ours beside which the user goes on working."""

REST = 0.15
"""Seconds without a change after which the scene counts as at rest."""

is_ours = False
"""Whether what changes now is but shown, by a preview: then nothing has to be read anew."""

changes = 0
"""Grows with everything that may have changed a scene's model."""

moves = 0
"""Grows with everything that may have moved or changed something in a view."""

_passing = ""
"""Which way the user is going through the steps of undo: "undo" or "redo"; empty once the scene came to rest."""

_taken: tuple = ()
"""What bakes were last asked to go along with, so that they are asked once."""

_gone_along: dict[int, int] = {}
"""How often bakes of a scene had gone along when it came to rest, by its session uid."""

_settled_at = -1
_is_touched = True
"""Whether a link, a joint or a shape has changed since the scene was read."""


@persistent
def _depsgraph_updated(_scene, depsgraph):
    global moves
    if is_ours:
        moves += 1
        return
    updated = [update.id.original for update in depsgraph.updates]
    changed = [item for item in updated if isinstance(item, bpy.types.Object)]
    if changed or depsgraph.id_type_updated("SCENE"):
        note_change(changed)


@persistent
def _frame_changed(scene, depsgraph):
    global moves
    moves += 1
    try:
        bridge.keyed_joints.follow_keys(scene, depsgraph)
    except ModelError as error:
        show_error(str(error))


@persistent
def _replaced(*_):
    """After an undo, a redo, or the loading of a file, no object is what it was."""
    bridge.rig.forget_rigs()
    forget_runs()
    note_change()


@persistent
def _undone(*_):
    global _passing
    _passing = "undo"
    _replaced()


@persistent
def _redone(*_):
    global _passing
    _passing = "redo"
    _replaced()


@persistent
def _loaded(*_):
    _bring_up_to_date(*bpy.data.scenes, *bpy.data.objects)
    _replaced()


@persistent
def _imported(context):
    """Appended, linked or pasted."""
    _bring_up_to_date(*(item.id for item in context.import_items))


@persistent
def _before_saving(*_):
    complete_overrides(bpy.data.objects)
    if any(map(holds_ours, bpy.data.scenes)):
        from . import migration

        migration.stamp_scenes()


def _bring_up_to_date(*items: bpy.types.ID | None) -> None:
    if any(map(holds_ours, items)):  # what migrates is not loaded for files that have nothing of ours
        from . import migration

        migration.migrate(items)


@contextmanager
def showing() -> Iterator[None]:
    """What is changed meanwhile is but shown."""
    global is_ours
    before, is_ours = is_ours, True
    try:
        yield
    finally:
        is_ours = before


def note_change(objects: Iterable[bpy.types.Object] = ()) -> None:
    """Something has changed; `objects` are those whose mesh, place or settings may have.

    Blender tells of what the user does in its own panels. What code sets, code must tell of.
    """
    global changes, moves, _is_touched
    changes += 1
    moves += 1
    objects = list(objects)
    _is_touched = _is_touched or any(is_joint(obj) or carrier_of(obj) for obj in objects)
    bridge.rig.forget_weights(objects)
    if not bpy.app.background:
        if bpy.app.timers.is_registered(_look):
            bpy.app.timers.unregister(_look)
        bpy.app.timers.register(_look, first_interval=REST)


def _look() -> float | None:
    """Read the scene in each window, for panels and overlays; later where an operator is still at work."""
    global _settled_at, _is_touched
    windows = bpy.context.window_manager.windows
    if any(_is_at_work(operator) for window in windows for operator in window.modal_operators):
        return REST
    if _settled_at == moves:
        return None
    _settled_at = moves
    left = {window: _left_behind(window) for window in windows}
    if any(_takes_along(window, found) for window, found in left.items()):
        return None  # what it has changed is looked at next
    waiting = {window.scene for window, found in left.items() if found}
    for scene in {window.scene for window in windows}:
        if scene not in waiting and any(is_link(obj) or is_joint(obj) for obj in scene.objects):
            bridge.settling.settle_frames(scene)
        rig = bridge.rig.show_rig(scene, _is_touched)
        if getattr(scene, ids.SCENE).findings:  # else what reads them is not loaded
            bridge.remedies.drop_mended(scene, rig.model)
    _is_touched = False
    for window in windows:
        for area in window.screen.areas:
            if area.type in ("VIEW_3D", "PREFERENCES"):
                area.tag_redraw()
    return None


def _left_behind(window: bpy.types.Window) -> tuple:
    """What the bakes of the window's scene are to go along with; empty where there is nothing."""
    scene = window.scene
    if window.screen.is_animation_playing or not any(map(is_link, scene.objects)):
        return ()
    found = bridge.moved_bakes.left_behind(scene)
    return (scene.session_uid, *(obj.session_uid for machine in found for obj in machine.objects)) if found else ()


def _takes_along(window: bpy.types.Window, left: tuple) -> bool:
    """Let bakes go along with what was moved or copied, as a step of undo of its own. left: as `_left_behind` has it.

    An undo of that step alone would leave the machine moved and its bake behind, and so would a redo that stops before
    it: both go on to the next step. (After such an undo, Blender has put the links back on their keys.)
    """
    global _passing, _taken
    scene = window.scene
    way, _passing = _passing, ""
    count = getattr(scene, ids.SCENE).gone_along
    is_undone = count < _gone_along.get(scene.session_uid, 0)
    _gone_along[scene.session_uid] = count
    with bpy.context.temp_override(window=window):
        if (is_undone if way == "undo" else left) and way and getattr(bpy.ops.ed, way).poll():
            getattr(bpy.ops.ed, way)()
            return True
        along = bpy.ops.limberjack.bake_move_along
        if not left or not along.poll():
            _taken = ()
            return False
        before, _taken = _taken, left
        with suppress(RuntimeError):  # which the panel shows
            return left != before and along("EXEC_DEFAULT", True) == {"FINISHED"}
        return False


def _is_at_work(operator) -> bool:
    """Whether an operator changes the scene until it ends; others may run for ever, as those that show keys do."""
    at_work = operator.bl_idname.startswith(("TRANSFORM_OT", "GIZMOGROUP_OT", "LIMBERJACK_OT", "VIEW3D_OT"))
    at_work = at_work or len(operator.macros) > 0  # what ends in moving things, such as Shift-D
    return at_work and operator.bl_idname != LASTING


_HANDLERS = {
    "depsgraph_update_post": _depsgraph_updated,
    "frame_change_post": _frame_changed,
    "undo_post": _undone,
    "redo_post": _redone,
    "load_post": _loaded,
    "blend_import_post": _imported,
    "save_pre": _before_saving,
}


def start() -> None:
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)
    bridge.rig.forget_rigs()
    forget_runs()
    if not bpy.app.background:
        bpy.app.timers.register(_enabled, first_interval=0.0)


def _enabled() -> None:
    """A file may have been open before, and nothing in it need change; Blender shows it to no add-on while that is
    enabled."""
    _bring_up_to_date(*bpy.data.scenes, *bpy.data.objects)
    note_change()


def stop() -> None:
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    for timer in (_look, _enabled):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    bridge.rig.forget_rigs()
    forget_runs()
