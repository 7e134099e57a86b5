# SPDX-License-Identifier: GPL-3.0-or-later
"""What sample scenes are made with: shapes, links, joints, light and film.

All but `tie` goes through the add-on's own operators and properties, as in Blender's window, so that each scene is one
that a user could have made. Metres, radians, the world's axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
from mathutils import Matrix, Quaternion, Vector

from limberjack.addon import ids
from limberjack.addon.bridge.joints.frames import store_frames
from limberjack.addon.bridge.meshes.primitives import new_mesh
from limberjack.addon.bridge.posing.link_poses import drawn_pose
from limberjack.core.geometry import Box, Capsule, Cylinder, Geometry, Polyline, Sphere
from limberjack.core.spatial import IDENTITY, compose, inverse

SCENES = Path(__file__).parents[1]

Point = Sequence[float]

VIEW = "View"
"""Collection of the camera, which is no part of the machine."""

BACKGROUND = (0.72, 0.76, 0.79)

COLORS = {
    "paper": (0.86, 0.84, 0.78),
    "slate": (0.12, 0.15, 0.19),
    "steel": (0.52, 0.56, 0.60),
    "brass": (0.78, 0.55, 0.18),
    "red": (0.68, 0.09, 0.06),
    "teal": (0.05, 0.40, 0.42),
    "blue": (0.10, 0.28, 0.60),
    "glass": (0.45, 0.70, 0.85),
    "ochre": (0.85, 0.48, 0.10),
    "wood": (0.50, 0.29, 0.13),
    "green": (0.18, 0.42, 0.16),
    "lamp": (1.0, 0.86, 0.45),
    "black": (0.03, 0.03, 0.035),
}


def begin(name: str, last_frame: int, fps: int = 24, contact: bool = False) -> bpy.types.Scene:
    """The scene of an empty file, to be filled. contact: whether things touch in it."""
    scene = bpy.context.scene
    scene.name = name
    getattr(scene, ids.SCENE).contact = contact
    scene.frame_start, scene.frame_end, scene.render.fps = 1, last_frame, fps
    return scene


# Shapes


def box(name: str, size: Point, at: Point, color: str, **placed: Any) -> bpy.types.Object:
    return shape(name, Box(tuple(size)), at, color, **placed)


def ball(name: str, radius: float, at: Point, color: str, **placed: Any) -> bpy.types.Object:
    return shape(name, Sphere(radius), at, color, **placed)


def rod(name: str, radius: float, start: Point, end: Point, color: str, **placed: Any) -> bpy.types.Object:
    """A cylinder from one point to another, with its z along it."""
    along = Vector(end) - Vector(start)
    middle = (Vector(start) + Vector(end)) / 2.0
    return shape(name, Cylinder(radius, math.dist(start, end)), middle, color, along=along, **placed)


def bar(name: str, radius: float, start: Point, end: Point, color: str, **placed: Any) -> bpy.types.Object:
    """As `rod`, with round ends about the two points."""
    along = Vector(end) - Vector(start)
    middle = (Vector(start) + Vector(end)) / 2.0
    return shape(name, Capsule(radius, math.dist(start, end)), middle, color, along=along, **placed)


def plate(
    name: str, outlines: Sequence[Sequence[tuple[float, float]]], thickness: float, at: Point, color: str, **placed: Any
) -> bpy.types.Object:
    """Outlines in x and y, inner ones as holes, carried up along z from `at`."""
    return shape(name, Polyline(tuple(tuple(outline) for outline in outlines), thickness), at, color, **placed)


def strap(
    name: str, radius: float, start: Point, end: Point, thickness: float, facing: Point, color: str, **placed: Any
) -> bpy.types.Object:
    """A flat bar with round ends about two points, half its thickness on either side of them.

    facing: across the flat bar, and across the way from start to end.
    """
    normal = Vector(facing).normalized()
    turn = _turn_to(normal)
    along = turn.inverted() @ (Vector(end) - Vector(start))
    heading = math.atan2(along.y, along.x)
    outline = [
        (x + radius * math.cos(angle), y + radius * math.sin(angle))
        for (x, y), first in (((along.x, along.y), heading - math.pi / 2), ((0.0, 0.0), heading + math.pi / 2))
        for angle in (first + math.pi * i / 16 for i in range(17))
    ]
    return plate(name, [outline], thickness, Vector(start) - normal * thickness / 2, color, along=normal, **placed)


def shape(
    name: str,
    geometry: Geometry,
    at: Point,
    color: str,
    along: Point = (0.0, 0.0, 1.0),
    origin: Point | None = None,
    parent: bpy.types.Object | None = None,
    role: str = "AUTO",
    collection: str = "Machine",
) -> bpy.types.Object:
    """An object that is seen, and leaves, as the geometry.

    Args:
        at: where the geometry's own origin is. along: where its z points. origin: of the object, where that shall be
            another point. parent: what carries it, so that it is a part of that link. role: as in the panel, "VISUAL"
            for what only is seen.
    """
    mesh, primitive = new_mesh(name, geometry, 1.0)
    assert mesh is not None
    mesh.materials.append(paint(color, COLORS[color]))
    obj = bpy.data.objects.new(name, mesh)
    collection_of(collection).objects.link(obj)
    turn = _turn_to(along)
    if origin is not None:
        mesh.transform(Matrix.Translation(turn.inverted() @ (Vector(at) - Vector(origin))))
    obj.location = Vector(at if origin is None else origin)
    obj.rotation_mode, obj.rotation_quaternion = "QUATERNION", turn
    obj.color = (*COLORS[color], 1.0)
    settings = getattr(obj, ids.LINK)
    settings.primitive, settings.role = primitive, role
    bpy.context.view_layer.update()
    if parent is not None:
        obj.parent, obj.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    return obj


def _turn_to(direction: Point) -> Quaternion:
    """The shortest turn that brings z there."""
    return Vector((0.0, 0.0, 1.0)).rotation_difference(Vector(direction))


def paint(name: str, color: tuple[float, float, float]) -> bpy.types.Material:
    if found := bpy.data.materials.get(name):
        return found
    made = bpy.data.materials.new(name)
    made.diffuse_color = (*color, 1.0)
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = made.diffuse_color
    return made


def collection_of(name: str) -> bpy.types.Collection:
    """The one of this name, which may be new."""
    if found := bpy.data.collections.get(name):
        return found
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    return made


def gather(scene: bpy.types.Scene) -> bpy.types.Collection:
    """Put all collections but the camera's below one that is named after the scene, so that it can be appended whole.

    Collections that the view hides stay hidden.
    """
    layers = bpy.context.view_layer.layer_collection
    hidden = {layer.collection for layer in _below(layers) if layer.hide_viewport}
    machine = bpy.data.collections.new(scene.name)
    view = bpy.data.collections[VIEW]
    for collection in [*scene.collection.children]:
        scene.collection.children.unlink(collection)
        if collection != view:
            machine.children.link(collection)
    scene.collection.children.link(machine)
    scene.collection.children.link(view)
    for layer in _below(bpy.context.view_layer.layer_collection):
        layer.hide_viewport = layer.collection in hidden
    return machine


def _below(layer: bpy.types.LayerCollection) -> list[bpy.types.LayerCollection]:
    """Return the layer collection, and all below it."""
    return [layer, *(found for child in layer.children for found in _below(child))]


def _move(obj: bpy.types.Object, collection: str) -> None:
    for former in obj.users_collection:
        former.objects.unlink(obj)
    collection_of(collection).objects.link(obj)


# What only is seen: no link, and not in the SDF


def rope(name: str, radius: float, start: bpy.types.Object | Point, end: bpy.types.Object, color: str) -> None:
    """It reaches from an object's origin, or a place, to another object's origin, wherever these go."""
    coil(name, 0.0, radius, 0, start, end, color)


def coil(
    name: str,
    radius: float,
    wire: float,
    turns: int,
    start: bpy.types.Object | Point,
    end: bpy.types.Object,
    color: str,
) -> None:
    """A spring that reaches as a rope does. radius: of its middle line. wire: radius of the wire."""
    is_carried = isinstance(start, bpy.types.Object)
    foot = start.matrix_world.translation if is_carried else Vector(start)
    length = (end.matrix_world.translation - foot).length
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(*_wound(radius, wire, turns, length))
    mesh.shade_smooth()
    mesh.materials.append(paint(color, COLORS[color]))
    obj = bpy.data.objects.new(name, mesh)
    collection_of("Stand").objects.link(obj)
    obj.location, obj.color = foot, (*COLORS[color], 1.0)
    if is_carried:
        obj.constraints.new("COPY_LOCATION").target = start
    pull = obj.constraints.new("STRETCH_TO")
    pull.target, pull.rest_length, pull.volume = end, length, "NO_VOLUME"


def _wound(radius: float, wire: float, turns: int, length: float, around: int = 8) -> tuple[list, list, list]:
    """Vertices, edges and faces of a wire along y, from 0 to `length`."""
    steps = max(12 * turns, 1)
    vertices, faces = [], []
    for i in range(steps + 1):
        angle = math.tau * turns * i / steps
        outward = Vector((math.cos(angle), 0.0, math.sin(angle)))
        sideways = radius * math.tau * turns * Vector((-math.sin(angle), 0.0, math.cos(angle)))
        across = (sideways + Vector((0.0, length, 0.0))).normalized().cross(outward)
        middle = radius * outward + Vector((0.0, length * i / steps, 0.0))
        for k in range(around):
            turn = math.tau * k / around
            vertices.append(middle + wire * (math.cos(turn) * outward + math.sin(turn) * across))
    for i in range(0, steps * around, around):
        faces += [(i + k, i + (k + 1) % around, i + around + (k + 1) % around, i + around + k) for k in range(around)]
    faces += [tuple(reversed(range(around))), tuple(range(steps * around, (steps + 1) * around))]
    return vertices, [], faces


# Links and joints


def link(*objects: bpy.types.Object, material: str = "steel", motion: str = "FREE") -> None:
    """Tag objects as links. material: as in the panel; each part of a link weighs as this one."""
    for obj in objects:
        getattr(obj, ids.LINK).material = material
    _select(*objects)
    bpy.ops.limberjack.link_tag()
    for obj in objects:
        getattr(obj, ids.LINK).motion = motion


def collide(*objects: bpy.types.Object, material: str = "wood") -> None:
    """Make colliders of objects that are no links: floors, walls, stairs. material: what they touch like."""
    _select(*objects)
    bpy.ops.limberjack.collider_add()
    touch(material, *objects)


def touch(material: str, *objects: bpy.types.Object) -> None:
    """Let links, or shapes of links, touch as things of a material do, whatever they weigh."""
    _select(*objects)
    bpy.ops.limberjack.surface_preset(material=material)


def slip(friction: float, restitution: float, *objects: bpy.types.Object) -> None:
    """Let links, or shapes of links, touch so."""
    for obj in objects:
        surface = getattr(obj, ids.LINK).surface
        surface.source, surface.friction, surface.restitution = "CUSTOM", friction, restitution


def hide_fitted() -> None:
    """Put the collision shapes that were fitted to links out of sight, as an import does."""
    for obj in bpy.context.scene.objects:
        if getattr(obj, ids.LINK).is_fitted:
            _move(obj, "Collisions")
    bpy.context.view_layer.layer_collection.children["Collisions"].hide_viewport = True


def weigh(obj: bpy.types.Object, mass: float) -> None:
    """Let a link weigh so much, spread over its shapes."""
    settings = getattr(obj, ids.LINK)
    settings.mass_source, settings.mass = "MASS", mass


def join(
    name: str,
    kind: str,
    parent: bpy.types.Object | None,
    child: bpy.types.Object,
    at: Point,
    axes: Sequence[Point] = (),
    size: float = 0.05,
) -> Any:
    """A new joint, whose Empty stands along the world's axes. Returns its settings.

    Args:
        kind: as in docs/joints.md. parent: None for the world. size: of its Empty.
        axes: directions of its axes, where the type leaves them open.
    """
    bpy.context.scene.cursor.location = at
    _select(*([parent, child] if parent else [child]))
    bpy.ops.limberjack.joint_add(type=kind, origin="CURSOR")
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    obj = bpy.context.object
    obj.name, obj.empty_display_size = name, size
    _move(obj, "Joints")
    settings = getattr(obj, ids.JOINT)
    for axis, direction in zip(settings.axes, axes, strict=False):
        axis.xyz = direction
    return settings


def tie(name: str, parent: bpy.types.Object, child: bpy.types.Object, start: Point, end: Point) -> Any:
    """A new distance joint from a point of the parent to one of the child, where they stand now. Returns its axis.

    The panel's Add Joint puts both ends in one place; they are set apart here as a file's import does it.
    """
    settings = join(name, "distance", parent, child, end, size=0.02)
    settings.closes_loop = True
    X_PJ = compose(inverse(drawn_pose(parent)), (*start, *IDENTITY[3:]))
    X_CJ = compose(inverse(drawn_pose(child)), (*end, *IDENTITY[3:]))
    store_frames(settings.id_data, X_PJ, X_CJ)
    return settings.axes[0]


def limit(axis: Any, lower: float, upper: float) -> None:
    """Rigid stops that throw nothing back."""
    axis.use_lower, axis.use_upper, axis.use_stiffness = True, True, False
    axis.lower, axis.upper = lower, upper


def spring(axis: Any, stiffness: float, damping: float, rest: float = 0.0) -> None:
    axis.spring_stiffness, axis.damping, axis.spring_reference = stiffness, damping, rest


def drive(axis: Any, mode: str, target: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
    """mode: "position", "velocity" or "force"."""
    axis.drive_mode, axis.drive_target = mode, target
    axis.drive_stiffness, axis.drive_damping = stiffness, damping


def key(owner: Any, field: str, values: dict[int, float]) -> None:
    """Keyframes of a property, by frame; smooth between them."""
    for frame, value in values.items():
        setattr(owner, field, value)
        owner.keyframe_insert(field, frame=frame)


def start(joint: Any, *values: float) -> None:
    """Where a simulation starts: the joint's coordinates."""
    joint.use_home = True
    for coordinate, value in zip(joint.coordinates, values, strict=True):
        coordinate.home = value


def follow(joint: Any, leader: Any, multiplier: float, offset: float = 0.0) -> None:
    """Let the joint turn or slide as another one does, times a number."""
    joint.use_mimic = True
    joint.mimic.leader = leader.id_data
    joint.mimic.multiplier, joint.mimic.offset = multiplier, offset


def _select(*objects: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1] if objects else None


# Light and film


def film(eye: Point, target: Point, lens: float = 50.0, width: int = 1200, height: int = 900) -> None:
    """Camera, Workbench, and the links where their joints start. The last thing to be done to a scene."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens, camera.location = lens, eye
    camera.data.display_size = 0.05 * (Vector(eye) - Vector(target)).length  # at 1 m it hides what it films
    camera.rotation_euler = (Vector(eye) - Vector(target)).to_track_quat("Z", "Y").to_euler()
    collection_of(VIEW).objects.link(camera)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = BACKGROUND
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.view_settings.view_transform = "Standard"
    views = [space for screen in bpy.data.screens for area in screen.areas for space in area.spaces]
    views = [space for space in views if space.type == "VIEW_3D" and space.shading.type == "SOLID"]
    for view in views:
        view.region_3d.view_perspective = "CAMERA"
    for shading in (scene.display.shading, *(view.shading for view in views)):
        shading.light, shading.color_type, shading.show_cavity, shading.show_shadows = "STUDIO", "MATERIAL", True, True
        shading.studio_light, shading.cavity_type, shading.shadow_intensity = "paint.sl", "BOTH", 0.3
    if any(getattr(obj, ids.JOINT).is_joint for obj in scene.objects):
        bpy.ops.limberjack.pose_reset()
    scene.frame_set(scene.frame_start)
    _select()


# Models from files


def bring_in(path: Path) -> None:
    """Import a model into this workshop's collections, with each shape named after its link too."""
    bpy.ops.limberjack.import_model(filepath=str(path))
    imported = bpy.context.scene.collection.children[0]
    for obj in imported.all_objects:
        if obj.type == "MESH":
            settings = getattr(obj, ids.LINK)
            purpose = " collision" if settings.role == "COLLISION" else ""
            obj.name = obj.data.name = f"{obj.parent.name} {settings.name_in_file or obj.name}{purpose}"
    for obj in imported.objects[:]:
        if getattr(obj, ids.JOINT).is_joint:
            _move(obj, "Joints")
    imported.name = "Machine"
    for collisions in imported.children:
        collisions.name = "Collisions"
    for material in bpy.data.materials:
        material.name = min(COLORS, key=lambda name: math.dist(COLORS[name], material.diffuse_color[:3]))
