# SPDX-License-Identifier: GPL-3.0-or-later
"""Wild models that touch: those of wild.py with shapes on all links, most of them loose, over a floor or stairs."""

from __future__ import annotations

import math

import numpy as np

from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.geometry.shapes import Geometry
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import WORLD, Joint, Link, Model, ModelError
from limberjack.core.spatial import IDENTITY, compose

from .models import random_pose, random_unit
from .wild import Wild, log_uniform, wild_model

MOST_LINKS = 4
"""Without those that stand. So few are wild enough among each other, and a thousand such models end within an hour."""

LOOSE = 0.75
"""Part of the models that hang in the world by nothing that can do without."""

STEPS = 6
"""Of stairs."""

SHALLOW = 1e3
"""N/m: the softest surfaces, into which heavy links sink out of sight."""


def wild_contact(rng: np.random.Generator) -> Wild:
    """A model and its start. Links that start in each other are left to chance; what stands lies below all of them."""
    wild = wild_model(rng, MOST_LINKS)
    model = wild.model
    if rng.random() < LOOSE:
        _set_loose(wild)
    for link in model.links:
        link.self_collide = bool(rng.random() < 0.3)
        for number in range(1 + int(rng.random() < 0.2)):
            where = compose((*link.com, 1.0, 0.0, 0.0, 0.0), random_pose(rng, 0.05))
            link.collisions.append(Shape(f"shape{number}", _geometry(rng), where, surface=_surface(rng)))
    height = _lowest(model) - rng.uniform(0.0, 0.3)
    for link in _standing(rng, height):
        model.links.append(link)
        model.joints.append(Joint(f"{link.name} held", "fixed", WORLD, link.name, X_PJ=link.pose))
    return wild


def contact_from_seed(seed: int) -> Wild:
    return wild_contact(np.random.default_rng(seed))


def overlapping_from_seed(seed: int) -> Wild:
    """Return a model whose loose links overlap each other and the floor at the start, and whose joints may let go."""
    rng = np.random.default_rng(seed)
    wild = wild_contact(rng)
    held = {joint.child for joint in wild.model.joints}
    near = rng.uniform(0.0, 0.5)
    for link in wild.model.links:
        if link.name not in held:
            link.pose = (
                *(near * np.array(link.pose[:3]) + (0.0, 0.0, -rng.uniform(0.0, 0.1))).tolist(),
                *link.pose[3:],
            )
    leaders = {joint.mimic.leader for joint in wild.model.joints if joint.mimic}
    leaders |= {name for coupling in wild.model.couplings for name, _ in coupling.axes}
    for joint in wild.model.joints:
        if joint.mimic is None and joint.name not in leaders and rng.random() < 0.4:
            joint.released_at = float(rng.uniform(0.1, 0.8))
    return wild


def _set_loose(wild: Wild) -> None:
    """Take away what joins links to the world, and all that needs it."""
    model = wild.model
    needed = {joint.mimic.leader for joint in model.joints if joint.mimic}
    needed |= {name for coupling in model.couplings for name, _ in coupling.axes}
    home = _poses(model)
    gone = {joint.name for joint in model.joints if WORLD in (joint.parent, joint.child)} - needed
    model.joints = [joint for joint in model.joints if joint.name not in gone]
    wild.initial["qd"] = {name: speed for name, speed in wild.initial["qd"].items() if name not in gone}
    for name, pose in home.items():
        model.link(name).pose = pose


def _poses(model: Model) -> dict:
    """Of all links where they start, as far as loops need not be closed; as drawn where that cannot be told."""
    try:
        return tree_poses(model, {branch.joint.name: branch.joint.q_home for branch in model.tree().branches})
    except ModelError:
        return {link.name: link.pose for link in model.links}


def _lowest(model: Model) -> float:
    """A height below all shapes, at home [m]."""
    lowest, poses = math.inf, _poses(model)
    for link in model.links:
        for shape in link.collisions:
            lowest = min(lowest, compose(poses[link.name], shape.pose)[2] - _reach(shape.geometry))
    return lowest


def _geometry(rng) -> Geometry:
    def size() -> float:
        return log_uniform(rng, 0.03, 0.4)

    kinds = (
        lambda: Box((size(), size(), size())),
        lambda: Sphere(size() / 2.0),
        lambda: Capsule(size() / 4.0, size()),
        lambda: Cylinder(size() / 2.0, size()),
        lambda: Cone(size() / 2.0, size()),
        lambda: Ellipsoid((size() / 2.0, size() / 2.0, size() / 2.0)),
        lambda: Mesh(vertices=rng.normal(size=(int(rng.integers(6, 20)), 3)) * size() / 3.0, faces=()),
    )
    return kinds[rng.integers(len(kinds))]()


def _reach(geometry: Geometry | None) -> float:
    """How far from its origin a shape goes at most [m]."""
    match geometry:
        case Box(size):
            return 0.5 * math.hypot(*size)
        case Sphere(radius):
            return radius
        case Capsule(radius, length):
            return radius + 0.5 * length
        case Cylinder(radius, length) | Cone(radius, length):
            return math.hypot(radius, 0.5 * length)
        case Ellipsoid(radii):
            return max(radii)
        case Mesh(vertices=vertices) if vertices is not None:
            return float(np.linalg.norm(vertices, axis=1).max())
    raise TypeError(f"how far does a {type(geometry).__name__} go?")


def _surface(rng) -> Surface | None:
    """Any that the check lets pass; None, which says nothing, once in a while."""
    if rng.random() < 0.2:
        return None
    friction = 0.0 if rng.random() < 0.1 else log_uniform(rng, 0.02, 2.0)
    more = {"friction": friction, "restitution": float(rng.choice([0.0, rng.random(), 1.0], p=[0.6, 0.35, 0.05]))}
    if rng.random() < 0.2:
        more["static_friction"] = friction * rng.uniform(1.0, 1.5)
    if rng.random() < 0.3:
        more |= {"stiffness": log_uniform(rng, SHALLOW, 1e9), "dissipation": rng.uniform(0.0, 2.0)}
    for name in ("rolling_friction", "spinning_friction"):
        if rng.random() < 0.15:
            more[name] = log_uniform(rng, 1e-4, 1e-1)
    if rng.random() < 0.1:
        more["slip_speed"] = log_uniform(rng, 1e-3, 1e-1)
    if rng.random() < 0.1:
        more["velocity"] = tuple(rng.normal(size=3).tolist())
    return Surface(**more)


def _standing(rng, top: float) -> list[Link]:
    """A plane, a thick slab, a floor of triangles, or stairs down from `top` [m] with a plane below."""
    kind = str(rng.choice(["plane", "slab", "mesh", "stairs"]))
    surface = _surface(rng)
    if kind == "plane":
        tilt = 0.2 * np.array(random_unit(rng)) + (0.0, 0.0, 1.0)
        upward = tuple((tilt / np.linalg.norm(tilt)).tolist()) if rng.random() < 0.3 else (0.0, 0.0, 1.0)
        return [_still("floor", Plane(upward), surface, (0.0, 0.0, top - (upward[2] < 1.0)))]
    if kind == "slab":
        return [_still("floor", Box((40.0, 40.0, 2.0)), surface, (0.0, 0.0, top - 1.0))]
    if kind == "mesh":
        return [_still("floor", _terrain(rng), surface, (0.0, 0.0, top))]
    steps = [
        _still(f"step{i}", Box((0.3, 4.0, 0.4)), surface, (0.3 * (i - 2), 0.0, top - 0.2 - 0.15 * i))
        for i in range(STEPS)
    ]
    return [*steps, _still("floor", Plane(), surface, (0.0, 0.0, top - 0.15 * STEPS - 0.2))]


def _still(name: str, geometry: Geometry, surface: Surface | None, place) -> Link:
    return Link(name, pose=(*map(float, place), *IDENTITY[3:]), collisions=[Shape("shape", geometry, surface=surface)])


def _terrain(rng) -> Mesh:
    """Triangles over a grid, with bumps down from 0."""
    count, cell = 12, 0.8
    heights = -0.15 * rng.random((count + 1, count + 1))
    at = cell * (np.arange(count + 1) - count / 2.0)
    x, y = np.meshgrid(at, at, indexing="ij")
    corners = np.column_stack([x.ravel(), y.ravel(), heights.ravel()])
    faces = []
    for i in range(count):
        for j in range(count):
            a, b = i * (count + 1) + j, (i + 1) * (count + 1) + j
            faces += [(a, b, b + 1), (a, b + 1, a + 1)]
    return Mesh(vertices=corners, faces=tuple(faces))
