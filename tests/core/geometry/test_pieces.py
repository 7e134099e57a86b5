# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex pieces hold a concave mesh, near to it; the same mesh gives the same; what is called off ends."""

import importlib.util
import time
from importlib import import_module

import numpy as np
import pytest

from limberjack.core.geometry import pieces
from limberjack.core.geometry.pieces import (
    Decomposition,
    PiecesError,
    decompose,
    digest,
    hull_volume,
    outward_triangles,
)
from support.concave import SHAPES, L, U, box, inside_out, joined, sheet

SLOW = ("cup", "cup with a hole", "thin shell", "gear")
EXACT = ("L", "U", "L, inside out", "two boxes that cross", "chair", "hand")
"""They are made of boxes."""
VOLUME, SURFACE = 0.1, 0.08
"""By how much pieces are off at the default threshold, as a part of the mesh's volume and size."""
THIN = {"cup": 0.15, "thin shell": 0.8}
"""Walls that become thicker by what is within the threshold."""


@pytest.fixture(scope="module")
def surface_error():
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(pieces.__file__.split("core")[0] + "benchmarks")
        return import_module("pieces").surface_error


@pytest.mark.parametrize(
    "name",
    # Klein's bottle takes two minutes, which benchmarks/pieces.py has.
    [pytest.param(name, marks=pytest.mark.slow if name in SLOW else []) for name in SHAPES if name != "Klein's bottle"],
)
def test_pieces_are_near_the_mesh(name, surface_error):
    """No piece's surface reaches far out of it, each of the mesh's corners is near a piece, and volumes agree."""
    vertices, triangles = SHAPES[name]
    found = decompose(vertices, triangles)
    size = np.ptp(vertices, axis=0).max()
    assert surface_error(found.hulls, vertices, triangles) < (1e-3 if name in EXACT else SURFACE) * size
    outside = [(vertices @ hull.planes[:, :3].T - hull.planes[:, 3]).max(axis=1) for hull in found.hulls]
    assert np.min(outside, axis=0).max() < SURFACE * size
    assert abs(found.volume_error) < (1e-3 if name in EXACT else THIN.get(name, VOLUME))


def test_bodies_are_divided_by_themselves():
    """Boxes that touch, cross or lie apart are pieces as they are; a cavity is of the body that it lies in."""
    for name, count in (("chair", 6), ("two boxes that cross", 2)):
        assert len(pieces.bodies(*SHAPES[name])) == count
        assert len(decompose(*SHAPES[name]).hulls) == count
    hollow = joined(box((-2, -2, -2), (2, 2, 2)), inside_out(box((-1, -1, -1), (1, 1, 1))), box((3, 0, 0), (4, 1, 1)))
    assert [len(body) for body in pieces.bodies(*hollow)] == [24, 12]
    assert not pieces.is_convex(hollow[0], pieces.bodies(*hollow)[0])


def test_an_l_is_two_boxes():
    """Whose volumes are known."""
    assert sorted(map(hull_volume, decompose(*L).hulls)) == pytest.approx((1.0, 2.0), rel=0.02)


def test_the_same_mesh_gives_the_same_pieces():
    """To the last bit, so that what is kept under a mesh's digest is what would be found again."""
    first, again = (decompose(*U).hulls for _ in range(2))
    assert [hull.vertices.tobytes() for hull in first] == [hull.vertices.tobytes() for hull in again]


def test_digests():
    """Another corner, another triangle, another threshold: another digest; a copy has the same."""
    vertices, triangles = L
    moved = vertices.copy()
    moved[0, 0] += 1e-9
    known = digest(vertices, triangles, 0.05)
    assert known == digest(vertices.copy(), triangles.astype(np.int64), 0.05)
    others = [(moved, triangles, 0.05), (*inside_out(L), 0.05), (vertices, triangles, 0.06)]
    assert len({known, *(digest(*other) for other in others)}) == 4


def test_it_ends_when_it_is_called_off(monkeypatch):
    """Whoever presses Esc has the processor back at once, and nothing stays on the disk."""
    processes, start = [], pieces.helper.start

    def watched(*words):
        processes.append((start(*words), words[-1]))
        return processes[-1][0]

    monkeypatch.setattr(pieces.helper, "start", watched)
    begun = time.monotonic()
    with Decomposition(*SHAPES["Klein's bottle"]) as running:
        next(iter(running))
    ((process, folder),) = processes
    assert process.poll() is not None
    assert not pieces.Path(folder).exists()
    assert time.monotonic() - begun < 100.0  # it would take minutes


@pytest.mark.parametrize(
    ("mesh", "says"),
    [
        (sheet(), r"it is open, 20 edges have one face; close it, give it a thickness, or use a hull"),
        ((L[0], L[1][1:]), r"it is open, 3 edges"),
        ((L[0], L[1][:3]), r"it has 3 triangles; a body has four or more"),
        ((np.where(L[0] > 1.5, np.nan, L[0]), L[1]), r"finite places"),
    ],
    ids=["a sheet", "a hole", "three triangles", "no numbers"],
)
def test_what_cannot_be_divided(mesh, says):
    """It is said at once, in one line, before a process begins."""
    with pytest.raises(PiecesError, match=says) as told:
        Decomposition(*mesh)
    assert "\n" not in str(told.value)


def test_soup_is_closed():
    """Triangles that share no vertices, as STL has them, enclose what they enclose."""
    vertices, triangles = L
    soup = vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    assert pieces.count_borders(*soup) == 0


def test_thresholds():
    with pytest.raises(PiecesError, match=r"the threshold is 2; from 0.01 \(many pieces\) to 1 \(few\)"):
        Decomposition(*L, threshold=2.0)


def test_without_the_library(monkeypatch):
    """Where no wheel was to be had, one line says so."""
    monkeypatch.setattr(pieces, "find_spec", lambda name: None if name == "coacd" else importlib.util.find_spec(name))
    with pytest.raises(PiecesError, match="CoACD, which divides meshes, is not installed"):
        decompose(*L)


def test_a_process_that_fails_is_told(monkeypatch):
    """One that ends without pieces, however it ended."""
    start = pieces.helper.start
    monkeypatch.setattr(pieces.helper, "start", lambda *words: start(words[0], "nothing of that name"))
    with pytest.raises(PiecesError, match="CoACD found no pieces"):
        decompose(*L)


@pytest.mark.parametrize("is_turned", [False, True])
def test_triangles_of_a_convex_body_look_outward(is_turned):
    """Guards volumes and normals of hulls: a cube of 2 m has 8 m^3 and twelve outward triangles."""
    vertices, triangles = box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    found, volume = outward_triangles(vertices, triangles[:, ::-1] if is_turned else triangles)
    p = vertices[found]
    normals = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    assert (len(found), volume) == (12, pytest.approx(8.0))
    assert (np.einsum("ti,ti->t", normals, p.mean(axis=1)) > 0.0).all()
