# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor judges the mass of all that is fixed together, and not that of a link, or of what is held."""

from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.geometry import Box, Shape
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model
from limberjack.core.model.editing.editing import fix_base
from limberjack.core.simulation import Controls, Simulation
from support.touching import LEVEL, NO_TURN

CUBE = (0.2, 0.2, 0.2)


def robot(base_mass=0.0, finger_mass=0.007):
    """A base, perhaps without a mass, that carries an arm and a finger."""
    hinge, small = Axis(xyz=(0.0, 1.0, 0.0)), (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3)
    links = [
        Link("base", base_mass, inertia=tuple(base_mass * number for number in (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))),
        Link("arm", 0.4, (0.1, 0.0, 0.0), small),
        Link("finger", finger_mass, (0.02, 0.0, 0.0), tuple(1e-3 * number for number in small)),
    ]
    joints = [
        Joint("shoulder", "revolute", "base", "arm", axes=[hinge.copy()]),
        Joint("knuckle", "revolute", "arm", "finger", (0.1, 0.0, 0.0, *NO_TURN), axes=[hinge.copy()]),
    ]
    return Model("robot", links, joints)


def ran(model, **settings):
    run = Simulation(model, np.arange(25) / 24, **settings)
    run.run()
    return run


def codes(model, **settings):
    return [(found.code, found.subject) for found in diagnose(ran(model, **settings))]


def blamed(model, **settings):
    """What is said of ratios of masses, by subject, if the run had failed where it ended."""
    facts = replace(ran(model, **settings).facts(), failed=True)
    return {found.subject: found.message for found in diagnose(facts) if found.code == "mass-ratio"}


def test_a_held_base_without_mass_is_not_blamed():
    """Guards --fix-base on a base of 0 kg: it is held, so its mass changes nothing."""
    model = robot()
    fix_base(model, "base")
    assert blamed(model) == {}


def test_a_base_that_is_led_is_not_blamed():
    """Guards what moves as prescribed: its mass changes nothing, whatever it is."""
    model = robot()
    model.joints.append(Joint("rail", "prismatic", WORLD, "base", axes=[Axis(xyz=(1.0, 0.0, 0.0))]))
    assert blamed(model, controls=Controls(joints={"rail": lambda t: 0.1 * t})) == {}


def test_masses_are_those_of_groups():
    """Guards groups at both ends of a joint: a light link that is fixed to a heavy one is heavy."""
    model = robot(1e-9)
    model.links.append(Link("ballast", 50.0))
    model.joints.append(Joint("bolted", "fixed", "base", "ballast"))
    assert blamed(model) == {}
    model.links[1].mass = 1e-4
    told = blamed(model)["joint 'shoulder'"]
    assert "joins link 'base' and what is fixed to it (1 link) of 50 kg with link 'arm' of 0.0001 kg" in told


def test_a_light_link_is_still_blamed():
    """Guards the finding itself: a finger a hundred thousand times lighter than the arm, on a held base."""
    model = robot(finger_mass=4e-6)
    fix_base(model, "base")
    told = blamed(model)["joint 'knuckle'"]
    assert "joins link 'arm' of 0.4 kg with link 'finger' of 4e-06 kg, 1e+05 times lighter" in told


def tied(**limits):
    """A gripper's two hinges, one of which mimics the other."""
    model = robot(1.0)
    fix_base(model, "base")
    for joint in model.joints[:2]:
        joint.axes[0] = Axis(xyz=(0.0, 1.0, 0.0), **limits)
    model.joint("knuckle").mimic = Mimic("shoulder", 1.06)
    return model


def held_in(model, number_held):
    """Findings on limits of tied joints, if a run had failed while limits held some of the joints."""
    facts = ran(model).facts()
    force_states = facts.seen.force_states
    for states in (
        force_states.is_locked,
        force_states.motion_sign,
        force_states.stop_side,
        force_states.pressed,
        force_states.is_disabled,
    ):
        states[:] = 0
    force_states.is_locked[:number_held] = force_states.motion_sign[:number_held] = 1
    return [found for found in diagnose(replace(facts, failed=True)) if found.code == "limits-tied"]


def test_limits_of_tied_joints_that_hold_at_once_are_named():
    """Guards the true cause of that failure: two joints of one coupling at their velocity limits at one instant."""
    (found,) = held_in(tied(velocity=0.5), 2)
    assert found.subject == "joint 'knuckle'"
    assert "joint 'shoulder' is held at its largest speed" in found.message
    assert "joint 'knuckle' is held at its largest speed" in found.message
    assert held_in(tied(velocity=0.5), 1) == []


def test_of_a_joint_with_two_tied_axes_one_may_hold():
    """Guards limits of a joint that a coupling ties twice, where only one of its axes is at a limit."""
    model = robot(1.0)
    fix_base(model, "base")
    model.joints[0].type = "universal"
    model.joints[0].axes = [Axis(xyz=(1.0, 0.0, 0.0), velocity=0.5), Axis(xyz=(0.0, 1.0, 0.0))]
    model.joints[1].axes = [Axis(xyz=(0.0, 1.0, 0.0), velocity=0.5)]
    axes = (("shoulder", 0), ("shoulder", 1), ("knuckle", 0))
    model.couplings.append(Coupling("gears", "differential", axes))
    (found,) = held_in(model, 2)
    assert found.subject == "joint 'shoulder'"
    assert "joint 'knuckle' is held at its largest speed" in found.message


def standing(name, pose):
    return Link(name, pose=pose, collisions=[Shape("shape", Box((4.0, 4.0, 0.1)))])


def crate(mass, **link):
    inertia = tuple(mass * number / 150.0 for number in (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    return Link("crate", mass, inertia=inertia, collisions=[Shape("shape", Box(CUBE))], **link)


@pytest.mark.parametrize("platform_mass", [1e-4, 5.0])
def test_a_platform_that_is_led_flings_nothing_about(platform_mass):
    """Guards what touches a prescribed platform: 100 kg on one of a gram are no ratio of masses."""
    platform, load = standing("platform", (0.0, 0.0, 0.0, *NO_TURN)), crate(100.0, pose=(0.0, 0.0, 0.15, *NO_TURN))
    platform.mass = platform_mass
    lift = Joint("lift", "prismatic", WORLD, "platform")
    model = Model("lift", [platform, load], [lift], gravity=LEVEL)
    assert codes(model, controls=Controls(joints={"lift": lambda t: 0.1 * t})) == []


def test_the_scale_of_collisions_is_that_of_the_group():
    """Guards a hull whose own mass is a point, with the machine's mass in a link that is fixed to it."""
    hull = crate(1e-6, pose=(0.0, 0.0, 0.15, *NO_TURN))
    hull.inertia = (1e-15, 0.0, 0.0, 1e-15, 0.0, 1e-15)
    engine = Link("engine", 5.0, inertia=(0.03, 0.0, 0.0, 0.03, 0.0, 0.03), pose=hull.pose)
    floor = standing("floor", (0.0, 0.0, 0.0, *NO_TURN))
    held = Joint("held", "fixed", WORLD, "floor")
    alone = Model("hull", [floor, hull], [held], gravity=LEVEL)
    assert ("collision-scale", "link 'crate'") in codes(alone)
    bolted = Joint("bolted", "fixed", "crate", "engine")
    assert codes(Model("hull", [floor, hull, engine], [held, bolted], gravity=LEVEL)) == []
