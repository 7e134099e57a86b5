# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found where one points at a mesh, against meshes whose geometry is known."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.geometry.features.features import Surface
from support.cases import some
from support.round_meshes import arc, blob, cone, flat_arrays, plate_with_hole, prism, shaft, sphere, torus, turned

from .test_fits import cylinder_distance, true_covariance

UP = np.array((0.0, 0.0, 1.0))
SEGMENTS = [8, 9, 12, 16, 32, 64, 128]


DOME = [(math.cos(angle), 1.0 + math.sin(angle)) for angle in np.arange(1, 8) * math.pi / 16.0]


def surface_of(mesh):
    return Surface(mesh[0], *flat_arrays(mesh[1]))


def middle(mesh, face):
    return mesh[0][list(mesh[1][face])].mean(axis=0)


def kinds(mesh, every=1):
    surface = surface_of(mesh)
    found = [surface.feature_at(face, middle(mesh, face), 0.0) for face in range(0, len(mesh[1]), every)]
    return [one and one.kind for one in found]


def placed(mesh, seed, radius=1.0):
    turn = Rotation.random(random_state=seed).as_matrix()
    shift = np.random.default_rng(seed).normal(size=3) * 3.0
    return (radius * mesh[0] @ turn.T + shift, mesh[1]), turn, shift


@pytest.mark.parametrize("segments", SEGMENTS)
def test_walls_without_noise(segments):
    """Holes and shafts of quads and triangles, in one ring or more, whole: axis and radius to 1e-6 of the radius."""
    for seed, (triangles, rings, caps) in enumerate([(False, 1, "ngon"), (True, 1, "fan"), (True, 3, "ngon")]):
        for kind, mesh in (
            ("shaft", shaft(segments, rings=rings, triangles=triangles, caps=caps)),
            ("hole", plate_with_hole(segments, rings=rings)),
        ):
            radius = 0.05 * 3.0**seed
            mesh, turn, shift = placed(mesh, seed + segments, radius)
            found = surface_of(mesh).feature_at(segments // 2, middle(mesh, segments // 2), 0.0)
            assert found.kind == kind
            assert found.origin == pytest.approx(shift, abs=1e-6 * radius)
            assert np.linalg.norm(np.cross(found.direction, turn[:, 2])) < 1e-6
            assert found.radius == pytest.approx(radius, rel=1e-6)
            assert found.direction[2] > 0.0


def noisy_wall_errors(make, segments, sigma, seed, covariance):
    """Of the wall fitted to a mesh with noise on its vertices: two places, two slopes and the radius, in true standard
    errors."""
    vertices, faces = make(segments)
    noise = np.random.default_rng((len(vertices), round(1e4 * sigma), seed)).normal(size=vertices.shape) * sigma
    mesh, turn, shift = placed((vertices + noise, faces), seed)
    found = surface_of(mesh).feature_at(3, middle(mesh, 3), 0.0)
    assert found is not None, (segments, sigma, seed)
    assert found.kind == {shaft: "shaft", plate_with_hole: "hole"}[make]
    axis = turn.T @ found.direction
    axis /= axis[2]
    origin = turn.T @ (found.origin - shift)
    errors = np.array((*(origin - origin[2] * axis)[:2], *axis[:2], found.radius - 1.0))
    return errors / np.sqrt(np.diag(covariance))


@pytest.mark.parametrize("make", [shaft, plate_with_hole])
@pytest.mark.slow
def test_walls_with_noise(make):
    """Noise on the vertices leaves a wall found, and its errors those of least squares at the true geometry: each
    component's mean square is 1 within 4 standard errors, 99 % of them are within 3, and none beyond 4.5."""
    errors = []
    for segments in SEGMENTS:
        wall = make(segments)[0][: 2 * segments]
        for sigma in (0.001, 0.003, 0.01):
            if sigma > 0.2 * 2.0 * math.sin(math.pi / segments):
                continue  # so much of a facet's width folds some facets over: no surface is left to point at
            covariance = true_covariance(cylinder_distance, wall, (0, 0, 0, 0, 1), sigma)
            errors += [noisy_wall_errors(make, segments, sigma, seed, covariance) for seed in range(12)]
    errors = np.array(errors)
    assert (errors**2).mean(axis=0) == pytest.approx(np.ones(5), abs=4.0 * math.sqrt(2.0 / len(errors)))
    assert (np.abs(errors) < 3.0).mean() >= 0.99
    assert np.abs(errors).max() < 4.5


@pytest.mark.parametrize("segments", SEGMENTS)
def test_rims(segments):
    """Near the end of a shaft and the border of a hole, from either side, and at the ends of an open tube: the rim."""
    for mesh, height in (
        (shaft(segments), 1.0),
        (plate_with_hole(segments), 0.25),
        (shaft(segments, caps="none"), 1.0),
    ):
        mesh, turn, shift = placed(mesh, segments, 0.2)
        surface = surface_of(mesh)
        quad = mesh[1][0]
        ends = mesh[0][list(quad)]
        edge = max((ends[[i, (i + 1) % 4]] for i in range(4)), key=lambda pair: ((pair - shift) @ turn[:, 2]).sum())
        found = surface.feature_at(0, 0.98 * edge.mean(axis=0) + 0.02 * middle(mesh, 0), 0.02)
        assert (found.kind, found.radius) == ("rim", pytest.approx(0.2, rel=1e-6))
        assert found.origin == pytest.approx(shift + 0.2 * height * turn[:, 2], abs=1e-6)
        assert np.linalg.norm(np.cross(found.direction, turn[:, 2])) < 1e-6


def test_boxes_stay_flat():
    """The sides of boxes, plain or chamfered, and of prisms of up to five sides are faces, their normals outward."""
    for b in (0.9, 0.8, 0.7, 0.6):
        outline = [(1, -b), (1, b), (b, 1), (-b, 1), (-1, b), (-1, -b), (-b, -1), (b, -1)]
        assert set(kinds(prism(outline))) == {"face"}
    for sides in (3, 4, 5):
        assert set(kinds(shaft(sides))) == {"face"}
    mesh = prism([(0, 0), (4, 0), (4, 1), (0, 1)], 2.0)
    found = surface_of(mesh).feature_at(0, middle(mesh, 0), 0.0)
    assert (found.origin.tolist(), found.direction.tolist()) == ([2.0, 0.0, 1.0], pytest.approx([0.0, -1.0, 0.0]))


def test_flat_faces_of_many_polygons():
    """A face cut into many polygons is one: its centre of area is the whole's, and a disc's is its circle's."""
    grid = [(x, y, 0.0) for y in range(11) for x in range(21)]
    faces = [(21 * y + x, 21 * y + x + 1, 21 * y + x + 22, 21 * y + x + 21) for y in range(10) for x in range(20)]
    found = surface_of((np.array(grid), faces)).feature_at(7, np.array((7.5, 0.5, 0.0)), 0.1)
    assert (found.kind, found.origin.tolist()) == ("face", pytest.approx([10.0, 5.0, 0.0]))
    mesh, turn, shift = placed(shaft(17, caps="fan"), 4)
    found = surface_of(mesh).feature_at(len(mesh[1]) - 1, middle(mesh, -1), 0.0)
    assert found.origin == pytest.approx(shift + turn[:, 2], abs=1e-9)
    assert found.direction == pytest.approx(turn[:, 2], abs=1e-9)


def test_straight_edges():
    """An edge that is cut into pieces is one, with its origin at its middle."""
    mesh = prism([(0, 0), (1, 0), (2, 0), (4, 0), (4, 1), (0, 1)])
    found = surface_of(mesh).feature_at(1, np.array((1.5, 0.0, 0.98)), 0.05)
    assert (found.kind, found.origin.tolist()) == ("edge", [2.0, 0.0, 1.0])
    assert np.abs(found.direction) == pytest.approx((1.0, 0.0, 0.0))


@pytest.mark.parametrize("facets", [8, 16, 32])
def test_arcs(facets):
    """Half-round grooves and ridges, a quarter, a slot's end and a fillet are walls too, the flats beside them flat."""
    groove = [*arc(facets, math.tau, math.pi), (-2, 0), (-2, -2), (2, -2), (2, 0)]
    ridge = [*arc(facets, 0, math.pi), (-2, 0), (-2, -2), (2, -2), (2, 0)]
    slot = arc(facets, -math.pi / 2, math.pi / 2, 1, (1, 0)) + arc(facets, math.pi / 2, 1.5 * math.pi, 1, (-1, 0))
    for outline, kind, centre, walls in (
        (groove, "hole", (0, 0), facets),
        (ridge, "shaft", (0, 0), facets),
        ([*arc(facets, 0, math.pi / 2), (0, 0)], "shaft", (0, 0), facets),
        (slot, "shaft", (1, 0), 2 * facets),
    ):
        mesh = prism(outline)
        assert kinds(mesh).count(kind) == walls
        assert kinds(mesh).count("face") == len(mesh[1]) - walls
        found = surface_of(mesh).feature_at(1, middle(mesh, 1), 0.0)
        assert (found.kind, found.radius) == (kind, pytest.approx(1.0))
        assert found.origin == pytest.approx((*centre, 0.5), abs=1e-9)


@pytest.mark.parametrize(("segments", "rings"), [(8, 6), (16, 8), (32, 16), (128, 64)])
@pytest.mark.parametrize("sigma", [0.0, 0.001, 0.003])
def test_balls(segments, rings, sigma):
    """Balls, as fine as one likes, turned, scaled and with noise on their corners: centre and radius, within a few
    standard errors of a fit to all of their corners."""
    vertices, faces = sphere(segments, rings)
    noise = np.random.default_rng(segments).normal(size=vertices.shape) * sigma
    mesh, _, shift = placed((vertices + noise, faces), segments, 0.2)
    surface = surface_of(mesh)
    error = 0.2 * max(1e-6, 5.0 * sigma * math.sqrt(3.0 / len(vertices)))
    level = [face for face, corners in enumerate(faces) if abs(vertices[list(corners), 2].mean()) < 0.7]
    for face in level[:: len(level) // 5]:  # at the poles noise folds slivers over
        found = surface.feature_at(face, middle(mesh, face), 0.0)
        assert found.kind == "sphere"
        assert found.origin == pytest.approx(shift, abs=error)
        assert found.radius == pytest.approx(0.2, abs=error)
        assert not found.direction.any()
        assert np.linalg.norm(found.outline - shift, axis=1) == pytest.approx(0.2, abs=2.0 * error)


def test_sockets_and_domes():
    """A hollow ball, and the round end of a shaft, are spheres; the shaft below it stays one."""
    vertices, faces = sphere(24, 12)
    assert set(kinds((vertices, [tuple(reversed(face)) for face in faces]), every=7)) == {"sphere"}
    dome = turned([(1.0, -1.0), (1.0, 0.0), (1.0, 1.0), *DOME], 24)
    assert kinds(dome)[:48] == ["shaft"] * 48
    found = surface_of(dome).feature_at(5 * 24, middle(dome, 5 * 24), 0.0)
    assert (found.kind, found.radius) == ("sphere", pytest.approx(1.0, rel=1e-6))
    assert found.origin == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


@pytest.mark.parametrize("segments", SEGMENTS)
@pytest.mark.parametrize("degrees", [5.0, 20.0, 45.0, 75.0])
@pytest.mark.parametrize("top", [0.0, 0.4])
def test_cones(segments, degrees, top):
    """Pointed and cut off, steep and flat, turned and scaled: the axis, its middle, and the radius at the wide end."""
    mesh, turn, shift = placed(cone(segments, math.radians(degrees), top), segments, 0.3)
    height = 0.3 * (1.0 - top) / math.tan(math.radians(degrees))
    for flipped in (False, True):
        faces = [tuple(reversed(face)) if flipped else face for face in mesh[1]]  # a countersink
        found = surface_of((mesh[0], faces)).feature_at(1, middle(mesh, 1), 0.0)
        assert (found.kind, found.radius) == ("cone", pytest.approx(0.3, rel=1e-6))
        assert np.linalg.norm(np.cross(found.direction, turn[:, 2])) < 1e-6
        assert found.origin == pytest.approx(shift + 0.5 * height * turn[:, 2], abs=1e-6 * max(height, 1.0))
        assert found.direction[2] > 0.0


@pytest.mark.parametrize("sigma", [0.001, 0.003])
@pytest.mark.parametrize("top", [0.0, 0.4])
def test_cones_with_noise(top, sigma):
    """Noise on the corners leaves a cone found, and its axis within a few standard errors of what they can tell."""
    for segments in (8, 16, 32, 64):
        vertices, faces = cone(segments, math.radians(30.0), top)
        noise = np.random.default_rng(segments).normal(size=vertices.shape) * sigma
        mesh, turn, _ = placed((vertices + noise, faces), segments)
        found = surface_of(mesh).feature_at(1, middle(mesh, 1), 0.0)
        assert found.kind == "cone"
        assert np.linalg.norm(np.cross(found.direction, turn[:, 2])) < 15.0 * sigma / math.sqrt(segments)
        assert found.radius == pytest.approx(1.0, abs=15.0 * sigma / math.sqrt(segments))


ROUND = {
    "torus": torus(),
    "thick": torus(1.0, 0.5, 32, 16),
    "few": torus(around=24, across=8),
    "blob": blob(),
    "nearly a ball": (sphere()[0] * (1.05, 1.0, 1.0), sphere()[1]),
    "flattened ball": (sphere()[0] * (1.3, 1.0, 0.6), sphere()[1]),
    "egg": (sphere()[0] * (1.0 + 0.1 * sphere()[0][:, 2:]), sphere()[1]),
}


@pytest.mark.parametrize("name", some(ROUND, ["thick", "few", "nearly a ball"]))
def test_round_things_are_nothing(name):
    """Tori, blobs, eggs and ellipsoids have no axis and no centre that a joint could be fitted to."""
    assert set(kinds(ROUND[name], every=7)) == {None}


def test_a_bare_place():
    """Where nothing can be fitted there is the place itself, along the normal of its polygon; on none without area."""
    mesh, *_ = placed(torus(1.0, 0.5, 32, 16), 3)
    surface, at = surface_of(mesh), middle(mesh, 40)
    a, b, c, d = mesh[0][list(mesh[1][40])]
    normal = np.cross(c - a, d - b)
    found = surface.place_at(40, at, 0.1)
    assert (found.kind, found.origin.tolist()) == ("place", at.tolist())
    assert found.direction == pytest.approx(normal / np.linalg.norm(normal))
    assert np.linalg.norm(found.outline - at, axis=1) == pytest.approx(0.1)
    flat = Surface(np.zeros((3, 3)), np.arange(3), np.zeros(1, dtype=int))
    assert flat.place_at(0, np.zeros(3), 0.1) is None


@pytest.mark.parametrize("taper", [0.02, 0.1, 0.3])
@pytest.mark.parametrize(("segments", "rings"), [(16, 1), (64, 1), (8, 3), (32, 3)])
def test_cones_are_no_shafts(taper, segments, rings):
    """A cone's wall, steep or nearly upright, is taken neither for a cylinder nor for flats."""
    assert set(kinds(shaft(segments, taper=taper, rings=rings))[: segments * rings]) == {"cone"}


@pytest.mark.slow
def test_noisy_cones_and_ellipses_are_no_shafts():
    """A little noise does not hide a taper of 5.7 degrees, nor coarse facets an ellipse 5 % longer than wide."""
    for segments, sigma in ((8, 0.002), (32, 0.003)):
        for seed in range(3):
            vertices, faces = shaft(segments, taper=0.1, rings=3)
            noise = np.random.default_rng(seed).normal(size=vertices.shape) * sigma
            assert "shaft" not in kinds((vertices + noise, faces))
    for rings in (1, 4):
        vertices, faces = shaft(32, rings=rings)
        assert "shaft" not in kinds((vertices * (1.05, 1.0, 1.0), faces))


def test_what_lies_beside_a_wall_is_not_part_of_it():
    """A shaft that is chamfered, or ends in a dome, is fitted to its straight part alone."""
    for profile in ([(1.0, -1.0), (1.0, 1.0), (0.8, 1.2)], [(1.0, -1.0), (1.0, 0.0), (1.0, 1.0), *DOME]):
        found = surface_of(turned(profile, 24)).feature_at(5, np.zeros(3), 0.0)
        assert (found.kind, found.radius) == ("shaft", pytest.approx(1.0, rel=1e-9))
        assert found.origin == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_degenerate_faces_are_nothing():
    """Polygons without area have no feature, and upset nothing beside them."""
    vertices, faces = prism([(0, 0), (4, 0), (4, 1), (0, 1)])
    mesh = (np.vstack([vertices, [(1.0, 0.5, 1.0)]]), [*faces, (8, 8, 8), (4, 5, 5)])
    assert kinds(mesh)[-2:] == [None, None]
    assert set(kinds(mesh)[:6]) == {"face"}
    with pytest.raises(IndexError):
        surface_of(mesh).feature_at(8, UP, 0.0)


def test_split_corners_are_welded():
    """A mesh whose polygons share no vertices, as some formats have it, is the same to point at."""
    vertices, faces = shaft(16)
    corners, _ = flat_arrays(faces)
    split, count = [], 0
    for face in faces:
        split.append(tuple(range(count, count + len(face))))
        count += len(face)
    assert kinds((vertices[corners], split)) == kinds((vertices, faces))


def test_a_shaft_among_a_hundred_thousand_polygons():
    """A large mesh in the same object neither hides the shaft nor is taken for one."""
    small, large = shaft(64), sphere(400, 250)
    vertices = np.vstack([small[0], large[0] + 9.0])
    mesh = (vertices, small[1] + [tuple(len(small[0]) + corner for corner in face) for face in large[1]])
    surface = Surface(vertices, *flat_arrays(mesh[1]))
    assert surface.feature_at(5, middle(mesh, 5), 0.0).kind == "shaft"
    found = surface.feature_at(50_001, middle(mesh, 50_001), 0.0)
    assert (found.kind, found.origin.tolist()) == ("sphere", pytest.approx([9.0, 9.0, 9.0]))
