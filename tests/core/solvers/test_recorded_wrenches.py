"""Recorded wrenches of joints and forces of contacts against Newton's law: momenta are differenced from the poses."""

import numpy as np
import pytest

from limberjack.core.geometry import Plane, Shape, Sphere
from limberjack.core.geometry.surfaces import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.solvers import Simulation
from limberjack.core.trajectory.trajectory import Trajectory
from support.models import random_graph

STEP = 1e-3
"""Seconds between frames: a crowd's step at good."""
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


def turns(quats: np.ndarray) -> np.ndarray:
    """Rotation matrices, shape (F, 3, 3)."""
    w, x, y, z = quats.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.array([[np.asarray(entry) for entry in row] for row in rows]).transpose(2, 0, 1)


def momenta(link: Link, poses: np.ndarray) -> np.ndarray:
    """Of a link, linear and angular about its centre of mass, between frames, shape (F - 1, 6)."""
    R = turns(poses[:, 3:])
    place = poses[:, :3] + R @ np.array(link.com)
    xx, xy, xz, yy, yz, zz = link.inertia
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    change = R[1:] @ R[:-1].transpose(0, 2, 1)  # a small turn: its vector is in what is not symmetric
    spin = 0.5 * np.stack(
        [change[:, 2, 1] - change[:, 1, 2], change[:, 0, 2] - change[:, 2, 0], change[:, 1, 0] - change[:, 0, 1]], 1
    )
    middle = 0.5 * (R[1:] + R[:-1])
    angular = np.einsum("fij,jk,flk,fl->fi", middle, inertia, middle, spin / STEP)
    return np.hstack([link.mass * np.diff(place, axis=0) / STEP, angular])


def loads_on(model: Model, motion: Trajectory, link: Link) -> np.ndarray:
    """What joints, contacts and weight exert on a link about its centre of mass, frame by frame, shape (F, 6)."""

    def poses(name: str) -> np.ndarray:
        return motion.X_WL[:, motion.link_names.index(name)]

    centre = poses(link.name)[:, :3] + turns(poses(link.name)[:, 3:]) @ np.array(link.com)
    total = np.zeros((len(motion), 6))
    total[:, :3] += link.mass * np.array(model.gravity)

    def add(force, torque, place, frames=slice(None)):
        total[frames, :3] += force
        total[frames, 3:] += torque + np.cross(place - centre[frames], force)

    for branch in model.tree().branches:
        joint = branch.joint
        child = poses(joint.child)
        at = child[:, :3] + turns(child[:, 3:]) @ np.array(joint.X_CJ[:3])
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
    simulation.expect_crowd()
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
