# SPDX-License-Identifier: GPL-3.0-or-later
"""Time a fall of the sample `stairs` beside Blender's rigid bodies with the same shapes. See ragdoll_falls.py."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence

import numpy as np
from ragdoll_falls import ROOT, SAMPLE, body_of

from limberjack.addon.cli.bpy_session import open_scene
from limberjack.core.geometry import Box, Capsule
from limberjack.core.model import Joint, Model
from limberjack.core.spatial import Pose, compose, inverse, quat_of_mat, quat_rotate, z_to

FRAMES = 250

SLICE = 0.005
"""Length of a piece of a simulation [s]: short, so that simulating and writing can be told apart."""

ROUNDS = 2
"""Number of times that each engine runs; the best time counts."""

RAISED, TURNED = 0.6, (0.7, 0.3, 0.4)
"""Height above its place in the sample [m] and Euler angles [rad] at which the character starts, without velocity."""


def beside_rigid_bodies(accuracies: Sequence[str]) -> dict[str, float]:
    """Return the times [s] of a fall of 250 frames, ours with its keys and theirs, in turns, and the gaps in joints."""
    ours: dict[str, list[tuple[float, float]]] = {accuracy: [] for accuracy in accuracies}
    theirs, gap = [], math.nan
    for _ in range(ROUNDS):
        for accuracy, times in ours.items():
            times.append(bake_fall(accuracy))
        seconds, gap = step_rigid_bodies()
        theirs.append(seconds)
    best = min(theirs)
    figures = {"fall_s.rigid_bodies": best, "fall_gap_m.rigid_bodies": gap}
    for accuracy, times in ours.items():
        simulated, written = min(times, key=sum)
        figures |= {
            f"fall_s.{accuracy}.simulate": simulated,
            f"fall_s.{accuracy}.write": written,
            f"fall_over_rigid_bodies.{accuracy}": (simulated + written) / best,
        }
    return figures


def open_raised():
    """Open the sample with its character raised and turned. Return the scene."""
    import bpy

    from limberjack.addon.props.settings import link_settings

    bpy.ops.wm.open_mainfile(filepath=str(SAMPLE))
    scene = open_scene()
    armature, _, hips = ROOT.partition(":")
    rig = scene.objects[armature]
    rig.location.z += RAISED
    rig.rotation_euler = TURNED
    settings = link_settings(rig.pose.bones[hips])
    settings.velocity = settings.angular_velocity = (0.0, 0.0, 0.0)
    scene.frame_end = FRAMES
    bpy.context.view_layer.update()
    return scene


def bake_fall(accuracy: str) -> tuple[float, float]:
    """Simulate and bake the fall. Return the times to simulate it, and to write its keys [s]."""
    from limberjack.addon.bake.simulation_bake import SimulationBake

    scene = open_raised()
    begun = time.perf_counter()
    run = SimulationBake(scene, first=1, last=FRAMES, accuracy=accuracy)
    while run.frames_done < FRAMES:
        run.step(SLICE)
    simulated = time.perf_counter()
    run.run()
    return simulated - begun, time.perf_counter() - simulated


def step_rigid_bodies() -> tuple[float, float]:
    """Step through the fall with Blender's rigid bodies, at default settings but undamped.

    Returns:
        The time that it took [s], and the largest gap in a joint [m].
    """
    import bpy

    from limberjack.addon.bridge.scene.read import read_scene

    model = read_scene(open_raised(), with_shapes=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = open_scene()
    scene.frame_start, scene.frame_end = 1, FRAMES
    objects = _bodies_of(model, scene)
    joints = [joint for joint in model.joints if joint.type in ("revolute", "ball")]
    for joint in joints:
        _join(joint, model, objects, scene)
    for number, pair in enumerate(pair for pair in model.contact_pairs if not pair.meets):
        _let_pass(f"pair{number}", objects[pair.a], objects[pair.b], scene)
    bpy.context.view_layer.update()
    begun = time.perf_counter()
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
    seconds = time.perf_counter() - begun
    return seconds, _largest_gap(joints, model, objects, scene)


def _bodies_of(model: Model, scene) -> dict[str, object]:
    """Return an object for each link by its name, with the link's first collision shape; in a rigid body world."""
    import bpy

    bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    world.collection, world.constraints = bpy.data.collections.new("bodies"), bpy.data.collections.new("joints")
    world.point_cache.frame_end = FRAMES
    moved, found = {link.name for link in body_of(model)}, {}
    for link in model.links:
        shape = link.collisions[0]
        geometry = shape.geometry
        if isinstance(geometry, Capsule):
            half = (geometry.radius, geometry.radius, 0.5 * geometry.length + geometry.radius)
        else:
            assert isinstance(geometry, Box)
            half = tuple(0.5 * size for size in geometry.size)
        mesh = bpy.data.meshes.new(link.name)
        signs = itertools.product((-1.0, 1.0), repeat=3)
        mesh.from_pydata([tuple(np.multiply(sign, half)) for sign in signs], [], [])
        obj = found[link.name] = bpy.data.objects.new(link.name, mesh)
        _place(obj, compose(link.pose, shape.pose))
        scene.collection.objects.link(obj)
        world.collection.objects.link(obj)
        body = obj.rigid_body
        body.type = "ACTIVE" if link.name in moved else "PASSIVE"
        body.collision_shape = "CAPSULE" if isinstance(geometry, Capsule) else "BOX"
        body.mass, body.linear_damping, body.angular_damping = link.mass, 0.0, 0.0
    return found


def _place(obj, pose: Pose) -> None:
    obj.rotation_mode = "QUATERNION"
    obj.location, obj.rotation_quaternion = pose[:3], pose[3:]


def _constraint(name: str, kind: str, one, other, scene):
    """Return a new empty with a rigid body constraint between two objects that do not collide with each other."""
    import bpy

    empty = bpy.data.objects.new(name, None)
    scene.collection.objects.link(empty)
    scene.rigidbody_world.constraints.objects.link(empty)
    settings = empty.rigid_body_constraint
    settings.type, settings.object1, settings.object2, settings.disable_collisions = kind, one, other, True
    return empty


def _join(joint: Joint, model: Model, objects, scene) -> None:
    """Join two objects as a hinge or a ball joint. Limits count from the start pose, as Blender's do.

    A cone becomes two limits of its size across its axis.
    """
    kind = "HINGE" if joint.type == "revolute" else "GENERIC"
    empty = _constraint(joint.name, kind, objects[joint.parent], objects[joint.child], scene)
    settings = empty.rigid_body_constraint
    axis = joint.unit_direction(0 if kind == "HINGE" else 3)
    along_z = (0.0, 0.0, 0.0, *quat_of_mat(z_to(axis)))
    _place(empty, compose(compose(model.link(joint.child).pose, joint.X_CJ), along_z))
    if kind == "HINGE":
        settings.use_limit_ang_z = True
        start = joint.home[0] if joint.home else 0.0
        settings.limit_ang_z_lower, settings.limit_ang_z_upper = (
            limit - start for limit in (joint.axes[0].lower, joint.axes[0].upper)
        )
        return
    cone, twist = joint.axes[3].upper, joint.axes[4]
    for letter, lower, upper in (("x", -cone, cone), ("y", -cone, cone), ("z", twist.lower, twist.upper)):
        setattr(settings, f"use_limit_lin_{letter}", True)
        setattr(settings, f"limit_lin_{letter}_lower", 0.0)
        setattr(settings, f"limit_lin_{letter}_upper", 0.0)
        setattr(settings, f"use_limit_ang_{letter}", True)
        setattr(settings, f"limit_ang_{letter}_lower", lower)
        setattr(settings, f"limit_ang_{letter}_upper", upper)


def _let_pass(name: str, one, other, scene) -> None:
    """Let two objects pass through each other: a constraint without limits, which Blender needs for this."""
    _constraint(name, "GENERIC", one, other, scene)


def _largest_gap(joints: Sequence[Joint], model: Model, objects, scene) -> float:
    """Return the largest distance between the two ends of a joint in what Blender shows at the frames [m]."""
    ends = {}
    for joint in joints:
        place = compose(model.link(joint.child).pose, joint.X_CJ)[:3]
        for link in (joint.parent, joint.child):
            shape = compose(model.link(link).pose, model.link(link).collisions[0].pose)
            back = inverse(shape)
            ends[joint.name, link] = np.add(quat_rotate(back[3:], place), back[:3])
    largest = 0.0
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        matrices = {name: np.array(obj.matrix_world) for name, obj in objects.items()}
        for joint in joints:
            one, other = (
                matrices[link][:3, :3] @ ends[joint.name, link] + matrices[link][:3, 3]
                for link in (joint.parent, joint.child)
            )
            largest = max(largest, float(np.linalg.norm(one - other)))
    return largest
