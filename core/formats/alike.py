# SPDX-License-Identifier: GPL-3.0-or-later
"""What readers of both formats do alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..files.resources import BarredError, FilesBeside, ResourceError
from ..files.xml import Element
from ..geometry import Color, Mesh
from ..spatial import IDENTITY_QUAT, Pose, Quat, Sym3, Vec3, quat_normalized, quat_to_mat, sym_rotate
from .findings import Findings
from .images import is_image

WHITE: Color = (1.0, 1.0, 1.0, 1.0)
UNBOUNDED = 1e16
"""What stands for a limit that is none: SDF's number, and what many exporters write."""

UNBOUNDED_FRICTION = 1000.0
"""Stands for friction without bound: what slides is pushed a thousand times as hard as it is pressed on."""


def lower_bound(value: float) -> float:
    return -math.inf if value <= -UNBOUNDED else value


def upper_bound(value: float) -> float:
    return math.inf if value >= UNBOUNDED else value


def bounded_friction(value: float) -> float:
    """A coefficient. Below 0 and infinite, it has no bound: Gazebo reads what is below 0 so."""
    return value if 0.0 <= value < math.inf else UNBOUNDED_FRICTION


def tell_two_directions(frictions: Mapping[str, float], at: Element, findings: Findings) -> None:
    """Note, once, that of friction along two directions the smaller is taken."""
    both = ", ".join(f"{tag} {value:g}" for tag, value in frictions.items())
    findings.note(
        f"friction that differs along two directions ({both} in {at.subject}, line {at.line}) is taken as the smaller; "
        "the larger comes back when this format is written",
        once="two directions",
    )


def unit_quat(at: Element, xyzw: Sequence[float], findings: Findings) -> Quat:
    """w x y z of length 1, from numbers in the order of files; no turn after reporting that they are all 0."""
    largest = max(map(abs, xyzw))
    if largest == 0.0:
        findings.error(at, "bad-number", f"<{at.tag}> has the quaternion 0 0 0 0; give one of length 1")
        return IDENTITY_QUAT
    x, y, z, w = (part / largest for part in xyzw)  # their squares may be no numbers
    return quat_normalized((w, x, y, z))


def turned_inertia(X_LI: Pose, inertia: Sym3) -> Sym3:
    """A tensor in the axes of I, in those of L; left to the last bit as it is where both are the same."""
    return inertia if X_LI[3:] == IDENTITY_QUAT else sym_rotate(quat_to_mat(X_LI[3:]), inertia)


def named_mesh(uri: str, scale: Vec3, element: Element, findings: Findings, files: FilesBeside) -> Mesh:
    """Return the mesh that a uri names, with the file that it leads to, if there is one.

    A missing file is a note if the mesh is only shown. `check` warns of missing collision meshes.
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
    """What a texture is called from now on: where it lies, for a path that leads to an image that may be opened.

    What is not there keeps its name. Uris with a scheme do too, and nothing opens them.
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
