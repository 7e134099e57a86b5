# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves can be told apart, by those who confuse red and green, too."""

from itertools import combinations

import numpy as np
import pytest

from limberjack.core.plots.colors import PALETTE

# Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (2009), Table 1
SEEN_AS = {
    "by most": np.eye(3),
    "without red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "without green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = XYZ.sum(axis=1)


def lab(color, seen_as):
    """CIE 1976 L*a*b* of a colour in sRGB (IEC 61966-2-1)."""
    rgb = np.asarray(color)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = XYZ @ np.clip(seen_as @ linear, 0.0, 1.0) / WHITE
    fx, fy, fz = (np.cbrt(v) if v > 0.008856 else 7.787 * v + 16.0 / 116.0 for v in (x, y, z))
    return np.array([116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)])


@pytest.mark.parametrize("seen_as", SEEN_AS.values(), ids=SEEN_AS)
def test_any_two_can_be_told_apart(seen_as):
    """A distance of 2 is just seen side by side; thin curves far from their names need ten times that."""
    places = [lab(color, seen_as) for color in PALETTE]
    assert min(np.linalg.norm(one - other) for one, other in combinations(places, 2)) > 25.0
