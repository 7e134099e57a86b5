# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions about models. This module imports nothing, since Blender's start needs no more of the package."""


class ModelError(ValueError):
    """A model that cannot be used. The message says which object, what was found, what is allowed, and what to do."""


class StateError(ModelError):
    """Joint values that do not fit a model."""
