# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that change in time, against closed forms, momentum and the balance of energy."""

import math

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model, StateError
from limberjack.core.simulation import Controls, Schedule, Simulation, Tether
from support.models import matrix

FRAMES = np.arange(49) / 24.0
INERTIA = 0.35
MASS = 2.0


def wheel(**axis):
    """A balanced wheel on the world's z axis, without weight."""
    link = Link("rim", MASS, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, INERTIA))
    joint = Joint("hub", "revolute", WORLD, "rim", axes=[Axis(**axis)])
    return Model(links=[link], joints=[joint], gravity=(0.0, 0.0, 0.0))


def run(model, schedule=None, initial=None, times=FRAMES, **controls):
    simulation = Simulation(
        model, times, "exact", initial, controls=Controls(schedule=schedule or Schedule(), **controls)
    )
    motion = simulation.run()
    report = simulation.report
    assert report.energy_drift <= 1e-7 * max(report.energy_scale, 1e-3)
    return simulation, motion


def of_axis(joint, **fields):
    return Schedule(axes={(joint, 0): fields})


def ramp(begin, end, value):
    """0 until `begin`, `value` from `end` on, evenly in between: frames both, so that nothing is lost between them."""
    return lambda time: value * min(max((time - begin) / (end - begin), 0.0), 1.0)


def test_a_motor_starts_when_its_speed_is_scheduled():
    """Guards velocity targets: at rest before, then I dv/dt = d (u(t) - v) with u a ramp and then constant."""
    d, begin, end, speed = 1.4, FRAMES[12], FRAMES[13], 6.0
    model = wheel(drive_mode="velocity", drive_damping=d)
    _, motion = run(model, of_axis("hub", drive_target=ramp(begin, end, speed)))
    assert np.abs(motion.qd[:13]).max() == 0.0
    rate, slope, T = d / INERTIA, speed / (end - begin), end - begin
    at_end = slope * (T - (1.0 - math.exp(-rate * T)) / rate)
    wanted = speed + (at_end - speed) * np.exp(-rate * (FRAMES[13:] - end))
    assert motion.qd[13:, 0] == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("solver", ["explicit", "implicit", "adaptive"])
def test_a_drive_follows_a_target_that_moves(solver):
    """Guards that a drive brakes against its target's speed: what starts with it stays on it, stiff drives too."""
    model = wheel(drive_mode="position", drive_stiffness=4e4 if solver != "explicit" else 400.0, drive_damping=30.0)
    aim = of_axis("hub", drive_target=lambda time: 0.2 + 1.5 * time)
    controls = Controls(schedule=aim)
    start = {"q": {"hub": 0.2}, "qd": {"hub": 1.5}}
    motion = Simulation(model, FRAMES, "exact", start, solver, controls).run()
    assert motion.q[:, 0] == pytest.approx(0.2 + 1.5 * FRAMES, abs=1e-8)


def test_a_ball_follows_a_turn_about_any_axis():
    """Guards rotation vectors as targets: what turns with one of constant rate about a fixed axis stays on it."""
    axis, speed = np.array([0.6, -0.48, 0.64]), 1.2
    link = Link("bone", MASS, inertia=(0.3, 0.0, 0.0, 0.3, 0.0, 0.3))
    drive = Axis(drive_mode="position", drive_stiffness=900.0, drive_damping=40.0)
    joint = Joint("neck", "ball", WORLD, "bone", axes=[drive] * 3)
    model = Model(links=[link], joints=[joint], gravity=(0.0, 0.0, 0.0))
    axes = {
        ("neck", number): {"drive_target": lambda time, part=part: part * (0.1 + speed * time)}
        for number, part in zip(JOINT_TYPES["ball"].spring_axes, axis.tolist(), strict=True)
    }
    turned = 0.1 + speed * FRAMES
    start = {"q": {"neck": [math.cos(0.05), *(math.sin(0.05) * axis)]}, "qd": {"neck": (speed * axis).tolist()}}
    _, motion = run(model, Schedule(axes=axes), start)
    assert motion.qd == pytest.approx(np.tile(speed * axis, (len(FRAMES), 1)), abs=1e-7)
    assert np.abs(motion.q[:, 0]) == pytest.approx(np.abs(np.cos(0.5 * turned)), abs=1e-8)


def test_a_ball_comes_to_a_turn_that_moves_off_its_axis():
    """Guards what a target's rate is to a ball that stands elsewhere: the error dies away although the axis wanders."""
    link = Link("bone", MASS, inertia=(0.3, 0.0, 0.0, 0.3, 0.0, 0.3))
    drive = Axis(drive_mode="position", drive_stiffness=2e4, drive_damping=150.0)
    joint = Joint("neck", "ball", WORLD, "bone", axes=[drive] * 3)
    model = Model(links=[link], joints=[joint], gravity=(0.0, 0.0, 0.0))
    aims = (lambda time: 0.9 * math.sin(time), lambda time: 0.7 * time, lambda time: 0.5 * math.cos(time))
    axes = {("neck", n): {"drive_target": aim} for n, aim in zip(JOINT_TYPES["ball"].spring_axes, aims, strict=True)}
    _, motion = run(model, Schedule(axes=axes))
    aim = np.array([[f(time) for f in aims] for time in FRAMES])
    assert np.abs(aim[0]).max() > 0.4  # where it is far from, at first
    q = motion.q[24:] * np.sign(motion.q[24:, :1])
    angles = 2.0 * np.arccos(q[:, :1])
    found = q[:, 1:] / np.sin(0.5 * angles) * angles
    assert np.abs(found - aim[24:]).max() < 2e-4  # inertia / stiffness times an acceleration of a few rad/s^2


def test_damping_and_strength_change_in_time():
    """Guards scheduled damping: a speed dies as the exponential of the integral of a damping that grows evenly."""
    model = wheel(damping=5.0)
    _, motion = run(model, of_axis("hub", damping=lambda time: 0.2 * time), {"qd": {"hub": 3.0}})
    assert motion.qd[:, 0] == pytest.approx(3.0 * np.exp(-0.1 * FRAMES**2 / INERTIA), abs=1e-9)


def test_a_drive_that_is_limp_lets_go():
    """Guards strength 0: a spring of a drive swings its load, and from when it has none the load goes on evenly."""
    k, limp = 30.0, FRAMES[24]
    model = wheel(drive_mode="position", drive_stiffness=k)
    strength = of_axis("hub", drive_stiffness=lambda time: k if time < limp - 1e-9 else 0.0)
    _, motion = run(model, strength, {"q": {"hub": 0.4}})
    swung = 0.4 * np.cos(math.sqrt(k / INERTIA) * FRAMES[:24])
    assert motion.q[:24, 0] == pytest.approx(swung, abs=1e-8)
    assert np.ptp(motion.qd[24:, 0]) < 1e-9
    assert abs(motion.qd[-1, 0]) > 0.1


def test_an_effort_that_grows_lets_a_drive_pull_harder():
    """Guards scheduled efforts: as long as it cannot do what it wants, a drive gives all it has, and no more."""
    model = wheel(drive_mode="position", drive_stiffness=1e4, drive_damping=50.0, drive_target=50.0, effort=1.0)
    _, motion = run(model, of_axis("hub", effort=lambda time: 0.5 + 0.25 * time))
    assert motion.qd[:, 0] == pytest.approx((0.5 * FRAMES + 0.125 * FRAMES**2) / INERTIA, abs=1e-8)


def test_gravity_that_changes_is_integrated():
    """Guards keyed gravity: the speed of what falls is its integral, and its change is work, which the balance has."""
    model = Model(links=[Link("stone", MASS, (0.1, 0.0, 0.0), pose=(0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0))])
    _, motion = run(model, Schedule(gravity=lambda time: (0.5 * time, 0.0, -9.81 + 4.0 * time)))
    velocity = np.stack([0.25 * FRAMES**2, 0.0 * FRAMES, -9.81 * FRAMES + 2.0 * FRAMES**2], axis=1)
    assert motion.qd[:, :3] == pytest.approx(velocity, abs=1e-8)
    assert np.ptp(motion.supplied) > 1.0


def test_wind_takes_along_what_has_drag():
    """Guards wind: a link comes to its speed as 1 - exp(-c t), by its air's damping, and one without stays."""
    c, wind = 0.9, np.array([3.0, -1.0, 0.5])
    links = [Link("leaf", MASS, (0.2, 0.1, 0.0), linear_damping=c), Link("stone", MASS)]
    model = Model(links=links, gravity=(0.0, 0.0, 0.0), wind=tuple(wind))
    _, motion = run(model)
    assert motion.qd[:, :3] == pytest.approx(np.outer(1.0 - np.exp(-c * FRAMES), wind), abs=1e-8)
    assert np.abs(motion.qd[:, 6:]).max() == 0.0
    _, gusty = run(model, Schedule(wind=lambda time: wind * time))
    grown = FRAMES - (1.0 - np.exp(-c * FRAMES)) / c
    assert gusty.qd[:, :3] == pytest.approx(np.outer(grown, wind), abs=1e-8)


def test_a_force_acts_at_the_centre_of_mass():
    """Guards steady and scheduled forces: they move the com as F / m does, and turn nothing."""
    force = np.array([4.0, -2.0, 1.0])
    model = Model(links=[Link("box", MASS, (0.3, -0.2, 0.1), force=tuple(force))], gravity=(0.0, 0.0, 0.0))
    _, motion = run(model)
    assert motion.X_WL[:, 0, :3] == pytest.approx(np.outer(0.5 * FRAMES**2, force / MASS), abs=1e-9)
    _, motion = run(model, Schedule(links={"box": {"force": lambda time: force * time}}))
    assert motion.X_WL[:, 0, :3] == pytest.approx(np.outer(FRAMES**3 / 6.0, force / MASS), abs=1e-9)
    assert np.abs(motion.X_WL[:, 0, 4:]).max() < 1e-12


def test_a_torque_turns_about_the_centre_of_mass():
    """Guards torques: a link without weight spins up about its com, which stays where it is."""
    com = (0.3, -0.2, 0.1)
    link = Link("box", MASS, com, (INERTIA, 0, 0, INERTIA, 0, INERTIA), torque=(0.0, 0.0, 0.7))
    _, motion = run(Model(links=[link], gravity=(0.0, 0.0, 0.0)))
    assert motion.qd[:, 5] == pytest.approx(0.7 / INERTIA * FRAMES, abs=1e-9)
    coms = np.array([(matrix(tuple(pose)) @ (*com, 1.0))[:3] for pose in motion.X_WL[:, 0]])
    assert np.ptp(coms, axis=0).max() < 1e-9


@pytest.mark.parametrize("mount", [0.0, 0.8])
def test_a_force_may_turn_along(mount):
    """Guards forces in the link's own axes: a rocket that spins flies along the integral of its turning thrust.

    Also where the link is fixed to another, turned, whose body it shares.
    """
    spin, thrust = 1.7, 3.0
    half = 0.5 * mount
    hull = Link("hull", MASS, inertia=(INERTIA, 0, 0, INERTIA, 0, INERTIA))
    nozzle = Link("nozzle", 0.0, inertia=(0.0,) * 6, force=(thrust, 0.0, 0.0), force_turns_along=True)
    turned = (0.0, 0.0, 0.0, math.cos(half), 0.0, 0.0, math.sin(half))
    model = Model(
        links=[hull, nozzle], joints=[Joint("mount", "fixed", "hull", "nozzle", turned)], gravity=(0.0, 0.0, 0.0)
    )
    _, motion = run(model, initial={"qd": {"hull": [0.0, 0.0, 0.0, 0.0, 0.0, spin]}})
    a, angle = thrust / MASS, mount + spin * FRAMES
    wanted = a / spin * (np.sin(angle) - math.sin(mount))
    velocity = [(matrix(tuple(p))[:3, :3] @ v[:3])[0] for p, v in zip(motion.X_WL[:, 0], motion.qd, strict=True)]
    assert velocity == pytest.approx(wanted, abs=1e-8)


def test_a_tether_is_a_spring_to_a_place():
    """Guards tethers: a mass on one swings as a damped oscillator about where it is pulled to, until it is let go."""
    k, c, place = 50.0, 3.0, np.array([1.0, 0.5, -0.2])
    model = Model(links=[Link("puck", MASS)], gravity=(0.0, 0.0, 0.0))
    tether = Tether("puck", (0.0, 0.0, 0.0), lambda time: place if time < FRAMES[24] - 1e-9 else None, k, c)
    _, motion = run(model, tethers=[tether])
    fade, w = c / (2.0 * MASS), math.sqrt(k / MASS - (c / (2.0 * MASS)) ** 2)
    t = FRAMES[:25]
    wanted = 1.0 - np.exp(-fade * t) * (np.cos(w * t) + fade / w * np.sin(w * t))
    assert motion.X_WL[:25, 0, :3] == pytest.approx(np.outer(wanted, place), abs=1e-8)
    assert np.ptp(motion.qd[24:, :3], axis=0).max() < 1e-12


def test_a_hinge_takes_hold_of_what_flies_by():
    """Guards joints that come to act: a rod caught turns about the hinge with the momentum it had about that.

    What the jolt takes is counted as lost, and the hinge holds the rod as it was then, not as it was drawn.
    """
    length, speed, inertia = 0.9, 4.0, MASS * 0.81 / 12.0
    rod = Link("rod", MASS, (length / 2, 0.0, 0.0), (1e-3, 0.0, 0.0, inertia, 0.0, inertia))
    pin = Joint("pin", "revolute", WORLD, "rod", enabled=False)
    model = Model(links=[rod], joints=[pin], gravity=(0.0, 0.0, 0.0))
    catch = Schedule(enabled={"pin": lambda time: time > FRAMES[12] - 1e-9})
    simulation, motion = run(model, catch, {"qd": {"rod": [1.0, speed, 0.0, 0.0, 0.0, 0.0]}})
    x, y = FRAMES[12] + length / 2, speed * FRAMES[12]  # of the com as it is caught
    about_hinge = inertia + MASS * (x * x + y * y)
    turning = MASS * (x * speed - y) / about_hinge
    angles = turning * (FRAMES[12:] - FRAMES[12])
    found = 2.0 * np.arctan2(motion.X_WL[12:, 0, 6], motion.X_WL[12:, 0, 3])
    assert np.unwrap(found) == pytest.approx(angles, abs=1e-8)
    ends = np.outer(np.cos(angles), [FRAMES[12], y]) + np.outer(np.sin(angles), [-y, FRAMES[12]])
    assert motion.X_WL[12:, 0, :2] == pytest.approx(ends, abs=1e-8)
    lost = 0.5 * MASS * (1.0 + speed**2) - 0.5 * about_hinge * turning**2
    assert motion.dissipated[-1] == pytest.approx(lost, rel=1e-9)
    assert simulation.report.loop_error < 1e-9


def test_what_is_joined_in_flight_moves_on_with_all_of_its_momentum():
    """Guards catching between moving links, with another loop about, and letting go again: momentum is kept."""
    links = [Link("tug", 3.0), Link("barge", 5.0, pose=(2.0, 0.4, 0.1, 1.0, 0.0, 0.0, 0.0))]
    joints = [Joint("hook", "ball", "tug", "barge", X_PJ=(1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))]
    model = Model(links=links, joints=joints, gravity=(0.0, 0.0, 0.0))
    acts = Schedule(enabled={"hook": lambda time: FRAMES[10] - 1e-9 < time < FRAMES[30] - 1e-9})
    start = {"qd": {"tug": [0.0, 2.0, 0.0, 0.1, 0.0, 0.3], "barge": [-1.0, 0.0, 0.5, 0.0, 0.2, 0.0]}}
    _, motion = run(model, acts, start)
    momenta = []
    for poses, qd in zip(motion.X_WL, motion.qd, strict=True):
        turns = [matrix(tuple(pose))[:3, :3] for pose in poses]
        velocities = [turn @ qd[6 * i : 6 * i + 3] for i, turn in enumerate(turns)]
        spins = [turn @ qd[6 * i + 3 : 6 * i + 6] for i, turn in enumerate(turns)]
        pushes = [link.mass * v for link, v in zip(links, velocities, strict=True)]
        arms = [np.cross(pose[:3], push) for pose, push in zip(poses, pushes, strict=True)]
        momenta.append([*sum(pushes), *(sum(arms) + sum(spins))])
    assert np.ptp(np.array(momenta), axis=0).max() < 1e-8
    apart = np.linalg.norm(motion.X_WL[:, 1, :3] - motion.X_WL[:, 0, :3], axis=1)
    held = [
        matrix(tuple(tug))[:3, 3] + matrix(tuple(tug))[:3, 0] - matrix(tuple(barge))[:3, 3]
        for tug, barge in motion.X_WL[10:30]
    ]
    assert np.ptp(np.linalg.norm(held, axis=1)) < 1e-8
    assert apart[-1] > apart[30]


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_what_has_taken_hold_holds_on_through_other_changes(kind):
    """Guards grips, those of fixed joints too: another joint that lets go later moves nothing that is held."""
    far = (0.7, 0.3, -0.4, 1.0, 0.0, 0.0, 0.0)
    links = [Link("box", MASS, pose=far), Link("ball", MASS, pose=(3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))]
    joints = [Joint("grip", kind, WORLD, "box"), Joint("peg", "fixed", WORLD, "ball")]
    model = Model(links=links, joints=joints)
    acts = {"grip": lambda time: time > FRAMES[6] - 1e-9, "peg": lambda time: time < FRAMES[12] - 1e-9}
    _, motion = run(model, Schedule(enabled=acts))
    del acts["peg"]
    _, alone = run(model, Schedule(enabled=acts))
    assert motion.X_WL[:, 0] == pytest.approx(alone.X_WL[:, 0], abs=1e-9)
    held = motion.X_WL[6:, 0, :3]
    assert np.abs(np.diff(held, axis=0)).max() < (1e-9 if kind == "fixed" else 0.2)


def test_what_follows_again_follows_from_where_it_is():
    """Guards mimics whose leader was off for a while: nothing jumps when it comes back, and the ratio holds on."""
    arms = [Link(name, MASS, (0.2, 0.0, 0.0), (0.1, 0, 0, 0.1, 0, 0.1)) for name in ("one", "two")]
    about = Axis(xyz=(0.0, 1.0, 0.0))
    joints = [
        Joint("first", "revolute", WORLD, "one", axes=[about]),
        Joint("second", "revolute", WORLD, "two", axes=[about], mimic=Mimic("first", multiplier=2.0)),
    ]
    model = Model(links=arms, joints=joints)
    off = {*range(8, 20), *range(30, 40)}  # twice: what it came to follow with is not what it follows with next
    acts = Schedule(enabled={"first": lambda time: round(24.0 * time) not in off})
    _, motion = run(model, acts)
    turns = np.unwrap(2.0 * np.arctan2(motion.X_WL[:, 1, 5], motion.X_WL[:, 1, 3]))
    assert np.abs(np.diff(turns)).max() < 0.6
    first, second = (motion.q[:, motion.q_names.index((name, "rad"))] for name in ("first", "second"))
    assert second[:8] == pytest.approx(2.0 * first[:8], abs=1e-9)
    apart = second - 2.0 * first
    assert max(np.ptp(apart[20:30]), np.ptp(apart[40:])) < 1e-9
    assert min(abs(apart[20]), abs(apart[40] - apart[20])) > 0.1


def test_numbers_that_stay_change_nothing():
    """Guards that a schedule of a model's own numbers moves it as the model alone moves."""
    model = wheel(drive_mode="position", drive_stiffness=20.0, drive_damping=0.5, drive_target=0.7, effort=3.0)
    _, plain = run(model)
    fields = {"drive_target": 0.7, "drive_stiffness": 20.0, "drive_damping": 0.5, "effort": 3.0}
    given = {name: lambda _, value=value: value for name, value in fields.items()}
    _, scheduled = run(model, of_axis("hub", **given))
    assert scheduled.q == pytest.approx(plain.q, abs=1e-10)


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (of_axis("hob", drive_target=float), "no joint 'hob'"),
        (of_axis("hub", colour=float), "'colour' cannot change in time; allowed are drive_target"),
        (Schedule(axes={("hub", 3): {"effort": float}}), "has 1 axes, counted from 0; found 3"),
        (of_axis("hub", drive_target=lambda _: math.nan), "the drive target of joint 'hub' takes 1 finite number"),
        (Schedule(gravity=lambda _: (0.0, 1.0)), "gravity takes 3 finite number"),
        (Schedule(links={"rom": {"force": float}}), "no link 'rom' can be scheduled; there are: rim"),
    ],
)
def test_what_a_schedule_cannot_say_is_told(schedule, words):
    """Guards errors: which name or number is wrong, and what is allowed."""
    with pytest.raises(StateError, match=words):
        Simulation(wheel(drive_mode="position"), FRAMES, controls=Controls(schedule=schedule)).run()
