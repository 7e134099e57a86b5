# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is computed with a model that is not sound, whichever function is asked."""

import math

import numpy as np
import pytest

import limberjack as lj
from limberjack.core import dynamics, kinematics
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.model.compiling.compile import compile_model

NAN = math.nan
TURNED = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def arm(second="b", mass=1.0, pose=TURNED, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), X_PJ=TURNED):
    """Two links on hinges."""
    links = [Link("a", 1.0), Link(second, mass, inertia=inertia, pose=pose)]
    axes = [Axis(axis)]
    joints = [
        Joint("shoulder", "revolute", WORLD, "a", axes=axes),
        Joint("elbow", "revolute", "a", second, X_PJ, axes=axes),
    ]
    return Model("arm", links, joints)


UNSOUND = {
    "two of one name": (arm("a"), "link 'a': 2 have this name; give each a name of its own"),
    "negative mass": (arm(mass=-1.0), "link 'b': mass is -1 kg; give 0 or more"),
    "no mass": (arm(mass=NAN), "link 'b': mass is nan kg; give a finite number, 0 or more"),
    "pose": (arm(pose=(NAN, *TURNED[1:])), "link 'b': pose is nan 0 0 1 0 0 0; give finite numbers"),
    "inertia": (arm(inertia=(math.inf,) * 6), "link 'b': inertia is inf inf inf inf inf inf; give finite numbers"),
    "six numbers of nine": (arm(inertia=np.eye(3)), r"link 'b': inertia is an array of shape \(3, 3\); give 6 numbers"),
    "a matrix": (arm(X_PJ=np.eye(4)), r"joint 'elbow': frame in the parent is an array of shape \(4, 4\); give 7"),
    "a point": (
        arm(pose=(1.0, 2.0, 3.0)),
        "link 'b': pose is '1 2 3', 3 numbers; give 7 numbers: x, y, z and the quat",
    ),
    "axis": (arm(axis=(NAN, 0.0, 0.0)), "joint 'shoulder': xyz of its axis is nan 0 0; give finite numbers"),
}

ENTRANCES = {
    "compile_model": compile_model,
    "forward_kinematics": kinematics.forward_kinematics,
    "link_jacobian": lambda model: kinematics.link_jacobian(model, None, "b"),
    "mass_matrix": dynamics.mass_matrix,
    "inverse_dynamics": dynamics.inverse_dynamics,
    "forward_dynamics": dynamics.forward_dynamics,
    "gravity_forces": dynamics.gravity_forces,
    "momentum": dynamics.momentum,
    "centre_of_mass": dynamics.centre_of_mass,
    "ArticulationView": lj.ArticulationView,
    "simulate": lambda model: lj.simulate(model, duration=0.1),
    "Simulation": lambda model: lj.Simulation(model, [0.0, 0.1]),
}


@pytest.mark.parametrize("ask", ENTRANCES.values(), ids=ENTRANCES)
@pytest.mark.parametrize(("model", "told"), UNSOUND.values(), ids=UNSOUND)
def test_one_answer_at_every_entrance(model, told, ask):
    """Guards against numbers out of nonsense: all that take a model refuse it with the sentence of `check_model`."""
    with pytest.raises(ModelError, match=told):
        ask(model)


@pytest.mark.parametrize("ask", ENTRANCES.values(), ids=ENTRANCES)
def test_a_sound_model_is_taken(ask):
    """Guards the test above: its functions work on the model without its mistakes."""
    ask(arm())
