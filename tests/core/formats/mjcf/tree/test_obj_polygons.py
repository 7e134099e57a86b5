# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons of OBJ files, cut as MuJoCo does; tests/judges/test_mjcf_solids.py asks MuJoCo."""

import numpy as np
import pytest

from limberjack.core.formats import read
from limberjack.core.formats.mjcf.tree.obj_polygons import cut_as_mujoco
from limberjack.core.mesh_files import read_parts


def cut(*polygons, points):
    counts = np.array([len(polygon) for polygon in polygons])
    numbers = np.array([corner for polygon in polygons for corner in polygon])
    return cut_as_mujoco(counts, numbers, np.array(points, float)).tolist()


SQUARE = [(1, 1, 0), (3, 1, 0), (3, 2, 0.2), (1, 2, 0)]


def test_quadrilaterals_are_cut_along_the_shorter_diagonal():
    """Guards the tie of two equal diagonals: the second one divides the quadrilateral."""
    assert cut((0, 1, 2, 3), points=SQUARE) == [[0, 1, 3], [1, 2, 3]]
    shorter = [(1.4, 1, 0), *SQUARE[1:]]
    assert cut((0, 1, 2, 3), points=shorter) == [[0, 1, 2], [0, 2, 3]]
    assert cut((0, 1, 2), (2, 1, 0, 3), points=SQUARE)[0] == [0, 1, 2]


def regular(count):
    angles = 2.0 * np.pi * np.arange(count) / count
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(count)])


@pytest.mark.parametrize("count", [5, 8, 12])
def test_convex_polygons_seen_from_outside_are_fans(count):
    """Seen from the origin, all sides and diagonals of the first corner turn one way, so it is an ear each time."""
    found = cut(range(count), points=np.add(regular(count), (0.0, 5.0, 0.0)))
    assert found == [[0, k, k + 1] for k in range(1, count - 1)]


def test_convex_polygons_around_the_origin_are_no_fans():
    """Guards a fault of MuJoCo's that is kept: a diagonal that turns back about the origin counts as an inner one."""
    assert cut(range(7), points=regular(7)) == [[0, 1, 2], [0, 2, 3], [0, 3, 4], [4, 5, 6], [0, 4, 6]]


def test_a_concave_polygon_is_cut_without_its_notch():
    """Guards ears: the triangles have the area of the polygon, an arrow around the origin."""
    points = np.array([(2, -2, 0), (0.5, 0, 0), (2, 2, 0), (-2, 1, 0), (-3, 0, 0), (-2, -1, 0)], float)
    triangles = np.array(cut(range(6), points=points))
    sides = points[triangles]
    area = 0.5 * np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])[:, 2]
    x, y = points[:, 0], points[:, 1]
    assert area.sum() == pytest.approx(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def test_masses_follow_these_triangles(tmp_path):
    """Guards the way to a mass: a bent square weighs by its two triangles, whatever our own reader makes of it."""
    lines = [f"v {x} {y} {z}" for x, y, z in [*SQUARE, (9, 9, 9)]]
    (tmp_path / "m.obj").write_text("\n".join([*lines, "f 1 2 3 4", "f 1 2"]))
    path = tmp_path / "a.xml"
    path.write_text(
        '<mujoco><asset><mesh name="m" file="m.obj" inertia="shell"/></asset><worldbody><body name="b">'
        '<geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>'
    )
    corners = np.array(SQUARE, float)[[[0, 1, 3], [1, 2, 3]]]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    assert read(path).model.link("b").mass == pytest.approx(area, rel=1e-6)
    counts, numbers = read_parts(tmp_path / "m.obj")[0].polygons
    assert (counts.tolist(), numbers.tolist()) == ([4], [0, 1, 2, 3])
