# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a format's XML, and mistakes that readers mend. The module is small, since enabling the add-on loads it."""

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
