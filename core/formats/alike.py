"""What readers of both formats do alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..geometry import Color
from ..spatial import IDENTITY_QUAT, Pose, Quat, Sym3, quat_normalized, quat_to_mat, sym_rotate
from .findings import Findings
from .resources import FilesBeside, ResourceError
from .xml import Element

WHITE: Color = (1.0, 1.0, 1.0, 1.0)
UNBOUNDED = 1e16
"""What stands for a limit that is none: SDF's number, and what many exporters write."""


def lower_bound(value: float) -> float:
    return -math.inf if value <= -UNBOUNDED else value


def upper_bound(value: float) -> float:
    return math.inf if value >= UNBOUNDED else value


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
