# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of this package."""


class MeshFileError(ValueError):
    """A mesh file that cannot be used. The message says what was found and what to do; it does not name the file."""
