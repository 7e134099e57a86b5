# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a `Model` into a scene as links, joints and shapes."""

import math

import bpy
import numpy as np

from ....core.joints import Unit
from ....core.model import WORLD, Frame, Joint, Light, Link, Model
from ....core.model.naming import STATIC
from ....core.spatial import Pose, norm
from ...nodes import Node
from ...props import fit_to_type, is_link
from ...props.pairs import set_pair
from ...props.settings import joint_settings, link_settings, scene_settings
from ..joints.frames import store_frames
from ..joints.joining import show_as_plain_axes
from ..values.fields import (
    INERTIAL_FIELDS,
    JOINT_FIELDS,
    LINK_FIELDS,
    MEETING_FIELDS,
    MIMIC_FIELDS,
    fields_on,
    write_fields,
)
from ..values.file_extras import format_extras, store_original_name
from ..values.lights import new_light
from ..values.numbers import Units, format_pose, scaled_pose, unit_length, units_of
from .initial_pose import move_to_initial_pose
from .read import depsgraph_of, gravity_of
from .write_shapes import ShapeWriter, set_transform


def write_scene(model: Model, scene: bpy.types.Scene) -> tuple[dict[str, bpy.types.Object], list[str]]:
    """Add the model to the scene, in a collection of its own. Its links stand in its initial pose.

    Returns:
        The object of each link and joint by its name in the model, and notes about what could not be shown. If a joint
        and a link have the same name, it is the link's object. Blender may have had to change names. A joint that only
        holds a static link has no object; the link's Motion expresses it.
    """
    writer = _Writer(model, scene)
    writer.write()
    return writer.joints | writer.links, writer.notes


def store_joint(joint: Joint, obj: Node, scene: bpy.types.Scene, first: int | None = None) -> list[str]:
    """Store the type, axes, pitch and initial values of a joint. Links, frames and leader stay as they are.

    Args:
        first: the frame at which the simulation's time is 0; None for the scene's own.

    Returns:
        Messages about values that Blender's properties could not store.
    """
    units = units_of(scene, first)
    settings = joint_settings(obj)
    if settings.type != joint.type:
        settings.type = joint.type
    if joint.kind.is_open:
        settings.open_axes = len(joint.axes)
    fit_to_type(settings)
    changes = write_fields(JOINT_FIELDS, settings, joint, units)
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        fields = fields_on(joint.kind.slot(number))
        changes += write_fields(fields, settings.axes[number], axis, units, coordinate=joint.axis_unit(number))
    store_home(joint, settings, units)
    return [f"joint '{joint.name}': {change}" for change in changes]


def store_home(joint: Joint, settings, units: Units) -> None:
    """Store the initial values of a joint.

    Args:
        settings: of the joint's object, which must have as many coordinates as the joint's type.
    """
    bare = Joint(joint.name, joint.type, joint.parent, joint.child, axes=list(joint.axes))
    settings.use_home = tuple(joint.home) != tuple(bare.home)
    for coordinate, value, (_, what) in zip(settings.coordinates, joint.home, joint.home_units, strict=True):
        coordinate.home = value / (units.length if what is Unit.LENGTH else 1.0)


def store_gravity(model: Model, scene: bpy.types.Scene) -> None:
    scene.use_gravity = any(model.gravity)
    if scene.use_gravity:
        scene.gravity = [part / unit_length(scene) for part in model.gravity]


def store_wind(model: Model, scene: bpy.types.Scene) -> None:
    scene_settings(scene).wind = [part / unit_length(scene) for part in model.wind]


def _is_static_fixture(joint: Joint, link: Link) -> bool:
    """Return whether a joint is exactly the one that is added when a static link is read."""
    fixed = Joint(f"{link.name}{STATIC}", "fixed", WORLD, link.name, X_PJ=joint.X_PJ)
    return joint == fixed and np.allclose(joint.X_PJ, link.pose, rtol=0.0, atol=1e-9)


LARGEST_EMPTY = 0.1
"""Largest size of the Empties of links and joints [m]; those of small machines are smaller."""


def _size_of_empties(model: Model) -> float:
    """Return the size of a model's Empties [m], at most half the size of the largest link.

    The size of a link is estimated by its radius of gyration and by the distances of its centre of mass and its joints
    from its origin.
    """
    spans = [norm(joint.X_CJ[:3]) for joint in model.joints]
    spans += [norm(joint.X_PJ[:3]) for joint in model.joints if joint.parent != WORLD]
    for link in model.links:
        xx, _, _, yy, _, zz = link.inertia
        spans += [norm(link.com), math.sqrt(max(xx + yy + zz, 0.0) / (2.0 * link.mass)) if link.mass > 0.0 else 0.0]
    largest = max(spans, default=0.0)
    return min(LARGEST_EMPTY, 0.5 * largest) if largest > 0.0 and math.isfinite(largest) else LARGEST_EMPTY


class _Writer:
    def __init__(self, model: Model, scene: bpy.types.Scene):
        self.model = model
        self.scene = scene
        self.units = units_of(scene)
        self.unit = self.units.length
        self.links: dict[str, bpy.types.Object] = {}
        self.joints: dict[str, bpy.types.Object] = {}
        self.notes: list[str] = []
        self.size = _size_of_empties(model) / self.unit

    def write(self) -> None:
        if not any(is_link(obj) for obj in self.scene.objects):
            self._set_up_scene()
        elif self.model.extras:
            tags = ", ".join(dict.fromkeys(f"<{extra.tag}>" for extra in self.model.extras))
            self.notes.append(f"model '{self.model.name}': its {tags} is left out: the scene keeps those of one model")
        self._report_gravity()
        self.collection = bpy.data.collections.new(self.model.name)
        self.scene.collection.children.link(self.collection)
        shapes = ShapeWriter(self.model.name, self.scene, self.collection, self.unit, self.size)
        for link in self.model.links:
            self._write_link(link)
        for joint in self.model.joints:
            if _is_static_fixture(joint, self.model.link(joint.child)):
                link_settings(self.links[joint.child]).motion = "STATIC"
            else:
                self._write_joint(joint)
        for link in self.model.links:  # last, so that no shape takes the name of a link
            shapes.write(link, self.links[link.name])
        shapes.files.close()
        self.notes += shapes.notes + shapes.files.notes
        for frame in self.model.frames:
            self._write_frame(frame)
        for light in self.model.lights:
            self._write_light(light)
        for joint in self.model.joints:
            self._write_mimic(joint)
        for coupling in self.model.couplings:
            self.notes.append(f"coupling '{coupling.name}' is left out: a scene cannot keep couplings yet")
        for pair in self.model.contact_pairs:
            set_pair(self.scene, self.links[pair.a], self.links[pair.b], pair.meets)
        self._report_names()
        depsgraph_of(self.scene).update()  # matrix_world of new objects is the identity before
        self.notes += move_to_initial_pose(self.model, self.links, self.scene)
        shapes.hide_collisions()

    def _set_up_scene(self) -> None:
        settings = scene_settings(self.scene)
        settings.model_name, settings.extras = self.model.name, format_extras(self.model.extras)
        settings.contact = True
        store_gravity(self.model, self.scene)
        store_wind(self.model, self.scene)

    def _report_gravity(self) -> None:
        """Add a note if the model's gravity differs from the scene's, which can have only one."""
        kept = gravity_of(self.scene)
        if not np.allclose(kept, self.model.gravity, rtol=1e-6, atol=1e-12):
            meant = tuple(self.model.gravity)
            self.notes.append(f"model '{self.model.name}': its gravity {meant} is left out: the scene's is {kept}")

    def _new_object(self, name: str, data=None) -> bpy.types.Object:
        obj = bpy.data.objects.new(name, data)
        self.collection.objects.link(obj)
        return obj

    def _write_link(self, link: Link) -> None:
        obj = self.links[link.name] = self._new_object(link.name)
        obj.empty_display_type = "PLAIN_AXES"
        obj.empty_display_size = self.size
        pose = scaled_pose(link.pose, 1.0 / self.unit)
        set_transform(obj, pose)
        settings = link_settings(obj)
        settings.is_link = True
        settings.mass_source = "CUSTOM"
        settings.rest_pose = format_pose(pose)
        settings.extras = format_extras(link.extras)
        changes = write_fields((*INERTIAL_FIELDS, *LINK_FIELDS, *MEETING_FIELDS), settings, link, self.units)
        self.notes += [f"link '{link.name}': {change}" for change in changes]

    def _write_joint(self, joint: Joint) -> None:
        obj = self.joints[joint.name] = self._new_object(joint.name)
        show_as_plain_axes(obj, self.size)
        settings = joint_settings(obj)
        settings.is_joint = True
        settings.parent_node = None if joint.parent == WORLD else self.links[joint.parent]
        settings.child_node = self.links[joint.child]
        settings.extras = format_extras(joint.extras)
        self.notes += store_joint(joint, obj, self.scene)
        store_frames(obj, scaled_pose(joint.X_PJ, 1.0 / self.unit), scaled_pose(joint.X_CJ, 1.0 / self.unit))

    def _write_frame(self, frame: Frame) -> None:
        obj = self._new_object(frame.name)
        obj.empty_display_type = "ARROWS"
        obj.empty_display_size = self.size / 2.0
        self._attach(obj, frame.link, frame.pose)
        store_original_name(obj, frame.name)
        link_settings(obj).is_frame = True

    def _write_light(self, light: Light) -> None:
        data, pose = new_light(light, self.unit)
        obj = self._new_object(light.name, data)
        self._attach(obj, light.link, pose)
        store_original_name(obj, light.name)

    def _attach(self, obj: bpy.types.Object, link: str, pose: Pose) -> None:
        """Parent the object to a link, or place it in the world."""
        obj.parent = None if link == WORLD else self.links[link]
        set_transform(obj, scaled_pose(pose, 1.0 / self.unit))

    def _write_mimic(self, joint: Joint) -> None:
        if joint.mimic is None:
            return
        settings = joint_settings(self.joints[joint.name])
        settings.use_mimic = True
        settings.mimic.leader_node = self.joints[joint.mimic.leader]
        changes = write_fields(MIMIC_FIELDS, settings.mimic, joint.mimic, self.units)
        self.notes += [f"joint '{joint.name}': {change}" for change in changes]

    def _report_names(self) -> None:
        for name, obj in (*self.links.items(), *self.joints.items()):
            if obj.name != name:
                self.notes.append(f"'{name}' is named '{obj.name}' here, because its name was taken or too long")
