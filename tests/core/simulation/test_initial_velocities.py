# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that start with a velocity of their own, against closed forms."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.check import check_model, check_start
from limberjack.core.formats import write
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.properties import Setting, set_property
from limberjack.core.simulation import Simulation, simulate
from limberjack.core.spatial import IDENTITY

G = 9.81
COM = (0.2, 0.1, -0.3)
EVEN = (0.3, 0.0, 0.0, 0.3, 0.0, 0.3)
V, W = (3.0, -1.0, 4.0), (0.5, 2.0, -1.0)
TURNED = (1.0, 2.0, 3.0, *np.roll(Rotation.from_rotvec([0.3, -0.7, 1.1]).as_quat(), 1).tolist())
TIMES = np.linspace(0.0, 1.0, 25)


def ball(**changes):
    return Link("ball", 2.0, COM, EVEN, velocity=V, angular_velocity=W, **changes)


def require_throw(motion, start):
    """The centre of mass flies along a parabola from where the link starts, and the link spins evenly about it."""
    X_WL = motion.X_WL[:, motion.link_names.index("ball")]
    turns = Rotation.from_quat(np.roll(X_WL[:, 3:], -1, axis=1))
    first = Rotation.from_quat(np.roll(start[3:], -1))
    t = motion.times[:, None]
    expected = np.add(start[:3], first.apply(COM)) + t * V - 0.5 * G * t**2 * (0.0, 0.0, 1.0)
    assert np.abs(X_WL[:, :3] + turns.apply(COM) - expected).max() < 1e-8
    assert ((Rotation.from_rotvec(t * W) * first).inv() * turns).magnitude().max() < 1e-7


def test_a_throw_is_a_parabola():
    """Guards the velocity of the centre of mass, in the world's axes, of a link that is drawn turned."""
    require_throw(simulate(Model(links=[ball(pose=TURNED)]), 1.0, accuracy="exact"), TURNED)


def test_an_initial_pose_does_not_turn_the_velocity():
    """Guards a state that gives the pose alone: the velocity still counts in the world's axes."""
    model = Model(links=[ball()])
    require_throw(simulate(model, 1.0, q={"ball": list(TURNED)}, accuracy="exact"), TURNED)


def test_a_free_joint_of_the_model():
    """Guards free joints with frames of their own, whose coordinates are those of a frame beside the link's."""
    frame = (0.4, -0.2, 0.1, math.cos(0.6), math.sin(0.6), 0.0, 0.0)
    joint = Joint("flies", "free", WORLD, "ball", X_PJ=TURNED, X_CJ=frame)
    model = Model(links=[ball()], joints=[joint])
    start = simulate(model, 1.0, accuracy="exact").X_WL[0, 0]
    require_throw(simulate(model, 1.0, accuracy="exact"), start)


def test_a_state_takes_precedence():
    """Guards states that were saved: their velocities count, and those of links do not come on top."""
    motion = simulate(Model(links=[ball()], gravity=(0.0, 0.0, 0.0)), 1.0, qd={"ball": [0.0] * 6})
    assert np.abs(motion.X_WL[-1, 0] - IDENTITY).max() == 0.0


def test_what_hangs_on_a_link_goes_along():
    """Guards a machine that is thrown: all of it starts as one rigid body, and keeps its momentum without gravity."""
    arm = Link("arm", 1.0, (0.0, 0.0, -0.5), EVEN)
    hinge = Joint("hinge", "revolute", "ball", "arm", X_PJ=(0.5, 0.0, 0.0, *IDENTITY[3:]))
    hinge.axes[0].xyz = (0.0, 1.0, 0.0)
    model = Model(links=[ball(), arm], joints=[hinge], gravity=(0.0, 0.0, 0.0))
    run = Simulation(model, TIMES, "exact")
    motion = run.run()
    turns = [Rotation.from_quat(np.roll(motion.X_WL[:, i, 3:], -1, axis=1)) for i in range(2)]
    coms = [motion.X_WL[:, i, :3] + turns[i].apply(com) for i, com in enumerate((COM, arm.com))]
    middle = (2.0 * coms[0] + coms[1]) / 3.0
    lever = np.subtract(coms[1][0], coms[0][0])
    expected = np.add(V, np.cross(W, lever) / 3.0)
    assert np.abs((middle - middle[0]) - TIMES[:, None] * expected).max() < 1e-8


def test_a_link_that_joints_carry_is_told():
    """Guards a velocity that would have no effect in silence: the warning names the joint and the link to set it on."""
    model = Model(links=[Link("base"), Link("arm", velocity=V)], joints=[Joint("elbow", "revolute", "base", "arm")])
    (issue,) = check_model(model)
    assert (issue.severity, issue.code, issue.name) == ("warning", "idle-velocity", "arm")
    assert "joint 'elbow' carries it: set it on 'base'" in issue.message
    model.joints.append(Joint("hold", "fixed", WORLD, "base"))
    (issue,) = check_model(model)
    assert issue.message.endswith("joint 'elbow' carries it: clear it")
    assert not check_model(Model(links=[ball()]))


def test_numbers_that_are_none_are_errors():
    """Guards simulations from a velocity that is not finite."""
    (issue,) = check_model(Model(links=[Link("ball", velocity=(math.nan, 0.0, 0.0))]))
    assert (issue.severity, issue.code) == ("error", "not-finite")
    assert issue.message.startswith("velocity is nan 0 0")


def test_what_is_thrown_is_not_told_to_fall():
    """Guards throws from the note that nothing holds them."""
    assert [issue.code for issue in check_start(Model(links=[Link("ball")]))] == ["falls-freely"]
    assert not check_start(Model(links=[ball()]))


def test_it_can_be_set_by_name():
    """Guards --set and batches."""
    model = Model(links=[Link("ball")])
    set_property(model, Setting.parse("ball.velocity=1,2,3"))
    set_property(model, Setting.parse("ball.angular_velocity=0,0,-0.5"))
    assert (model.link("ball").velocity, model.link("ball").angular_velocity) == ((1.0, 2.0, 3.0), (0.0, 0.0, -0.5))


@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_formats_tell_what_they_lose(tmp_path, suffix):
    """Guards exports: no format has it, and the losses say so."""
    losses = write(Model("m", links=[ball()]), tmp_path / f"m{suffix}")
    named = suffix[1:].upper()
    assert any(f"link 'ball': {named} has no initial velocity of links; it is left out" in loss for loss in losses)
