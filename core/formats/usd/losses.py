# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about what a stage has and this program does not: one for each kind, with its count and its first prim."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

from ..findings import Findings
from .bodies import COLLISION, MESH_COLLISION, RIGID_BODY, Bodies
from .stage import INSTANCER, Stage

UNREAD = {
    INSTANCER: "instances of point instancers",
    "PhysicsDeformable": "deformable bodies",
    "PhysxDeformable": "deformable bodies",
    "PhysxParticle": "particles",
    "PhysxTendon": "tendons",
    "PhysicsJointStateAPI": "states of joints at the start",
    "PhysxLimitAPI": "springs and dampers of limits",
    "PhysxForceAPI": "forces",
    "PhysxSurfaceVelocityAPI": "moving surfaces",
    "PhysxVehicle": "vehicles",
    "PhysxPhysicsGearJoint": "gears between joints",
    "PhysxPhysicsRackAndPinionJoint": "gears between joints",
    "MjcActuator": "actuators",
    "MjcEquality": "equality constraints of MuJoCo",
    "MjcTendon": "tendons",
    "NewtonActuator": "actuators",
    "NewtonPointsDeformable": "deformable bodies",
}
"""Words for features that are not read, by the beginnings of the types and of the API schemas of their prims."""


ASLEEP = "bodies that sleep at the start (physics:startsAsleep)"
OTHER_SCENE = "owners that are other scenes than the first (physics:simulationOwner)"
DECOMPOSITIONS = "convex decompositions of meshes on moving bodies (LINK.collisions=pieces makes them)"
STATIC_HULLS = "convex hulls of meshes that are fixed to the world"
"""Words for attributes of bodies and colliders that are not read."""


def tell_unread(bodies: Bodies, stage: Stage, findings: Findings) -> None:
    """Add the notes about the prims of a stage."""
    found: dict[str, list[str]] = {}
    for prim in (*bodies.others, *bodies.joints):
        names = frozenset((str(prim.GetTypeName()), *stage.applied(prim)))
        for words in {*_unread_kinds(names), *_unread_attributes(prim, names, bodies, stage)}:
            found.setdefault(words, []).append(str(prim.GetPath()))
    for words, paths in sorted(found.items()):
        findings.note(f"{words} are not read: {len(paths)} found, the first at {paths[0]}")


@cache  # a stage has many prims and few kinds of them
def _unread_kinds(names: frozenset[str]) -> frozenset[str]:
    """Return the words for features that are not read of a prim of a type with schemas. names: of all these."""
    return frozenset(words for begin, words in UNREAD.items() if any(name.startswith(begin) for name in names))


def _unread_attributes(prim: Any, names: Collection[str], bodies: Bodies, stage: Stage) -> Iterator[str]:
    """Yield the words for attributes of a prim. names: of its type and its schemas."""
    if RIGID_BODY in names and stage.flag(prim, "physics:startsAsleep", False):
        yield ASLEEP
    if RIGID_BODY in names or COLLISION in names:
        owners = stage.targets(prim, "physics:simulationOwner")
        if owners and not (bodies.scenes and bodies.scenes[0].GetPath() in owners):
            yield OTHER_SCENE
    if MESH_COLLISION in names:
        owner = bodies.owner[str(prim.GetPath())]
        stands = not owner or owner in bodies.kinematic
        kind = stage.word(prim, "physics:approximation", "none")
        if kind == ("convexHull" if stands else "convexDecomposition"):
            yield STATIC_HULLS if stands else DECOMPOSITIONS
