# SPDX-License-Identifier: GPL-3.0-or-later
"""What the XML of a format may be. This module is small, because Blender starts with the list of formats."""

from __future__ import annotations

from typing import NamedTuple


class XmlRules(NamedTuple):
    """Limits of a format's files, and what its own programs tolerate.

    Attributes:
        depth: largest nesting depth of elements. Real files of SDF and URDF need about 20, and readers recurse over
            nested models.
        word: largest length of a tag, an attribute's name or its value [characters].
        mends_blanks: whether a missing blank between two attributes is added.
    """

    depth: int = 150
    word: int = 65_536
    mends_blanks: bool = False
