# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage of USD, with its values in our units and axes: metres, kilograms, radians, Z up.

Source: OpenUSD documentation, "Encoding Stage Linear Units", "Encoding Stage UpAxis" and "Rigid Body Physics in USD".
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from ...files.errors import UnreadableError
from ...processes.quiet import quiet
from ...spatial import IDENTITY_QUAT, Pose, Quat, Vec3, quat_normalized, quat_of_mat, quat_rotate
from ...spatial.arrays import det, matmul, nearest_rotation
from ...text import one_line
from ..findings import Findings
from ..source import Source
from .library import INSTALL, pxr

MOST_PRIMS = 2_000_000
"""Number of prims above which a stage is refused. Each takes about a kilobyte when it is open."""

CONTENTS = {
    b"#usda": ("text", (".usda", ".usd")),
    b"PXR-USDC": ("a binary file", (".usdc", ".usd")),
    b"PK\3\4": ("an archive", (".usdz",)),
}
"""The kinds of USD files by their first bytes, each with the suffixes by which pxr recognizes it."""

INSTANCER = "PointInstancer"
"""Type of prims that place copies of others."""

COMPONENTS = ("component", "subcomponent")
"""Kinds of prims that are one thing, such as a table with its geometry to be seen and to be touched."""

FLAT = 1e-12
"""Determinant of three unit vectors up to which they count as coplanar, so that no rotation is the nearest [1]."""

Y_UP: Quat = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Rotation that takes the axes of a stage with Y up to ours with Z up."""


@dataclass(frozen=True)
class PrimPlace:
    """A prim as a place of findings."""

    prim: str
    subject: str
    line: None = None
    file: str = ""


class Stage:
    """A stage that is open.

    Attributes:
        unit: metres per unit of length. kilogram: kilograms per unit of mass.
        up: rotation from the stage's axes to ours.
    """

    def __init__(self, stage: Any, modules: Any, findings: Findings):
        self._stage, self._pxr, self._findings = stage, modules, findings
        self.unit = self._positive(modules.UsdGeom.GetStageMetersPerUnit(stage), "metersPerUnit")
        self.kilogram = self._positive(stage.GetMetadata("kilogramsPerUnit") or 1.0, "kilogramsPerUnit")
        self.up: Quat = Y_UP if modules.UsdGeom.GetStageUpAxis(stage) == "Y" else IDENTITY_QUAT
        self._time = modules.Usd.TimeCode.EarliestTime()
        self._transforms = modules.UsdGeom.XformCache(self._time)

    def _positive(self, value: float, what: str) -> float:
        if value > 0.0 and math.isfinite(value):
            return value
        self._findings.error(PrimPlace("/", "the stage"), "bad-number", f"{what} is {value:g}; give a number above 0")
        return 1.0

    @cached_property
    def name(self) -> str:
        """The name of the default prim, or of the first one at the top; "usd" if there is none."""
        prim = self._stage.GetDefaultPrim() or next(iter(self._stage.GetPseudoRoot().GetChildren()), None)
        return self.name_of(prim) if prim else "usd"

    @property
    def root(self) -> Any:
        """The prim that all others are below."""
        return self._stage.GetPseudoRoot()

    def members(self, prim: Any, name: str) -> Callable[[str], bool]:
        """Return a function that tells whether a collection of a prim contains the prim at a path."""
        query, path_of = self._pxr.Usd.CollectionAPI(prim, name).ComputeMembershipQuery(), self._pxr.Sdf.Path
        return lambda path: bool(query.IsPathIncluded(path_of(path)))

    def prims(self) -> Iterator[Any]:
        """Yield all prims that are active, defined and loaded, with those inside of instances, parents first.

        Prims below a point instancer are left out.

        Raises:
            UnreadableError: if there are more than `MOST_PRIMS`.
        """
        usd = self._pxr.Usd
        walk = iter(usd.PrimRange.Stage(self._stage, usd.TraverseInstanceProxies()))
        for number, prim in enumerate(walk):
            if number == MOST_PRIMS:
                path = self._stage.GetRootLayer().identifier
                raise UnreadableError(path, f"it has more than {MOST_PRIMS} prims; open a part of it")
            if prim.GetTypeName() == INSTANCER:
                walk.PruneChildren()  # they are what it places elsewhere
            yield prim

    def prim_at(self, path: object) -> Any | None:
        """Return the prim at a path, or None."""
        return self._stage.GetPrimAtPath(path) or None

    @staticmethod
    def name_of(prim: Any) -> str:
        """Return the name that users see: the display name, or else that in the path."""
        return prim.GetMetadata("displayName") or prim.GetName()

    def component(self, prim: Any) -> str:
        """Return the path of the nearest component, or part of one, at or above a prim; "" if there is none."""
        while prim and not prim.IsPseudoRoot():
            if prim.GetMetadata("kind") in COMPONENTS:
                return str(prim.GetPath())
            prim = prim.GetParent()
        return ""

    def place(self, prim: Any, subject: str = "") -> PrimPlace:
        """Return a prim as a place of findings. subject: words for it; else its name."""
        path = str(prim.GetPath())
        return PrimPlace(path, subject or f"prim '{prim.GetName() or path}'")

    # ---- values

    @staticmethod
    def applied(prim: Any) -> set[str]:
        """Return the names of the API schemas of a prim, those that pxr does not know too, as "PhysicsMassAPI"."""
        known = prim.GetPrimTypeInfo().GetAppliedAPISchemas()
        return {*map(str, known), *map(str, prim.GetAppliedSchemas())}

    def raw(self, prim: Any, name: str) -> Any:
        """Return the value of an attribute at the earliest time; None if there is none."""
        attribute = prim.GetAttribute(name)
        return attribute.Get(self._time) if attribute else None

    def number(self, prim: Any, name: str, default: float, *, infinite: bool = True) -> float:
        """Return the number in an attribute. Report one that is not a number.

        infinite: whether it may be infinite.
        """
        value = self.raw(prim, name)
        if value is None:
            return default
        if isinstance(value, int | float) and (math.isfinite(value) or (infinite and math.isinf(value))):
            return float(value)
        self._refuse(prim, name, value)
        return default

    def not_negative(self, prim: Any, name: str, default: float = 0.0) -> float:
        """Return the number in an attribute; the default, with a finding, if it is below 0 or no number.

        It may be infinite if the default is.
        """
        value = self.number(prim, name, default, infinite=math.isinf(default))
        if value >= 0.0:
            return value
        self._findings.error(self.place(prim), "bad-number", f"{name} is {value:g}; give 0 or more")
        return default

    def numbers(self, prim: Any, name: str, default: Sequence[float], *, infinite: bool = False) -> tuple[float, ...]:
        """Return the numbers in an attribute that holds as many as the default. Report others.

        Quaternions are w x y z. infinite: whether they may be infinite.
        """
        value = self.raw(prim, name)
        if value is None:
            return tuple(default)
        if hasattr(value, "GetReal"):
            value = (value.GetReal(), *value.GetImaginary())
        try:
            found = tuple(map(float, value))
        except (TypeError, ValueError):
            found = ()
        is_usable = all(math.isfinite(each) or (infinite and math.isinf(each)) for each in found)
        if len(found) == len(default) and is_usable:
            return found
        self._refuse(prim, name, value)
        return tuple(default)

    def word(self, prim: Any, name: str, default: str) -> str:
        value = self.raw(prim, name)
        return default if value is None else str(value)

    def flag(self, prim: Any, name: str, default: bool) -> bool:
        value = self.raw(prim, name)
        return default if value is None else bool(value)

    def _refuse(self, prim: Any, name: str, value: object) -> None:
        self._findings.error(self.place(prim), "bad-number", f"{name} is {one_line(str(value))}; give finite numbers")

    @staticmethod
    def targets(prim: Any, name: str) -> list[Any]:
        """Return the paths that a relationship names."""
        relationship = prim.GetRelationship(name)
        return list(relationship.GetForwardedTargets()) if relationship else []

    # ---- places

    def matrix(self, prim: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the linear part of a prim's transform to the world, shape (3, 3), and its origin, shape (3,) [m].

        The linear part takes lengths of the stage to metres. Columns are the images of the prim's axes.
        """
        rows = np.array(self._transforms.GetLocalToWorldTransform(prim), dtype=float)
        turn = np.array(_matrix(self.up))
        return matmul(turn, rows[:3, :3].T) * self.unit, matmul(turn, rows[3, :3, None])[:, 0] * self.unit

    def space(self, prim: Any) -> np.ndarray:
        """Return the linear part, as of `matrix`, of the space in which a prim's transform is: that of its parent."""
        _, is_reset = self._transforms.GetLocalTransformation(prim)
        return self.matrix(self.root if is_reset else prim.GetParent())[0]

    def pose(self, prim: Any) -> Pose:
        """Return the pose of a prim without its scale. A mirrored prim is turned as if it were not mirrored [m]."""
        linear, origin = self.matrix(prim)
        return cast(Pose, (*origin.tolist(), *rotation_of(linear)))

    def vector(self, prim: Any, name: str) -> Vec3:
        """Return a vector of the stage's axes in ours, in the stage's unit; zero if it is not given."""
        return quat_rotate(self.up, cast(Vec3, self.numbers(prim, name, (0.0, 0.0, 0.0))))

    def bound_material(self, prim: Any, purpose: str = "") -> Any | None:
        """Return the prim of the material that is bound to a prim or above it, for a purpose or else for all, or None.

        The binding nearest to the prim counts, unless one above it is stronger than its descendants.
        """
        for name in (f"material:binding:{purpose}", "material:binding") if purpose else ("material:binding",):
            found, above = None, prim
            while above and not above.IsPseudoRoot():
                relationship = above.GetRelationship(name)
                if targets := list(relationship.GetForwardedTargets()) if relationship else []:
                    is_stronger = relationship.GetMetadata("bindMaterialAs") == "strongerThanDescendants"
                    found = targets[0] if found is None or is_stronger else found
                above = above.GetParent()
            if found is not None:
                return self.prim_at(found)
        return None

    def is_seen(self, prim: Any) -> bool:
        """Return whether renderers show a prim: it is visible, and no guide or proxy."""
        imageable = self._pxr.UsdGeom.Imageable(prim)
        if not imageable or imageable.ComputeVisibility(self._time) == "invisible":
            return False
        return imageable.ComputePurpose() in ("default", "render")


def _matrix(quat: Quat) -> list[list[float]]:
    columns = [quat_rotate(quat, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    return [[column[row] for column in columns] for row in range(3)]


def rotation_of(linear: np.ndarray) -> Quat:
    """Return the rotation nearest to a linear map, as a quaternion; the identity if the map is singular.

    linear: shape (3, 3).
    """
    sizes = np.sqrt((linear * linear).sum(axis=0))
    if not (sizes > 0.0).all():
        return IDENTITY_QUAT
    unscaled = linear / sizes
    if not abs(det(unscaled)) > FLAT:
        return IDENTITY_QUAT
    if det(unscaled) < 0.0:
        unscaled = -unscaled
    R = nearest_rotation(unscaled)
    return cast(Quat, quat_normalized(quat_of_mat(tuple(R.ravel().tolist()))))


def open_stage(source: Source, findings: Findings) -> Stage:
    """Open a file. References that are missing become warnings.

    Raises:
        UnreadableError: if there is no pxr, or if it cannot open the file.
    """
    try:
        modules = pxr()
    except ImportError as error:
        raise UnreadableError(source.path, INSTALL) from error
    if reason := _misnamed(source):
        raise UnreadableError(source.path, reason)
    with _file_of(source) as path:
        try:
            with quiet():  # it prints what `_tell_missing` reports
                stage = modules.Usd.Stage.Open(path)
        except modules.Tf.ErrorException as error:
            raise UnreadableError(
                source.path, f"pxr cannot open it: {_reason(error, path, source.path.name)}"
            ) from error
    _tell_missing(stage, source.path.name, findings)
    return Stage(stage, modules, findings)


@contextmanager
def refusing_what_pxr_refuses(source: Source) -> Iterator[None]:
    """Report what pxr says of values that it reads when they are first asked for.

    Raises:
        UnreadableError: if a value of a binary file is broken, or if a text is not UTF-8.
    """
    try:
        yield
    except UnreadableError:
        raise
    except UnicodeDecodeError as error:
        raise UnreadableError(source.path, "it has names or texts that are not UTF-8") from error
    except pxr().Tf.ErrorException as error:
        raise UnreadableError(source.path, f"pxr cannot read it: {_reason(error, '', '')}") from error


def _misnamed(source: Source) -> str:
    """Return why pxr, which goes by the suffix, would not understand a file that may be all right; "" if it will."""
    if not source.data.strip():
        return "the file is empty"
    suffix = source.path.suffix.lower()
    for beginning, (kind, suffixes) in CONTENTS.items():
        if suffix and suffix not in suffixes and source.data.startswith(beginning):
            return (
                f"it is {kind} of USD, but '{suffix}' is not the suffix of one; name it {source.path.stem}{suffixes[0]}"
            )
    return ""


@contextmanager
def _file_of(source: Source) -> Iterator[str]:
    """Give the path of a source on disk; of one that is only in memory, that of a temporary copy."""
    if source.path.is_file():
        yield str(source.path.resolve())
        return
    with tempfile.TemporaryDirectory(prefix="limberjack-") as folder:
        copy = Path(folder, f"stage{source.path.suffix or '.usd'}")
        copy.write_bytes(source.data)
        yield str(copy)


def _reason(error: Exception, opened: str, named: str) -> str:
    """Return the first thing that pxr says, without its own file names and function names.

    opened: path of the file that was opened, which may be a copy. named: what users call it.
    """
    found = re.findall(r"Error in '[^']*' at line [^']* : '(.*?)'\s*(?=Error in|\Z)", str(error), re.DOTALL)
    return one_line((found or [str(error)])[0].strip()).replace(opened, named)


def _tell_missing(stage: Any, name: str, findings: Findings) -> None:
    """Report each error of composition, such as a reference to a file that does not exist.

    name: of the stage's file, as messages say it.
    """
    root = stage.GetRootLayer().identifier
    found = []
    for error in stage.GetCompositionErrors():
        path = str(error.rootSite.path) if hasattr(error, "rootSite") else "/"
        text = re.sub(r",@anon:[^@]*@", "", str(error)).replace(f"@{root}@<", "<").replace(f"@{root}@", f"@{name}@")
        found.append((path, one_line(text)))
    for path, message in sorted(found):  # pxr composes in parallel
        findings.warning(PrimPlace(path, "the stage"), "not-found", message)
