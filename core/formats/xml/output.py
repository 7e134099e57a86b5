# SPDX-License-Identifier: GPL-3.0-or-later
"""XML output: numbers that read back as the same numbers, and elements kept from a file."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ...files.xml import Element as ReadElement
from ...spatial import Pose, rpy_of_quat

NOISE = 1e-15
"""Largest rounding error of a zero after a few poses were composed [m or rad]."""


def xml(root: Element) -> str:
    """Return an element as the text of a file, indented."""
    indent(root)
    return f'<?xml version="1.0"?>\n{tostring(root, encoding="unicode")}\n'


def put(parent: Element, tag: str, text: str) -> None:
    """Add a child element with a text."""
    SubElement(parent, tag).text = text


def put_pose(parent: Element, pose: Pose, exact: bool = False) -> None:
    """Add a <pose> of six numbers; none for the identity. Unless `exact`, numbers below `NOISE` are written as 0."""
    values = (*pose[:3], *rpy_of_quat(pose[3:]))
    if not exact:
        values = tuple(0.0 if abs(value) < NOISE else value for value in values)
    if any(values):
        put(parent, "pose", numbers(values))


def numbers(values: Iterable[float]) -> str:
    """Return numbers as text, with spaces between them."""
    return " ".join(map(number, values))


def number(value: float) -> str:
    """Return the shortest text that reads as the same number. The text is never "-0"."""
    text = repr(float(value) + 0.0)
    return text.removesuffix(".0")


def copied(element: ReadElement) -> Element:
    """Return an element of a file that was read as an element to write."""
    made = Element(element.tag, element.attributes)
    made.text = element.text or None
    made.extend(map(copied, element.children))
    return made
