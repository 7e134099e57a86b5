# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag, and gravity that is switched off, against closed forms and the balance of energy."""

import math

import numpy as np
import pytest

from limberjack.core.dynamics import articulated_body, newton_euler
from limberjack.core.kinematics import make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation
from support.models import matrix, random_graph, random_state

G = 9.81
TIMES = np.linspace(0.0, 2.0, 21)
BALL_OF_LEAD = (0.4, 0.0, 0.0, 0.4, 0.0, 0.4)
ABOUT_Y = Axis(xyz=(0.0, 1.0, 0.0))


def thrown(**settings):
    """(com, angular velocity) in world axes at `TIMES` of a spinning, weightless link with its com off its origin."""
    link = Link("stone", 2.0, (0.3, -0.2, 0.5), pose=(0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5), **settings)
    model = Model(links=[link], gravity=(0.0, 0.0, 0.0))
    run = Simulation(model, TIMES, "exact", {"qd": {"stone": [1.0, -2.0, 0.5, 0.7, 3.0, -1.1]}})
    motion = run.run()
    assert run.report.energy_drift < 1e-8 * run.report.energy_scale
    turns = np.array([matrix(pose) for pose in motion.X_WL[:, 0]])
    return turns[:, :3, :3] @ link.com + turns[:, :3, 3], np.einsum("fij,fj->fi", turns[:, :3, :3], motion.qd[:, 3:])


def test_linear_drag_slows_the_centre_of_mass():
    """Guards linear damping: the com of a spinning link goes v (1 - exp(-c t)) / c straight on, and its spin stays."""
    c = 0.8
    com, spin = thrown(linear_damping=c, inertia=BALL_OF_LEAD)
    free, _ = thrown(inertia=BALL_OF_LEAD)
    velocity = (free[-1] - free[0]) / TIMES[-1]
    assert com - com[0] == pytest.approx(np.outer((1.0 - np.exp(-c * TIMES)) / c, velocity), abs=1e-8)
    assert spin == pytest.approx(np.tile(spin[0], (len(TIMES), 1)), abs=1e-8)


def test_angular_drag_slows_the_spin():
    """Guards angular damping: a sphere's spin dies as exp(-c t), about its com, which goes on as before."""
    c = 1.3
    com, spin = thrown(angular_damping=c, inertia=BALL_OF_LEAD)
    free, _ = thrown(inertia=BALL_OF_LEAD)
    assert spin == pytest.approx(np.outer(np.exp(-c * TIMES), spin[0]), abs=1e-8)
    assert com == pytest.approx(free, abs=1e-8)


def test_angular_drag_of_an_uneven_link_scales_its_whole_spin():
    """Guards that damping is by inertia: without other torques, the angular momentum in the world dies as exp(-c t)."""
    inertia, c = (0.2, 0.03, -0.02, 0.5, 0.01, 0.6), 0.9
    link = Link("stone", 2.0, (0.3, -0.2, 0.5), inertia, angular_damping=c)
    run = Simulation(
        Model(links=[link], gravity=(0.0, 0.0, 0.0)), TIMES, "exact", {"qd": {"stone": [0, 0, 0, 1.0, 3.0, -2.0]}}
    )
    motion = run.run()
    xx, xy, xz, yy, yz, zz = inertia
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    found = [matrix(pose)[:3, :3] @ own @ qd[3:] for pose, qd in zip(motion.X_WL[:, 0], motion.qd, strict=True)]
    assert np.array(found) == pytest.approx(np.outer(np.exp(-c * TIMES), found[0]), abs=1e-8)


def test_angular_drag_of_a_link_that_is_turned_in_its_joint():
    """Guards the axes of drag: it is by inertia about the hinge, so an uneven link's spin dies as exp(-c t) there, too.

    The link's frame is turned against the joint's, so that the hinge is along another of its axes than z.
    """
    c, turned = 0.9, (0.0, 0.0, 0.0, 0.5, 0.5, -0.5, 0.5)
    link = Link("wheel", 2.0, inertia=(0.2, 0.03, -0.02, 0.5, 0.01, 0.6), angular_damping=c)
    model = Model(links=[link], gravity=(0.0, 0.0, 0.0))
    model.joints.append(Joint("hinge", "continuous", WORLD, "wheel", X_CJ=turned))
    motion = Simulation(model, TIMES, "exact", {"qd": {"hinge": 2.0}}).run()
    assert motion.joint_velocity("hinge")[:, 0] == pytest.approx(2.0 * np.exp(-c * TIMES), abs=1e-8)


def test_terminal_speed():
    """Guards drag under gravity: a stone falls at g / c (1 - exp(-c t)), and what it loses is booked."""
    c = 4.0
    run = Simulation(Model(links=[Link("stone", 3.0, linear_damping=c)]), TIMES, "exact")
    motion = run.run()
    v = G / c * (1.0 - np.exp(-c * TIMES))
    fallen = G / c * (TIMES - (1.0 - np.exp(-c * TIMES)) / c)
    assert motion.qd[:, 2] == pytest.approx(-v, abs=1e-8)
    assert motion.dissipated == pytest.approx(3.0 * (G * fallen - 0.5 * v**2), abs=1e-7)


def raft():
    """A swinging link with three others fixed to it, each with its own drag; one without gravity, in a general pose."""
    model = Model(links=[Link("hull", 1.0, (0.4, 0.1, -0.2), linear_damping=0.3, angular_damping=0.1)])
    model.joints.append(Joint("hook", "ball", WORLD, "hull"))
    for i in range(3):
        pose = (0.2 * i, 0.3, -0.1 * i, math.cos(0.4 * i), 0.0, math.sin(0.4 * i), 0.0)
        inertia = (0.1 + 0.1 * i, 0.02, 0.0, 0.3, -0.01, 0.2)
        link = Link(
            f"crate{i}", 0.5 + i, (0.1, 0.0, 0.2 * i), inertia, linear_damping=0.5 * i, angular_damping=1.0 - 0.3 * i
        )
        link.gravity = i != 1
        model.links.append(link)
        model.joints.append(Joint(f"rope{i}", "fixed", "hull", link.name, pose))
    return model


def test_merged_links_are_braked_as_unmerged_ones():
    """Guards the sums of drag and lift over fixed links: the same accelerations as one body to each link."""
    found = []
    for merge_fixed in (True, False):
        compiled = compile_model(raft(), merge_fixed=merge_fixed)
        q, qd = random_state(compiled, 3)
        qdd = np.zeros(3)
        articulated_body(compiled.arrays, make_work(compiled.arrays), q, qd, np.zeros(3), qdd)
        found.append(qdd)
    assert found[0] == pytest.approx(found[1], rel=1e-11)


def test_energy_balances_with_drag_and_partial_gravity():
    """Guards the books: kinetic + potential + dissipated stays, where some links are dragged and one is weightless."""
    run = Simulation(raft(), TIMES, "exact", {"qd": {"hook": [1.0, 2.0, -1.0]}})
    motion = run.run()
    assert run.report.energy_drift < 1e-8 * run.report.energy_scale
    assert motion.dissipated[-1] > 0.1 * motion.kinetic[0]
    assert np.ptp(motion.potential) > 0.1


def test_a_link_without_gravity_floats():
    """Guards the switch: it stays where it is while one beside it falls."""
    model = Model(links=[Link("moth", 0.7, (0.2, 0.1, 0.0), gravity=False), Link("stone", 0.7)])
    run = Simulation(model, TIMES, "exact")
    motion = run.run()
    assert np.abs(motion.qd[:, :6]).max() < 1e-12
    assert motion.X_WL[:, 1, 2] == pytest.approx(-0.5 * G * TIMES**2, abs=1e-9)
    assert run.report.energy_drift < 1e-9


def test_a_weightless_bob_on_a_heavy_hanger():
    """Guards the switch in a tree: only the hanger's weight drives the swing, the inertia of both resists it.

    Small swings about the hook: w^2 = M g a / (M a^2 + I + m l^2), over point masses I = 0.
    """
    M, a, m, bob = 2.0, 0.5, 1.0, 1.5
    point = (1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9)
    model = Model(links=[Link("hanger", M, (0.0, 0.0, -a), point), Link("bob", m, inertia=point, gravity=False)])
    model.joints.append(Joint("hook", "revolute", WORLD, "hanger", axes=[ABOUT_Y]))
    model.joints.append(Joint("knot", "fixed", "hanger", "bob", (0.0, 0.0, -bob, 1.0, 0.0, 0.0, 0.0)))
    small = 1e-5
    motion = Simulation(model, TIMES, "exact", {"q": {"hook": small}}).run()
    rate = math.sqrt(M * G * a / (M * a**2 + m * bob**2))
    assert motion.q[:, 0] == pytest.approx(small * np.cos(rate * TIMES), abs=1e-3 * small)


@pytest.mark.parametrize("seed", range(3))
def test_inverse_dynamics_gives_the_forces_back(seed):
    """Guards ABA and RNEA together, in a tree of all types with drag on all links and gravity on every other."""
    model = random_graph(seed, floats=seed == 2)
    rng = np.random.default_rng(seed)
    for i, link in enumerate(model.links):
        link.linear_damping, link.angular_damping, link.gravity = rng.uniform(), rng.uniform(), i % 2 == 0
    compiled = compile_model(model)
    q, qd = random_state(compiled, seed)
    tau = rng.normal(size=compiled.nv)
    qdd, back, still = np.zeros(compiled.nv), np.zeros(compiled.nv), np.zeros(compiled.nv)
    work = make_work(compiled.arrays)
    articulated_body(compiled.arrays, work, q, qd, tau, qdd)
    newton_euler(compiled.arrays, work, q, qd, qdd, back)
    newton_euler(compiled.arrays, work, q, qd, np.zeros(compiled.nv), still)
    assert np.abs(back - tau).max() < 1e-10 * np.abs(still).max()
