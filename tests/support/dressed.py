# SPDX-License-Identifier: GPL-3.0-or-later
"""Random models with all that a file can say of them: shapes, odd names, limits and springs of every sort, followers.

They are drawn as writers want them: links stand where joints at q = 0 have them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Polyline, Shape, Sphere
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import Axis, Joint, Mimic, Model
from limberjack.core.spatial import cross, norm, scale

from .models import random_graph, random_pose, random_tree, random_unit
from .wild import wild_model

ODD_NAMES = (
    *("größe {}", "a.{:03}", "left/arm {}", "<{}>", 'quoted "{}"', "x&y;{}", "__{}", "{}", "-{}"),
    *("名前{}", "a:b{}", "it's {}"),
)
OFTEN = ("effort", "velocity", "damping", "friction", "spring_stiffness")


def dressed_model(seed: int) -> Model:
    """The model of a seed: a tree, a graph with loops, or a wild one, in odd clothes."""
    rng = np.random.default_rng(seed)
    match seed % 3:
        case 0:
            model = random_tree(seed, int(rng.integers(1, 12)))
        case 1:
            model = random_graph(seed, int(rng.integers(4, 12)), loops=int(rng.integers(0, 2)), floats=seed % 2 == 0)
        case _:
            model = wild_model(rng).model
    model.name = f"model {seed}"
    model.couplings = []
    for joint in model.joints:
        if seed % 3 < 2:  # the wild have theirs
            joint.axes = [_featured(rng, joint, number) for number in range(joint.axis_count)]
        _unlock(joint)
    _draw(model)
    if seed % 2:
        _follow(rng, model)
    for link in model.links:
        link.visuals = [_shape(rng, f"visual {i}") for i in range(rng.integers(0, 3))]
        link.collisions = [_shape(rng, f"collision {i}") for i in range(rng.integers(0, 3))]
    _rename(rng, model)
    return model


def _featured(rng, joint: Joint, number: int) -> Axis:
    """Limits are none, on a side, on both, without room; and there are springs, damping and friction at times."""
    lower, upper = sorted(rng.normal(size=2).tolist())
    limits = ((-math.inf, math.inf), (lower, math.inf), (-math.inf, upper), (lower, upper), (lower, lower))
    lower, upper = limits[rng.integers(len(limits))]
    drawn = {name: float(rng.uniform(0.1, 50.0)) for name in OFTEN if rng.random() < 0.3}
    drawn |= {"lower": lower, "upper": upper, "spring_reference": float(rng.normal())}
    if "spring_stiffness" not in drawn:
        del drawn["spring_reference"]
    if not joint.kind.slot(number).limited:
        del drawn["lower"], drawn["upper"]
    return replace(joint.axes[number], **drawn)


def _unlock(joint: Joint) -> None:
    """Limits without room in the place of locks, which no file format has."""
    for column, at in zip(joint.all_columns, joint.home, strict=False):
        if joint.is_locked(column.axis):
            limits = {"lower": at, "upper": at} if joint.kind.slot(column.axis).limited else {}
            joint.axes[column.axis] = replace(joint.axes[column.axis], locked=False, **limits)


def _draw(model: Model) -> None:
    """Square universal joints, as Drake wants them, and links where the joints have them at q = 0."""
    for joint in model.joints:
        if joint.type == "universal":
            first, second = joint.axes
            across = cross(first.xyz, second.xyz)
            joint.axes[1] = replace(second, xyz=scale(across, 1.0 / norm(across)))
    for name, pose in tree_poses(model).items():
        model.link(name).pose = pose
    # What SDF has no name for, and a free joint most of all, is left out: such a link simply has no joint.
    model.joints = [joint for joint in model.joints if joint.kind.sdf]
    kept = {joint.name for joint in model.joints}
    for joint in model.joints:
        if joint.mimic and joint.mimic.leader not in kept:
            joint.mimic = None


def _follow(rng, model: Model) -> None:
    """Let one joint of one axis follow another."""
    able = [joint for joint in model.joints if joint.nq == 1 and not joint.axes[0].has_no_room]
    if len(able) > 1 and not any(joint.mimic for joint in model.joints):
        leader, follower = (able[i] for i in rng.choice(len(able), 2, replace=False))
        follower.mimic = Mimic(leader.name, *rng.normal(size=3).tolist())


def _shape(rng, name: str) -> Shape:
    a, b, c = rng.uniform(0.01, 2.0, size=3).tolist()
    corners = np.array([[0.0, 0.0, 0.0], [a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]])
    geometries = (
        Box((a, b, c)),
        Sphere(a),
        Cylinder(a, b),
        Capsule(a, b),
        Cone(a, b),
        Ellipsoid((a, b, c)),
        Plane(random_unit(rng), (a, b)),
        Polyline((((0.0, 0.0), (a, 0.0), (0.0, b)),), c),
        Mesh("package://parts/part.stl", (a, b, -c)),
        Mesh(vertices=corners, faces=((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))),
    )
    return Shape(name, geometries[rng.integers(len(geometries))], random_pose(rng))


def _rename(rng, model: Model) -> None:
    """Links and joints get odd names that SDF allows, each its own."""

    def odd(number: int) -> str:
        return ODD_NAMES[rng.integers(len(ODD_NAMES))].format(number) + f" of {number}"

    links = {link.name: odd(i) for i, link in enumerate(model.links)}
    joints = {joint.name: odd(i + len(links)) for i, joint in enumerate(model.joints)}
    for link in model.links:
        link.name = links[link.name]
    for joint in model.joints:
        joint.name = joints[joint.name]
        joint.parent, joint.child = (links.get(end, end) for end in (joint.parent, joint.child))
        if joint.mimic:
            joint.mimic = replace(joint.mimic, leader=joints[joint.mimic.leader])
