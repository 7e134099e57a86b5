# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh assets: files and inline vertices, with scale, refpos and refquat."""

import math

import numpy as np
import pytest

from limberjack.core.formats import read
from limberjack.core.geometry import Shape
from limberjack.core.geometry.mesh_data import mesh_triangles
from limberjack.core.spatial import quat_rotate
from support.mjcf_texts import errors_of, issues_of, model_of

TETRAHEDRON = "0 0 0 1 0 0 0 1 0 0 0 1"
FACES = "0 2 1 0 1 3 0 3 2 1 2 3"
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
GEOM = '<geom type="mesh" mesh="m"/>'


def asset(attributes="", vertices=TETRAHEDRON, faces=FACES):
    face = f'face="{faces}"' if faces else ""
    return f'<asset><mesh name="m" vertex="{vertices}" {face} {attributes}/></asset>'


def link(attributes="", geom=GEOM, **parts):
    return model_of(f'<body name="b">{geom}</body>', asset(attributes, **parts)).link("b")


def corners(shape: Shape):
    """Vertices in the link's frame, sorted, shape (n, 3)."""
    vertices, _ = mesh_triangles(shape.geometry)
    moved = [np.array(shape.pose[:3]) + quat_rotate(shape.pose[3:], tuple(vertex)) for vertex in vertices.tolist()]
    return np.array(sorted(np.round(moved, 9).tolist())) + 0.0


def test_inline():
    """A tetrahedron of vertices and faces weighs a sixth of its cube."""
    found = link()
    assert found.mass == pytest.approx(1000.0 / 6.0)
    assert found.com == pytest.approx((0.25, 0.25, 0.25))


def test_vertices_without_faces():
    """They are the corners of their convex hull."""
    assert link(faces="", vertices=TETRAHEDRON + " 0.2 0.2 0.2").mass == pytest.approx(1000.0 / 6.0)


@pytest.mark.parametrize("scale", ["2 3 4", "-2 3 4", "-2 -3 -4"])
def test_scale(scale):
    """Each axis has its own factor; a mirrored mesh weighs as much as the other one."""
    factors = np.array(list(map(float, scale.split())))
    found = link(f'scale="{scale}"')
    assert found.mass == pytest.approx(24.0 * 1000.0 / 6.0)
    assert found.com == pytest.approx(0.25 * factors)
    expected = np.array(sorted((np.array(list(map(float, TETRAHEDRON.split()))).reshape(4, 3) * factors).tolist()))
    assert corners(found.visuals[0]) == pytest.approx(expected + 0.0)


def test_refpos():
    """The mesh is moved by -refpos before it is scaled."""
    found = link('refpos="1 0 0" scale="2 2 2"')
    assert found.com == pytest.approx((2 * (0.25 - 1.0), 0.5, 0.5))
    assert corners(found.visuals[0])[0] == pytest.approx((-2, 0, 0))


@pytest.mark.parametrize("scale", ["1 1 1", "2 2 2", "2 3 4"])
def test_refquat(scale):
    """The mesh is turned back by refquat, then scaled along the asset's axes."""
    half = math.sqrt(0.5)
    found = link(f'refquat="{half!r} 0 0 {half!r}" refpos="0.5 0 0" scale="{scale}"')
    x, y, z = (np.array(list(map(float, TETRAHEDRON.split()))).reshape(4, 3) - (0.5, 0, 0)).T
    turned = np.column_stack([y, -x, z]) * list(map(float, scale.split()))
    assert corners(found.visuals[0]) == pytest.approx(np.array(sorted(np.round(turned, 9).tolist())), abs=1e-8)
    assert found.com == pytest.approx(turned.mean(axis=0), abs=1e-6)


def test_the_pose_of_the_geom():
    """A geom's pose is that of the asset's frame, not that of the mesh's middle."""
    found = link(geom='<geom type="mesh" mesh="m" pos="0 0 5"/>')
    assert found.com == pytest.approx((0.25, 0.25, 5.25))
    assert corners(found.visuals[0])[0] == pytest.approx((0, 0, 5))


def test_a_file(tmp_path):
    """The name of a mesh without one is that of its file; paths of Windows are read."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(OBJ)
    path = tmp_path / "a.xml"
    path.write_text(
        f"""<mujoco><asset><mesh file="parts\\m.obj"/></asset>
        <worldbody><body name="b">{GEOM}</body></worldbody></mujoco>"""
    )
    found = read(path).model.link("b")
    assert found.mass == pytest.approx(1000.0 / 6.0)
    assert found.visuals[0].geometry.uri == "parts/m.obj"


def test_a_file_that_is_not_there():
    """The shape stays, its mass is not known, and both are told."""
    assets = '<asset><mesh name="m" file="none.obj"/></asset>'
    bodies = f'<body name="b"><geom size="1" mass="1"/>{GEOM}</body>'
    assert issues_of(bodies, assets) == [("warning", "not-weighed"), ("warning", "collision-shape")]
    assert model_of(bodies, assets).link("b").mass == 1.0


@pytest.mark.parametrize(
    ("attributes", "vertices", "faces", "code"),
    [
        ("", "0 0 0 1", FACES, "bad-number"),
        ("", TETRAHEDRON, "0 1 9", "bad-number"),
        ("", TETRAHEDRON, "0 1 -1", "bad-number"),
        ("", TETRAHEDRON, "0 1 1.5", "bad-number"),
        ("", TETRAHEDRON, "0 1", "bad-number"),
        ("", TETRAHEDRON, "0 1 nan", "bad-number"),
        ("", "0 0 0 1 0 0 0 1 nan 0 0 1", FACES, "bad-number"),
        ("", "0 0 0 1 0 0 0 1 0", "", "bad-number"),
        ('scale="0 1 1"', TETRAHEDRON, FACES, "bad-number"),
        ('inertia="heavy"', TETRAHEDRON, FACES, "bad-value"),
    ],
)
def test_wrong_meshes(attributes, vertices, faces, code):
    """Guards refusals: each mesh gives exactly one error, whatever geoms use it."""
    rest = asset(attributes, vertices, faces)
    assert errors_of(f'<body name="b"><geom size="1"/>{GEOM}</body>', rest) == [code]


def test_a_refquat_of_zeros():
    """MuJoCo reads it as no turn, and so do we, with a warning."""
    assert link('refquat="0 0 0 0"').com == pytest.approx((0.25, 0.25, 0.25))


def test_two_meshes_of_one_name():
    """The second one is an error."""
    twice = asset() + asset()
    assert errors_of(f'<body name="b">{GEOM}</body>', twice) == ["repeated-name"]
