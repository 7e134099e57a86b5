# SPDX-License-Identifier: GPL-3.0-or-later
"""Raise machines that start deep in the ground until they just touch it."""

from typing import TYPE_CHECKING

import bpy
from mathutils import Matrix, Vector

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import Node, model_name, object_of, owner_of
from ...nodes.naming import node_named
from ...props import ancestors, is_joint
from ..report import fail, in_object_mode, succeed
from .overlaps import ends_of

if TYPE_CHECKING:
    from ....core.kinematics.proximity.sunk import Sunk
    from ....core.model import Model


class LIMBERJACK_OT_lift(bpy.types.Operator):
    """Raise every machine that starts deep in the ground or in a plane until it just touches"""

    bl_idname = ids.OP_LIFT
    bl_label = "Lift Out of the Ground"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return in_object_mode(cls, context)

    def execute(self, context):
        try:
            model = bridge.scene.read.read_scene(context.scene)
            sunk = _sunk_machines(model)
            if not sunk:
                return fail(self, context, "No machine starts deep in the ground: nothing is to be lifted")
            machines = [_liftable(context.scene, found) for found in sunk]  # check all before any is moved
        except ModelError as error:
            return fail(self, context, error)
        for found, machine in zip(sunk, machines, strict=True):
            _raise(context, model, machine, found.lift)
        return succeed(self, context, f"{counted(sunk, 'machine')} lifted out of the ground")


def lift(context, obj) -> str:
    """Raise the machine of a link against gravity until it just touches the ground. Return a message.

    Raises:
        ModelError: if it is not deep in the ground, or cannot be lifted.
    """
    scene, name = context.scene, model_name(obj)
    model = bridge.scene.read.read_scene(scene)
    found = next((each for each in _sunk_machines(model) if name in each.links), None)
    if found is None:
        raise ModelError(f"link '{obj.name}' is not deep in the ground: nothing is to be lifted")
    _raise(context, model, _liftable(scene, found), found.lift)
    return f"'{obj.name}' is lifted by {bridge.values.numbers.length_in_words(scene, found.lift)}"


def _sunk_machines(model: "Model") -> "list[Sunk]":
    from ....core.kinematics.proximity.distances import Proximity
    from ....core.kinematics.proximity.sunk import sunk_machines

    return sunk_machines(Proximity(model))


def _liftable(scene: bpy.types.Scene, found: "Sunk") -> list[Node]:
    """Return the links of a machine and the joints between them.

    Raises:
        ModelError: if no height frees the machine, or if it is animated.
    """
    if not found.lift:
        raise ModelError(f"link '{found.link}' is in the ground at every height that was tried: move it out by hand")
    links = [link for link in (node_named(scene, name) for name in found.links) if link is not None]
    for link in links:
        if not isinstance(link, bpy.types.Object):
            raise ModelError(
                f"'{model_name(link)}' is a bone, so it cannot be lifted: move the armature '{owner_of(link).name}' up "
                "by hand"
            )
        if bridge.animation.motion_sources.is_animated(link):
            raise ModelError(f"'{link.name}' is animated, so it cannot be lifted: delete its keys or its drivers first")
    joints = [joint for joint in scene.objects if is_joint(joint) and all(end in links for end in ends_of(joint))]
    return [*links, *joints]


def _raise(context, model: "Model", machine: list[Node], height: float) -> None:
    """Raise the objects of a machine by a height [m]."""
    from ....core.kinematics.proximity.sunk import upward

    way = Matrix.Translation(Vector(upward(model)) * (height / bridge.values.numbers.unit_length(context.scene)))
    for each in machine:  # children move along with their parents
        if not any(above in machine for above in ancestors(each)):
            raised = object_of(each)
            raised.matrix_world = way @ raised.matrix_world
    context.view_layer.update()


CLASSES = (LIMBERJACK_OT_lift,)
