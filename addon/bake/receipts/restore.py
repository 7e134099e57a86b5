# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep what a bake replaces, and restore it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain

import bpy

from ... import ids
from ...bridge.animation.motion_sources import has_own_keys, is_bake, may_follow_own_keys
from ...nodes import Node, armature_bones, owner_of, prefix_of
from ...nodes.animation import action_of, animation_of, create_animation, curves_in, fcurves_of
from ...nodes.muting import is_muting, switch_on
from ...props import is_kinematic, is_link
from ...props.members import joints_in, links_in
from ...props.settings import before_bake, joint_settings, link_settings
from ..keys.fcurves import TRANSFORM_CHANNELS, copy_curves
from .receipt import BONE_PATH, REPLACED, baked_bones, digest_of_curves, is_edited, paths_replaced_on


def is_baked(obj: Node) -> bool:
    """Return whether a bake moves the object, by its own F-curves or by those of the joint that moves it."""
    if plays_bake(obj):
        return True
    joint = link_settings(obj).led_by_node
    is_led_by_bake = before_bake(obj).is_kept and joint is not None and plays_bake(joint)
    return is_led_by_bake and not has_own_keys(obj)


def plays_bake(obj: Node) -> bool:
    """Return whether the object plays a bake that was made for it.

    An armature plays the bake of its bones, and its other bones play their own F-curves in the same action.
    """
    return is_bake(action_of(obj)) and (before_bake(obj).is_kept or not armature_bones(owner_of(obj)))


def baked_links(scene: bpy.types.Scene) -> list[Node]:
    """Return the links of the scene that a bake moves."""
    return [obj for obj in links_in(scene) if is_baked(obj)]


def baked_objects(scene: bpy.types.Scene) -> list[Node]:
    """Return the links of the scene that a bake moves, and the joints with F-curves of a bake."""
    return [obj for obj in dict.fromkeys((*links_in(scene), *joints_in(scene))) if is_baked(obj)]


def bake_of(scene: bpy.types.Scene) -> bpy.types.Action | None:
    """Return the bake that the scene's links or joints play; None if there is none."""
    objects = baked_objects(scene)
    return next((action for obj in objects if is_bake(action := action_of(obj))), None)


def objects_with_user_animation(objects: Iterable[Node]) -> list[Node]:
    """Return the objects that would lose animation of the user to a bake: keys, or a bake that was edited."""
    known: dict[bpy.types.Action, bool] = {}
    return [
        obj
        for obj in objects
        if not is_kinematic(obj) and _has_user_motion(obj, known) and not _follows_replaced_keys(obj)
    ]


def _follows_replaced_keys(obj: Node) -> bool:
    """Return whether a bake follows the keys that it replaces. They are kept, and the next bake follows them, too."""
    return may_follow_own_keys(obj) and not plays_bake(obj)


def _has_user_motion(obj: Node, known: dict[bpy.types.Action, bool]) -> bool:
    """Return whether the user's animation moves the object.

    Args:
        known: whether bakes were edited, for those that were looked at before; the object's own is added.
    """
    action = action_of(obj)
    if action is None or not plays_bake(obj):
        return any(fcurves_of(obj, REPLACED))
    if action not in known:
        known[action] = is_edited(action)
    return known[action]


def curves_without_bake(obj: Node) -> list[bpy.types.FCurve]:
    """Return the F-curves that the object plays, or would play after its bake is cleared.

    Those of an armature's bones do not count as the armature's.
    """
    found = replaced_curves(obj) if is_baked(obj) else fcurves_of(obj)
    is_armature = obj == owner_of(obj) and bool(armature_bones(owner_of(obj)))
    return [curve for curve in found if not (is_armature and BONE_PATH.match(curve.data_path))]


def replaced_curves(obj: Node) -> list[bpy.types.FCurve]:
    """Return the F-curves that a bake of the object has replaced."""
    before = before_bake(obj)
    slots = [slot for slot in before.action.slots if slot.identifier == before.slot] if before.action else []
    curves = curves_in(before.action, slots[0]) if slots else ()
    return [curve for curve in curves if curve.data_path.startswith(prefix_of(obj))]


def unreplaced_curves(owner: bpy.types.Object, nodes: Iterable[Node]) -> list[bpy.types.FCurve]:
    """Return the F-curves of the object's action that a bake of nodes does not replace.

    These are such as those of its visibility, and of other bones.

    Args:
        nodes: those of the object that have the bake: itself, or some of its bones.
    """
    replaced = paths_replaced_on(nodes)
    return [curve for curve in fcurves_of(owner) if not (curve.data_path.startswith(replaced) or is_muting(curve))]


def by_owner(nodes: Iterable[Node]) -> dict[bpy.types.Object, list[Node]]:
    """Return the nodes, each once, by the object that stores them and has their action."""
    found: dict[bpy.types.Object, list[Node]] = {}
    for node in dict.fromkeys(nodes):
        found.setdefault(owner_of(node), []).append(node)
    return found


def store_state_before_bake(obj: Node) -> None:
    """Store the object's pose and action, unless they belong to an earlier bake."""
    action, before = action_of(obj), before_bake(obj)
    if is_baked(obj) or (before.is_kept and action is None):  # its action is missing, but its bake was not cleared
        return
    if is_bake(action):  # that of other bones, which have stored the action before it
        other = next((before_bake(bone) for bone in baked_bones(owner_of(obj))), None)
        action, slot = (other.action, other.slot) if other else (None, "")
    else:
        slot = _slot_of(obj)
    before.is_kept, before.numbers = True, " ".join(map(repr, _present_values_of(obj)))
    before.action, before.slot = action, slot
    if action is not None:
        _add_fake_user(action)


def _present_values_of(obj: Node) -> list[float]:
    found = [float(number) for name, _ in TRANSFORM_CHANNELS for number in getattr(obj, name)]
    return found + [float(coordinate.q) for coordinate in joint_settings(obj).coordinates]


def values_without_bake(obj: Node) -> dict[str, list[float]]:
    """Return the values of location and rotation that the object would have without its bake, by data path."""
    before = before_bake(obj)
    numbers = iter(_values_before_bake(before) if before.is_kept and is_baked(obj) else _present_values_of(obj))
    return {name: [next(numbers) for _ in range(size)] for name, size in TRANSFORM_CHANNELS}


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


def edits_of_bakes(actions: Iterable[bpy.types.Action | None]) -> dict[bpy.types.Action, bool]:
    """Return the bakes among actions, each with whether the user has edited it, while the objects still play them."""
    return {action: is_edited(action) for action in set(actions) if is_bake(action)}


def remove_unused_bakes(bakes: dict[bpy.types.Action, bool]) -> None:
    """Remove bakes that nothing plays any more. A bake that the user has edited becomes an ordinary action instead.

    Args:
        bakes: with whether each was edited, as `edits_of_bakes` has found before the bakes were replaced.
    """
    for action, has_edits in bakes.items():
        if has_edits:
            del action[ids.BAKE_MARK]
            action.use_fake_user = True
        elif not action.users:
            bpy.data.actions.remove(action)


def clear_bake(objects: Iterable[Node]) -> int:
    """Remove the bake from links and joints, and restore their poses and actions.

    The bones of an armature share an action, so they are cleared together. Return the number of links that had a bake.
    """
    baked = by_owner(obj for obj in objects if is_baked(obj))
    for owner, nodes in baked.items():
        if is_bake(action_of(owner)):
            nodes += [bone for bone in baked_bones(owner) if bone not in nodes]
    bakes = edits_of_bakes(map(action_of, baked))
    for owner, nodes in baked.items():
        switch_on(owner)
        _restore_action(owner, nodes)
        for obj in nodes:
            restore_values_before_bake(obj)
    remove_unused_bakes(bakes)
    return sum(map(is_link, chain.from_iterable(baked.values())))


def restore_values_before_bake(obj: Node) -> None:
    """Restore the pose of an object as it was before its bake, and forget what the bake has replaced."""
    before = before_bake(obj)
    _set_values(obj, _values_before_bake(before))
    before.is_kept, before.numbers, before.action, before.slot, before.stood = False, "", None, "", ""


def _restore_action(owner: bpy.types.Object, nodes: list[Node]) -> None:
    before, data = before_bake(nodes[0]), animation_of(owner)
    if data is None or (data.action and not is_bake(data.action)):
        return  # newer animation of the user stays
    user_curves = unreplaced_curves(owner, nodes) if data.action else None
    data.action = before.action
    if before.action is None:
        _keep_user_curves(owner, nodes, user_curves)
        if not data.action and not data.drivers and not data.nla_tracks:
            owner.animation_data_clear()
        return
    _remove_fake_user(before.action)
    _assign_slot(data, before.slot)
    _keep_user_curves(owner, nodes, user_curves)


def _keep_user_curves(owner: bpy.types.Object, nodes: list[Node], curves: list[bpy.types.FCurve] | None) -> None:
    """Keep changes of the user to other F-curves of the bake's action, in the object's own action or a new one."""
    if curves is None or digest_of_curves(curves) == digest_of_curves(unreplaced_curves(owner, nodes)):
        return
    for curve in unreplaced_curves(owner, nodes):
        _channelbag_of(owner).fcurves.remove(curve)
    copy_curves(curves, _channelbag_of(owner))


def _channelbag_of(owner: bpy.types.Object):
    """Return the channelbag of the object in its action, which is created if there is none."""
    data = create_animation(owner)
    if data.action is None:
        data.action = bpy.data.actions.new(f"{owner.name}Action")
    if data.action_slot is None:
        data.action_slot = data.action.slots.new("OBJECT", owner.name)
    layer = data.action.layers[0] if data.action.layers else data.action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(data.action_slot, ensure=True)


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
    for owner in {owner_of(obj) for obj, *_ in states}:
        switch_on(owner)
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
