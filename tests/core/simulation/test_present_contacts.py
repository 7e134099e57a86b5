# SPDX-License-Identifier: GPL-3.0-or-later
"""`Simulation.contacts` belongs to the last frame that is done, whatever happens on the way to the next one."""

import numpy as np
import pytest

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.records.named_contacts import contacts_of
from limberjack.core.simulation import Controls, Forces, Simulation, SimulationError

TIMES = np.arange(25) / 24.0
REST = (1.0, 0.0, 0.0, 0.0)


def bouncing_ball():
    """A ball that falls onto a floor, and is on it for some frames only."""
    floor = Link("floor", pose=(0.0, 0.0, -0.5, *REST), collisions=[Shape("box", Box((4.0, 4.0, 1.0)))])
    ball = Link("ball", pose=(0.0, 0.0, 0.4, *REST), collisions=[Shape("ball", Sphere(0.1))])
    hold = Joint("hold", "fixed", WORLD, "floor", X_PJ=floor.pose)
    return Model("bounce", [floor, ball], [hold])


def as_data(contacts):
    return [(found.first, found.second, found.point.tolist(), found.force.tolist(), found.gap) for found in contacts]


def test_contacts_agree_with_those_that_are_recorded():
    """Guards every frame: what is recorded of it is what `contacts` has when the frame is done."""
    run = Simulation(bouncing_ball(), TIMES, record=["contacts"])
    assert run.contacts == []
    counts, done = [], 0
    for frames in run:
        if frames > done:
            done = frames
            counts.append(len(run.contacts))
            recorded = run.trajectory.contacts.at(done - 1)
            assert [tuple(found.point) for found in run.contacts] == [tuple(point) for point in recorded.point]
    assert 0 in counts
    assert 1 in counts


def test_an_unfinished_frame_changes_nothing():
    """Guards an event between two frames: a joint lets go, and the contacts are found anew on the other side of it."""
    model = bouncing_ball()
    model.links[1].pose = (0.0, 0.0, 0.1, *REST)
    model.links.append(Link("stone", pose=(1.0, 0.0, 3.0, *REST)))
    model.joints.append(Joint("clamp", "fixed", WORLD, "stone", X_PJ=model.links[2].pose, released_at=0.51))
    run = Simulation(model, TIMES)
    at_frame, done, unfinished, differs = [], 0, 0, False
    for frames in run:
        if frames > done:
            done, at_frame = frames, as_data(run.contacts)
            continue
        unfinished += 1
        differs = differs or as_data(contacts_of(*run._stage.points())) != at_frame
        assert as_data(run.contacts) == at_frame
    assert unfinished
    assert differs, "the solver never had other contacts between two frames, so this shows nothing"


def test_a_failure_keeps_those_of_the_last_frame():
    """Guards whoever looks for a cause: the contacts are those of the last good frame, not of the failed step."""

    def pushed(moment):
        return Forces(links={"ball": (0.0, 0.0, 0.0, 1e40 * (moment.time >= 0.5), 0.0, 0.0)})

    run = Simulation(bouncing_ball(), TIMES, controls=Controls(forces=pushed), record=["contacts"])
    with pytest.raises(SimulationError):
        run.run()
    last = run.trajectory.contacts.at(run.frames_done - 1)
    assert [tuple(found.point) for found in run.contacts] == [tuple(point) for point in last.point]


def test_restored_contacts():
    """Guards `restore`: the contacts are those of the frame to which it goes back."""
    run = Simulation(bouncing_ball(), TIMES)
    kept = {}
    done = 0
    for frames in run:
        if frames > done:
            done = frames
            kept[done] = run.snapshot(), as_data(run.contacts)
    for snapshot, wanted in (kept[24], kept[8], kept[1]):
        run.restore(snapshot)
        assert as_data(run.contacts) == wanted
