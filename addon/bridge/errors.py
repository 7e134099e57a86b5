# SPDX-License-Identifier: GPL-3.0-or-later
"""The error that a scene cannot be read, with a code for which there may be a repair."""

from ...core.model import ModelError


class SceneError(ModelError):
    """A scene that cannot be read.

    Attributes:
        code: kind of the error, a short slug like those of the findings in core.
    """

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code
