# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way of a bake."""

from ...core.model import ModelError


class BakeError(ModelError):
    """An object cannot be given the motion: which object, what is in the way, what to do."""
