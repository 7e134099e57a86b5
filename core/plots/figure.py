# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels as a figure in a file, drawn by matplotlib."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..formats.files import write_together
from .colors import Rgb, palette_of, tinted
from .curves import Panel

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")
"""Suffixes of figures."""

WIDTH = 8.0
"""Width of a figure [inches]."""
PANEL_HEIGHT = 1.85
"""Height of a panel [inches]."""
FOOT = 0.45
"""Height below the panels, for the axis of time [inches]."""

INK, FAINT = "#333333", "#d9d9d9"
ROWS = 10
"""Largest number of rows in a column of a legend."""
MOST_NAMES = 20
"""Largest number of entries in a legend."""

STYLE: dict = {  # the stubs of matplotlib have literals as keys
    "font.size": 8.5,
    "axes.edgecolor": "#8c8c8c",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "xtick.color": "#8c8c8c",
    "ytick.color": "#8c8c8c",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "svg.hashsalt": "limberjack",  # else ids would differ between runs
}
METADATA = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}


def save_figure(panels: Sequence[Panel], path: Path) -> None:
    """Write a figure of panels below each other, over one axis of time, to a .png or .svg.

    The same panels always give the same bytes. Limits are dashed lines in the colour of their curve. While a curve is
    at a limit, a broad line lies under it.

    Raises:
        ImportError: if matplotlib is not installed.
        UnwritableError: if the file cannot be written. Nothing is written then.
        ValueError: if there are no panels, or if the suffix is not one of `SUFFIXES`.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: a figure is saved as {' or '.join(SUFFIXES)}, not '{path.suffix}'")
    if not panels:
        raise ValueError("there is nothing to draw: give one panel at least")
    drawn = io.BytesIO()
    with own_style():
        figure_of(panels).savefig(drawn, format=suffix[1:], dpi=160, metadata=METADATA[suffix])
    write_together(path, {path.name: drawn.getvalue()})


@contextlib.contextmanager
def own_style() -> Iterator[None]:
    """Draw in the style of all figures, independent of the user's settings, which are restored."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def figure_of(panels: Sequence[Panel]) -> Figure:
    """Return a figure of panels. It is made without pyplot, so that no other figure, window or backend is changed."""
    from matplotlib.figure import Figure

    figure = Figure((WIDTH, PANEL_HEIGHT * len(panels) + FOOT), layout="constrained", facecolor="white")
    all_axes = figure.subplots(len(panels), sharex=True, squeeze=False)[:, 0]
    palette = palette_of(panels)
    for axes, panel in zip(all_axes, panels, strict=True):
        _draw(axes, panel, palette)
    all_axes[-1].set_xlabel("Time [s]")
    return figure


def _draw(axes: Axes, panel: Panel, palette: Mapping[str, Rgb]) -> None:
    low, high = panel.window
    handles: list[Artist] = []
    for curve, color in zip(panel.curves, tinted(panel.curves, palette), strict=True):
        for limit in curve.limits:
            if low <= limit <= high:
                axes.axhline(limit, color=color, linewidth=0.8, linestyle=(0, (5, 3)), alpha=0.7)
        for begin, end in panel.spans(curve):
            axes.axvspan(begin, end, color=color, alpha=0.08, linewidth=0)
        at_limit = np.where(curve.is_at_limit, curve.numbers, np.nan)
        axes.plot(panel.times, at_limit, color=color, linewidth=5.0, alpha=0.3, solid_capstyle="butt")
        handles += axes.plot(panel.times, curve.numbers, color=color, linewidth=1.2)
    axes.set_ylim(low, high)
    axes.set_title(panel.heading, loc="left", fontsize=9.5, fontweight="bold")
    axes.margins(x=0.0)
    axes.grid(axis="y", color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _add_legend(axes, handles, [curve.name.replace("$", r"\$") for curve in panel.curves])


def _add_legend(axes: Axes, handles: list[Artist], names: list[str]) -> None:
    more = len(names) - MOST_NAMES
    if more > 0:
        names = [*names[: MOST_NAMES - 1], f"and {more + 1} more"]
        handles = [*handles[: MOST_NAMES - 1], axes.plot([], [], alpha=0.0)[0]]
    look = {"frameon": False, "handlelength": 1.2, "labelspacing": 0.25, "columnspacing": 1.0, "fontsize": 7.5}
    place = {"loc": "upper left", "bbox_to_anchor": (1.005, 1.06)}
    axes.legend(handles, names, ncols=math.ceil(len(names) / ROWS), **look, **place)
