# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs of a motion: what they show, as data that any drawer takes, and as figures."""

from .curves import QUANTITIES, TITLES, Curve, Panel, PlotError, panels_of

__all__ = ["QUANTITIES", "TITLES", "Curve", "Panel", "PlotError", "panels_of"]
