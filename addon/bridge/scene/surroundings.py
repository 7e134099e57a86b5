# SPDX-License-Identifier: GPL-3.0-or-later
"""Add the surroundings of a scene's links to the model: visible objects that belong to no link, lights and frames."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ....core.model import WORLD, Frame, Joint, Light, Link, Model
from ....core.model.naming import STATIC, claim
from ....core.spatial import Pose
from ....core.spatial.arrays import det, inverse, matmul
from ...nodes import Node, model_name
from ...props import is_joint, is_link, shape_parent_of
from ...props.settings import link_settings
from ..animation.motion_sources import is_animated
from ..links.parts import SOLID, EvaluatedScene, objects_below, parts_at
from ..links.shapes import ShapeReader, split_scale
from ..posing.link_poses import live_pose, pose_of_matrix, to_array, world_scale
from ..values.file_extras import original_name
from ..values.lights import read_light
from ..values.numbers import scaled_pose, tidy_pose


def add_static_objects(model: Model, scene: bpy.types.Scene, shapes: ShapeReader) -> list[str]:
    """Add each visible object that belongs to no link as a link that is fixed to the world. Return notes."""
    notes: list[str] = []
    links, joints = ({item.name for item in items} for items in (model.links, model.joints))
    split = {part.obj for parts in shapes.pieces.values() for part in parts}
    for obj in _visible_objects(scene):
        if obj in split or is_link(obj) or is_joint(obj) or not (obj.type in SOLID or obj.is_instancer):
            continue
        carrier = carried_by(obj)
        if carrier is not None and is_link(carrier):
            continue
        link = _static_link(obj, shapes)
        if link is None:
            continue
        if carrier is not None:
            notes.append(f"object '{obj.name}' hangs on joint '{carrier.name}': left out; parent it to a link")
            continue
        if is_animated(obj):
            notes.append(f"object '{obj.name}' moves, but is no link: it is fixed where it is now")
        link.name = claim(f"{obj.name}_object" if obj.name == WORLD else obj.name, links)
        joint = Joint(claim(f"{link.name}{STATIC}", joints), "fixed", WORLD, link.name, X_PJ=link.pose)
        model.links.append(link)
        model.joints.append(joint)
    return notes


def _static_link(obj: bpy.types.Object, shapes: ShapeReader) -> Link | None:
    matrix = to_array(obj.matrix_world)
    if not det(matrix[:3, :3]):
        shapes.notes.append(f"object '{obj.name}' has a scale of zero, so it is left out")
        return None
    _, rigid = split_scale(matrix)
    pose = tidy_pose(pose_of_matrix(rigid, np.ones(3)))
    visuals, collisions = shapes.of_parts(parts_at(obj, matmul(inverse(rigid), matrix), shapes.evaluated_scene))
    if not (visuals or collisions):
        return None
    return Link(obj.name, pose=scaled_pose(pose, shapes.evaluated_scene.unit), visuals=visuals, collisions=collisions)


def add_lights(model: Model, scene: bpy.types.Scene, evaluated_scene: EvaluatedScene) -> list[str]:
    """Add the visible lights, on the links that carry them or in the world. Return notes."""
    found = [obj for obj in _visible_objects(scene) if obj.type == "LIGHT"]
    lights: list[Light] = []
    names: set[str] = set()
    notes: list[str] = []
    for obj, link, pose in _placed(found, evaluated_scene):
        light, about = read_light(obj, link, pose, evaluated_scene.unit)
        light.name = claim(light.name, names)
        lights.append(light)
        notes += about
    model.lights += lights
    return notes


def add_frames(model: Model, scene: bpy.types.Scene, evaluated_scene: EvaluatedScene) -> None:
    """Add the Empties that are named frames."""
    found = [obj for obj in _in_order(scene) if link_settings(obj).is_frame]
    model.frames += [Frame(original_name(obj), link, pose) for obj, link, pose in _placed(found, evaluated_scene)]


def _placed(
    objects: list[bpy.types.Object], evaluated_scene: EvaluatedScene
) -> Iterator[tuple[bpy.types.Object, str, Pose]]:
    """Yield each object with the name of the link that carries it, or of the world, and its pose there [m]."""
    for obj in objects:
        carrier = carried_by(obj)
        if carrier is None or not is_link(carrier):
            yield obj, WORLD, scaled_pose(live_pose(obj), evaluated_scene.unit)
            continue
        frame = np.diag((*world_scale(carrier), 1.0))
        below = dict(objects_below(carrier, frame, evaluated_scene))
        if obj in below:
            _, rigid = split_scale(below[obj])
            yield (
                obj,
                model_name(carrier),
                scaled_pose(tidy_pose(pose_of_matrix(rigid, np.ones(3))), evaluated_scene.unit),
            )


def carried_by(obj: bpy.types.Object) -> Node | None:
    """Return the nearest link or joint among the object's parents; None if there is none."""
    above = shape_parent_of(obj)
    while above is not None and not (is_link(above) or is_joint(above)):
        above = shape_parent_of(above)
    return above


def _in_order(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    return sorted(scene.objects, key=lambda obj: obj.name)


def _visible_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    layer = scene.view_layers[0] if bpy.context.scene != scene else None  # None: that of the window
    return [obj for obj in _in_order(scene) if obj.visible_get(view_layer=layer)]
