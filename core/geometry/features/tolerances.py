# SPDX-License-Identifier: GPL-3.0-or-later
"""Tolerances with which `walls.py`, `cones.py`, `spheres.py`, `loops.py` and `features.py` find features of a mesh.

Walls must fulfil two requirements: those of 6 to 128 facets are found with noise on their vertices of up to 2 % of the
radius, and no other shape is taken for a cylinder: cones, ellipses, balls, tori, chamfered boxes. Each constant states
which of these it serves, and what fails if it is halved or doubled; some were tried at a quarter and fourfold as well,
on more than a thousand walls and other shapes. "Wide" marks a constant that may be halved or doubled with no change in
those.
"""

from __future__ import annotations

import math

import numpy as np

from ...spatial import cos_sin

# Angles between polygons.

FLAT = math.radians(0.5)
"""Angle [rad] below which two polygons belong to one facet. The finest wall that must be found, of 128 facets, turns by
2.8 degrees. Halved, facets of noisy flat faces fall apart, and features are found on blobs and cones; fourfold, the
facets of fine fillets are one.
"""
CREASE = math.radians(50.0)
"""Angle [rad] above which two polygons belong to different features. The facets of an 8-sided shaft differ by 45
degrees. Halved, walls of up to 9 facets are lost, and long ellipses are found; doubled, noisy holes include the plate
around them.
"""
SHARPEST = 1.5 * CREASE
"""Angle [rad] up to which polygons are gathered. Noise makes some of a coarse wall's creases sharper than CREASE, and
caps differ by 90 degrees. Halved, walls of up to 9 facets are lost; doubled, caps and plates are gathered, and noisy
walls are lost.
"""
STEEPEST = 0.45
"""Sine of the largest angle between a facet and the axis, which noise may cause. That of a chamfer of 45 degrees is
0.7. Halved, short noisy walls are lost, and shallower chamfers are distinguished; fourfold, walls are lost because
their chamfers are gathered with them.
"""
UPRIGHT = 0.3
"""Least cosine of the angle between the normals of a facet and of the wall at its place. That angle is 60 degrees for
the finest, noisiest facets. Wide.
"""
ALONG_AXIS = 0.7
"""Least cosine of the angle between the axis and an edge of the border that is a side of an arc (45 degrees). Other
edges are ends of the wall. Wide: most edges are parallel or perpendicular to the axis.
"""
SAME_AXIS = 0.999
"""Cosine of the angle (2.6 degrees) below which two creases have the same direction. At 0.5 there is often no second
axis to try, and a third of the noisy walls of three rings are lost.
"""
ASTRAY = cos_sin(math.radians(15.0))[0]
"""Least cosine of the angle between the axis and the crease from which it was guessed. Noise that turns a crease by
more makes the guess useless. At 7.5 degrees a few short noisy walls are lost, at 4 a fifth of them; at 30 no further
wall is found.
"""

# Widths of facets.

WIDEST_FACET = math.radians(66.0)
"""Largest angle [rad] that a facet spans about the axis. Six facets are the fewest that may represent a circle; those
of a pentagon span 72 degrees. Halved, walls of up to 9 facets are lost; doubled, nothing changes, since FEWEST_ROUND
excludes a pentagon too.
"""
COARSE_FACET = math.radians(30.0)
"""Angle [rad] above which facets must be of equal width. The corners of a chamfered box lie on a circle too, but its
sides differ in width. Halved, an eighth of the walls at 2 % of noise are lost; doubled, chamfered boxes are shafts.
"""
UNEVEN = 1.15
"""Largest ratio of the width of a coarse facet to the median. Noise of 2 % on an 8-sided shaft changes its facets by
4 %. With half of the excess over 1, a tenth of the walls at that noise are lost; with twice as much, chamfered boxes
are shafts.
"""
UNEVEN_FINE = 2.5
"""The same ratio for fine facets, which noise changes more: those of a 128-sided wall by a third at 1 %. With a quarter
of the excess over 1, nearly half of such walls are lost; with four times as much nothing changes, up to COARSE_FACET.
"""
UNLIKE = 2.0
"""Ratio of the areas of neighbouring facets above which they belong to different features. Halved, all neighbours
differ, and bands of balls and cones end where they should continue; doubled, the sides of boxes are no longer flat
faces.
"""

# The least part of a circle.

SHORTEST_ARC = math.radians(80.0)
"""Smallest arc of a wall [rad]. A shorter arc hardly determines its circle; a quarter, less the noise, must suffice.
Halved, arcs of 60 degrees are walls, with fits that are unreliable; doubled, quarters are not found.
"""
FEWEST_ROUND = 5.5
"""Smallest number of facets of a closed wall. Doubled, walls of up to 10 facets are lost; halved, nothing changes,
since WIDEST_FACET excludes circles of five facets.
"""
FEWEST_ARC = 3.5
"""Smallest number of facets of an arc: a corner that is bevelled in one to three steps is not an arc. Doubled, quarters
of up to 6 facets are lost; halved, nothing changes, since FEWEST_LINES excludes arcs of three facets.
"""
FEWEST_LINES = 5
"""Smallest number of lines along the axis with corners on them: an ellipse may share four points with a circle. Halved,
ellipses and the bands of tori are walls; doubled, walls of up to 9 facets and quarters of up to 8 are lost.
"""
SAME_LINE = math.radians(0.5)
"""Angle about the axis [rad] below which two corners are on one such line: a fifth of the step of 128 facets. Wide."""
FEWEST_POLYGONS = 4
"""Smallest number of polygons of a wall: an arc of FEWEST_ARC facets has four at least. With 8, walls of 6 and 7 facets
are lost.
"""
FEWEST_POINTS = 6
"""Smallest number of points of a wall: a cylinder's fit has five unknowns, and needs a sixth point for a residual. With
12, quarters of four facets are lost.
"""
FEWEST_KEPT = 0.6
"""Least fraction of a wall's points that are corners of it: cuts through an 8-sided hole leave other points, on its
chords. Halved, ellipses are fitted to a suitable subset of their points; above 1 no wall is found.
"""
FEWEST_LEVELS = 3
"""Number of exact circles in a row that determine a cylinder: no sphere, torus or cone contains three. Wide in what was
tried; but with two a single ring would suffice, which a ball's band is as well.
"""

# Deviations from a cylinder.

LARGEST_RMS = 0.03
"""Largest root mean square residual of a fit, as a fraction of the radius. Meshes have noise of up to 2 %; an ellipse
that is 8 % longer than wide has as much. Halved, two thirds of the walls at 2 % are lost; doubled, coarse ellipses are
walls.
"""
LARGEST_MISS = 0.08
"""Largest distance of a corner from the surface, as a fraction of the radius: four times the noise. Halved, a third of
the walls at 2 % are lost; doubled, nothing changes; fourfold, chamfers are gathered.
"""
OUTLIER = 6.0
"""Distance from the wall, in robust standard deviations, above which a point is not a corner of it. Halved, an eighth
of all noisy walls are lost, together with some of their corners; doubled, hardly any is gained.
"""
NORMAL = 1.4826
"""Ratio of the standard deviation of normal noise to the median of its absolute values, 1 / 0.6745. It is not a free
parameter.
"""
EXACT = 1e-6
"""Rounding error of points on a circle, as a fraction of the radius, in addition to the grain of the mesh. Wide:
rounding in double precision is far below it, and visible noise is far above.
"""
LEAST_MISS = 10.0
"""Smallest tolerance of corners, as a multiple of the rounding error. It is needed if most corners lie exactly on the
wall and the robust deviation is 0. Wide.
"""
CLOSE = 1e-3
"""Largest distance of corners from a circle that is assumed to be exact, as a fraction of the radius, in the first
round; also the height of a level, and the smallest tolerance of the inclination. Wide; fourfold, walls that end in
noisy domes are found as well.
"""
CLOSE_STEEPEST = 10.0 * CLOSE
"""Sine of the largest inclination, in the first round, of facets that are assumed to be exact. Wide."""
CHANCE = 1e-4
"""Probability with which noise may look as much like a taper, a belly or a bend as a shape that is rejected for it: one
wall in ten thousand is lost by it. Wide, since a taper is either beyond doubt or impossible to detect.
"""
DEPENDENT = 1e-6
"""Fraction of the largest singular value at or below which a singular value counts as 0: on a wall of one ring some of
the shapes are the same. Wide.
"""
LEAST_SURE = 0.15
"""Largest standard error of the axis [rad]. Above it the wall is too short for its noise: two of them are what ASTRAY
permits. At a quarter a tenth of the short noisy walls are lost; fourfold, nothing changes.
"""

# Ends of a wall.

LEANING = 3.0
"""Inclination of the polygons beyond the end of a wall, as a multiple of that of its facets: three standard deviations
of noise. Wide, since STEEPEST decides unless facets are inclined by 0.15 or more.
"""
MOST = 0.75
"""Fraction of a wall's ends, and of the sides of an arc, at which the surface must change. Halved, nothing changes; at
a quarter, noisy cones and ellipses are walls, since part of any border changes by chance. Above 1 it has no meaning.
"""
BORDERS_SEEN = 64
"""Number of edges of a border whose neighbours are examined. Wide: with 64 edges the fraction that changes is known to
0.06.
"""

# Limits of the search. They keep it short: the result must be there before the next movement of the mouse.

EXAMINED = 800
"""Number of polygons around the seed among which a feature is searched for. On 128 facets as long as wide, they cover
nearly a third of the circle. Wide.
"""
CREASES_SEEN = 32
"""Number of the longest creases around a facet that are examined. Wide; facets of one polygon have only a few."""
TRIES = 2
"""Number of axes, and for each of them of circles through far points and through near points, that are tried. With one,
half of the noisy walls of three rings are lost; with four, two thirds more time gains next to nothing.
"""
PICKS_NEAR = 10
"""Number of points through which circles are tried, in geometric progression from the nearest on. Wide."""
PICKS_FAR = 12
"""Number of evenly spread points through which circles are tried. Wide; twice as many take a fifth more time."""
NEARBY = 12
"""Number of points around the seed among which an exact circle is searched for: those of the smallest arc. Wide."""
SCORED = 240
"""Number of points by which circles are compared: the fraction of points on a noisy circle is known to 0.03. Wide."""
WIDEST_CIRCLE = 10.0
"""Largest radius of a circle, as a multiple of the extent of the polygons nearby: an arc of 6 degrees, far below
SHORTEST_ARC. Wide.
"""
SAME_CIRCLE = 0.2
"""Difference of centres and radii, as a fraction of the radius, below which two circles are the same, and the next try
takes another. Wide.
"""
ROUNDS = 5
"""Largest number of rounds of gathering and fitting. Noise leaves a corner or two undecided, which hardly matters. With
two, ellipses are walls, since the points that they would lose are not examined again; with ten, nothing changes.
"""

# Spheres and cones.

NEAREST = (12, 40, 120, EXAMINED)
"""Numbers of the nearest points or polygons from which a shape is first fitted, in turn. Few are best without noise,
since they include no other shape; many are necessary with noise.
"""
FEWEST_ON_SPHERE = 10
"""Smallest number of corners on a sphere. Nine determine another quadric."""
FEWEST_TOLD = 24
"""Smallest number of corners on a noisy sphere, whose residuals are tested for twelve shapes."""
SURELY_APART = 3.0
"""Least deviation of the corners of a sphere from any other quadric, as a multiple of the noise."""
SHALLOWEST = 3.0
"""Largest radius of a sphere, as a multiple of the extent of its polygons: a cap of 19 degrees. Noisy flat faces have a
larger ratio.
"""
NEIGHBOURS = 4
"""Number of facets beside the first one whose normals give axes of cones, those with the longest edges first. Two are
neighbours on the side of the cone, and two on its ends.
"""
LEANS_ALIKE = 0.2
"""Largest difference, along a cone's axis, between the unit normals of its noisy polygons."""
STEADY = 0.7
"""Ratio of the spread of normals along the axis to their spread across it, at or above which they determine no axis."""
STEEP_CONE = math.radians(0.5)
"""Smallest angle [rad] between a cone's side and its axis. A shape with less taper is a wall with noise."""


def miss_for(misses: np.ndarray, grain: float) -> float:
    """Return the largest distance from a surface at which points are corners of it, as a fraction of the radius.

    Args:
        misses: distances of the present corners from the surface, as fractions of the radius.
        grain: rounding error of the points, as a fraction of the radius.
    """
    deviation = NORMAL * float(np.median(np.abs(misses)))
    return min(max(OUTLIER * deviation, LEAST_MISS * (EXACT + grain)), LARGEST_MISS)
