# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that MuJoCo makes, by what is known of their shapes; tests/judges/test_mjcf_solids.py asks MuJoCo."""

import math

import numpy as np
import pytest

from limberjack.core.formats.mjcf.tree.builtin_meshes import BUILTIN_MESHES, make_builtin
from limberjack.core.formats.mjcf.tree.solids import mesh_solid
from support.mjcf_texts import errors_of, issues_of, model_of

CLOSED = {
    "sphere": [(0,), (2,)],
    "hemisphere": [(0,), (3,)],
    "supersphere": [(3, 1, 1), (12, 0.4, 1.5)],
    "supertorus": [(3, 0.5, 1, 1), (12, 0.3, 0.4, 1.5)],
}


def made(name, *params):
    return make_builtin(BUILTIN_MESHES[name], params)


@pytest.mark.parametrize(("name", "params"), [(name, params) for name, cases in CLOSED.items() for params in cases])
def test_surfaces_are_closed(name, params):
    """Each edge belongs to two triangles, which pass it in opposite directions, and the volume is positive."""
    vertices, triangles = made(name, *params)
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).tolist()
    assert sorted(edges) == sorted([b, a] for a, b in edges)
    assert len({*map(tuple, edges)}) == len(edges)
    corners = vertices[triangles].astype(float)
    volume = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
    assert volume > 0.1
    assert {*triangles.ravel().tolist()} == {*range(len(vertices))}


def prism_area(edges):
    return 0.5 * edges * math.sin(2.0 * math.pi / edges)


@pytest.mark.parametrize(
    ("name", "params", "volume", "rel"),
    [
        ("sphere", (4,), 4.0 / 3.0 * math.pi, 3e-3),
        ("hemisphere", (10,), 2.0 / 3.0 * math.pi, 0.02),
        ("supersphere", (60, 1, 1), 4.0 / 3.0 * math.pi, 5e-3),
        ("supersphere", (60, 0, 0), 8.0, 0.05),
        ("supertorus", (60, 0.25, 1, 1), 2.0 * math.pi**2 * 0.25**2, 5e-3),
        ("cone", (5, 0), 2.0 / 3.0 * prism_area(5), 1e-6),
        ("cone", (7, 0.5), 2.0 / 3.0 * prism_area(7) * 1.75, 1e-6),
        ("cone", (4, 1), 4.0, 1e-6),
    ],
)
def test_volumes(name, params, volume, rel):
    """The volume is that of the shape that the triangles approach, or that of the frustum."""
    found = mesh_solid(*made(name, *params), "exact" if name != "cone" else "convex")
    assert found.volume == pytest.approx(volume, rel=rel)


def test_a_plate_weighs_by_its_area():
    """Its cells end half a cell before the edges, and its mass is in the surface, whatever `inertia` says."""
    assets = '<asset><mesh name="m" builtin="plate" params="4 5" scale="2 1 0.5" inertia="exact"/></asset>'
    bodies = '<body name="b"><geom type="mesh" mesh="m" density="3" contype="0" conaffinity="0"/></body>'
    link = model_of(bodies, assets).link("b")
    assert link.mass == pytest.approx(3.0 * (2.0 * 1.5) * (2.0 * 0.8))
    assert link.com == pytest.approx((0.0, 0.0, -0.5))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("sphere", "5"),
        ("sphere", "-1"),
        ("sphere", "1 2"),
        ("sphere", "nan"),
        ("hemisphere", "11"),
        ("supersphere", "2 1 1"),
        ("supersphere", "8 -1 1"),
        ("supersphere", "1000000 1 1"),
        ("supertorus", "8 2 1 1"),
        ("supertorus", "8 0.5 0 1"),
        ("supertorus", "1e300 0.5 1 1"),
        ("wedge", "4 4 200 45 0"),
        ("wedge", "4 0 90 45 0"),
        ("wedge", "4 4 90 45 2"),
        ("plate", "0 4"),
        ("cone", "2 1"),
        ("cone", "6 1.5"),
    ],
)
def test_params_that_mujoco_refuses(name, params):
    """They are an error, also where they would make a mesh that fills the memory."""
    assets = f'<asset><mesh name="m" builtin="{name}" params="{params}"/></asset>'
    assert "bad-number" in errors_of('<body name="b"><geom type="mesh" mesh="m"/></body>', assets)


def test_meshes_for_flexes():
    """Grids and boxes of cells, which MuJoCo makes for flexes, are told as lost."""
    assets = '<asset><mesh name="m" builtin="grid" params="2 2 2 1 1 1"/></asset>'
    found = issues_of('<body name="b"><geom size="1"/><geom type="mesh" mesh="m"/></body>', assets)
    assert ("warning", "mesh-not-read") in found
