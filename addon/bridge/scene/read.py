# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a scene as a `Model`. The model does not depend on the present frame, or on whether the scene is baked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial

import bpy

from ....core.geometry import Shape
from ....core.model import WORLD, Joint, Link, Model, ModelError
from ....core.model.naming import STATIC, claim
from ....core.spatial import IDENTITY, compose, inverse, scale
from ...nodes import Node, joins_itself, model_name, parent_of
from ...props import is_joint, is_link
from ...props.settings import link_settings, scene_settings
from ..animation.animated import Input, animated_inputs, is_followed, notes_on, notes_on_export
from ..animation.motion_sources import has_animated_scale, may_move_if_kinematic
from ..joints.read_joints import joint_of
from ..links.contact_settings import add_ground, read_collision_filter, read_pairs
from ..links.mass import MassProperties, is_weighed, weigh
from ..links.parts import EvaluatedScene, evaluated_scene_of
from ..links.shapes import MeshFormat, ShapeReader
from ..model_objects import all_evaluated, nodes_present
from ..posing.link_poses import drawn_pose, keeping_scales
from ..skins.recorded_skins import meshes_by_armature
from ..skins.split_meshes import split_among
from ..unbakeable_links import instanced_links
from ..values.choices import require_known_shape
from ..values.fields import INERTIAL_FIELDS, LINK_FIELDS, read_fields
from ..values.file_extras import parse_extras
from ..values.numbers import Units, scaled_pose, shortest_all, unit_length, units_of
from .surroundings import add_frames, add_lights, add_static_objects

Collide = Callable[[ShapeReader, Node], list[Shape]]
"""A function that returns the collision shapes of a link."""

ShapesOf = Callable[[Node], tuple[list[Shape], list[Shape]]]

KINEMATIC = "_kinematic"
"""Suffix of the name of the joint that fixes a kinematic link to the world, as `STATIC` is for static links."""


@dataclass
class SceneReading:
    """A model, and its relation to the scene.

    Attributes:
        objects: the object or bone of each link, by the link's name.
        weights: mass properties of each link whose mass comes from its meshes.
        kinematic_joints: name of the fixed joint that represents the animation of a kinematic link, by link name.
        animated: other animated settings that simulations follow.
        instanced: a sentence for each collection instance whose links are not simulated.
        other_notes: messages about parts of the scene that were left out or changed, and about animation that is not
            followed.
        notes: all messages for the user, including assumptions about masses.
    """

    model: Model
    objects: Mapping[str, Node]
    weights: dict[str, MassProperties] = field(default_factory=dict)
    kinematic_joints: dict[str, str] = field(default_factory=dict)
    animated: tuple[Input, ...] = ()
    instanced: list[str] = field(default_factory=list)
    other_notes: list[str] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        weighed = [f"link '{name}': {note}" for name, weight in self.weights.items() for note in weight.notes]
        return list(dict.fromkeys(weighed + self.other_notes))


@dataclass(frozen=True)
class Fault:
    """An object that cannot be read.

    Attributes:
        name: of the object.
        message: why it cannot be read.
        code: kind of the fault, a short slug.
    """

    name: str
    message: str
    code: str


def read_scene(scene: bpy.types.Scene, depsgraph=None, with_shapes: bool = False) -> Model:
    """Return the model of the scene's links and joints. Parents come before children, and siblings are sorted by name.

    Args:
        with_shapes: whether the model has visuals and collisions.

    Raises:
        ModelError: if a joint or link cannot be used; the message names the object and says what to do.
    """
    return scan_scene(scene, depsgraph, with_shapes).model


def scan_scene(
    scene: bpy.types.Scene,
    depsgraph=None,
    with_shapes: bool = False,
    first: int | None = None,
    *,
    with_surroundings: bool = False,
    mesh_format: MeshFormat = "OBJ",
    split_meshes: bool = False,
    with_skins: bool = False,
    weigh: Callable[[Node, EvaluatedScene], MassProperties] = weigh,
    collide: Collide = ShapeReader.collisions_of,
    faults: list[Fault] | None = None,
) -> SceneReading:
    """Return the model of `read_scene` together with its objects and with notes.

    Args:
        first: the frame from which times are counted, where a simulation starts; None for the scene's own.
        with_surroundings: whether to add lights, and visible objects that belong to no link as links fixed to the
            world.
        mesh_format: "GLTF" to have each mesh as a glTF file, too.
        split_meshes: whether meshes that armatures deform are visuals of bones, each face of one of them.
        with_skins: whether these meshes are drawn as skins instead, so that the shapes of their bones are no visuals.
        weigh, collide: functions that return the mass properties and the collision shapes of a link.
        faults: receives the objects that cannot be read, which are left out of the model. Objects that are disabled in
            viewports then stay disabled, and have no modifiers. If it is None, the first such object raises an error.

    Raises:
        ModelError: as in `read_scene`.
    """
    with all_evaluated(scene) if faults is None else nullcontext(), keeping_scales():
        return _scan(
            scene,
            depsgraph,
            with_shapes,
            first,
            with_surroundings,
            mesh_format,
            split_meshes,
            with_skins,
            weigh,
            collide,
            faults,
        )


def _scan(
    scene: bpy.types.Scene,
    depsgraph,
    with_shapes: bool,
    first: int | None,
    with_surroundings: bool,
    mesh_format: MeshFormat,
    split_meshes: bool,
    with_skins: bool,
    weigh: Callable[[Node, EvaluatedScene], MassProperties],
    collide: Collide,
    faults: list[Fault] | None,
) -> SceneReading:
    evaluated_scene = evaluated_scene_of(scene, depsgraph or depsgraph_of(scene))
    units = units_of(scene, first)
    in_order = nodes_present(scene)
    tagged = [node for node in in_order if is_link(node) or is_joint(node)]
    named = _read_each(tagged, partial(_require_unique_name, taken=set()), faults)
    links, joints = list(filter(is_link, named)), list(filter(is_joint, named))
    settings = scene_settings(scene)
    model = Model(name=settings.model_name or scene.name, gravity=gravity_of(scene), wind=wind_of(scene))
    model.extras = parse_extras(settings.extras, f"scene '{scene.name}'")
    reading = SceneReading(model, {model_name(obj): obj for obj in links})
    shapes = ShapeReader(evaluated_scene, units, mesh_format)
    if with_skins:
        shapes.skinned = meshes_by_armature(links, scene)
    if split_meshes and not with_skins:
        shapes.pieces, notes = split_among(links, evaluated_scene)
        shapes.notes += notes
    shapes_of = _shapes_of(shapes, collide, with_shapes, settings.contact)
    read_link = partial(
        _link,
        evaluated_scene=evaluated_scene,
        units=units,
        shapes_of=shapes_of,
        reading=reading,
        weigh=weigh,
        resized={},
    )
    model.links = _read_each(links, read_link, faults)
    known = {link.name for link in model.links} | {WORLD}
    found = _read_each(joints, partial(joint_of, units=units, objects=set(in_order)), faults)
    model.joints = [joint for joint in found if {joint.parent, joint.child} <= known]
    animated = animated_inputs(scene)
    reading.animated = tuple(filter(is_followed, animated))
    reading.other_notes += notes_on_export(animated) if with_shapes else notes_on(animated)
    _fix_links_to_world(reading)
    _set_poses_and_order(model)
    model.contact_pairs = read_pairs(scene, known) if with_shapes or settings.contact else []
    if with_shapes or settings.contact:
        add_ground(reading, scene)
    reading.instanced = [sentence for _, sentence in instanced_links(scene)]
    reading.other_notes += reading.instanced
    add_frames(model, scene, evaluated_scene)
    if with_surroundings:
        reading.other_notes += add_static_objects(model, scene, shapes)
        reading.other_notes += add_lights(model, scene, evaluated_scene)
    if with_shapes or with_surroundings:
        reading.other_notes += shapes.notes + shapes.materials.notes
        reading.other_notes += [
            f"link '{name}' moves as it is animated, which files cannot express: there it is fixed to the world"
            for name in reading.kinematic_joints
        ]
    return reading


def _shapes_of(shapes: ShapeReader, collide: Collide, with_shapes: bool, has_contact: bool) -> ShapesOf:
    if with_shapes:
        return shapes.of_link
    return lambda link: ([], collide(shapes, link) if has_contact else [])


def _read_each(objects: Sequence[Node], read: Callable, faults: list[Fault] | None) -> list:
    found = []
    for obj in objects:
        try:
            found.append(read(obj))
        except ModelError as error:
            if faults is None:
                raise
            faults.append(Fault(model_name(obj), str(error), getattr(error, "code", "unreadable")))
    return found


def _fix_links_to_world(reading: SceneReading) -> None:
    """Fix static and kinematic links to the world where they were drawn, unless a joint of the scene does so.

    These joints come first, so that they determine the poses of their links, and other joints to these links close
    loops.
    """
    model, holders = reading.model, []
    taken = {item.name for item in (*model.links, *model.joints)}
    for link in model.links:
        obj = reading.objects[link.name]
        motion = link_settings(obj).motion
        if motion == "FREE":
            continue
        follows_animation = motion == "KINEMATIC" and may_move_if_kinematic(obj)
        holder = _holder_of(model, link.name)
        if holder is None:
            name = claim(f"{link.name}{KINEMATIC if follows_animation else STATIC}", taken)
            holder = Joint(name, "fixed", WORLD, link.name, X_PJ=link.pose)
            holders.append(holder)
        if follows_animation:
            reading.kinematic_joints[link.name] = holder.name
    model.joints = holders + model.joints


def _holder_of(model: Model, link: str) -> Joint | None:
    """Return the joint that fixes a link to the world permanently; None if there is none."""
    for joint in model.joints:
        is_held = {joint.parent, joint.child} == {WORLD, link} and joint.type == "fixed"
        if is_held and joint.is_permanent:
            return joint
    return None


def set_link_poses(model: Model, objects: Mapping[str, Node], unit: float) -> None:
    """Set the poses of links as `scan_scene` does, after the set of enabled joints has changed.

    Args:
        unit: length of a Blender unit [m].
    """
    for link in (link for link in model.links if link.name in objects):
        link.pose = scaled_pose(drawn_pose(objects[link.name]), unit)
    _set_poses_and_order(model)


def _set_poses_and_order(model: Model) -> None:
    """Set the poses of links from the frames of their joints, and sort parents before children.

    Animated poses are not used. At q = 0 the two frames of a joint of any type coincide. Joints that close loops in
    core's spanning tree, and joints that are not enabled, determine no pose.
    """
    tree = model.acting_at(-math.inf).tree()
    drawn = {link.name: link.pose for link in model.links}
    poses = {WORLD: IDENTITY} | {name: drawn[name] for name in tree.roots}
    rank = {name: (i, 0) for i, name in enumerate(poses)}
    for branch in tree.branches:
        joint = branch.joint
        inner, outer = (joint.X_CJ, joint.X_PJ) if branch.backward else (joint.X_PJ, joint.X_CJ)
        poses[branch.outer] = compose(compose(poses[branch.inner], inner), inverse(outer))
        root, depth = rank[branch.inner]
        rank[branch.outer] = (root, depth + 1)
    for link in model.links:
        link.pose = poses[link.name]
    order = {name: i for i, name in enumerate(sorted(poses, key=rank.__getitem__))}
    model.links.sort(key=lambda link: order[link.name])
    model.joints.sort(key=lambda joint: max(order[joint.parent], order[joint.child]))


def depsgraph_of(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    """Return the evaluated dependency graph of a scene, which need not be the scene in the window."""
    if bpy.context.scene == scene:
        return bpy.context.evaluated_depsgraph_get()
    layer = scene.view_layers[0]
    layer.update()
    assert layer.depsgraph is not None  # it is None before the first update only
    return layer.depsgraph


def gravity_of(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """Return the scene's gravity [m/s^2]. Blender stores it in the scene's units."""
    return scale(shortest_all(scene.gravity), unit_length(scene)) if scene.use_gravity else (0.0, 0.0, 0.0)


def wind_of(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """Return the scene's wind [m/s]."""
    return scale(shortest_all(scene_settings(scene).wind), unit_length(scene))


def _require_unique_name(obj: Node, taken: set[str]) -> Node:
    name = model_name(obj)
    if name == WORLD:
        raise ModelError(f"object '{WORLD}' has the name of the world itself: give it another name")
    if is_link(obj) and is_joint(obj) and not joins_itself(obj):
        raise ModelError(f"object '{name}' is a link and a joint at once: untag the link, or delete the joint")
    if name in taken:
        raise ModelError(f"two objects have the name '{name}', one of them from a library: rename the other one")
    taken.add(name)
    return obj


def _link(
    obj: Node,
    evaluated_scene: EvaluatedScene,
    units: Units,
    shapes_of: ShapesOf,
    reading: SceneReading,
    weigh: Callable[[Node, EvaluatedScene], MassProperties],
    resized: dict[Node, bool],
) -> Link:
    _require_constant_size(obj, resized)
    require_known_shape(obj)
    settings = link_settings(obj)
    if is_weighed(obj):
        weight = reading.weights[model_name(obj)] = weigh(obj, evaluated_scene)
        inertial = {"mass": weight.mass, "com": weight.com, "inertia": weight.inertia}
    else:
        inertial = read_fields(INERTIAL_FIELDS, settings, units)
    visuals, collisions = shapes_of(obj)
    pose = scaled_pose(drawn_pose(obj), units.length)
    others = read_fields(LINK_FIELDS, settings, units)
    extras = parse_extras(settings.extras, f"link '{model_name(obj)}'")
    others |= read_collision_filter(obj, units)
    return Link(model_name(obj), pose=pose, visuals=visuals, collisions=collisions, extras=extras, **inertial, **others)


def _require_constant_size(link: Node, resized: dict[Node, bool]) -> None:
    """Raise `ModelError` if animation changes the scale of the link or of an object that carries it.

    Args:
        resized: whether the scale of a node is animated, of those that were looked at; all others are added. The bones
            of a character share those above them, and the F-curves of all of them are in one action.
    """
    obj = link
    while obj is not None:
        if obj not in resized:
            resized[obj] = has_animated_scale(obj)
        if resized[obj]:
            carrier = "" if obj == link else f", and it carries link '{model_name(link)}'"
            what = "link" if obj == link else "object"
            raise ModelError(
                f"{what} '{model_name(obj)}' changes its size in its animation{carrier}: a rigid body cannot; delete "
                "the keys or drivers of its scale"
            )
        obj = parent_of(obj)
