# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs of a motion: their curves as data, which the add-on and `figure.py` draw, and as figures in files."""

from .curves import QUANTITIES, TITLES, Curve, Panel, PlotError, panels_of

__all__ = ["QUANTITIES", "TITLES", "Curve", "Panel", "PlotError", "panels_of"]
