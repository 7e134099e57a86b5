# SPDX-License-Identifier: GPL-3.0-or-later
"""The rigid bodies of a stage: which prims are links, and which prims belong to them.

A prim belongs to the nearest prim above it, or itself, that is a rigid body. What belongs to none stands still; it
belongs to the world.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ...model import WORLD, Link
from ...model.naming import TakenNames
from ...spatial import ZERO_SYM, Vec3, quat_rotate
from ...spatial.arrays import matmul
from ..findings import Findings
from .stage import Stage, rotation_of

RIGID_BODY, COLLISION, MASS = "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"
MESH_COLLISION = "PhysicsMeshCollisionAPI"
"""Names of API schemas."""

PLAIN = ("", "Xform", "Scope")
"""Types of prims that say nothing themselves. A stage may have a million of them."""

RADIAN = math.radians(1.0)
"""Radians per degree."""


class Bodies:
    """The bodies of a stage.

    Attributes:
        links: of each body, by the path of its prim. prims: the prims of bodies, by the same.
        kinematic: paths of the bodies that stand still or follow their animation.
        owner: path of the body to which a prim belongs, by the prim's path; "" for the world.
        joints, scenes: prims of these types. others: all other prims that are more than places, with bodies.
    """

    def __init__(self, stage: Stage, findings: Findings):
        self._stage, self._findings = stage, findings
        self.links: dict[str, Link] = {}
        self.prims: dict[str, Any] = {}
        self.kinematic: list[str] = []
        self.owner: dict[str, str] = {}
        self.joints: list[Any] = []
        self.scenes: list[Any] = []
        self.others: list[Any] = []
        for prim in stage.prims():
            self._add(prim)
        names = _names({path: stage.name_of(prim) for path, prim in self.prims.items()})
        for path, prim in self.prims.items():
            self.links[path] = self._link(prim, names[path])

    def _add(self, prim: Any) -> None:
        path = str(prim.GetPath())
        parent = self.owner.get(path.rpartition("/")[0], "")
        applied = self._stage.applied(prim)
        is_body = RIGID_BODY in applied and self._stage.flag(prim, "physics:rigidBodyEnabled", True)
        self.owner[path] = path if is_body else parent
        kind = str(prim.GetTypeName())
        if is_body:
            self.prims[path] = prim
            if self._stage.flag(prim, "physics:kinematicEnabled", False):
                self.kinematic.append(path)
        if kind == "PhysicsScene":
            self.scenes.append(prim)
        elif "Physics" in kind and kind.endswith("Joint"):
            self.joints.append(prim)
        elif applied or kind not in PLAIN:
            self.others.append(prim)

    def _link(self, prim: Any, name: str) -> Link:
        stage = self._stage
        link = Link(name, mass=0.0, inertia=ZERO_SYM, pose=stage.pose(prim))
        velocity, turning = (
            np.array(stage.numbers(prim, f"physics:{name}", (0.0, 0.0, 0.0)))
            for name in ("velocity", "angularVelocity")
        )
        if velocity.any() or turning.any():
            space = stage.space(prim)
            link.velocity = cast(Vec3, tuple(matmul(space, velocity[:, None])[:, 0].tolist()))
            x, y, z = (turning * RADIAN).tolist()
            link.angular_velocity = quat_rotate(rotation_of(space), (x, y, z))
        return link


def _names(prims: Mapping[str, str]) -> dict[str, str]:
    """Return a name for each path: that of its prim, after as many parts of the path as make it one of a kind.

    prims: names by paths.
    """
    taken, found = TakenNames([WORLD]), {}
    paths = [[*path.strip("/").split("/")[:-1], name] for path, name in prims.items()]
    counts = Counter("::".join(parts[-count:]) for parts in paths for count in range(1, len(parts) + 1))
    for path, parts in zip(prims, paths, strict=True):
        lengths = range(1, len(parts) + 1)
        count = next((n for n in lengths if counts["::".join(parts[-n:])] == 1), len(parts))
        found[path] = taken.claim("::".join(parts[-count:]))
    return found
