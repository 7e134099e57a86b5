# SPDX-License-Identifier: GPL-3.0-or-later
"""Models for cases, made body by body, with the state in which they start."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limberjack.core.geometry import Box, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.geometry.shapes import Geometry
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.spatial import quat_to_mat

G = 9.81
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)
FLOOR = "floor"

Numbers = Sequence[float] | np.ndarray


def about(axis: Numbers, angle: float) -> tuple[float, ...]:
    """The quaternion of a turn about a unit vector [rad]."""
    return (math.cos(angle / 2.0), *(math.sin(angle / 2.0) * np.asarray(axis, float)).tolist())


def matrix(quat: Numbers) -> np.ndarray:
    return np.array(quat_to_mat(tuple(map(float, quat)))).reshape(3, 3)


def down_a_slope(angle: float, g: float = G) -> tuple[float, float, float]:
    """Gravity as a level floor has it that stands for one tilted by an angle [rad]; x points downhill."""
    return g * math.sin(angle), 0.0, -g * math.cos(angle)


def solid(geometry: Geometry, mass: float) -> tuple[float, ...]:
    """(xx, xy, xz, yy, yz, zz) of a uniform body about its centre."""
    if isinstance(geometry, Sphere):
        moments = (0.4 * mass * geometry.radius**2,) * 3
    elif isinstance(geometry, Box):
        x, y, z = (mass * size * size / 12.0 for size in geometry.size)
        moments = y + z, x + z, x + y
    elif isinstance(geometry, Ellipsoid):
        x, y, z = (mass * radius * radius / 5.0 for radius in geometry.radii)
        moments = y + z, x + z, x + y
    elif isinstance(geometry, Cylinder):
        across = mass * (geometry.radius**2 / 4.0 + geometry.length**2 / 12.0)
        moments = across, across, mass * geometry.radius**2 / 2.0
    else:
        raise TypeError(f"give the inertia of a {type(geometry).__name__}")
    return diagonal(*moments)


def diagonal(xx: float, yy: float, zz: float) -> tuple[float, ...]:
    return xx, 0.0, 0.0, yy, 0.0, zz


def thin_disc(mass: float, radius: float) -> tuple[float, ...]:
    across = 0.25 * mass * radius**2
    return diagonal(across, across, 2.0 * across)


def prism(outline: Numbers, depth: float) -> Mesh:
    """A convex outline in x and z, counter-clockwise seen from -y, shape (n, 2), from -depth/2 to depth/2 along y."""
    outline = np.asarray(outline, float)
    n = len(outline)
    sides = [np.column_stack([outline[:, 0], np.full(n, y), outline[:, 1]]) for y in (-0.5 * depth, 0.5 * depth)]
    around = [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)]
    faces = (tuple(range(n)), tuple(range(2 * n - 1, n - 1, -1)), *around)
    return Mesh(vertices=np.vstack(sides), faces=faces)


class World:
    """A model in the making.

    Attributes:
        model, initial: as `Simulation` takes them.
    """

    def __init__(self, gravity: Numbers = (0.0, 0.0, -G)):
        self.model = Model("case", gravity=tuple(map(float, gravity)))
        self.initial: dict[str, dict] = {"q": {}, "qd": {}}

    def standing(
        self,
        name: str,
        geometry: Geometry,
        surface: Surface,
        position: Numbers = ORIGIN,
        quat: Numbers = UPRIGHT,
        **shape: int,
    ) -> Link:
        """What stays where it is in the world."""
        pose = (*map(float, position), *map(float, quat))
        link = Link(name, pose=pose, collisions=[Shape("shape", geometry, surface=surface, **shape)])
        self.model.links.append(link)
        self.model.joints.append(Joint(f"{name} fixed", "fixed", WORLD, name, X_PJ=pose))
        return link

    def floor(self, surface: Surface, **shape: int) -> Link:
        """Level, at z = 0."""
        return self.standing(FLOOR, Plane(), surface, **shape)

    def body(
        self,
        name: str,
        shapes: Sequence[Shape],
        mass: float,
        inertia: tuple[float, ...],
        position: Numbers,
        quat: Numbers = UPRIGHT,
        com: Numbers = ORIGIN,
    ) -> Link:
        """A link that no joint holds yet; position and quat are its frame's."""
        pose = (*map(float, position), *map(float, quat))
        link = Link(name, mass, tuple(map(float, com)), inertia, pose, collisions=list(shapes))
        self.model.links.append(link)
        return link

    def free(self, link: Link, v: Numbers = ORIGIN, w: Numbers = ORIGIN) -> Link:
        """Let it move freely, its centre of mass at v [m/s] and turning at w [rad/s], both in world axes."""
        joint = Joint(f"{link.name} free", "free", WORLD, link.name, X_PJ=link.pose)
        self.model.joints.append(joint)
        R = matrix(link.pose[3:])
        v, w = np.asarray(v, float), np.asarray(w, float)
        origin = v - np.cross(w, R @ link.com)
        self.initial["qd"][joint.name] = [*(R.T @ origin), *(R.T @ w)]
        return link

    def solid(
        self,
        name: str,
        geometry: Geometry,
        surface: Surface,
        mass: float,
        position: Numbers,
        quat: Numbers = UPRIGHT,
        v: Numbers = ORIGIN,
        w: Numbers = ORIGIN,
        inertia: tuple[float, ...] | None = None,
        com: Numbers = ORIGIN,
    ) -> Link:
        """A free body of one shape, uniform unless its inertia is given."""
        inertia = inertia or solid(geometry, mass)
        link = self.body(name, [Shape("shape", geometry, surface=surface)], mass, inertia, position, quat, com)
        return self.free(link, v, w)

    def joint(
        self, name: str, kind: str, parent: str, link: Link, anchor: Numbers, axis: Numbers, qd: float = 0.0, **more
    ) -> Joint:
        """At a place and along an axis in world axes, for a link that stands upright as drawn, its parent too."""
        anchor, place = np.asarray(anchor, float), np.array(link.pose[:3])
        origin = np.zeros(3) if parent == WORLD else np.array(self.model.link(parent).pose[:3])
        joint = Joint(
            name,
            kind,
            parent,
            link.name,
            X_PJ=(*(anchor - origin).tolist(), *UPRIGHT),
            X_CJ=(*(anchor - place).tolist(), *UPRIGHT),
            axes=[Axis(xyz=tuple(map(float, axis)), **more)],
        )
        self.model.joints.append(joint)
        self.initial["qd"][name] = qd
        return joint
