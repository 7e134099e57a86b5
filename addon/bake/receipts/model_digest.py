# SPDX-License-Identifier: GPL-3.0-or-later
"""A digest of a scene's model that is the same at every frame, and in every scene with the same objects.

Three things in a model depend on the frame at which it was read: animated settings, meshes that change their form, and
named frames that move with their objects. The digest uses the animation of the first, and the data from which the
second are made. Named frames and the model's name have no influence on the motion, and are left out.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import bpy
import numpy as np

from ....core.model import Axis, Joint, Link, Model
from ....core.model.elements import BREAKING
from ....core.spatial import IDENTITY, ZERO
from ... import ids
from ...bridge.animation.animated import FOLLOWED_ON_AXES, SCENE, STRENGTH, Input, animated_inputs, is_followed
from ...bridge.animation.motion_sources import starting_basis
from ...bridge.links.changing_forms import changes_its_form, has_instances, is_moved_within_its_link
from ...bridge.links.deforming import shapes_of
from ...bridge.links.mass import is_weighed
from ...bridge.posing.link_poses import to_array, world_scale
from ...bridge.scene.read import set_link_poses
from ...bridge.values.fields import AXIS_FIELDS, INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS, Field
from ...bridge.values.numbers import unit_length
from ...nodes import Node, model_name
from ...nodes.naming import node_of
from ...props import axes_in_use
from ...props.members import links_in
from ...props.settings import joint_settings, link_settings
from .movers import fingerprint_of_mover, sha256_of

Curves = dict[Input, list[bpy.types.FCurve]]
"""The F-curves and drivers of each animated setting of a model."""

VECTORS = {"gravity": "gravity", "wind": f"{ids.SCENE}.wind"} | {
    name: f"{ids.LINK}.{name}" for name in ("force", "torque")
}
"""Data paths of the vectors whose components can be animated separately."""

MASS_PROPERTIES = {"mass", "com", "inertia", "density", "material", "mass_source"}
"""Properties of a link that determine its mass, its centre of mass or its inertia."""

ORDER_PROPERTIES = {"enabled", "closes_loop"}
"""Properties of a joint that determine the order of links and joints in a model, and the poses of links."""

DEFAULT_AXIS, DEFAULT_LINK = Axis(), Link("")
JOINT_DEFAULTS = {"pitch": 0.0, "closes_loop": False, "released_at": float("inf"), "home": ()}
JOINT_DEFAULTS |= dict.fromkeys(BREAKING, float("inf"))
"""Values that replace animated settings of a joint in the model that is digested."""

ADDED = {
    f"{prefix}{field.name}"
    for field in dataclasses.fields(Joint)
    if "since" in field.metadata
    for prefix in ("", "use_")
}
"""Properties of fields that later versions have added. They are not digested while they have their defaults, so that
bakes of older versions stay up to date. `Model.digest` does the same."""


def digest_of_model(scene: bpy.types.Scene, model: Model) -> str:
    """Return a digest of everything in a model that determines its motion.

    Args:
        model: of the scene, read at any frame.
    """
    curves = animated_inputs(scene)
    objects = {model_name(obj): obj for obj in links_in(scene)}
    varying_shapes = _varying_shapes(objects.values(), curves)
    still = replace(
        model,
        name="",
        frames=[],
        links=[_link_without_animation(link, curves, objects.get(link.name), varying_shapes) for link in model.links],
        joints=[_joint_without_animation(joint, curves) for joint in model.joints],
        **{setting.field: ZERO for setting in curves if setting.owner == SCENE},
    )
    if any(setting.field in ORDER_PROPERTIES for setting in curves):
        still.links.sort(key=lambda link: link.name)
        still.joints.sort(key=lambda joint: joint.name)
        set_link_poses(still, objects, unit_length(scene))
    joints = sorted({setting.owner for setting in curves if _is_of_joint(model, setting)})
    parts = [text for name in joints for text in _unanimated_joint_values(node_of(scene, name), curves)]
    parts += [text for link in varying_shapes for text in _unanimated_link_values(link, curves)]
    parts += [text for setting in sorted(curves) for text in _unanimated_components(scene, setting, curves[setting])]
    parts += [text for link, shapes in varying_shapes.items() for text in _shape_data_of(link, shapes)]
    parts += sorted(
        f"{setting} {fingerprint_of_mover(curve)}"
        for setting, moving in curves.items()
        if not is_followed(setting)
        for curve in moving
    )
    return sha256_of(still.digest(), *parts)


def _is_of_joint(model: Model, setting: Input) -> bool:
    return any(joint.name == setting.owner for joint in model.joints)


def _varying_shapes(links: Iterable[Node], curves: Curves) -> dict[Node, list[bpy.types.Object]]:
    """Return the shapes of each link whose mass or collision shapes differ between frames."""
    weighed_anew = {setting.owner for setting in curves if setting.field in MASS_PROPERTIES}
    return {
        link: shapes
        for link, shapes in sorted(shapes_of(links).items(), key=lambda entry: entry[0].name)
        if model_name(link) in weighed_anew
        or any(changes_its_form(link, shape) or has_instances(shape) for shape in shapes)
    }


def _link_without_animation(link: Link, curves: Curves, obj: Node | None, varying_shapes) -> Link:
    names = {setting.field for setting in curves if setting.owner == link.name and setting.axis < 0}
    reset = {field.name for field in LINK_FIELDS} & names
    changes = {name: getattr(DEFAULT_LINK, name) for name in reset}
    if obj is not None and obj in varying_shapes:
        if is_weighed(obj) or names & MASS_PROPERTIES:
            changes |= {field.name: getattr(DEFAULT_LINK, field.name) for field in INERTIAL_FIELDS}
        changes["collisions"] = [replace(shape, geometry=None, pose=IDENTITY) for shape in link.collisions]
    return replace(link, **changes)


def _joint_without_animation(joint: Joint, curves: Curves) -> Joint:
    own = [setting for setting in curves if setting.owner == joint.name]
    names = {setting.field for setting in own if setting.axis < 0}
    changes = {name: rest for name, rest in JOINT_DEFAULTS.items() if names & {name, f"use_{name}"}}
    if names & {field.name for field in MIMIC_FIELDS}:
        changes["mimic"] = None
    is_driven = STRENGTH in names or any(setting.axis >= 0 for setting in own)
    if is_driven:
        changes["axes"] = [_axis_without_animation(axis, number, own) for number, axis in enumerate(joint.axes)]
    return replace(joint, **changes, enabled=joint.enabled or "enabled" in names)


def _axis_without_animation(axis: Axis, number: int, own: list[Input]) -> Axis:
    names = FOLLOWED_ON_AXES | {setting.field.removeprefix("use_") for setting in own if setting.axis == number}
    return replace(axis, **{name: getattr(DEFAULT_AXIS, name) for name in names})


def _unanimated_joint_values(obj: Node, curves: Curves) -> Iterator[str]:
    """Yield the properties of an animated joint that are not animated.

    The model combines both kinds in one number, which is therefore not digested.
    """
    settings, name = joint_settings(obj), model_name(obj)
    if Input(name, STRENGTH) not in curves:
        yield repr(settings.drive_strength)
    for number, axis in enumerate(axes_in_use(settings)):
        for prop in _properties(AXIS_FIELDS):
            if Input(name, prop, number) not in curves:
                yield f"{prop} {_plain(getattr(axis, prop))}"
    for owner, fields in ((settings, JOINT_FIELDS), (settings.mimic, MIMIC_FIELDS)):
        yield from (
            f"{prop} {_plain(getattr(owner, prop))}"
            for prop in _properties(fields)
            if Input(name, prop) not in curves and not _is_added_default(owner, prop)
        )
    moved = {curve.data_path for curve in curves.get(Input(name, "home"), ())}
    for number, coordinate in enumerate(settings.coordinates):
        if not any(path.startswith(f"{ids.JOINT}.coordinates[{number}].home") for path in moved):
            yield repr(coordinate.home)


def _is_added_default(owner: bpy.types.PropertyGroup, prop: str) -> bool:
    return prop in ADDED and getattr(owner, prop) == owner.bl_rna.properties[prop].default


def _unanimated_link_values(link: Node, curves: Curves) -> Iterator[str]:
    """Yield the properties that determine the mass of a link and are not animated."""
    settings, name = link_settings(link), model_name(link)
    counting = {"DENSITY": ("density",), "MASS": ("mass",)}.get(settings.mass_source, ("mass", "com", "inertia"))
    for prop in ("mass_source", *counting):
        if Input(name, prop) not in curves:
            yield f"{prop} {_plain(getattr(settings, prop))}"


def _properties(fields: Iterable[Field]) -> list[str]:
    return [name for field in fields for name in (field.name, field.toggle) if name]


def _plain(value) -> object:
    return value if isinstance(value, bool | int | float | str) else list(value)


def _unanimated_components(scene: bpy.types.Scene, setting: Input, curves: list[bpy.types.FCurve]) -> Iterator[str]:
    """Yield the components of a vector that are not animated, if others are."""
    path = VECTORS.get(setting.field)
    if path:
        owner = node_of(scene, setting.owner) if setting.owner != SCENE else scene
        moved = {curve.array_index for curve in curves if curve.data_path == path}
        yield repr([value for index, value in enumerate(owner.path_resolve(path)) if index not in moved])


def _shape_data_of(link: Node, shapes: list[bpy.types.Object]) -> Iterator[str]:
    """Yield the data from which the varying shapes of a link are made: unmodified meshes, and their places."""
    yield f"{model_name(link)} {world_scale(link).tolist()}"
    for shape in sorted(shapes, key=lambda shape: shape.name):
        settings = link_settings(shape)
        modifiers = [(modifier.name, modifier.type, modifier.show_viewport) for modifier in shape.modifiers]
        yield f"{shape.name} {settings.role} {settings.primitive} {modifiers} {_digest_of_mesh(shape)}"
        instanced = shape.instance_collection.all_objects if shape.instance_collection else ()
        for other in sorted(instanced, key=lambda other: other.name):
            yield f"{other.name} {starting_basis(other).tolist()} {_digest_of_mesh(other)}"
        if shape != link and not is_moved_within_its_link(shape):
            yield f"{to_array(shape.matrix_parent_inverse).tolist()} {starting_basis(shape).tolist()}"


def _digest_of_mesh(shape: bpy.types.Object) -> str:
    mesh = shape.data
    if not isinstance(mesh, bpy.types.Mesh):
        return ""
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return hashlib.sha256(places.tobytes() + corners.tobytes()).hexdigest()
