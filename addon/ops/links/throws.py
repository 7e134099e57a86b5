# SPDX-License-Identifier: GPL-3.0-or-later
"""Throw links: simulate them from the frame at which their own keys let them go."""

import bpy

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import Node, model_name
from ...nodes.animation import fcurves_of, insert_key
from ...props import is_link
from ...props.chosen import meant_nodes
from ...props.members import links_in
from ...props.settings import link_settings, scene_settings
from ...watch import note_change
from ..report import fail, succeed
from ..selection import OnLinks


def start_at_keys(context, _obj=None) -> str:
    """Let simulations start from the animation at the frame at which the links' keys let them go. Return a message.

    Raises:
        ModelError: if no link has keys of its own.
    """
    from ...bake.inputs.throwing import find_release

    scene = context.scene
    links = {model_name(obj): obj for obj in links_in(scene) if link_settings(obj).motion == "FREE"}
    release = find_release(scene, links)
    if release is None:
        raise ModelError("no free link has keys that move it: key the links up to where they are to be let go")
    bake = scene_settings(scene).bake
    first, last = bridge.values.numbers.frame_range(scene)
    bake.start, bake.use_range, bake.first = "KEYS", True, release.frame
    bake.last = last if last > release.frame else release.frame + max(last - first, 1)
    note_change()
    speed = f"{release.speed:.3g} m/s"
    if release.frame < release.last:
        return (
            f"Simulations start at frame {release.frame}, where the keys are fastest ({speed}), since they slow down "
            f"to the last one at frame {release.last}"
        )
    return f"Simulations start from the animation at its last key, frame {release.frame}, with {speed}"


class LIMBERJACK_OT_throw_from_animation(OnLinks, bpy.types.Operator):
    """Start simulations from the animation at its last key, with the velocity of the keys. The keys before are kept"""

    bl_idname = ids.OP_THROW
    bl_label = "Throw from Animation"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            return succeed(self, context, start_at_keys(context))
        except ModelError as error:
            return fail(self, context, error)


class LIMBERJACK_OT_link_let_go(OnLinks, bpy.types.Operator):
    """Let the selected links follow their keys up to this frame, and move freely from here as fast as they are then"""

    bl_idname = ids.OP_LET_GO
    bl_label = "Let Go at This Frame"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        scene = context.scene
        links = [obj for obj in meant_nodes(context) if is_link(obj)]
        if not links:
            return fail(self, context, "Select the links that are to be let go here")
        first, frame = bridge.values.numbers.frame_range(scene)[0], scene.frame_current
        if frame <= first:
            return fail(self, context, f"Go to a frame after the first one, {first}: links are let go where you are")
        for obj in links:
            if reason := bridge.links.tagging.library_of(obj):
                return fail(self, context, reason)
        for obj in links:
            _key_switch(obj, first, frame)
        note_change(links)
        notes = [
            f"link '{model_name(obj)}' has no keys: it stands still until then" for obj in links if not _is_keyed(obj)
        ]
        return succeed(self, context, f"{counted(links, 'link')} let go at frame {frame}", notes)


def _is_keyed(obj: Node) -> bool:
    return bridge.animation.motion_sources.is_animated(obj)


def _key_switch(obj: Node, first: int, frame: int) -> None:
    """Key a link's switch Animated: on at the first frame, and off at a later one. Earlier keys of it are removed."""
    settings = link_settings(obj)
    for curve in [*fcurves_of(obj, (bridge.animation.motion_sources.ANIMATED_PATH,))]:
        curve.keyframe_points.clear()
    settings.motion = "FREE"
    for at, is_on in ((first, True), (frame, False)):
        settings.animated = is_on
        insert_key(obj, bridge.animation.motion_sources.ANIMATED_PATH, at)


CLASSES = (LIMBERJACK_OT_throw_from_animation, LIMBERJACK_OT_link_let_go)
