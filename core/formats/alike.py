# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that the readers of both formats share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..files.resources import BarredError, FilesBeside, ResourceError
from ..files.xml import Element
from ..geometry import Color, Mesh
from ..mesh_files.images import is_image
from ..spatial import IDENTITY_QUAT, Pose, Quat, Sym3, Vec3, quat_normalized, quat_to_mat, sym_rotate
from .findings import Findings

WHITE: Color = (1.0, 1.0, 1.0, 1.0)
"""White, opaque."""

UNBOUNDED = 1e16
"""Absolute value from which on a limit counts as none. It is SDF's number, which many exporters write."""

UNBOUNDED_FRICTION = 1000.0
"""Friction coefficient that replaces friction without bound.

The friction force is then at most 1000 times the normal force.
"""


def lower_bound(value: float) -> float:
    """Return a lower limit; -inf if its number means none."""
    return -math.inf if value <= -UNBOUNDED else value


def upper_bound(value: float) -> float:
    """Return an upper limit; inf if its number means none."""
    return math.inf if value >= UNBOUNDED else value


def bounded_friction(value: float) -> float:
    """Return a friction coefficient.

    Negative and infinite ones mean no bound; Gazebo reads negative ones in this way.
    """
    return value if 0.0 <= value < math.inf else UNBOUNDED_FRICTION


def tell_two_directions(frictions: Mapping[str, float], at: Element, findings: Findings) -> None:
    """Note, once, that the smaller of two frictions along two directions is read."""
    both = ", ".join(f"{tag} {value:g}" for tag, value in frictions.items())
    findings.note(
        f"friction that differs along two directions ({both} in {at.subject}, line {at.line}) is taken as the smaller; "
        "the larger comes back when this format is written",
        once="two directions",
    )


def unit_quat(at: Element, xyzw: Sequence[float], findings: Findings) -> Quat:
    """Return w x y z of length 1, from numbers in the order of files.

    If all numbers are 0, report that and return the identity.
    """
    largest = max(map(abs, xyzw))
    if largest == 0.0:
        findings.error(at, "bad-number", f"<{at.tag}> has the quaternion 0 0 0 0; give one of length 1")
        return IDENTITY_QUAT
    x, y, z, w = (part / largest for part in xyzw)  # squares of the original numbers might overflow
    return quat_normalized((w, x, y, z))


def turned_inertia(X_LI: Pose, inertia: Sym3) -> Sym3:
    """Return a tensor in the axes of L from one in the axes of I.

    If both axes are the same, it stays the same to the last bit.
    """
    return inertia if X_LI[3:] == IDENTITY_QUAT else sym_rotate(quat_to_mat(X_LI[3:]), inertia)


def named_mesh(uri: str, scale: Vec3, element: Element, findings: Findings, files: FilesBeside) -> Mesh:
    """Return the mesh that a uri names, with the path of its file, if that was found.

    A missing file is a note if the mesh is a visual. `check` warns of missing collision meshes.
    """
    try:
        return Mesh(uri, scale, str(files.find(uri)), files.resources.reach)
    except ResourceError as error:
        if not _is_in_collision(element):
            findings.note(f"the mesh {error} (first in {element.subject}, line {element.line})", once=uri)
        return Mesh(uri, scale)


def _is_in_collision(element: Element) -> bool:
    shape = element.parent.parent if element.parent else None
    return shape is not None and shape.tag == "collision"


def named_image(name: str, element: Element, findings: Findings, files: FilesBeside) -> str:
    """Return the name of a texture: the path of the image, if there is one that may be opened.

    A relative name of a missing file stays as it is. So does a uri with a scheme, which is never opened. Otherwise the
    name is "".
    """
    if not name or "://" in name:
        return name
    try:
        found = files.find(name)
    except BarredError as error:
        findings.note(f"the image {error}, and left out (first in {element.subject}, line {element.line})", once=name)
        return ""
    except ResourceError:
        return "" if Path(name).is_absolute() else name
    if is_image(found):
        return str(found)
    findings.note(f"'{name}' is no image, and left out (first in {element.subject}, line {element.line})", once=name)
    return ""
