# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded wrenches of joints and forces of contacts against Newton's law: momenta are differenced from the poses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.geometry import Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.trajectory.trajectory import Trajectory
from support.models import random_graph

STEP = 1e-3
"""Seconds between frames: a convex step at good."""
SMOOTH = 0.1
"""Part by which a link's rate of momentum may differ from one frame to the next where it is compared."""


def tumbling(seed: int) -> Model:
    """A mechanism of every kind of joint with balls on its links, that falls on a floor."""
    model = random_graph(seed, 6, floats=True)
    surface = Surface(friction=0.5)
    for link in model.links:
        link.collisions.append(Shape("ball", Sphere(0.15), (*link.com, 1.0, 0.0, 0.0, 0.0), surface=surface))
    lowest = min(link.pose[2] for link in model.links)
    model.links.append(Link("floor", collisions=[Shape("top", Plane(), surface=surface)]))
    model.joints.append(Joint("held", "fixed", WORLD, "floor", X_PJ=(0.0, 0.0, lowest - 0.6, 1.0, 0.0, 0.0, 0.0)))
    return model


def turns(poses: np.ndarray) -> Rotation:
    """Return the rotations of poses, shape (F, 7)."""
    return Rotation.from_quat(poses[:, [4, 5, 6, 3]])


def momenta(link: Link, poses: np.ndarray) -> np.ndarray:
    """Return the momenta of a link between frames, linear and angular about its centre of mass, shape (F - 1, 6)."""
    R = turns(poses)
    place = poses[:, :3] + R.apply(link.com)
    xx, xy, xz, yy, yz, zz = link.inertia
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turned = (R[1:] * R[:-1].inv()).as_rotvec()
    middle = Rotation.from_rotvec(0.5 * turned) * R[:-1]
    angular = middle.apply(middle.inv().apply(turned / STEP) @ inertia)
    return np.hstack([link.mass * np.diff(place, axis=0) / STEP, angular])


def loads_on(model: Model, motion: Trajectory, link: Link) -> np.ndarray:
    """Return the wrench of joints, contacts and weight on a link about its centre of mass at all frames, (F, 6)."""

    def poses(name: str) -> np.ndarray:
        return motion.X_WL[:, motion.link_names.index(name)]

    centre = poses(link.name)[:, :3] + turns(poses(link.name)).apply(link.com)
    total = np.zeros((len(motion), 6))
    total[:, :3] += link.mass * np.array(model.gravity)

    def add(force, torque, place, frames=slice(None)):
        total[frames, :3] += force
        total[frames, 3:] += torque + np.cross(place - centre[frames], force)

    for branch in model.tree().branches:
        joint = branch.joint
        child = poses(joint.child)
        at = child[:, :3] + turns(child).apply(joint.X_CJ[:3])
        wrench = motion.wrenches[:, motion.wrench_names.index(joint.name)]
        for end, sign in ((branch.outer, 1.0), (branch.inner, -1.0)):
            if end == link.name:
                add(sign * wrench[:, :3], sign * wrench[:, 3:], at)
    touches = motion.contacts
    for k in range(len(touches.frame)):
        for end, sign in ((touches.second[k], 1.0), (touches.first[k], -1.0)):
            if end == link.name:
                frames = slice(touches.frame[k], touches.frame[k] + 1)
                add(sign * touches.force[k], sign * touches.torque[k], touches.point[k], frames)
    return total


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 30))])
def test_what_is_recorded_obeys_newtons_law(seed):
    """Guards wrenches among contacts: with the forces of contacts they make each link's momenta what they are."""
    model = tumbling(seed)
    simulation = Simulation(model, np.arange(501) * STEP, "good", record=["wrenches", "contacts"])
    simulation.prefer_time_stepping()
    motion = simulation.run()
    compared = 0
    for link in model.links[:-1]:
        rates = np.diff(momenta(link, motion.X_WL[:, motion.link_names.index(link.name)]), axis=0) / STEP
        loads = loads_on(model, motion, link)[1:-1]
        for part in (slice(0, 3), slice(3, 6)):
            size = np.linalg.norm(rates[:, part], axis=1).max()
            steady = np.ones(len(rates), bool)
            for turn in (-2, -1, 1, 2):
                steady &= np.linalg.norm(rates[:, part] - np.roll(rates[:, part], turn, axis=0), axis=1) < SMOOTH * size
            off = np.linalg.norm(loads[:, part] - rates[:, part], axis=1)[steady]
            assert np.median(off) < 0.02 * size
            compared += steady.sum()
    assert compared > 1000
    assert len(motion.contacts.frame) > 20
