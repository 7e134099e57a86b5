# SPDX-License-Identifier: GPL-3.0-or-later
"""A digest of a scene's model that is the same at every frame, and in every scene with the same objects.

Three things in a model depend on the frame at which it was read: animated settings, meshes that change their form, and
named frames that move with their objects. The digest uses the animation of the first, and the data from which the
second are made. Named frames and the model's name have no influence on the motion, and are left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import bpy
import numpy as np

from ....core.model import Axis, Joint, Link, Model
from ....core.spatial import IDENTITY, ZERO
from ... import ids
from ...bridge.animation.animated import FOLLOWED_ON_AXES, SCENE, STRENGTH, Input, animated_inputs, is_followed
from ...bridge.animation.motion_sources import starting_basis
from ...bridge.links.changing_forms import changes_its_form, has_instances, is_moved_within_its_link
from ...bridge.links.deforming import shapes_of
from ...bridge.links.mass import is_weighed
from ...bridge.posing.link_poses import to_array, world_scale
from ...bridge.scene.read import place_links
from ...bridge.values.fields import AXIS_FIELDS, INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS, Field
from ...bridge.values.numbers import unit_length
from ...props import axes_in_use
from ...props.members import links_in
from ...props.naming import model_name, object_of
from .movers import print_of_mover, sha

Curves = dict[Input, list[bpy.types.FCurve]]
"""The F-curves and drivers of each animated setting of a model."""

VECTORS = {"gravity": "gravity", "wind": f"{ids.SCENE}.wind"} | {
    name: f"{ids.LINK}.{name}" for name in ("force", "torque")
}
"""Data paths of the vectors whose components can be animated separately."""

WEIGHT = {"mass", "com", "inertia", "density", "material", "mass_source"}
"""Properties of a link that determine its mass, its centre of mass or its inertia."""

ORDERING = {"enabled", "closes_loop"}
"""Properties of a joint that determine the order of links and joints in a model, and the poses of links."""

AXIS_AT_REST, LINK_AT_REST = Axis(), Link("")
JOINT_AT_REST = {"pitch": 0.0, "closes_loop": False, "released_at": float("inf"), "home": ()}
"""Values that replace animated settings of a joint in the model that is digested."""


def digest_of_model(scene: bpy.types.Scene, model: Model) -> str:
    """Return a digest of everything in a model that determines its motion.

    Args:
        model: of the scene, read at any frame.
    """
    curves = animated_inputs(scene)
    objects = {model_name(obj): obj for obj in links_in(scene)}
    forms = _varying_forms(objects.values(), curves)
    still = replace(
        model,
        name="",
        frames=[],
        links=[_link_at_rest(link, curves, objects.get(link.name), forms) for link in model.links],
        joints=[_joint_at_rest(joint, curves) for joint in model.joints],
        **{known.field: ZERO for known in curves if known.owner == SCENE},
    )
    if any(known.field in ORDERING for known in curves):
        still.links.sort(key=lambda link: link.name)
        still.joints.sort(key=lambda joint: joint.name)
        place_links(still, objects, unit_length(scene))
    joints = sorted({known.owner for known in curves if _is_of_joint(model, known)})
    parts = [text for name in joints for text in _numbers_of_joint(object_of(scene, name), curves)]
    parts += [text for link in forms for text in _numbers_of_link(link, curves)]
    parts += [text for known in sorted(curves) for text in _still_components(scene, known, curves[known])]
    parts += [text for link, shapes in forms.items() for text in _form_of(link, shapes)]
    parts += sorted(
        f"{known} {print_of_mover(curve)}"
        for known, moving in curves.items()
        if not is_followed(known)
        for curve in moving
    )
    return sha(still.digest(), *parts)


def _is_of_joint(model: Model, known: Input) -> bool:
    return any(joint.name == known.owner for joint in model.joints)


def _varying_forms(links: Iterable[bpy.types.Object], curves: Curves) -> dict[bpy.types.Object, list[bpy.types.Object]]:
    """Return the shapes of each link whose mass or collision shapes differ between frames."""
    weighed_anew = {known.owner for known in curves if known.field in WEIGHT}
    return {
        link: shapes
        for link, shapes in sorted(shapes_of(links).items(), key=lambda entry: entry[0].name)
        if model_name(link) in weighed_anew
        or any(changes_its_form(link, shape) or has_instances(shape) for shape in shapes)
    }


def _link_at_rest(link: Link, curves: Curves, obj: bpy.types.Object | None, forms) -> Link:
    names = {known.field for known in curves if known.owner == link.name and known.axis < 0}
    reset = {field.name for field in LINK_FIELDS} & names
    changes = {name: getattr(LINK_AT_REST, name) for name in reset}
    if obj is not None and obj in forms:
        if is_weighed(obj) or names & WEIGHT:
            changes |= {field.name: getattr(LINK_AT_REST, field.name) for field in INERTIAL_FIELDS}
        changes["collisions"] = [replace(shape, geometry=None, pose=IDENTITY) for shape in link.collisions]
    return replace(link, **changes)


def _joint_at_rest(joint: Joint, curves: Curves) -> Joint:
    own = [known for known in curves if known.owner == joint.name]
    names = {known.field for known in own if known.axis < 0}
    changes = {name: rest for name, rest in JOINT_AT_REST.items() if names & {name, f"use_{name}"}}
    if names & {field.name for field in MIMIC_FIELDS}:
        changes["mimic"] = None
    is_driven = STRENGTH in names or any(known.axis >= 0 for known in own)
    if is_driven:
        changes["axes"] = [_axis_at_rest(axis, number, own) for number, axis in enumerate(joint.axes)]
    return replace(joint, **changes, enabled=joint.enabled or "enabled" in names)


def _axis_at_rest(axis: Axis, number: int, own: list[Input]) -> Axis:
    names = FOLLOWED_ON_AXES | {known.field.removeprefix("use_") for known in own if known.axis == number}
    return replace(axis, **{name: getattr(AXIS_AT_REST, name) for name in names})


def _numbers_of_joint(obj: bpy.types.Object, curves: Curves) -> Iterator[str]:
    """Yield the properties of an animated joint that are not animated.

    The model combines both kinds in one number, which is therefore not digested.
    """
    settings, name = getattr(obj, ids.JOINT), model_name(obj)
    if Input(name, STRENGTH) not in curves:
        yield repr(settings.drive_strength)
    for number, axis in enumerate(axes_in_use(settings)):
        for prop in _properties(AXIS_FIELDS):
            if Input(name, prop, number) not in curves:
                yield f"{prop} {_plain(getattr(axis, prop))}"
    for owner, fields in ((settings, JOINT_FIELDS), (settings.mimic, MIMIC_FIELDS)):
        yield from (
            f"{prop} {_plain(getattr(owner, prop))}" for prop in _properties(fields) if Input(name, prop) not in curves
        )
    moved = {curve.data_path for curve in curves.get(Input(name, "home"), ())}
    for number, coordinate in enumerate(settings.coordinates):
        if not any(path.startswith(f"{ids.JOINT}.coordinates[{number}].home") for path in moved):
            yield repr(coordinate.home)


def _numbers_of_link(link: bpy.types.Object, curves: Curves) -> Iterator[str]:
    """Yield the properties that determine the mass of a link and are not animated."""
    settings, name = getattr(link, ids.LINK), model_name(link)
    counting = {"DENSITY": ("density",), "MASS": ("mass",)}.get(settings.mass_source, ("mass", "com", "inertia"))
    for prop in ("mass_source", *counting):
        if Input(name, prop) not in curves:
            yield f"{prop} {_plain(getattr(settings, prop))}"


def _properties(fields: Iterable[Field]) -> list[str]:
    return [name for field in fields for name in (field.name, field.toggle) if name]


def _plain(value) -> object:
    return value if isinstance(value, bool | int | float | str) else list(value)


def _still_components(scene: bpy.types.Scene, known: Input, curves: list[bpy.types.FCurve]) -> Iterator[str]:
    """Yield the components of a vector that are not animated, if others are."""
    path = VECTORS.get(known.field)
    if path:
        owner = object_of(scene, known.owner) if known.owner != SCENE else scene
        moved = {curve.array_index for curve in curves if curve.data_path == path}
        yield repr([value for index, value in enumerate(owner.path_resolve(path)) if index not in moved])


def _form_of(link: bpy.types.Object, shapes: list[bpy.types.Object]) -> Iterator[str]:
    """Yield the data from which the varying shapes of a link are made: unmodified meshes, and their places."""
    yield f"{model_name(link)} {world_scale(link).tolist()}"
    for shape in sorted(shapes, key=lambda shape: shape.name):
        settings = getattr(shape, ids.LINK)
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
