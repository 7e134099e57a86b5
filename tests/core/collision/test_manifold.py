# SPDX-License-Identifier: GPL-3.0-or-later
"""The points in which two solids touch: how many, where, how deep, under what names; and they move as bodies do."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull, HalfspaceIntersection

from limberjack.core.collision.broad_phase import SOLID_POSE, write_solid_poses
from limberjack.core.collision.hulls import convex_hull
from limberjack.core.collision.manifold import CONTACT, MAX_POINTS
from limberjack.core.collision.packing import Solid, ball, box, capsule, cone, cylinder, ellipsoid, hulled, pack, plane
from limberjack.core.collision.pairs import make_pair_work, write_contact_points
from limberjack.core.collision.solids import BALL, HULL, PLANE
from support.solids import (
    NAMES,
    SHAPES,
    measured,
    outside,
    random_crowds,
    reaches,
    separations,
)

UP = np.eye(3)
MARGIN = 0.01
PAIRS = [(a, b) for a in range(PLANE, HULL + 1) for b in range(max(a, BALL), HULL + 1)]
COUNTS = [pytest.param(33, id="quick"), pytest.param(300, id="all", marks=pytest.mark.slow)]


def about(axis: str, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def touched(solids: list[Solid], poses: list, margin: float = MARGIN, pairs=None, room: int = 64) -> np.recarray:
    """The points between solids at (R, t), of all pairs with the first one or of those told."""
    records, hulls = pack([replace(solid, body=i) for i, solid in enumerate(solids)])
    placed = np.zeros(len(records), SOLID_POSE).view(np.recarray)
    write_solid_poses(records, hulls, np.array([[*np.ravel(R), *t] for R, t in poses], float), placed)
    pairs = np.array([[0, i] for i in range(1, len(solids))] if pairs is None else pairs, np.int64)
    contacts = np.zeros(room, CONTACT).view(np.recarray)
    count = write_contact_points(records, hulls, placed, pairs, len(pairs), margin, make_pair_work(), contacts)
    return contacts[:count]


def touched_crowds(A, B, margin: float) -> np.recarray:
    count = len(A)
    pairs = [[i, i + count] for i in range(count)]
    poses = [*zip(A.R, A.t, strict=True), *zip(B.R, B.t, strict=True)]
    return touched([*A.solids, *B.solids], poses, margin, pairs, room=MAX_POINTS * count)


def points_of(contacts) -> np.ndarray:
    """Sorted, so that no order is meant."""
    return np.array(sorted(contacts.point.round(12).tolist()))


# Every pair of kinds


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{NAMES[pair[0]]}-{NAMES[pair[1]]}")
def test_points_lie_between_surfaces_that_touch(pair, count):
    """Guards every pair: never more than eight points; where there are any, the pair is within the margin, and where
    it is, there are some; none says less than the depth along its normal, nor is deeper than the other's reach."""
    for shape in SHAPES:
        A, B = random_crowds(*pair, shape, count)
        size = A.sizes + B.sizes
        margin = 0.01 * float(np.median(size))
        found = measured(A, B)
        contacts = touched_crowds(A, B, margin)
        assert np.isfinite(contacts.gap).all()
        assert np.isfinite(contacts.point).all()
        each = [contacts[contacts.first == i] for i in range(count)]
        for i, mine in enumerate(each):
            rounding = 1e-9 * size[i] + 1e-11 * np.abs(A.t[i]).max()
            assert len(mine) <= MAX_POINTS
            if found.gap[i] > margin + rounding:
                assert len(mine) == 0
            if found.gap[i] < margin - rounding:
                assert len(mine) > 0, (shape, i)
            if len(mine) and not (A.t[i] == B.t[i]).all():
                assert (mine.gap <= margin + rounding).all()
                # A gap is no number below the best separation, but by the angle between a face and the best normal.
                assert mine.gap.min() >= separated(A, B, i, mine) - rounding, (shape, i)
                assert len(set(mine.name)) == len(mine), "names are of one point each"
                assert np.abs(np.linalg.norm(mine.normal, axis=1) - 1.0).max() < 1e-12


def separated(A, B, i, mine) -> float:
    """The separation along the normals of a pair's points, which no point between both surfaces is below."""
    one, other = (take(crowd, i) for crowd in (A, B))
    return min(separations(one, other, mine.normal[:1, None])[0])


def take(crowd, i):
    part = slice(i, i + 1)
    return replace(
        crowd,
        solids=crowd.solids[part],
        half=crowd.half[part],
        radius=crowd.radius[part],
        clouds=crowd.clouds[part],
        R=crowd.R[part],
        t=crowd.t[part],
    )


def test_gap_is_the_distance_between_both_surfaces_along_the_normal():
    """Guards what a gap is: half of it from the point along the normal lies the second surface, half back the first."""
    seen = 0
    for kind_a, kind_b in PAIRS:
        A, B = random_crowds(kind_a, kind_b, "aligned", 60)
        size = A.sizes + B.sizes
        contacts = touched_crowds(A, B, 0.02)
        for i in range(60):
            mine = contacts[contacts.first == i]
            if kind_a == PLANE or len(mine) < 3 or measured(take(A, i), take(B, i)).gap[0] < -0.02 * size[i]:
                continue
            for contact in mine:
                for crowd, sign in ((A, -0.5), (B, 0.5)):
                    on = contact.point + sign * contact.gap * contact.normal
                    assert abs(outside(take(crowd, i), on[None])[0]) < 1e-9 * size[i]
                    seen += 1
    assert seen > 50


# Closed forms


@pytest.mark.parametrize("angle", [0.0, 0.2, math.pi / 4, 1.3])
@pytest.mark.parametrize("height", [-1e-3, 0.0, 5e-3])
def test_boxes_face_to_face_touch_in_the_corners_of_what_both_cover(angle, height):
    """Guards clipping: the corners are those of the intersection of two rectangles, by scipy."""
    shift = np.array([0.3, 0.1, 0.0])
    lower, upper = box((2.0, 1.0, 1.0)), box((1.0, 1.6, 1.0))
    contacts = touched([lower, upper], [(UP, (0, 0, 0)), (about("z", angle), (0.3, 0.1, 1.0 + height))])
    R = about("z", angle)[:2, :2]
    sides = np.vstack([np.eye(2), -np.eye(2)])
    own = np.column_stack([sides, -np.array([1.0, 0.5, 1.0, 0.5])])
    normals = sides @ R.T
    others = np.column_stack([normals, -np.array([0.5, 0.8, 0.5, 0.8]) - normals @ shift[:2]])
    crossing = HalfspaceIntersection(np.vstack([own, others]), shift[:2]).intersections
    corners = crossing[ConvexHull(crossing.round(9)).vertices]
    assert len(contacts) == len(corners)
    assert contacts.gap == pytest.approx(height, abs=1e-12)
    assert contacts.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(contacts), 1)), abs=1e-12)
    assert contacts.point[:, 2] == pytest.approx(0.5 + 0.5 * height, abs=1e-12)
    away = np.linalg.norm(contacts.point[:, None, :2] - corners, axis=2)
    assert away.min(axis=0).max() < 1e-9
    assert away.min(axis=1).max() < 1e-9


FLOORS = {
    "plane": (plane(), 0.0),
    "box": (box((10.0, 10.0, 2.0)), -1.0),
    "hull": (hulled(convex_hull(np.array(list(np.ndindex(2, 2, 2))) * (10.0, 10.0, 2.0) - (5.0, 5.0, 1.0))), -1.0),
}
RINGS = {"plane": 4, "box": 8, "hull": 8}
CUBE = np.array(list(np.ndindex(2, 2, 2)), float) - 0.5
STANDING = {
    "capsule lying": (capsule(0.3, 1.0), about("x", math.pi / 2), 0.3, 2),
    "capsule standing": (capsule(0.3, 1.0), UP, 0.8, 1),
    "ball": (ball(0.4), UP, 0.4, 1),
    "ellipsoid": (ellipsoid((0.4, 0.3, 0.2)), UP, 0.2, 1),
    "box": (box((1.0, 0.6, 0.4)), UP, 0.2, 4),
    "box on an edge": (box((1.0, 1.0, 1.0)), about("x", math.pi / 4), math.sqrt(0.5), 2),
    "cylinder standing": (cylinder(0.3, 1.0), UP, 0.5, None),
    "cylinder lying": (cylinder(0.3, 1.0), about("x", math.pi / 2), 0.3, 2),
    "cone standing": (cone(0.3, 1.0), UP, 0.5, None),
    "cone on its tip": (cone(0.3, 1.0), about("x", math.pi), 0.5, 1),
    "hull": (hulled(convex_hull(CUBE)), UP, 0.5, 4),
    "hull on an edge": (hulled(convex_hull(CUBE)), about("y", math.pi / 4), math.sqrt(0.5), 2),
}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("what", STANDING)
@pytest.mark.parametrize("gap", [0.004, 0.0, -0.004])
def test_what_stands_on_a_floor(what, floor, gap):
    """Guards the points of solids at rest: as many as hold them, in their place, with the gap to the floor."""
    solid, R, height, count = STANDING[what]
    ground, z = FLOORS[floor]
    contacts = touched([ground, solid], [(UP, (0, 0, z)), (R, (0.2, 0.1, height + gap))])
    assert len(contacts) == (RINGS[floor] if count is None else count)
    assert contacts.gap == pytest.approx(gap, abs=1e-9)
    assert contacts.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(contacts), 1)), abs=1e-9)
    assert contacts.point[:, 2] == pytest.approx(0.5 * gap, abs=1e-9)
    middle = contacts.point.mean(axis=0)
    assert middle[:2] == pytest.approx([0.2, 0.1], abs=1e-9), "they hold it in the middle"


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_cone_lies_on_its_side_in_two_points(floor, side):
    """Guards the line from a cone's base to its tip."""
    ground, z = FLOORS[floor]
    slope = math.atan2(0.3, 1.0)
    R = about("y", side * (math.pi / 2 + slope))
    down = np.array([[0.0, 0.0, -1.0]])
    crowd = random_crowds(BALL, 5, "plain", 1)[1]
    crowd = replace(crowd, half=np.array([[0.3, 0.3, 0.5]]), R=R[None], t=np.zeros((1, 3)))
    contacts = touched([ground, cone(0.3, 1.0)], [(UP, (0, 0, z)), (R, (0, 0, reaches(crowd, down[None])[0, 0]))])
    low = contacts[np.abs(contacts.gap) < 1e-9]
    assert len(low) == 2
    assert np.linalg.norm(low.point[1] - low.point[0]) == pytest.approx(math.hypot(1.0, 0.3))


def test_parallel_capsules_touch_in_two_points_where_both_are():
    """Guards segments side by side: the ends of what they share."""
    lying = about("y", math.pi / 2)
    contacts = touched(
        [capsule(0.1, 2.0), capsule(0.2, 1.0)], [(lying, (0, 0, 0)), (lying, (0.9, 0.0, 0.301))], margin=0.01
    )
    assert contacts.gap == pytest.approx([0.001, 0.001], abs=1e-12)
    assert points_of(contacts)[:, 0] == pytest.approx([0.4, 1.0])
    crossed = touched([capsule(0.1, 2.0), capsule(0.2, 1.0)], [(lying, (0, 0, 0)), (UP, (0.5, 0.301, 0.0))])
    assert len(crossed) == 1
    assert crossed.point[0] == pytest.approx([0.5, 0.1005, 0.0], abs=1e-9)


def test_capsule_over_the_edge_of_a_box_touches_where_the_box_ends():
    """Guards a segment cut by a face: one point at the capsule's end, one at the box's side."""
    lying = about("y", math.pi / 2)
    contacts = touched([box((2.0, 2.0, 2.0)), capsule(0.2, 1.0)], [(UP, (0, 0, 0)), (lying, (0.9, 0.0, 1.2))])
    assert points_of(contacts)[:, 0] == pytest.approx([0.4, 1.0])
    assert contacts.gap == pytest.approx([0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("kind", sorted(STANDING))
@pytest.mark.parametrize("floor", FLOORS)
def test_pairs_are_known_before_they_touch(kind, floor):
    """Guards margins: a gap just within is written, one just beyond is not."""
    solid, R, height, _ = STANDING[kind]
    ground, z = FLOORS[floor]
    for gap, merge_with_existing_point in ((0.0199, True), (0.0201, False)):
        contacts = touched([ground, solid], [(UP, (0, 0, z)), (R, (0, 0, height + gap))], margin=0.02)
        assert (len(contacts) > 0) == merge_with_existing_point


def test_points_beyond_the_room_are_counted():
    """Guards the room: what does not fit is not written."""
    solids, poses = [plane(), box((1, 1, 1)), box((1, 1, 1))], [(UP, (0, 0, 0)), (UP, (0, 0, 0.5)), (UP, (3, 0, 0.5))]
    records, hulls = pack([replace(solid, body=i) for i, solid in enumerate(solids)])
    placed = np.zeros(3, SOLID_POSE).view(np.recarray)
    write_solid_poses(records, hulls, np.array([[*np.ravel(R), *t] for R, t in poses], float), placed)
    contacts = np.zeros(6, CONTACT).view(np.recarray)
    contacts.first = -1
    pairs = np.array([[0, 1], [0, 2]], np.int64)
    assert write_contact_points(records, hulls, placed, pairs, 2, 0.01, make_pair_work(), contacts[:5]) == 8
    assert contacts.second[:5].tolist() == [1, 1, 1, 1, 2]
    assert contacts.first[5] == -1


# Motion


def tracks(solids, poses_at, times, margin=0.05):
    """Of each step, {(pair, name): (point, gap)}."""
    steps = []
    for time in times:
        contacts = touched(solids, poses_at(time), margin, [[i, 0] for i in range(1, len(solids))])
        steps.append({(int(c.first), int(c.name)): (c.point.copy(), float(c.gap)) for c in contacts})
    return steps


def slid(time):
    return about("z", 0.3), (-0.7 + 1.4 * time, 0.1 + 0.3 * time, 0.249)


def turned_round(time):
    return about("z", 6.0 * time), (0.1, 0.07, 0.249)


def tipped(time):
    angle = 0.09 * time
    lift = 0.25 * math.cos(angle) + 0.4 * math.sin(angle)
    return about("y", angle), (0.1, 0.07, lift)


def tipped_over(time):
    """From one face onto the next one, about the edge between them, which stays where it is."""
    angle = 0.5 * math.pi * time
    R = about("y", angle)
    return R, (0.5, 0.07, 0.0) - R @ (0.4, 0.0, -0.25)


@pytest.mark.parametrize(("motion", "points"), [(slid, 4), (turned_round, 4), (tipped, 4), (tipped_over, 2)])
def test_points_move_as_bodies_do(motion, points):
    """Guards continuity: over a floor of boxes, a point that keeps its name moves no farther than a few times as far
    as the box does, and most points keep their names."""
    tiles = [box((1.0, 1.0, 1.0)) for _ in range(4)]
    places = [(UP, (x, y, -0.5)) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    steps, reach = 2000, 0.6
    times = np.linspace(0.0, 1.0, steps)
    found = tracks([box((0.8, 0.6, 0.5)), *tiles], lambda time: [motion(time), *places], times)
    changes = 0
    for k in range(1, steps):
        (R, t), (Q, u) = motion(times[k - 1]), motion(times[k])
        moved = np.linalg.norm(np.subtract(t, u)) + reach * np.abs(R - Q).max() * 2.0
        changes += len(set(found[k]) ^ set(found[k - 1]))
        for key in set(found[k]) & set(found[k - 1]):
            step = np.linalg.norm(found[k][key][0] - found[k - 1][key][0])
            # Where a side crosses an edge at an angle, the crossing runs along it by 1 / sin(angle).
            assert step <= 30.0 * moved + 1e-12, (k, key)
            assert abs(found[k][key][1] - found[k - 1][key][1]) <= 4.0 * moved + 1e-12
    assert sum(len(step) for step in found) > points * steps
    assert min(len(step) for step in found) >= points
    assert changes < 200


def test_names_stay_while_a_box_shakes_at_rest():
    """Guards warm starts: a box at rest that trembles by a micrometre keeps the names of all of its points."""
    rng = np.random.default_rng(7)
    for floor in FLOORS.values():
        names = set()
        for _ in range(50):
            w = 1e-6 * rng.normal(size=3)
            R = about("z", 0.4) @ about("x", w[0]) @ about("y", w[1])
            contacts = touched(
                [floor[0], box((1.0, 0.8, 0.6))], [(UP, (0, 0, floor[1])), (R, (0.1, 0.2, 0.3 + 1e-6 * rng.normal()))]
            )
            names.add(tuple(sorted(contacts.name.tolist())))
        assert len(names) == 1
        assert len(next(iter(names))) == 4


@pytest.mark.parametrize(
    "edge", [box((2.0, 2.0, 2.0)), hulled(convex_hull(np.array([*np.ndindex(2, 2, 2)]) * 2.0 - 1.0))]
)
def test_the_end_of_a_capsule_beyond_an_edge_is_not_cut_off(edge):
    """Guards limbs on stairs: one that lies nearly along an edge touches it with an end that is beyond it already.

    The truth is the distance of the edge, a line, from the segment in the capsule.
    """
    rng, radius, half = np.random.default_rng(0), 0.05, 0.16
    ends = 0
    for _ in range(300):
        R = about("z", rng.uniform(-0.15, 0.15)) @ about("x", 0.5 * math.pi + rng.uniform(-0.09, 0.09))
        beyond = rng.uniform(-0.01, 0.02)
        end = np.array([1.0 + beyond, 0.3 * rng.normal(), 1.0 + math.sqrt(radius**2 - max(beyond, 0.0) ** 2)])
        t = end + half * R[:, 2] * rng.choice([-1.0, 1.0]) + [0.0, 0.0, rng.uniform(-0.004, 0.0)]
        contacts = touched([edge, capsule(radius, 2.0 * half)], [(UP, (0, 0, 0)), (R, t)], margin=0.005)
        along = np.linspace(-half, half, 20_001)[:, None] * R[:, 2] + t
        out = np.maximum(np.abs(along) - 1.0, 0.0)
        depth = radius - np.linalg.norm(out, axis=1).min()
        assert contacts.gap.min() == pytest.approx(-depth, abs=2e-4 * radius)
        ends += beyond > 0.0
    assert ends > 100
