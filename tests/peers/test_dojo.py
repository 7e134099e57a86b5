# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Dojo's test suite (test/joint_limits.jl, behaviors.jl, integrator.jl)."""

from math import pi

import numpy as np
import pytest

import limberjack as lj
from support.peers import X_AXIS, add_body, add_floor, at, axis, box_moments, differs, moments, rpy, solid, twist_at_end


def test_joint_limits_of_a_pendulum():
    """Guards a stop: the pendulum falls onto its lower limit and stays there."""
    model = lj.Model("pendulum", gravity=(0, 0, -9.81))
    limited = [axis(X_AXIS, lower=0.25 * pi, upper=pi)]
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": moments(1 / 12, 1 / 12, 1e-3)}
    add_body(model, "rod", "revolute", axes=limited, **rod)
    motion = lj.simulate(model, 1.0, frame_rate=100, q={"to rod": 0.4 * pi})
    assert abs(motion.joint("to rod")[-1, 0] - 0.25 * pi) < 1e-7


@pytest.fixture(scope="module")
def tossed():
    """A box that is tossed along a floor, 5 s."""
    model = lj.Model("toss")
    add_floor(model, friction=0.1)
    box = solid(lj.Box((0.5, 0.5, 0.5)), friction=0.1)
    add_body(model, "box", at=at(0, 0, 0.5), mass=1, inertia=box_moments(1, 0.5, 0.5, 0.5), collisions=box)
    return lj.simulate(model, 5, frame_rate=50, qd={"box": [1, 1.5, 1, 0.05, 0.04, 0.02]})


def test_box_toss_ends_flat(tossed):
    """Guards where a tossed box ends: on a face."""
    assert abs(tossed.link("box")[-1, 2] - 0.25) < 1e-6


def test_box_toss_comes_to_rest(tossed):
    """Guards that it no longer moves."""
    assert np.abs(tossed.qd[-1]).max() < 1e-8


def test_box_external_force():
    """Guards a force in a body's own axes: a body that is turned by 90° about z is pushed along the world's y.

    Scheduled numbers are interpolated between frames, so the force ends within a frame, which adds half a frame of it.
    """
    model = lj.Model("pushed", gravity=(0, 0, 0))
    along = {"force": (1, 0, 0), "force_turns_along": True}
    add_body(model, "body", at=at(quat=rpy(0, 0, pi / 2)), mass=1, inertia=moments(1, 1, 1), **along)
    pushed = {"body": {"force": lambda t: (1, 0, 0) if t < 0.5 - 1e-9 else (0, 0, 0)}}
    controls = lj.Controls(schedule=lj.Schedule(links=pushed))
    motion = lj.simulate(model, 1.0, frame_rate=100, controls=controls)
    assert abs(twist_at_end(model, motion, "body")[1] - 0.5) < 6e-3


def test_dzhanibekov():
    """Guards the angular momentum of a body that flips again and again, for 20 s."""
    model = lj.Model("wing nut", gravity=(0, 0, 0))
    lj.add_link(model, lj.Link("body", mass=1, inertia=moments(2, 1, 3)))
    motion = lj.simulate(model, 20, frame_rate=50, accuracy="exact", qd={"body": [0, 0, 0, 15, 0.01, 0]})
    before, after = (lj.momentum(model, **motion.state(frame))[3:] for frame in (0, -1))
    assert differs(before, after) < 1e-5
