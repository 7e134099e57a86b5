"""Makes ragdoll.blend beside this file: a jointed wooden puppet, 1.2 m tall, that hangs on a trapeze by its left hand.

Run it where `limberjack` and the bpy wheel are installed: `python sample_scenes/make_ragdoll.py`. `limberjack convert
ragdoll.blend ragdoll.sdf` then gives the SDF. Everything is made by the add-on's own operators and properties, as in
Blender's window.

The puppet is drawn as it hangs straight, facing -y, with its left hand up; there all joints are at 0, and position
drives with a target of 0 bring it back there. It starts in a leap, from the joints' Starts. All is turned wood, the
cords apart: shapes that a lathe makes, which leave as ellipsoids. Sizes, limits, damping and colours are in puppet.py.

Stops are rigid and do not throw back, as wood on wood: at stiff ones that give way, limbs would rattle.
"""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
from mathutils import Quaternion, Vector
from puppet import BALLS, COLORS, HINGES, LINKS, STAND, TRIMMINGS, Ball, Hinge, Turned

import limberjack
from limberjack.addon import ids

SEGMENTS = 24  # a multiple of four, so that the bounds are the true size
RINGS = 12
DENSITY = "wood"
LAST_FRAME = 120


def build(scene: bpy.types.Scene) -> None:
    """Put puppet, trapeze and stand into an empty scene."""
    scene.name = "Ragdoll"
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    puppet, joints, stand, view = (_collection(scene, name) for name in ("Puppet", "Joints", "Stand", "View"))
    links = {name: _turn(name, shape, puppet) for name, shape in LINKS.items()}
    for name, (owner, shape) in TRIMMINGS.items():
        _carry(_turn(name, shape, puppet), links[owner])
    for name, shape in STAND.items():
        _turn(name, shape, stand)
    bpy.context.view_layer.update()
    _tag(links)
    for name, hinge in HINGES.items():
        _set_hinge(_join(name, hinge, links, joints), hinge)
    for name, ball in BALLS.items():
        _set_ball(_join(name, ball, links, joints), ball)
    bpy.ops.limberjack.pose_reset()
    _light_and_film(scene, view)
    _select()


def _collection(scene: bpy.types.Scene, name: str) -> bpy.types.Collection:
    made = bpy.data.collections.new(name)
    scene.collection.children.link(made)
    return made


def _turn(name: str, shape: Turned, collection: bpy.types.Collection) -> bpy.types.Object:
    """The shape as an object whose z runs along it, with its origin where the shape says."""
    start, end, origin = Vector(shape.start), Vector(shape.end), Vector(shape.origin or shape.start)
    along = (end - start).to_track_quat("Z", "Y")
    mesh = bpy.data.meshes.new(name)
    to_start = along.inverted() @ (start - origin)
    points = _lathe(shape, (end - start).length) + np.array(to_start)
    mesh.from_pydata(points.tolist(), [], _faces())
    mesh.shade_smooth()
    mesh.materials.append(_material(shape.color))
    obj = bpy.data.objects.new(name, mesh)
    collection.objects.link(obj)
    obj.location, obj.rotation_mode, obj.rotation_quaternion = origin, "QUATERNION", along
    obj.color = (*COLORS[shape.color], 1.0)
    getattr(obj, ids.LINK).primitive = "ELLIPSOID"
    return obj


def _lathe(shape: Turned, length: float) -> np.ndarray:
    """Points from z = 0 to `length`: rings, then the two poles, shape (RINGS * SEGMENTS + 2, 3).

    A ring at the angle t from the first pole has the radius sin(t)^bluntness (1 + taper cos(t)): an ellipsoid's for 1
    and 0, that of a rod with flat ends near 0.
    """
    t = math.pi * (np.arange(RINGS) + 0.5) / RINGS
    radius = np.sin(t) ** shape.bluntness * (1.0 + shape.taper * np.cos(t))
    around = math.tau * np.arange(SEGMENTS) / SEGMENTS
    circle = np.column_stack([shape.width * np.cos(around), shape.depth * np.sin(around)])
    rings = np.empty((RINGS, SEGMENTS, 3))
    rings[..., :2] = (radius / radius.max())[:, None, None] * circle
    rings[..., 2] = (0.5 * length * (1.0 - np.cos(t)))[:, None]
    return np.vstack([rings.reshape(-1, 3), (0.0, 0.0, 0.0), (0.0, 0.0, length)])


def _faces() -> list[tuple[int, ...]]:
    faces = []
    for i in range(SEGMENTS):
        j = (i + 1) % SEGMENTS
        for ring in range(0, (RINGS - 1) * SEGMENTS, SEGMENTS):
            faces.append((ring + i, ring + j, ring + SEGMENTS + j, ring + SEGMENTS + i))
        top, first, last = (RINGS - 1) * SEGMENTS, RINGS * SEGMENTS, RINGS * SEGMENTS + 1
        faces += [(first, j, i), (last, top + i, top + j)]
    return faces


def _material(color: str) -> bpy.types.Material:
    found = bpy.data.materials.get(color)
    if found:
        return found
    made = bpy.data.materials.new(color)
    made.diffuse_color = (*COLORS[color], 1.0)
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = made.diffuse_color
    return made


def _carry(obj: bpy.types.Object, owner: bpy.types.Object) -> None:
    """Let the owner carry the object where it stands."""
    bpy.context.view_layer.update()
    obj.parent = owner
    obj.matrix_parent_inverse = owner.matrix_world.inverted()


def _select(*objects: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1] if objects else None


def _tag(links: dict[str, bpy.types.Object]) -> None:
    for obj in links.values():
        getattr(obj, ids.LINK).material = DENSITY
    _select(*links.values())
    bpy.ops.limberjack.link_tag()
    getattr(links["handle"], ids.LINK).motion = "KINEMATIC"


def _join(
    name: str, joint: Hinge | Ball, links: dict[str, bpy.types.Object], collection: bpy.types.Collection
) -> bpy.types.Object:
    """A new joint with its axes along the world's."""
    bpy.context.scene.cursor.location = joint.place
    _select(links[joint.parent], links[joint.child])
    bpy.ops.limberjack.joint_add(type=joint.type, origin="CURSOR")
    obj = bpy.context.object
    obj.name, obj.empty_display_size = name, 0.04
    for former in obj.users_collection:
        former.objects.unlink(obj)
    collection.objects.link(obj)
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    return obj


def _set_hinge(obj: bpy.types.Object, hinge: Hinge) -> None:
    settings = getattr(obj, ids.JOINT)
    axis = settings.axes[0]
    axis.xyz, axis.damping, axis.use_stiffness = hinge.axis, hinge.damping, False
    axis.use_lower, axis.use_upper = True, True
    axis.lower, axis.upper = (math.radians(limit) for limit in hinge.limits)
    settings.use_home = True
    settings.coordinates[0].home = math.radians(hinge.start)


def _set_ball(obj: bpy.types.Object, ball: Ball) -> None:
    settings = getattr(obj, ids.JOINT)
    *turns, cone, twist = settings.axes
    for axis in turns:
        axis.damping = ball.damping
    cone.use_stiffness = twist.use_stiffness = False
    cone.xyz, cone.use_upper, cone.upper = ball.axis, True, math.radians(ball.cone)
    twist.use_lower, twist.use_upper = True, True
    twist.lower, twist.upper = -math.radians(ball.twist), math.radians(ball.twist)
    settings.use_home = True
    turn = Vector(ball.start)
    start = Quaternion(turn, math.radians(turn.length)) if turn.length else Quaternion()
    for coordinate, value in zip(settings.coordinates, start, strict=True):
        coordinate.home = value


def _light_and_film(scene: bpy.types.Scene, collection: bpy.types.Collection) -> None:
    camera = bpy.data.cameras.new("Camera")
    camera.lens = 60.0
    holder = bpy.data.objects.new("Camera", camera)
    holder.location = (1.45, -3.9, 1.45)
    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 3.0, 0.1
    lamp = bpy.data.objects.new("Sun", sun)
    lamp.location = (-1.5, -2.5, 3.5)
    for obj, target in ((holder, (0.06, 0.1, 1.0)), (lamp, (0.0, 0.0, 1.0))):
        collection.objects.link(obj)
        obj.rotation_euler = (obj.location - Vector(target)).to_track_quat("Z", "Y").to_euler()
    scene.camera = holder
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = 900, 1200
    shading = scene.display.shading
    shading.light, shading.color_type, shading.show_cavity, shading.show_shadows = "STUDIO", "MATERIAL", True, True
    scene.view_settings.view_transform = "Standard"


if __name__ == "__main__":
    limberjack.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    build(bpy.context.scene)
    path = Path(__file__).with_name("ragdoll.blend")
    bpy.context.preferences.filepaths.save_version = 0
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    print(f"made {path.name}: {path.stat().st_size / 1000:.0f} kB")
    limberjack.unregister()  # or bpy ends with a crash
