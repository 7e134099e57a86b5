# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that apply the functions of `elementary.py` to whole arrays."""

from __future__ import annotations

from ..compilation.jit import kernel
from .elementary import atan2, cos_sin


@kernel
def write_atan2(y, x, angles):
    """Write atan2(y, x) [rad] to `angles`. All arrays have shape (n,)."""
    for i in range(y.shape[0]):
        angles[i] = atan2(y[i], x[i])


@kernel
def write_cos_sin(angles, cosines, sines):
    """Write the cosines and sines of `angles` [rad]. All arrays have shape (n,)."""
    for i in range(angles.shape[0]):
        cosines[i], sines[i] = cos_sin(angles[i])
