# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of quaternions over time, shape (F, 4), and their places among coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..spatial.arrays import angle_of, dot, norm

PARTS = ("qw", "qx", "qy", "qz")
"""Names of the components of a quaternion, as the last part of the name of a coordinate."""


UNIT = 1e-9
"""Largest error of the length of a quaternion that is left as it is.

So a file gives back the bits that were written to it.
"""


def quaternions_among(names: Sequence[tuple[str, str]]) -> list[list[int]]:
    """Return the places of w, x, y and z of each quaternion among coordinates, given as (name, unit)."""
    at = {name: place for place, (name, _) in enumerate(names)}
    stems = [name.removesuffix(f".{PARTS[0]}") for name in at if name.endswith(f".{PARTS[0]}")]
    found = [[f"{stem}.{part}" for part in PARTS] for stem in stems]
    return [[at[name] for name in quaternion] for quaternion in found if all(name in at for name in quaternion)]


def normalized(quaternions: np.ndarray) -> np.ndarray:
    """Return quaternions with length 1, shape (..., 4).

    A quaternion whose length differs from 1 by at most `UNIT`, or is 0, is returned unchanged.
    """
    largest = np.abs(quaternions).max(axis=-1, keepdims=True, initial=0.0)
    with np.errstate(all="ignore"):
        scaled = quaternions / largest  # so that squares neither overflow nor underflow
        length = norm(scaled)[..., None]
        is_off = (np.abs(length * largest - 1.0) > UNIT) & (largest > 0.0)
        return np.where(is_off, scaled / length, quaternions)


def continuous(quaternions: np.ndarray) -> np.ndarray:
    """Return signs, shape (F,), that bring each quaternion nearer to the one before it than its negative."""
    flips = np.where(dot(quaternions[:-1], quaternions[1:]) < 0.0, -1.0, 1.0)
    return np.cumprod(np.concatenate([np.ones(min(len(quaternions), 1)), flips]))


def turns_between(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the rotation vectors from one rotation to the other, shape (F, 3) [rad], of at most half a turn.

    Their components are the same in the axes of both.
    """
    w, v = before[:, :1], -before[:, 1:]
    real = w[:, 0] * after[:, 0] - dot(v, after[:, 1:])
    vector = w * after[:, 1:] + after[:, :1] * v + np.cross(v, after[:, 1:])
    vector *= np.where(real < 0.0, -1.0, 1.0)[:, None]
    sine = norm(vector)
    angle = 2.0 * angle_of(sine, np.abs(real))
    scale = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-12)
    return vector * scale[:, None]


def turned_back(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors, shape (F, 3), in the axes of frames with these rotations."""
    w, v = quaternions[:, :1], -quaternions[:, 1:]
    twice = 2.0 * np.cross(v, vectors)
    return vectors + w * twice + np.cross(v, twice)
