# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies and joint forces that convex steps record: against closed forms, each term by itself."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.controls.controls import Controls
from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.convex_step import steps
from limberjack.core.solvers.convex_step.constraints import RELAXATION_STEPS, RIGIDITY
from limberjack.core.solvers.convex_step.steps import advance_convex
from limberjack.core.solvers.hybrid_contact.solver import HybridContactSolver
from support.touching import LEVEL, NO_TURN, G, by_convex_steps, pose_of, scene, sloped, solid, velocity_of

STEP = HybridContactSolver.CONVEX_STEP["draft"]
MASS, REACH, TURNING = 1.0, 1.0, 0.1
ROUND = (TURNING, 0.0, 0.0, TURNING, 0.0, TURNING)
"""An arm's mass [kg], the distance of its centre of mass [m], its moments of inertia [kg m^2]."""


def arm(**axis) -> Model:
    """An arm that lies level on a hinge along Y, above a floor that it does not reach."""
    link = Link("arm", MASS, com=(REACH, 0.0, 0.0), inertia=ROUND)
    hinge = Joint("hinge", "revolute", WORLD, "arm", X_PJ=(0.0, 0.0, 9.0, *NO_TURN), axes=[Axis((0, 1, 0), **axis)])
    model = scene(Surface(), LEVEL, (solid("box", Box((1.0, 1.0, 1.0)), 1.0, Surface()), (5.0, 0.0, 0.5, *NO_TURN)))
    model.links.append(link)
    model.joints.append(hinge)
    return model


def wrench_of(found: Simulation, joint: str) -> np.ndarray:
    motion = found.trajectory
    return motion.wrenches[:, motion.wrench_names.index(joint)]


def balance_of(found: Simulation) -> np.ndarray:
    """Return the error of the balance of energies, frame by frame [J]."""
    motion = found.trajectory
    total = motion.kinetic + motion.potential + motion.dissipated - motion.supplied
    return total - total[0]


# ---- forces in joints


@pytest.mark.parametrize(
    "axis", [{"lower": -1.0, "upper": 0.0}, {"friction": 20.0}, {"velocity": 1e-9}], ids=["stop", "friction", "speed"]
)
@pytest.mark.parametrize("accuracy", ["draft", "exact"])
def test_wrenches_have_what_holds_a_joint(axis, accuracy):
    """Guards statics: the hinge of an arm at rest bears its weight and its moment, whatever holds it.

    A largest speed gives way by a part of what a step would add, so it changes a little where steps change.
    """
    found = by_convex_steps(arm(**axis), np.linspace(0.0, 0.5, 6), accuracy, record=["wrenches"])
    for wrench in wrench_of(found, "hinge")[1:]:
        assert_allclose(wrench[[2, 4]], (MASS * G, -MASS * G * REACH), rtol=5e-3 if "velocity" in axis else 1e-3)


def test_friction_holds_a_joint_without_creeping():
    """Guards the spring by which friction sticks: an arm that it holds gives way by the spring's strain and no more."""
    found = by_convex_steps(arm(friction=20.0), np.linspace(0.0, 4.0, 5), "draft")
    hinge = found.trajectory.joint("hinge")[:, 0]
    strain = RELAXATION_STEPS * STEP**2 / RIGIDITY * MASS * G * REACH / (MASS * REACH**2 + TURNING)
    assert_allclose(hinge[1:], strain, rtol=0.3)  # the arm falls asleep while the last of its swing is left


def test_wrenches_have_the_pull_of_a_rope():
    """Guards limits of what a joint measures: a weight hangs on its rope, which pulls by the weight."""
    model = arm(locked=True)
    model.links.append(Link("weight", 2.0, inertia=ROUND))
    rope = Joint("rope", "distance", WORLD, "weight", X_PJ=(0.0, 3.0, 9.0, *NO_TURN), axes=[Axis(upper=1.0)])
    model.joints.append(rope)
    simulation = Simulation(
        model, [0.0, 1.0, 2.0], "good", initial={"q": {"rope": [0, 0, -1, *NO_TURN]}}, record=["wrenches"]
    )
    simulation.prefer_time_stepping()
    simulation.run()
    assert_allclose(wrench_of(simulation, "rope")[1:, 2], 2.0 * G, rtol=1e-6)


@pytest.mark.parametrize(
    "drive",
    [
        {"drive_mode": "force", "drive_target": 5.0, "effort": 3.0},
        {"drive_mode": "velocity", "drive_damping": 50.0, "drive_target": 2.0, "effort": 15.0},
        {"drive_mode": "position", "drive_stiffness": 100.0, "drive_damping": 5.0, "drive_target": 0.5, "effort": 6.0},
    ],
    ids=["force", "velocity", "position"],
)
def test_motors_give_no_more_than_their_effort(drive):
    """Guards efforts and what they supply: the same motor by events, which find them in another way."""
    times = np.linspace(0.0, 1.0, 101)
    known = Simulation(arm(**drive), times, "exact", record=["efforts"])
    known.run()
    found = by_convex_steps(arm(**drive), times, "exact", record=["efforts"])
    column = found.trajectory.qd_names.index(("hinge", "rad/s"))
    efforts = [each.trajectory.efforts[2:, column] for each in (known, found)]
    assert np.abs(efforts[1]).max() <= drive["effort"] * (1.0 + 1e-12)
    assert np.median(np.abs(efforts[1] - efforts[0])) < 1e-3 * drive["effort"]
    assert_allclose(found.trajectory.supplied[-1], known.trajectory.supplied[-1], atol=0.01)


# ---- energies


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_what_friction_takes_is_force_times_way(accuracy):
    """Guards friction's work: on a slope it is mu m g cos(a) times the way, found apart from the energies."""
    model = scene(
        Surface(friction=0.3), sloped(30.0), (solid("box", Box((0.2,) * 3), 2.0, Surface(friction=0.3)), at(0.1))
    )
    found = by_convex_steps(model, np.linspace(0.0, 1.0, 11), accuracy)
    way = pose_of(found, "box")[0]
    lost = 0.3 * 2.0 * G * math.cos(math.radians(30.0)) * way
    assert_allclose(found.trajectory.dissipated[-1], lost, rtol=0.02 if accuracy == "draft" else 2e-3)
    assert abs(found.trajectory.supplied[-1]) < 1e-9


def at(height: float):
    return (0.0, 0.0, height, *NO_TURN)


def test_a_belt_supplies_what_it_does_work():
    """Guards belts: one brings a box to its speed, half of its work warms the box, and half moves it."""
    belt = Surface(friction=0.5, velocity=(2.0, 0.0, 0.0))
    model = scene(belt, LEVEL, (solid("box", Box((0.2,) * 3), 3.0, Surface(friction=0.5)), at(0.1)))
    motion = by_convex_steps(model, [0.0, 1.0], "good").trajectory
    assert_allclose(motion.supplied[-1], 3.0 * 2.0**2, rtol=1e-4)
    assert_allclose(motion.dissipated[-1], 0.5 * 3.0 * 2.0**2, rtol=1e-3)


def test_a_damper_takes_what_a_wheel_loses():
    """Guards dampers, stiff ones too: what they take is the energy that the wheel had."""
    for damping in (0.1, 1e4):
        model = arm(damping=damping)
        model.gravity = (0.0, 0.0, 0.0)
        simulation = Simulation(model, [0.0, 40.0 * 1.1 / damping], "good", initial={"qd": {"hinge": [1.0]}})
        simulation.prefer_time_stepping()
        motion = simulation.run()
        assert_allclose(motion.dissipated[-1], motion.kinetic[0], rtol=1e-6)


def test_a_platform_supplies_what_it_lifts():
    """Guards prescribed motion: a table lifts a box by 0.3 m and gives it its weight's work."""
    table = Link("table", 1.0, inertia=ROUND, collisions=[Shape("top", Box((1.0, 1.0, 0.1)))])
    box = Link("box", 2.0, inertia=ROUND, collisions=[Shape("c", Box((0.2, 0.2, 0.2)))])
    lift = Joint("lift", "prismatic", WORLD, "table", axes=[Axis((0, 0, 1))])
    free = Joint("free", "free", WORLD, "box", X_PJ=at(0.15))
    times = np.linspace(0.0, 1.0, 51)
    controls = Controls({"lift": lambda t: 0.15 * (1.0 - math.cos(math.pi * t))})
    simulation = Simulation(Model("m", [table, box], [lift, free]), times, "good", controls=controls)
    simulation.prefer_time_stepping()
    motion = simulation.run()
    assert_allclose(motion.supplied[-1], 3.0 * G * 0.3, rtol=2e-3)
    assert abs(motion.dissipated[-1]) < 1e-3 * motion.supplied[-1]


@pytest.mark.parametrize(("accuracy", "error"), [("draft", 1e-3), ("good", 3e-4), ("exact", 1e-4)])
@pytest.mark.parametrize(
    "elbow",
    [
        {"damping": 1e3},
        {"drive_mode": "velocity", "drive_damping": 1e3},
        {"drive_mode": "position", "drive_target": 1.0, "drive_stiffness": 1e5, "drive_damping": 1e2},
    ],
    ids=["damper", "velocity", "position"],
)
def test_what_holds_a_bent_elbow_takes_what_the_arm_loses(elbow, accuracy, error):
    """Guards the forces of stiff drives and dampers of joints that turn fast: they hold against inertia, and only what
    they take slows the arm.
    """
    model = arm()
    model.joint("hinge").axes[0].xyz = (0.0, 0.0, 1.0)
    model.links.append(Link("forearm", MASS, com=(REACH, 0.0, 0.0), inertia=ROUND))
    there = (2.0 * REACH, 0.0, 0.0, *NO_TURN)
    axes = [Axis((0, 0, 1), **elbow)]
    model.joints.append(Joint("elbow", "revolute", "arm", "forearm", X_PJ=there, axes=axes, home=(1.0,)))
    simulation = Simulation(model, np.linspace(0.0, 0.1, 11), accuracy, initial={"qd": {"hinge": 10.0}})
    simulation.prefer_time_stepping()
    motion = simulation.run()
    assert motion.kinetic[0] - motion.kinetic[-1] > 0.2
    assert np.abs(balance_of(simulation)).max() < error * motion.kinetic[0]
    assert motion.dissipated[-1] - motion.supplied[-1] > 0.2


def test_what_parts_overlaps_is_supplied():
    """Guards the push that parts two bodies which overlap at the start: bounded, and accounted for."""
    for accuracy in ("draft", "good"):
        surface = Surface(friction=0.0)
        boxes = [
            (solid(name, Box((0.2,) * 3), 1.0, surface), (x, 0.0, 0.1, *NO_TURN))
            for name, x in (("a", 0.0), ("b", 0.15))
        ]
        found = by_convex_steps(scene(surface, LEVEL, *boxes), np.linspace(0.0, 0.5, 26), accuracy)
        motion = found.trajectory
        fastest = np.abs(velocity_of(found, "b")[:3]).max()
        assert pose_of(found, "b")[0] - pose_of(found, "a")[0] > 0.2 - 1e-3
        assert fastest <= 30.0 * G * {"draft": 8e-3, "good": 1e-3}[accuracy]
        assert motion.supplied[-1] >= motion.kinetic[-1] * (1.0 - 1e-3)
        assert_allclose(balance_of(found), 0.0, atol=5e-3 * motion.supplied[-1])


def test_drag_and_wind_are_weighed():
    """Guards forces of a medium: a ball in still air loses m v^2 / 2 to it, and wind brings in what it gives."""
    ball = solid("ball", Sphere(0.1), 1.0, Surface())
    ball.linear_damping = 2.0
    model = scene(Surface(), (0.0, 0.0, 0.0), (ball, at(3.0)))
    found = by_convex_steps(model, [0.0, 8.0], "good", ball=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)).trajectory
    assert_allclose(found.dissipated[-1], 0.5, rtol=1e-5)
    model.wind = (2.0, 0.0, 0.0)
    found = by_convex_steps(model, [0.0, 8.0], "good").trajectory
    assert_allclose(found.supplied[-1], 1.0 * 2.0**2, rtol=2e-3)


def test_a_constraint_without_work_is_seen_in_the_drift():
    """Guards that no term closes the account: without the work of the constraints, the drift is what friction takes."""
    surface = Surface(friction=0.5)
    model = scene(surface, LEVEL, (solid("box", Box((0.2, 0.2, 0.1)), 1.0, surface), at(0.05)))
    simulation = Simulation(model, [0.0, 0.1], "draft", initial={"qd": {"free box": [1.5, 0, 0, 0, 0, 0]}})
    simulation.prefer_time_stepping()
    with pytest.MonkeyPatch.context() as patch, advance_convex.standing_in(advance_convex.python):
        patch.setattr(steps, "energy_of_step", lambda *_: (0.0, 0.0, 0.0))
        motion = simulation.run()
    lost = motion.kinetic[0] - motion.kinetic[-1]
    assert lost > 0.3
    assert_allclose(simulation.report.energy_drift, lost, rtol=1e-2)


# ---- steps that are tried again


def test_a_step_that_is_tried_again_begins_as_the_first_time():
    """Guards what a step leaves to the next: after a failed one, contacts, loads, sleep and energies are as before."""
    surface = Surface(friction=0.5, stiffness=1e4, dissipation=1.0)
    boxes = [
        (solid(f"b{i}", Box((0.2,) * 3), 1.0, surface), (0.05 * i, 0.0, 0.1 + 0.2 * i, *NO_TURN)) for i in range(2)
    ]
    model = scene(surface, LEVEL, *boxes)
    simulation = Simulation(model, [0.0, 0.2, 0.4], "draft")
    simulation.prefer_time_stepping()
    frames = iter(simulation)
    next(frames)
    next(frames)
    solver = simulation._stage.solver

    def state():
        step, now = solver._convex_step, solver._stepping[0]
        kept = (
            step.previous_contacts,
            step.element_loads,
            step.asleep,
            step.still_time,
            step.sleep_forces,
            step.counts,
        )
        return [array.copy() for array in (*kept, solver._y)], float(now.soft_energy), int(now.impacts)

    class TriedError(Exception):
        """The second try begins."""

    seen, astray, take_step = [], steps.has_diverged, steps.take_step

    def fails_once(*arguments):
        return len(seen) == 1 or astray(*arguments)

    def begins(*arguments):
        seen.append(state())
        if len(seen) == 2:
            raise TriedError
        return take_step(*arguments)

    with pytest.MonkeyPatch.context() as patch, advance_convex.standing_in(advance_convex.python):
        patch.setattr(steps, "has_diverged", fails_once)
        patch.setattr(steps, "take_step", begins)
        with pytest.raises(TriedError):
            next(frames)
    (before, *numbers), (again, *others) = seen
    assert numbers == others
    count = before[5][4]
    assert again[5][4] == count > 0
    for one, other in zip(before, again, strict=True):
        if one is before[0]:
            one, other = one[:count], other[:count]
        if one is not before[5]:  # counts of constraints, which each step makes anew
            assert one.tobytes() == other.tobytes()
