# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances of two convex solids: the narrow phase, and the time at which moving solids touch.

`narrow` chooses between closed formulas, GJK and EPA. Pairs and contact points belong to the package above.
"""
