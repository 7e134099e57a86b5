# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of the parts of a body, from the mass of the whole."""

from __future__ import annotations

from collections.abc import Mapping

from .anatomy import Place
from .body_parts import CENTRAL, MASS_SHARES, PARTS
from .bone_names import MIDDLE


def masses_of(
    places: Mapping[str, Place], volumes: Mapping[str, float], total: float, by_part: bool
) -> dict[str, float]:
    """Return the mass of each bone that gets a link [kg]; they add up to the total.

    Args:
        places: of those bones.
        volumes: of their shapes, in any unit.
        total: mass of the body [kg].
        by_part: whether parts have the shares of a human body. What has none there, and all parts otherwise, weighs in
            proportion to its volume.

    Raises:
        ValueError: if all volumes are 0.
    """
    whole = sum(volumes[name] for name in places)
    if not whole > 0.0:
        raise ValueError("all volumes are 0: a body needs shapes to weigh")
    if not by_part:
        return {name: total * volumes[name] / whole for name in places}
    central = {PARTS[part].group for part in CENTRAL}  # the collarbones belong to the trunk, which has no sides
    groups: dict[tuple[str, int], list[str]] = {}
    for name, place in places.items():
        if group := PARTS[place.part].group:
            groups.setdefault((group, MIDDLE if group in central else place.side), []).append(name)
    shares = {name: 100.0 * volumes[name] / whole for name in places}
    for (group, _), names in groups.items():
        volume = sum(volumes[name] for name in names)
        for name in names:
            shares[name] = MASS_SHARES[group] * (volumes[name] / volume if volume > 0.0 else 1.0 / len(names))
    scale = total / sum(shares.values())
    return {name: share * scale for name, share in shares.items()}
