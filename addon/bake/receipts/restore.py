# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep what a bake replaces, and restore it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import bpy

from ... import ids
from ...bridge.animation.motion_sources import has_own_keys, is_bake, may_follow_own_keys
from ...nodes import Node, owner_of
from ...nodes.animation import action_of, animation_of, create_animation, curves_in, fcurves_of
from ...props import is_kinematic, is_link
from ...props.members import joints_in, links_in
from ...props.settings import before_bake, joint_settings, link_settings
from ..keys.fcurves import TRANSFORM_CHANNELS, copy_curves
from .receipt import REPLACED, digest_of_curves, is_edited, is_of_bake


def is_baked(obj: Node) -> bool:
    """Return whether a bake moves the object, by its own F-curves or by those of the joint that moves it."""
    if is_bake(action_of(obj)):
        return True
    joint = link_settings(obj).led_by_node
    is_led_by_bake = before_bake(obj).is_kept and joint is not None and is_bake(action_of(joint))
    return is_led_by_bake and not has_own_keys(obj)


def baked_links(scene: bpy.types.Scene) -> list[Node]:
    """Return the links of the scene that a bake moves."""
    return [obj for obj in links_in(scene) if is_baked(obj)]


def baked_objects(scene: bpy.types.Scene) -> list[Node]:
    """Return the links of the scene that a bake moves, and the joints with F-curves of a bake."""
    return [obj for obj in (*links_in(scene), *joints_in(scene)) if is_baked(obj)]


def bake_of(scene: bpy.types.Scene) -> bpy.types.Action | None:
    """Return the bake that the scene's links or joints play; None if there is none."""
    objects = baked_objects(scene)
    return next((action for obj in objects if is_bake(action := action_of(obj))), None)


def objects_with_user_animation(objects: Iterable[Node]) -> list[Node]:
    """Return the objects that would lose animation of the user to a bake: keys, or a bake that was edited."""
    return [
        obj for obj in objects if not is_kinematic(obj) and _has_user_motion(obj) and not _follows_replaced_keys(obj)
    ]


def _follows_replaced_keys(obj: Node) -> bool:
    """Return whether a bake follows the keys that it replaces. They are kept, and the next bake follows them, too."""
    return may_follow_own_keys(obj) and not is_bake(action_of(obj))


def _has_user_motion(obj: Node) -> bool:
    action = action_of(obj)
    if is_bake(action):
        return is_edited(action)
    return any(fcurves_of(obj, REPLACED))


def curves_without_bake(obj: Node) -> list[bpy.types.FCurve]:
    """Return the F-curves that the object plays, or would play after its bake is cleared."""
    if not is_baked(obj):
        return list(fcurves_of(obj))
    return replaced_curves(obj)


def replaced_curves(obj: Node) -> list[bpy.types.FCurve]:
    """Return the F-curves that a bake of the object has replaced."""
    before = before_bake(obj)
    slots = [slot for slot in before.action.slots if slot.identifier == before.slot] if before.action else []
    return list(curves_in(before.action, slots[0])) if slots else []


def unreplaced_curves(obj: Node) -> list[bpy.types.FCurve]:
    """Return the F-curves of the object's action that a bake does not replace, such as those of its visibility."""
    return [curve for curve in fcurves_of(obj) if not is_of_bake(curve)]


def store_state_before_bake(obj: Node) -> None:
    """Store the object's pose and action, unless they belong to an earlier bake."""
    action, before = action_of(obj), before_bake(obj)
    if is_baked(obj) or (before.is_kept and action is None):  # its action is missing, but its bake was not cleared
        return
    before.is_kept, before.numbers = True, " ".join(map(repr, _present_values_of(obj)))
    before.action, before.slot = action, ""
    if action is not None:
        _add_fake_user(action)
        slot = create_animation(obj).action_slot
        before.slot = slot.identifier if slot else ""


def _present_values_of(obj: Node) -> list[float]:
    found = [float(number) for name, _ in TRANSFORM_CHANNELS for number in getattr(obj, name)]
    return found + [float(coordinate.q) for coordinate in joint_settings(obj).coordinates]


def _values_before_bake(before) -> list[float]:
    return [float(word) for word in before.numbers.split()]


def change_state_before_bake(obj: Node, change: Callable[[dict[str, list[float]]], dict[str, list[float]]]) -> None:
    """Change the pose that is restored when the bake is cleared.

    Args:
        change: function of the values of each of `TRANSFORM_CHANNELS`, by name.
    """
    before = before_bake(obj)
    remaining = iter(_values_before_bake(before))
    channels = {name: [next(remaining) for _ in range(size)] for name, size in TRANSFORM_CHANNELS}
    before.numbers = " ".join(repr(number) for values in (*change(channels).values(), remaining) for number in values)


def _add_fake_user(action: bpy.types.Action) -> None:
    """Keep the action in the file even if its object is deleted.

    The action is marked, unless the user has given it a fake user already.
    """
    if not action.use_fake_user:
        action.use_fake_user = True
        action[ids.HELD_MARK] = True


def _remove_fake_user(action: bpy.types.Action) -> None:
    if action.pop(ids.HELD_MARK, False):
        action.use_fake_user = False


def remove_unused_bakes(actions: Iterable[bpy.types.Action | None]) -> None:
    """Remove bakes that nothing plays any more. A bake that the user has edited becomes an ordinary action instead."""
    for action in {action for action in actions if is_bake(action)}:
        if is_edited(action):
            del action[ids.BAKE_MARK]
            action.use_fake_user = True
        elif not action.users:
            bpy.data.actions.remove(action)


def clear_bake(objects: Iterable[Node]) -> int:
    """Remove the bake from links and joints, and restore their poses and actions.

    Return the number of links that had one.
    """
    baked = [obj for obj in objects if is_baked(obj)]  # a list, since clearing a joint changes is_baked of its links
    actions = [action_of(obj) for obj in baked]
    for obj in baked:
        _restore_action(obj)
        before = before_bake(obj)
        _set_values(obj, _values_before_bake(before))
        before.is_kept, before.numbers, before.action, before.slot, before.stood = False, "", None, "", ""
    remove_unused_bakes(actions)
    return sum(map(is_link, baked))


def _restore_action(obj: Node) -> None:
    before, data = before_bake(obj), animation_of(obj)
    if data is None or (data.action and not is_bake(data.action)):
        return  # newer animation of the user stays
    user_curves = unreplaced_curves(obj) if data.action else None
    data.action = before.action
    if before.action is None:
        _keep_user_curves(obj, user_curves)
        if not data.action and not data.drivers and not data.nla_tracks:
            owner_of(obj).animation_data_clear()
        return
    _remove_fake_user(before.action)
    _assign_slot(data, before.slot)
    _keep_user_curves(obj, user_curves)


def _keep_user_curves(obj: Node, curves: list[bpy.types.FCurve] | None) -> None:
    """Keep changes of the user to other F-curves of the bake's action, in the object's own action or a new one."""
    if curves is None or digest_of_curves(curves) == digest_of_curves(unreplaced_curves(obj)):
        return
    for curve in unreplaced_curves(obj):
        _channels_of(obj).remove(curve)
    copy_curves(curves, _channels_of(obj))


def _channels_of(obj: Node):
    """Return the F-curves for the object in its action, which is created if there is none."""
    data = create_animation(obj)
    if data.action is None:
        data.action = bpy.data.actions.new(f"{obj.name}Action")
    if data.action_slot is None:
        data.action_slot = data.action.slots.new("OBJECT", obj.name)
    layer = data.action.layers[0] if data.action.layers else data.action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(data.action_slot, ensure=True).fcurves


def _assign_slot(data: bpy.types.AnimData, slot: str) -> None:
    found = [known for known in data.action.slots if known.identifier == slot]
    if found:
        data.action_slot = found[0]


def _set_values(obj: Node, numbers: list[float]) -> None:
    """Write values in the order of `_present_values_of`. An empty list changes nothing."""
    remaining = iter(numbers)
    for name, size in TRANSFORM_CHANNELS if numbers else ():
        setattr(obj, name, [next(remaining) for _ in range(size)])
    for coordinate, number in zip(joint_settings(obj).coordinates, remaining, strict=False):
        coordinate.q = number


@contextmanager
def without_bake(scene: bpy.types.Scene) -> Iterator[None]:
    """Show the scene without its bake within this context."""
    states = [(obj, action_of(obj), _slot_of(obj), _present_values_of(obj)) for obj in baked_objects(scene)]
    for obj, *_ in states:
        before = before_bake(obj)
        _assign(obj, before.action, before.slot)
        _set_values(obj, _values_before_bake(before))
    try:
        yield
    finally:
        for obj, action, slot, numbers in states:
            _set_values(obj, numbers)
            _assign(obj, action, slot)
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def _slot_of(obj: Node) -> str:
    data = animation_of(obj)
    slot = data.action_slot if data else None
    return slot.identifier if slot else ""


def _assign(obj: Node, action: bpy.types.Action | None, slot: str) -> None:
    if animation_of(obj) is None and action is None:
        return
    data = create_animation(obj)
    data.action = action
    if action is not None:
        _assign_slot(data, slot)
