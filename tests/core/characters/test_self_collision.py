# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of parts of a body that overlap in its poses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core.characters.self_collision import overlapping_pairs
from limberjack.core.geometry import Box, Capsule, Sphere
from limberjack.core.spatial import IDENTITY, IDENTITY_QUAT


def at(x, y=0.0, z=0.0):
    return (x, y, z, *IDENTITY_QUAT)


def balls(*radii):
    return {f"ball{number}": (Sphere(radius), IDENTITY) for number, radius in enumerate(radii)}


def test_pairs_of_balls():
    """Guards the rule: two balls overlap if their middles are nearer than both radii, and a pair is in the order of the
    parts, not of their names."""
    shapes = {"z": (Sphere(0.5), IDENTITY), "a": (Sphere(0.5), IDENTITY), "m": (Sphere(0.1), IDENTITY)}
    poses = {"z": at(0.0), "a": at(0.99), "m": at(3.0)}
    assert overlapping_pairs(shapes, [poses]) == {("z", "a")}
    assert overlapping_pairs(shapes, [poses | {"a": at(1.01)}]) == set()
    assert overlapping_pairs(shapes, [poses | {"a": at(1.01)}], gap=0.02) == {("z", "a")}


def test_pairs_of_any_pose_count():
    """Guards characters that are posed: what overlaps at rest or in the pose is excluded, and no pose gives no pair."""
    shapes = balls(0.5, 0.5, 0.5)
    rest = {"ball0": at(0.0), "ball1": at(0.9), "ball2": at(5.0)}
    posed = {"ball0": at(0.0), "ball1": at(2.0), "ball2": at(2.5)}
    assert overlapping_pairs(shapes, [rest, posed]) == {("ball0", "ball1"), ("ball1", "ball2")}
    assert overlapping_pairs(shapes, []) == set()
    assert overlapping_pairs({}, [{}]) == set()


def test_shapes_have_places_in_their_parts():
    """Guards capsules that are not at the head of their bones: the pose of a shape is relative to the part's."""
    shapes = {"limb": (Capsule(0.1, 1.0), at(0.0, 0.0, 2.0)), "box": (Box((0.2, 0.2, 0.2)), IDENTITY)}
    poses = {"limb": at(5.0), "box": at(5.0, 0.0, 2.6)}  # the capsule ends at 2.6
    assert overlapping_pairs(shapes, [poses]) == {("limb", "box")}
    assert overlapping_pairs(shapes, [poses | {"box": at(5.0, 0.0, 0.0)}]) == set()


@given(
    st.lists(st.tuples(*[st.floats(-2.0, 2.0)] * 3, st.floats(0.05, 1.0)), min_size=2, max_size=6), st.floats(0.0, 0.5)
)
def test_as_distances_say(spheres, gap):
    """Guards any number of parts, against the distances of their middles, away from where they just touch."""
    shapes = balls(*(radius for *_, radius in spheres))
    poses = {name: at(*place) for name, (*place, _) in zip(shapes, spheres, strict=True)}
    expected, names = set(), [*shapes]
    for i, (*one, r) in enumerate(spheres):
        for j, (*other, s) in enumerate(spheres[:i]):
            between = np.linalg.norm(np.subtract(one, other)) - r - s - gap
            if abs(between) < 1e-6:
                return
            if between < 0.0:
                expected.add((names[j], names[i]))
    assert overlapping_pairs(shapes, [poses], gap) == expected


def test_a_pose_of_all_parts_is_needed():
    """Guards callers against a pose that lacks a part."""
    with pytest.raises(KeyError, match="ball1"):
        overlapping_pairs(balls(1.0, 1.0), [{"ball0": IDENTITY}])
