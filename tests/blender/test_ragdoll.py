# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample puppet: whole, no joint beyond its limits while it hangs, and at rest below once it has let go."""

import math

import numpy as np
import pytest
from mathutils import Vector
from scipy.spatial.transform import Rotation

from .baked import bake, matrices_at
from .conftest import link
from .samples import maker, open_sample

TOLERANCES = {"draft": math.radians(0.25), "good": math.radians(0.01), "exact": math.radians(0.01)}
"""Where things may touch, limbs that rattle at their stops move by convex steps, which are coarse at draft."""
DRIFT = {"draft": 0.01, "good": 1e-3, "exact": 2e-3}
"""Part of the energy that may drift. Convex steps keep it to first order only, and at exact more limbs rattle."""
HANGS = 120
"""Its last frame before it lets go."""


@pytest.fixture
def make():
    """The sizes and limits of what was made."""
    return maker("puppet")


@pytest.fixture
def ragdoll(scene):
    return open_sample("ragdoll")


def drawn(make, name):
    """How a link is turned and where it stands while all joints are at 0, from the list of shapes."""
    shape = make.LINKS[name]
    along = (Vector(shape.end) - Vector(shape.start)).to_track_quat("Z", "Y")
    return Rotation.from_quat(np.roll(along, -1)), np.array(shape.origin or shape.start)


def turns(make, seen, names, hinge_or_ball):
    """By how much a joint has turned, as rotations in the world's axes, where it was drawn."""
    ends = [(drawn(make, name)[0], names.index(name)) for name in (hinge_or_ball.parent, hinge_or_ball.child)]
    (parent_0, parent), (child_0, child) = ends
    parents, children = (Rotation.from_matrix(seen[:, number, :3, :3]) for number in (parent, child))
    return parent_0 * parents.inv() * children * child_0.inv()


def along(turned, axis):
    """Angle [rad] of the turn about an axis that is left when the shortest swing of the axis is undone, shape (F,)."""
    axis = np.array(axis) / np.linalg.norm(axis)
    left = []
    for turn in turned:
        seen = turn.apply(axis)
        swing = np.cross(axis, seen)
        sine = np.linalg.norm(swing)
        rotvec = swing / sine * math.atan2(sine, axis @ seen) if sine > 1e-12 else np.zeros(3)
        left.append((Rotation.from_rotvec(rotvec).inv() * turn).as_rotvec() @ axis)
    return np.array(left)


def test_a_handle_that_stays(ragdoll):
    """Sixteen links on a handle that is led, so that it can be animated."""
    assert len([obj for obj in ragdoll.objects if link(obj).is_link and obj.users_collection[0].name == "Puppet"]) == 17
    assert link(ragdoll.objects["handle"]).motion == "KINEMATIC"


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_nothing_leaves_its_limits(make, ragdoll, accuracy):
    """Guards stops, cones and twists together, from what Blender shows: angles, the grip, and every joint's place."""
    run = bake(ragdoll, accuracy=accuracy, last=HANGS)
    assert run.report.relative_drift < DRIFT[accuracy]
    assert run.diagnose() == []
    names = list(make.LINKS)
    seen = matrices_at(ragdoll, [ragdoll.objects[name] for name in names], run.frames)
    assert len(seen) == HANGS
    closest, tolerance = [], TOLERANCES[accuracy]
    for name, hinge in make.HINGES.items():
        low, high = np.radians(hinge.limits)
        angles = along(turns(make, seen, names, hinge), hinge.axis)
        assert low - tolerance < angles.min(), name
        assert angles.max() < high + tolerance, name
        assert np.ptp(angles) > 0.1, name
        closest.append(min(angles.min() - low, high - angles.max()))
    for name, ball in make.BALLS.items():
        turned = turns(make, seen, names, ball)
        axis = np.array(ball.axis) / np.linalg.norm(ball.axis)
        leant = np.arccos(np.clip(turned.apply(axis) @ axis, -1.0, 1.0))
        assert leant.max() < math.radians(ball.cone) + tolerance, name
        assert np.abs(along(turned, axis)).max() < math.radians(ball.twist) + tolerance, name
        closest.append(math.radians(ball.cone) - leant.max())
    assert min(closest) < math.radians(1.0)  # or the stops were not tried


def test_every_joint_holds(make, ragdoll):
    """Guards the frames: a joint's place, as either of its links carries it, is one place; the handle stays."""
    run = bake(ragdoll, last=HANGS)
    names = list(make.LINKS)
    seen = matrices_at(ragdoll, [ragdoll.objects[name] for name in names], run.frames)
    for name, known in (make.HINGES | make.BALLS).items():
        carried = []
        for end in (known.parent, known.child):
            turn, place = drawn(make, end)
            local = turn.inv().apply(np.array(known.place) - place)
            matrices = seen[:, names.index(end)]
            carried.append(matrices[:, :3, :3] @ local + matrices[:, :3, 3])
        assert np.linalg.norm(carried[0] - carried[1], axis=1).max() < 1e-5, name
    handle = seen[:, names.index("handle")]
    assert np.abs(handle - handle[0]).max() < 1e-6


def test_it_lets_go_and_lands(make, ragdoll):
    """Guards a joint that breaks above a floor: the puppet falls as a stone does, and comes to rest on base and floor.

    Its centre of mass falls freely until something touches. Nothing sinks in, and the doctor has nothing to say, though
    joints are pressed at their stops when the grip breaks.
    """
    run = bake(ragdoll)
    assert run.diagnose() == []
    names = run.trajectory.link_names
    masses = np.array([run.model.link(name).mass if name in make.LINKS and name != "handle" else 0.0 for name in names])
    middles = run.trajectory.X_WL[:, :, :3] + np.stack(
        [
            Rotation.from_quat(np.roll(run.trajectory.X_WL[:, number, 3:], -1, axis=1)).apply(run.model.link(name).com)
            for number, name in enumerate(names)
        ],
        axis=1,
    )
    centre = (middles * masses[:, None]).sum(axis=1) / masses.sum()
    falling = centre[HANGS : HANGS + 5]  # it takes 0.2 s and more to what is below it
    assert np.diff(falling, 2, axis=0) * 24.0**2 == pytest.approx(np.tile((0.0, 0.0, -9.81), (3, 1)), abs=1e-4)
    contacts = run.trajectory.contacts
    assert contacts.at(HANGS + 4).gap.size == 0 or contacts.at(HANGS + 4).force.max() == 0.0
    assert contacts.at(len(run.frames) - 1).gap.min() > -1e-3
    assert run.trajectory.kinetic[-1] < 1e-2
    assert middles[-1, masses > 0.0, 2].min() > 0.0
    assert centre[-1, 2] < 0.15
