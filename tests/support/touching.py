# SPDX-License-Identifier: GPL-3.0-or-later
"""Free bodies on a floor, for motion whose course is known."""

from __future__ import annotations

import math

import numpy as np

from limberjack.core.geometry import Box, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation

G = 9.81
LEVEL = (0.0, 0.0, -G)
NO_TURN = (1.0, 0.0, 0.0, 0.0)
STILL = (0.0,) * 6


def sloped(degrees: float) -> tuple[float, float, float]:
    """Gravity as a floor feels it that falls towards +x by an angle."""
    slope = math.radians(degrees)
    return G * math.sin(slope), 0.0, -G * math.cos(slope)


def turned(axis: str, angle: float) -> tuple[float, float, float, float]:
    """A quaternion about an axis of the world [rad]."""
    half = angle / 2.0
    return (math.cos(half), *(math.sin(half) * (name == axis) for name in "xyz"))


def floor(surface: Surface) -> Link:
    return Link("floor", collisions=[Shape("top", Plane((0.0, 0.0, 1.0)), surface=surface)])


def solid(name: str, shape, mass: float, surface: Surface, moments=None) -> Link:
    """A box or a ball of even density, or with principal moments of inertia of its own [kg m^2]."""
    if moments is None and isinstance(shape, Box):
        x, y, z = shape.size
        moments = tuple(mass / 12.0 * each for each in (y * y + z * z, x * x + z * z, x * x + y * y))
    elif moments is None:
        assert isinstance(shape, Sphere)
        moments = (0.4 * mass * shape.radius**2,) * 3
    xx, yy, zz = moments
    inertia = (xx, 0.0, 0.0, yy, 0.0, zz)
    return Link(name, mass, inertia=inertia, collisions=[Shape("shape", shape, surface=surface)])


def scene(surface: Surface, gravity, *bodies) -> Model:
    """A floor, and bodies as (link, pose)."""
    links, joints = [floor(surface)], [Joint("held", "fixed", WORLD, "floor")]
    for link, pose in bodies:
        links.append(link)
        joints.append(Joint(f"free {link.name}", "free", WORLD, link.name, X_PJ=tuple(pose)))
    model = Model("scene", links, joints)
    model.gravity = gravity
    return model


def moved(model: Model, times, accuracy="exact", **velocities) -> Simulation:
    """A simulation that has run. velocities: of bodies by name, in their own axes, the linear part first."""
    start = {f"free {name}": list(velocity) for name, velocity in velocities.items()}
    simulation = Simulation(model, times, accuracy, initial={"qd": start})
    simulation.run()
    return simulation


def by_convex_steps(model: Model, times, accuracy="good", record=(), **velocities) -> Simulation:
    """Return a simulation that has run by convex steps alone. velocities: as of `moved`."""
    start = {f"free {name}": list(velocity) for name, velocity in velocities.items()}
    simulation = Simulation(model, times, accuracy, initial={"qd": start}, record=record)
    simulation.prefer_time_stepping()
    simulation.run()
    return simulation


def pose_of(simulation: Simulation, name: str, frame: int = -1) -> np.ndarray:
    trajectory = simulation.trajectory
    return trajectory.X_WL[frame, trajectory.link_names.index(name)]


def velocity_of(simulation: Simulation, name: str, frame: int = -1) -> np.ndarray:
    trajectory = simulation.trajectory
    first = next(n for n, (known, _) in enumerate(trajectory.qd_names) if known.startswith(f"free {name}."))
    return trajectory.qd[frame, first : first + 6]
