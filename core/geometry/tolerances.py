# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as flat, even, round and exact where `walls.py`, `loops.py` and `features.py` look at a mesh.

Two things are asked of walls: those of 6 to 128 facets are found with noise on their vertices of up to 2 % of the
radius, and nothing that is no cylinder is taken for one: cones, ellipses, balls, tori, chamfered boxes. Each number
says which of these it serves, and what breaks if it is halved or doubled; some were tried at a quarter and fourfold as
well, on more than a thousand walls and other things. "Wide" is a number that may be halved or doubled with no change in
those.
"""

from __future__ import annotations

import math

import numpy as np

from ..spatial import cos_sin

# Angles between polygons.

FLAT = math.radians(0.5)
"""Polygons that differ by less are one facet; the finest wall that is meant, of 128 facets, turns by 2.8 degrees.
Halved, facets of noisy flats fall apart, and something is found on blobs and cones; fourfold, those of fine fillets are
one."""
CREASE = math.radians(50.0)
"""Polygons that differ by more are separate things; the facets of an 8-sided shaft differ by 45 degrees. Halved, walls
of up to 9 facets are lost, and long ellipses are found; doubled, noisy holes run over into the plate around them."""
SHARPEST = 1.5 * CREASE
"""Up to which gathering goes on: noise makes some of a coarse wall's creases sharper, and caps differ by 90 degrees.
Halved, walls of up to 9 facets are lost; doubled, caps and plates join, which costs noisy walls."""
STEEPEST = 0.45
"""Sine of the angle by which noise may tilt a facet to the axis; a chamfer's of 45 degrees is 0.7. Halved, short noisy
walls are lost, and shallower chamfers told apart; fourfold, walls are lost whose chamfers join them."""
UPRIGHT = 0.3
"""Cosine of the angle between a facet and the wall at its place, which for the finest, noisiest ones is 60 degrees.
Wide."""
ALONG_AXIS = 0.7
"""Cosine, of 45 degrees: a border's edge that is nearer to the axis is a side of an arc, else an end of the wall. Wide:
most edges run along it or across."""
SAME_AXIS = 0.999
"""Cosine, of 2.6 degrees, beyond which two creases ask for one axis. At 0.5 there is often no second axis to try, and a
third of the noisy walls of three rings are lost."""
ASTRAY = cos_sin(math.radians(15.0))[0]
"""Between the axis and the crease from which it was guessed; noise turns no crease by more that is worth a guess. At
7.5 degrees a few short noisy walls are lost, at 4 a fifth of them; at 30 none is won."""

# How wide facets are.

WIDEST_FACET = math.radians(66.0)
"""Six facets are the fewest that may stand for a circle; those of a pentagon span 72 degrees. Halved, walls of up to 9
facets are lost; doubled, nothing changes, since FEWEST_ROUND refuses a pentagon too."""
COARSE_FACET = math.radians(30.0)
"""Wider ones must be even: the corners of a chamfered box lie on a circle too, but its sides differ in width. Halved,
an eighth of the walls at 2 % of noise are lost; doubled, chamfered boxes are shafts."""
UNEVEN = 1.15
"""How much wider than most a coarse facet may be: 2 % of noise on an 8-sided shaft changes its facets by 4 %. With half
of the excess a tenth of the walls at that noise are lost; with twice as much, chamfered boxes are shafts."""
UNEVEN_FINE = 2.5
"""The same for fine ones, which noise changes more: those of a 128-sided wall by a third at 1 %. With a quarter of the
excess nearly half of such walls are lost; with four times as much nothing changes, up to COARSE_FACET."""
UNLIKE = 2.0
"""Ratio of the areas of neighbouring facets beyond which they belong to different things. Halved, all neighbours
differ, and bands of balls and cones end where they go on; doubled, the sides of boxes are no flat faces any more."""

# How much of a circle there must be.

SHORTEST_ARC = math.radians(80.0)
"""Less of a circle hardly determines it; a quarter, less the noise, should do. Halved, arcs of 60 degrees are walls, on
whose fit nobody can rely; doubled, quarters are none."""
FEWEST_ROUND, FEWEST_ARC = 5.5, 3.5
"""Facets of a closed wall, and of an arc: a corner that is bevelled in one to three steps is no arc. Doubled, walls of
up to 10 facets, and quarters of up to 6, are lost; halved, nothing changes, for WIDEST_FACET refuses five facets to a
circle, and FEWEST_LINES three to an arc."""
FEWEST_LINES = 5
"""Lines along the axis with corners on them: an ellipse may share four points with a circle. Halved, ellipses and the
bands of tori are walls; doubled, walls of up to 9 facets and quarters of up to 8 are lost."""
SAME_LINE = math.radians(0.5)
"""Corners that differ by less about the axis are on one such line: a fifth of the step of 128 facets. Wide."""
FEWEST_POLYGONS, FEWEST_POINTS = 4, 6
"""An arc of FEWEST_ARC facets has four polygons at least; a cylinder's fit has five unknowns, and needs a sixth point
to show by what it misses. With 8 polygons walls of 6 and 7 facets are lost, with 12 points quarters of four."""
FEWEST_KEPT = 0.6
"""Part of a wall's points that must be corners of it: cuts through an 8-sided hole leave others, on its chords. Halved,
ellipses are fitted to those of their points that suit; beyond 1 nothing is a wall."""
FEWEST_LEVELS = 3
"""Circles in a row that are exact, which no sphere, torus or cone holds. Wide in what was tried; but with two a single
ring would do, which a ball's band is as well."""

# How near to a cylinder.

LARGEST_RMS = 0.03
"""Of the radius. Meshes are noisy by up to 2 %; an ellipse that is 8 % longer than wide has as much. Halved, two thirds
of the walls at 2 % are lost; doubled, coarse ellipses are walls."""
LARGEST_MISS = 0.08
"""Of the radius: four times the noise. Halved, a third of the walls at 2 % are lost; doubled, nothing changes;
fourfold, chamfers join."""
OUTLIER = 6.0
"""Points that lie further from the wall, in robust standard deviations, are no corners of it. Halved, an eighth of all
noisy walls are lost, with corners of their own; doubled, hardly any is won."""
NORMAL = 1.4826
"""Standard deviation of normal noise, over the median of its sizes: 1 / 0.6745. No matter of choice."""
EXACT = 1e-6
"""Of the radius: what rounding leaves of points on a circle, besides the grain of the mesh. Wide: rounding in double
precision is far below it, and noise that anybody would see far above."""
LEAST_MISS = 10.0
"""Times what rounding leaves: points are never held to less, where most lie exactly on the wall and the robust
deviation is 0. Wide."""
CLOSE = 1e-3
"""Of the radius: how near to a circle that is thought to be exact its corners lie at first; also the height of a level,
and the least lean. Wide; fourfold, walls that end in noisy domes are found as well."""
CLOSE_STEEPEST = 10.0 * CLOSE
"""Sine of the lean at first, of facets that are thought to be exact. Wide."""
CHANCE = 1e-4
"""How seldom noise may look as much like a taper, a belly or a bend as what is refused for it does: one wall in ten
thousand is lost by it. Wide, as what is tapered is so beyond doubt, or not to be told by anyone."""
DEPENDENT = 1e-6
"""Singular values below this part of the largest are none: on a wall of one ring some of the shapes are the same.
Wide."""
LEAST_SURE = 0.15
"""Standard error of the axis [rad] beyond which the wall is too short for its noise: two of them are what ASTRAY
leaves. At a quarter a tenth of the short noisy walls are lost; fourfold, nothing changes."""

# Where a wall ends.

LEANING = 3.0
"""How much more than the facets of a wall those lean that are beyond its end: three standard deviations of noise. Wide,
as STEEPEST decides unless facets lean by 0.15 and more."""
MOST = 0.75
"""Part of a wall's ends, and of the sides of an arc, at which it must break off. Halved, nothing changes; at a quarter,
noisy cones and ellipses are walls, as some of any border breaks off by chance. Above 1 it means nothing."""
BORDERS_SEEN = 64
"""Edges of a border whose neighbours are looked at. Wide: of 64 edges the part that breaks off is known to 0.06."""

# How much is looked at, for the sake of time: pointing must answer between two moves of the mouse.

EXAMINED = 800
"""Polygons around the seed by which a wall is told: on 128 facets as long as wide, near a third of the circle. Wide."""
CREASES_SEEN = 32
"""The longest creases around a facet. Wide; facets that are polygons have no more than a few."""
TRIES = 2
"""Axes, and of each of them circles through what is near and what is far. With one, half of the noisy walls of three
rings are lost; with four, two thirds more time wins next to nothing."""
PICKS_NEAR, PICKS_FAR = 10, 12
"""Points through which circles are tried, by ratios from the nearest on, and evenly. Wide; twice as many far ones take
a fifth more time."""
NEARBY = 12
"""Points around the seed among which an exact circle is sought first: those of the smallest arc. Wide."""
SCORED = 240
"""Points by which circles are compared: a noisy circle's part is known to 0.03. Wide."""
WIDEST_CIRCLE = 10.0
"""A circle's radius, in extents of what is near: an arc of 6 degrees, far below SHORTEST_ARC. Wide."""
SAME_CIRCLE = 0.2
"""Of the radius: circles whose centres and radii differ by less are one, and the next try takes another. Wide."""
ROUNDS = 5
"""Of gathering and fitting; noise leaves a corner or two undecided, which hardly matters. With two, ellipses are walls,
since what they would lose is not looked at again; with ten, nothing changes."""

# Spheres and cones.

NEAREST = (12, 40, 120, EXAMINED)
"""Of what is near, in turn: few show the shape without noise and nothing beside it, many where there is noise."""
FEWEST_ON_SPHERE, FEWEST_TOLD = 10, 24
"""Corners on a sphere, nine of which a second quadric takes; and with noise, where twelve shapes are asked about."""
SURELY_APART = 3.0
"""Times the noise, by which corners must at least miss any other quadric."""
SHALLOWEST = 3.0
"""A sphere's radius, in extents of what is there of it: a cap that is seen under 19 degrees. Flat faces with noise have
more."""
NEIGHBOURS = 4
"""Facets beside the first whose normals give axes of cones, the longest edges first: a side has two, ends two more."""
LEANS_ALIKE = 0.2
"""Of the unit: how far normals of a cone's noisy polygons differ along its axis."""
STEADY = 0.7
"""Their spread along the axis, in that across it, beyond which they show no axis."""
STEEP_CONE = math.radians(0.5)
"""Between a cone's side and its axis: a less tapered one is a wall whose noise leans."""


def miss_for(misses: np.ndarray, grain: float) -> float:
    """How far from a surface its corners may lie, if these lie so far. All in parts of its radius."""
    deviation = NORMAL * float(np.median(np.abs(misses)))
    return min(max(OUTLIER * deviation, LEAST_MISS * (EXACT + grain)), LARGEST_MISS)
