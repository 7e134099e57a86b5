# SPDX-License-Identifier: GPL-3.0-or-later
"""pxr's own parser of physics, as a judge of our reader. It is imported only where pxr is."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from limberjack.core.files.resources import FilesBeside, Resources
from limberjack.core.formats.findings import Findings, Places
from limberjack.core.formats.source import Source
from limberjack.core.formats.usd.read import read_usd
from limberjack.core.geometry.shape_mass import mass_properties_and_notes
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.processes.quiet import quiet
from limberjack.core.spatial import (
    Pose,
    Quat,
    compose,
    inverse,
    norm,
    quat_mul,
    quat_normalized,
    quat_rotate,
    quat_to_mat,
    rotvec_of_quat,
)

Y_UP: Quat = (0.5**0.5, 0.5**0.5, 0.0, 0.0)


@dataclass
class Judged:
    """A stage, as pxr's parser has it, and our reading of it.

    Attributes:
        descriptions: of all physics objects, by the names of their types and their paths.
        links, joints: of our model, by the paths of their prims. Joints that were merged have one path.
    """

    path: Path
    model: Model = field(init=False)
    notes: list[str] = field(init=False)

    def __post_init__(self) -> None:
        from pxr import Usd, UsdGeom, UsdPhysics

        findings = Findings()
        self.model, places = read_usd(Source(self.path), findings, FilesBeside(Resources(self.path), self.path))
        self.notes = [*findings.notes, *(f"{issue.code} {issue.prim}" for issue in findings.issues)]
        self.links: dict[str, Link] = _by_path(places, "link", self.model.links)
        self.joints: dict[str, Joint] = _by_path(places, "joint", self.model.joints)
        with quiet(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the function is deprecated, and there is no other one in 26.11
            self.stage = Usd.Stage.Open(str(self.path))
            found = UsdPhysics.LoadUsdPhysicsFromRange(self.stage, ["/"])
        self.unit = UsdGeom.GetStageMetersPerUnit(self.stage)
        self.kilogram = UsdPhysics.GetStageKilogramsPerUnit(self.stage)
        self.up: Quat = Y_UP if UsdGeom.GetStageUpAxis(self.stage) == "Y" else (1.0, 0.0, 0.0, 0.0)
        self.descriptions = {
            str(kind).rpartition(".")[2]: {str(path): each for path, each in zip(*pair, strict=True)}
            for kind, pair in found.items()
        }

    def joint_descriptions(self) -> dict[str, tuple[str, Any]]:
        """(type, description) of each joint, by its path."""
        kinds = [kind for kind in self.descriptions if kind.endswith("Joint")]
        return {path: (kind, each) for kind in kinds for path, each in self.descriptions[kind].items()}

    def body_descriptions(self) -> dict[str, Any]:
        """The rigid bodies that are enabled."""
        found = self.descriptions.get("RigidBody", {})
        return {path: each for path, each in found.items() if each.rigidBodyEnabled}

    def pose(self, position: Any, rotation: Any, is_world: bool = True) -> Pose:
        """A pose of pxr in metres; in our axes if it is one in the world."""
        at = tuple(self.unit * float(value) for value in position)
        turn = quat_normalized((rotation.GetReal(), *rotation.GetImaginary()))
        if not is_world:
            return (*at, *turn)
        return (*quat_rotate(self.up, at), *quat_mul(self.up, turn))

    def frame(self, each: Any, side: int) -> Pose:
        """A joint's frame on a side, in the link or in the world. pxr gives it in the prim that the joint names."""
        names = (f"localPose{side}Position", f"localPose{side}Orientation", f"rel{side}", f"body{side}")
        position, rotation, rel, body = (getattr(each, name) for name in names)
        is_link = str(body) in self.links
        if is_link or not rel:
            return self.pose(position, rotation, is_world=not is_link)
        from pxr import Gf, UsdGeom

        drawn = Gf.Transform(UsdGeom.XformCache().GetLocalToWorldTransform(self.stage.GetPrimAtPath(rel)))
        X_WP = self.pose(drawn.GetTranslation(), drawn.GetRotation().GetQuat())
        return compose(X_WP, self.pose(position, rotation, is_world=False))

    def ends(self, each: Any) -> list[str]:
        """Names of the links that a joint of pxr connects."""
        return [self.links[str(path)].name if str(path) in self.links else WORLD for path in (each.body0, each.body1)]

    def colliders(self, body: Any) -> list[str]:
        """Paths of a body's colliders that are enabled, in the order of the stage."""
        from pxr import Usd

        own = {str(path) for path in body.collisions}
        prims = Usd.PrimRange(self.stage.GetPrimAtPath(body.primPath), Usd.TraverseInstanceProxies())
        paths = [str(prim.GetPath()) for prim in prims if str(prim.GetPath()) in own]
        return [path for path in paths if self.stage.GetPrimAtPath(path).GetAttribute("physics:collisionEnabled").Get()]

    def mass_properties(self, body: Any) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass [kg], com [m] and inertia about it [kg m^2] in a link, by pxr from the volumes of our shapes."""
        from pxr import Gf, UsdPhysics

        link = self.links[str(body.primPath)]
        shapes = dict(zip(self.colliders(body), link.collisions, strict=True))

        asked: list[Any] = []

        def information(prim: Any) -> Any:
            asked.append(prim)
            made = UsdPhysics.RigidBodyAPI.MassInformation()
            shape = shapes.get(str(prim.GetPath()))
            if shape is None:  # it has the schema of colliders, and no geometry
                return made
            solid, _ = mass_properties_and_notes(shape.geometry)
            assert solid is not None
            made.volume = solid.volume / self.unit**3
            made.inertia = Gf.Matrix3f(*(solid.inertia / self.unit**5).ravel().tolist())
            made.centerOfMass = Gf.Vec3f(*(float(value) / self.unit for value in solid.com))
            made.localPos = Gf.Vec3f(*(value / self.unit for value in shape.pose[:3]))
            made.localRot = Gf.Quatf(*shape.pose[3:])
            return made

        prim = self.stage.GetPrimAtPath(body.primPath)
        mass, moments, com, axes = UsdPhysics.RigidBodyAPI(prim).ComputeMassProperties(information)
        if not asked:  # pxr leaves the axes as they were in memory then
            axes = Gf.Quatf(prim.GetAttribute("physics:principalAxes").Get() or 0.0)
        turn = (axes.GetReal(), *axes.GetImaginary())
        R = np.array(quat_to_mat(quat_normalized(turn) if any(turn) else (1.0, 0.0, 0.0, 0.0))).reshape(3, 3)
        inertia = R @ np.diag([float(value) for value in moments]) @ R.T
        squared = self.kilogram * self.unit**2
        return mass * self.kilogram, np.array([float(value) for value in com]) * self.unit, inertia * squared


def _by_path(places: Places, kind: str, parts: list) -> dict[str, Any]:
    names = {part.name: part for part in parts}
    return {place.prim: names[name] for (what, name), place in places.items() if what == kind}


def apart(X: Pose, Y: Pose) -> float:
    """The greater of the distance [m] and the angle [rad] between two poses."""
    rest = compose(inverse(X), Y)
    return max(norm(rest[:3]), norm(rotvec_of_quat(rest[3:])))
