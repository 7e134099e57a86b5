# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops, followers and couplings as equality constraints."""

from xml.etree import ElementTree

import numpy as np
import pytest

from limberjack.core.formats import read, write
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model
from limberjack.core.spatial import IDENTITY
from support.mjcf_bodies import body_poses, rotation, transform

SOLID = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)


def fan(count: int = 3) -> Model:
    """Links that turn about z on one line in the world, one metre apart."""
    model = Model("m")
    for number in range(count):
        model.links.append(Link(f"l{number}", 1.0, inertia=SOLID))
        place = (float(number), *IDENTITY[1:])
        model.joints.append(Joint(f"j{number}", "continuous", WORLD, f"l{number}", place, axes=[Axis((0.0, 0.0, 1.0))]))
    for link, joint in zip(model.links, model.joints, strict=True):
        link.pose = joint.X_PJ
    return model


def written(model: Model, folder):
    losses = write(model, folder / "m.xml")
    return ElementTree.parse(folder / "m.xml").getroot(), losses


def equations(root):
    """(joint1, joint2, constant, factor) of each equation between joints."""
    return [
        (each.get("joint1"), each.get("joint2"), *map(float, each.get("polycoef").split()[:2]))
        for each in root.findall("equality/joint")
    ]


@pytest.mark.parametrize("kind", ["revolute", "ball", "fixed"])
def test_the_two_ends_of_a_loop_meet_as_drawn(kind, tmp_path):
    """Guards the sites of a loop: they coincide in the file's own pose, as the joint's frames do."""
    model = fan(2)
    X_PJ, X_CJ = (0.5, 0.2, 0.1, *IDENTITY[3:]), (-0.5, 0.2, 0.1, *IDENTITY[3:])
    joint = Joint("loop", kind, "l0", "l1", X_PJ, X_CJ, [Axis((0.0, 0.6, 0.8))] if kind == "revolute" else [])
    model.joints.append(joint)
    root, losses = written(model, tmp_path)
    assert losses == []
    poses = body_poses(tmp_path / "m.xml", {"j0": [0.0], "j1": [0.0]})
    places = {}
    for body in root.iter("body"):
        for site in body.findall("site"):
            pos = [float(word) for word in site.get("pos").split()]
            quat = [float(word) for word in site.get("quat", "1 0 0 0").split()]
            places[site.get("name")] = poses[body.get("name")] @ transform(pos, rotation(quat))
    ties = list(root.find("equality"))
    assert [each.tag for each in ties] == {"revolute": ["connect"] * 2, "ball": ["connect"], "fixed": ["weld"]}[kind]
    for each in ties:
        assert each.get("solimp") == "0.9999 0.9999 0.001"  # as exact as MuJoCo can
        assert places[each.get("site1")] == pytest.approx(places[each.get("site2")])
    if kind == "revolute":  # both points are on the axis
        apart = places[ties[1].get("site1")][:3, 3] - places[ties[0].get("site1")][:3, 3]
        assert np.cross(apart, (0.0, 0.6, 0.8)) == pytest.approx(np.zeros(3))
    if kind != "revolute":
        again = read(tmp_path / "m.xml").model.joint("loop")
        assert (again.type, again.X_PJ, again.X_CJ) == (kind, X_PJ, X_CJ)


def test_loops_that_mjcf_lacks_are_told(tmp_path):
    """Guards loops of joints that are neither hinge, ball nor fixed, and what acts in a loop."""
    model = fan(2)
    X_PJ, X_CJ = (0.5, 0.0, 0.0, *IDENTITY[3:]), (-0.5, 0.0, 0.0, *IDENTITY[3:])
    model.joints.append(Joint("loop", "universal", "l0", "l1", X_PJ, X_CJ, [Axis(), Axis((0.0, 1.0, 0.0))]))
    root, losses = written(model, tmp_path)
    assert root.find("equality") is None
    assert losses == ["joint 'loop' closes a loop, which MJCF cannot do with type universal"]
    model.joints[-1] = Joint("loop", "revolute", "l0", "l1", X_PJ, X_CJ, [Axis((0.0, 0.0, 1.0), damping=0.1)])
    _, losses = written(model, tmp_path)
    words = "its limits, springs, friction and drives are left out"
    assert losses == [f"joint 'loop' closes a loop by an equality constraint; {words}"]


def test_mimics_follow_in_a_line(tmp_path):
    """Guards multiplier, offset and reference of a mimic: q0 = 2 (q1 - 0.1) + 0.3."""
    model = fan(2)
    model.joints[0].mimic = Mimic("j1", 2.0, 0.3, 0.1)
    root, losses = written(model, tmp_path)
    assert losses == []
    (found,) = equations(root)
    q1 = 0.7
    follower, leader, constant, factor = found
    values = {"j1": q1, "j0": 2.0 * (q1 - 0.1) + 0.3}
    assert values[follower] == pytest.approx(constant + factor * values[leader])
    mimic = read(tmp_path / "m.xml").model.joint(follower).mimic
    assert mimic.multiplier * (values[leader] - mimic.reference) + mimic.offset == pytest.approx(values[follower])


def test_followers_start_where_they_are_led(tmp_path):
    """Guards the key, which would begin with equations that do not hold: also of a model that starts at zero."""
    model = fan(2)
    model.joints[1].mimic = Mimic("j0", 2.0, 0.3)
    root, _ = written(model, tmp_path)
    assert root.find("keyframe/key").get("qpos") == "0 0.3"


def test_couplings_of_two_axes_are_equations(tmp_path):
    """Guards ratio and offset of gears: output - ratio * input = offset."""
    model = fan(2)
    model.couplings = [Coupling("gear", "gear", [("j0", 0), ("j1", 0)], ratio=-3.0, offset=0.2)]
    root, losses = written(model, tmp_path)
    assert losses == []
    ((follower, leader, constant, factor),) = equations(root)
    values = {"j0": 0.5, "j1": -3.0 * 0.5 + 0.2}
    assert values[follower] == pytest.approx(constant + factor * values[leader])


def test_couplings_of_three_axes_are_tendons_of_constant_length(tmp_path):
    """Guards differentials, by Willis' equation: side + ratio * other side = (1 + ratio) * carrier + offset."""
    model = fan(3)
    model.couplings = [Coupling("diff", "differential", [("j0", 0), ("j1", 0), ("j2", 0)], ratio=0.5, offset=0.1)]
    root, losses = written(model, tmp_path)
    assert losses == []
    weights = {each.get("joint"): float(each.get("coef")) for each in root.find("tendon/fixed")}
    values = {"j0": 0.4, "j2": -0.3}
    values["j1"] = 1.5 * values["j0"] - 0.5 * values["j2"] + 0.1
    (tie,) = root.findall("equality/tendon")
    length = float(tie.get("polycoef").split()[0])
    assert sum(weights[name] * value for name, value in values.items()) == pytest.approx(length)
    assert tie.get("tendon1") == root.find("tendon/fixed").get("name")


def test_a_constant_coordinate_becomes_a_part_of_the_constant(tmp_path):
    """Guards couplings with an axis that limits keep at one value, which has no joint in the file."""
    model = fan(3)
    axis = model.joint("j0").axes[0]
    model.joint("j0").type = "revolute"
    axis = model.joint("j0").axes[0]
    axis.lower = axis.upper = 0.4
    model.joint("j0").home = (0.4,)
    model.couplings = [Coupling("diff", "differential", [("j0", 0), ("j1", 0), ("j2", 0)], ratio=0.5)]
    root, _ = written(model, tmp_path)
    ((follower, leader, constant, factor),) = equations(root)
    values = {"j2": -0.3, "j1": 1.5 * 0.4 - 0.5 * -0.3}
    assert values[follower] == pytest.approx(constant + factor * values[leader])
    model.couplings = [Coupling("gear", "gear", [("j0", 0), ("j1", 0)], ratio=2.0)]
    root, _ = written(model, tmp_path)
    assert equations(root) == [("j1", None, pytest.approx(0.8), 0.0)]


def test_a_coupling_of_many_axes_comes_back(tmp_path):
    """A weighted sum is a tendon of constant length, and is read as the same sum."""
    model = fan(4)
    axes = [(joint.name, 0) for joint in model.joints]
    model.couplings = [Coupling("sum", "sum", axes, offset=0.2, weights=[0.5, -1.0, 2.0, 0.25])]
    assert write(model, tmp_path / "m.xml") == []
    (found,) = read(tmp_path / "m.xml").model.couplings
    assert (found.axes, found.weights) == (axes, [0.5, -1.0, 2.0, 0.25])
    assert found.offset == pytest.approx(0.2)


def test_couplings_of_what_mjcf_has_not_are_told(tmp_path):
    """Guards couplings with the axis of a joint that the file leaves out."""
    model = fan(2)
    model.joint("j1").enabled = False
    model.couplings = [Coupling("gear", "gear", [("j0", 0), ("j1", 0)])]
    root, losses = written(model, tmp_path)
    assert equations(root) == []
    assert "the coupling 'gear' is left out: it couples what MJCF has not" in losses
