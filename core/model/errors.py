# SPDX-License-Identifier: GPL-3.0-or-later
"""What is raised about models, by itself: Blender's start needs no more of this package."""


class ModelError(ValueError):
    """A model cannot be used as asked: which object, what was found, what is allowed, what to do."""


class StateError(ModelError):
    """Joint values that do not fit a model."""
