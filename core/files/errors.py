# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions for files that cannot be read or written at all."""


class UnreadableError(Exception):
    """A file that cannot be read.

    Attributes:
        path: the file. line: where reading stopped, or None. message: what was found and what is needed.
    """

    def __init__(self, path: object, message: str, line: int | None = None):
        super().__init__(message)
        self.path, self.message, self.line = path, message, line

    @property
    def where(self) -> str:
        """The file with the line, as "model.xml:12"."""
        return f"{self.path}:{self.line}" if self.line else f"{self.path}"

    def __str__(self) -> str:
        return f"{self.where}: error unreadable: {self.message}"


class UnwritableError(Exception):
    """A file that cannot be written.

    Attributes:
        path: the file. message: why it cannot be written, and what to do.
    """

    def __init__(self, path: object, message: str):
        super().__init__(message)
        self.path, self.message = path, message

    def __str__(self) -> str:
        return f"{self.path}: error unwritable: {self.message}"
