# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse states in which the mass matrix is singular."""

from __future__ import annotations

import numpy as np

from ..check.joints import idle_screw, parallel_axes
from ..dynamics.singular import fault_in_words, is_singular
from ..model import ModelError
from ..model.compiled import CompiledModel

SINGULAR = (parallel_axes, idle_screw)
"""Rules about axes that make the mass matrix singular, unless the joints have armatures."""


def require_regular(compiled: CompiledModel, q: np.ndarray) -> None:
    """Refuse a state, q of shape (nq,), in which something can move and nothing that has inertia moves along.

    Raises:
        ModelError: the link or the joint that is at fault, and what to do.
    """
    issues = [issue for rule in SINGULAR for issue in rule(compiled.model)]
    at_rest = np.zeros(compiled.nv)
    if not is_singular(compiled, q, at_rest, np.arange(compiled.nv) + 1.0 if issues else at_rest):
        return
    for issue in issues:
        raise ModelError(f"{issue.subject}: {issue.message}")
    raise ModelError(fault_in_words(compiled, q))
