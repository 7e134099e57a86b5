# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines with loops touch what lies in their way: loops stay closed, energy is kept, and blows are as truth has them.

The truth is each machine's own geometry, from which its inertia against a blow follows without core's dynamics.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link
from limberjack.core.simulation import Controls, Simulation
from support import cars
from support.cars import RADIUS
from support.linkages import upright_four_bar
from support.mechanisms import stewart
from support.touching import LEVEL, NO_TURN, G, floor, pose_of, solid, turned

CLOSE = {"good": 1e-6, "exact": 1e-9}


def run(model, times, accuracy="good", start=None, controls=None):
    found = Simulation(model, times, accuracy, start, controls=controls)
    found.run()
    return found


def require_sound(found, tolerance=1e-6):
    """Loops are closed at every frame, and no energy comes or goes unaccounted for."""
    assert found.trajectory.loop_error.max() <= 1e-9
    assert found.report.relative_drift <= tolerance


# ---- a Stewart platform

HEIGHT, THICK = 1.2, 0.1
TUBE, ROD, PLATFORM, BALL = 0.6, 0.4, 8.0, 0.5
ACROSS = 0.02
"""kg m^2: of a tube and of a rod, across the leg."""
BALL_RADIUS = 0.1


def platform(surface, **slide):
    """On six legs, with a ball above its middle; a tube has its mass at its foot's joint, a rod at its head's."""
    model = stewart("universal")
    model.gravity = LEVEL
    for link in model.links:
        link.mass, link.inertia = (TUBE if "tube" in link.name else ROD), (ACROSS, 0.0, 0.0, ACROSS, 0.0, 1e-3)
    top = model.link("platform")
    top.mass, top.inertia = PLATFORM, (1.0, 0.0, 0.0, 1.0, 0.0, 1.5)
    top.collisions = [Shape("top", Box((1.6, 1.6, THICK)), surface=surface)]
    for joint in model.joints:
        if joint.type == "prismatic":
            for name, value in slide.items():
                setattr(joint.axes[0], name, value)
    return model


def with_ball(model, surface, x=0.0, gap=0.0):
    model.links.append(solid("ball", Sphere(BALL_RADIUS), BALL, surface))
    at = (x, 0.0, HEIGHT + THICK / 2.0 + BALL_RADIUS + gap, *NO_TURN)
    model.joints.append(Joint("free ball", "free", WORLD, "ball", X_PJ=at))
    return model


def legs(model):
    """(foot, head) of each, as drawn [m]."""
    return [tuple(np.array(model.link(f"{part}{i}").pose[:3]) for part in ("tube", "rod")) for i in range(6)]


def heave_mass(model):
    """What a push from above moves, by the energy of a unit of heave: legs get longer, and turn about their feet."""
    total = PLATFORM
    for foot, head in legs(model):
        length = np.linalg.norm(head - foot)
        stretch = (head - foot)[2] / length
        turn2 = (1.0 - stretch * stretch) / length**2
        total += ROD * stretch**2 + (ACROSS + ROD * length**2 + ACROSS) * turn2
    return total


def shifted(model, way):
    """Controls that shift the platform by way(time) [m]: its legs are as long as that takes."""

    def slide(i):
        foot, head = legs(model)[i]
        rest = np.linalg.norm(head - foot)
        return lambda time: float(np.linalg.norm(head + way(time) - foot) - rest)

    return Controls(joints={f"slide{i}": slide(i) for i in range(6)})


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_ball_bounces_on_locked_legs(accuracy):
    """A platform that loops hold still is a floor: bounces come when they come on a floor, and leave e of the speed."""
    surface = Surface(restitution=0.7)
    model = with_ball(platform(surface, locked=True), surface, 0.2, gap=0.3)
    found = run(model, np.linspace(0.0, 1.5, 31), accuracy)
    require_sound(found)
    first = math.sqrt(2.0 * 0.3 / G)
    expected = [first * (1.0 + 2.0 * sum(0.7**k for k in range(1, n + 1))) for n in range(4)]
    assert [impact.time for impact in found.impacts[:4]] == pytest.approx(expected, rel=CLOSE[accuracy])
    assert found.impacts[0].impulse[2] == pytest.approx(BALL * 1.7 * G * first, rel=CLOSE[accuracy])


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_ball_strikes_sprung_legs(accuracy):
    """A platform at rest on its springs is struck: the impulse is (1 + e) v over 1 / m + 1 / what heaves."""
    surface = Surface(restitution=0.5)
    bare = platform(surface)
    model = with_ball(platform(surface, spring_stiffness=3000.0, damping=50.0), surface, gap=0.2)
    for joint, (foot, head) in zip([j for j in model.joints if j.type == "prismatic"], legs(bare), strict=True):
        joint.axes[0].spring_reference = sag(bare, foot, head) / 3000.0
    found = run(model, np.linspace(0.0, 1.0, 41), accuracy)
    require_sound(found)
    speed, mass = math.sqrt(2.0 * G * 0.2), heave_mass(model)
    blow = found.impacts[0]
    assert blow.time == pytest.approx(speed / G, rel=CLOSE[accuracy])
    assert blow.impulse[2] == pytest.approx(1.5 * speed / (1.0 / BALL + 1.0 / mass), rel=CLOSE[accuracy])


def sag(model, foot, head):
    """The force along a leg that bears the platform, by virtual work of a heave [N]."""
    length = np.linalg.norm(head - foot)
    way = (head - foot)[2] / length  # of the slide, for a unit of heave
    return G * (PLATFORM / 6.0 + ROD) / way


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_ball_on_a_heaving_platform(accuracy):
    """It presses with m (g + a) of the platform's a, and is thrown where that turns negative."""
    surface = Surface()
    model = with_ball(platform(surface), surface)
    swing, w = 0.1, 12.0
    times = np.linspace(0.0, 0.24, 25)
    heave = shifted(model, lambda t: (0.0, 0.0, swing * (1.0 - math.cos(w * t))))
    simulation = Simulation(model, times, accuracy, controls=heave)
    pressed = []
    for _ in simulation:
        pressed.append(sum(contact.force[2] for contact in simulation.contacts))
    require_sound(simulation)
    lets_go = math.acos(-G / (swing * w * w)) / w
    expected = [BALL * (G + swing * w * w * math.cos(w * t)) if t < lets_go else 0.0 for t in times]
    # the first frame's acceleration is that of a window of 1 ms, where a rounding of the cosine counts so much
    assert pressed == pytest.approx(expected, rel=max(CLOSE[accuracy], 1e-8), abs=1e-9)


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_ball_rolls_on_a_platform_that_sways(accuracy):
    """It goes 2/7 of the platform's way, as friction turns it."""
    surface = Surface(friction=0.8)
    model = with_ball(platform(surface), surface)
    swing, w = 0.1, 6.0
    sway = shifted(model, lambda t: (swing * (1.0 - math.cos(w * t)), 0.0, 0.0))
    times = np.linspace(0.0, 1.0, 41)
    found = run(model, times, accuracy, controls=sway)
    require_sound(found)
    for frame, time in enumerate(times):
        way = swing * (1.0 - math.cos(w * time))
        assert pose_of(found, "platform", frame)[:3] == pytest.approx((way, 0.0, HEIGHT), abs=CLOSE[accuracy])
        assert pose_of(found, "ball", frame)[0] == pytest.approx(2.0 / 7.0 * way, abs=CLOSE[accuracy])


def test_a_ball_rolls_about_on_soft_legs():
    """Dropped off the middle it tilts the platform, rolls, and falls off its edge to the floor: energy is kept."""
    surface = Surface(friction=0.5, restitution=0.3)
    model = with_ball(platform(surface, spring_stiffness=2000.0, damping=30.0), surface, 0.3, gap=0.3)
    bare = platform(surface)
    for joint, (foot, head) in zip([j for j in model.joints if j.type == "prismatic"], legs(bare), strict=True):
        joint.axes[0].spring_reference = sag(bare, foot, head) / 2000.0
    model.links.append(floor(Surface()))
    model.joints.append(Joint("held", "fixed", WORLD, "floor", X_PJ=(0.0, 0.0, -0.2, *NO_TURN)))
    found = run(model, np.linspace(0.0, 4.0, 97), "good", {"qd": {"free ball": [0.3, 0.1, 0.0, 0.0, 0.0, 0.0]}})
    require_sound(found)
    assert pose_of(found, "ball")[2] == pytest.approx(BALL_RADIUS - 0.2, abs=1e-6)


# ---- a four-bar linkage and a stop

CRANK, COUPLER, ROCKER, BASE = 1.0, math.hypot(2.0, 0.5), 1.5, 2.0
BEND = math.atan2(0.5, 2.0)
"""rad: of the coupler as drawn, against x."""


def bars(turn):
    """(angles of crank, coupler and rocker, and how they change with the crank's) from where they are drawn [rad].

    The pin between coupler and rocker is where two circles meet; its rate is Newton's, by both circles' equations.
    """
    pin = np.array([-CRANK * math.sin(turn), CRANK * math.cos(turn)])
    way = np.array([BASE, 0.0]) - pin
    apart = math.hypot(*way)
    along = (COUPLER**2 - ROCKER**2 + apart**2) / (2.0 * apart)
    up = math.sqrt(COUPLER**2 - along**2)
    end = pin + (along * way + up * np.array([-way[1], way[0]])) / apart
    one, other = end - pin, end - (BASE, 0.0)
    rate = -np.array([pin[1], -pin[0]])
    rates = np.linalg.solve(
        np.array([[-one[1], other[1]], [one[0], -other[0]]]),
        -rate,
    )
    coupler = math.atan2(one[1], one[0]) - BEND
    rocker = math.atan2(other[1], other[0]) - math.pi / 2.0
    return np.array([turn, coupler, rocker]), np.array([1.0, *rates])


MASSES, INERTIAS = (1.0, 2.3, 1.6), (0.09, 0.8, 0.3)
"""As `upright_four_bar` has them."""


def middles(turn):
    """Of the bars' masses, and how they move as the crank turns [m, m/rad]."""
    angles, rates = bars(turn)
    pin = np.array([-CRANK * math.sin(turn), CRANK * math.cos(turn)])
    spun = [np.array([-math.sin(a), math.cos(a)]) for a in angles]
    along = [np.array([math.cos(a), math.sin(a)]) for a in angles]
    places = [0.5 * spun[0], pin + along[1] + 0.25 * spun[1], np.array([BASE, 0.0]) + 0.75 * spun[2]]
    ways = [-0.5 * along[0], -along[0] + rates[1] * (spun[1] - 0.25 * along[1]), -0.75 * rates[2] * along[2]]
    return places, ways


def reduced_inertia(turn):
    """Of the whole linkage, about the crank's pivot [kg m^2]."""
    _, rates = bars(turn)
    return sum(
        inertia * rate**2 + mass * way @ way
        for inertia, rate, mass, way in zip(INERTIAS, rates, MASSES, middles(turn)[1], strict=True)
    )


SET_OFF = -2.0
"""The crank's speed as drawn [rad/s]."""


def lifted(turn):
    """Potential energy [J]."""
    return sum(G * mass * place[1] for mass, place in zip(MASSES, middles(turn)[0], strict=True))


def crank_speed(turn):
    """With which it comes to an angle, by energy [rad/s]."""
    begun = 0.5 * reduced_inertia(0.0) * SET_OFF**2 + lifted(0.0)
    return math.sqrt(2.0 * (begun - lifted(turn)) / reduced_inertia(turn))


KNOB, ARM, STOP = 0.05, 1.2, -0.25
"""Radius of a knob on the rocker, how far it is from the pivot [m], and where the rocker meets a stop [rad]."""


def four_bar_with_stop(surface):
    model = upright_four_bar()
    model.link("rocker").collisions = [Shape("knob", Sphere(KNOB), (BASE, ARM, 0.0, *NO_TURN), surface=surface)]
    block = Link("block", collisions=[Shape("block", Box((0.4, 0.4, 0.4)), surface=surface)])
    model.links.append(block)
    way = np.array([math.cos(STOP), math.sin(STOP)])  # of the knob, as it strikes
    x, y = (BASE, 0.0) + ARM * np.array([-math.sin(STOP), math.cos(STOP)]) + (KNOB + 0.2) * way
    model.joints.append(Joint("held", "fixed", WORLD, "block", X_PJ=(x, y, 0.0, *turned("z", STOP))))
    return model


@pytest.mark.parametrize("accuracy", ["good", "exact"])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_four_bar_strikes_a_stop(restitution, accuracy):
    """Time, impulse, loss, and the force with which it leans there: by energy and inertia of its one freedom."""
    model = four_bar_with_stop(Surface(friction=0.0, restitution=restitution))
    turn = brentq(lambda angle: bars(angle)[0][2] - STOP, -0.8, 0.0, xtol=1e-14)
    reach = ARM * abs(bars(turn)[1][2])  # how far the knob moves for a unit of the crank
    found = run(model, np.linspace(0.0, 3.0, 61), accuracy, {"qd": {"crank_pivot": SET_OFF}})
    require_sound(found)
    blow = found.impacts[0]
    assert blow.time == pytest.approx(quad(lambda angle: 1.0 / crank_speed(angle), turn, 0.0)[0], rel=CLOSE[accuracy])
    struck = (1.0 + restitution) * reduced_inertia(turn) * crank_speed(turn) / reach
    assert np.linalg.norm(blow.impulse) == pytest.approx(struck, rel=CLOSE[accuracy])
    lost = 0.5 * (1.0 - restitution**2) * reduced_inertia(turn) * crank_speed(turn) ** 2
    struck_at = int(np.searchsorted(found.trajectory.times, blow.time))
    assert found.trajectory.dissipated[struck_at] == pytest.approx(lost, rel=CLOSE[accuracy])
    if restitution == 0.0:  # it leans on the stop
        assert len(found.impacts) == 1
        slope = (lifted(turn + 1e-5) - lifted(turn - 1e-5)) / 2e-5
        assert np.linalg.norm(found.contacts[0].force) == pytest.approx(slope / reach, rel=1e-8)


# ---- a car and a bump

BUMP, AT, SPEED = 0.06, 1.6, 2.0
NEAR = math.sqrt((RADIUS + BUMP) ** 2 - RADIUS**2)
"""How far ahead of a hub a bump is as the wheel meets it [m]."""


def blow_of_bump(on_arms):
    """The impulse of the bump on the front wheels, which stick there; the rear ones stick to the floor or leave it."""
    M, before = cars.plane_inertia(on_arms), np.zeros(7)
    before[[0, 5, 6]] = SPEED, SPEED / RADIUS, SPEED / RADIUS
    normal = np.array([-NEAR, RADIUS]) / (RADIUS + BUMP)
    for rear_sticks in (True, False):
        J = cars.tyre_rates(0, normal)
        if rear_sticks:
            J = np.vstack([J, cars.tyre_rates(1, (0.0, 1.0))])
        impulse = np.linalg.solve(J @ np.linalg.solve(M, J.T), -J @ before)
        after = before + np.linalg.solve(M, J.T @ impulse)
        if not rear_sticks or impulse[3] > abs(impulse[2]):
            break
    assert (cars.tyre_rates(0, (0.0, 1.0)) @ after)[1] > 0.0  # the front wheels leave the floor
    assert (cars.tyre_rates(1, (0.0, 1.0)) @ after)[1] > -1e-12
    along = normal @ impulse[:2]
    assert np.linalg.norm(impulse[:2] - along * normal) < along  # friction of 1 suffices
    return impulse[:2]


@pytest.mark.parametrize("accuracy", ["good", "exact"])
@pytest.mark.parametrize("on_arms", [False, True])
def test_a_car_drives_over_a_bump(on_arms, accuracy):
    """Its blow is that of the car's inertia, the wheels roll over it, and in the end its springs bear it as before."""
    model = cars.car(Surface(), BUMP, AT, on_arms)
    found = Simulation(model, np.linspace(0.0, 3.0, 151), accuracy, cars.rolling(SPEED))
    over = set()
    for _ in found:
        for contact in found.contacts:
            if contact.normal[0] != 0.0:
                hub = pose_of(found, contact.second)[[0, 2]]
                assert math.dist(hub, (AT, 0.0)) == pytest.approx(RADIUS + BUMP, abs=1e-7)
                over.add(contact.second)
    require_sound(found)
    blow = [impact for impact in found.impacts if impact.normal[0] != 0.0 and "front" in impact.second][:2]
    assert [impact.time for impact in blow] == pytest.approx(
        [(AT - cars.REACH - NEAR) / SPEED] * 2, rel=CLOSE[accuracy]
    )
    assert sum(impact.impulse for impact in blow)[[0, 2]] == pytest.approx(blow_of_bump(on_arms), rel=CLOSE[accuracy])
    assert over == {f"{name} wheel" for name in cars.CORNERS}
    assert pose_of(found, "rear left wheel")[0] > AT + 0.2
    weight = (cars.CHASSIS + 4.0 * (cars.UPRIGHT + cars.WHEEL + (2.0 * cars.ARM if on_arms else 0.0))) * G
    assert sum(contact.force[2] for contact in found.contacts) == pytest.approx(weight, rel=1e-2)
