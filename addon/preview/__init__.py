# SPDX-License-Identifier: GPL-3.0-or-later
"""Play with a scene: its motion as it is computed, in the viewport, pulled by the mouse, with nothing keyed."""

from .handlers import start, stop
from .session import Preview, PreviewOverError, begin, current, end

__all__ = ["Preview", "PreviewOverError", "begin", "current", "end", "start", "stop"]
