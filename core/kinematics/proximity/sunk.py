# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that start deep in the ground, such as a cube whose middle is on a floor.

The ground is all half-spaces and open meshes that are fixed in the world. Simulations push machines out of these
(core/simulation/start.py), and keep all other overlaps.

A machine is all links that joints connect. Only machines that nothing holds in the world are looked at: what is held
may reach through a floor on purpose, and cannot be lifted without its mount.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from ...collision.solids import HULL, MESH, PLANE
from ...geometry.contact_properties import Surface
from ...model import WORLD, Model
from ...spatial import ZERO, Vec3, dot, norm, scale
from .distances import Proximity, Separation

DEEP = 0.1
"""Share of a solid's reach up to which it may overlap the ground and still counts as standing on it: many are drawn so.
"""

DEEP_IF_FLAT = 0.5
"""Share of a flat solid's half thickness that takes the place of `DEEP` if it is less."""

UPRIGHT = 0.7
"""Least cosine between the shortest way out and the vertical: lifting a machine is no short way out of a wall."""

CLEARANCE = 1e-5
"""Share of a machine's size that is left below it after it is lifted: single precision rounds by less."""

MOST_RAISES = 60
"""Number of times that a machine is raised to find a height at which it is free."""

HALVINGS = 24
"""Number of bisections between the last height at which a machine is sunk and the first at which it is free."""


@dataclass(frozen=True)
class Sunk:
    """A machine that starts deep in the ground.

    Attributes:
        link: the name of its link that is deepest. ground: the name of the link that is the ground.
        shape, ground_shape: the names of the two collisions.
        depth: by how much they overlap [m]. links: the names of all links of the machine.
        lift: height by which the machine is to be raised until it just touches [m]; 0 if there is none.
    """

    link: str
    ground: str
    shape: str
    ground_shape: str
    depth: float
    links: tuple[str, ...]
    lift: float


def sunk_machines(proximity: Proximity, elsewhere: Collection[str] = ()) -> list[Sunk]:
    """Return the machines that start deep in the ground, in the model's order.

    Args:
        proximity: of the model at its initial pose.
        elsewhere: names of links that do not start there, and so are left out.
    """
    model = proximity.compiled.model
    up = upward(model)
    loose = loose_machines(model)
    machines = {name: links for links in loose for name in links if not set(elsewhere).intersection(links)}
    if up == ZERO or not machines:
        return []
    deepest: dict[tuple[str, ...], Separation] = {}
    for found in _ground_overlaps(proximity, machines):
        links = machines[_mover(found, machines)]
        is_new = links not in deepest or found.gap < deepest[links].gap
        if is_new and _is_deep(proximity, found, machines) and abs(dot(found.normal, up)) >= UPRIGHT:
            deepest[links] = found
    return [_told(proximity, found, machines, up) for found in deepest.values()]


def upward(model: Model) -> Vec3:
    """Return the unit vector against gravity; 0 0 0 if there is none."""
    length = norm(model.gravity)
    return scale(model.gravity, -1.0 / length) if length else ZERO


def loose_machines(model: Model, prescribed: Iterable[str] = ()) -> list[tuple[str, ...]]:
    """Return the names of the links of each machine that nothing holds, in the model's order.

    Args:
        prescribed: names of links whose motion is prescribed.
    """
    acting = model.acting_at(0.0)
    machine = {link.name: {link.name} for link in acting.links} | {WORLD: {WORLD, *prescribed}}
    bonds = [(joint.parent, joint.child) for joint in acting.joints if not joint.kind.is_free]
    for parent, child in [*bonds, *((WORLD, name) for name in prescribed)]:
        joined = machine[parent] | machine[child]
        machine.update(dict.fromkeys(joined, joined))
    order = [link.name for link in acting.links]
    found = {id(names): names for name in order if WORLD not in (names := machine[name])}
    return [tuple(name for name in order if name in names) for names in found.values()]


def is_deep(solid: np.record, gap: float) -> bool:
    """Return whether a solid that overlaps something does so by more than what stands on it.

    Args:
        solid: a SOLID record. gap: signed distance [m].
    """
    allowed = DEEP * float(solid.bounding_radius)
    if solid.kind != HULL:  # a hull's record does not tell how thick it is
        allowed = min(allowed, DEEP_IF_FLAT * float(solid.radius + solid.half.min()))
    return gap < -allowed


def is_open_ground(solids: np.recarray) -> np.ndarray:
    """Return which SOLID records are fixed half-spaces and open meshes, out of which solids are pushed at the start."""
    is_sheet = (solids.kind == MESH) & (solids.closed == 0)
    return (solids.body == 0) & ((solids.kind == PLANE) | is_sheet)


def _ground_overlaps(proximity: Proximity, machines: Collection[str]) -> list[Separation]:
    """Return the overlaps between loose machines and the ground, if both are rigid there.

    What rests on a soft surface sinks in.
    """
    model, solids = proximity.compiled.model, proximity.colliders.solids
    owners = [model.links[int(solid.owner)] for solid in solids[is_open_ground(solids)]]
    numbers = solids.number[is_open_ground(solids)].tolist()
    grounds = {(link.name, link.collisions[number].name) for link, number in zip(owners, numbers, strict=True)}
    return [
        found
        for found in proximity.pairs_nearer(0.0)
        if (
            (found.a in machines and (found.b, found.shape_b) in grounds)
            or (found.b in machines and (found.a, found.shape_a) in grounds)
        )
        and _is_rigid(model, found.a, found.shape_a)
        and _is_rigid(model, found.b, found.shape_b)
    ]


def _is_rigid(model: Model, name: str, shape_name: str) -> bool:
    shapes = (shape for shape in model.link(name).collisions if shape.name == shape_name)
    return all((shape.surface or Surface()).contact_stiffness == math.inf for shape in shapes)


def _mover(found: Separation, machines: Collection[str]) -> str:
    return found.a if found.a in machines else found.b


def _is_deep(proximity: Proximity, found: Separation, machines: Collection[str]) -> bool:
    """Return whether a separation is deep, as measured by the loose link's own solid."""
    name, shape = (found.a, found.shape_a) if found.a in machines else (found.b, found.shape_b)
    links, solids = proximity.compiled.model.links, proximity.colliders.solids
    own = [
        solid
        for solid in solids
        if links[int(solid.owner)].name == name and links[int(solid.owner)].collisions[int(solid.number)].name == shape
    ]
    return any(is_deep(solid, found.gap) for solid in own)


def _told(proximity: Proximity, found: Separation, machines: dict[str, tuple[str, ...]], up: Vec3) -> Sunk:
    mover = _mover(found, machines)
    links = machines[mover]
    lift = _lift(proximity, links, up)
    if mover == found.a:
        return Sunk(mover, found.b, found.shape_a, found.shape_b, -found.gap, links, lift)
    return Sunk(mover, found.a, found.shape_b, found.shape_a, -found.gap, links, lift)


def _lift(proximity: Proximity, links: tuple[str, ...], up: Vec3) -> float:
    """Return the height by which a machine is raised until it just touches [m]; 0 if no height frees it.

    What it is in may be a sheet above its middle, and then the shortest way out is no measure of the height.
    """
    solids = proximity.colliders.solids
    owners = [proximity.compiled.model.links[int(owner)].name for owner in solids.owner]
    size = max(float(solid.bounding_radius) for solid, owner in zip(solids, owners, strict=True) if owner in links)
    if size == math.inf:  # a half-space of the machine itself is as wide at any height
        return 0.0
    low, high = 0.0, 0.0
    for _ in range(MOST_RAISES):
        depth = _depth_at(proximity, links, up, high)
        if depth == 0.0:
            break
        low, high = high, high + max(depth, 0.1 * size)
    else:
        proximity.place(None)
        return 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _depth_at(proximity, links, up, middle) == 0.0 else (middle, high)
    proximity.place(None)
    return high + CLEARANCE * size


def _depth_at(proximity: Proximity, links: tuple[str, ...], up: Vec3, height: float) -> float:
    """Return by how much a machine overlaps the ground, raised by a height [m]."""
    proximity.place(None)
    proximity.shift(links, scale(up, height))
    return max((-found.gap for found in _ground_overlaps(proximity, links)), default=0.0)
