# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the progress of the running operator in the window, with no more redraws than a reader can follow."""

import time

from ..props.settings import window_status

REDRAW_INTERVAL = 0.5
"""Shortest time between two redraws that show progress [s]. A redraw may take longer than the work between two."""


class ProgressDisplay:
    """Shows the progress of one operator in the panels, the status bar and the mouse pointer."""

    def __init__(self):
        self._next_redraw = 0.0
        self._shown: tuple[str, float] | None = None

    def show(self, context, factor: float, text: str) -> None:
        """Store the progress. Redraw the panels if it has changed and the last redraw is long enough ago.

        Args:
            factor: from 0 to 1.
            text: the present activity of the operator.
        """
        status = window_status(context.window_manager)
        status.factor, status.text = factor, text
        shown = text, round(factor, 3)
        if shown == self._shown or time.monotonic() < self._next_redraw:
            return
        self._shown, self._next_redraw = shown, time.monotonic() + REDRAW_INTERVAL
        context.window_manager.progress_update(factor)
        if context.workspace:
            context.workspace.status_text_set(f"{text}. Esc cancels")
        _redraw_panels(context)


def _redraw_panels(context) -> None:
    """Redraw the regions that have a progress bar. A redraw of the views beside them would cost far more."""
    for area in (area for window in context.window_manager.windows for area in window.screen.areas):
        if area.type == "PREFERENCES":
            area.tag_redraw()
        elif area.type == "VIEW_3D":
            for region in area.regions:
                if region.type == "UI":
                    region.tag_redraw()
