# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons of bodies for tests without Blender: parts at known places, in any pose and orientation."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from limberjack.core.characters.anatomy import Bone

POSES = {"T": 0.0, "A": 45.0, "hanging": 85.0}
"""Angle of the arms below the horizontal in usual rest poses [degrees]."""

UPWARD = np.array((0.0, 0.0, 1.0))
"""Up in the axes of the skeletons here, which look along -y and have their left side at positive x."""

MIDDLE_PARTS = {
    "hips": ("", (0.0, 0.0, 0.95), (0.0, 0.0, 1.05)),
    "spine": ("hips", (0.0, 0.0, 1.05), (0.0, 0.0, 1.2)),
    "chest": ("spine", (0.0, 0.0, 1.2), (0.0, 0.0, 1.4)),
    "neck": ("chest", (0.0, 0.0, 1.45), (0.0, 0.0, 1.55)),
    "head": ("neck", (0.0, 0.0, 1.55), (0.0, 0.0, 1.75)),
}
"""Parent, head and tail of the parts in the middle [m]."""

LEGS = {
    "thigh": ("hips", (0.1, 0.0, 0.9), (0.1, 0.0, 0.5)),
    "shin": ("thigh", (0.1, 0.0, 0.5), (0.1, 0.0, 0.1)),
    "foot": ("shin", (0.1, 0.0, 0.1), (0.1, -0.15, 0.03)),
    "toes": ("foot", (0.1, -0.15, 0.03), (0.1, -0.22, 0.03)),
}
"""Those of the left leg."""

ARM = {"upper_arm": ("clavicle", 0.28), "forearm": ("upper_arm", 0.25), "hand": ("forearm", 0.1)}
"""Parent and length of the parts of an arm, which begins at `SHOULDER` [m]."""

SHOULDER = (0.16, 0.0, 1.42)

NAMES = {part: part for part in (*MIDDLE_PARTS, "clavicle", *ARM, *LEGS)}
"""Names that are those of the parts."""


def body(
    pose: str = "T",
    turn: np.ndarray | None = None,
    scale: float = 1.0,
    names: Mapping[str, str] = NAMES,
    sides: tuple[str, str] = (".L", ".R"),
    elbow: float = 0.0,
    knee: float = 0.0,
) -> list[Bone]:
    """Return the bones of a body, parents first.

    Args:
        turn: rotation of the whole, shape (3, 3).
        names: of the bones by part; {} in them stands for the side, which else comes behind.
        sides: words for left and right.
        elbow, knee: by how much they are bent at rest, forward and backward [degrees].
    """
    turned = scale * (np.eye(3) if turn is None else turn)
    rows = [
        (part, part in MIDDLE_PARTS, *row) for part, row in (*MIDDLE_PARTS.items(), *_side(pose, elbow, knee).items())
    ]
    bones = []
    for part, is_middle, parent, head, tail in rows:
        for word, sign in (("", 1.0),) if is_middle else zip(sides, (1.0, -1.0), strict=True):
            name, above = (_named(names, each, word) for each in (part, parent))
            ends = ((turned @ (np.array(end) * (sign, 1.0, 1.0))).tolist() for end in (head, tail))
            bones.append(Bone(name, above or None, *(tuple(end) for end in ends)))
    return bones


def _named(names: Mapping[str, str], part: str, side: str) -> str:
    if not part:
        return ""
    name = names[part]
    if part in MIDDLE_PARTS:
        return name
    return name.format(side) if "{}" in name else name + side


def _side(pose: str, elbow: float, knee: float) -> dict[str, tuple[str, tuple, tuple]]:
    """Return the parts of the left side: parent, head and tail."""
    found = {"clavicle": ("chest", (0.03, 0.0, 1.42), SHOULDER)}
    angle, head = math.radians(POSES[pose]), np.array(SHOULDER)
    outward, forward = np.array((math.cos(angle), 0.0, -math.sin(angle))), np.array((0.0, -1.0, 0.0))
    bend = math.radians(elbow)
    for part, (parent, length) in ARM.items():
        along = outward if part == "upper_arm" else math.cos(bend) * outward + math.sin(bend) * forward
        found[part] = (parent, tuple(head), tuple(head + length * along))
        head = head + length * along
    back = math.radians(knee)
    pivot, turn = (
        np.array(LEGS["shin"][1]),
        np.array(((1.0, 0.0, 0.0), (0.0, math.cos(back), -math.sin(back)), (0.0, math.sin(back), math.cos(back)))),
    )
    for part, (parent, start, end) in LEGS.items():
        if part == "thigh":
            found[part] = (parent, start, end)
        else:
            found[part] = (parent, *(tuple(pivot + turn @ (np.array(each) - pivot)) for each in (start, end)))
    return found
