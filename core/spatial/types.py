# SPDX-License-Identifier: GPL-3.0-or-later
"""The tuple types of this package, and their zeros and identities."""

from __future__ import annotations

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
Mat3 = tuple[float, float, float, float, float, float, float, float, float]
Sym3 = tuple[float, float, float, float, float, float]
Pose = tuple[float, float, float, float, float, float, float]
Pair = tuple[Vec3, Vec3]

ZERO: Vec3 = (0.0, 0.0, 0.0)
ZERO_PAIR: Pair = (ZERO, ZERO)
ZERO_SYM: Sym3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO_MAT: Mat3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO_ARTICULATED = (ZERO_SYM, ZERO_MAT, ZERO_SYM)
IDENTITY_QUAT: Quat = (1.0, 0.0, 0.0, 0.0)
IDENTITY: Pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
