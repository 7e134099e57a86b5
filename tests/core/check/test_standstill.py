# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nothing would move, the reason is told; the truth is a simulation."""

import numpy as np
import pytest

from limberjack.core.check import check_start, idle_hinges
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import IDENTITY

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def chain(axis=X, count=3, com=(0.5, 0.0, 0.0), **numbers):
    """Bars that lie along x, one after the other, the first on the world."""
    model = Model("chain")
    for i in range(count):
        at = (float(i), *IDENTITY[1:])
        model.links.append(Link(f"bar{i}", com=com, pose=at))
        before, place = (f"bar{i - 1}", (1.0, *IDENTITY[1:])) if i else (WORLD, IDENTITY)
        axes = [Axis(xyz=axis, **numbers)]
        model.joints.append(Joint(f"hinge{i}", "revolute", before, f"bar{i}", X_PJ=place, axes=axes))
    return model


def told(model):
    """(code, name) of what is told of the start."""
    return [(issue.code, issue.name) for issue in check_start(model)]


def travel(model):
    """The longest way that a centre of mass goes, or an angle, in a second."""
    run = Simulation(model, times=np.linspace(0.0, 1.0, 11))
    run.run()
    return float(np.abs(run.trajectory.X_WL - run.trajectory.X_WL[0]).max())


def spring(model):
    model.joints[0].axes[0].spring_stiffness, model.joints[0].axes[0].spring_reference = 10.0, 0.5


def drive(model):
    axis = model.joints[0].axes[0]
    axis.drive_mode, axis.drive_stiffness, axis.drive_target = "position", 10.0, 0.5


def push(model):
    model.links[2].force = (0.0, 1.0, 1.0)


def wind(model):
    model.wind, model.links[0].linear_damping = (0.0, 1.0, 1.0), 1.0


def loose(model):
    del model.joints[0]


def turned(model):
    model.joints[1].axes[0].xyz = Y


STILL = {
    "along the chain": (chain(X), ("gravity-cannot-turn", "hinge0")),
    "upright": (chain(Z), ("gravity-cannot-turn", "hinge0")),
    "balanced": (chain(Y, 1, (0.0, 0.0, 0.0)), ("nothing-moves", "hinge0")),
    "hanging": (chain(Y, 1, (0.0, 0.0, -0.5)), ("nothing-moves", "")),
    "rusty": (chain(Y, friction=100.0), ("nothing-moves", "hinge0")),
    "on a stop": (chain(Y, 1, upper=0.0), ("nothing-moves", "hinge0")),
    "fixed": (Model("m", [Link("a")], [Joint("hold", "fixed", WORLD, "a")]), ("nothing-moves", "")),
}


@pytest.mark.parametrize("name", STILL)
def test_the_reason_is_told_where_nothing_moves(name):
    """Guards the chain that nobody can get to swing: one note, with the joint to blame; a simulation stands still."""
    model, issue = STILL[name]
    assert told(model) == [issue]
    assert travel(model) < 1e-9


def test_no_gravity_is_a_reason():
    """Guards a scene whose gravity is off, where every axis would seem idle."""
    model = chain(Y)
    model.gravity = (0.0, 0.0, 0.0)
    (issue,) = check_start(model)
    assert (issue.code, "no gravity" in issue.message) == ("nothing-moves", True)
    assert travel(model) == 0.0


@pytest.mark.parametrize("change", [spring, drive, push, wind, loose, turned])
def test_what_moves_is_not_told(change):
    """Guards against noise: idle hinges in something that moves, as wheels are on a car, are nobody's trouble."""
    model = chain(Z)
    change(model)
    assert not {"gravity-cannot-turn", "nothing-moves"} & {code for code, _ in told(model)}
    assert travel(model) > 1e-3


def test_a_joint_that_will_let_go_is_waited_for():
    """Guards what falls later: nobody can say that nothing moves."""
    model = chain(X)
    model.joints[1].released_at = 0.5
    assert told(model) == []
    assert travel(model) > 1e-3


@pytest.mark.parametrize("axis", [X, Z])
def test_the_better_axis_lets_gravity_turn_it(axis):
    """Guards the remedy: each idle hinge gets a direction, and with these the chain swings."""
    model = chain(axis)
    hinges = idle_hinges(model)
    assert [hinge.name for hinge in hinges] == ["hinge0", "hinge1", "hinge2"]
    for joint, hinge in zip(model.joints, hinges, strict=True):
        joint.axes[0].xyz = hinge.better
        assert np.abs(hinge.better) == pytest.approx(Y)
    assert told(model) == []
    assert travel(model) > 0.1


def test_no_axis_is_proposed_that_would_not_help():
    """Guards the button: what is joined at its centre of mass, or hangs below an upright axis, has no better one."""
    (balanced,) = idle_hinges(chain(Y, 1, (0.0, 0.0, 0.0)))
    (below,) = idle_hinges(chain(Z, 1, (0.0, 0.0, -0.5)))
    assert balanced.better is below.better is None


def test_links_without_weight_stand_still():
    """Guards links that gravity does not pull at, each by its own setting: nothing moves, and nothing fails."""
    model = chain(Y, 1)
    model.links[0].gravity = False
    assert told(model) == [("nothing-moves", "")]
    assert travel(model) == 0.0


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-5, 1e-6])
def test_a_small_bar_falls_as_a_large_one(size):
    """Guards scenes in millimetres and below: lengths are compared with the model's, not with a metre.

    The link's frame is in its centre of mass, so that only the joint tells how large the model is.
    """
    model = chain(Y, 1, (0.0, 0.0, 0.0))
    model.joints[0].X_CJ = (-size, *IDENTITY[1:])
    assert told(model) == []


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6])
def test_a_small_bar_that_hangs_is_in_balance(size):
    """Guards the reason: a bar that hangs straight down has its centre of mass below the hinge, however near."""
    model = chain(Y, 1, (0.0, 0.0, 0.0))
    model.joints[0].X_CJ = (0.0, 0.0, size, *IDENTITY[3:])
    assert told(model) == [("nothing-moves", "")]
