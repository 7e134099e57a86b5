# SPDX-License-Identifier: GPL-3.0-or-later
"""What nothing holds is told before it falls, each as it deserves."""

import pytest

from limberjack.core.check import check_start
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.editing.editing import fix_base


def robot(**base):
    return Model("robot", [Link("base", **base), Link("arm")], [Joint("elbow", "revolute", "base", "arm")])


def told(model):
    return [(issue.severity, issue.code, issue.name) for issue in check_start(model, at_rest=False)]


def test_a_machine_that_nothing_holds_is_a_warning():
    """Guards the robot that is at -110 m after 115 frames with nothing said; with its base fixed, nothing is told."""
    model = robot()
    assert told(model) == [("warning", "falls-freely", "base")]
    fix_base(model, "base")
    assert told(model) == []


def test_a_single_body_gets_a_note():
    """Guards what is thrown on purpose: no warning, and of many bodies one note, which names the first."""
    model = Model("m", [Link("ball"), Link("box")])
    assert told(model) == [("note", "falls-freely", "ball"), ("note", "falls-freely", "box")]
    model.links += [Link(f"b{i}") for i in range(3)]
    (issue,) = check_start(model)
    assert (issue.severity, issue.name) == ("note", "")
    assert issue.message.startswith("nothing holds 'ball', 'box', 'b0' and 2 more links")


def test_each_machine_is_told_beside_one_that_is_held():
    """Guards a second robot beside one that hangs in the world."""
    model = robot()
    model.links += [Link("foot"), Link("leg")]
    model.joints += [Joint("hip", "revolute", "foot", "leg"), Joint("hold", "fixed", WORLD, "base")]
    assert told(model) == [("warning", "falls-freely", "foot")]


@pytest.mark.parametrize("why", ["no gravity", "light as air", "pushed", "held by a loop joint", "a free joint"])
def test_what_does_not_fall_by_mistake_is_not_told(why):
    """Guards against false alarms."""
    model = robot(force=(0.0, 0.0, 1.0)) if why == "pushed" else robot()
    if why == "no gravity":
        model.gravity = (0.0, 0.0, 0.0)
    if why == "light as air":
        for link in model.links:
            link.gravity = False
    if why == "held by a loop joint":
        model.joints.append(Joint("rope", "ball", WORLD, "arm", closes_loop=True))
    if why == "a free joint":
        model.joints.append(Joint("start", "free", WORLD, "base"))
    assert told(model) == []


def test_a_joint_that_is_off_holds_nothing():
    """Guards a base whose joint is switched off."""
    model = robot()
    model.joints.append(Joint("hold", "fixed", WORLD, "base", enabled=False))
    assert told(model) == [("warning", "falls-freely", "base")]
