# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards that a mesh touches as the surface that it is: a flat one as a plane, a bent one as its closed form, no edge
inside a face trips what slides over it, and a hole is a hole."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.collision.broad_phase import SOLID_POSE, write_solid_poses
from limberjack.core.collision.hulls import convex_hull
from limberjack.core.collision.manifold import CONTACT
from limberjack.core.collision.meshes import BORDER, NO_EDGE, MeshError, triangle_mesh
from limberjack.core.collision.packing import (
    ball,
    box,
    capsule,
    cone,
    cylinder,
    ellipsoid,
    hulled,
    meshed,
    pack,
    plane,
)  # fmt: skip
from limberjack.core.collision.pairs import SEPARATION, make_pair_work, write_contact_points, write_signed_distances
from support.solids import random_rotations
from support.surfaces import grid, tube

POINTS = np.random.default_rng(5).normal(size=(30, 3)) * 0.3
SOLIDS = {
    "ball": ball(0.3),
    "capsule": capsule(0.2, 0.6),
    "box": box((0.4, 0.5, 0.7)),
    "cylinder": cylinder(0.3, 0.5),
    "cone": cone(0.3, 0.7),
    "ellipsoid": ellipsoid((0.2, 0.3, 0.5)),
    "hull": hulled(convex_hull(POINTS)),
}
UPRIGHT = np.eye(3).ravel()


class Meeting:
    """One mesh, one solid, and where that is."""

    def __init__(self, ground, solid):
        self.records, self.store = pack([replace(ground, body=0), replace(solid, body=1)])
        self.placed = np.zeros(2, SOLID_POSE).view(np.recarray)
        self.poses = np.zeros((2, 12))
        self.poses[:, :9] = UPRIGHT
        self.room, self.contacts = make_pair_work(), np.zeros(2000, CONTACT).view(np.recarray)

    def at(self, origin, rotation=UPRIGHT):
        self.poses[1] = np.concatenate([np.ravel(rotation), origin])
        write_solid_poses(self.records, self.store, self.poses, self.placed)
        return self

    def gap(self):
        found = np.zeros(1, SEPARATION).view(np.recarray)
        write_signed_distances(self.records, self.store, self.placed, PAIR, math.inf, self.room, found)
        return float(found.gap[0])

    def touch(self, margin):
        count = write_contact_points(self.records, self.store, self.placed, PAIR, 1, margin, self.room, self.contacts)
        return self.contacts[:count].copy()


PAIR = np.array([[0, 1]])


@pytest.mark.parametrize("name", SOLIDS)
def test_a_flat_floor_of_triangles_is_a_plane(name):
    rng = np.random.default_rng(1)
    floor = Meeting(meshed(triangle_mesh(*grid(lambda x, y: 0.0 * x))), SOLIDS[name])
    true = Meeting(plane(), SOLIDS[name])
    for rotation in random_rotations(rng, 60):
        origin = np.append(rng.uniform(-4.5, 4.5, 2), 1.5)
        gap = true.at(origin, rotation).gap()
        assert floor.at(origin, rotation).gap() == pytest.approx(gap, abs=1e-14)
        origin[2] -= gap + rng.uniform(-0.002, 0.02)
        wanted, found = (each.at(origin, rotation).touch(0.05) for each in (true, floor))
        assert len(found) == len(wanted) > 0
        assert np.sort(found.gap) == pytest.approx(np.sort(wanted.gap), abs=1e-12)
        assert np.abs(found.normal - [0.0, 0.0, 1.0]).max() < 1e-12


@pytest.mark.parametrize("name", ["box", "ball", "capsule", "hull"])
def test_what_slides_ten_metres_over_a_flat_floor_meets_no_other_normal(name):
    floor = Meeting(meshed(triangle_mesh(*grid(lambda x, y: 0.0 * x))), SOLIDS[name])
    lowest = floor.at([0.0, 0.0, 2.0]).gap()
    for x in np.linspace(-5.0, 5.0, 400):
        found = floor.at([x, 0.31 * x, 2.0 - lowest - 1e-4]).touch(0.01)
        assert len(found) > 0
        assert np.abs(found.normal - [0.0, 0.0, 1.0]).max() < 1e-12
        assert found.gap.min() == pytest.approx(-1e-4, abs=1e-12)


def test_a_ball_over_waves_is_as_far_as_the_closed_form_says():
    radius, high, wave = 0.2, 0.05, 2.0
    floor = Meeting(meshed(triangle_mesh(*grid(lambda x, y: high * np.cos(wave * x), count=481))), ball(radius))
    s = np.linspace(-6.0, 6.0, 2_000_001)
    for x in np.linspace(-4.0, 4.0, 25):
        z = high * math.cos(wave * x) + 0.35
        true = np.sqrt(((s - x) ** 2 + (high * np.cos(wave * s) - z) ** 2).min()) - radius
        step = 12.0 / 480
        sagitta = high * wave**2 * step**2 / 8.0
        assert floor.at([x, 0.37, z]).gap() == pytest.approx(true, abs=1.2 * sagitta)


def test_a_normal_over_waves_turns_with_the_place_and_never_jumps():
    floor = Meeting(meshed(triangle_mesh(*grid(lambda x, y: 0.05 * np.cos(2.0 * x), count=241))), ball(0.2))
    before = None
    for x in np.linspace(-3.0, 3.0, 1500):
        found = floor.at([x, 0.41, 0.05 * math.cos(2.0 * x) + 0.22]).touch(0.05)
        normal = found.normal[found.gap.argmin()]
        if before is not None:
            assert np.linalg.norm(normal - before) < 0.02  # 4 mm of way, a facet of 50 mm, and 0.2 of slope a metre
        before = normal


def test_a_ball_in_a_bent_tube_is_as_far_from_its_wall_as_the_closed_form_says():
    bend, bore, radius = 1.0, 0.1, 0.04
    wall = Meeting(meshed(triangle_mesh(*tube(bend, bore))), ball(radius))
    rng = np.random.default_rng(2)
    facet = bore * (1.0 - math.cos(math.pi / 120)) + 2e-5
    for _ in range(200):
        u, v, aside = rng.uniform(0.1, 1.4), rng.uniform(0.0, math.tau), rng.uniform(0.0, 0.058)
        out = bend + aside * math.cos(v)
        wall.at([out * math.cos(u), out * math.sin(u), aside * math.sin(v)])
        assert wall.gap() == pytest.approx(bore - aside - radius, abs=facet)
        assert wall.touch(wall.gap() + 1e-6).gap.min() == pytest.approx(wall.gap(), abs=1e-12)


def test_a_hole_is_a_hole():
    vertices, triangles = grid(lambda x, y: 0.0 * x, count=25)
    middles = vertices[triangles].mean(axis=1)
    torn = triangles[np.linalg.norm(middles[:, :2], axis=1) > 1.5]
    floor = Meeting(meshed(triangle_mesh(vertices, torn)), ball(0.3))
    assert len(floor.at([0.0, 0.0, 0.0]).touch(0.01)) == 0
    assert floor.gap() > 0.5
    rim = floor.at([0.9, 0.0, 0.0]).touch(1.0)
    assert rim.gap.min() == pytest.approx(floor.gap(), abs=1e-12)
    assert len(floor.at([4.0, 0.0, 0.29]).touch(0.01)) == 1


def test_a_sheet_is_touched_from_both_sides_and_a_body_from_outside():
    sheet = Meeting(meshed(triangle_mesh(*grid(lambda x, y: 0.0 * x, count=9))), ball(0.3))
    assert sheet.at([0.1, 0.2, 0.29]).touch(0.01).normal[0, 2] == pytest.approx(1.0)
    assert sheet.at([0.1, 0.2, -0.29]).touch(0.01).normal[0, 2] == pytest.approx(-1.0)
    vertices, triangles = cube()
    body = triangle_mesh(vertices, triangles)
    assert body.is_closed
    slab = Meeting(meshed(triangle_mesh(vertices * [4.0, 4.0, 0.02], triangles)), box((0.5, 0.5, 0.02)))
    found = slab.at([0.3, 0.2, 0.0199]).touch(0.001)
    assert len(found) == 4
    assert found.normal[:, 2] == pytest.approx(1.0)  # not through the thin slab's underside


def cube():
    """(vertices, triangles) of a closed cube about the origin, two triangles a side."""
    hull = convex_hull(np.array(list(np.ndindex(2, 2, 2)), float) - 0.5)
    triangles = [(face[0], *face[k : k + 2]) for face in hull.faces for k in range(1, len(face) - 1)]
    return hull.vertices, np.array(triangles)


@pytest.mark.parametrize("name", SOLIDS)
def test_a_convex_mesh_is_its_hull(name):
    """Outside, a mesh's faces and edges are as far as the hull of the same corners, which another way finds."""
    rng = np.random.default_rng(3)
    vertices, triangles = cube()
    mesh, hull = Meeting(meshed(triangle_mesh(vertices, triangles)), SOLIDS[name]), None
    hull = Meeting(hulled(convex_hull(vertices)), SOLIDS[name])
    for rotation in random_rotations(rng, 80):
        origin = rng.normal(size=3)
        origin *= rng.uniform(1.3, 2.5) / np.linalg.norm(origin)
        wanted = hull.at(origin, rotation).gap()
        if wanted > 0.0:
            assert mesh.at(origin, rotation).gap() == pytest.approx(wanted, abs=1e-12)


def test_inner_edges_of_a_face_are_none_and_valleys_of_a_body_neither():
    flat = triangle_mesh(*grid(lambda x, y: 0.0 * x, count=5))
    assert (flat.beyond == BORDER).sum() == 16
    assert (flat.beyond >= 0).sum() == 0
    vertices, triangles = cube()
    body = triangle_mesh(vertices, triangles)
    assert (body.beyond >= 0).sum() == 12
    inside_out = triangle_mesh(vertices, triangles[:, ::-1])
    assert not inside_out.is_closed  # nobody can tell what it is the outside of
    assert (body.beyond == NO_EDGE).sum() == 24


@pytest.mark.parametrize(
    ("vertices", "triangles", "words"),
    [
        (np.zeros((3, 3)), [[0, 1, 2]], "area"),
        (np.zeros((0, 3)), np.zeros((0, 3), int), "no triangles"),
        ([[0, 0, 0], [1, 0, 0], [0, math.nan, 0]], [[0, 1, 2]], "vertex 2 is 0 nan 0"),
        (np.eye(3), [[0, 1, 3]], "names vertex 3, and there are 3"),
    ],
)
def test_what_is_no_mesh_is_refused_in_a_line(vertices, triangles, words):
    with pytest.raises(MeshError, match=words) as refused:
        triangle_mesh(np.array(vertices, float), np.array(triangles))
    assert "\n" not in str(refused.value)
