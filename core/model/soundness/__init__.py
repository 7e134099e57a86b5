# SPDX-License-Identifier: GPL-3.0-or-later
"""What every computation needs of a model: parts of the right shape, names of their own, masses, and finite numbers."""

from __future__ import annotations

from ..errors import ModelError
from ..model import Model
from . import essentials, malformed


def require_sound(model: Model) -> None:
    """Raise ModelError if nothing can be computed with a model, with all that is wrong.

    The check of a whole model is `check.check_model`, which has these findings among its own.
    """
    issues = [issue for finding in malformed.FINDINGS for issue in finding(model)]
    issues = issues or [issue for finding in essentials.FINDINGS for issue in finding(model)]
    if issues:
        raise ModelError("; ".join(f"{issue.subject}: {issue.message}" for issue in issues))
