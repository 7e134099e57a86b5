# SPDX-License-Identifier: GPL-3.0-or-later
"""Play: show the motion of a scene in the viewport while it is computed, pulled by the mouse, without keys."""

from .handlers import start, stop
from .session import Preview, PreviewOverError, begin, current, end

__all__ = ["Preview", "PreviewOverError", "begin", "current", "end", "start", "stop"]
