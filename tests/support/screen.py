# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal for commands that run in the process of a test."""

import io


class Screen(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self):
        return True
