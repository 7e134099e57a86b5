# SPDX-License-Identifier: GPL-3.0-or-later
"""What slides, sticks and rolls on a floor goes as Coulomb's law has it, in closed form."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Box, Cylinder, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from support.touching import (
    LEVEL,
    NO_TURN,
    STILL,
    G,
    floor,
    moved,
    pose_of,
    scene,
    sloped,
    solid,
    turned,
    velocity_of,
)

ACCURACIES = ("draft", "good", "exact")
CLOSE = {"draft": 2e-3, "good": 1e-5, "exact": 1e-8}


def block(surface, size=(0.2, 0.2, 0.1), mass=2.0):
    return solid("block", Box(size), mass, surface), (0.0, 0.0, size[2] / 2.0, *NO_TURN)


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_block_slides_down_a_slope(accuracy):
    """a = g (sin - mu cos); its edges carry unequal loads."""
    surface = Surface(friction=0.3)
    found = moved(scene(surface, sloped(30.0), block(surface)), np.linspace(0.0, 1.0, 11), accuracy, block=STILL)
    slope = math.radians(30.0)
    gone = 0.5 * G * (math.sin(slope) - 0.3 * math.cos(slope))
    assert pose_of(found, "block")[0] == pytest.approx(gone, rel=CLOSE[accuracy])


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_block_does_not_creep(accuracy):
    """A second on a slope below the angle of repose moves it by nothing, at any accuracy."""
    surface = Surface(friction=0.5)
    found = moved(scene(surface, sloped(26.5), block(surface)), np.linspace(0.0, 1.0, 11), accuracy, block=STILL)
    assert np.abs(pose_of(found, "block")[:3] - pose_of(found, "block", 0)[:3]).max() < 1e-12


def test_the_angle_of_repose():
    """A tenth of a degree above it, the block slides."""
    surface = Surface(friction=0.5)
    above = math.degrees(math.atan(0.5)) + 0.1
    found = moved(scene(surface, sloped(above), block(surface)), np.linspace(0.0, 1.0, 11), block=STILL)
    slope = math.radians(above)
    gone = 0.5 * G * (math.sin(slope) - 0.5 * math.cos(slope))
    assert pose_of(found, "block")[0] == pytest.approx(gone, rel=1e-6)


def test_static_friction_holds_and_sliding_friction_resists():
    """With coefficients of 0.6 and 0.3, a slope between both holds what rests and lets slide what moves."""
    surface = Surface(friction=0.3, static_friction=0.6)
    model = scene(surface, sloped(25.0), block(surface))
    rests = moved(model, np.linspace(0.0, 1.0, 11), block=STILL)
    assert np.abs(pose_of(rests, "block")[0]) < 1e-12
    slides = moved(model, np.linspace(0.0, 1.0, 11), block=(0.5, 0.0, 0.0, 0.0, 0.0, 0.0))
    slope = math.radians(25.0)
    gone = 0.5 + 0.5 * G * (math.sin(slope) - 0.3 * math.cos(slope))
    assert pose_of(slides, "block")[0] == pytest.approx(gone, rel=1e-8)


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_block_stops_obliquely(accuracy):
    """Friction is a cone and no pyramid: the path is straight, of length v^2 / (2 mu g), and ends for good."""
    surface = Surface(friction=0.4)
    heading = math.radians(30.0)
    start = (3.0 * math.cos(heading), 3.0 * math.sin(heading), 0.0, 0.0, 0.0, 0.0)
    found = moved(scene(surface, LEVEL, block(surface)), np.linspace(0.0, 1.2, 25), accuracy, block=start)
    x, y = pose_of(found, "block")[:2]
    assert math.hypot(x, y) == pytest.approx(9.0 / (2.0 * 0.4 * G), rel=CLOSE[accuracy])
    assert math.atan2(y, x) == pytest.approx(heading, abs=1e-9)
    assert np.abs(velocity_of(found, "block")).max() < 1e-12


def test_a_skier_at_the_angle_of_repose():
    """The speed and its part downhill keep their sum; in the end half of the speed is left, straight downhill."""
    slope = 25.0
    surface = Surface(friction=math.tan(math.radians(slope)))
    found = moved(
        scene(surface, sloped(slope), block(surface, (0.3, 0.3, 0.02))),
        np.linspace(0.0, 5.5, 56),
        block=(0.0, 2.0, 0.0, 0.0, 0.0, 0.0),
    )
    for frame in range(56):
        v = velocity_of(found, "block", frame)
        assert math.hypot(v[0], v[1]) + v[0] == pytest.approx(2.0, rel=1e-6)
    assert velocity_of(found, "block")[0] == pytest.approx(1.0, rel=1e-6)


def test_a_box_spins_to_rest():
    """Its weight rests evenly on four corners: the torque is mu m g times half a diagonal."""
    surface = Surface(friction=0.3)
    found = moved(
        scene(surface, LEVEL, block(surface, (0.2, 0.2, 0.05), 1.0)),
        np.array([0.0, 0.1, 0.2]),
        block=(0.0, 0.0, 0.0, 0.0, 0.0, 20.0),
    )
    slowed = 0.3 * G * math.sqrt(2.0) * 0.1 / (0.02 / 3.0)
    assert velocity_of(found, "block")[5] == pytest.approx(20.0 - 0.2 * slowed, rel=1e-8)


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_sliding_ball_begins_to_roll(accuracy):
    """From slip to roll at 2 v / (7 mu g), and on at 5/7 v."""
    surface = Surface(friction=0.2)
    ball = solid("ball", Sphere(0.1), 1.0, surface), (0.0, 0.0, 0.1, *NO_TURN)
    times = np.linspace(0.0, 1.0, 21)
    found = moved(scene(surface, LEVEL, ball), times, accuracy, ball=(4.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    rolls_at = 2.0 * 4.0 / (7.0 * 0.2 * G)
    slid = 4.0 * rolls_at - 0.5 * 0.2 * G * rolls_at**2
    gone = slid + (1.0 - rolls_at) * 4.0 * 5.0 / 7.0
    assert pose_of(found, "ball")[0] == pytest.approx(gone, rel=CLOSE[accuracy])
    energies = found.trajectory.kinetic + found.trajectory.potential + found.trajectory.dissipated
    assert np.ptp(energies) < 1e-6 * energies[0] if accuracy == "exact" else np.ptp(energies) < 1e-2 * energies[0]


def test_rolling_friction_stops_a_ball():
    """A torque of f N slows a rolling ball by (f / r) g / (7/5): it stops after v^2 over twice that."""
    surface = Surface(friction=0.8, rolling_friction=0.002)
    ball = solid("ball", Sphere(0.1), 1.0, surface), (0.0, 0.0, 0.1, *NO_TURN)
    found = moved(scene(surface, LEVEL, ball), np.linspace(0.0, 4.0, 41), ball=(0.3, 0.0, 0.0, 0.0, 3.0, 0.0))
    slowed = 0.002 / 0.1 * G / 1.4
    assert pose_of(found, "ball")[0] == pytest.approx(0.09 / (2.0 * slowed), rel=1e-6)
    assert np.abs(velocity_of(found, "ball")).max() < 1e-10


def test_spinning_friction_stops_a_top():
    """A torque of f N about the normal stops it in I w / (f m g)."""
    surface = Surface(friction=0.8, spinning_friction=0.001)
    ball = solid("ball", Sphere(0.1), 1.0, surface), (0.0, 0.0, 0.1, *NO_TURN)
    found = moved(scene(surface, LEVEL, ball), [0.0, 0.5, 3.0], ball=(0.0, 0.0, 0.0, 0.0, 0.0, 5.0))
    slowed = 0.001 * G / (0.4 * 0.01)
    assert velocity_of(found, "ball", 1)[5] == pytest.approx(5.0 - 0.5 * slowed, rel=1e-8)
    assert np.abs(velocity_of(found, "ball")).max() < 1e-10


def test_a_belt_carries_what_lies_on_it():
    """It speeds up by mu g until it goes with the belt, and slips no more; the belt does the work."""
    surface = Surface(friction=0.35, velocity=(1.5, 0.0, 0.0))
    own = Surface(friction=0.35)
    model = scene(surface, LEVEL, block(own, mass=1.0))
    found = moved(model, np.linspace(0.0, 1.0, 21), block=STILL)
    slips = 1.5 / (0.35 * G)
    assert pose_of(found, "block")[0] == pytest.approx(1.5 - 0.5 * 1.5 * slips, rel=1e-8)
    assert found.trajectory.supplied[-1] == pytest.approx(1.5 * 1.5, rel=1e-7)
    assert found.trajectory.dissipated[-1] == pytest.approx(0.5 * 1.5**2, rel=1e-7)


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_box_slides_over_an_edge(accuracy):
    """Past the edge of a table it tips and falls to the floor: a face ends where it ends."""
    surface = Surface(friction=0.1)
    top = Shape("top", Box((1.0, 1.0, 0.1)), (0.0, 0.0, -0.05, *NO_TURN), surface=surface)
    box = solid("box", Box((0.2, 0.2, 0.1)), 1.0, surface)
    joints = [
        Joint("held table", "fixed", WORLD, "table"),
        Joint("held", "fixed", WORLD, "floor", X_PJ=(0.0, 0.0, -1.0, *NO_TURN)),
        Joint("free box", "free", WORLD, "box", X_PJ=(0.2, 0.0, 0.05, *NO_TURN)),
    ]
    model = Model("table", [Link("table", collisions=[top]), floor(surface), box], joints)
    model.gravity = LEVEL
    found = moved(model, np.linspace(0.0, 2.0, 41), accuracy, box=(1.2, 0.0, 0.0, 0.0, 0.0, 0.0))
    energy = found.trajectory.kinetic + found.trajectory.potential + found.trajectory.dissipated
    assert np.ptp(energy) < 1e-8
    assert pose_of(found, "box")[2] in (pytest.approx(-0.9, abs=1e-6), pytest.approx(-0.95, abs=1e-6))
    assert np.abs(velocity_of(found, "box")).max() < 1e-9


@pytest.mark.parametrize(("friction", "stays"), [(0.28, True), (0.25, False)])
def test_three_logs(friction, stays):
    """One on two stays while the friction between them is tan 15 degrees or more, 0.268."""
    surface, r = Surface(friction=friction), 0.1
    across = r * r / 4.0 + 0.3**2 / 12.0
    lying = turned("x", math.pi / 2.0)
    places = {"left": (-r, 0.0, r), "right": (r, 0.0, r), "top": (0.0, 0.0, r + math.sqrt(3.0) * r)}
    logs = [
        (solid(name, Cylinder(r, 0.3), 1.0, surface, (across, across, r * r / 2.0)), (*place, *lying))
        for name, place in places.items()
    ]
    found = moved(scene(surface, LEVEL, *logs), np.linspace(0.0, 1.0, 21), "good")
    sunk = places["top"][2] - pose_of(found, "top")[2]
    assert sunk < 1e-6 if stays else sunk > 0.02
