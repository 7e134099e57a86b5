# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake looks like in Blender, in double precision and by other means than the bake's own."""

import math

import bpy
import numpy as np
from scipy.spatial.transform import Rotation

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.nodes.animation import fcurves_of

from .conftest import joint, link


def bake(scene, **changes):
    run = SimulationBake(scene, **changes)
    run.run()
    return run


def show(scene, frame):
    whole = math.floor(frame)
    scene.frame_set(whole, subframe=frame - whole)


def matrix_at(scene, obj, frame):
    """As Blender evaluates the object at a frame, with fractions, shape (4, 4)."""
    show(scene, frame)
    return np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world, dtype=np.float64)


def matrices_at(scene, objects, frames):
    """Shape (F, objects, 4, 4)."""
    return np.array([[matrix_at(scene, obj, frame) for obj in objects] for frame in np.asarray(frames).tolist()])


def turns_of(matrices, scale):
    """Rotations, shape (F,), of matrices that also hold the scale, shape (3,), signed."""
    u, _, vt = np.linalg.svd(matrices[:, :3, :3] / scale)
    return Rotation.from_matrix(u @ vt)


def turns_of_poses(X_WL):
    """Rotations, shape (F,), of poses whose quaternions are w x y z."""
    return Rotation.from_quat(np.roll(X_WL[:, 3:], -1, axis=1))


def errors(scene, run, scales, unit=1.0):
    """How far [m], turned [rad] and resized [relative] the links are from the trajectory, the worst of all frames.

    scales: of each link's points in the world, shape (3,), by its name.
    """
    names, X_WL = run.trajectory.link_names, run.trajectory.X_WL
    seen = matrices_at(scene, [run.reading.objects[name] for name in names], run.frames)
    way = np.linalg.norm(unit * seen[:, :, :3, 3] - X_WL[:, :, :3], axis=2).max()
    turned = resized = 0.0
    for number, name in enumerate(names):
        matrices, scale = seen[:, number], np.asarray(scales[name])
        apart = turns_of_poses(X_WL[:, number]).inv() * turns_of(matrices, scale)
        turned = max(turned, apart.magnitude().max())
        sizes = np.linalg.norm(matrices[:, :3, :3], axis=1)
        resized = max(resized, np.abs(sizes / np.abs(scale) - 1.0).max())
    return way, turned, resized


def weigh(*objects):
    """Make them weigh the same whatever their scale."""
    for obj in objects:
        own = link(obj)
        own.mass_source, own.mass, own.inertia = "CUSTOM", 1.0, (0.05, 0.0, 0.0, 0.1, 0.0, 0.1)


def thrown(build, count=3):
    """Bars on ball joints, and a state in which they turn every way."""
    bars, empties = build.pendulum(count)
    weigh(*bars)
    for empty in empties:
        joint(empty).type = "ball"
    return bars, {"qd": {empty.name: [2.0, 4.0, -6.0] for empty in empties}}


def turning_holder(scene, name="holder", scale=1.0):
    """An Empty that is keyed to move and turn from frame 1 to 24."""
    holder = bpy.data.objects.new(name, None)
    scene.collection.objects.link(holder)
    holder.scale = (scale, scale, scale)
    for frame, place, turn in ((1, (0.3, -0.2, 0.5), (0.4, 0.5, 0.6)), (24, (2.0, 0.5, 1.0), (1.4, -0.5, 2.6))):
        holder.location, holder.rotation_euler = place, turn
        holder.keyframe_insert("location", frame=frame)
        holder.keyframe_insert("rotation_euler", frame=frame)
    return holder


FORWARD = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12.0
"""Weights of five even samples for the derivative at the first, of fourth order."""


def twist_at(scene, obj, frame, spacing):
    """Velocity of the object's origin and angular velocity, shape (6,), in the world [1/s], to one side of a frame.

    spacing: of the five samples [frames]; those before the frame for a negative one.
    """
    seen = matrices_at(scene, [obj], frame + spacing * np.arange(5.0))[:, 0]
    turns = turns_of(seen, np.linalg.norm(seen[0, :3, :3], axis=0) * np.sign(np.linalg.det(seen[0, :3, :3])))
    seconds = spacing * scene.render.fps_base / scene.render.fps
    return np.concatenate([FORWARD @ seen[:, :3, 3], FORWARD @ (turns * turns[0].inv()).as_rotvec()]) / seconds


def coordinates(empty):
    return [coordinate.q for coordinate in joint(empty).coordinates]


def keys_of(obj):
    """Of each of the object's curves, all that a key has, exactly."""
    return {
        (curve.data_path, curve.array_index): [
            (*point.co, *point.handle_left, *point.handle_right, point.interpolation) for point in curve.keyframe_points
        ]
        for curve in fcurves_of(obj)
    }
