# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of MJCF's geoms against closed forms and integrals over surfaces, and primitives fitted to boxes."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.formats.mjcf.tree.solids import MESH_MODES, fitted, mesh_solid, primitive_solid
from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere
from limberjack.core.spatial import quat_to_mat

TAU = math.tau
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)

CUBE = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
CUBE_QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CUBE_TRIANGLES = np.array([t for a, b, c, d in CUBE_QUADS for t in ((a, b, c), (a, c, d))])


def box_inertia(half, mass):
    x, y, z = np.square(half)
    return mass / 3.0 * np.diag([y + z, x + z, x + y])


def integrated(patches):
    """Measure and inertia about the origin of patches (position of (u, v), ranges of u and v, weight of (u, v))."""
    total, second = 0.0, np.zeros((3, 3))
    for position, (u0, u1), (v0, v1), weight in patches:
        u, v = np.meshgrid(u0 + (u1 - u0) * (NODES + 1) / 2, v0 + (v1 - v0) * (NODES + 1) / 2, indexing="ij")
        step = 1e-5
        along_u = (position(u + step, v) - position(u - step, v)) / (2 * step)
        along_v = (position(u, v + step) - position(u, v - step)) / (2 * step)
        normals = np.cross(along_u, along_v, axis=0)
        density = np.linalg.norm(normals, axis=0) if weight is None else np.abs((normals * weight(u, v)).sum(axis=0))
        parts = density * np.outer(WEIGHTS, WEIGHTS) * (u1 - u0) * (v1 - v0) / 4
        points = position(u, v)
        total += parts.sum()
        second += np.einsum("iuv,juv,uv->ij", points, points, parts)
    return total, np.trace(second) * np.eye(3) - second


def ball(radii, shift=0.0, low=0.0, high=math.pi):
    """A patch of an ellipsoid, by its polar angle from z, moved along z."""
    a, b, c = radii

    def position(u, v):
        return np.array([a * np.sin(u) * np.cos(v), b * np.sin(u) * np.sin(v), c * np.cos(u) + shift])

    return position, (low, high), (0.0, TAU), None


def tube(r, half):
    return lambda u, v: np.array([r * np.cos(u), r * np.sin(u), v]), (0.0, TAU), (-half, half), None


def disk(r, z):
    return lambda u, v: np.array([u * np.cos(v), u * np.sin(v), 0.0 * u + z]), (0.0, r), (0.0, TAU), None


def sides(half):
    """The six sides of a box."""
    for axis in range(3):
        for sign in (-1.0, 1.0):
            i, j = (axis + 1) % 3, (axis + 2) % 3

            def position(u, v, axis=axis, sign=sign, i=i, j=j):
                point = np.zeros((3, *u.shape))
                point[axis], point[i], point[j] = sign * half[axis], u, v
                return point

            yield position, (-half[i], half[i]), (-half[j], half[j]), None


SHELLS = {
    "box": (Box((0.2, 0.6, 1.4)), list(sides((0.1, 0.3, 0.7)))),
    "sphere": (Sphere(0.3), [ball((0.3, 0.3, 0.3))]),
    "cylinder": (Cylinder(0.3, 1.6), [tube(0.3, 0.8), disk(0.3, 0.8), disk(0.3, -0.8)]),
    "capsule": (
        Capsule(0.3, 1.6),
        [tube(0.3, 0.8), ball((0.3,) * 3, 0.8, 0.0, math.pi / 2), ball((0.3,) * 3, -0.8, math.pi / 2, math.pi)],
    ),
}


@pytest.mark.parametrize("name", SHELLS)
def test_shells_of_primitives_are_integrals_over_their_surfaces(name):
    """Guards area and inertia of `shellinertia` for each primitive whose shell has a closed form."""
    geometry, patches = SHELLS[name]
    area, inertia = integrated(patches)
    found = primitive_solid(geometry, is_shell=True)
    assert found.volume == pytest.approx(area, rel=1e-8)
    np.testing.assert_allclose(found.inertia, inertia, rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(found.com, 0.0)


@pytest.mark.parametrize("radii", [(0.1, 0.3, 0.7), (0.2, 0.2, 0.2)])
def test_shell_of_an_ellipsoid(radii):
    """Guards MuJoCo's definition: Thomsen's area, spread over a shell whose radii are all larger by the same length."""
    a, b, c = radii
    position, of_u, of_v, _ = ball(radii)
    area, _ = integrated([(position, of_u, of_v, None)])
    growth, inertia = integrated([(position, of_u, of_v, lambda u, v: ball((1.0, 1.0, 1.0))[0](u, v))])
    assert growth == pytest.approx(4.0 / 3.0 * math.pi * (a * b + b * c + c * a), rel=1e-8)
    found = primitive_solid(Ellipsoid(radii), is_shell=True)
    assert found.volume == pytest.approx(area, rel=0.011)
    # The shell is 1e-6 m thick, which moves its mass outward by this fraction of a radius at most.
    np.testing.assert_allclose(found.inertia / found.volume, inertia / growth, rtol=1e-6 / min(radii), atol=1e-9)
    if radii == (0.2, 0.2, 0.2):
        assert found.volume == pytest.approx(4.0 * math.pi * 0.04, rel=1e-12)


@pytest.mark.parametrize(
    ("geometry", "volume", "moments"),
    [
        (Box((2.0, 4.0, 6.0)), 48.0, (52.0 / 12, 40.0 / 12, 20.0 / 12)),
        (Sphere(2.0), 32.0 / 3 * math.pi, (1.6, 1.6, 1.6)),
        (Cylinder(2.0, 6.0), 24.0 * math.pi, (4.0, 4.0, 2.0)),
        (Ellipsoid((1.0, 2.0, 3.0)), 8.0 * math.pi, (13.0 / 5, 10.0 / 5, 5.0 / 5)),
    ],
)
def test_solid_primitives(geometry, volume, moments):
    found = primitive_solid(geometry)
    assert found.volume == pytest.approx(volume)
    np.testing.assert_allclose(found.inertia, volume * np.diag(moments), rtol=1e-12)


@pytest.mark.parametrize(
    ("geometry", "words"),
    [(Plane(), "Plane has no mass"), (Cone(1.0, 1.0), "Cone has no mass"), (Sphere(0.0), "no volume")],
)
def test_shapes_without_mass_are_refused(geometry, words):
    for is_shell in (False, True):
        with pytest.raises(ValueError, match=words):
            primitive_solid(geometry, is_shell)


TURN = Rotation.from_rotvec((0.4, -1.1, 0.7)).as_matrix()


@pytest.mark.parametrize("mode", ["legacy", "exact", "convex"])
@pytest.mark.parametrize("has_triangles", [True, False])
def test_solid_box_as_a_mesh(mode, has_triangles):
    """Guards volume, centre of mass and inertia in each solid mode, for a turned box far from the origin."""
    half, shift = np.array((0.1, 0.2, 0.4)), np.array((3.0, -1.0, 2.0))
    triangles = CUBE_TRIANGLES if has_triangles else np.zeros((0, 3), int)
    found = mesh_solid(CUBE * half @ TURN.T + shift, triangles, mode)
    mass = 8.0 * half.prod()
    assert found.volume == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(found.com, shift, rtol=1e-12)
    # Products below 1e-7 of the largest moment are left out, as MuJoCo does.
    expected = TURN @ box_inertia(half, mass) @ TURN.T
    np.testing.assert_allclose(found.inertia, expected, atol=1e-7 * expected.max())
    np.testing.assert_allclose(np.linalg.eigvalsh(found.inertia), np.linalg.eigvalsh(expected), rtol=1e-12)


def test_shell_of_a_mesh_is_that_of_the_box():
    half = np.array((0.1, 0.2, 0.4))
    found = mesh_solid(CUBE * half + 1.0, CUBE_TRIANGLES, "shell")
    expected = primitive_solid(Box(tuple(2.0 * half)), is_shell=True)
    assert found.volume == pytest.approx(expected.volume)
    np.testing.assert_allclose(found.com, 1.0)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=1e-14)


def test_legacy_takes_absolute_volumes():
    """Guards meshes whose triangles are turned inside out: legacy and convex weigh them, and exact refuses them."""
    inside_out = CUBE_TRIANGLES[:, ::-1]
    for mode in ("legacy", "convex"):
        assert mesh_solid(CUBE, inside_out, mode).volume == pytest.approx(8.0)
    with pytest.raises(ValueError, match="inside out"):
        mesh_solid(CUBE, inside_out, "exact")


def test_legacy_of_an_open_box():
    """Guards the second volume: pyramids from the centre of mass, which lies below the middle if the lid is missing.

    The five squares have their centroid at z = -0.2, so that the pyramids over the sides have 4 / 3 each, and that over
    the bottom 0.8 * 4 / 3. Their centres of mass are at three quarters of the way to those of the squares.
    """
    lid = np.isclose(CUBE[CUBE_TRIANGLES][:, :, 2], 1.0).all(axis=1)
    found = mesh_solid(CUBE, CUBE_TRIANGLES[~lid], "legacy")
    z = (4.0 * (0.75 * 0.0 + 0.25 * -0.2) + 0.8 * (0.75 * -1.0 + 0.25 * -0.2)) / 4.8
    np.testing.assert_allclose(found.com, (0.0, 0.0, z), atol=1e-15)
    assert found.volume == pytest.approx(4.0 / 3.0 * (4.0 + (1.0 + z)))


def test_convex_fills_dents_and_exact_does_not():
    """Guards the two modes for a cube from whose top a pyramid down to its centre is cut."""
    vertices = np.vstack([CUBE, np.zeros(3)])
    lid = np.isclose(CUBE[CUBE_TRIANGLES][:, :, 2], 1.0).all(axis=1)
    top = [1, 5, 7, 3]
    dent = np.array([(a, b, 8) for a, b in zip(top, top[1:] + top[:1], strict=True)])
    triangles = np.vstack([CUBE_TRIANGLES[~lid], dent])
    assert mesh_solid(vertices, triangles, "exact").volume == pytest.approx(8.0 - 4.0 / 3.0)
    assert mesh_solid(vertices, triangles, "convex").volume == pytest.approx(8.0)
    np.testing.assert_allclose(mesh_solid(vertices, triangles, "convex").com, 0.0, atol=1e-15)


FLAT = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)])
FLAT_TRIANGLES = np.array([(0, 1, 2), (0, 2, 3), (1, 0, 3), (3, 2, 1)])


def cube_without_rod(half):
    """A cube and a rod along z that is turned inside out and sticks out of it, so that its moments are subtracted."""
    return np.vstack([CUBE, CUBE * (0.1, 0.1, half)]), np.vstack([CUBE_TRIANGLES, CUBE_TRIANGLES[:, ::-1] + 8])


@pytest.mark.parametrize(
    ("vertices", "triangles", "mode", "words"),
    [
        (FLAT, FLAT_TRIANGLES, "legacy", "volume of the mesh is too small"),
        (FLAT, FLAT_TRIANGLES, "exact", "volume of the mesh is too small"),
        (FLAT, FLAT_TRIANGLES, "convex", "no convex hull: its vertices lie in a plane"),
        (FLAT, [], "shell", "no convex hull"),
        (1e-9 * CUBE, CUBE_TRIANGLES, "shell", "area of the mesh is too small"),
        (CUBE, CUBE_TRIANGLES[[0, 0]], "exact", "turned against each other"),
        (CUBE, CUBE_TRIANGLES, "surface", "allowed are legacy, exact, convex, shell"),
        (*cube_without_rod(5.0), "exact", "no body can have the moments"),
        (*cube_without_rod(9.0), "exact", "is not positive"),
    ],
)
def test_meshes_that_mujoco_refuses(vertices, triangles, mode, words):
    with pytest.raises(ValueError, match=words):
        mesh_solid(vertices, triangles, mode)


def test_flat_meshes_have_a_shell():
    found = mesh_solid(FLAT, FLAT_TRIANGLES, "shell")
    assert found.volume == pytest.approx(2.0)
    np.testing.assert_allclose(found.inertia, 2.0 / 12.0 * np.diag([1.0, 1.0, 2.0]), atol=1e-15)


HALF = (0.1, 0.2, 0.4)
BY_INERTIA = {
    "sphere": (0.7 / 3.0,),
    "capsule": (0.15, 2.0 * (0.4 - 0.075)),
    "cylinder": (0.15, 0.8),
    "ellipsoid": (0.1, 0.2, 0.4),
    "box": (0.2, 0.4, 0.8),
}
"""Sizes by MuJoCo's documentation for a box with the half sides HALF: radii and full lengths."""

BY_BOX = {**BY_INERTIA, "sphere": (0.4,), "capsule": (0.2, 0.4), "cylinder": (0.2, 0.8)}


def numbers_of(geometry):
    values = tuple(vars(geometry).values())
    return values[0] if isinstance(values[0], tuple) else values


@pytest.mark.parametrize("kind", BY_INERTIA)
@pytest.mark.parametrize("fit_aabb", [False, True])
@pytest.mark.parametrize("order", [[1, 2, 0], [1, 0, 2]])
def test_primitives_fitted_to_a_box(kind, fit_aabb, order):
    """Guards the size of each kind, the scale, and the pose: the longest side along z, whichever axis it has."""
    shift = np.array((3.0, -1.0, 2.0))
    half = np.zeros(3)
    half[order] = HALF
    vertices = CUBE * half @ TURN.T + shift
    solid = mesh_solid(vertices, CUBE_TRIANGLES, "exact")
    geometry, (*position, qw, qx, qy, qz) = fitted(kind, solid, vertices, fit_aabb, 1.5)
    expected = np.multiply(1.5, (BY_BOX if fit_aabb else BY_INERTIA)[kind])
    np.testing.assert_allclose(numbers_of(geometry), expected, rtol=1e-6)  # axes are exact to 1e-7
    np.testing.assert_allclose(position, shift, rtol=1e-12)
    axes = np.reshape(quat_to_mat((qw, qx, qy, qz)), (3, 3))
    assert np.linalg.det(axes) == pytest.approx(1.0)
    np.testing.assert_allclose(np.abs(axes.T @ TURN[:, order]), np.eye(3), atol=1e-7)


def test_the_box_around_a_mesh_includes_all_vertices():
    """Guards `fitaabb` for a vertex that no triangle uses: size and centre change, and the mass does not."""
    vertices = np.vstack([CUBE * HALF, (0.0, 0.0, 0.6)])
    solid = mesh_solid(vertices, CUBE_TRIANGLES, "exact")
    geometry, pose = fitted("box", solid, vertices, fit_aabb=True)
    np.testing.assert_allclose(geometry.size, (0.2, 0.4, 1.0))
    np.testing.assert_allclose(pose[:3], (0.0, 0.0, 0.1), atol=1e-15)
    geometry, pose = fitted("box", solid, vertices)
    np.testing.assert_allclose(geometry.size, (0.2, 0.4, 0.8))
    np.testing.assert_allclose(pose[:3], 0.0, atol=1e-15)


def test_axes_of_a_cube_are_its_own():
    """Guards equal moments: rounding must not turn the axes of a symmetric mesh."""
    vertices = np.float32(CUBE * 0.1 + 0.7).astype(float)
    _, pose = fitted("box", mesh_solid(vertices, CUBE_TRIANGLES), vertices, fit_aabb=True)
    np.testing.assert_array_equal(pose[3:], (1.0, 0.0, 0.0, 0.0))


def test_primitives_that_cannot_be_fitted_are_refused():
    solid = mesh_solid(CUBE, CUBE_TRIANGLES)
    with pytest.raises(ValueError, match="allowed are sphere, capsule"):
        fitted("plane", solid, CUBE)
    with pytest.raises(ValueError, match="size 1 0, which is not positive"):
        fitted("capsule", solid, CUBE, fit_aabb=True)


@pytest.mark.parametrize("mode", MESH_MODES)
def test_turned_meshes_have_turned_inertias(mode):
    """Guards the axes: a mesh without symmetry, turned and moved, has the inertia turned and the centre moved."""
    random = np.random.default_rng(4)
    vertices = CUBE * (0.1, 0.2, 0.4) + 0.02 * random.normal(size=CUBE.shape)
    one = mesh_solid(vertices, CUBE_TRIANGLES, mode)
    other = mesh_solid(vertices @ TURN.T + 1.0, CUBE_TRIANGLES, mode)
    assert other.volume == pytest.approx(one.volume, rel=1e-12)
    np.testing.assert_allclose(other.com, TURN @ one.com + 1.0, rtol=1e-12)
    np.testing.assert_allclose(other.inertia, TURN @ one.inertia @ TURN.T, atol=2e-7 * one.inertia.max())
