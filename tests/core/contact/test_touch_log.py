# SPDX-License-Identifier: GPL-3.0-or-later
"""What touched frame by frame: a line a pair, held against the points that are recorded, and against closed forms."""

import dataclasses

import numpy as np
import pytest

from limberjack.core.geometry import Box, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, NO_TURN, G, scene, solid

ROUGH = Surface(friction=0.4)
TIMES = np.linspace(0.0, 0.2, 11)


def many(count=12):
    """Boxes in a row, each with a ball on it: more pairs than there is room for at first, in no order of their own."""
    boxes = [(solid(f"box{k}", Box((0.2, 0.2, 0.2)), 2.0, ROUGH), (0.5 * k, 0.0, 0.1, *NO_TURN)) for k in range(count)]
    balls = [(solid(f"ball{k}", Sphere(0.1), 1.0, ROUGH), (0.5 * k, 0.0, 0.3, *NO_TURN)) for k in range(count)]
    return scene(ROUGH, LEVEL, *balls, *boxes)


def touches_of(simulation):
    return simulation._stage.touches(0.0)


def followed(model, convex, times=TIMES):
    simulation = Simulation(model, times, record=("contacts",))
    if convex:
        simulation.prefer_time_stepping()
    simulation.run()
    return simulation


@pytest.mark.parametrize("convex", [False, True])
def test_a_line_has_all_points_of_its_pair(convex):
    """Guards the lines of a frame: each pair once, in order, with the load and the number of its recorded points."""
    simulation = followed(many(), convex)
    touches, points = touches_of(simulation), simulation.trajectory.contacts
    codes = touches.lines["frame"] * 10**6 + touches.lines["first"] * 1000 + touches.lines["second"]
    assert len(codes) == 24 * len(set(points.frame)) >= 24 * (len(TIMES) - 1)
    assert np.all(np.diff(codes) > 0)
    for line in touches.lines:
        own = (points.frame == line["frame"]) & (points.first == touches.owners[line["first"]])
        own &= points.second == touches.owners[line["second"]]
        pushes = own & (np.einsum("ki,ki->k", points.force, points.normal) > 0.0)
        assert line["points"] == pushes.sum()
        force = points.force[pushes].sum(axis=0)
        assert line["press"] + line["drag"] == pytest.approx(force, abs=1e-9)
        assert line["load"] == pytest.approx((points.force[pushes] * points.normal[pushes]).sum(), rel=1e-9)


@pytest.mark.parametrize("has_loop", [False, True])
@pytest.mark.parametrize("record", [(), ("contacts",)])
def test_what_lies_on_a_belt_slips_and_loses_as_coulomb_says(has_loop, record):
    """Guards slip and loss: a box that a belt runs away under is pushed by mu m g, and the belt slips by its speed.

    So it is beside a loop, whose gap is measured with all bodies at rest, and however frames are recorded.
    """
    belt = dataclasses.replace(ROUGH, velocity=(3.0, 0.0, 0.0))
    box = solid("box", Box((0.4, 0.3, 0.2)), 2.0, ROUGH), (0.0, 0.0, 0.1, *NO_TURN)
    model = scene(belt, LEVEL, box)
    if has_loop:
        model.links.append(Link("held twice"))
        model.joints += [Joint(f"hinge {k}", "revolute", WORLD, "held twice") for k in (1, 2)]
    simulation = Simulation(model, TIMES, record=record)
    simulation.run()
    lines = touches_of(simulation).lines
    speed = 3.0 - ROUGH.friction * G * TIMES[lines["frame"]]
    assert lines["slip"] == pytest.approx(speed, rel=1e-6)
    assert lines["lost"] == pytest.approx(ROUGH.friction * 2.0 * G * speed, rel=1e-6)
    assert np.abs(lines["drag"][:, 0]) == pytest.approx(ROUGH.friction * 2.0 * G, rel=1e-6)


def test_a_motion_that_goes_back_has_the_lines_of_one_that_did_not():
    """Guards rewinding: what came after the frame that a snapshot is of is forgotten, all else is kept."""
    straight, back = Simulation(many(2), TIMES), Simulation(many(2), TIMES)
    straight.run()
    frames = iter(back)
    while back.frames_done < 4:
        next(frames)
    kept = back.snapshot()
    while back.frames_done < 8:
        next(frames)
    back.restore(kept)
    assert touches_of(back).lines["frame"].max() == 3
    back.run()
    assert touches_of(back).lines.tobytes() == touches_of(straight).lines.tobytes()
