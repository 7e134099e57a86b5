# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked once of models with loops, mimics and couplings: true answers, or refusals that say what to call."""

import numpy as np
import pytest

from limberjack.core.dynamics import (
    centre_of_mass,
    forward_dynamics,
    inverse_dynamics,
    joint_wrenches,
    mass_matrix,
    momentum,
    passive_forces,
    tree_inverse_dynamics,
    tree_mass_matrix,
)
from limberjack.core.kinematics import closed_state, free_motions
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model, StateError
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation
from support import planar
from support.linkages import upright_four_bar
from support.mechanisms import X, Z, join, stewart

LOOPS = ("crank_pin", "rocker_pin", "rocker_pivot")


def four_bar(closing="rocker_pivot"):
    model = upright_four_bar()
    model.joint(closing).closes_loop = True
    return model


def split(model):
    return compile_model(model)


def at(compiled, joint, values):
    return values[compiled.spans[joint].v]


@pytest.mark.parametrize("closing", LOOPS)
@pytest.mark.parametrize(("theta", "rate", "torque"), [(0.0, 0.0, 0.0), (0.5, 2.0, 0.0), (-0.4, -3.0, 25.0)])
def test_a_four_bar_accelerates_as_lagrange_has_it(closing, theta, rate, torque):
    """Guards forward dynamics of loops, wherever they are cut, and that motors of that motion give its torque."""
    compiled = split(four_bar(closing))
    q, qd = closed_state(compiled, {"crank_pivot": theta}, {"crank_pivot": rate})
    tau = compiled.q_from({"crank_pivot": torque}, velocities=True)
    qdd = forward_dynamics(compiled, q, qd, tau)
    wanted = planar.acceleration(theta, rate, torque)
    assert at(compiled, "crank_pivot", qdd) == pytest.approx([wanted], rel=1e-6, abs=1e-6)
    assert inverse_dynamics(compiled, q, qd, qdd, motors=["crank_pivot"]) == pytest.approx(tau, abs=1e-7)
    rates = planar.slope(planar.turns, theta)
    by_rocker = inverse_dynamics(compiled, q, qd, qdd, motors=["rocker_pivot"])
    assert at(compiled, "rocker_pivot", by_rocker) * rates[2] == pytest.approx([torque], abs=1e-6)
    Z_crank = free_motions(compiled, q, leading=["crank_pivot"])
    assert Z_crank.T @ tree_mass_matrix(compiled, q) @ Z_crank == pytest.approx(
        np.array([[planar.inertia(theta)]]), rel=1e-8
    )


def test_a_push_on_the_coupler_is_felt_at_the_crank():
    """Guards wrenches on split links: a force on the coupler's origin does the crank's work of virtual power."""
    compiled = split(four_bar())
    q, qd = closed_state(compiled, {"crank_pivot": 0.5})

    def origin(theta):
        turned = np.exp(1j * np.array(planar.turns(theta)))
        return turned[0] * planar.CRANK_PIN - turned[1] * planar.CRANK_PIN

    push = np.array([7.0, -3.0, 0.0, 0.0, 0.0, 2.0])
    moved, turned = planar.slope(origin, 0.5), planar.slope(planar.turns, 0.5)[1]
    felt = 7.0 * moved.real - 3.0 * moved.imag + 2.0 * turned
    qdd = forward_dynamics(compiled, q, qd, np.zeros(compiled.nv), {"coupler": push})
    assert at(compiled, "crank_pivot", qdd) == pytest.approx([planar.acceleration(0.5, 0.0, felt)], rel=1e-6)


def test_redundant_loops_move_as_a_simulation_does():
    """Guards a spatial machine of five loops, whose accelerations are the second differences of its motion."""
    model = stewart("universal")
    compiled = split(model)
    q, qd = closed_state(compiled)
    h, tau = 1e-4, compiled.q_from({"slide0": 400.0}, velocities=True)
    model.joint("slide0").axes[0].drive_mode = "force"
    model.joint("slide0").axes[0].drive_target = 400.0
    motion = Simulation(model, [0.0, h, 2.0 * h], "exact").run()
    found = forward_dynamics(compiled, q, qd, tau)
    assert np.abs(found).max() > 1.0
    assert found == pytest.approx((4.0 * motion.qd[1] - motion.qd[2]) / (2.0 * h), rel=1e-4, abs=1e-4)


def wheels(kind):
    """(a wheel of 2 kg m^2 and what it drives by a ratio of 3, what that weighs)"""
    follower = "prismatic" if kind == "rack" else "revolute"
    model = Model(links=[Link("one"), Link("other")], gravity=(0.0, 0.0, 0.0))
    join(model, "first", "revolute", WORLD, "one", (0.0, 0.0, 0.0), Z)
    second = join(model, "second", follower, WORLD, "other", (1.0, 0.0, 0.0), X if kind == "rack" else Z)
    for link, size, x in zip(model.links, (2.0, 0.5), (0.0, 1.0), strict=True):
        link.mass, link.com, link.inertia = size, (x, 0.0, 0.0), (size, 0.0, 0.0, size, 0.0, size)
    if kind == "mimic":
        second.mimic = Mimic("first", multiplier=3.0, offset=0.2)
    else:
        model.couplings.append(Coupling("pair", kind, [("first", 0), ("second", 0)], ratio=3.0, offset=0.2))
    return model


@pytest.mark.parametrize("kind", ["mimic", "gear", "rack"])
def test_what_follows_is_felt_by_its_ratio_squared(kind):
    """Guards couplings by the closed form (J + r^2 J') qdd = tau + r tau', forward and inverse."""
    compiled = compile_model(wheels(kind))
    q, qd = closed_state(compiled, {"first": 0.3}, {"first": -1.0})
    assert q == pytest.approx([0.3, 1.1])
    assert qd == pytest.approx([-1.0, -3.0])
    qdd = forward_dynamics(compiled, q, qd, np.array([5.0, 0.7]))
    wanted = (5.0 + 3.0 * 0.7) / (2.0 + 9.0 * 0.5)
    assert qdd == pytest.approx([wanted, 3.0 * wanted])
    assert inverse_dynamics(compiled, q, qd, qdd, motors=["first"]) == pytest.approx([7.1, 0.0])
    assert inverse_dynamics(compiled, q, qd, qdd, motors=["second"]) == pytest.approx([0.0, 7.1 / 3.0])
    Z_both = free_motions(compiled, q, leading=["first"])
    assert Z_both.T @ tree_inverse_dynamics(compiled, q, qd, qdd) == pytest.approx([7.1])


def test_limits_without_room_hold():
    """Guards a hinge that its limits hold at an angle: the pendulum beyond it is part of the one before."""
    model = Model(links=[Link("upper"), Link("lower")], gravity=(0.0, -9.81, 0.0))
    join(model, "shoulder", "revolute", WORLD, "upper", (0.0, 0.0, 0.0), Z)
    elbow = join(model, "elbow", "revolute", "upper", "lower", (1.0, 0.0, 0.0), Z)
    for link, mass, x in zip(model.links, (1.0, 2.0), (0.5, 1.5), strict=True):
        link.mass, link.com, link.inertia = mass, (x, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)
    elbow.axes[0].lower = elbow.axes[0].upper = 0.4
    compiled = compile_model(model)
    q, qd = closed_state(compiled, {}, {"shoulder": 3.0})
    assert (q.tolist(), qd.tolist()) == ([0.0, 0.4], [3.0, 0.0])
    lower = np.array([1.0 + 0.5 * np.cos(0.4), 0.5 * np.sin(0.4)])
    inertia = 0.1 + 0.25 + 0.1 + 2.0 * lower @ lower
    qdd = forward_dynamics(compiled, q, qd, np.array([1.5, 60.0]))
    assert qdd == pytest.approx([(1.5 - 9.81 * (0.5 + 2.0 * lower[0])) / inertia, 0.0], abs=1e-9)
    with pytest.raises(StateError, match=r"'elbow', whose limits leave no room, is off by 0\.1 rad"):
        forward_dynamics(compiled, q + np.array([0.0, 0.1]), qd, np.zeros(2))


def test_an_open_state_is_refused_with_its_gap():
    """Guards every function that takes a state: none answers for a loop that is open, by place or by velocity."""
    compiled = split(four_bar())
    q, qd = closed_state(compiled, {"crank_pivot": 0.5}, {"crank_pivot": 1.0})
    torn = q.copy()
    torn[compiled.spans["rocker_pin"].q] += 0.01
    still, fast = np.zeros(compiled.nv), qd.copy()
    fast[compiled.spans["crank_pivot"].v] *= 2.0
    for ask in (
        lambda q, qd: forward_dynamics(compiled, q, qd, still),
        lambda q, qd: inverse_dynamics(compiled, q, qd, still, motors=["crank_pivot"]),
        lambda q, qd: momentum(compiled, q, qd),
        lambda q, _: centre_of_mass(compiled, q),
        lambda q, _: free_motions(compiled, q),
    ):
        with pytest.raises(
            StateError, match=r"'rocker_pivot' is open: .* m and 0.01 rad apart; kinematics.closed_state"
        ):
            ask(torn, qd)
    with pytest.raises(StateError, match=r"'rocker_pivot' opens at .* m/s and .* rad/s; kinematics.closed_state"):
        forward_dynamics(compiled, q, fast, still)
    with pytest.raises(StateError, match=r"coupling 'second' is off by 0\.2 rad"):
        centre_of_mass(compile_model(wheels("mimic")), np.zeros(2))


def test_a_model_without_its_loops_is_refused():
    """Guards what cannot be known where loops were left out: each says how to compile."""
    model = four_bar()
    model.joint("rocker_pivot").axes[0].spring_stiffness = 8.0
    tree, whole = compile_model(model, split_loops=False), split(model)
    q, qd = closed_state(tree, {"crank_pivot": 0.5})
    for ask in (
        lambda: forward_dynamics(tree, q, qd, qd),
        lambda: passive_forces(tree, q, qd),
        lambda: inverse_dynamics(tree, q, qd, qd, motors=["crank_pivot"]),
    ):
        with pytest.raises(StateError, match=r"'rocker_pivot' closes a loop.* takes compile_model"):
            ask()
    q, qd = closed_state(whole, {"crank_pivot": 0.5})
    felt = at(whole, "rocker_pivot", passive_forces(whole, q, qd))
    assert felt == pytest.approx([-8.0 * planar.turns(0.5)[2]], rel=1e-9)


def test_what_is_not_unique_is_refused():
    """Guards answers of which there are many: forces that loops share, matrices of velocities that are tied."""
    compiled = split(four_bar())
    q, qd = closed_state(compiled, {"crank_pivot": 0.5})
    qdd = forward_dynamics(compiled, q, qd, compiled.q_from({"crank_pivot": 5.0}, velocities=True))
    for ask, said in (
        (lambda: mass_matrix(compiled, q), r"free_motions\(compiled, q\).*Z.T @ tree_mass_matrix"),
        (lambda: inverse_dynamics(compiled, q, qd, qdd), "name as motors"),
        (lambda: joint_wrenches(compiled, q, qd, qdd), r"record=\['wrenches'\]"),
    ):
        with pytest.raises(StateError, match=r"'rocker_pivot' closes a loop.*" + said):
            ask()
    with pytest.raises(StateError, match=r"2 forces act on 1 way\(s\).*name fewer"):
        inverse_dynamics(compiled, q, qd, qdd, motors=["crank_pivot", "rocker_pivot"])
    with pytest.raises(StateError, match=r"cannot make it move so: it can move in 1 way.*name more"):
        inverse_dynamics(compiled, q, qd, qdd, motors=[])
    with pytest.raises(StateError, match="qdd breaks what the model holds to"):
        inverse_dynamics(compiled, q, qd, qdd + 1.0, motors=["crank_pivot"])
    geared = compile_model(wheels("gear"))
    with pytest.raises(StateError, match="coupling 'pair' ties joints"):
        mass_matrix(geared, closed_state(geared)[0])


def test_a_tree_asks_for_nothing_new():
    """Guards trees: limits with room, and springs between links, tie nothing."""
    model = Model(
        links=[Link("arm")], joints=[Joint("hinge", "revolute", WORLD, "arm", axes=[Axis(lower=1.0, upper=2.0)])]
    )
    compiled = compile_model(model)
    assert mass_matrix(compiled, np.zeros(1)).shape == (1, 1)
    assert inverse_dynamics(compiled, *np.zeros((3, 1)), motors=["hinge"]) == inverse_dynamics(
        compiled, *np.zeros((3, 1))
    )
