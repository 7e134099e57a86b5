# SPDX-License-Identifier: GPL-3.0-or-later
"""The mechanisms of tests/support in Blender's window, with sticks between their joints to be taken by the mouse."""

import importlib
import itertools
import sys
from pathlib import Path

import bpy
import harness
import numpy as np
from mathutils import Matrix, Vector

THICK = 0.06
"""Metres across a stick."""


def mechanisms():
    """The module of tests/support, which knows the package as `limberjack`: made of what the extension has loaded."""
    ours = {name: module for name, module in sys.modules.items() if name.split(".core")[0] == harness.PACKAGE}
    aliases = {"limberjack" + name.removeprefix(harness.PACKAGE): module for name, module in ours.items()}
    folder = str(Path(__file__).parents[1])
    sys.path.insert(0, folder)
    sys.modules.update(aliases)
    try:
        return importlib.import_module("support.mechanisms")
    finally:
        sys.path.remove(folder)
        for name in aliases:
            del sys.modules[name]


def write(model) -> dict[str, bpy.types.Object]:
    """Nothing but the model, with sticks; its objects by name."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    objects, _ = harness.module("bridge.scene.write").write_scene(model, bpy.context.scene)
    places = {link.name: [] for link in model.links}
    for joint in model.joints:
        for end, frame in ((joint.parent, joint.X_PJ), (joint.child, joint.X_CJ)):
            if end in places:
                places[end].append(Vector(frame[:3]))
    for name, points in places.items():
        _add_sticks(objects[name], points)
    for obj in objects.values():
        obj.empty_display_size = 0.15
    bpy.context.view_layer.update()
    return objects


def _add_sticks(link: bpy.types.Object, points: list[Vector]) -> None:
    """Between each two points that follow each other, and around one that is alone."""
    vertices, faces = [], []
    corners = list(itertools.product((-0.5, 0.5), repeat=3))
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    pairs = list(itertools.pairwise([*points, points[0]] if len(points) > 2 else points)) or [(points[0], points[0])]
    for one, other in pairs:
        way = other - one
        turn = way.to_track_quat("Z", "Y").to_matrix().to_4x4() if way.length > 1e-6 else Matrix()
        size = Matrix.Diagonal((THICK, THICK, way.length + 0.5 * THICK, 1.0))
        placed = Matrix.Translation(0.5 * (one + other)) @ turn @ size
        faces += [tuple(len(vertices) + corner for corner in side) for side in sides]
        vertices += [placed @ Vector(corner) for corner in corners]
    mesh = bpy.data.meshes.new(f"{link.name} sticks")
    mesh.from_pydata(vertices, [], faces)
    shape = bpy.data.objects.new(f"{link.name} sticks", mesh)
    link.users_collection[0].objects.link(shape)
    shape.parent = link


def largest_gap() -> float:
    """How far [m] the worst joint stands open, from where Blender has its links; a radian counts as a metre."""
    return max(_gap(obj.limberjack_joint) for obj in bpy.context.scene.objects if obj.limberjack_joint.is_joint)


def _gap(joint) -> float:
    one, other = (
        (np.array(link.matrix_world, dtype=np.float64) if link else np.eye(4)) @ _matrix(frame)
        for link, frame in ((joint.parent, joint.X_PJ), (joint.child, joint.X_CJ))
    )
    apart = np.linalg.inv(one) @ other
    place, turn = apart[:3, 3], apart[:3, :3]
    if joint.type == "prismatic":
        return max(np.hypot(*place[:2]), np.abs(turn - np.eye(3)).max())
    open_by = float(np.linalg.norm(place))
    if joint.type == "revolute":
        axis = np.array(joint.axes[0].xyz, dtype=np.float64)
        return max(open_by, np.linalg.norm(turn @ axis - axis))
    if joint.type == "universal":  # about its first axis, then about its second, which the first turns
        first, second = (np.array(axis.xyz, dtype=np.float64) for axis in joint.axes[:2])
        return max(open_by, abs(float(first @ turn @ second)))
    assert joint.type == "ball", joint.type
    return open_by


def _matrix(text: str) -> np.ndarray:
    """Of a pose x y z qw qx qy qz."""
    x, y, z, a, b, c, d = (float(word) for word in text.split())
    norm = a * a + b * b + c * c + d * d
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    matrix[:3, :3] += (
        2.0
        / norm
        * np.array(
            [
                [-c * c - d * d, b * c - a * d, b * d + a * c],
                [b * c + a * d, -b * b - d * d, c * d - a * b],
                [b * d - a * c, c * d + a * b, -b * b - c * c],
            ]
        )
    )
    return matrix
