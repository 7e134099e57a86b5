# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs of a motion in one call, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.compiling.compile import AnyModel, source_of
from ..trajectory.trajectory import Trajectory
from .curves import QUANTITIES, PlotError, panels_of
from .figure import figure_of, own_style, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    model: AnyModel,
    motion: Trajectory,
    quantities: str | Collection[str] = QUANTITIES,
    joints: str | Collection[str] | None = None,
    path: str | Path | None = None,
) -> Figure:
    """Draw the graphs of a motion over time and return the figure, as `limberjack plot` does. Notebooks display it.

    Args:
        model: the model that moves, for the limits of its joints.
        quantities: one or more of "values", "velocities", "efforts", "energy" and "loop-error". Those that the motion
            does not have, or that are always 0, are left out.
        joints: names of the joints that are shown, or of links that float. By default, all.
        path: file to write, if any: .png or .svg.

    Raises:
        ImportError: if matplotlib is not installed. ValueError: if a quantity or the suffix is not one of these, if a
            joint has no coordinates in the motion, or if nothing is left to draw. UnwritableError: if the file cannot
            be written.
    """
    wanted = (quantities,) if isinstance(quantities, str) else tuple(quantities)
    for quantity in wanted:
        if quantity not in QUANTITIES:
            raise PlotError(f"there is no graph of {quantity!r}; there are: {', '.join(QUANTITIES)}")
    panels = panels_of(source_of(model), motion, wanted, (joints,) if isinstance(joints, str) else joints)
    if not panels:
        raise PlotError(f"the motion has nothing of {', '.join(wanted)} that is not 0")
    if path is not None:
        save_figure(panels, Path(path))
    with own_style():
        return figure_of(panels)
