"""A `Model`, written into a scene as links, joints and shapes."""

import bpy
import numpy as np
from mathutils import Quaternion

from ...core.geometry import Mesh, Plane, Shape
from ...core.joints import Unit
from ...core.model import WORLD, Joint, Link, Model
from ...core.spatial import Pose, compose, quat_of_mat, z_to
from .. import ids
from ..props import fit_to_type, is_link
from .fields import INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS, fields_on, write_fields
from .frames import store_frames
from .numbers import format_pose, scaled_pose, units_of
from .primitives import new_mesh
from .read import depsgraph_of, gravity_of


def write_scene(model: Model, scene: bpy.types.Scene) -> tuple[dict[str, bpy.types.Object], list[str]]:
    """Add the model to the scene, in a collection of its own.

    Returns the object of each link and joint by the model's name for it (a link's where a joint has the same name;
    Blender may have had to change names), and what could not be shown as the model has it.
    """
    writer = _Writer(model, scene)
    writer.write()
    return writer.joints | writer.links, writer.notes


def store_joint(joint: Joint, obj: bpy.types.Object, scene: bpy.types.Scene, first: int | None = None) -> list[str]:
    """Store how the joint moves: its type, axes, pitch and start; links, frames and leader stay as they are.

    first: the frame at which the simulation's time is 0; the scene's own first where it is None.

    Returns what Blender's properties could not take.
    """
    units = units_of(scene, first)
    settings = getattr(obj, ids.JOINT)
    if settings.type != joint.type:
        settings.type = joint.type
    if joint.kind.is_open:
        settings.open_axes = len(joint.axes)
    fit_to_type(settings)
    changes = write_fields(JOINT_FIELDS, settings, joint, units)
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        fields = fields_on(joint.kind.slot(number))
        changes += write_fields(fields, settings.axes[number], axis, units, coordinate=joint.axis_unit(number))
    bare = Joint(joint.name, joint.type, joint.parent, joint.child, axes=list(joint.axes))
    settings.use_home = tuple(joint.home) != tuple(bare.home)
    for coordinate, value, (_, what) in zip(settings.coordinates, joint.home, joint.home_units, strict=True):
        coordinate.home = value / (units.length if what is Unit.LENGTH else 1.0)
    return [f"joint '{joint.name}': {change}" for change in changes]


class _Writer:
    def __init__(self, model: Model, scene: bpy.types.Scene):
        self.model = model
        self.scene = scene
        self.units = units_of(scene)
        self.unit = self.units.length
        self.links: dict[str, bpy.types.Object] = {}
        self.joints: dict[str, bpy.types.Object] = {}
        self.notes: list[str] = []
        self.materials: dict[tuple, bpy.types.Material] = {}
        self.size = 0.1 / self.unit

    def write(self) -> None:
        if not any(is_link(obj) for obj in self.scene.objects):
            self._set_up_scene()
        self._report_gravity()
        self.collection = bpy.data.collections.new(self.model.name)
        self.scene.collection.children.link(self.collection)
        for link in self.model.links:
            self._write_link(link)
        for joint in self.model.joints:
            self._write_joint(joint)
        for link in self.model.links:  # last, so that no shape takes the name of a link or joint
            self._write_shapes(link)
        for joint in self.model.joints:
            self._write_mimic(joint)
        for coupling in self.model.couplings:
            self.notes.append(f"coupling '{coupling.name}' is left out: a scene cannot keep couplings yet")
        self._report_names()
        depsgraph_of(self.scene).update()  # matrix_world of new objects is that of the origin until then

    def _set_up_scene(self) -> None:
        getattr(self.scene, ids.SCENE).model_name = self.model.name
        self.scene.use_gravity = any(self.model.gravity)
        if self.scene.use_gravity:
            self.scene.gravity = [part / self.unit for part in self.model.gravity]

    def _report_gravity(self) -> None:
        """The scene has one gravity, which is that of the links that came first."""
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
        _place(obj, pose)
        settings = getattr(obj, ids.LINK)
        settings.is_link = True
        settings.mass_source = "CUSTOM"
        settings.rest_pose = format_pose(pose)
        changes = write_fields((*INERTIAL_FIELDS, *LINK_FIELDS), settings, link, self.units)
        self.notes += [f"link '{link.name}': {change}" for change in changes]
        settings.mass_shown = settings.mass

    def _write_shapes(self, link: Link) -> None:
        for shape in link.visuals:
            self._write_shape(self.links[link.name], link, shape, "VISUAL")
        for shape in link.collisions:
            self._write_shape(self.links[link.name], link, shape, "COLLISION")

    def _write_shape(self, link_obj: bpy.types.Object, link: Link, shape: Shape, role: str) -> None:
        if shape.geometry is None:
            self.notes.append(f"link '{link.name}': '{shape.name}' has a kind of shape that is not known here")
            return
        mesh, kind = new_mesh(shape.name, shape.geometry, self.unit)
        obj = self._new_object(shape.name, mesh)
        obj.parent = link_obj
        _place(obj, scaled_pose(self._pose(shape), 1.0 / self.unit))
        if isinstance(shape.geometry, Mesh):
            obj.scale = shape.geometry.scale
        settings = getattr(obj, ids.LINK)
        settings.role = role
        settings.primitive = kind
        if mesh is None:
            settings.mesh_uri = shape.geometry.uri
            obj.empty_display_size = self.size
            self.notes.append(f"link '{link.name}': the mesh '{shape.geometry.uri}' was not read, so it is not shown")
        else:
            self._paint(obj, shape.color)
        if role == "COLLISION":
            obj.display_type = "WIRE"
            obj.hide_render = True

    def _pose(self, shape: Shape) -> Pose:
        """A plane's mesh lies in x and y, so its normal becomes part of the pose."""
        if isinstance(shape.geometry, Plane) and shape.geometry.normal != (0.0, 0.0, 1.0):
            return compose(shape.pose, (0.0, 0.0, 0.0, *quat_of_mat(z_to(shape.geometry.normal))))
        return shape.pose

    def _paint(self, obj: bpy.types.Object, color) -> None:
        if color is None:
            return
        obj.color = color
        if color not in self.materials:
            self.materials[color] = _new_material(self.model.name, color)
        obj.data.materials.append(self.materials[color])

    def _write_joint(self, joint: Joint) -> None:
        obj = self.joints[joint.name] = self._new_object(joint.name)
        obj.empty_display_type = "ARROWS"
        obj.show_in_front = True
        obj.empty_display_size = self.size
        settings = getattr(obj, ids.JOINT)
        settings.is_joint = True
        settings.parent = None if joint.parent == WORLD else self.links[joint.parent]
        settings.child = self.links[joint.child]
        self.notes += store_joint(joint, obj, self.scene)
        store_frames(obj, scaled_pose(joint.X_PJ, 1.0 / self.unit), scaled_pose(joint.X_CJ, 1.0 / self.unit))

    def _write_mimic(self, joint: Joint) -> None:
        if joint.mimic is None:
            return
        settings = getattr(self.joints[joint.name], ids.JOINT)
        settings.use_mimic = True
        settings.mimic.leader = self.joints[joint.mimic.leader]
        changes = write_fields(MIMIC_FIELDS, settings.mimic, joint.mimic, self.units)
        self.notes += [f"joint '{joint.name}': {change}" for change in changes]

    def _report_names(self) -> None:
        for name, obj in (*self.links.items(), *self.joints.items()):
            if obj.name != name:
                self.notes.append(f"'{name}' is named '{obj.name}' here, because its name was taken or too long")


def _place(obj: bpy.types.Object, pose: Pose) -> None:
    obj.rotation_mode = "QUATERNION"
    obj.location = pose[:3]
    obj.rotation_quaternion = Quaternion(pose[3:])


def _new_material(name: str, color) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.diffuse_color = color
    if material.node_tree is not None:
        for node in material.node_tree.nodes:
            if node.type == "BSDF_PRINCIPLED":
                node.inputs["Base Color"].default_value = (*color[:3], 1.0)
                node.inputs["Alpha"].default_value = color[3]
    return material
