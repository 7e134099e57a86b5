# SPDX-License-Identifier: GPL-3.0-or-later
"""Prescribed motion, guided links and a callback's forces, against closed forms and SciPy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from limberjack.core.controls.controls import NODES, Controls, Forces, coefficients_through
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model, ModelError, StateError
from limberjack.core.simulation import Simulation
from support.mechanisms import Z, four_bar, join
from support.models import matrix, random_link, random_pose
from support.rings import loose_ring

G = 9.81
TIMES = np.linspace(0.0, 2.0, 41)
NOWHERE = (0.0, 0.0, 0.0)
ABOUT_Y = Axis(xyz=(0.0, 1.0, 0.0))


def driven(model, controls, initial=None, times=TIMES, record=()):
    """(run, motion) at exact, with balanced books."""
    run = Simulation(model, times, "exact", initial, controls=controls, record=record)
    motion = run.run()
    assert run.report.energy_drift < 1e-7 * max(1.0, run.report.energy_scale)
    assert run.report.loop_error < 1e-9
    return run, motion


def heavy_four_bar():
    model = four_bar()
    for i, link in enumerate(model.links):
        link.mass, link.com, link.inertia = 1.0 + i, (0.2 + 0.3 * i, 0.5, 0.0), (0.1, 0.0, 0.0, 0.2, 0.0, 0.3)
    model.gravity = (0.0, -G, 0.0)
    return model


def closed_four_bar(crank):
    """Angles by joint for crank angles, shape (n,): the rocker pin is where two circles meet."""
    pin = np.stack([-np.sin(crank), np.cos(crank)], axis=1)
    gap = np.array([2.0, 0.0]) - pin
    apart = np.linalg.norm(gap, axis=1)
    along = (apart**2 + 4.25 - 2.25) / (2.0 * apart)
    way = gap / apart[:, None]
    top = pin + along[:, None] * way + np.sqrt(4.25 - along**2)[:, None] * np.stack([-way[:, 1], way[:, 0]], axis=1)
    bar, rocker = top - pin, top - [2.0, 0.0]
    coupler = np.arctan2(bar[:, 1], bar[:, 0]) - math.atan2(0.5, 2.0)
    pivot = np.arctan2(-rocker[:, 0], rocker[:, 1])
    return {"crank_pivot": crank, "crank_pin": coupler - crank, "rocker_pin": pivot - coupler, "rocker_pivot": pivot}


@pytest.mark.parametrize("closing", ["crank_pivot", "crank_pin", "rocker_pin", "rocker_pivot"])
def test_a_prescribed_crank(closing):
    """Guards prescribed hinges, in the tree or closing the loop: the crank follows sin t, the rest as circles meet."""
    model = heavy_four_bar()
    model.joint(closing).closes_loop = True
    run, motion = driven(model, Controls({"crank_pivot": math.sin}))
    expected = closed_four_bar(np.sin(TIMES))
    rates = {
        name: (closed_four_bar(np.sin(TIMES + 1e-5))[name] - closed_four_bar(np.sin(TIMES - 1e-5))[name]) / 2e-5
        for name in expected
    }
    for name, span in run.compiled.spans.items():
        assert np.abs(motion.q[:, span.q].ravel() - expected[name]).max() < 1e-9, name
        assert np.abs(motion.qd[:, span.v].ravel() - rates[name]).max() < 1e-8, name


def test_two_prescriptions_that_fight_are_refused():
    """Guards what cannot be: crank and rocker that ask for different motion end in an error with the joint's name."""
    controls = Controls({"crank_pivot": math.sin, "rocker_pivot": lambda t: -math.sin(t)})
    with pytest.raises((ModelError, RuntimeError), match=r"crank|rocker|coupler"):
        Simulation(heavy_four_bar(), TIMES, controls=controls).run()


def tumbling(time):
    """A turn with neither axis nor speed fixed."""
    return Rotation.from_rotvec([0.5 * math.sin(2 * time), 0, 0]) * Rotation.from_rotvec([0, 0.9 * time, 0.4 * time**2])


def quaternion(turn):
    x, y, z, w = turn.as_quat()
    return [w, x, y, z]


def spin(turn, time, h=1e-5):
    """Angular velocity in the world, by a central difference."""
    return (turn(time + h) * turn(time - h).inv()).as_rotvec() / (2.0 * h)


INERTIA = (0.3, 0.02, -0.03, 0.5, 0.01, 0.6)
OWN = np.array([[0.3, 0.02, -0.03], [0.02, 0.5, 0.01], [-0.03, 0.01, 0.6]])
COM = np.array([0.1, 0.2, -0.3])


def spun_torque(time, mass=2.0):
    """What turns the link about its hung origin as `tumbling` says, in its axes: d(R J w)/dt less weight's moment."""
    J = OWN + mass * (COM @ COM * np.eye(3) - np.outer(COM, COM))

    def momentum(at):
        R = tumbling(at).as_matrix()
        return R @ J @ R.T @ spin(tumbling, at)

    h, R = 1e-3, tumbling(time).as_matrix()
    rate = (8 * (momentum(time + h) - momentum(time - h)) - momentum(time + 2 * h) + momentum(time - 2 * h)) / (12 * h)
    return R.T @ (rate - np.cross(R @ COM, [0.0, 0.0, -mass * G]))


def test_a_prescribed_ball():
    """Guards prescribed quaternions, also of flipped sign: orientation, velocity, effort by Euler's law, energy."""
    model = Model(links=[Link("head", 2.0, tuple(COM), INERTIA)], joints=[Joint("neck", "ball", WORLD, "head")])

    def turn(time):
        return np.array(quaternion(tumbling(time))) * (-1.0 if math.sin(300 * time) > 0 else 1.0)

    _, motion = driven(model, Controls({"neck": turn}), record=("efforts",))
    for frame, time in enumerate(TIMES):
        R = tumbling(time).as_matrix()
        assert matrix(motion.X_WL[frame, 0])[:3, :3] == pytest.approx(R, abs=1e-9)
        assert R @ motion.qd[frame] == pytest.approx(spin(tumbling, time), abs=1e-8)
        assert motion.efforts[frame] == pytest.approx(spun_torque(time), abs=1e-5)


@pytest.mark.parametrize("carrier", ["ball", "d6", "revolute"])
@pytest.mark.parametrize("seed", range(2))
def test_a_prescribed_ball_on_a_moving_link(seed, carrier):
    """Guards prescribed balls that a moving link carries: they turn against it as told, and it feels it."""
    rng = np.random.default_rng(seed)
    model = Model(links=[random_link(rng, "one"), random_link(rng, "two")])
    model.joints.append(Joint("first", carrier, WORLD, "one", random_pose(rng), random_pose(rng)))
    model.joints.append(Joint("second", "ball", "one", "two", random_pose(rng), random_pose(rng)))
    controls = Controls({"second": lambda t: quaternion(tumbling(t))})
    _, motion = driven(model, controls, times=TIMES[:11])
    for frame, time in enumerate(TIMES[:11]):
        one, two = (matrix(pose)[:3, :3] for pose in motion.X_WL[frame])
        second = model.joint("second")
        apart = (one @ matrix(second.X_PJ)[:3, :3]).T @ two @ matrix(second.X_CJ)[:3, :3]
        assert apart == pytest.approx(tumbling(time).as_matrix(), abs=1e-9)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(
    "joint_type", ["revolute", "screw", "cylindrical", "universal", "custom", "ball", "cable", "d6"]
)
def test_a_prescribed_joint_takes_the_same_effort_whichever_joint_closes(joint_type, backward):
    """Guards prescribed joints of many types, in the tree or closing a loop: the same efforts, and balanced books."""
    found = {}
    for closing in ("left", "tested", "right"):
        model = loose_ring(joint_type, closing, backward)
        joint = model.joint("tested")
        home = np.array(joint.q_home)

        def swung(time, joint=joint, home=home):
            if not joint.kind.chart:
                return home + 0.2 * np.sin(3.0 * time + np.arange(len(home))) - 0.2 * np.sin(np.arange(len(home)))
            start = Rotation.from_quat([*home[-3:], home[-4]])
            return [*(home[:-4] + 0.1 * math.sin(time)), *quaternion(start * tumbling(time))]

        run, motion = driven(model, Controls({"tested": swung}), times=TIMES[:11], record=("efforts",))
        found[closing] = motion.efforts[:, run.compiled.spans["tested"].v]
    assert np.abs(found["right"]).max() > 0.1
    for closing in ("left", "tested"):
        assert found[closing] == pytest.approx(found["right"], abs=1e-6), closing


def flown(time):
    return [0.4 * math.sin(3 * time), 0.1 * time**2, 0.5 * math.cos(time), *quaternion(tumbling(time))]


@pytest.mark.parametrize("how", ["joint", "link"])
def test_a_base_that_is_flown(how):
    """Guards free bases, prescribed by coordinates or guided by pose: they carry along what hangs on them."""
    model = Model(links=[Link("base", 2.0, tuple(COM), INERTIA), Link("arm", 1.0, (0.0, 0.0, -0.5), INERTIA)])
    model.joints.append(Joint("hook", "ball", "base", "arm", (0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0)))
    controls = Controls({"base": flown}) if how == "joint" else Controls(links={"base": flown})
    _, motion = driven(model, controls, times=TIMES[:21])
    for frame, time in enumerate(TIMES[:21]):
        assert motion.X_WL[frame, 0, :3] == pytest.approx(flown(time)[:3], abs=1e-9)
        assert matrix(motion.X_WL[frame, 0])[:3, :3] == pytest.approx(tumbling(time).as_matrix(), abs=1e-9)


def test_both_ways_to_fly_a_base_agree():
    """Guards that a prescribed free joint and a guided link are the same motion of what hangs on them."""
    found = []
    for controls in (Controls({"base": flown}), Controls(links={"base": flown})):
        model = Model(links=[Link("base", 2.0, tuple(COM), INERTIA), Link("arm", 1.0, (0.0, 0.0, -0.5), INERTIA)])
        model.joints.append(Joint("hook", "ball", "base", "arm", (0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0)))
        found.append(driven(model, controls, times=TIMES[:21])[1].X_WL)
    assert found[0] == pytest.approx(found[1], abs=1e-8)


def test_a_pendulum_on_a_shaken_base():
    """Guards guided links: (J + m l^2) a'' = -m l (g + z'') sin a - m l x'' cos a for the base at (x, z), by SciPy."""
    m, l, J = 1.5, 0.8, 0.1
    model = Model(links=[Link("base"), Link("bob", m, (0.0, 0.0, -l), (J, 0.0, 0.0, J, 0.0, J))])
    model.joints.append(Joint("pivot", "revolute", "base", "bob", axes=[ABOUT_Y]))

    def base(time):
        return [0.3 * math.sin(5 * time), 0.0, 0.2 * math.cos(7 * time), 1.0, 0.0, 0.0, 0.0]

    def rates(time, y):  # the bob is at (x - l sin a, z - l cos a)
        x, z = -7.5 * math.sin(5 * time), -9.8 * math.cos(7 * time)
        return [y[1], (-m * l * (G + z) * math.sin(y[0]) + m * l * x * math.cos(y[0])) / (J + m * l**2)]

    run, motion = driven(model, Controls(links={"base": base}), {"q": {"pivot": 0.5}})
    expected = solve_ivp(
        rates,
        (0.0, 2.0),
        [0.5, motion.qd[0, run.compiled.spans["pivot"].v][0]],
        "DOP853",
        TIMES,
        rtol=1e-12,
        atol=1e-12,
    )
    assert motion.q[:, run.compiled.spans["pivot"].q].ravel() == pytest.approx(expected.y[0], abs=1e-7)


def test_the_effort_of_a_prescribed_hinge():
    """Guards efforts and work: tau = (J + m l^2) a'' + m g l sin a, and what was supplied is its integral over a."""
    m, l, J = 2.0, 0.6, 0.3
    model = Model(links=[Link("arm", m, (0.0, 0.0, -l), (J, 0.0, 0.0, J, 0.0, J))])
    model.joints.append(Joint("hinge", "revolute", WORLD, "arm", axes=[ABOUT_Y]))
    a, da, dda = (
        f(TIMES) for f in (lambda t: np.sin(3 * t), lambda t: 3 * np.cos(3 * t), lambda t: -9 * np.sin(3 * t))
    )
    _, motion = driven(model, Controls({"hinge": lambda t: math.sin(3 * t)}), record=("efforts",))
    assert motion.efforts[:, 0] == pytest.approx((J + m * l**2) * dda + m * G * l * np.sin(a), abs=1e-6)
    work = 0.5 * (J + m * l**2) * (da**2 - 9.0) + m * G * l * (1.0 - np.cos(a))
    assert motion.supplied - motion.supplied[0] == pytest.approx(work, abs=1e-8)


def test_the_efforts_of_two_slides_and_a_turn():
    """Guards prescribed joints of several columns: a planar joint's efforts are m x'', m y'' and J a'' at its com."""
    model = Model(links=[Link("puck", 2.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.3))], gravity=NOWHERE)
    model.joints.append(Joint("table", "planar", WORLD, "puck"))
    _, motion = driven(model, Controls({"table": lambda t: [math.sin(t), t**3, math.cos(t)]}), record=("efforts",))
    expected = np.stack([-2.0 * np.sin(TIMES), 12.0 * TIMES, -0.3 * np.cos(TIMES)], axis=1)
    assert motion.efforts == pytest.approx(expected, abs=1e-6)


def test_a_constant_force_on_a_free_body():
    """Guards a callback's wrench on a link: the com obeys F = m a, off the origin where the force acts, and turns."""
    F, m = np.array([1.0, -2.0, 0.5]), 2.0
    sphere = (0.3, 0.0, 0.0, 0.3, 0.0, 0.3)
    model = Model(links=[Link("stone", m, (0.1, 0.2, 0.3), sphere, pose=(1.0, 0, 0, 0.6, 0.8, 0, 0))], gravity=NOWHERE)
    _, motion = driven(model, Controls(forces=lambda _: Forces(links={"stone": [*F, 0.0, 0.0, 0.0]})))
    com = np.array([(matrix(pose) @ [0.1, 0.2, 0.3, 1.0])[:3] for pose in motion.X_WL[:, 0]])
    assert com - com[0] == pytest.approx(np.outer(0.5 * TIMES**2, F / m), abs=1e-8)
    assert np.abs(motion.qd[:, 3:]).max() > 0.1


def test_a_couple_on_a_free_sphere():
    """Guards torques on links: in world axes, a sphere's spin grows by T t / J."""
    T = np.array([0.1, 0.2, -0.3])
    model = Model(links=[Link("ball", 2.0, inertia=(0.3, 0.0, 0.0, 0.3, 0.0, 0.3))], gravity=NOWHERE)
    _, motion = driven(model, Controls(forces=lambda _: Forces(links={"ball": [0.0, 0.0, 0.0, *T]})))
    found = [matrix(pose)[:3, :3] @ qd[3:] for pose, qd in zip(motion.X_WL[:, 0], motion.qd, strict=True)]
    assert np.array(found) == pytest.approx(np.outer(TIMES, T / 0.3), abs=1e-8)


def test_a_torque_on_a_hinge():
    """Guards joint forces, held from one frame to the next: J a'' = 2 in the first second, then 0; work 2 a."""
    model = Model(links=[Link("disc", inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 0.5))], gravity=NOWHERE)
    model.joints.append(Joint("axle", "continuous", WORLD, "disc"))
    controls = Controls(forces=lambda now: Forces({"axle": 2.0 if now.time < 1.0 - 1e-9 else 0.0}))
    _, motion = driven(model, controls, record=("efforts",))
    expected = np.where(TIMES < 1.0, 2.0 * TIMES**2, 2.0 + 4.0 * (TIMES - 1.0))
    assert motion.q[:, 0] == pytest.approx(expected, abs=1e-9)
    assert motion.supplied == pytest.approx(np.minimum(4.0 * TIMES**2, 4.0), abs=1e-8)


def test_a_torque_that_turns_along_with_a_link_that_is_fixed_askew():
    """Guards wrenches in a link's own axes: the tool's x axis is the hinge's, so J a = T at any angle."""
    T, J = 0.7, 0.4
    askew = (0.0, 0.0, 0.0, math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)  # turns x to z
    point = (1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9)
    tool = Link("tool", 1e-9, inertia=point, torque=(T, 0.0, 0.0), force_turns_along=True)
    model = Model(links=[Link("arm", inertia=(1.0, 0.0, 0.0, 1.0, 0.0, J)), tool], gravity=NOWHERE)
    model.joints = [Joint("hinge", "continuous", WORLD, "arm"), Joint("weld", "fixed", "arm", "tool", askew)]
    _, motion = driven(model, Controls(), {"q": {"hinge": 1.0}})
    assert motion.qd[:, 0] == pytest.approx(T * TIMES / J, rel=1e-6)


def test_what_a_callback_sees():
    """Guards `FrameState`: one call for each frame to come, at the time and with the state of the frame before it."""
    seen = []
    model = Model(links=[Link("stone", com=(0.1, 0.0, 0.0))])
    _, motion = driven(
        model, Controls(forces=lambda now: seen.append(now) or Forces()), {"qd": {"stone": [1, 0, 0, 1, 2, 3]}}
    )
    assert [now.frame for now in seen] == list(range(1, len(TIMES)))
    for now in seen:
        assert now.time == TIMES[now.frame - 1]
        assert now.q.tobytes() == motion.q[now.frame - 1].tobytes()
        assert now.X_WL == pytest.approx(motion.X_WL[now.frame - 1], abs=1e-14)


def test_a_loop_joint_can_be_pushed():
    """Guards joint forces on loop joints: a torque on the crank turns a four-bar the same whichever joint closes it."""
    found = []
    for closing in ("crank_pivot", "rocker_pin"):
        model = heavy_four_bar()
        model.joint(closing).closes_loop = True
        _, motion = driven(model, Controls(forces=lambda _: Forces({"crank_pivot": 9.0})), times=TIMES[:21])
        found.append(motion.X_WL[:, :, :3])
    assert found[0] == pytest.approx(found[1], abs=1e-7)


def test_times_need_not_begin_at_zero():
    """Guards the clock: functions and callbacks see the frames' own times."""
    model = Model(links=[Link("disc")], joints=[Joint("axle", "continuous", WORLD, "disc")])
    _, motion = driven(model, Controls({"axle": math.sin}), times=TIMES + 5.0)
    assert motion.q[:, 0] == pytest.approx(np.sin(TIMES + 5.0), abs=1e-9)
    assert motion.qd[:, 0] == pytest.approx(np.cos(TIMES + 5.0), abs=1e-8)


@pytest.mark.parametrize(
    ("controls", "name"),
    [
        (Controls({"nothing": math.sin}), "nothing"),
        (Controls(links={"nothing": flown}), "nothing"),
        (Controls({"crank_pivot": lambda _: math.nan}), "crank_pivot"),
        (Controls({"crank_pivot": lambda t: math.nan if t > 0.5 else 0.0}), "crank_pivot"),
        (Controls({"crank_pivot": lambda _: [0.0, 0.0]}), "crank_pivot"),
        (Controls({"crank_pivot": lambda _: None}), "crank_pivot"),
        (Controls({"crank_pivot": lambda _: "fast"}), "crank_pivot"),
        (Controls(links={"crank": lambda _: [0.0] * 3}), "crank"),
        (Controls(links={"crank": lambda _: [0.0] * 7}), "link 'crank'"),
        (Controls(forces=lambda _: Forces({"nothing": 1.0})), "nothing"),
        (Controls(forces=lambda _: Forces({"crank_pivot": math.nan})), "crank_pivot"),
        (Controls(forces=lambda _: Forces({"crank_pivot": [1.0, 2.0]})), "crank_pivot"),
        (Controls(forces=lambda _: Forces(links={"nothing": [0.0] * 6})), "nothing"),
        (Controls(forces=lambda _: Forces(links={"crank": [0.0] * 5})), "crank"),
        (Controls(forces=lambda _: Forces(links={"crank": "push"})), "crank"),
        (Controls(forces=lambda _: Forces(links={"world": [0.0] * 6})), "world"),
        (Controls(forces=lambda _: None), "forces|callback"),
    ],
)
def test_what_does_not_fit_is_named_in_a_line(controls, name):
    """Guards messages: what is not there, no number, or of another count, is a ModelError of one line with its name."""
    with pytest.raises(ModelError, match=name) as found:
        Simulation(heavy_four_bar(), TIMES, controls=controls).run()
    assert "\n" not in str(found.value)
    assert isinstance(found.value, StateError) or "no link" in str(found.value)


def test_what_acts_is_not_said_to_be_idle():
    """Guards notes: a mimic, a gear and limits without room all act, so no note says that they do not yet."""
    model = Model(links=[Link(f"disc{i}") for i in range(4)], gravity=NOWHERE)
    model.joints = [Joint(f"wheel{i}", "revolute", WORLD, f"disc{i}") for i in range(4)]
    model.joints[1].mimic = Mimic("wheel0", 2.0)
    model.couplings.append(Coupling("teeth", "gear", [("wheel0", 0), ("wheel2", 0)], 3.0))
    model.joints[3].axes[0].lower = model.joints[3].axes[0].upper = 0.0
    run, motion = driven(model, Controls({"wheel0": math.sin}))
    assert motion.q[:, :3] == pytest.approx(np.outer(np.sin(TIMES), [1.0, 2.0, 3.0]), abs=1e-9)
    assert not [note for note in run.report.notes if "yet" in note]


def test_a_link_fixed_to_the_world_cannot_be_guided():
    """Guards what never moves: to guide it elsewhere is refused, with its name."""
    model = Model(links=[Link("base"), Link("disc")])
    join(model, "bolt", "fixed", WORLD, "base", NOWHERE)
    join(model, "axle", "revolute", "base", "disc", NOWHERE, Z)
    with pytest.raises(ModelError, match="base"):
        Simulation(model, TIMES, controls=Controls(links={"base": flown})).run()


def test_polynomials_go_through_what_functions_give():
    """Guards the coefficients of prescribed motion, found without BLAS: powers of the time come out as themselves."""
    found = coefficients_through(np.vander(NODES, increasing=True))
    assert found == pytest.approx(np.eye(len(NODES)), abs=1e-14)
    assert NODES[[0, -1]].tolist() == [-1.0, 1.0]
