# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of curves. A joint has one colour in all panels, and its further components have tints of it."""

from __future__ import annotations

import colorsys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from .curves import JOINT_QUANTITIES, Curve, Panel

Rgb = tuple[float, float, float]

PALETTE: tuple[Rgb, ...] = (
    (0.13, 0.30, 0.66),
    (0.68, 0.27, 0.02),
    (0.02, 0.65, 0.42),
    (0.76, 0.60, 0.73),
    (0.29, 0.62, 0.92),
    (0.37, 0.36, 0.39),
    (0.76, 0.75, 0.37),
    (0.79, 0.80, 0.02),
)
"""Colours of curves. They began as Okabe and Ito's, and were changed until people who confuse red and green can
distinguish any two of them.
"""

TINTS = (0.0, 0.32, 0.58)
"""Fraction of white in the colour of a joint's first, second and any further component."""


def palette_of(panels: Iterable[Panel]) -> dict[str, Rgb]:
    """Return the colour of each owner of curves."""
    of_joints: dict[str, None] = {}
    others: dict[str, None] = {}
    for panel in panels:
        owners = of_joints if panel.quantity in JOINT_QUANTITIES else others
        owners |= dict.fromkeys(curve.owner for curve in panel.curves)
    return _colored(others) | _colored(of_joints)


def _colored(owners: Mapping[str, None]) -> dict[str, Rgb]:
    return dict(zip(owners, _shades(len(owners)), strict=True))


def _shades(count: int) -> Sequence[Rgb]:
    """Return `count` colours. If the palette has fewer, they are hues around the colour circle."""
    if count <= len(PALETTE):
        return PALETTE[:count]
    return [colorsys.hls_to_rgb(number / count, 0.45, 0.5) for number in range(count)]


def tinted(curves: Iterable[Curve], palette: Mapping[str, Rgb]) -> list[Rgb]:
    """Return the colour of each of a panel's curves."""
    found, before = [], Counter()
    for curve in curves:
        white = TINTS[min(before[curve.owner], len(TINTS) - 1)]
        red, green, blue = (part + white * (1.0 - part) for part in palette[curve.owner])
        found.append((red, green, blue))
        before[curve.owner] += 1
    return found
