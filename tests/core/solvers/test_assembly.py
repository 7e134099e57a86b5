# SPDX-License-Identifier: GPL-3.0-or-later
"""How a simulation begins: loops that are drawn open, what is given and kept, and what cannot be."""

import math

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model, ModelError, StateError
from limberjack.core.model.screws import joint_pose
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose, quat_of_rotvec
from support.mechanisms import Z, bricard, four_bar, join, stewart
from support.models import matrix
from support.rings import ring

NOW = np.array([0.0])


def begun(model, initial=None):
    """(run, positions by joint, velocities by joint) of the first frame."""
    run = Simulation(model, NOW, initial=initial)
    motion = run.run()
    q = {name: motion.q[0, span.q] for name, span in run.compiled.spans.items()}
    qd = {name: motion.qd[0, span.v] for name, span in run.compiled.spans.items()}
    return run, q, qd


def gap(run, joint):
    """(metres, degrees) between a joint's two frames at its coordinates in the first frame, by matrices."""
    poses = {WORLD: np.eye(4)} | {
        name: matrix(pose) for name, pose in zip(run.compiled.link_names, run.trajectory.X_WL[0], strict=True)
    }
    span = run.compiled.spans.get(joint.name)
    q = run.trajectory.q[0, span.q] if span else ()
    one = poses[joint.parent] @ matrix(joint.X_PJ) @ matrix(joint_pose(joint, q))
    off = np.linalg.inv(one) @ poses[joint.child] @ matrix(joint.X_CJ)
    return np.linalg.norm(off[:3, 3]), math.degrees(np.linalg.norm(off[:3, :3] - np.eye(3)) / math.sqrt(2.0))


def nudged(model, name, shift=(0.2, 0.2, 0.1), degrees=20.0):
    """The joint's frame on its parent moved by 0.3 m and turned by some degrees: the loop is open as drawn."""
    joint = model.joint(name)
    turn = quat_of_rotvec(tuple(math.radians(degrees) / math.sqrt(3.0) for _ in range(3)))
    joint.X_PJ = compose(joint.X_PJ, (*shift, *turn))
    return model


@pytest.mark.parametrize("closing", ["left", "tested", "right"])
@pytest.mark.parametrize("joint_type", ["revolute", "prismatic", "universal", "ball", "cylindrical", "planar", "screw"])
def test_a_loop_that_is_drawn_open_closes(joint_type, closing):
    """Guards the assembly: 0.3 m and 20 degrees open, every joint of the ring fits to 1e-9 once it has begun."""
    model = nudged(ring(joint_type, closing), "right")
    run, _, _ = begun(model)
    for joint in model.joints:
        apart, turned = gap(run, joint)
        assert apart < 1e-9
        assert turned < 1e-6
    assert not [note for note in run.report.notes if "fit" in note]


@pytest.mark.parametrize("given", [-0.5, 0.3, 1.0])
@pytest.mark.parametrize("name", ["crank_pivot", "rocker_pivot"])
@pytest.mark.parametrize("closing", ["crank_pivot", "rocker_pin", "rocker_pivot"])
def test_a_given_angle_is_kept(closing, name, given):
    """Guards `initial`: one angle of a four-bar is kept to the last digits, and the loop closes around it."""
    model = four_bar()
    model.joint(closing).closes_loop = True
    given = given if name == "crank_pivot" else 0.4 * given
    run, q, _ = begun(model, {"q": {name: given}})
    assert q[name][0] == pytest.approx(given, abs=1e-12)
    assert max(gap(run, joint)[0] for joint in model.joints) < 1e-9
    assert not [note for note in run.report.notes if "fit" in note]


def test_a_platform_lifts_as_its_legs_are_told():
    """Guards many loops at once: six legs given 0.1 m longer are kept, and all joints fit."""
    model = stewart("universal")
    run, q, _ = begun(model, {"q": {f"slide{i}": 0.1 for i in range(6)}})
    assert [q[f"slide{i}"][0] for i in range(6)] == pytest.approx([0.1] * 6, abs=1e-9)
    assert max(gap(run, joint)[0] for joint in model.joints) < 1e-9
    assert run.trajectory.X_WL[0, 0, 2] > 1.25


def test_a_ball_loop_joint_keeps_its_given_quaternion():
    """Guards charts among what is given: the ball that closes the ring starts at the turn that was asked for."""
    turn = quat_of_rotvec((0.2, -0.1, 0.3))
    run, q, _ = begun(ring("universal", "right"), {"q": {"right": list(turn)}})
    assert q["right"] == pytest.approx(np.array(turn), abs=1e-9)
    assert run.report.loop_error < 1e-9


def test_a_rigid_looking_ring_closes():
    """Guards rings that move though a count of their freedoms says not: Bricard's, with an angle given."""
    model = bricard()
    run, q, _ = begun(model, {"q": {"hinge0": 0.2}})
    assert q["hinge0"][0] == pytest.approx(0.2, abs=1e-9)
    assert max(gap(run, joint)[0] for joint in model.joints) < 1e-8


@pytest.mark.parametrize("closing", ["rocker_pin", "rocker_pivot"])
def test_a_bar_too_short_is_named_with_its_gap(closing):
    """Guards the message: where the ground is too long by 3 m, it names the loop's joint and a gap of that size."""
    model = four_bar()
    model.joint("rocker_pivot").X_PJ = (8.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    model.joint(closing).closes_loop = True
    with pytest.raises(ModelError, match=f"joint '{closing}' cannot be closed") as found:
        begun(model)
    apart = float(str(found.value).split("stay ")[1].split(" m")[0])
    assert 8.0 - (1.0 + math.hypot(2.0, 0.5) + 1.5) - 0.01 <= apart < 6.0


def test_angles_that_do_not_fit_give_way_with_a_note():
    """Guards what is contradictory in positions: the loop closes all the same, and a note says what gave way."""
    run, _, _ = begun(four_bar(), {"q": {"crank_pivot": 1.0, "rocker_pivot": -1.0}})
    assert run.report.loop_error < 1e-9
    assert any("positions" in note and "crank_pivot" in note for note in run.report.notes)


@pytest.mark.parametrize("closing", ["crank_pivot", "crank_pin", "rocker_pin", "rocker_pivot"])
def test_velocities_follow_the_one_that_is_given(closing):
    """Guards velocities at the start: the given one stays, the rest are the slopes of positions along the loop."""
    h, found = 1e-4, []
    for angle in (0.3 - h, 0.3 + h, 0.3):
        model = four_bar()
        model.joint(closing).closes_loop = True
        run, q, qd = begun(model, {"q": {"crank_pivot": angle}, "qd": {"crank_pivot": 1.7}})
        found.append((q, qd))
    (before, _), (after, _), (_, rates) = found
    assert rates["crank_pivot"][0] == pytest.approx(1.7, abs=1e-12)
    for name in before:
        assert rates[name] == pytest.approx(1.7 * (after[name] - before[name]) / (2.0 * h), abs=1e-6), name
    assert not [note for note in run.report.notes if "fit" in note]


def test_velocities_that_do_not_fit_give_a_note():
    """Guards what is contradictory: crank and rocker cannot turn against each other so; a note names both."""
    run, _, qd = begun(four_bar(), {"qd": {"crank_pivot": 1.0, "rocker_pivot": -1.0}})
    notes = [note for note in run.report.notes if "velocities" in note]
    assert len(notes) == 1
    assert "crank_pivot" in notes[0]
    assert "rocker_pivot" in notes[0]
    # the bars of a four-bar drawn with upright crank and rocker: pins move along x at 1 and 1.5 times their rates
    assert qd["crank_pivot"][0] * 1.0 == pytest.approx(qd["rocker_pivot"][0] * 1.5, abs=1e-9)


def test_velocities_that_fit_give_no_note():
    """Guards against crying wolf: all four rates of a four-bar, consistent, are kept without a word."""
    _, _, rates = begun(four_bar(), {"qd": {"crank_pivot": 1.0}})
    given = {name: rate.tolist() for name, rate in rates.items()}
    run, _, again = begun(four_bar(), {"qd": given})
    assert not [note for note in run.report.notes if "fit" in note]
    for name, rate in given.items():
        assert again[name].tolist() == pytest.approx(rate, abs=1e-9)


def wheels(count, joint_type="continuous", **axis):
    model = Model(links=[Link(f"disc{i}") for i in range(count)], gravity=(0.0, 0.0, 0.0))
    model.joints = [Joint(f"wheel{i}", joint_type, WORLD, f"disc{i}", axes=[Axis(**axis)]) for i in range(count)]
    return model


@pytest.mark.parametrize("order", [1, -1])
def test_a_chain_of_mimics_starts_in_place(order):
    """Guards mimics of mimics in any order of the file: each at k (leader - reference) + offset, and so fast."""
    model = wheels(4)
    for i in range(3):
        model.joints[i + 1].mimic = Mimic(f"wheel{i}", 1.5 - i, 0.1 * i, 0.2)
    model.joints = model.joints[::order]
    _, q, qd = begun(model, {"q": {"wheel0": 0.7}, "qd": {"wheel0": 2.0}})
    angle, rate = 0.7, 2.0
    for i in range(3):
        angle, rate = (1.5 - i) * (angle - 0.2) + 0.1 * i, (1.5 - i) * rate
        assert q[f"wheel{i + 1}"][0] == pytest.approx(angle, abs=1e-9)
        assert qd[f"wheel{i + 1}"][0] == pytest.approx(rate, abs=1e-9)


def test_a_follower_that_is_given_leads():
    """Guards mimics the other way round: where only the follower is given, it stays, and the leader goes to it."""
    model = wheels(2)
    model.joints[1].mimic = Mimic("wheel0", 2.0, 0.1)
    _, q, _ = begun(model, {"q": {"wheel1": 0.9}})
    assert q["wheel1"][0] == pytest.approx(0.9, abs=1e-12)
    assert q["wheel0"][0] == pytest.approx(0.4, abs=1e-9)


def test_a_gear_within_a_loop():
    """Guards gears between joints of a loop: a five-bar whose cranks are geared has one freedom, and starts so."""
    model = four_bar()
    model.links.append(Link("dyad"))
    model.joints.pop(2)  # the coupler's pin on the rocker
    join(model, "elbow", "revolute", "coupler", "dyad", (1.0, 2.0, 0.0), Z)
    join(model, "rocker_pin", "revolute", "dyad", "rocker", (2.0, 1.5, 0.0), Z)
    model.couplings.append(Coupling("teeth", "gear", [("crank_pivot", 0), ("rocker_pivot", 0)], -1.0))
    run, q, qd = begun(model, {"q": {"crank_pivot": -0.2}, "qd": {"crank_pivot": 1.0}})
    assert q["crank_pivot"][0] == pytest.approx(-0.2, abs=1e-12)
    assert q["rocker_pivot"][0] == pytest.approx(0.2, abs=1e-9)
    assert qd["rocker_pivot"][0] == pytest.approx(-1.0, abs=1e-9)
    assert max(gap(run, joint)[0] for joint in model.joints) < 1e-9


def test_limits_without_room_hold():
    """Guards lower == upper: the joint starts there and stays there under load, to the last digits."""
    model = Model(links=[Link("arm", com=(0.5, 0.0, 0.0)), Link("tip", com=(0.5, 0.0, 0.0))])
    axis = Axis(xyz=(0.0, 1.0, 0.0))
    model.joints.append(Joint("shoulder", "revolute", WORLD, "arm", axes=[axis]))
    stuck = Axis(xyz=(0.0, 1.0, 0.0), lower=0.4, upper=0.4)
    model.joints.append(Joint("elbow", "revolute", "arm", "tip", (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), axes=[stuck]))
    run = Simulation(model, np.linspace(0.0, 1.0, 11), "exact")
    motion = run.run()
    assert motion.q[:, 1] == pytest.approx(np.full(11, 0.4), abs=1e-12)
    assert np.ptp(motion.q[:, 0]) > 0.5
    assert run.report.relative_drift < 1e-8


def test_a_rod_keeps_its_length():
    """Guards lower == upper of a distance joint: a bob on a massless rod is a pendulum, by its period.

    The bob hangs by a rod of 1 m and starts level: the first quarter lasts 1.8540746773013719 sqrt(1 / 9.81) s.
    """
    model = Model(links=[Link("bob", 1.0, inertia=(1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3))])
    joint = Joint("rod", "distance", WORLD, "bob", axes=[Axis(lower=1.0, upper=1.0)])
    joint.home = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    model.joints.append(joint)
    quarter = 1.8540746773013719 / math.sqrt(9.81)
    motion = Simulation(model, np.array([0.0, quarter]), "exact").run()
    assert motion.X_WL[1, 0, :3] == pytest.approx(np.array([0.0, 0.0, -1.0]), abs=1e-7)


def test_a_state_that_names_no_joint_is_refused():
    """Guards `initial` in models with loops: an unknown name or a wrong count is a StateError that says so."""
    with pytest.raises(StateError, match="nothing"):
        begun(four_bar(), {"q": {"nothing": 0.0}})
    with pytest.raises(StateError, match="crank_pivot"):
        begun(four_bar(), {"qd": {"crank_pivot": [0.0, 1.0]}})


def arm_that_follows(of="revolute", **mimic):
    """Two bars, of which the second follows the first."""
    model = Model("m", [Link("a"), Link("b")])
    model.joints = [
        Joint("lead", "revolute", WORLD, "a", axes=[Axis(xyz=(0.0, 1.0, 0.0))]),
        Joint("follow", of, "a", "b", axes=[Axis(xyz=(0.0, 1.0, 0.0))], mimic=Mimic("lead", **mimic)),
    ]
    return model


@pytest.mark.parametrize(("of", "told"), [("revolute", "0.5 rad (28.6°)"), ("prismatic", "0.5 m")])
def test_what_is_off_is_told_in_its_unit(of, told):
    """Guards the words: both are stuck where they cannot both be, an angle or a length apart."""
    model = arm_that_follows(of, multiplier=0.0, offset=1.0)
    for joint in model.joints:
        joint.axes[0].lower = joint.axes[0].upper = 0.0
    with pytest.raises(ModelError, match=r"'follow' cannot be closed: it is off by") as refusal:
        Simulation(model, NOW)
    assert f"off by {told};" in str(refusal.value)


def test_a_gap_that_is_no_number_is_told_as_such():
    """Guards against "off by nan": a ratio beyond all sense, and a ring that is drawn farther than squares can say."""
    far = four_bar()
    far.joints[0].X_PJ = (1e200, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    for model in (arm_that_follows(multiplier=1e200, offset=1.0), far):
        with pytest.raises(ModelError, match="cannot be closed: its gap grows beyond all numbers") as refusal:
            Simulation(model, NOW)
        assert "nan" not in str(refusal.value)
