# SPDX-License-Identifier: GPL-3.0-or-later
"""Rejection of states in which the mass matrix is singular."""

from __future__ import annotations

import numpy as np

from ..check.joints import idle_screw, parallel_axes
from ..dynamics.singular import is_singular, singularity_in_words
from ..model import ModelError
from ..model.compiling.compiled import CompiledModel

SINGULAR = (parallel_axes, idle_screw)
"""Rules that find axes which make the mass matrix singular, unless the joints have armatures."""


def require_regular(compiled: CompiledModel, q: np.ndarray) -> None:
    """Raise an error if a joint can move in a way that moves nothing with inertia. q: shape (nq,).

    Raises:
        ModelError: if the mass matrix is singular. The message names the link or the joint, and says what to do.
    """
    issues = [issue for rule in SINGULAR for issue in rule(compiled.model)]
    at_rest, unequal = np.zeros(compiled.nv), np.arange(compiled.nv) + 1.0
    # Without forces, all that moves a model whose weight is carried is rounding, which tells nothing of its inertia.
    if not (issues or is_singular(compiled, q, at_rest, at_rest)) or not is_singular(compiled, q, at_rest, unequal):
        return
    for issue in issues:
        raise ModelError(f"{issue.subject}: {issue.message}")
    raise ModelError(singularity_in_words(compiled, q))
