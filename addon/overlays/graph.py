# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw graphs of the last motion along the lower edge of the 3D view, with a line at the present frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import blf
import bpy
import numpy as np

from ..bridge.findings.last_run import Run, last_run
from ..nodes import model_name
from ..nodes.chosen import active_node
from ..props import is_joint
from ..props.settings import scene_settings
from .boxes import Boxes
from .graph_layout import HEADING, LINE, Box, Plot, plots_of
from .lines import Color, Lines

if TYPE_CHECKING:
    from ...core.plots import Panel

TEXT_SIZE = 11
BACKGROUND: Color = (0.07, 0.07, 0.08, 0.75)
GRID: Color = (1.0, 1.0, 1.0, 0.10)
TEXT: Color = (0.88, 0.88, 0.88, 1.0)
FAINT: Color = (0.65, 0.65, 0.65, 1.0)
PLAYHEAD: Color = (1.0, 1.0, 1.0, 0.8)

BRIGHTER = 0.35
"""Part of the way to white by which colours that are made for paper are brightened."""

GAP = 6.0
"""Distance between a plot and the text beside it [pixels at resolution scale 1]."""


class Picture(NamedTuple):
    """The drawing of a motion's graphs in views of one size.

    Attributes:
        colors: of each plot's curves.
    """

    plots: list[Plot]
    colors: list[list[Color]]
    boxes: Boxes
    thin: Lines
    thick: Lines


_cache_key: tuple = ()
_panels: list[Panel] = []
_pictures: dict[tuple, Picture] = {}
"""The drawings, by the visible part of a view and Blender's resolution scale."""


def forget() -> None:
    global _cache_key
    _cache_key = ()
    _panels.clear()
    _pictures.clear()


def draw(context) -> None:
    """Draw the graphs, in a view's handler for pixels."""
    scene = context.scene
    settings, run = scene_settings(scene), last_run(scene)
    if not settings.shows_graph or run is None or not len(run.trajectory):
        return
    picture = up_to_date(run, context)
    scale = context.preferences.system.ui_scale
    picture.boxes.draw()
    picture.thin.draw(scale)
    picture.thick.draw(1.6 * scale)
    blf.size(0, TEXT_SIZE * scale)
    if not _panels:
        from ...core.plots import TITLES

        view = unobstructed_part(context.area, context.region)
        _put(f"{TITLES[settings.graph]}: nothing but 0 in the last run", view.left + LINE, view.bottom + LINE, TEXT)
    frame = scene.frame_current_final
    for plot, colors in zip(picture.plots, picture.colors, strict=True):
        _draw_playhead(plot, frame)
        _write(plot, colors, frame)


def up_to_date(run: Run, context) -> Picture:
    """Return the drawing. Its parts are made again if something that they depend on has changed."""
    global _cache_key
    active = active_node(context)
    settings = scene_settings(context.scene)
    wanted = (run.number, settings.graph, model_name(active) if is_joint(active) else "")
    if wanted != _cache_key:
        forget()
        _cache_key = wanted
        _panels.extend(panels_to_show(run, *wanted[1:]))
    view, scale = unobstructed_part(context.area, context.region), context.preferences.system.ui_scale
    if (view, scale) not in _pictures:
        _pictures[view, scale] = _picture(plots_of(_panels, run.frames, view, scale))
    return _pictures[view, scale]


def panels_to_show(run: Run, quantity: str, joint: str) -> list[Panel]:
    """Return the panels of one joint, or of all joints if the name is "" or that joint does not move."""
    from ...core.plots import PlotError, panels_of

    try:
        return panels_of(run.model, run.trajectory, [quantity], [joint] if joint else None)
    except PlotError:
        return panels_of(run.model, run.trajectory, [quantity])


def unobstructed_part(area: bpy.types.Area, region: bpy.types.Region) -> Box:
    """Return the part of a view's main region that toolbars, sidebars and headers leave free [pixels]."""
    left, bottom, right = 0, 0, region.width
    for other in area.regions:
        x, y = other.x - region.x, other.y - region.y
        if min(other.width, other.height) <= 1:  # the region is hidden
            continue
        if other.alignment == "LEFT":
            left = max(left, x + other.width)
        elif other.alignment == "RIGHT":
            right = min(right, x)
        elif other.alignment == "BOTTOM":
            bottom = max(bottom, y + other.height)
    return Box(left, bottom, right, region.height)


def _picture(plots: list[Plot]) -> Picture:
    from ...core.plots.colors import palette_of, tinted

    palette = palette_of(plot.panel for plot in plots)
    colors = [[_brightened(color) for color in tinted(plot.curves, palette)] for plot in plots]
    boxes: list[tuple[Box, Color]] = []
    thin: list[tuple[np.ndarray, Color]] = []
    thick: list[tuple[np.ndarray, Color]] = []
    for plot, own in zip(plots, colors, strict=True):
        boxes.append((plot.frame, BACKGROUND))
        levels = [[(plot.box.left, y, 0.0), (plot.box.right, y, 0.0)] for y in plot.up(plot.levels()).tolist()]
        thin.append((np.array(levels).reshape(-1, 2, 3), GRID))
        for curve, color in zip(plot.curves, own, strict=True):
            boxes += [(band, (*color[:3], 0.08)) for band in plot.bands(curve)]
            thin.append((plot.dashes(curve), color))
            thick.append((plot.path(curve), color))
    return Picture(plots, colors, Boxes(boxes), _lines(thin), _lines(thick))


def _lines(parts: list[tuple[np.ndarray, Color]]) -> Lines:
    points = np.concatenate([np.zeros((0, 2, 3)), *(part for part, _ in parts)])
    colors = [np.broadcast_to(color, (len(part), 4)) for part, color in parts]
    return Lines(points, np.concatenate([np.zeros((0, 4)), *colors]))


def _brightened(color: tuple[float, float, float]) -> Color:
    red, green, blue = (part + BRIGHTER * (1.0 - part) for part in color)
    return red, green, blue, 1.0


def _draw_playhead(plot: Plot, frame: float) -> None:
    if plot.frames[0] <= frame <= plot.frames[-1]:
        x = float(plot.across(frame))
        Lines(np.array([[(x, plot.box.bottom, 0.0), (x, plot.box.top, 0.0)]]), PLAYHEAD).draw(1.2 * plot.scale)


def _write(plot: Plot, colors: list[Color], frame: float) -> None:
    """Write the title, the numbers of the grid, and the name and value of each curve at the frame."""
    scale, box = plot.scale, plot.box
    middle = 0.35 * TEXT_SIZE * scale
    _put(plot.panel.heading, box.left, box.top + 0.35 * HEADING * scale, TEXT)
    for level in plot.levels():
        _put(f"{level:.6g}", box.left - GAP * scale, float(plot.up(level)) - middle, FAINT, 1.0)
    for marked in plot.marked_frames():
        _put(f"{marked:.0f}", float(plot.across(marked)), box.bottom - LINE * scale, FAINT, 0.5)
    rows = int((plot.frame.height - GAP * scale) / (LINE * scale))
    y = plot.frame.top - LINE * scale
    total = len(plot.panel.curves)
    shown = plot.curves[: rows if total <= rows else rows - 1]
    for curve, color in zip(shown, colors, strict=False):
        number = plot.number_at(curve, frame)
        text = "" if math.isnan(number) else f"{number:.4g}"
        right = plot.frame.right - GAP * scale
        _put(text, right, y, TEXT, 1.0)
        _put(curve.name, box.right + GAP * scale, y, color, until=right - blf.dimensions(0, text)[0] - GAP * scale)
        y -= LINE * scale
    if len(shown) < total:
        _put(f"and {total - len(shown)} more", box.right + GAP * scale, y, FAINT)


def _put(text: str, x: float, y: float, color: Color, before: float = 0.0, until: float | None = None) -> None:
    """Write a line of text.

    Args:
        before: part of its width that is to the left of x. until: coordinate at which the text is clipped [pixels].
    """
    width, height = blf.dimensions(0, text)
    blf.color(0, *color)
    blf.position(0, x - before * width, y, 0.0)
    if until is not None:
        blf.enable(0, blf.CLIPPING)
        blf.clipping(0, x, y - height, until, y + 2.0 * height)
    blf.draw(0, text)
    blf.disable(0, blf.CLIPPING)
