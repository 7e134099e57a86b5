# SPDX-License-Identifier: GPL-3.0-or-later
"""What touches moves alike at any size: lengths by s, times by its root, masses by its cube, under the same gravity."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Box, Capsule, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.linkages import upright_four_bar
from support.touching import LEVEL, NO_TURN, floor, scene, solid, turned

SIZES = (0.01, 100.0)
CLOSE = {"good": 1e-6, "exact": 1e-7}
"""Of each length, in parts of the scene's size, and of each angle."""


def bouncing_ball():
    surface = Surface(friction=0.4, restitution=0.6)
    ball = solid("ball", Sphere(0.1), 1.0, surface), (0.0, 0.0, 0.6, *NO_TURN)
    return scene(surface, LEVEL, ball), {"free ball": [1.0, 0.0, 0.0, 0.0, -3.0, 5.0]}, 3.0


def tipping_box():
    """It slides so fast, and is so high, that friction throws it over."""
    surface = Surface(friction=0.9)
    box = solid("box", Box((0.2, 0.2, 0.5)), 4.0, surface), (0.0, 0.0, 0.25, *NO_TURN)
    return scene(surface, LEVEL, box), {"free box": [2.5, 0.0, 0.0, 0.0, 0.0, 0.0]}, 1.5


def falling_arm():
    """Two links on hinges, the first of them on a post, that come to lie on the floor."""
    surface = Surface(friction=0.5)
    links, joints = [floor(surface)], [Joint("held", "fixed", WORLD, "floor", X_PJ=(0.0, 0.0, -0.5, *NO_TURN))]
    for n in range(2):
        link = Link(f"link {n}", 1.0, (0.2, 0.0, 0.0), (0.001, 0.0, 0.0, 0.014, 0.0, 0.014))
        link.collisions = [
            Shape("rod", Capsule(0.03, 0.4), (0.2, 0.0, 0.0, *turned("y", math.pi / 2)), surface=surface)
        ]
        links.append(link)
        at = (0.4, 0.0, 0.0, *NO_TURN) if n else (0.0, 0.0, 0.0, *NO_TURN)
        joints.append(Joint(f"hinge {n}", "revolute", f"link {n - 1}" if n else WORLD, link.name, X_PJ=at))
        joints[-1].axes[0].xyz = (0.0, 1.0, 0.0)
    model = Model("arm", links, joints)
    model.gravity = LEVEL
    return model, {"hinge 0": -2.0, "hinge 1": 1.0}, 2.0


def four_bar_on_a_block():
    surface = Surface(friction=0.3, restitution=0.4)
    model = upright_four_bar()
    model.link("rocker").collisions = [Shape("knob", Sphere(0.05), (2.0, 1.2, 0.0, *NO_TURN), surface=surface)]
    block = Link("block", collisions=[Shape("block", Plane((-1.0, 0.0, 0.0)), surface=surface)])
    model.links.append(block)
    model.joints.append(Joint("held", "fixed", WORLD, "block", X_PJ=(2.35, 0.0, 0.0, *NO_TURN)))
    return model, {"crank_pivot": -2.0}, 1.5


SCENES = (bouncing_ball, tipping_box, falling_arm, four_bar_on_a_block)


def scaled(model, s):
    """The same model, s times as large, of the same density."""
    model = model.copy()
    for link in model.links:
        link.mass *= s**3
        link.com = tuple(s * x for x in link.com)
        link.inertia = tuple(s**5 * x for x in link.inertia)
        link.pose = grown(link.pose, s)
        for shape in link.collisions:
            shape.pose, shape.geometry = grown(shape.pose, s), larger(shape.geometry, s)
    for joint in model.joints:
        joint.X_PJ, joint.X_CJ = grown(joint.X_PJ, s), grown(joint.X_CJ, s)
        if joint.kind.chart and joint.type == "free":
            joint.home = grown(joint.home, s)
    return model


def grown(pose, s):
    return (*(s * x for x in pose[:3]), *pose[3:])


def larger(geometry, s):
    match geometry:
        case Box(size):
            return Box(tuple(s * x for x in size))
        case Sphere(radius):
            return Sphere(s * radius)
        case Capsule(radius, length):
            return Capsule(s * radius, s * length)
    assert isinstance(geometry, Plane)
    return geometry


def moves(make, s, accuracy):
    """The scene at a size: (poses in units of its size, times of blows in units of its own time)."""
    model, start, lasts = make()
    begun = {
        name: [v * (math.sqrt(s) if n < 3 else 1.0 / math.sqrt(s)) for n, v in enumerate(given)]
        if isinstance(given, list)
        else given / math.sqrt(s)
        for name, given in start.items()
    }
    times = np.linspace(0.0, lasts, 16) * math.sqrt(s)
    found = Simulation(scaled(model, s), times, accuracy, {"qd": begun})
    found.run()
    poses = found.trajectory.X_WL.copy()
    poses[..., :3] /= s
    return poses, sorted({round(impact.time / math.sqrt(s), 6) for impact in found.impacts})


@pytest.mark.parametrize("accuracy", ["good", "exact"])
@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_a_scene_moves_alike_at_any_size(make, accuracy):
    """A hundredth and a hundred times as large as drawn, each pose of each link and the first blows are the same."""
    shown, blows = moves(make, 1.0, accuracy)
    for s in SIZES:
        poses, own = moves(make, s, accuracy)
        assert np.abs(poses - shown).max() < CLOSE[accuracy]
        assert own[:7] == pytest.approx(blows[:7], abs=1e-5)
