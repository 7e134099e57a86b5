# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of a compiled model, to which tolerances are relative."""

from __future__ import annotations

import numpy as np

from ...spatial import arrays
from .compiled import CompiledModel

LEAST_SIZE = 1e-6
"""Size below which a model is taken to be 1 m large [m]."""


def size_of(compiled: CompiledModel) -> float:
    """Return the largest distance of the model's links from where it is fixed or floats [m]; 1 if it has no length."""
    bodies = compiled.arrays.bodies
    reach = np.zeros(len(bodies))
    for i in range(1, len(bodies)):
        parent = int(bodies[i].parent)
        reach[i] = reach[parent] + (float(arrays.norm(bodies[i].offset)) if parent else 0.0)
    for body, X_BL in zip(compiled.link_body, compiled.X_BL, strict=True):
        if body:
            reach[body] = max(reach[body], float(arrays.norm(X_BL[:3])))
    size = float(reach.max(initial=0.0))
    return size if size > LEAST_SIZE else 1.0
