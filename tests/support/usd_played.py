# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads USD files with pxr alone: runs its validators, and computes points of skinned meshes. Needs pxr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def skinned_meshes(stage: Any) -> dict[str, Any]:
    """Return the meshes of a stage that follow a skeleton, by name."""
    from pxr import UsdGeom, UsdSkel

    found = filter(UsdGeom.Mesh, stage.Traverse())
    return {prim.GetName(): prim for prim in found if prim.HasAPI(UsdSkel.BindingAPI)}


def points_by_pxr(stage: Any, name: str, code: float) -> np.ndarray:
    """Return the points of a skinned mesh in the world at a time code, by UsdSkel's own skinning, shape (p, 3)."""
    from pxr import Usd, UsdGeom, UsdSkel

    prim = skinned_meshes(stage)[name]
    cache = UsdSkel.Cache()
    assert cache.Populate(UsdSkel.Root.Find(prim), Usd.TraverseInstanceProxies())
    query = cache.GetSkinningQuery(prim)
    skeleton = cache.GetSkelQuery(UsdSkel.Skeleton(UsdSkel.BindingAPI(prim).GetInheritedSkeleton().GetPrim()))
    time = Usd.TimeCode(code)
    points = UsdGeom.Mesh(prim).GetPointsAttr().Get()
    assert query.ComputeSkinnedPoints(skeleton.ComputeSkinningTransforms(time), points, time)
    place = np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(skeleton.GetPrim()))
    return np.array(points, dtype=np.float64) @ place[:3, :3] + place[3, :3]


def complaints(path: Path) -> list[str]:
    """Return the complaints of pxr's validators about a file."""
    from pxr import Usd, UsdValidation

    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    return [f"{error.GetName()}: {error.GetMessage()}" for error in context.Validate(Usd.Stage.Open(str(path)))]
