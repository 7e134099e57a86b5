# SPDX-License-Identifier: GPL-3.0-or-later
"""What strikes leaves as restitution and Coulomb's cone have it, at the time at which it strikes, in closed form."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Box, Capsule, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, NO_TURN, STILL, G, floor, moved, pose_of, scene, solid, turned, velocity_of

ACCURACIES = ("draft", "good", "exact")
CLOSE = {"draft": 1e-3, "good": 1e-5, "exact": 1e-7}
WEIGHTLESS = (0.0, 0.0, 0.0)


def ball(surface, height, radius=0.05, mass=0.3, name="ball"):
    return solid(name, Sphere(radius), mass, surface), (0.0, 0.0, height + radius, *NO_TURN)


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_ball_bounces_ever_more_often_and_comes_to_rest(accuracy):
    """Each bounce keeps e of its speed, and endlessly many are over at sqrt(2 h / g) (1 + e) / (1 - e)."""
    found = moved(
        scene(Surface(restitution=0.8), LEVEL, ball(Surface(), 1.0)), np.linspace(0, 4.5, 91), accuracy, ball=STILL
    )
    first = math.sqrt(2.0 / G)
    times = [impact.time for impact in found.impacts]
    expected = [first * (1.0 + 2.0 * sum(0.8**k for k in range(1, n + 1))) for n in range(6)]
    assert times[:6] == pytest.approx(expected, rel=CLOSE[accuracy])
    assert [impact.impulse[2] for impact in found.impacts[:2]] == pytest.approx(
        [0.3 * G * first * 1.8, 0.3 * G * first * 1.8 * 0.8], rel=CLOSE[accuracy]
    )
    assert times[-1] == pytest.approx(first * 1.8 / 0.2, rel=10 * CLOSE[accuracy])
    assert velocity_of(found, "ball") == pytest.approx(np.zeros(6), abs=1e-12)
    assert pose_of(found, "ball")[2] == pytest.approx(0.05, abs=1e-9)
    energy = found.trajectory.kinetic + found.trajectory.potential + found.trajectory.dissipated
    assert np.ptp(energy) < CLOSE[accuracy] * energy[0]


def test_an_elastic_ball_loses_nothing():
    """After twenty bounces it is as high as it was."""
    first = math.sqrt(2.0 / G)
    times = np.array([0.0, first * 40.0])
    found = moved(scene(Surface(restitution=1.0), LEVEL, ball(Surface(), 1.0)), times, ball=STILL)
    assert len(found.impacts) == 20
    assert pose_of(found, "ball")[2] == pytest.approx(1.05, rel=1e-8)


@pytest.mark.parametrize(
    ("friction", "vx", "spin", "leaves"),
    [(0.25, 2.0, -40.0, (0.725, -8.125)), (0.6, 3.0, 10.0, (17.0 / 7.0, 170.0 / 7.0))],
)
def test_a_spinning_ball_bounces(friction, vx, spin, leaves):
    """One slips all through its impact, one grips: impulses of mass 1, radius 0.1, restitution 0.7."""
    surface = Surface(friction=friction, restitution=0.7)
    model = scene(surface, WEIGHTLESS, (solid("ball", Sphere(0.1), 1.0, surface), (0.0, 0.0, 0.1, *NO_TURN)))
    found = moved(model, [0.0, 0.1], ball=(vx, 0.0, -3.0, 0.0, spin, 0.0))
    wx = found.trajectory
    linear = (pose_of(found, "ball")[:3] - pose_of(found, "ball", 0)[:3]) / 0.1
    assert linear == pytest.approx((leaves[0], 0.0, 2.1), rel=1e-9)
    assert velocity_of(found, "ball")[4] == pytest.approx(leaves[1], rel=1e-9)
    assert wx.kinetic[0] + wx.dissipated[0] == pytest.approx(0.5 * (vx**2 + 9.0) + 0.5 * 0.004 * spin**2)


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.5), (0.9, 0.0)])
def test_a_tilted_box_lands_on_its_edge(friction, restitution):
    """Without friction an impulse along the normal, with it one that stops the edge; both corners share it."""
    surface = Surface(friction=friction, restitution=restitution)
    tilt, w, h, mass = math.radians(35.0), 0.4, 0.2, 2.0
    c, s = math.cos(tilt), math.sin(tilt)
    low = np.array([-w / 2 * c + h / 2 * s, -w / 2 * s - h / 2 * c])  # of the corners, in x and z
    box = solid("box", Box((w, 0.3, h)), mass, surface), (0.0, 0.0, -low[1], *turned("y", -tilt))
    v, omega = np.array([0.5, -2.0]), 3.0  # omega turns x to z
    own = np.array([[c, s], [-s, c]]) @ v
    found = moved(scene(surface, WEIGHTLESS, box), [0.0, 0.01], box=(own[0], 0.0, own[1], 0.0, -omega, 0.0))
    inertia = mass / 12.0 * (w * w + h * h)
    J = np.array([[1.0, 0.0, -low[1]], [0.0, 1.0, low[0]]])  # the edge's velocity from vx, vz, omega
    if friction == 0.0:
        J = J[1:]
    M = np.diag([mass, mass, inertia])
    before = np.array([*v, omega])
    edge = J @ before
    wanted = np.where(np.arange(len(edge)) == len(edge) - 1, -restitution * edge, 0.0)
    W = J @ np.linalg.inv(M) @ J.T
    impulse = np.linalg.solve(W, wanted - edge)
    after = before + np.linalg.inv(M) @ J.T @ impulse
    assert velocity_of(found, "box")[4] == pytest.approx(-after[2], rel=1e-9)
    assert (pose_of(found, "box") - pose_of(found, "box", 0))[[0, 2]] == pytest.approx(0.01 * after[:2], rel=1e-9)
    assert sum(impact.impulse[2] for impact in found.impacts) == pytest.approx(impulse[-1], rel=1e-9)


def test_a_block_rocks():
    """Each impact keeps 1 - 3/2 sin^2 of the spin: momentum about the new edge (Housner 1963)."""
    surface = Surface(friction=1.0)
    b, h, tilt = 0.1, 0.3, math.radians(10.0)
    c, s = math.cos(tilt), math.sin(tilt)
    block = (
        solid("block", Box((2 * b, 0.2, 2 * h)), 20.0, surface),
        (-b * c + h * s + b, 0.0, b * s + h * c, *turned("y", tilt)),
    )
    found = moved(scene(surface, LEVEL, block), np.linspace(0.0, 1.3, 131), block=STILL)
    times = sorted({round(impact.time, 7) for impact in found.impacts})
    assert times[:4] == pytest.approx([0.2947752024, 0.7062639949, 1.024871065, 1.281286306], rel=1e-6)
    spins = [abs(found.trajectory.qd[n, 4]) for n in range(131)]
    struck = int(np.searchsorted(found.trajectory.times, times[0]))
    fall = math.sqrt(2.0 * G * (b * s + h * c - h) / (4.0 / 3.0 * (b * b + h * h)))
    assert max(spins[:struck]) < fall
    assert max(spins[struck : struck + 2]) < 0.85 * fall


def test_a_cannon_of_two_balls():
    """The small ball is struck after the big one: (3 M - m) / (M + m) of the speed of both."""
    surface = Surface(restitution=1.0)
    model = scene(surface, LEVEL, ball(surface, 1.0, 0.1, 0.6, "big"), ball(surface, 1.2001, 0.03, 0.05, "small"))
    found = moved(model, [0.0, 0.46], big=STILL, small=STILL)
    speed = math.sqrt(2.0 * G)
    second = found.impacts[1]
    left = (3.0 * 0.6 - 0.05) / 0.65 * speed - G * (0.46 - second.time)
    assert velocity_of(found, "small")[2] == pytest.approx(left, rel=1e-4)


def test_momentum_and_energy_of_two_balls():
    """Off-centre, smooth, with e = 0.9: the impulse is along the line of centres."""
    surface = Surface(friction=0.0, restitution=0.9)
    one, other = solid("one", Sphere(0.05), 0.17, surface), solid("other", Sphere(0.05), 0.25, surface)
    links = [one, other]
    joints = [
        Joint("free one", "free", WORLD, "one", X_PJ=(-0.3, 0.0, 0.0, *NO_TURN)),
        Joint("free other", "free", WORLD, "other", X_PJ=(0.0, 0.06, 0.0, *NO_TURN)),
    ]
    model = Model("two", links, joints)
    model.gravity = WEIGHTLESS
    found = moved(model, [0.0, 0.3], one=(2.0, 0.0, 0.0, 0.0, 0.0, 0.0), other=STILL)
    assert velocity_of(found, "one")[:2] == pytest.approx((0.5523809524, -1.085714286), rel=1e-8)
    assert velocity_of(found, "other")[:2] == pytest.approx((0.9843809524, 0.7382857143), rel=1e-8)


def test_a_pendulum_strikes_a_wall():
    """A rod on a hinge: it comes at its time, and its hinge takes part of the blow."""
    surface = Surface(friction=0.0, restitution=0.6)
    rod = Link("rod", 1.0, com=(0.0, 0.0, -0.5), inertia=(1 / 12, 0, 0, 1 / 12, 0, 1e-4))
    rod.collisions = [Shape("tip", Sphere(0.02), (0.0, 0.0, -1.0, *NO_TURN), surface=surface)]
    wall = floor(surface)
    wall.collisions = [Shape("wall", Plane((1.0, 0.0, 0.0)), (-0.02, 0.0, 0.0, *NO_TURN), surface=surface)]
    hinge = Joint("hinge", "revolute", WORLD, "rod")
    hinge.axes[0].xyz = (0.0, 1.0, 0.0)
    model = Model("pendulum", [wall, rod], [Joint("held", "fixed", WORLD, "floor"), hinge])
    model.gravity = LEVEL
    found = Simulation(model, np.linspace(0.0, 1.4, 29), "exact", {"q": {"hinge": -math.radians(60.0)}})
    found.run()
    assert [impact.time for impact in found.impacts[:2]] == pytest.approx([0.4394537012, 1.277849393], rel=1e-7)
    assert abs(found.impacts[0].impulse[0]) == pytest.approx(2.045873896, rel=1e-7)


def test_a_stack_rests():
    """Ten boxes for two seconds: nothing moves, and each floor bears what is above it."""
    surface = Surface(friction=0.5)
    boxes = [(solid(f"box {n}", Box((0.2,) * 3), 1.0, surface), (0.0, 0.0, 0.1 + 0.2 * n, *NO_TURN)) for n in range(10)]
    found = moved(scene(surface, LEVEL, *boxes), np.linspace(0.0, 2.0, 21), "exact")
    assert np.abs(found.trajectory.X_WL[-1] - found.trajectory.X_WL[0]).max() < 1e-7
    for n, below in enumerate(["floor", *(f"box {n}" for n in range(9))]):
        borne = sum(contact.force[2] for contact in found.contacts if contact.first == below)
        assert borne == pytest.approx((10 - n) * G, rel=1e-9)


def test_a_tumbling_box_gains_no_energy():
    """It falls on a corner, and comes to rest on a face."""
    surface = Surface(friction=0.5)
    turn = np.array([0.9, 0.1, 0.3, 0.2]) / np.linalg.norm([0.9, 0.1, 0.3, 0.2])
    box = solid("box", Box((0.2, 0.3, 0.1)), 1.0, surface), (0.0, 0.0, 0.6, *turn)
    found = moved(scene(surface, LEVEL, box), np.linspace(0.0, 3.0, 76), "good", box=(1.0, 0.0, 0.0, 3.0, 5.0, 1.0))
    energy = found.trajectory.kinetic + found.trajectory.potential
    assert np.diff(energy).max() < 1e-10 * energy[0]
    assert np.abs(velocity_of(found, "box")).max() < 1e-10
    assert pose_of(found, "box")[2] == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("dissipation", [0.0, 0.2, 1.0])
def test_a_soft_floor(dissipation):
    """Hunt and Crossley: a ball that comes with u leaves with v of ln((1 + d u) / (1 - d v)) = d (u + v)."""
    surface = Surface(stiffness=1e4, dissipation=dissipation)
    model = scene(surface, WEIGHTLESS, ball(surface, 0.01, 0.1, 0.5))
    speed = 3.0
    for link in model.links:
        link.collisions[0] = Shape(
            link.collisions[0].name,
            link.collisions[0].geometry,
            surface=Surface(stiffness=2e4, dissipation=dissipation),
        )
    found = moved(model, np.linspace(0.0, 0.2, 41), ball=(0.0, 0.0, -speed, 0.0, 0.0, 0.0))
    leaves = velocity_of(found, "ball")[2]
    if dissipation == 0.0:
        assert leaves == pytest.approx(speed, rel=1e-7)
    else:
        left = math.log((1.0 + dissipation * speed) / (1.0 - dissipation * leaves))
        assert left == pytest.approx(dissipation * (speed + leaves), rel=1e-7)
    energy = found.trajectory.kinetic + found.trajectory.potential + found.trajectory.dissipated
    assert np.ptp(energy) < 1e-6 * energy[0]


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_chain_falls_on_the_floor(accuracy):
    """Links with limits that are struck while others touch: no energy goes unaccounted for, and all comes to rest."""
    surface = Surface(friction=0.8)
    links, joints = [floor(surface)], [Joint("held", "fixed", WORLD, "floor")]
    for n in range(3):
        link = Link(f"link {n}", 1.0, com=(0.0, 0.0, -0.15), inertia=(0.0075, 0.0, 0.0, 0.0075, 0.0, 0.0008))
        link.collisions = [Shape("shape", Capsule(0.04, 0.2), (0.0, 0.0, -0.15, *NO_TURN), surface=surface)]
        links.append(link)
        if n == 0:
            joints.append(Joint("free", "free", WORLD, "link 0", X_PJ=(0.0, 0.0, 1.2, *turned("y", 0.5))))
            continue
        hinge = Joint(f"hinge {n}", "revolute", f"link {n - 1}", f"link {n}", X_PJ=(0.0, 0.0, -0.3, *NO_TURN))
        hinge.axes[0].xyz = (0.0, 1.0, 0.0) if n % 2 else (1.0, 0.0, 0.0)
        hinge.axes[0].lower, hinge.axes[0].upper, hinge.axes[0].damping = -0.8, 0.8, 0.02
        joints.append(hinge)
    model = Model("chain", links, joints)
    model.gravity = LEVEL
    found = moved(model, np.linspace(0.0, 3.0, 91), accuracy)
    trajectory = found.trajectory
    energy = trajectory.kinetic + trajectory.potential + trajectory.dissipated
    assert np.ptp(energy) < 1e-3 * CLOSE[accuracy] * energy[0]
    assert trajectory.kinetic[-1] < 1e-20
    # at draft convex steps may have it, into which a weight sinks by 0.03 mm
    assert min(contact.gap for contact in found.contacts) > (-1e-4 if accuracy == "draft" else -1e-6)


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_a_motion_goes_on_from_a_snapshot(accuracy):
    """Bit for bit, blows and all: a preview that is pulled back in time is the motion that is baked."""
    surface = Surface(friction=0.5, restitution=0.3)
    turn = np.array([0.9, 0.1, 0.3, 0.2]) / np.linalg.norm([0.9, 0.1, 0.3, 0.2])
    box = solid("box", Box((0.2, 0.3, 0.1)), 1.0, surface), (0.0, 0.0, 0.4, *turn)
    start = {"qd": {"free box": [1.0, 0.0, 0.0, 3.0, 5.0, 1.0]}}
    simulation = Simulation(scene(surface, LEVEL, box), np.linspace(0.0, 1.0, 26), accuracy, start)
    kept = None
    for frames in simulation:
        if frames == 12 and kept is None:
            kept = simulation.snapshot()
    whole, blows = simulation.trajectory.q.copy(), [impact.time for impact in simulation.impacts]
    simulation.restore(kept)
    simulation.run()
    assert simulation.trajectory.q.tobytes() == whole.tobytes()
    assert [impact.time for impact in simulation.impacts] == blows


@pytest.mark.parametrize("convex", [False, True], ids=["events", "convex"])
@pytest.mark.parametrize("slides", [-0.4, -0.1, 0.1, 0.4])
@pytest.mark.parametrize("degrees", [30.0, 45.0, 60.0])
def test_no_impact_adds_energy(degrees, slides, convex):
    """Guards Newton's law with friction: a rod that sticks with its end as it bounces leaves no faster than it came."""
    surface = Surface(friction=1e3, restitution=1.0)
    rod = solid("rod", Box((0.5, 0.02, 0.02)), 1.0, surface)
    angle = math.radians(degrees)
    height = 0.25 * math.sin(angle) + 0.01 * math.cos(angle) + 1e-3
    turn = turned("y", angle)
    model = scene(surface, (0.0, 0.0, 0.0), (rod, (0.0, 0.0, height, *turn)))
    along, down = (math.cos(angle), math.sin(angle)), (math.sin(angle), -math.cos(angle))  # in the rod's axes: x and z
    v = [slides * along[0] + 3.0 * down[0], 0.0, slides * along[1] + 3.0 * down[1], 0.0, 0.0, 0.0]
    simulation = Simulation(model, [0.0, 0.004], "good", initial={"qd": {"free rod": v}})
    if convex:
        simulation.prefer_time_stepping()
    motion = simulation.run()
    assert simulation.report.impacts > 0
    assert motion.kinetic[-1] <= motion.kinetic[0] * (1.0 + 1e-6)
    assert motion.dissipated[-1] >= -1e-6 * motion.kinetic[0]
