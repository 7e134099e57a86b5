"""What a bake takes the place of, kept and put back."""

from collections.abc import Iterable

import bpy

from .. import ids
from ..props import is_led, is_link
from .fcurves import is_ours

PLACES = (("location", 3), ("rotation_euler", 3), ("rotation_quaternion", 4), ("rotation_axis_angle", 4))


def action_of(obj: bpy.types.Object) -> bpy.types.Action | None:
    return obj.animation_data.action if obj.animation_data else None


def baked_links(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The links of the scene that play a bake of ours."""
    return [obj for obj in scene.objects if is_link(obj) and is_ours(action_of(obj))]


def foreign_actions(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """The objects whose action is not a bake of ours and would give way to one: the user's own work."""
    acting = [obj for obj in objects if action_of(obj) is not None and not is_led(obj)]
    return [obj for obj in acting if not is_ours(action_of(obj))]


def remember(obj: bpy.types.Object) -> None:
    """Keep the object's pose and action, unless they are those of an earlier bake."""
    action = action_of(obj)
    if is_ours(action):
        return
    settings = getattr(obj, ids.LINK)
    settings.before_bake = " ".join(repr(float(number)) for name, _ in PLACES for number in getattr(obj, name))
    settings.action_before = action
    settings.slot_before = ""
    if action is not None:
        _hold(action)
        slot = obj.animation_data.action_slot
        settings.slot_before = slot.identifier if slot else ""


def _hold(action: bpy.types.Action) -> None:
    """Keep the action in the file, even if its object is deleted. Marked, unless the user keeps it anyway."""
    if not action.use_fake_user:
        action.use_fake_user = True
        action[ids.HELD_MARK] = True


def _let_go(action: bpy.types.Action) -> None:
    if action.pop(ids.HELD_MARK, False):
        action.use_fake_user = False


def remove_unused(actions: Iterable[bpy.types.Action]) -> None:
    for action in set(actions):
        if is_ours(action) and not action.users:
            bpy.data.actions.remove(action)


def clear_bake(objects: Iterable[bpy.types.Object]) -> int:
    """Take the bake off the objects, and put back where they were and what they played. Returns how many had one."""
    actions = {obj: action for obj in objects if is_ours(action := action_of(obj))}
    for obj in actions:
        _give_back_action(obj)
        _give_back_pose(obj)
    remove_unused(actions.values())
    return len(actions)


def _give_back_action(obj: bpy.types.Object) -> None:
    settings, data = getattr(obj, ids.LINK), obj.animation_data
    data.action = settings.action_before
    if settings.action_before is None:
        if not data.drivers and not data.nla_tracks:
            obj.animation_data_clear()
        return
    _let_go(data.action)
    slots = [slot for slot in data.action.slots if slot.identifier == settings.slot_before]
    if slots:
        data.action_slot = slots[0]
    settings.action_before = None


def _give_back_pose(obj: bpy.types.Object) -> None:
    settings = getattr(obj, ids.LINK)
    numbers = [float(word) for word in settings.before_bake.split()]
    for name, size in PLACES if numbers else ():
        setattr(obj, name, numbers[:size])
        del numbers[:size]
    settings.before_bake = ""
