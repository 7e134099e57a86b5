# SPDX-License-Identifier: GPL-3.0-or-later
"""The error that a motion cannot be baked."""

from ...core.model import ModelError


class BakeError(ModelError):
    """A scene or an object cannot be baked. The message names the object, the obstacle, and what to do."""
