# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences of poses, masses and motions, by closed forms."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Box, Shape
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.prove.comparing import (
    Difference,
    behaviour_of,
    in_our_frames,
    mass_difference,
    moved_frames,
    pose_difference,
)
from limberjack.core.spatial import IDENTITY, compose, inverse
from support.models import random_pose

AT_REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def turned(angle: float, *at: float) -> tuple:
    """Return a pose that is turned about z."""
    return (*at, math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))


def test_the_largest_distance_and_angle_count():
    """Guards both numbers, which may be those of different links; small angles; and quaternions of either sign."""
    ours = {"a": AT_REST, "b": AT_REST, "only here": AT_REST}
    theirs = {"a": turned(1e-12, 3.0, 4.0, 0.0), "b": turned(0.5, 0.0, 0.0, 1.0)}
    assert pose_difference(ours, theirs) == Difference(5.0, pytest.approx(0.5), "a")
    assert pose_difference({"a": AT_REST}, {"a": turned(1e-12, 0.0, 0.0, 0.0)}).angle == pytest.approx(1e-12)
    other_sign = (0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0)
    assert pose_difference({"a": AT_REST}, {"a": other_sign}) == Difference(0.0, 0.0, "a")
    assert pose_difference({"a": AT_REST}, {}) == Difference()


def test_masses_are_compared_link_by_link():
    """Guards the relative error of a link, and of the whole; a link that weighs next to nothing does not count."""
    found = mass_difference({"a": 2.0, "b": 8.0, "dust": 0.0}, {"a": 2.2, "b": 8.0, "dust": 1e-9})
    assert (found.relative, found.link, found.total) == (pytest.approx(0.1), "a", pytest.approx(0.02))
    assert mass_difference({"a": 10.0, "dust": 0.0}, {"a": 10.0, "dust": 1e-9}).relative < 1e-3
    assert mass_difference({"a": 0.0}, {"a": 0.0}).relative == 0.0


def arm(X_CJ=IDENTITY) -> Model:
    """Return a link that swings about z, with its centre of mass off its own frame and off the axis."""
    link = Link("arm", 1.5, (0.2, 0.1, 0.0), (0.01, 0.001, 0.0, 0.02, 0.0, 0.025))
    joint = Joint("j", "continuous", WORLD, "arm", IDENTITY, X_CJ, [Axis((0.0, 0.0, 1.0))])
    return Model("m", [link], [joint], gravity=(0.0, -9.81, 0.0))


def in_other_frame(model: Model, X: tuple) -> Model:
    """Return the same body with its frame at the pose X in the old one."""
    back = inverse(X)
    again = arm(compose(back, model.joints[0].X_CJ))
    link, old = again.links[0], model.links[0]
    R = np.array([compose(back, (*axis, 1.0, 0.0, 0.0, 0.0))[:3] for axis in np.eye(3)]).T - np.array(back[:3])[:, None]
    xx, xy, xz, yy, yz, zz = old.inertia
    turned = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    link.inertia = tuple(turned[np.triu_indices(3)].tolist())
    link.com = compose(back, (*old.com, 1.0, 0.0, 0.0, 0.0))[:3]
    link.visuals = [Shape(s.name, s.geometry, compose(back, s.pose)) for s in old.visuals]
    return again


@pytest.mark.parametrize("has_shape", [True, False])
def test_a_frame_that_a_format_moves_is_no_difference(has_shape):
    """Guards URDF, whose links have their frames at their joints: the same body moves alike in another frame."""
    model = arm()
    if has_shape:
        model.links[0].visuals = [Shape("box", Box((1.0, 2.0, 3.0)), random_pose(np.random.default_rng(1)))]
    again = in_other_frame(model, random_pose(np.random.default_rng(0)))
    one, other = behaviour_of(model, 0.1), behaviour_of(again, 0.1)
    assert pose_difference(one.start, other.start).largest > 0.01
    moved = moved_frames(model, again, one.start, other.start, 1e-6)
    assert pose_difference(one.start, in_our_frames(other.start, moved)).largest < 1e-12
    assert pose_difference(one.end, in_our_frames(other.end, moved)).largest < 1e-9
    assert pose_difference(one.start, one.end).largest > 0.01


def test_a_body_elsewhere_is_a_difference():
    """Guards the search for moved frames: a body that is somewhere else, or another body, is not taken for the same."""
    model, away = arm(), arm((0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    one, other = behaviour_of(model, 0.0), behaviour_of(away, 0.0)
    assert moved_frames(model, away, one.start, other.start, 1e-6) == {}
    again = in_other_frame(model, random_pose(np.random.default_rng(0)))
    body = again.links[0]
    com, (xx, *rest) = body.com, body.inertia
    for body.com, body.inertia in (((0.0, 0.0, 0.0), (xx, *rest)), (com, (1.001 * xx, *rest))):
        assert moved_frames(model, again, one.start, behaviour_of(again, 0.0).start, 1e-6) == {}


def test_a_free_fall_ends_where_galilei_says():
    """Guards the motion: half of g t^2, also beyond a velocity limit, which other simulators lack."""
    link = Link("l", 1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    joint = Joint("j", "prismatic", WORLD, "l", axes=[Axis((0.0, 0.0, 1.0), velocity=0.01)])
    model = Model("m", [link], [joint], gravity=(0.0, 0.0, -10.0))
    assert behaviour_of(model, 1.0).end["l"][2] == pytest.approx(-5.0)
    assert joint.axes[0].velocity == 0.01


def test_what_cannot_be_simulated_says_why():
    """Guards models without masses, whose poses can be compared all the same."""
    model = arm()
    model.links[0].mass, model.links[0].inertia = 0.0, (0.0,) * 6
    found = behaviour_of(model, 1.0)
    assert "arm" in found.start
    assert found.end == {}
    assert "mass" in found.motion_error
    assert "\n" not in found.motion_error
