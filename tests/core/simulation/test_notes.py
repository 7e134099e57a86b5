# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may not expect of a run is told, and nothing else is."""

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Controls, Schedule, Simulation
from limberjack.core.simulation.notes import run_notes


def notes_on(model):
    return run_notes(compile_model(model, split_loops=True))


def test_what_acts_is_no_remark():
    """Guards against noise: a joint that holds its link in the world, with all that an axis can have."""
    axis = Axis(lower=-1.0, friction=1.0, velocity=2.0, drive_mode="force", drive_target=3.0)
    assert notes_on(Model("m", [Link("a")], [Joint("j", "revolute", WORLD, "a", axes=[axis])])) == []


def test_what_a_marked_joint_holds_does_not_float():
    """Guards against a false alarm: a joint that is marked for nothing holds its link all the same."""
    model = Model("m", [Link("a"), Link("b"), Link("c")])
    model.joints = [Joint("one", "revolute", WORLD, "a"), Joint("two", "revolute", "a", "b")]
    for joint in model.joints:
        joint.closes_loop = True
    (told,) = notes_on(model)
    assert told.startswith("link 'c': nothing holds it, so it falls; ")
    model.gravity = (0.0, 0.0, 0.0)
    assert notes_on(model) == ["link 'c' is not joined to the world: it floats"]


def test_what_is_led_does_not_float():
    """Guards against a false alarm: a link whose motion is prescribed holds what hangs on it."""
    model = Model("m", [Link("hand"), Link("bar"), Link("c")], [Joint("hinge", "revolute", "hand", "bar")])
    (told,) = run_notes(compile_model(model, split_loops=True), led=["bar"])
    assert told.startswith("link 'c': nothing holds it, so it falls; ")


def test_what_is_meant_to_fall_is_not_reported():
    """Guards characters: neither a note nor the doctor says that nothing holds one, with others beside it or alone."""
    model = Model("m", [Link("hips"), Link("head")], [Joint("neck", "ball", "hips", "head")])
    times = np.array((0.0, 0.1))
    meant = Simulation(model, times, meant_to_fall=["hips"])
    meant.run()
    assert (meant.diagnose(), meant.report.notes) == ([], [])
    model.links += [Link("base"), Link("bar")]
    model.joints.append(Joint("hinge", "revolute", "base", "bar"))
    (told,) = Simulation(model, times, meant_to_fall=["hips"]).report.notes
    assert told.startswith("link 'base': nothing holds it")


def wheels(count, **axis):
    """Wheels of 2 kg m^2, each turned by a torque of its own."""
    links = [Link(f"rim{i}", 1.0, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 2.0)) for i in range(count)]
    joints = [
        Joint(f"hub{i}", "revolute", WORLD, f"rim{i}", axes=[Axis(drive_mode="force", drive_target=8.0 + i, **axis)])
        for i in range(count)
    ]
    return Model(links=links, joints=joints)


@pytest.mark.parametrize("begin", [0.0, 3.0])
def test_who_moves_at_the_velocity_limit_is_told(begin):
    """Guards what no other engine does: a torque of 8 N m takes 0.5 s to 2 rad/s, and 1.5 s of 2 s are left."""
    run = Simulation(wheels(1, velocity=2.0), begin + np.arange(49) / 24)
    run.run()
    (note,) = run.report.notes
    assert note.startswith("joint 'hub0' moved at its velocity limit, 2 rad/s (114.6°/s), for 1.5 s")
    assert Simulation(wheels(1), np.arange(49) / 24).report.notes == []
    slower = Simulation(wheels(1, velocity=9.0), np.arange(49) / 24)
    slower.run()
    assert slower.report.notes == []


def test_many_at_the_velocity_limit_are_counted():
    """Guards long lists: the three that were at it longest, and how many more, through a change of what acts too."""
    model = wheels(6, velocity=2.0)
    model.joints.append(Joint("latch", "fixed", WORLD, "rim5"))
    opens = Controls(schedule=Schedule(enabled={"latch": lambda time: time < 0.2}))
    run = Simulation(model, np.arange(49) / 24, controls=opens)
    run.run()
    *named, last = run.report.notes
    assert [note.split("'")[1] for note in named] == ["hub4", "hub3", "hub2"]
    assert last == "so did 3 more joints at theirs"
