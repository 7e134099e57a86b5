# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute the layout of graphs over a view, in its pixels, without a window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...core.plots import Curve, Panel

HEIGHT_SHARE = 0.25
"""Height of the graphs as a part of the view's height."""

LEAST_HEIGHT = 130.0
"""Smallest height of a plot [pixels at resolution scale 1, as all sizes here]."""

LEAST_WIDTH = 260.0
"""Smallest width of a plot [pixels]."""

EDGE = 8.0
LABELS = 46.0
"""Width for the numbers on the left of a plot [pixels]."""

HEADING = 20.0
"""Height for the title of a plot [pixels]."""

FOOT = 18.0
"""Height for the frame numbers below a plot [pixels]."""

LEGEND = 128.0
"""Width for the names of the curves on the right of a plot [pixels]."""

LINE = 14.0
"""Distance between two lines of text [pixels at resolution scale 1]."""

MOST_CURVES = 12
"""Largest number of curves in a plot."""

DASH = 5.0


class Box(NamedTuple):
    """A rectangle, from the view's lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom


class Plot(NamedTuple):
    """A panel in its place.

    Attributes:
        frames: of the scene, at the panel's times, shape (F,).
        box: where the curves lie. frame: all that belongs to the plot. scale: Blender's resolution scale.
    """

    panel: Panel
    frames: np.ndarray
    box: Box
    frame: Box
    scale: float

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves that are shown."""
        return self.panel.curves[:MOST_CURVES]

    def across(self, frames: ArrayLike) -> np.ndarray:
        """Return the x coordinates of scene frames [pixels]."""
        first, last = float(self.frames[0]), float(self.frames[-1])
        return self.box.left + (np.asarray(frames) - first) / max(last - first, 1e-9) * self.box.width

    def up(self, numbers: ArrayLike) -> np.ndarray:
        """Return the y coordinates of numbers in the panel's unit [pixels]."""
        low, high = self.panel.window
        return self.box.bottom + (np.asarray(numbers) - low) / (high - low) * self.box.height

    def path(self, curve: Curve) -> np.ndarray:
        """Return a curve as segments, shape (n, 2, 3). Parts that are not finite are left out."""
        points = np.stack([self.across(self.frames), self.up(curve.numbers), np.zeros(len(self.frames))], axis=1)
        segments = np.stack([points[:-1], points[1:]], axis=1)
        return segments[np.isfinite(segments).all(axis=(1, 2))]

    def bands(self, curve: Curve) -> list[Box]:
        """Return the boxes during which a curve is at a limit."""
        found = []
        for span in self.panel.spans(curve):
            left, right = self.across(np.interp(span, self.panel.times, self.frames)).tolist()
            found.append(Box(left, self.box.bottom, right, self.box.top))
        return found

    def dashes(self, curve: Curve) -> np.ndarray:
        """Return the visible limits of a curve as dashes, shape (n, 2, 3)."""
        low, high = self.panel.window
        heights = [self.up(limit) for limit in curve.limits if low <= limit <= high]
        starts = np.arange(self.box.left, self.box.right, 2.0 * DASH * self.scale)
        ends = np.minimum(starts + DASH * self.scale, self.box.right)
        return np.array(
            [((a, y, 0.0), (b, y, 0.0)) for y in heights for a, b in zip(starts, ends, strict=True)]
        ).reshape(-1, 2, 3)

    def levels(self) -> list[float]:
        """Return the numbers at which horizontal grid lines are drawn."""
        return round_numbers(*self.panel.window, int(self.box.height / (2.2 * LINE * self.scale)))

    def marked_frames(self) -> list[float]:
        """Return the frames whose numbers are written below the plot."""
        most = int(self.box.width / (60.0 * self.scale))
        return [frame for frame in round_numbers(float(self.frames[0]), float(self.frames[-1]), most) if frame % 1 == 0]

    def number_at(self, curve: Curve, frame: float) -> float:
        """Return the interpolated value of a curve at a frame; NaN outside of the motion."""
        if not self.frames[0] <= frame <= self.frames[-1]:
            return math.nan
        return float(np.interp(frame, self.frames, curve.numbers))


def plots_of(panels: Sequence[Panel], frames: np.ndarray, view: Box, scale: float) -> list[Plot]:
    """Return a plot for each panel, side by side along the lower edge of the visible part of a view.

    There are none if the room is not sufficient.
    """
    height = max(HEIGHT_SHARE * view.height, LEAST_HEIGHT * scale)
    width = view.width / max(len(panels), 1)
    if width < LEAST_WIDTH * scale or height > 0.7 * view.height:
        return []
    plots = []
    for number, panel in enumerate(panels):
        edge = EDGE * scale
        left = view.left + number * width + edge
        frame = Box(left, view.bottom + edge, view.left + (number + 1) * width - edge, view.bottom + height)
        box = Box(
            frame.left + LABELS * scale,
            frame.bottom + FOOT * scale,
            frame.right - LEGEND * scale,
            frame.top - HEADING * scale,
        )
        plots.append(Plot(panel, frames, box, frame, scale))
    return plots


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Return multiples of a step between two numbers.

    The step is 1, 2 or 5 times a power of ten: the smallest one that gives at most `most` intervals, or 2.
    """
    least_step = (high - low) / max(most, 2)
    if not least_step > 0.0:
        return [low]
    power = 10.0 ** math.floor(math.log10(least_step))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0, 20.0) if factor * power >= least_step * (1.0 - 1e-9))
    return [number * step for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
