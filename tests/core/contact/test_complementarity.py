# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of contacts: it finds closed forms in two ways, and sees what breaks each law."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limberjack.core.model import WORLD, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from support.complementarity import LAWS, admm, gauss_seidel, residuals
from support.contact_problem import (
    Contact,
    acceleration_problem,
    advanced,
    carried,
    contact_jacobian,
    impact_problem,
    link_matrices,
)
from support.exponentials import inverse_of, slope
from support.maximal import Maximal
from support.mechanisms import Z, join
from support.models import random_graph, random_state, random_unit

G = 9.81
UP = (0.0, 0.0, 1.0)
BOX = np.array([0.2, 0.2, 0.1])


def ball(name: str, mass: float, radius: float, at: tuple = (0.0, 0.0, 0.0)) -> Link:
    I = 0.4 * mass * radius**2
    return Link(name, mass, inertia=(I, 0.0, 0.0, I, 0.0, I), pose=(*at, 1.0, 0.0, 0.0, 0.0))


def box(mass: float, sides, pose: tuple = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), com=(0.0, 0.0, 0.0)) -> Link:
    x, y, z = (mass / 12.0 * side**2 for side in sides)
    return Link("box", mass, com, (y + z, 0.0, 0.0, x + z, 0.0, x + y), pose=pose)


def floating(*links: Link):
    """Links that no joint holds, compiled, and q where they stand."""
    compiled = compile_model(Model("floating", list(links)))
    return compiled, compiled.q_home


def moving(compiled, q, **twists) -> np.ndarray:
    """qd of links with these twists in world axes, linear first."""
    qd = np.zeros(compiled.nv)
    for link, J in world_jacobians(compiled, q).items():
        if link in twists:
            qd += np.linalg.lstsq(J, np.array(twists[link], dtype=float), rcond=None)[0]
    return qd


def world_jacobians(compiled, q) -> dict:
    maximal = Maximal(compiled, q, np.zeros(compiled.nv))
    return {name: np.kron(np.eye(2), maximal.poses[name][:3, :3]) @ J for name, J in maximal.jacobians.items()}


def solved(problem):
    """r, which both solvers have found, at least its effect."""
    found, other = gauss_seidel(**problem.given), admm(**problem.given)
    assert max(found.residual, other.residual) <= 1e-10
    assert_allclose(found.u, other.u, atol=1e-9 * max(1.0, np.abs(problem.b).max()))
    assert_allclose(problem.stacked(problem.in_world(found.r)), found.r, rtol=1e-12, atol=1e-14)
    return found.r


def corners(sides) -> np.ndarray:
    """Those of the lower face, shape (4, 3)."""
    return np.array([(i * sides[0], j * sides[1], -sides[2]) for i in (-1, 1) for j in (-1, 1)]) / 2.0


def turned_about_y(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def on_slope(angle: float, mu: float, mass: float = 2.0):
    """A box on a slope that falls along x: compiled, q, its corners' contacts, and the slope's axes as columns."""
    R = turned_about_y(angle)
    compiled, q = floating(box(mass, BOX, (0.0, 0.0, 0.0, math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)))
    return compiled, q, [Contact(WORLD, "box", tuple(R @ c), tuple(R[:, 2]), mu) for c in corners(BOX)], R


# --- Impacts


@pytest.mark.parametrize(
    ("vx", "spin", "mu", "grips"), [(2.0, -40.0, 0.25, False), (3.0, 10.0, 0.6, True), (-2.0, 40.0, 0.25, False)]
)
def test_a_ball_bounces_obliquely(vx, spin, mu, grips):
    """Guards slip and grip under restitution: contact cases 14 and 15, whose impact is central."""
    vz, radius, e, mass = -3.0, 0.1, 0.7, 1.3
    compiled, q = floating(ball("ball", mass, radius))
    qd = moving(compiled, q, ball=(vx, 0.0, vz, 0.0, spin, 0.0))
    problem = impact_problem(compiled, q, qd, [Contact(WORLD, "ball", (0.0, 0.0, -radius), UP, mu, e)])
    r = solved(problem)
    slip = vx - radius * spin
    normal = -(1.0 + e) * vz
    across = -math.copysign(min(mu * normal, 2.0 / 7.0 * abs(slip)), slip)
    assert grips == (mu * normal > 2.0 / 7.0 * abs(slip))
    after = (vx + across, 0.0, -e * vz, 0.0, spin - 2.5 * across / radius, 0.0)
    assert_allclose(world_jacobians(compiled, q)["ball"] @ problem.motion(r), after, atol=1e-10)
    assert_allclose(problem.in_world(r), [(mass * across, 0.0, mass * normal)], atol=1e-10)


@pytest.mark.parametrize(("mu", "e"), [(0.0, 0.5), (0.2, 0.0)])
def test_a_box_lands_on_its_edge(mu, e):
    """Guards impacts off the centre, shared by the edge's two ends: contact cases 18 and 19, in the plane x-z."""
    w, h, depth, mass, tilt = 0.4, 0.2, 0.3, 2.0, math.radians(35.0)
    vx, vz, omega = 0.5, -2.0, 3.0  # omega turns x towards z
    compiled, q = floating(box(mass, (w, depth, h), (0.0, 0.0, 0.0, math.cos(tilt / 2), 0.0, -math.sin(tilt / 2), 0.0)))
    R = turned_about_y(-tilt)
    ends = [R @ (-w / 2, y, -h / 2) for y in (-depth / 2, depth / 2)]
    qd = moving(compiled, q, box=(vx, 0.0, vz, 0.0, -omega, 0.0))
    problem = impact_problem(compiled, q, qd, [Contact(WORLD, "box", tuple(end), UP, mu, e) for end in ends])
    r = solved(problem)
    x, z = ends[0][0], ends[0][2]
    I = mass * (w * w + h * h) / 12.0
    K = np.array([[1 / mass + z * z / I, -x * z / I], [-x * z / I, 1 / mass + x * x / I]])
    before = np.array([vx - omega * z, vz + omega * x])
    J = np.linalg.solve(K, -before) if mu else np.array([0.0, -(1 + e) * before[1] / K[1, 1]])
    assert not mu or abs(J[0]) < mu * J[1]
    after = (vx + J[0] / mass, 0.0, vz + J[1] / mass, 0.0, -omega - (x * J[1] - z * J[0]) / I, 0.0)
    assert_allclose(problem.in_world(r).sum(axis=0), (J[0], 0.0, J[1]), atol=1e-10)
    assert_allclose(world_jacobians(compiled, q)["box"] @ problem.motion(r), after, atol=1e-10)


def test_two_balls_meet_off_centre():
    """Guards contacts of two links that move, and the side on which each of them is: contact case 20."""
    e, offset, radius, v0, m1, m2 = 0.9, 0.06, 0.05, 2.0, 0.17, 0.25
    sine = offset / (2.0 * radius)
    n = np.array([math.sqrt(1.0 - sine**2), sine, 0.0])
    compiled, q = floating(ball("one", m1, radius), ball("two", m2, radius, tuple(2.0 * radius * n)))
    qd = moving(compiled, q, one=(v0, 0.0, 0.0, 0.0, 0.0, 0.0))
    problem = impact_problem(compiled, q, qd, [Contact("one", "two", tuple(radius * n), tuple(n), 0.0, e)])
    J = (1.0 + e) * v0 * n[0] / (1.0 / m1 + 1.0 / m2)
    after = problem.motion(solved(problem))
    jacobians = world_jacobians(compiled, q)
    assert_allclose((jacobians["one"] @ after)[:3], (v0, 0.0, 0.0) - J / m1 * n, atol=1e-10)
    assert_allclose((jacobians["two"] @ after)[:3], J / m2 * n, atol=1e-10)


# --- Contacts that last


@pytest.mark.parametrize("speed", [0.0, 1.5])
@pytest.mark.parametrize(("degrees", "mu"), [(20.0, 0.5), (30.0, 0.3)])
def test_a_block_on_a_slope(degrees, mu, speed):
    """Guards stick, beginning slip, and friction against a slip across the slope: contact cases 1, 2 and 4."""
    angle, mass = math.radians(degrees), 2.0
    compiled, q, contacts, R = on_slope(angle, mu, mass)
    qd = moving(compiled, q, box=(*(speed * R[:, 1]), 0.0, 0.0, 0.0))
    problem = acceleration_problem(compiled, q, qd, carried(compiled, q, contacts))
    r = solved(problem)
    pull, push = G * math.sin(angle), G * math.cos(angle)
    wanted = (pull, -mu * push, 0.0) if speed else (max(0.0, pull - mu * push), 0.0, 0.0)
    assert_allclose(R.T @ (world_jacobians(compiled, q)["box"] @ problem.motion(r))[:3], wanted, atol=1e-8)
    total = R.T @ problem.in_world(r).sum(axis=0)
    assert_allclose(total, mass * (np.array(wanted) - (pull, 0.0, -push)), atol=1e-7)


def test_a_box_on_four_corners_is_carried_whatever_they_share():
    """Guards redundant supports, whose single forces no law decides: force and torque are those of the weight."""
    mass, com = 3.0, np.array([0.04, -0.03, 0.02])
    compiled, q = floating(box(mass, BOX, com=tuple(com)))
    contacts = [Contact(WORLD, "box", tuple(c), UP, 0.4) for c in corners(BOX)]
    problem = acceleration_problem(compiled, q, np.zeros(6), carried(compiled, q, contacts))
    for solver in (gauss_seidel, admm):
        forces = problem.in_world(solver(**problem.given).r)
        assert_allclose(forces.sum(axis=0), (0.0, 0.0, mass * G), atol=1e-8)
        assert_allclose(np.cross(corners(BOX) - com, forces).sum(axis=0), 0.0, atol=1e-8)


@pytest.mark.parametrize("mu", [0.5, 0.1])
def test_a_ball_rolls_down_a_slope(mu):
    """Guards gaps of round things: the ball's point accelerates to its centre by v^2 / radius, the gap does not."""
    angle, mass, radius, speed = math.radians(25.0), 0.7, 0.1, 3.0
    R = turned_about_y(angle)
    n = R[:, 2]
    compiled, q = floating(ball("ball", mass, radius, tuple(radius * n)))
    qd = moving(compiled, q, ball=(*(speed * R[:, 0]), *(speed / radius * R[:, 1])))

    def touching(later):
        return [Contact(WORLD, "ball", tuple(link_matrices(compiled, later)["ball"][:3, 3] - radius * n), tuple(n), mu)]

    problem = acceleration_problem(compiled, q, qd, touching)
    r = solved(problem)
    normal = mass * G * math.cos(angle)
    grip = min(mu * normal, 2.0 / 7.0 * mass * G * math.sin(angle))
    assert_allclose(R.T @ problem.in_world(r)[0], (-grip, 0.0, normal), atol=1e-8)


def rod_that_slides(mu: float, turning: float = 0.0):
    """Painleve's rod, 1 m and 1 kg, which leans to +x by atan 2 while its lower end slides to -x at 2 m/s."""
    theta, h = math.atan(2.0), 0.5
    c, s = math.cos(theta), math.sin(theta)
    tip = (-h * c, 0.0, -h * s)
    I = 1.0 / 12.0
    compiled, q = floating(Link("rod", 1.0, inertia=(I, 0.0, 0.0, I, 0.0, I)))
    qd = moving(compiled, q, rod=(-2.0 - h * s * turning, 0.0, h * c * turning, 0.0, -turning, 0.0))
    touching = carried(compiled, q, [Contact(WORLD, "rod", tip, UP, mu)])
    return acceleration_problem(compiled, q, qd, touching), s, c, h


@pytest.mark.parametrize("turning", [0.0, 2.0])
def test_painleves_rod_below_the_critical_friction(turning):
    """Guards friction that pushes the rod into the floor, short of the paradox, and what turning adds to the gap."""
    problem, s, c, h = rod_that_slides(1.0, turning)
    normal = (G - h * s * turning**2) / (1.0 + 3.0 * c * c - 3.0 * s * c)
    assert_allclose(problem.in_world(solved(problem)), [(normal, 0.0, normal)], atol=1e-8)


def test_painleves_paradox_has_no_answer():
    """Guards the residuals against a solver that answers where no finite force does: friction 1.6 above 4/3.

    The more the floor pushes, the faster the end goes into it: by 0.32 of what `w` makes of the force, which is 5.66.
    """
    problem, *_ = rod_that_slides(1.6)
    assert gauss_seidel(**problem.given).residual > 0.05
    assert admm(**problem.given, most=2000).residual > 0.05
    for normal in (0.0, 1.0, 1e3, 1e9):
        force = problem.stacked([(1.6 * normal, 0.0, normal)])
        assert problem.residuals(force)["penetration"] > 0.05


def test_a_face_that_turns_under_what_slides_out_on_it():
    """Guards normals that turn with the first link: the gap accelerates by Coriolis, 2 x slip x rate of turning."""
    I, rate, out, at = 0.1, 1.7, 0.9, 0.4
    plate = Link("plate", 1.0, inertia=(I, 0.0, 0.0, I, 0.0, I))
    model = Model("plate", [plate, ball("bead", 0.2, 0.01, (at, 0.0, 0.0))], gravity=(0.0, 0.0, 0.0))
    join(model, "hinge", "revolute", WORLD, "plate", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    compiled = compile_model(model)
    q = compiled.q_home
    qd = moving(compiled, q, plate=(0.0, 0.0, 0.0, 0.0, rate, 0.0), bead=(out, 0.0, -rate * at, 0.0, 0.0, 0.0))
    contact = Contact("plate", "bead", (at, 0.0, 0.0), UP, 0.3)
    problem = acceleration_problem(compiled, q, qd, carried(compiled, q, [contact]))
    assert_allclose(problem.b[0], 2.0 * out * rate, rtol=1e-9)
    assert_allclose(contact.axes[1:].T @ problem.slip[0], (out, 0.0, 0.0), atol=1e-12)


def test_a_gap_that_changes_has_no_lasting_contact():
    compiled, q, contacts, R = on_slope(0.3, 0.5)
    qd = moving(compiled, q, box=(*(0.1 * R[:, 2]), 0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"contact 0: its gap changes by 0\.1 m/s"):
        acceleration_problem(compiled, q, qd, carried(compiled, q, contacts))


# --- Jacobians


@pytest.mark.parametrize("seed", range(4))
def test_velocities_of_contacts_are_those_of_their_points(seed):
    """Guards Jacobians against differences of poses, in trees of every joint type and between any two links."""
    rng = np.random.default_rng(seed)
    compiled = compile_model(random_graph(seed, floats=bool(seed % 2)))
    q, qd = random_state(compiled, seed)
    first, second = rng.choice([WORLD, *compiled.link_names], 2, replace=False)
    contact = Contact(first, second, tuple(rng.normal(size=3)), random_unit(rng))
    held = {link: inverse_of(pose) @ [*contact.point, 1.0] for link, pose in link_matrices(compiled, q).items()}

    def apart(time: float) -> np.ndarray:
        poses = link_matrices(compiled, advanced(compiled, q, qd, time))
        return (poses[second] @ held[second] - poses[first] @ held[first])[:3]

    wanted = contact.axes @ slope(apart, 1e-4)
    found = contact_jacobian(compiled, q, [contact]) @ qd
    assert_allclose(found, wanted, atol=1e-8 * max(1.0, np.abs(wanted).max()))


def test_a_contact_of_a_mechanism_with_a_loop():
    """Guards tied velocities: a parallelogram has one way to move, so its contact meets one inertia."""
    length, crank, coupler, angle = 0.8, 0.6, 1.1, 0.7
    way = np.array([math.cos(angle), math.sin(angle), 0.0])
    rod = (1e-4, 0.0, 0.0, crank * length**2 / 12.0, 0.0, crank * length**2 / 12.0)
    turned = (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))
    model = Model("parallelogram", gravity=(0.0, -G, 0.0))
    for i in range(2):
        model.links.append(Link(f"crank{i}", crank, (length / 2, 0.0, 0.0), rod, pose=(float(i), 0.0, 0.0, *turned)))
    model.links.append(
        Link("coupler", coupler, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1), pose=(*(length * way), *turned))
    )
    for i in range(2):
        pivot = np.array([float(i), 0.0, 0.0])
        join(model, f"pivot{i}", "revolute", WORLD, f"crank{i}", tuple(pivot), Z)
        join(model, f"pin{i}", "revolute", f"crank{i}", "coupler", tuple(pivot + length * way), Z)
    compiled = compile_model(model, split_loops=True)
    q, across = compiled.q_home, (-way[1], way[0], 0.0)
    contact = Contact(WORLD, "coupler", tuple(length * way + (0.5, 0.1, 0.0)), across)
    problem = acceleration_problem(compiled, q, np.zeros(compiled.nv), carried(compiled, q, [contact]))
    inertia = 2.0 / 3.0 * crank * length**2 + coupler * length**2
    weight = (crank + coupler) * G * length * math.cos(angle)
    assert_allclose(problem.W[0, 0], length**2 / inertia, rtol=1e-8)
    assert_allclose(problem.b, (-length * weight / inertia, 0.0, 0.0), atol=1e-7)
    assert_allclose(solved(problem), (weight / length, 0.0, 0.0), atol=1e-7)


# --- Problems by chance, and answers that are wrong


def random_problem(seed: int, contacts: int, dofs: int, mu: float, ratio: float = 1.0) -> dict:
    """Of any Jacobian, with masses up to `ratio` apart; W is singular where there are fewer dofs than rows."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(3 * contacts, dofs))
    J /= np.exp(rng.uniform(0.0, math.log(ratio), dofs) / 2.0)
    b = J @ rng.normal(size=dofs)
    speeds = np.maximum(0.0, -b[::3])
    e = rng.uniform(0.0, 1.0, contacts)
    return {"W": J @ J.T, "b": b, "mu": rng.uniform(0.0, mu, contacts), "restitution": e, "approach": speeds}


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 8), st.sampled_from([1.0, 100.0]))
def test_problems_by_chance_are_solved_in_two_ways(seed, contacts, more, ratio):
    """Guards both solvers, where W is regular, so that there is a solution, and friction low, so that it is unique."""
    problem = random_problem(seed, contacts, 3 * contacts + more, 0.2, ratio)
    one, other = gauss_seidel(**problem), admm(**problem)
    for found in (one, other):
        assert max(residuals(r=found.r, **problem).values()) <= 1e-8
    assert_allclose(one.u, other.u, atol=1e-6 * np.abs(problem["b"]).max())


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_redundant_problems_by_chance_are_solved(seed, contacts):
    """Guards singular W and high friction, where forces are not unique; without restitution, which may ask too much."""
    problem = random_problem(seed, contacts, 2 * contacts, 1.0) | {"restitution": 0.0}
    found = min(gauss_seidel(**problem, most=1000), admm(**problem, most=20_000), key=lambda one: one.residual)
    assert max(residuals(r=found.r, **problem).values()) <= 1e-8


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_one_contact_takes_one_sweep(seed, slides):
    """Guards the exact solution of single contacts, which Newton's steps could hide; slip has no paradox here."""
    problem = random_problem(seed, 1, 4, 1.0)
    if slides:
        problem["slip"] = np.random.default_rng(seed).normal(size=(1, 2))
        problem["mu"] *= min(1.0, 0.5 * problem["W"][0, 0] / np.linalg.norm(problem["W"][0, 1:]))
    assert gauss_seidel(**problem, most=1).residual <= 1e-11


@pytest.mark.parametrize("seed", [26, 30, 34, 47])
def test_where_sweeps_are_slow_newtons_method_ends_them(seed):
    """Guards W that is singular and of unequal masses, where 500 sweeps alone leave a residual of 3e-4."""
    problem = random_problem(seed, 3, 5, 1.0, 1e4) | {"restitution": 0.0}
    one, other = gauss_seidel(**problem, most=500), admm(**problem)
    assert max(one.residual, other.residual) <= 1e-12
    assert_allclose(one.u, other.u, atol=1e-9)


def test_each_law_that_is_broken_is_told():
    """Guards the residuals, which judge others: a sliding contact's r, wrong in each way by 1e-6, is seen as such."""
    W, b, mu = np.diag([1.0, 1.0, 1.0]), np.array([-1.0, 3.0, 0.0]), 0.5
    r = np.array([1.0, -0.5, 0.0])
    assert max(residuals(W, b, mu, r).values()) <= 1e-15
    small = 1e-6
    wrong = {
        "penetration": (r - (2.0 * small, -small, 0.0), b),
        "complementarity": (r - (-2.0 * small, small, 0.0), b),
        "pull": ((-3.0 * small, 0.0, 0.0), np.array([3.0, 0.0, 0.0])),
        "cone": (r - (0.0, small, 0.0), b),
        "dissipation": ((1.0, -0.5 * math.cos(small), 0.5 * math.sin(small)), b),
    }
    assert set(wrong) == set(LAWS)
    for law, (force, free) in wrong.items():
        found = residuals(W, free, mu, np.array(force))
        assert 0.1 * small < found[law] < 10.0 * small, law
    turned = residuals(W, b, mu, np.array(wrong["dissipation"][0]))
    assert max(turned[law] for law in LAWS if law != "dissipation") <= 1e-12


def test_residuals_know_what_slides_and_what_bounces():
    """Guards laws that only slip or the approach tells: r that is right without them is wrong with them."""
    W, b, mu = np.eye(3), np.array([-1.0, 0.1, 0.0]), 0.5
    sticks, slides = np.array([1.0, -0.1, 0.0]), np.array([1.0, 0.0, -0.5])
    assert max(residuals(W, b, mu, sticks).values()) <= 1e-15
    assert residuals(W, b, mu, sticks, slip=[[0.0, 2.0]])["dissipation"] > 0.1
    assert max(residuals(W, b, mu, slides, slip=[[0.0, 2.0]]).values()) <= 1e-15
    assert residuals(W, b, mu, sticks, restitution=0.5, approach=1.0)["penetration"] > 0.1
    bounces = np.array([1.5, -0.1, 0.0])
    assert max(residuals(W, b, mu, bounces, restitution=0.5, approach=1.0).values()) <= 1e-15
    assert residuals(W, b, mu, np.array([1.0, math.nan, 0.0]))["cone"] == math.inf


def test_an_exact_slip_does_not_lift():
    """Guards the exact law: a convex step would leave at mu |u_t|, and its r is told to be wrong."""
    W, b, mu = np.eye(3), np.array([-1.0, 3.0, 0.0]), 0.5
    for solver in (gauss_seidel, admm):
        assert_allclose(solver(W, b, mu).u, (0.0, 2.5, 0.0), atol=1e-12)
    normal = (1.0 + 3.0 * mu) / (1.0 + mu**2)
    assert residuals(W, b, mu, normal * np.array([1.0, -mu, 0.0]))["complementarity"] > 0.1
