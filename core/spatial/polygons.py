# SPDX-License-Identifier: GPL-3.0-or-later
"""Areas and triangulations of polygons in a plane.

Source: Meisters, Polygons have ears, American Mathematical Monthly 82 (1975).
"""

from __future__ import annotations

import math

Point = tuple[float, float]

THIN = 1e-12
"""Area of a triangle, as a fraction of the square of its longer side, at or below which its corners lie on one line, up
to rounding.
"""


def area(points: list[Point]) -> float:
    """Return the area of a polygon; positive if its corners are counter-clockwise."""
    pairs = zip(points, points[1:] + points[:1], strict=True)
    return 0.5 * sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs)


def cut_off_ears(points: list[Point]) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Return the triangles of a counter-clockwise polygon, as corner numbers, and the corners that are left.

    No corners are left, unless sides cross or the remaining corners lie on one line, so that there is no ear to cut.
    """
    left, found = list(range(len(points))), []
    while len(left) > 2:
        ear = next((at for at in range(len(left)) if _is_ear(points, left, at)), None)
        if ear is None:
            return found, left
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return found, []


def _is_ear(points: list[Point], left: list[int], at: int) -> bool:
    a, b, c = (points[left[k % len(left)]] for k in (at - 1, at, at + 1))
    thin = THIN * max(map(math.dist, (a, b, c), (b, c, a))) ** 2
    if area([a, b, c]) <= thin:
        return False
    return not any(_holds(a, b, c, points[n], thin) for n in left if points[n] not in (a, b, c))


def _holds(a: Point, b: Point, c: Point, p: Point, thin: float) -> bool:
    """Return whether a point is in a triangle, or on its border."""
    return all(area([start, end, p]) >= -thin for start, end in ((a, b), (b, c), (c, a)))
