# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the feature to which a click would fit a joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from .lines import Color, Lines

if TYPE_CHECKING:
    from ...core.geometry.features.features import Feature

OUTLINE: Color = (1.0, 0.75, 0.2, 1.0)
AXIS: Color = (0.3, 0.8, 1.0, 1.0)
WIDTH = 3.0


class FeatureOverlay:
    """A feature's outline and axis in all 3D views, until it is removed."""

    def __init__(self):
        self._points: np.ndarray | None = None
        self._lines: Lines | None = None
        self._split = 0
        self._handler = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def show(self, feature: Feature | None) -> None:
        """Show a feature in place of the one before; None for nothing."""
        self._lines = None
        self._points = None if feature is None else segments_of(feature)
        self._split = 0 if feature is None else max(len(feature.outline) - 1, 0)

    def remove(self) -> None:
        """Remove the overlay permanently. A second call does nothing."""
        if self._handler is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._handler, "WINDOW")
        self._handler = None

    def _draw(self) -> None:
        if self._points is None:
            return
        if self._lines is None:  # a GPU is certainly available only while drawing
            colors = [OUTLINE] * self._split + [AXIS] * (len(self._points) - self._split)
            self._lines = Lines(self._points, np.array(colors))
        self._lines.draw(WIDTH)


def segments_of(feature: Feature) -> np.ndarray:
    """Return the segments of a feature's outline and of its axis, shape (n, 2, 3).

    The axis extends 1.5 times as far from the origin as the outline.
    """
    reach = float(np.linalg.norm(feature.outline - feature.origin, axis=1).max()) if len(feature.outline) else 1.0
    axis = feature.origin + 1.5 * reach * np.array([[-1.0], [1.0]]) * feature.direction
    return np.concatenate([np.stack([feature.outline[:-1], feature.outline[1:]], axis=1), axis[None]])
