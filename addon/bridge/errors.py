# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a scene cannot be read, in words and as a kind for which there may be a remedy."""

from ...core.model import ModelError


class SceneError(ModelError):
    """code: of its kind, a short slug as those of core's findings."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code
