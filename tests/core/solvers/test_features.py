# SPDX-License-Identifier: GPL-3.0-or-later
"""Each cell of docs/features.md: a joint of every type does what is asked of it, in a tree and in a loop.

The motion of one coordinate is known in closed form with the feature, and without it.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Coupling, Joint, Link, Mimic
from limberjack.core.model.screws import joint_pose
from limberjack.core.simulation import Controls, Forces, Simulation
from limberjack.core.spatial import compose, inverse, quat_of_rotvec, quat_rotate
from support.documents import load
from support.featured import NAME, X_CJ, X_PJ, bare, probe
from support.struck import ALONG, BALL, struck

make_features = load("make_features")

TIMES = np.linspace(0.0, 1.0, 51)
ROOM = 0.2
"""From the start to a limit [rad or m]."""

tested = set()


def cells(*names):
    """One test for each type, axis and form to which any of these features applies: the last axis of each unit.

    Kernels know columns, charts and rows, and no types. So every run tries what differs for them, and `make test-all`
    all types.
    """
    tested.update(names)
    found, seen = {}, set()
    for feature in (feature for feature in make_features.FEATURES if feature.name in names):
        for kind in JOINT_TYPES.values():
            joint = bare(kind.name)
            numbers = make_features.axes_for(feature, joint)
            chosen = {number if number is None else joint.axis_unit(number): number for number in numbers}
            for number in chosen.values():
                part = "" if number is None else f"-{joint.kind.slot(number).name or 'axis'}"
                for form in make_features.forms(kind):
                    alike = seen_by_kernels(joint, number, form)
                    marks = [pytest.mark.slow] * (alike in seen)
                    found[f"{kind.name}{part}-{form}"] = pytest.param(kind.name, number, form, marks=marks)
                    seen.add(alike)
    return pytest.mark.parametrize(("kind", "number", "form"), found.values(), ids=found)


def seen_by_kernels(joint, number, form):
    """What an axis is to kernels: the kinds of its columns, in which chart, with which rows, in a tree or a loop."""
    kind = joint.kind
    columns = {
        (column.slide != 0.0, column.turn != 0.0, column.threaded)
        for column in joint.all_columns
        if number is None or column.axis == number
    }
    rows = {row.code for row in kind.limited_quantities if number is None or row.axis == number}
    return frozenset(columns), kind.chart and kind.chart.code, frozenset(rows), form


STOPS = cells("rigid_limits", "compliant_limits", "distance_limits", "cone_limits", "twist_limits")


def stopped(kind, number, form, **stops):
    """(sign, probe with a limit on that side) of each side that the axis can be limited on."""
    one = probe(kind, form, number)
    for name, sign in (("lower", -1.0), ("upper", 1.0)):
        if name in one.joint.kind.slot(number).fields:
            yield sign, one.having(**{name: one.start + sign * ROOM}, **stops)


def close(found, wanted, within=1e-6):
    assert np.abs(np.asarray(found) - wanted).max() < within


def balance(motion):
    """The energy that nothing accounts for, shape (F,)."""
    total = motion.kinetic + motion.potential + motion.dissipated - motion.supplied
    return total - total[0]


# ---- limits


@STOPS
def test_a_rigid_stop_returns_the_speed_that_its_restitution_says(kind, number, form):
    """v+ = -restitution v-, at the limit and not beyond; without a limit the value goes on as it went."""
    close(probe(kind, form, number).run(TIMES, 0.5).dissipated, 0.0, 1e-9)
    for sign, one in stopped(kind, number, form, stiffness=math.inf, restitution=0.5):
        motion = one.run(TIMES, 0.5 * sign)
        away = sign * (one.value(motion) - one.start)
        assert away.max() < ROOM + 1e-6
        after = TIMES - ROOM / 0.5
        close(away, np.where(after < 0.0, 0.5 * TIMES, ROOM - 0.25 * after))
        close(one.rate(motion)[-1], -0.25 * sign)
        close(motion.dissipated[-1], 0.5 * one.inertia * (0.5**2 - 0.25**2))


@STOPS
def test_a_rigid_stop_without_restitution_holds_what_is_pushed_against_it(kind, number, form):
    """It rests at the limit, and leaves as soon as it is pulled away."""
    for sign, one in stopped(kind, number, form, stiffness=math.inf, restitution=0.0):
        motion = one.run(TIMES, sign, push=sign * one.inertia)
        away = sign * (one.value(motion) - one.start)
        late = TIMES > 0.3
        assert away.max() < ROOM + 1e-6
        close(away[late], ROOM)
        close(one.rate(motion)[late], 0.0)
        back = one.run(TIMES, sign, push=-sign * one.inertia)
        hit = 1.0 - math.sqrt(1.0 - 2.0 * ROOM)
        close(sign * one.value(back)[-1] - sign * one.start, ROOM - 0.5 * (1.0 - hit) ** 2)


@STOPS
def test_an_undamped_compliant_stop_gives_the_speed_back(kind, number, form):
    """As deep as stiffness depth^2 = inertia speed^2, for half a period of that oscillator."""
    fine = np.linspace(0.0, 1.0, 1001)
    for sign, one in stopped(kind, number, form, dissipation=0.0):
        rate = 20.0
        one = one.having(stiffness=one.inertia * rate**2)
        motion = one.run(fine, 0.5 * sign)
        away = sign * (one.value(motion) - one.start)
        close(away.max(), ROOM + 0.5 / rate, 1e-4)
        close(one.rate(motion)[-1], -0.5 * sign)
        close(away[-1], ROOM - 0.5 * (1.0 - 0.4 - math.pi / rate))


@STOPS
def test_a_compliant_stop_dissipates_as_hunt_and_crossley_have_it(kind, number, form):
    """stiffness depth (1 + c rate) makes v/c - ln(1 + c v)/c^2 the same going in and coming out."""
    c, speed = 0.8, 0.5

    def kept(v):
        return v / c - math.log1p(c * v) / c**2

    low, high = -speed, 0.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if kept(middle) > kept(speed) else (low, middle)
    for sign, one in stopped(kind, number, form, dissipation=c):
        one = one.having(stiffness=400.0 * one.inertia)
        motion = one.run(TIMES, speed * sign)
        close(one.rate(motion)[-1], low * sign)
        close(motion.dissipated[-1], 0.5 * one.inertia * (speed**2 - low**2))


# ---- speeds and losses


@cells("velocity_limit")
def test_a_velocity_limit_holds_the_largest_speed(kind, number, form):
    """Pushed from rest, it reaches the limit as if there were none, and keeps it."""
    for sign in (-1.0, 1.0):
        one = probe(kind, form, number).having(velocity=0.5)
        motion = one.run(TIMES, push=sign * one.inertia)
        assert np.abs(one.rate(motion)).max() < 0.5 + 1e-9
        close(one.rate(motion), sign * np.minimum(TIMES, 0.5))
        close(one.value(motion)[-1] - one.start, sign * 0.375)


@cells("friction")
def test_friction_brakes_by_a_constant_force_and_then_sticks(kind, number, form):
    """It stops after speed^2 inertia / (2 friction), having lost all; less force than friction does not move it."""
    one = probe(kind, form, number)
    one = one.having(friction=0.4 * one.inertia)
    for sign in (-1.0, 1.0):
        motion = one.run(TIMES, 0.2 * sign)
        t = np.minimum(TIMES, 0.5)
        close(one.value(motion), one.start + sign * (0.2 * t - 0.2 * t**2))
        close(one.rate(motion)[TIMES > 0.51], 0.0, 1e-9)
        close(motion.dissipated[-1], 0.5 * one.inertia * 0.2**2)
        close(one.value(one.run(TIMES, push=sign * 0.36 * one.inertia)), one.start, 1e-9)
        close(one.value(one.run(TIMES, push=sign * 0.6 * one.inertia))[-1], one.start + sign * 0.1)


@cells("damping")
def test_damping_brakes_in_proportion_to_the_speed(kind, number, form):
    one = probe(kind, form, number)
    one = one.having(damping=one.inertia)
    motion = one.run(TIMES, 0.3)
    close(one.rate(motion), 0.3 * np.exp(-TIMES))
    close(motion.dissipated, 0.5 * one.inertia * 0.3**2 * (1.0 - np.exp(-2.0 * TIMES)))


@cells("armature")
def test_armature_adds_to_the_inertia(kind, number, form):
    one = probe(kind, form, number)
    one = one.having(armature=one.inertia)
    close(one.rate(one.run(TIMES, push=one.inertia)), 0.5 * TIMES)


# ---- springs and drives


@cells("spring")
def test_a_spring_swings_about_its_reference(kind, number, form):
    one = probe(kind, form, number)
    has_reference = "spring_reference" in one.joint.kind.slot(number).fields
    reference = one.start + 0.2 if has_reference else 0.0
    one = one.having(spring_stiffness=9.0 * one.inertia, **({"spring_reference": reference} if has_reference else {}))
    motion = one.run(TIMES, 0.3)
    close(one.value(motion), reference + (one.start - reference) * np.cos(3.0 * TIMES) + 0.1 * np.sin(3.0 * TIMES))


@cells("position_drive")
def test_a_position_drive_comes_to_its_target_as_a_critically_damped_spring(kind, number, form):
    one = probe(kind, form, number)
    goal = one.start + 0.4
    one = one.having(
        drive_mode="position", drive_stiffness=36.0 * one.inertia, drive_damping=12.0 * one.inertia, drive_target=goal
    )
    times = np.linspace(0.0, 4.0, 51)
    motion = one.run(times)
    close(one.value(motion), goal - 0.4 * (1.0 + 6.0 * times) * np.exp(-6.0 * times))
    close(balance(motion), 0.0)


@cells("velocity_drive")
def test_a_velocity_drive_comes_to_its_speed(kind, number, form):
    one = probe(kind, form, number)
    one = one.having(drive_mode="velocity", drive_damping=5.0 * one.inertia, drive_target=-0.4)
    close(one.rate(one.run(TIMES)), -0.4 * (1.0 - np.exp(-5.0 * TIMES)))


@cells("force_drive")
def test_a_force_drive_pushes(kind, number, form):
    one = probe(kind, form, number)
    one = one.having(drive_mode="force", drive_target=0.5 * one.inertia)
    motion = one.run(TIMES)
    close(one.rate(motion), 0.5 * TIMES)
    close(balance(motion), 0.0)


@cells("effort_limit")
@pytest.mark.parametrize(
    ("mode", "stiffness", "damping", "target"),
    [("position", 1e4, 0.0, 2.0), ("velocity", 0.0, 50.0, 2.0), ("force", 0.0, 0.0, 5.0)],
)
def test_an_effort_limit_bounds_what_a_drive_gives(kind, number, form, mode, stiffness, damping, target):
    """However much each drive asks for, it accelerates by effort / inertia."""
    one = probe(kind, form, number)
    for sign in (-1.0, 1.0):
        aim = sign * target * (one.inertia if mode == "force" else 1.0)
        limited = one.having(
            drive_mode=mode,
            drive_stiffness=stiffness * one.inertia,
            drive_damping=damping * one.inertia,
            drive_target=aim,
            effort=0.5 * one.inertia,
        )
        close(limited.rate(limited.run(TIMES)), sign * 0.5 * TIMES)


# ---- what holds a coordinate or leads it


@cells("coupling")
@pytest.mark.parametrize("how", ["mimic", "gear"])
def test_what_is_coupled_moves_along_and_weighs(kind, number, form, how):
    """It goes half as far as a hinge whose inertia, seen from here, counts four times."""
    one = probe(kind, form, number)
    one.model.links.append(Link("wheel", inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1)))
    one.model.joints.append(Joint("leader", "revolute", WORLD, "wheel"))
    if how == "mimic":
        one.joint.mimic = Mimic("leader", multiplier=0.5, axis=number)
    else:
        one.model.couplings.append(Coupling("gear", "gear", [("leader", 0), (NAME, number)], ratio=0.5))
    motion = one.run(TIMES, push=one.inertia + 0.4)
    close(one.value(motion), one.start + 0.5 * TIMES**2)
    close(motion.q[:, [name for name, _ in motion.q_names].index("leader")], TIMES**2)


@cells("locked")
def test_a_lock_takes_the_coordinate_away(kind, number, form):
    """The link does not give to a push along the axis, as it does without the lock."""
    one = probe(kind, form, number)
    column = next(column for column in one.joint.all_columns if column.axis == number)
    along = np.array(quat_rotate(X_PJ[3:], one.joint.unit_direction(number)))
    wrench = np.concatenate([along * (column.slide != 0.0 or column.threaded), along * column.turn])
    controls = Controls(forces=lambda _: Forces(links={"link": wrench}))
    moved = []
    for model in (one.model, one.having(locked=True).model):
        X_WL = Simulation(model, TIMES, controls=controls).run().X_WL[:, model.links.index(model.link("link"))]
        moved.append(np.abs(X_WL - X_WL[0]).max())
    assert one.having(locked=True).joint.nv == one.joint.nv - 1
    assert moved[0] > 1e-2
    assert moved[1] < 1e-9


@cells("prescribed")
def test_a_joint_can_be_led(kind, number, form):
    one = probe(kind, form)
    joint = one.joint

    def path(time):
        waves = 0.2 * np.sin(2.0 * time + np.arange(6.0)) - 0.2 * np.sin(np.arange(6.0))
        if not joint.kind.chart:
            return waves[: joint.nq]
        place = np.array([0.3, 0.1, 0.5]) + waves[:3]
        return np.array([*place[: joint.nq - 4], *quat_of_rotvec(tuple(waves[3:].tolist()))])

    motion = Simulation(one.model, TIMES, controls=Controls(joints={NAME: path})).run()
    for time, X_WL in zip(TIMES, motion.X_WL[:, 0], strict=True):
        wanted = compose(compose(X_PJ, joint_pose(joint, path(time).tolist())), inverse(X_CJ))
        close(X_WL[:3], wanted[:3])
        close(abs(np.dot(X_WL[3:], wanted[3:])), 1.0)


def braked(kind, form, **settings):
    """Under gravity, with whatever damping the type can have; a `fixed` joint and the like hold anyway."""
    one = probe(kind, form, **settings)
    one.model.gravity = (0.0, 0.0, -9.81)
    for i, axis in enumerate(one.joint.axes[: one.joint.axis_count]):
        if "damping" in one.joint.kind.slot(i).fields:
            one.joint.axes[i] = replace(axis, damping=5.0)
    if one.joint.kind.limited_quantities and one.joint.nq == 7:
        one.joint.home = (0.1, 0.2, 0.5, 1.0, 0.0, 0.0, 0.0)
    return one


def places(model):
    """Of the link's centre, shape (F, 3)."""
    return Simulation(model, TIMES, "exact").run().X_WL[:, 0, :3]


@cells("release")
def test_a_disabled_joint_does_nothing(kind, number, form):
    """The link falls freely, as it does not while the joint acts."""
    fall = np.outer(TIMES**2, (0.0, 0.0, -0.5 * 9.81))
    held, found = places(braked(kind, form).model), places(braked(kind, form, enabled=False).model)
    assert np.abs(held - held[0] - fall).max() > 1e-2
    close(found - found[0], fall)


@cells("release")
def test_a_released_joint_acts_until_then(kind, number, form):
    """As if nothing were to come until 0.3 s, and then the link flies."""
    held, found = places(braked(kind, form).model), places(braked(kind, form, released_at=0.3).model)
    until = TIMES < 0.3 + 1e-9
    close(found[until], held[until])
    fall = np.diff(found[~until], 2, axis=0) / (TIMES[1] - TIMES[0]) ** 2
    close(fall, (0.0, 0.0, -9.81), 1e-5)


@cells("breaking")
def test_a_joint_breaks_under_what_it_carries(kind, number, form):
    """The link falls freely, soon after the start, if the joint bears nothing, and not if it bears anything."""
    for strength in ("break_force", "break_torque"):
        held, strong = (places(braked(kind, form, **{strength: load}).model) for load in (math.inf, 1e9))
        close(strong, held, 1e-5)
    weak = places(braked(kind, form, break_force=1e-6).model)[1:]
    close(np.diff(weak, 2, axis=0) / (TIMES[1] - TIMES[0]) ** 2, (0.0, 0.0, -9.81), 1e-5)


@cells("contact")
def test_what_strikes_a_link_feels_how_its_joint_lets_it_move(kind, number, form):
    """The ball leaves by the momentum balance of its own mass and the one that the link has along the blow."""
    speed, gap, given = 2.0, 0.01, 0.6
    one = struck(kind, form, gap, restitution=given)
    run = one.run([0.0, gap / speed + 1e-3], speed)
    motion, impulse = run.trajectory, (1.0 + given) * speed * one.mass
    assert len(motion.impacts) == 1
    close(motion.impacts.time, gap / speed, 1e-9)
    close(motion.impacts.point, one.place)
    close(np.abs(motion.impacts.impulse), impulse * np.abs(ALONG))
    ball = [place for place, (name, _) in enumerate(motion.qd_names) if name.startswith("flies.")][:3]
    close(motion.qd[-1, ball], (impulse / BALL - speed) * ALONG)
    close(motion.kinetic[-1], 0.5 * BALL * (impulse / BALL - speed) ** 2 + 0.5 * impulse**2 * one.yields)
    close(balance(motion), 0.0)


@cells("contact")
def test_what_lies_on_a_link_presses_as_its_joint_lets_it(kind, number, form):
    """The force that lets neither sink into the other: weight and inertia as along the blow above."""
    one = struck(kind, form, gap=0.0, restitution=0.0, gravity=9.81)
    found = one.run([0.0, 1e-3]).trajectory.contacts.at(0)
    assert len(found) == 1
    close(found.point, one.place)
    close(np.abs(found.force), 9.81 * one.mass * np.abs(ALONG))
    towards = 1.0 if found.second[0] == "ball" else -1.0
    assert (found.force[0] @ ALONG) * towards > 0.0


def test_every_feature_of_the_page_is_tested():
    """Guards against a column that claims what no test has seen."""
    assert tested == {feature.name for feature in make_features.FEATURES}
