# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands that sleep: they cost next to nothing, tell the loads that they had, and wake when anything changes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import Axis, Joint, Link
from limberjack.core.simulation import Controls, Forces, Schedule, Simulation
from limberjack.core.solvers.convex_step.problem import CONSTRAINT_COUNT, CONTACT_COUNT
from support.touching import LEVEL, NO_TURN, G, pose_of, scene, solid, velocity_of

SIZE = 0.2


def box(name: str, mass: float = 1.0, friction: float = 0.5):
    return solid(name, Box((SIZE, SIZE, SIZE)), mass, Surface(friction=friction))


def tower(count: int, *more):
    boxes = [(box(f"box{i}"), (0, 0, SIZE * (i + 0.5), *NO_TURN)) for i in range(count)]
    return scene(Surface(friction=0.5), LEVEL, *boxes, *more)


def started(model, times, **options) -> Simulation:
    simulation = Simulation(model, times, "draft", **options)
    simulation.prefer_time_stepping()
    return simulation


def run_to(simulation: Simulation, frame: int):
    """Run up to a frame. Returns the convex step, as it is then."""
    for done in simulation:
        if done >= frame:
            break
    return simulation._stage.solver._convex_step


def test_a_tower_at_rest_sleeps_and_tells_what_it_carries():
    """Guards sleep: after a second nothing is solved for, and contacts still have the weights above them."""
    simulation = started(tower(4), np.arange(51) / 25.0)
    step = run_to(simulation, 25)
    assert step.asleep.all()
    assert step.counts[CONSTRAINT_COUNT] == 0 < step.counts[CONTACT_COUNT]
    simulation.run()
    assert_allclose(velocity_of(simulation, "box3"), 0.0, atol=0.0)
    loads = np.zeros(5)
    for contact in simulation.contacts:
        loads[round(contact.point[2] / SIZE)] += abs(contact.force[2])
    assert_allclose(loads[:4], G * np.arange(4, 0, -1), rtol=1e-3)


def test_what_is_struck_wakes_as_a_whole():
    """Guards waking: a ball that hits a sleeping box on ice brings its momentum in, and what stands on it feels it."""
    ball = solid("ball", Sphere(0.1), 1.0, Surface(friction=0.0))
    lower, upper = (box("lower", friction=0.0), (0, 0, 0.1, *NO_TURN)), (box("upper"), (0, 0, 0.3, *NO_TURN))
    model = scene(Surface(friction=0.0), LEVEL, lower, upper, (ball, (-4.2, 0, 0.1, *NO_TURN)))
    start = {"free ball": [4.0, 0, 0, 0, 0, 0]}
    simulation = started(model, np.arange(51) / 25.0, initial={"qd": start})
    step = run_to(simulation, 22)
    assert np.count_nonzero(step.asleep) == 2
    simulation.run()
    momenta = [velocity_of(simulation, name)[0] for name in ("ball", "lower", "upper")]
    assert_allclose(sum(momenta), 4.0, rtol=1e-6)
    assert momenta[1] > 1.0


def test_what_is_pushed_wakes():
    """Guards forces: a sleeping box that is pushed from a frame on moves as Newton and Coulomb say."""
    simulation = started(tower(1), np.arange(76) / 25.0, controls=pushed(8.0))
    step = run_to(simulation, 24)
    assert step.asleep.all()
    simulation.run()
    v = velocity_of(simulation, "box0")[0]
    assert_allclose(v, (8.0 - 0.5 * G) * 2.0, rtol=1e-2)


def pushed(force: float) -> Controls:
    """From the first second on, along x [N]."""
    return Controls(forces=lambda moment: Forces(links={"box0": [force * (moment.time >= 1.0), 0, 0, 0, 0, 0]}))


def test_what_is_pressed_less_than_friction_holds_stays():
    """Guards the other side: a push within friction wakes the box, which does not go anywhere, and sleeps again."""
    simulation = started(tower(1), np.arange(76) / 25.0, controls=pushed(4.0))
    step = run_to(simulation, 70)
    assert step.asleep.all()
    simulation.run()
    assert_allclose(pose_of(simulation, "box0")[0], 0.0, atol=1e-4)


def test_a_ball_that_bounces_beside_does_not_wake_a_pile():
    """Guards islands: what sleeps stays asleep while others move, bit by bit where it was."""
    ball = solid("ball", Sphere(0.1), 1.0, Surface(restitution=0.9))
    simulation = started(tower(3, (ball, (1.0, 0, 1.0, *NO_TURN))), np.arange(101) / 25.0)
    step = run_to(simulation, 30)
    before = pose_of(simulation, "box2")
    assert np.count_nonzero(step.asleep) == 3
    simulation.run()
    assert (pose_of(simulation, "box2") == before).all()
    assert pose_of(simulation, "ball")[2] > 0.1


@pytest.mark.parametrize("frame", [10, 30])
def test_a_snapshot_knows_what_sleeps(frame):
    """Guards snapshots: what is gone on from one moves bit by bit as what went on by itself."""
    ball = solid("ball", Sphere(0.1), 1.0, Surface(restitution=0.5))
    simulation = started(tower(2, (ball, (0.05, 0.0, 8.0, *NO_TURN))), np.arange(51) / 25.0)
    run_to(simulation, frame)
    snapshot = simulation.snapshot()
    simulation.run()
    first = [pose_of(simulation, name) for name in ("box0", "box1", "ball")]
    simulation.restore(snapshot)
    simulation.run()
    assert_allclose([pose_of(simulation, name) for name in ("box0", "box1", "ball")], first, atol=0.0)


def test_a_motor_stays_awake():
    """Guards drives with a greatest effort: after a second of rest, an arm follows the target that moves only then."""
    model = tower(1)
    drive = Axis((0.0, 0.0, 1.0), drive_mode="position", drive_stiffness=1.0, drive_damping=0.2, effort=0.2)
    hinge = Joint("hinge", "revolute", "box0", "arm", X_PJ=(0, 0, SIZE / 2, *NO_TURN), axes=[drive])
    model.links.append(Link("arm", 0.1, inertia=(0.01, 0.0, 0.0, 0.01, 0.0, 0.01)))
    model.joints.append(hinge)
    target = {("hinge", 0): {"drive_target": lambda t: 0.0 if t < 1.0 else 0.5}}
    simulation = started(model, np.arange(76) / 25.0, controls=Controls(schedule=Schedule(axes=target)))
    motion = simulation.run()
    assert abs(motion.joint("hinge")[24, 0]) < 1e-6
    assert abs(motion.joint("hinge")[-1, 0] - 0.5) < 1e-2
