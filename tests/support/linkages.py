# SPDX-License-Identifier: GPL-3.0-or-later
"""The four-bar with real links, and how far poses are apart, for tests that move it."""

from __future__ import annotations

import numpy as np

from limberjack.core.model import Model

from .mechanisms import four_bar

G = 9.81


def upright_four_bar() -> Model:
    """In the world's XY plane with gravity along -y, each link with its mass in its middle."""
    model = four_bar()
    model.gravity = (0.0, -G, 0.0)
    middles = ((0.0, 0.5, 0.0), (1.0, 1.25, 0.0), (2.0, 0.75, 0.0))
    for link, mass, com, inertia in zip(model.links, (1.0, 2.3, 1.6), middles, (0.09, 0.8, 0.3), strict=True):
        link.mass, link.com, link.inertia = mass, com, (inertia, 0.0, 0.0, inertia, 0.0, inertia)
    return model


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of two arrays of poses, of which a quaternion and its negative are one."""
    signs = np.where((one[..., 3:] * other[..., 3:]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return max(np.abs(one[..., :3] - other[..., :3]).max(), np.abs(one[..., 3:] - signs * other[..., 3:]).max())
