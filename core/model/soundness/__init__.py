# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that every computation with a model needs: shapes of arrays, unique names, masses, and finite numbers."""

from __future__ import annotations

from ..errors import ModelError
from ..model import Model
from . import essentials, malformed


def require_sound(model: Model) -> None:
    """Check that computations with a model are possible. The message of the error lists everything that is wrong.

    `check.check_model` checks the whole model and includes these findings.

    Raises:
        ModelError: if `malformed` has findings, or else if `essentials` has some.
    """
    issues = [issue for finding in malformed.FINDINGS for issue in finding(model)]
    issues = issues or [issue for finding in essentials.FINDINGS for issue in finding(model)]
    if issues:
        raise ModelError("; ".join(f"{issue.subject}: {issue.message}" for issue in issues))
