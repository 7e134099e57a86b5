# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex steps, which solve for all contacts at once: against closed forms, momenta and energy."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.dynamics import tree_mass_matrix
from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.kinematics.motion import update_bodies
from limberjack.core.kinematics.work import make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.convex_step.constraint_potentials import CONVEX_CONSTRAINT
from limberjack.core.solvers.convex_step.mass_matrix import mass_index, write_mass_matrix
from limberjack.core.solvers.convex_step.persistence import store_friction
from limberjack.core.solvers.convex_step.problem import CONTACT_RECORD, make_convex_step
from limberjack.core.solvers.convex_step.steps import advance_convex
from limberjack.core.solvers.hybrid_contact.solver import HybridContactSolver
from limberjack.core.solvers.protocol import Progress
from support.models import random_tree
from support.touching import LEVEL, NO_TURN, STILL, G, by_convex_steps, pose_of, scene, sloped, solid, velocity_of

STEP = {"draft": 8e-3, "good": 1e-3, "exact": 2e-4}
YIELD = 0.01
"""Share of the way of a step by which a rigid contact yields in an impact: RIGIDITY is 100."""


def block(name: str, friction: float = 0.5, size=(0.2, 0.2, 0.1), **more):
    return solid(name, Box(size), 1.0, Surface(friction=friction, **more))


def test_the_mass_matrix_is_that_of_the_model():
    """Guards its blocks: of random trees, each articulation's by itself."""
    for seed in range(5):
        compiled = compile_model(random_tree(seed, 12))
        q = compiled.q_home
        work, step = make_work(compiled.arrays), make_convex_step(compiled.arrays.bodies, 4)
        for j in range(compiled.nv):
            work.dofs[j].armature = compiled.arrays.dofs[j].armature
        update_bodies(compiled.arrays, work, q, np.zeros(compiled.nv))
        write_mass_matrix(compiled.arrays, work, step)
        trees = step.forest.tree_of_dof
        found = np.array(
            [
                [
                    step.mass_blocks[mass_index(step.forest, i, j)] if trees[i] == trees[j] else 0.0
                    for j in range(compiled.nv)
                ]
                for i in range(compiled.nv)
            ]
        )
        assert_allclose(found, tree_mass_matrix(compiled, q), atol=1e-12)


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_block_slides_and_stops(accuracy):
    """Guards friction that slips: the way is v^2 / (2 mu g), as exact as a step is short, and the ledger is closed."""
    model = scene(Surface(friction=0.5), LEVEL, (block("block"), (0, 0, 0.05, *NO_TURN)))
    found = by_convex_steps(model, np.linspace(0.0, 1.0, 51), accuracy, block=(1.5, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert_allclose(pose_of(found, "block")[0], 1.5**2 / (2.0 * 0.5 * G), atol=1.5 * STEP[accuracy])
    assert_allclose(pose_of(found, "block")[1:3], (0.0, 0.05), atol=0.1 * G * STEP[accuracy] ** 2)
    assert_allclose(velocity_of(found, "block"), STILL, atol=1e-5 if accuracy == "draft" else 1e-8)
    motion = found.trajectory
    energy = motion.kinetic + motion.potential + motion.dissipated - motion.supplied
    assert_allclose(energy, energy[0], atol=1e-4 * motion.kinetic[0])


@pytest.mark.parametrize("residual", [1e-4, 1e-9])
def test_the_way_of_a_block_does_not_depend_on_the_solvers_residual(monkeypatch, residual):
    """Guards friction bounds: if they followed loads that are a step old, a block would rock, and the better each step
    is solved, the sooner it would stop: after 0.6 of its way at 1e-9."""
    monkeypatch.setattr(HybridContactSolver, "MOMENTUM_RESIDUAL", {"draft": residual})
    model = scene(Surface(friction=0.5), LEVEL, (block("block"), (0, 0, 0.05, *NO_TURN)))
    for speed in (1.0, 1.5):
        found = by_convex_steps(model, np.linspace(0.0, 1.0, 51), "draft", block=(speed, 0.0, 0.0, 0.0, 0.0, 0.0))
        way = speed**2 / (2.0 * 0.5 * G)
        assert_allclose(pose_of(found, "block")[0], way, atol=speed * STEP["draft"])


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_what_sticks_does_not_creep(accuracy):
    """Guards true stiction: on a slope below its friction a box stays for ten seconds."""
    model = scene(Surface(friction=0.5), sloped(25.0), (block("block"), (0, 0, 0.05, *NO_TURN)))
    found = by_convex_steps(model, np.linspace(0.0, 10.0, 101), accuracy)
    near = 2e-5 if accuracy == "draft" else 1e-7
    assert_allclose(pose_of(found, "block", 20)[:3], pose_of(found, "block")[:3], atol=near)
    assert_allclose(sum(abs(each.force[2]) for each in found.contacts), G * math.cos(math.radians(25.0)), rtol=1e-4)


def test_what_is_too_steep_slides():
    """Guards against friction that is made up: half a degree above the angle of friction a box goes downhill."""
    steep = math.degrees(math.atan(0.5)) + 0.5
    model = scene(Surface(friction=0.5), sloped(steep), (block("block"), (0, 0, 0.05, *NO_TURN)))
    found = by_convex_steps(model, [0.0, 1.0])
    slope = math.radians(steep)
    assert_allclose(pose_of(found, "block")[0], 0.5 * G * (math.sin(slope) - 0.5 * math.cos(slope)), rtol=0.02)


def test_a_ball_bounces_as_high_as_its_restitution_says():
    """Guards impacts within a step: 0.7 squared of the height, to a step's exactness."""
    ball = solid("ball", Sphere(0.1), 1.0, Surface(restitution=0.7))
    model = scene(Surface(restitution=0.7), LEVEL, (ball, (0, 0, 1.1, *NO_TURN)))
    found = by_convex_steps(model, np.linspace(0.0, 1.2, 241))
    fall = math.sqrt(2.0 / G)
    heights = found.trajectory.X_WL[:, found.trajectory.link_names.index("ball"), 2] - 0.1
    assert_allclose(heights[found.trajectory.times > fall + 0.01].max(), 0.49, rtol=0.02)
    assert heights.min() > -YIELD * STEP["good"] * math.sqrt(2.0 * G)
    assert_allclose(found.impacts[0].time, fall, atol=2.0 * STEP["good"])


def test_momenta_of_free_bodies_stay():
    """Guards one point for both bodies, and axes that turn: three boxes collide, spin and part without gravity."""
    boxes = [
        (block(f"b{i}", size=(0.3, 0.2, 0.1), restitution=0.5), (0.4 * i, 0.05 * i, 0, *NO_TURN)) for i in range(3)
    ]
    model = scene(Surface(), (0.0, 0.0, 0.0), *boxes)
    model.joints = [joint for joint in model.joints if joint.type != "fixed"]
    model.links = [link for link in model.links if link.name != "floor"]
    moves = {"b0": (1.0, 0.1, 0, 3.0, 2.0, 1.0), "b1": (0, 0, 0, 0, 1.0, 0), "b2": (-2.0, 0, 0.1, 0, 0, 5.0)}
    found = by_convex_steps(model, np.linspace(0.0, 1.0, 11), "draft", **moves)
    assert found.impacts
    trajectory, linear, angular = found.trajectory, [], []
    for frame in range(11):
        P, L = np.zeros(3), np.zeros(3)
        for i in range(3):
            x, R = pose_of(found, f"b{i}", frame)[:3], turn_of(pose_of(found, f"b{i}", frame)[3:])
            v, w = R @ velocity_of(found, f"b{i}", frame)[:3], velocity_of(found, f"b{i}", frame)[3:]
            moments = np.array(model.link(f"b{i}").inertia)[[0, 3, 5]]
            P, L = P + v, L + np.cross(x, v) + R @ (moments * w)
        linear.append(P)
        angular.append(L)
    assert_allclose(linear, np.tile(linear[0], (11, 1)), atol=1e-12)
    assert_allclose(angular, np.tile(angular[0], (11, 1)), atol=1e-12)
    assert (np.diff(trajectory.kinetic) < 1e-3 * trajectory.kinetic[0]).all()


def turn_of(quat) -> np.ndarray:
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_a_heap_comes_to_rest_and_bears_its_weight():
    """Guards many contacts: twelve boxes fall on each other, never rise in energy, and lie still.

    This heap is one that does not rise. Of a hundred such heaps at draft, eleven rise by 1 mJ to 0.1 J within a frame:
    overlaps part, or contacts give back what the springs of sticking friction have stored.
    """
    rng = np.random.default_rng(2)
    boxes = [
        (block(f"b{i}", size=(0.2, 0.2, 0.2)), (*rng.uniform(-0.1, 0.1, 2), 0.15 + 0.25 * i, *NO_TURN))
        for i in range(12)
    ]
    found = by_convex_steps(scene(Surface(friction=0.5), LEVEL, *boxes), np.linspace(0.0, 4.0, 101), "draft")
    trajectory = found.trajectory
    assert (np.diff(trajectory.kinetic + trajectory.potential) < 1e-3).all()
    assert trajectory.kinetic[-1] < 1e-7
    assert_allclose(trajectory.X_WL[75, :, :3], trajectory.X_WL[-1, :, :3], atol=1e-4)
    borne = sum(each.force[2] for each in found.contacts if each.first == "floor")
    assert_allclose(borne, 12.0 * G, rtol=1e-3)
    assert min(each.gap for each in found.contacts) > -1e-3


def test_a_thousand_to_one_stands():
    """Guards mass ratios: a light box bears one that weighs a thousand times as much."""
    heavy = solid("heavy", Box((0.2, 0.2, 0.2)), 1000.0, Surface(friction=0.5))
    boxes = (block("light", size=(0.2, 0.2, 0.2)), (0, 0, 0.1, *NO_TURN)), (heavy, (0, 0, 0.3, *NO_TURN))
    found = by_convex_steps(scene(Surface(friction=0.5), LEVEL, *boxes), np.linspace(0.0, 2.0, 51), "good")
    assert_allclose(pose_of(found, "heavy")[:3], (0.0, 0.0, 0.3), atol=1e-3)


def hinged(**axis) -> Model:
    """A ball on an arm, on a hinge in the world about y, and another that may touch it far away."""
    arm = Link("arm", 1.0, (0.5, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01), collisions=[Shape("ball", Sphere(0.1))])
    other = Link("other", collisions=[Shape("ball", Sphere(0.1))])
    hinge = Joint("hinge", "revolute", WORLD, "arm", axes=[Axis(xyz=(0.0, 1.0, 0.0), **axis)])
    far = Joint("far", "fixed", WORLD, "other", X_PJ=(0.0, 9.0, 0.0, *NO_TURN))
    return Model("hinged", [arm, other], [hinge, far])


def angle_of(model: Model, seconds: float = 3.0) -> np.ndarray:
    simulation = Simulation(model, np.linspace(0.0, seconds, 31), "good")
    simulation.prefer_time_stepping()
    return simulation.run().q[:, 0]


@pytest.mark.parametrize(
    ("axis", "rests_at"),
    [
        ({"lower": -0.5, "upper": 0.5}, 0.5),
        ({"friction": 6.0}, 0.0),
        ({"drive_mode": "position", "drive_stiffness": 1e4, "drive_damping": 100.0, "effort": 100.0}, G * 0.5 / 1e4),
    ],
)
def test_joints_are_bounded_among_contacts(axis, rests_at):
    """Guards the constraints of joints: an arm at its stop, held by friction, or by a drive that is strong enough."""
    assert_allclose(angle_of(hinged(**axis))[-1], rests_at, atol=2e-5)


def test_a_drive_pulls_no_more_than_its_effort():
    """Guards saturation: one that bears half of the weight's torque lets the arm swing as if that were all."""
    driven = {"drive_mode": "position", "drive_stiffness": 1e4, "drive_damping": 100.0, "effort": 0.25 * G}
    angles = angle_of(hinged(**driven), 0.3)
    assert_allclose(angles[-1], 0.5 * (0.25 * G / 0.26) * 0.3**2, rtol=0.05)


def test_the_fastest_that_a_joint_turns():
    """Guards the largest speed: an arm that falls turns no faster."""
    angles = angle_of(hinged(velocity=0.5), 1.0)
    assert_allclose(np.diff(angles)[-5:], 0.5 / 30.0, rtol=1e-3)


def test_friction_along_a_way_that_joints_bar_stretches_no_spring():
    """Guards NaN: joints block that way, so the constraint has no stiffness, and at first no bound."""
    contact = np.zeros(1, CONTACT_RECORD).view(np.recarray)[0]
    constraint = np.zeros(1, CONVEX_CONSTRAINT).view(np.recarray)[0]
    contact.normal, constraint.rows = (0.0, 0.0, 1.0), 2
    with np.errstate(invalid="ignore"):
        store_friction(None, contact, constraint, 1e-3)
    assert_allclose(contact.slip_strain, 0.0)


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_overlaps_that_joints_bar_from_parting_do_nothing(accuracy):
    """Guards Jacobians that are rounding: two slides that overlap across their rail fall with it, and no faster."""
    turn = (0.5, 0.3, -0.4, math.sqrt(1.0 - 0.25 - 0.09 - 0.16))
    rail = Link("rail", 2.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    slides = [block(name, size=(0.2, 0.2, 0.2)) for name in ("a", "b")]
    model = scene(Surface(), LEVEL, (rail, (0.0, 0.0, 9.0, *turn)))
    for slide, height in zip(slides, (0.5, 0.6), strict=True):
        slide.self_collide = True
        model.links.append(slide)
        X_PJ = (0.0, 0.0, height, *NO_TURN)
        model.joints.append(Joint(slide.name, "prismatic", "rail", slide.name, X_PJ=X_PJ, axes=[Axis((1, 0, 0))]))
    found = by_convex_steps(model, np.linspace(0.0, 0.5, 11), accuracy)
    assert_allclose(pose_of(found, "rail")[:3], (0.0, 0.0, 9.0 - 0.5 * G * 0.25), atol=1e-6)
    assert_allclose(found.trajectory.kinetic[-1], 0.5 * 4.0 * (0.5 * G) ** 2, rtol=1e-6)


def test_loops_stay_closed_among_contacts():
    """Guards loops in convex steps: a four-bar falls on the floor, and its loop is closed."""
    links, joints, below = [], [], WORLD
    places = [(0.0, 0.0, 0.6), (0.0, 0.0, 0.2), (0.3, 0.0, 0.0), (0.0, 0.0, -0.2)]
    for i, place in enumerate(places):
        rod = Shape("end", Sphere(0.05))
        links.append(Link(f"l{i}", 1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), collisions=[rod]))
        axes = [Axis(xyz=(0.0, 1.0, 0.0))] if i else []
        joints.append(
            Joint(f"j{i}", "revolute" if i else "free", below, f"l{i}", X_PJ=(*place, *NO_TURN), axes=axes if i else [])
        )
        below = f"l{i}"
    joints.append(Joint("loop", "revolute", "l0", "l3", X_PJ=(0.3, 0.0, 0.0, *NO_TURN), axes=[Axis(xyz=(0, 1.0, 0))]))
    fallen = scene(Surface(friction=0.5), LEVEL)
    model = Model("four_bar", [*fallen.links, *links], [*fallen.joints, *joints])
    model.gravity = LEVEL
    simulation = Simulation(model, np.linspace(0.0, 2.0, 51), "good")
    simulation.prefer_time_stepping()
    trajectory = simulation.run()
    assert simulation.contacts
    assert trajectory.loop_error is not None
    assert trajectory.loop_error.max() < 1e-9
    assert trajectory.X_WL[-1, :, 2].min() > -1e-3


@pytest.mark.parametrize("skew", [1e-14, 1e-7])
def test_axes_that_are_all_but_parallel_lock_no_loop(skew):
    """Guards rows of a loop that other joints keep already: rounding, or single precision, must not make them bite."""
    rng = np.random.default_rng(3)

    def hinge(name: str, parent: str, child: str, place) -> Joint:
        axis = Axis(xyz=(skew * rng.normal(), 1.0, skew * rng.normal()))
        return Joint(name, "revolute", parent, child, X_PJ=(*place, *NO_TURN), axes=[axis])

    links = [
        Link("left", 1.0, (0.0, 0.0, -0.2), (0.01, 0, 0, 0.01, 0, 0.01)),
        Link("right", 1.0, (0.0, 0.0, -0.2), (0.01, 0, 0, 0.01, 0, 0.01)),
        Link("bar", 1.0, (0.15, 0.0, 0.0), (0.01, 0, 0, 0.01, 0, 0.01), collisions=[Shape("end", Sphere(0.02))]),
    ]
    joints = [
        hinge("a", WORLD, "left", (0.0, 0.0, 1.0)),
        hinge("b", WORLD, "right", (0.3, 0.0, 1.0)),
        hinge("c", "left", "bar", (0.0, 0.0, -0.4)),
        hinge("d", "right", "bar", (0.0, 0.0, -0.4)),
    ]
    joints[3].X_CJ, joints[3].closes_loop = (0.3, 0.0, 0.0, *NO_TURN), True
    standing = scene(Surface(), LEVEL)
    model = Model("swing", [*standing.links, *links], [*standing.joints, *joints])
    model.gravity = LEVEL
    angle = 0.3
    simulation = Simulation(model, np.linspace(0.0, 0.5, 51), "good", {"q": {"a": angle, "b": angle, "c": -angle}})
    simulation.prefer_time_stepping()
    trajectory = simulation.run()
    arm, weight = 0.4 + 0.2 + 0.2, 2 * 0.01 + 2 * 0.2**2 + 0.4**2  # of the bar and both rods, about the hinges
    rate = math.sqrt(2.0 * G * arm * (1.0 - math.cos(angle)) / weight)
    column = trajectory.qd_names.index(("a", "")) if ("a", "") in trajectory.qd_names else 0
    assert_allclose(np.abs(trajectory.qd[:, column]).max(), rate, rtol=0.01)  # as it passes its lowest place


def test_convex_steps_go_on_from_a_snapshot():
    """Guards what a step must know of the last one: springs of what sticks, loads, steps that have grown."""
    model = scene(Surface(friction=0.5), sloped(20.0), (block("block"), (0, 0, 0.051, *NO_TURN)))
    simulation = Simulation(model, np.linspace(0.0, 0.4, 11), "draft")
    simulation.prefer_time_stepping()
    frames = iter(simulation)
    while simulation.frames_done < 6:
        next(frames)
    kept = simulation.snapshot()
    first = simulation.run().q.tobytes()
    simulation.restore(kept)
    assert simulation.run().q.tobytes() == first


def test_the_former_name_of_time_stepping_takes_the_same_steps():
    """Guards programs that call `expect_crowd`: it is public, and does what its new name does."""
    model, found = scene(Surface(friction=0.5), sloped(20.0), (block("block"), (0, 0, 0.051, *NO_TURN))), []
    for prefer in (Simulation.expect_crowd, Simulation.prefer_time_stepping):
        simulation = Simulation(model, np.linspace(0.0, 0.2, 6), "draft")
        prefer(simulation, 3)
        simulation.run()
        found.append((simulation.trajectory.q.tobytes(), simulation.report.implicit_steps))
    assert found[0] == found[1]
    assert found[0][1] >= 3


def test_a_frame_that_rounding_has_left_over_is_reached():
    """Guards steps of no length: where 1e-16 s are left up to a frame, nothing moves, and the frame is reached."""
    model = scene(Surface(), LEVEL, (block("block"), (0, 0, 0.5, *NO_TURN)))
    simulation = Simulation(model, np.linspace(0.0, 0.4, 11), "draft")
    simulation.prefer_time_stepping()
    frames = iter(simulation)
    while simulation.frames_done < 9:
        next(frames)
    solver = simulation._stage.solver
    before = solver.state
    end = float(np.nextafter(before.time, 1.0))
    assert solver.advance(end) == Progress.REACHED
    assert solver.state.time == end
    assert solver.state.qd.tolist() == before.qd.tolist()


def test_plain_python_takes_the_same_steps():
    """Guards that compiled code and Python give the same bits."""
    boxes = [(block(f"b{i}", restitution=0.3), (0.05 * i, 0.0, 0.06 + 0.12 * i, *NO_TURN)) for i in range(2)]
    model, found = scene(Surface(friction=0.5), LEVEL, *boxes), []
    for run in (None, advance_convex.python):
        simulation = Simulation(model, np.linspace(0.0, 0.1, 3), "draft")
        simulation.prefer_time_stepping()
        if run is None:
            simulation.run()
        else:
            with advance_convex.standing_in(run):
                simulation.run()
        found.append(simulation.trajectory.q.tobytes())
    assert found[0] == found[1]


def test_costly_events_are_left_to_convex_steps_and_come_back():
    """Guards the choice: a heap falls by convex steps, and a ball that bounces alone by events."""
    boxes = [(block(f"b{i}", size=(0.2, 0.2, 0.2)), (0.05 * (i % 3), 0.0, 0.15 + 0.25 * i, *NO_TURN)) for i in range(8)]
    heap = Simulation(scene(Surface(friction=0.5), LEVEL, *boxes), np.linspace(0.0, 2.0, 51), "draft")
    heap.run()
    assert heap.report.implicit_steps > 50
    ball = solid("ball", Sphere(0.1), 1.0, Surface(restitution=0.7))
    alone = Simulation(scene(Surface(restitution=0.7), LEVEL, (ball, (0, 0, 1.1, *NO_TURN))), [0.0, 4.0], "draft")
    alone.run()
    assert alone.report.implicit_steps == 0
