"""What readers of both formats do alike."""

from __future__ import annotations

from ..geometry import Color
from ..spatial import IDENTITY_QUAT, Pose, Sym3, quat_to_mat, sym_rotate
from .findings import Findings
from .resources import FilesBeside, ResourceError
from .xml import Element

WHITE: Color = (1.0, 1.0, 1.0, 1.0)


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
