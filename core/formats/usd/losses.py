# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about what a stage has and this program does not: one for each kind, with its count and its first prim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..findings import Findings
from .stage import INSTANCER, Stage

UNREAD = {
    INSTANCER: "instances of point instancers",
    "PhysicsDeformable": "deformable bodies",
    "PhysxDeformable": "deformable bodies",
    "PhysxParticle": "particles",
    "PhysxTendon": "tendons",
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


def tell_unread(prims: Iterable[Any], stage: Stage, findings: Findings) -> None:
    """Add the notes about prims."""
    found: dict[str, list[str]] = {}
    for prim in prims:
        names = {str(prim.GetTypeName()), *stage.applied(prim)}
        for words in {words for begin, words in UNREAD.items() if any(name.startswith(begin) for name in names)}:
            found.setdefault(words, []).append(str(prim.GetPath()))
    for words, paths in sorted(found.items()):
        findings.note(f"{words} are not read: {len(paths)} found, the first at {paths[0]}")
