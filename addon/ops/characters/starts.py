# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the scene that Make Ragdoll changes unless the user has chosen them: how simulations start, and contact.

The fall of an animated character begins with its motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ... import bridge
from ...nodes import armature_bones
from ...nodes.animation import action_of, has_changing_keys
from ...props import ancestors
from ...props.members import has_links
from ...props.ragdoll import ragdoll_bones
from ...props.settings import scene_settings
from ...watch import ignoring_changes
from ..links.links import enable_contact_initially


def start_from_animation(armature: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """Set Start From to Animation if a character is animated and the user has not chosen. Return a note, or nothing."""
    settings = scene_settings(scene).bake
    if settings.is_property_set("start") or not is_character_animated(armature):
        return ""
    settings.start = "KEYS"
    settings.start_by_ragdoll = True  # after the choice, whose update takes it back
    first, _ = bridge.values.numbers.frame_range(scene)
    return (
        f"'{armature.name}' is animated, so its fall begins with its motion at frame {first}, the first of the range: "
        "Start From, in the panel Simulation, is Animation"
    )


@contextmanager
def at_start_of_fall(armature: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[bool]:
    """Show the first frame of a simulation if it starts from animation. The scene returns to the frame that it showed.

    Yields:
        Whether that frame is another one than the scene shows, so that the character has another pose there.
    """
    first, _ = bridge.values.numbers.frame_range(scene)
    before, within = scene.frame_current, scene.frame_subframe
    starts_from_keys = scene_settings(scene).bake.start == "KEYS" and is_character_animated(armature)
    if not starts_from_keys or (before, within) == (first, 0.0):
        yield False
        return
    try:
        with ignoring_changes():
            scene.frame_set(first)
        yield True
    finally:
        with ignoring_changes():
            scene.frame_set(before, subframe=within)


def enable_contact_for_ragdoll(scene: bpy.types.Scene) -> None:
    """Switch contact on if a ragdoll is the first machine of a scene and the user has not chosen."""
    if enable_contact_initially(scene):
        scene_settings(scene).contact_by_ragdoll = True  # after the choice, whose update takes it back


def restore_scene(scene: bpy.types.Scene) -> None:
    """Take back what Make Ragdoll has set in a scene: contact once it has no link, the start once it has no ragdoll."""
    _restore_start(scene)
    settings = scene_settings(scene)
    if settings.contact_by_ragdoll and not has_links(scene):
        settings.property_unset("contact")
        settings.property_unset("contact_by_ragdoll")


def _restore_start(scene: bpy.types.Scene) -> None:
    settings = scene_settings(scene).bake
    if settings.start_by_ragdoll and not any(map(ragdoll_bones, scene.objects)):
        settings.property_unset("start")
        settings.property_unset("start_by_ragdoll")


def is_character_animated(armature: bpy.types.Object) -> bool:
    """Return whether keys or strips move an armature, its bones, what carries it, or what its bones follow.

    Bakes of this add-on do not count, nor drivers, which in most rigs only connect bones.
    """
    return any(
        has_changing_keys(obj, ("pose.bones[", *bridge.animation.motion_sources.TRANSFORMS))
        and not bridge.animation.motion_sources.is_bake(action_of(obj))
        for obj in {armature, *ancestors(armature), *_followed(armature)}
    )


def _followed(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """Yield the objects that the armature or one of its bones follows by a constraint."""
    for node in (armature, *armature_bones(armature)):
        for constraint in bridge.animation.motion_sources.active_constraints(node):
            target = getattr(constraint, "target", None)
            if isinstance(target, bpy.types.Object):
                yield target
