# SPDX-License-Identifier: GPL-3.0-or-later
"""Notify the rest of the add-on that the scene has changed, so that caches are dropped.

Data of older versions is migrated before anything reads it. During a drag, a scene changes with every movement of the
mouse. It is read when no change has occurred for a short time.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy
from bpy.app.handlers import persistent

from ..core.model import ModelError
from . import bridge
from .bridge.findings.last_run import forget_runs
from .nodes import Node
from .nodes.copied_bones import forget_copies
from .props import belongs_to_model, show_error
from .props.members import forget_members, forget_members_of_change, has_joints, has_links
from .props.overriding import complete_overrides
from .props.owners import holds_ours
from .props.references import settle_identifiers
from .props.settings import scene_settings

PREVIEW_OPERATOR = "LIMBERJACK_OT_preview"
"""Id of the operator of previews, the only one of this add-on during which the user continues to work."""

SETTLING_TIME = 0.15
"""Time without a change after which the scene is read [s]."""

is_preview_update = False
"""Whether present changes come from a preview, so that nothing has to be read again."""

changes = 0
"""A counter of all events that may have changed a scene's model."""

moves = 0
"""A counter of all events that may have changed something in a view."""

_displaced_joints: dict[int, list[str]] = {}
"""Joints to the world that were moved together with a baked machine: their names, by session uid of the scene.

The next frame change restores them and removes the entry. The list is empty if only links were moved.
"""

replacements = 0
"""A counter of undos, redos and loaded files, after which references to objects are invalid."""

_is_undone = False
"""Whether an undo or redo has occurred since the scene was read last."""

_moves_at_reading = -1
_is_touched = True
"""Whether a link, a joint or a shape has changed since the scene was read last."""


@persistent
def _depsgraph_updated(_scene, depsgraph):
    global moves
    if is_preview_update:
        moves += 1
        return
    updated = [update.id.original for update in depsgraph.updates]
    changed = [item for item in updated if isinstance(item, bpy.types.Object)]
    if depsgraph.id_type_updated("COLLECTION"):
        forget_members()
    for obj in changed:
        settle_identifiers(obj)
        forget_copies(obj)
    if changed or depsgraph.id_type_updated("SCENE"):
        note_change(changed)


@persistent
def _frame_changed(scene, depsgraph):
    global moves
    moves += 1
    if scene.session_uid in _displaced_joints:
        for name in _displaced_joints.pop(scene.session_uid):
            bridge.baked_machines.machines.restore_world_joint(scene, name)
        note_change()
    try:
        bridge.animation.keyed_motion.follow_keys(scene, depsgraph)
    except ModelError as error:
        show_error(str(error))


@persistent
def _replaced(*_):
    """Drop all caches after an undo, a redo or the loading of a file, since references to objects are invalid."""
    global replacements
    replacements += 1
    bridge.rig.forget_rigs()
    forget_runs()
    forget_members()
    forget_copies()
    _displaced_joints.clear()
    note_change()


@persistent
def _undone(*_):
    global _is_undone
    _is_undone = True
    _replaced()


@persistent
def _loaded(*_):
    _migrate(*bpy.data.scenes, *bpy.data.objects)
    _replaced()


@persistent
def _imported(context):
    """Migrate data that was appended, linked or pasted."""
    _migrate(*(item.id for item in context.import_items))


@persistent
def _before_saving(*_):
    complete_overrides(bpy.data.objects)
    if any(map(holds_ours, bpy.data.scenes)):
        from . import migration

        migration.stamp_scenes()


def _migrate(*items: bpy.types.ID | None) -> None:
    if any(map(holds_ours, items)):  # late import: most files need no migration
        from . import migration

        migration.migrate(items)


@contextmanager
def ignoring_changes() -> Iterator[None]:
    """Do not count changes within this context as changes of the scene, since they only show something."""
    global is_preview_update
    before, is_preview_update = is_preview_update, True
    try:
        yield
    finally:
        is_preview_update = before


def note_change(objects: Iterable[Node] = ()) -> None:
    """Register a change of the scene.

    Blender's handlers report what the user does in Blender's own panels. Code that changes something must report it
    here.

    Args:
        objects: those whose mesh, place or settings may have changed.
    """
    global changes, moves, _is_touched
    changes += 1
    moves += 1
    objects = list(objects)
    forget_members_of_change(objects)
    _is_touched = _is_touched or any(map(belongs_to_model, objects))
    bridge.rig.forget_weights(objects)
    if not bpy.app.background:
        if bpy.app.timers.is_registered(_read_scenes):
            bpy.app.timers.unregister(_read_scenes)
        bpy.app.timers.register(_read_scenes, first_interval=SETTLING_TIME)


def _read_scenes() -> float | None:
    """Read the scene in each window, for panels and overlays; wait while an operator is working."""
    global _moves_at_reading, _is_touched, _is_undone
    windows = bpy.context.window_manager.windows
    if any(_changes_scene(operator) for window in windows for operator in window.modal_operators):
        return SETTLING_TIME
    if _moves_at_reading == moves:
        return None
    _moves_at_reading = moves
    for scene in {window.scene for window in windows}:
        if has_links(scene) or has_joints(scene):
            _displaced_joints.pop(scene.session_uid, None)
            if _is_undone:
                bridge.baked_machines.machines.restore_world_joints_after_undo(scene)
            if world_joints := _displaced_world_joints(scene, windows):
                _displaced_joints[scene.session_uid] = world_joints
            else:
                bridge.joints.storing_frames.store_moved_frames(scene)
        rig = bridge.rig.show_rig(scene, _is_touched)
        if any(
            problem.code in bridge.baked_machines.displacement_problems.UNTIL_NEXT_FRAME for problem in rig.problems
        ):
            _displaced_joints.setdefault(scene.session_uid, [])
        if scene_settings(scene).findings:  # without findings, the module is not imported
            bridge.findings.stored_findings.remove_outdated_findings(scene, rig.model)
    _is_touched = _is_undone = False
    for window in windows:
        for area in window.screen.areas:
            if area.type in ("VIEW_3D", "PREFERENCES"):
                area.tag_redraw()
    return None


def _displaced_world_joints(scene: bpy.types.Scene, windows: Iterable[bpy.types.Window]) -> list[str]:
    """Return the names of the joints that hold the scene's moved machines, while these wait for the user's choice.

    The user lets the bakes move along, or shows another frame, where keys return the links and `_frame_changed` the
    joints. Until then, the joints keep the frames with which the bakes were made. During playback, nothing waits.
    """
    if any(window.scene == scene and window.screen.is_animation_playing for window in windows):
        return []
    return [
        joint.name
        for machine in bridge.baked_machines.machines.machines_to_update(scene)
        for joint in machine.world_joints
    ]


def _changes_scene(operator) -> bool:
    """Return whether an operator changes the scene until it ends.

    Others may run for ever, such as those that display pressed keys.
    """
    changes_scene = operator.bl_idname.startswith(("TRANSFORM_OT", "GIZMOGROUP_OT", "LIMBERJACK_OT", "VIEW3D_OT"))
    changes_scene = changes_scene or len(operator.macros) > 0  # macros end in a transform, such as Shift-D
    return changes_scene and operator.bl_idname != PREVIEW_OPERATOR


_HANDLERS = {
    "depsgraph_update_post": _depsgraph_updated,
    "frame_change_post": _frame_changed,
    "undo_post": _undone,
    "redo_post": _undone,
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
    """Treat the open file as changed when the add-on is enabled.

    Blender does not report the open file to an add-on, and nothing in it need change afterwards.
    """
    _migrate(*bpy.data.scenes, *bpy.data.objects)
    note_change()


def stop() -> None:
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    for timer in (_read_scenes, _enabled):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    bridge.rig.forget_rigs()
    forget_runs()
