"""What readers of both formats do alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..geometry import Color
from ..spatial import IDENTITY_QUAT, Pose, Quat, Sym3, quat_normalized, quat_to_mat, sym_rotate
from .findings import Findings
from .resources import FilesBeside, ResourceError
from .xml import Element

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


def find_mesh(uri: str, element: Element, findings: Findings, files: FilesBeside) -> str:
    """The path that a mesh's uri leads to; empty, after a note, where there is nothing."""
    try:
        return str(files.find(uri))
    except ResourceError as error:
        findings.note(f"the mesh {error} (first in {element.subject}, line {element.line})", once=uri)
        return ""
