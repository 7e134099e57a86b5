# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of every joint type: whichever joint closes one, the motion is the same."""

from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose, quat_rotate
from support.mechanisms import Z, four_bar, join
from support.rings import grounded, ring

TIMES = np.linspace(0.0, 0.5, 6)
EVERY_TYPE = tuple(JOINT_TYPES)
TILT = (0.3, -0.2, 0.5, 0.6, -0.4, 0.48, 0.5)


def paths(model, initial=None, times=TIMES):
    """Of all links, poses with quaternions of one sign: shape (F, L, 12), positions and rotated axes."""
    run = Simulation(model, times, "exact", initial)
    motion = run.run()
    assert run.report.loop_error < 1e-9
    assert run.report.energy_drift < 1e-7 * max(run.report.energy_scale, 1e-3)
    assert not [note for note in run.report.notes if "fit" in note]
    flat = [
        [*pose[:3], *quat_rotate(tuple(pose[3:]), (1.0, 0.0, 0.0)), *quat_rotate(tuple(pose[3:]), (0.0, 1.0, 0.0))]
        for frame in motion.X_WL.tolist()
        for pose in frame
    ]
    return np.array(flat).reshape(len(times), -1)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("joint_type", EVERY_TYPE)
def test_whichever_joint_closes_a_ring(joint_type, backward):
    """Guards loop joints of every type, with springs and dampers: the cut may be anywhere in the ring."""
    expected = paths(ring(joint_type, "right", backward))
    assert np.abs(expected[-1] - expected[0]).max() > 0.02
    for closing in ("left", "tested"):
        assert paths(ring(joint_type, closing, backward)) == pytest.approx(expected, abs=1e-6), closing


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("joint_type", [name for name in EVERY_TYPE if name != "fixed"])
def test_a_loop_joint_to_what_is_fixed_to_the_world(joint_type, backward):
    """Guards the part that is welded to the ground: what it weighs changes nothing, forward or backward."""
    expected = paths(grounded(joint_type, "left", backward))
    assert paths(grounded(joint_type, "tested", backward)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("joint_type", ["fixed", "revolute", "d6", "ball", "cylindrical"])
def test_a_loop_joint_twice_is_as_good_as_once(joint_type):
    """Guards redundant rows: the same loop joint, without springs, again under another name."""
    once = ring(joint_type, "tested")
    twice = ring(joint_type, "tested")
    again = replace(twice.joint("tested"), name="again", axes=[Axis(axis.xyz) for axis in twice.joint("tested").axes])
    twice.joints.append(again)
    assert paths(twice) == pytest.approx(paths(once), abs=1e-6)


def moved_four_bar(pose):
    """A four-bar with uneven links, drawn in the plane that `pose` takes the xy plane to, with its gravity."""
    model = four_bar()
    for i, link in enumerate(model.links):
        link.mass, link.com, link.inertia = 1.0 + i, (0.3, 0.4 * i, 0.0), (0.1, 0.0, 0.0, 0.2, 0.0, 0.3)
    for joint in model.joints:
        if joint.parent == WORLD:
            joint.X_PJ = compose(pose, joint.X_PJ)
    for link in model.links:
        link.pose = compose(pose, link.pose)
    model.gravity = quat_rotate(pose[3:], (0.0, -9.81, 0.0))
    return model


@pytest.mark.parametrize("closing", ["crank_pin", "rocker_pin", "rocker_pivot"])
def test_a_planar_loop_moves_alike_in_every_plane(closing):
    """Guards redundant loops, whose rows say out of the plane what holds already: tilted, all turns as it did flat."""
    size = np.linalg.norm(TILT[3:])
    turned = (*TILT[:3], *(part / size for part in TILT[3:]))
    times = np.linspace(0.0, 1.0, 11)
    found = []
    for pose in ((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), turned):
        model = moved_four_bar(pose)
        model.joint(closing).closes_loop = True
        run = Simulation(model, times, "exact", {"qd": {"crank_pivot": 1.0}})
        found.append(run.run().q)
        assert run.report.loop_error < 1e-9
        assert run.report.relative_drift < 1e-7
    assert np.ptp(found[0], axis=0).min() > 0.1
    assert found[1] == pytest.approx(found[0], abs=1e-7)


def pendulums(weld):
    """Two equal pendulums, one beside the other, with a bar that a fixed joint welds to both."""
    model = Model(links=[Link("one"), Link("other"), Link("bar")], gravity=(0.0, -9.81, 0.0))
    join(model, "left", "revolute", WORLD, "one", (0.0, 0.0, 0.0), Z)
    join(model, "right", "revolute", WORLD, "other", (0.0, 0.0, 0.0), Z)
    join(model, "hung", "fixed", "one", "bar", (1.0, 0.0, 0.0))
    if weld:
        join(model, "weld", "fixed", "bar", "other", (1.0, 0.0, 0.0), closes_loop=True)
    for link in model.links:
        link.com = (0.5, 0.2, 0.0)
    return model


def test_a_fixed_joint_closes_a_loop():
    """Guards fixed loop joints: two pendulums welded together swing as the compound pendulum that they are.

    Sum of moments m c over sum of inertias J + m c^2, for the start: alpha = -g sum(m x) / sum(J + m r^2).
    """
    times = np.array([0.0, 1e-3])
    motion = Simulation(pendulums(True), times, "exact").run()
    drive, inertia = -9.81 * 3 * 0.5, 3 * (1.0 + 0.25 + 0.04)
    assert motion.qd[1] == pytest.approx(np.full(2, drive / inertia * 1e-3), rel=1e-5)
    heavy = pendulums(True)
    heavy.link("other").mass = 4.0
    later = Simulation(heavy, TIMES, "exact").run()
    assert later.q[:, 0] == pytest.approx(later.q[:, 1], abs=1e-9)


def test_a_loop_joint_between_massless_links_is_named():
    """Guards the message: where neither end has a mass to divide, it says which joint and what to do."""
    model = ring("revolute", "tested")
    model.links += [Link(f"tip_{end}", 0.0, inertia=(0.0,) * 6) for end in ("one", "other")]
    at = model.joint("tested")
    model.joints.append(Joint("weight_one", "revolute", "tip_one", "one"))
    model.joints.append(Joint("weight_other", "revolute", "tip_other", "other"))
    for side, end in (("left", "one"), ("right", "other")):
        model.joint(side).child = f"tip_{end}"
    at.parent, at.child = "tip_one", "tip_other"
    with pytest.raises(ModelError, match=r"'tested'.*mass"):
        Simulation(model, TIMES)
