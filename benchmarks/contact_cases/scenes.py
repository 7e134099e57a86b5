# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of ../shared/contact/bench/scene.py, which know no engine, as models of ours."""

from __future__ import annotations

import sys

import numpy as np

from limberjack.core.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.geometry.shapes import Geometry
from limberjack.core.model import WORLD, Axis, ContactPair, Joint, Link
from limberjack.core.spatial import compose, inverse

from .references import SHARED, NoReferencesError
from .worlds import UPRIGHT, World, matrix

KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "fixed": "fixed"}


def shared_scenes() -> dict[str, dict]:
    """The throughput scenes by name: make, duration, opts.

    Raises:
        NoReferencesError: the folder is not there.
    """
    bench = SHARED / "bench"
    if not (bench / "scenes.py").exists():
        raise NoReferencesError("shared/contact/bench is not there; put the folder beside the checkout or name it")
    sys.path.insert(0, str(bench))
    try:
        from scenes import SCENES
    finally:
        sys.path.remove(str(bench))
    return SCENES


def geometry_of(told: dict) -> Geometry:
    size = told["size"]
    return {
        "box": lambda: Box(tuple(2.0 * half for half in size)),
        "sphere": lambda: Sphere(size[0]),
        "capsule": lambda: Capsule(size[0], 2.0 * size[1]),
        "cylinder": lambda: Cylinder(size[0], 2.0 * size[1]),
        "ellipsoid": lambda: Ellipsoid(tuple(size)),
        "plane": Plane,
    }[told["type"]]()


def surface_of(told: dict, scene) -> Surface:
    """Both sides of a contact get one, so that its stiffness is half of each side's."""
    mu = scene.mu if told["mu"] is None else told["mu"]
    more = {} if scene.k is None else {"stiffness": 2.0 * scene.k, "dissipation": scene.d or 0.0}
    return Surface(friction=mu, restitution=scene.e or 0.0, **more)


def world_of(scene) -> World:
    """A `Scene` as a model and its initial state.

    Links that a joint connects do not meet, nor those that the scene excludes; all others of a tree do.
    """
    world = World(scene.gravity)
    for i, told in enumerate(scene.statics):
        place = (*told["pos"], *told["quat"])
        world.standing(f"static{i}", geometry_of(told), surface_of(told, scene), place[:3], place[3:])
    for body in scene.bodies:
        turn = matrix(body["iquat"])
        inertia = turn @ np.diag(body["inertia"]) @ turn.T
        shapes = [
            Shape(f"shape{i}", geometry_of(told), (*told["pos"], *told["quat"]), surface=surface_of(told, scene))
            for i, told in enumerate(body["geoms"])
        ]
        six = inertia[np.triu_indices(3)].tolist()
        link = world.body(body["name"], shapes, body["mass"], tuple(six), body["pos"], body["quat"], body["com"])
        link.self_collide = True
        if scene.parent_joint(body["name"]) is None:
            world.free(link, body["v"], body["w"])
    for told in scene.joints:
        _add_joint(world, told, world.model.link(told["child"]))
    world.model.contact_pairs += [ContactPair(a, b, False) for a, b in scene.exclude]
    return world


def _add_joint(world: World, told: dict, link: Link) -> None:
    parent = (0.0, 0.0, 0.0, *UPRIGHT) if told["parent"] == WORLD else world.model.link(told["parent"]).pose
    frame = (*told["anchor"], *UPRIGHT)  # in world axes, as the scene has them
    axis = Axis(damping=told["damping"], **_drive_of(told))
    if told["type"] in ("hinge", "slide"):
        axis.xyz = told["axis"]
    if told["limits"]:
        axis.lower, axis.upper = told["limits"]
    X_PJ, X_CJ = compose(inverse(parent), frame), compose(inverse(link.pose), frame)
    joint = Joint(told["name"], KINDS[told["type"]], told["parent"], link.name, X_PJ, X_CJ, axes=[axis])
    world.model.joints.append(joint)
    if joint.nv == 1:
        world.initial["qd"][joint.name] = told["qd"]


def _drive_of(told: dict) -> dict:
    effort = {"effort": told["effort"]} if told["effort"] else {}
    if told["speed"] is not None:
        return {"drive_mode": "velocity", "drive_target": told["speed"], "drive_damping": told["kd"], **effort}
    if told["force"] is not None:
        return {"drive_mode": "force", "drive_target": told["force"], **effort}
    if told["kp"]:
        gains = {"drive_stiffness": told["kp"], "drive_damping": told["kd"]}
        return {"drive_mode": "position", "drive_target": told["target"], **gains, **effort}
    return {}
