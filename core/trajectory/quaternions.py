# SPDX-License-Identifier: GPL-3.0-or-later
"""Quaternions over time, shape (F, 4), and where they lie among coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..spatial.arrays import angle_of, dot, norm

PARTS = ("qw", "qx", "qy", "qz")

UNIT = 1e-9
"""Within which a length is 1 already, so that what was written comes back to the last bit."""


def quaternions_among(names: Sequence[tuple[str, str]]) -> list[list[int]]:
    """Where w, x, y and z of each quaternion lie among coordinates of these (name, unit)."""
    at = {name: place for place, (name, _) in enumerate(names)}
    stems = [name.removesuffix(f".{PARTS[0]}") for name in at if name.endswith(f".{PARTS[0]}")]
    found = [[f"{stem}.{part}" for part in PARTS] for stem in stems]
    return [[at[name] for name in quaternion] for quaternion in found if all(name in at for name in quaternion)]


def normalized(quaternions: np.ndarray) -> np.ndarray:
    """With length 1, shape (..., 4); those that have it, and those without a direction, as they are."""
    largest = np.abs(quaternions).max(axis=-1, keepdims=True, initial=0.0)
    with np.errstate(all="ignore"):
        scaled = quaternions / largest  # whose squares neither overflow nor vanish
        length = norm(scaled)[..., None]
        is_off = (np.abs(length * largest - 1.0) > UNIT) & (largest > 0.0)
        return np.where(is_off, scaled / length, quaternions)


def continuous(quaternions: np.ndarray) -> np.ndarray:
    """Signs, shape (F,), with which each quaternion is the nearer one to that before it."""
    flips = np.where(dot(quaternions[:-1], quaternions[1:]) < 0.0, -1.0, 1.0)
    return np.cumprod(np.concatenate([np.ones(min(len(quaternions), 1)), flips]))


def turns_between(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Rotation vectors of at most half a turn [rad], shape (F, 3), that lead from one to the other, in their axes."""
    w, v = before[:, :1], -before[:, 1:]
    real = w[:, 0] * after[:, 0] - dot(v, after[:, 1:])
    vector = w * after[:, 1:] + after[:, :1] * v + np.cross(v, after[:, 1:])
    vector *= np.where(real < 0.0, -1.0, 1.0)[:, None]
    sine = norm(vector)
    angle = 2.0 * angle_of(sine, np.abs(real))
    scale = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-12)
    return vector * scale[:, None]


def turned_back(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors, shape (F, 3), in the axes of the frames whose rotations are given."""
    w, v = quaternions[:, :1], -quaternions[:, 1:]
    twice = 2.0 * np.cross(v, vectors)
    return vectors + w * twice + np.cross(v, twice)
