# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that break under load, beside statics, closed forms and the laws of impact."""

import json
import math

import numpy as np
import pytest

import limberjack as lj
from limberjack.core import cli
from limberjack.core.controls.controls import Controls
from limberjack.core.controls.schedule import Schedule
from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.records.breaking import CHECKS_PER_SECOND, IMPACT_TIME
from limberjack.core.simulation.simulation import Simulation
from limberjack.core.trajectory.completion.completion import completed

G = 9.81
ALONG_Y = Axis((0.0, 1.0, 0.0))
TICK = 1.0 / CHECKS_PER_SECOND


def at(x, y=0.0, z=0.0):
    return (x, y, z, 1.0, 0.0, 0.0, 0.0)


def frames(seconds, rate=24.0):
    return np.arange(round(seconds * rate) + 1) / rate


def hanging_bar(kind="revolute", closes_loop=False, mass=2.0, **strength):
    """A bar of 1 m that two joints of a kind hold at its ends."""
    bar = Link("bar", mass=mass, inertia=(0.01, 0.0, 0.0, mass / 12.0, 0.0, mass / 12.0))
    axes = [ALONG_Y] if kind == "revolute" else []
    joints = [
        Joint(name, kind, WORLD, "bar", at(x), at(x), axes, closes_loop=closes_loop and name == "right", **strength)
        for name, x in (("left", -0.5), ("right", 0.5))
    ]
    return Model("bar", links=[bar], joints=joints, gravity=(0.0, 0.0, -G))


def pendulum(strength, mass=2.0, length=0.5):
    """A point-like bob on an arm without mass, which starts level."""
    bob = Link("bob", mass=mass, inertia=(1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9), pose=at(length))
    hinge = Joint("hinge", "revolute", WORLD, "bob", at(0.0), at(-length), [ALONG_Y], break_force=strength)
    return Model("pendulum", links=[bob], joints=[hinge], gravity=(0.0, 0.0, -G))


def run(model, seconds=0.5, rate=24.0, **options):
    simulation = Simulation(model, frames(seconds, rate), **options)
    simulation.run()
    return simulation


@pytest.mark.parametrize("closes_loop", [False, True])
@pytest.mark.parametrize("kind", ["revolute", "ball"])
@pytest.mark.parametrize(("share", "breaks"), [(0.99, True), (1.01, False)])
def test_a_bar_on_two_joints_breaks_at_the_load_of_statics(kind, closes_loop, share, breaks):
    """Guards the load of joints, also of those that close loops: each carries half of the weight."""
    model = hanging_bar(kind, closes_loop, break_force=share * 0.5 * 2.0 * G)
    simulation = run(model)
    assert [each.joint for each in simulation.breaks] == (["left", "right"] if breaks else [])
    assert sum("broke at the start, under 9.81 N" in note for note in simulation.report.notes) == len(simulation.breaks)
    fallen = 0.5 * G * 0.5**2 if breaks else 0.0
    assert simulation.trajectory.link("bar")[-1, 2] == pytest.approx(-fallen, abs=1e-9)
    for each in simulation.breaks:
        assert (each.time, each.force) == (0.0, pytest.approx(0.5 * 2.0 * G, rel=1e-9))


def test_the_second_joint_breaks_when_the_first_one_lets_go():
    """Guards the chain of breaks: after the weak side breaks, the bar swings, and the other side carries more."""
    model = hanging_bar()
    model.joint("left").break_force = 0.9 * G
    model.joint("right").break_force = 1.5 * G
    simulation = run(model)
    assert [each.joint for each in simulation.breaks] == ["left", "right"]
    first, second = simulation.breaks
    # A bar that swings down from level, held at one end: the pin carries m g sqrt((10 c)^2 + s^2) / 4, c = sin(angle).
    angle = math.asin(math.sqrt(((4.0 * 0.75) ** 2 - 1.0) / 99.0))
    motion = simulation.trajectory
    fell = motion.link("bar")[np.searchsorted(motion.times, second.time) - 1]
    assert first.time == 0.0
    assert 2.0 * math.atan2(abs(fell[5]), fell[3]) <= angle
    assert second.force == pytest.approx(1.5 * G, rel=0.1)


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0, 7.0])
def test_a_pendulum_breaks_where_its_tension_reaches_the_strength(accuracy, rate):
    """Guards the time: tension is 3 m g sin(angle), at any accuracy and frame rate, to one weighing. Then it flies."""
    mass, length = 2.0, 0.5
    simulation = run(pendulum(2.0 * mass * G), 1.0, rate, accuracy=accuracy)
    (broken,) = simulation.breaks
    angle = math.asin(2.0 / 3.0)
    fine = lj.simulate(pendulum(math.inf), 0.6, frame_rate=20000.0, accuracy="exact")
    expected = float(fine.times[np.argmax(fine.joint("hinge")[:, 0] > angle)])
    assert -1e-3 * TICK <= broken.time - expected <= TICK
    assert broken.force >= 2.0 * mass * G
    motion, later = simulation.trajectory, simulation.trajectory.times > broken.time
    flight = motion.times[later] - broken.time
    begun = fine.link("bob")[np.searchsorted(fine.times, broken.time)]
    speed = math.sqrt(2.0 * G * -begun[2])
    height = begun[2] - speed * begun[0] / length * flight - 0.5 * G * flight**2
    assert motion.link("bob")[later, 2] == pytest.approx(height, abs=2e-3)
    assert np.isnan(motion.joint("hinge")[later]).all()


def test_a_cantilever_breaks_by_its_moment():
    """Guards torques: a fixed joint bears weight times arm, whatever the force is."""
    for share, count in ((0.99, 1), (1.01, 0)):
        beam = Link("beam", mass=3.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1), pose=at(0.7))
        fixed = Joint("root", "fixed", WORLD, "beam", at(0.0), at(-0.7), break_torque=share * 3.0 * G * 0.7)
        simulation = run(Model("beam", links=[beam], joints=[fixed], gravity=(0.0, 0.0, -G)))
        assert len(simulation.breaks) == count
        assert (simulation.trajectory.link("beam")[-1, 2] < -0.1) == bool(count)
        for broken in simulation.breaks:
            assert broken.torque == pytest.approx(3.0 * G * 0.7, rel=1e-9)


def ball(name, *place, speed=2.0):
    """A ball of 0.5 kg that moves down."""
    made = Link(name, mass=0.5, inertia=(1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3), pose=at(*place))
    made.velocity = (0.0, 0.0, -speed)
    made.collisions = [Shape("ball", Sphere(0.05))]
    return made


def struck_shelf(*balls, **strength):
    """Balls that fall onto a shelf without weight, which a fixed joint holds."""
    shelf = Link("shelf", mass=1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    shelf.collisions = [Shape("shelf", Box((1.0, 1.0, 0.1)))]
    holder = Joint("holder", "fixed", WORLD, "shelf", **strength)
    return Model("shelf", links=[shelf, *balls], joints=[holder], gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("steps", ["events", "convex"])
@pytest.mark.parametrize("breaks", [True, False])
def test_an_impact_counts_with_its_impulse(accuracy, steps, breaks):
    """Guards impacts, located or in convex steps: m v spread over IMPACT_TIME, and no more than once.

    In long steps at draft, a part of the impulse acts as a force, which the rest of the step adds to.
    """
    error = 0.12 if (accuracy, steps) == ("draft", "convex") else 1e-3
    force = 0.5 * 2.0 / IMPACT_TIME
    strength = force * (1.0 - 1.1 * error if breaks else 1.0 + 1.1 * error)
    model = struck_shelf(ball("ball", 0.0, 0.0, 0.3), break_force=strength)
    simulation = Simulation(model, frames(0.5), accuracy=accuracy)
    if steps == "convex":
        simulation.prefer_time_stepping()
    simulation.run()
    assert len(simulation.breaks) == breaks
    for broken in simulation.breaks:
        assert broken.force == pytest.approx(force, rel=error)
        assert broken.time == pytest.approx(0.2 / 2.0, abs=2.0 * TICK)


def test_an_impact_beside_a_joint_twists_it():
    """Guards the moments of impacts: m v times the arm, and the same with the other hand."""
    moment = 0.5 * 2.0 * 0.3 / IMPACT_TIME
    for x in (0.3, -0.3):
        for share, count in ((0.99, 1), (1.01, 0)):
            model = struck_shelf(ball("ball", x, 0.0, 0.3), break_torque=share * moment)
            assert len(run(model).breaks) == count


def test_impacts_far_apart_do_not_add_up():
    """Guards the time for which an impact counts: two balls 50 ms apart count as one, and at once as two."""
    force = 0.5 * 2.0 / IMPACT_TIME
    for later, count in ((0.05, 0), (0.0, 1)):
        balls = [ball("first", -0.2, 0.0, 0.3), ball("second", 0.2, 0.0, 0.3 + 2.0 * later)]
        assert len(run(struck_shelf(*balls, break_force=1.5 * force)).breaks) == count


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_what_rests_on_a_shelf_counts(accuracy):
    """Guards loads of resting contacts: a shelf bears its own weight and that of a box on it."""
    for share, count in ((0.98, 1), (1.02, 0)):
        box = Link("box", mass=4.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1), pose=at(0.0, 0.0, 0.1))
        box.collisions = [Shape("box", Box((0.1, 0.1, 0.1)))]
        model = struck_shelf(box, break_force=share * 5.0 * G)
        model.gravity = (0.0, 0.0, -G)
        assert len(run(model, accuracy=accuracy).breaks) == count


def test_going_back_mends_what_broke_later():
    """Guards Play: from a snapshot before the break, the motion is the same bit for bit, and so is the break."""
    simulation = Simulation(pendulum(2.0 * 2.0 * G), frames(1.0))
    for done in simulation:
        if done == 3:
            break
    before = simulation.snapshot()
    first, breaks = simulation.run().X_WL.copy(), simulation.breaks
    after = simulation.snapshot()
    simulation.restore(before)
    assert simulation.breaks == ()
    assert simulation.trajectory.broken_at == ()
    again = simulation.run()
    assert simulation.breaks == breaks
    assert np.array_equal(first, again.X_WL)
    simulation.restore(after)
    assert simulation.breaks == breaks


def test_a_saved_state_knows_what_is_broken():
    """Guards long runs in parts: from a state after the break, the motion goes on bit for bit, and nothing is whole."""
    model, times = pendulum(2.0 * 2.0 * G), frames(1.0)
    whole = Simulation(model, times).run()
    parts = Simulation(model, times)
    for done in parts:
        if done == 16:
            break
    assert parts.breaks
    rest = Simulation(model, times[15:], initial=parts.state)
    assert np.array_equal(rest.run().X_WL, whole.X_WL[15:])
    with pytest.raises(lj.StateError, match="'broken' lists joints of the model that had broken, found 'hinge'"):
        Simulation(model, times, initial={"broken": "hinge"})
    with pytest.raises(lj.StateError, match="'broken' lists joints"):
        Simulation(model, times, initial={"broken": [["hinge"]]})


def test_a_saved_state_knows_the_impacts_that_still_count():
    """Guards states that are saved between an impact and the check of loads: the joint breaks as in one long run."""
    model = struck_shelf(ball("ball", 0.0, 0.0, 0.1 + 2.0 * 0.119), break_force=30.0)
    times = np.arange(20) / 25.0
    whole = Simulation(model, times)
    whole.run()
    parts = Simulation(model, times[:4])
    parts.run()
    assert (len(whole.breaks), len(parts.breaks), whole.impacts[0].time < times[3]) == (1, 0, True)
    rest = Simulation(model, times[3:], initial=json.loads(json.dumps(parts.state)))
    rest.run()
    assert rest.breaks[0].time == whole.breaks[0].time
    assert np.array_equal(rest.trajectory.X_WL, whole.trajectory.X_WL[3:])


def test_a_continued_motion_tells_what_broke_before():
    """Guards motions in parts: the second part can be completed, since it names the joint that broke in the first."""
    model, times = pendulum(2.0 * 2.0 * G), frames(1.0)
    parts = Simulation(model, times[:16])
    parts.run()
    rest = Simulation(model, times[15:], initial=parts.state)
    rest.run()
    assert rest.breaks == ()
    assert (rest.trajectory.broken, rest.trajectory.broken_at) == (("hinge",), (times[15],))
    assert np.array_equal(completed(rest.trajectory, model).trajectory.X_WL, rest.trajectory.X_WL)


def test_a_jump_at_the_time_of_a_break_is_kept():
    """Guards stepped keys: what the animation moves at once is moved, also in the frame in which a joint breaks."""
    times = frames(0.5, 240.0)
    (broken,) = run(pendulum(2.0 * 2.0 * G), 0.5, 240.0).breaks

    def lifted(time):
        return at(5.0, 0.0, 1.0 if time > broken.time - 1e-9 else 0.0)

    def motion(strength):
        model = pendulum(strength)
        model.links += [
            Link(name, 1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1), pose=at(5.0)) for name in ("lift", "arm")
        ]
        model.joints.append(Joint("pin", "revolute", "lift", "arm", at(0.0), at(-0.5), [ALONG_Y]))
        simulation = Simulation(model, times, controls=Controls(links={"lift": lifted}))
        return simulation.run(), simulation.breaks

    (found, breaks), (plain, _) = motion(2.0 * 2.0 * G), motion(math.inf)
    assert breaks[0].time == broken.time
    assert np.ptp(plain.link("lift")[:, 2]) == pytest.approx(1.0)
    assert found.link("arm") == pytest.approx(plain.link("arm"), abs=1e-5)


def test_switches_are_asked_at_frames_only():
    """Guards schedules: after a break, a joint that a frame switches on is not switched on earlier."""
    weak = Link("weak", mass=1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    late = Link("late", mass=1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1), pose=at(2.0))
    joints = [
        Joint("weak", "fixed", WORLD, "weak", break_force=0.5 * G),
        Joint("late", "fixed", WORLD, "late", at(2.0)),
    ]
    model = Model("two", links=[weak, late], joints=joints, gravity=(0.0, 0.0, -G))
    times, asked = frames(1.0, 10.0), []

    def enabled(time):
        asked.append(time)
        return time > 0.25

    simulation = Simulation(model, times, controls=Controls(schedule=Schedule(enabled={"late": enabled})))
    motion = simulation.run()
    assert [each.joint for each in simulation.breaks] == ["weak"]
    assert {*asked} <= {*times.tolist()}
    assert motion.link("late")[-1, 2] == pytest.approx(-0.5 * G * 0.3**2, abs=1e-6)


def test_there_is_a_number_for_each_frame():
    """Guards messages about frames: numbers of fewer frames are refused at the start, not at the last frame."""
    with pytest.raises(ValueError, match=r"numbers are those of 3 frames, found shape \(2,\)"):
        Simulation(pendulum(math.inf), [0.0, 0.1, 0.2], numbers=[1, 2])


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_files_keep_what_broke(suffix, tmp_path):
    """Guards motions in files: their breaks come back, and joints count as broken where the motion is completed."""
    simulation = run(pendulum(2.0 * 2.0 * G), 1.0, record=["wrenches", "efforts"])
    motion = simulation.trajectory
    motion.save(tmp_path / f"motion{suffix}")
    read = lj.read_trajectory(tmp_path / f"motion{suffix}")
    assert (read.broken, read.broken_at) == (("hinge",), (simulation.breaks[0].time,))
    whole = completed(read, pendulum(2.0 * 2.0 * G)).trajectory
    assert np.array_equal(whole.X_WL, motion.X_WL)
    assert np.isnan(whole.joint("hinge")[-1]).all()
    unbroken = run(pendulum(math.inf), 0.1).trajectory
    unbroken.save(tmp_path / f"unbroken{suffix}")
    assert lj.read_trajectory(tmp_path / f"unbroken{suffix}").broken == ()


def test_a_table_that_cannot_tell_what_broke_says_so(tmp_path, capsys):
    """Guards users of .csv: one line says what the file does not have, and which ones do."""
    lj.write(pendulum(math.inf), tmp_path / "m.sdf")
    words = ["simulate", str(tmp_path / "m.sdf"), "--duration", "1", "--set", "hinge.break_force=39.24"]
    assert cli.main([*words, "-o", str(tmp_path / "m.csv")]) == 0
    told = capsys.readouterr().err
    assert told.count("m.csv: a .csv does not tell which joints broke") == 1
    assert "note: joint 'hinge' broke at 0.279 s, frame 7" in told


def test_the_report_names_the_frame_and_the_load():
    """Guards the sentence for users: which joint, when, in which frame, under which load, and what it bears."""
    simulation = run(pendulum(2.0 * 2.0 * G), 1.0)
    assert simulation.report.notes == simulation.report.notes
    (note,) = (note for note in simulation.report.notes if "broke" in note)
    (broken,) = simulation.breaks
    first_without = int(np.argmax(np.isnan(simulation.trajectory.joint("hinge")[:, 0])))
    assert broken.frame == first_without
    assert f"joint 'hinge' broke at {broken.time:.3f} s, frame {first_without}, under 4" in note
    assert note.endswith(" N (it bears 39.24)")


def test_strengths_that_never_hold_are_refused():
    """Guards against zero, negative and missing numbers."""
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(lj.ModelError, match=r"joint 'hinge': break_force is .*; give a number above 0, or inf"):
            Simulation(pendulum(wrong), frames(0.1))


def test_unbreakable_joints_cost_and_change_nothing():
    """Guards other models: a strength that is never reached adds steps. Models without one are not cut in time."""
    plain, strong = run(pendulum(math.inf), 0.5), run(pendulum(1e6), 0.5)
    assert strong.breaks == ()
    assert plain.report.steps < strong.report.steps
    assert plain.trajectory.X_WL == pytest.approx(strong.trajectory.X_WL, abs=1e-6)
