# SPDX-License-Identifier: GPL-3.0-or-later
"""What URDF cannot say: kept where it came from URDF, and told once where it is lost."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from limberjack.core import formats
from limberjack.core.extras import Extra
from limberjack.core.geometry import (
    Material,
    Shape,
    Sphere,
)
from limberjack.core.model import Axis, Coupling, Frame, Joint, Light, Link, Mimic, Model
from support.urdf import two_links, written


def test_what_was_kept_comes_back_in_its_place(tmp_path):
    """Elements of a URDF that mean nothing here are in the file again, where they were, and nothing is lost."""
    text = (
        '<robot name="m" xmlns:drake="http://drake.mit.edu" version="1.2"><link name="a">'
        '<contact><stiffness value="1"/></contact><collision name="c"><geometry><box size="1 1 1"/></geometry>'
        '<drake:proximity_properties><drake:mu value="1"/></drake:proximity_properties></collision></link>'
        '<link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        '<safety_controller k_velocity="1"/><calibration rising="0"/>'
        '<limit lower="0" upper="1" effort="2" velocity="3" acceleration="4" drake:jerk="5"/></joint>'
        '<transmission name="t"><joint name="j"/></transmission><drake:member link="a"/><drake:member link="b"/>'
        '<gazebo><static>true</static></gazebo><gazebo reference="b"><mu1>1</mu1></gazebo>'
        '<gazebo reference="j"><stopKd>1</stopKd></gazebo></robot>'
    )
    path = tmp_path / "in.urdf"
    path.write_text(text)
    model = formats.read(path).model
    back, losses = written(model, tmp_path)
    assert losses == []
    told = [
        (back.extras, model.extras),
        *((back.link(n).extras, model.link(n).extras) for n in "ab"),
        (back.joint("j").extras, model.joint("j").extras),
        (back.link("a").collisions[0].extras, model.link("a").collisions[0].extras),
    ]
    for theirs, ours in told:
        assert {extra.text for extra in theirs} == {extra.text for extra in ours}
    assert ElementTree.parse(tmp_path / "m.urdf").find("joint/limit").get("acceleration") == "4"


def hinge(**fields) -> Model:
    return two_links(Joint("j", "revolute", "a", "b", axes=[Axis(lower=-1.0, upper=1.0, **fields)]))


def with_joint(**fields) -> Model:
    model = hinge()
    for name, value in fields.items():
        setattr(model.joint("j"), name, value)
    return model


def with_model(**fields) -> Model:
    return replace(hinge(), **fields)


def with_link(**fields) -> Model:
    model = hinge()
    model.links[1] = replace(model.links[1], **fields)
    return model


def looped() -> Model:
    model = hinge()
    model.joints.append(Joint("loop", "ball", "a", "b"))
    return model


def with_differential() -> Model:
    model = Model(links=[Link(name) for name in "abcd"])
    model.joints = [Joint(f"to {name}", "continuous", "a", name) for name in "bcd"]
    model.couplings = [Coupling("d", "differential", [(joint.name, 0) for joint in model.joints])]
    return model


def shifted() -> Model:
    """A kept element on a link whose frame is to move."""
    model = two_links(Joint("j", "continuous", "a", "b", X_CJ=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)))
    model.links[1].extras = (Extra("URDF", "gazebo", '<gazebo reference="b"><sensor/></gazebo>'),)
    return model


def visual(**fields) -> list[Shape]:
    return [Shape("s", Sphere(1.0), **fields)]


OTHER = (Extra("SDF", "sensor", "<sensor/>"), Extra("SDF", "sensor", "<sensor/>"))
LOSSES = {
    "stiffness and dissipation": hinge(stiffness=1e3, dissipation=2.0),
    "restitution": hinge(restitution=0.5),
    "armature": hinge(armature=0.5),
    "spring": hinge(spring_stiffness=0.5),
    "position drive": hinge(drive_mode="position", drive_stiffness=1.0),
    "home": with_joint(home=(0.5,)),
    "switched off": with_joint(enabled=False),
    "when a joint breaks": with_joint(released_at=1.0),
    "at which load": with_joint(break_torque=1.0),
    "<sensor> is of another format": with_joint(extras=OTHER),
    "link 'b': <sensor> is of another format": with_link(extras=OTHER),
    "model 'model': <sensor> is of another format": with_model(extras=OTHER),
    "visual 's': <sensor> is of another format": with_link(visuals=visual(extras=OTHER)),
    "closes a loop": looped(),
    "no ball joint": two_links(Joint("j", "ball", "a", "b")),
    "no screw joint": two_links(Joint("j", "screw", "a", "b")),
    "only Pinocchio": two_links(Joint("j", "free", "a", "b")),
    "follows one joint": with_differential(),
    "gravity; 0 0 -1.62": with_model(gravity=(0.0, 0.0, -1.62)),
    "no lights": with_model(lights=[Light("lamp")]),
    "frame 'f'": with_model(frames=[Frame("f", "b")]),
    "gravity does not pull": with_link(gravity=False),
    "its damping": with_link(linear_damping=0.1),
    "ambient and specular": with_link(visuals=visual(material=Material((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)))),
    "shines": with_link(visuals=visual(material=Material(emissive=(1.0, 0.0, 0.0, 1.0)))),
    "not known": with_link(visuals=[Shape("s", None)]),
    "no limits on a joint of several": two_links(
        Joint("j", "planar", "a", "b", axes=[Axis(lower=-1.0, upper=1.0), Axis(), Axis()])
    ),
    "three numbers": two_links(Joint("j", "planar", "a", "b", axes=[Axis(damping=1.0), Axis(), Axis()])),
    "cannot lock some": two_links(Joint("j", "planar", "a", "b", axes=[Axis(locked=True), Axis(), Axis()])),
    "its frame is its joint's now": shifted(),
    "not drawn where": with_link(pose=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)),
    "as joint 'j' is": replace(
        looped(),
        joints=[Joint("j", "revolute", "a", "b", enabled=False), Joint("k", "continuous", "a", "b", mimic=Mimic("j"))],
    ),
}


@pytest.mark.parametrize("said", LOSSES)
def test_each_loss_is_told_once(tmp_path, said):
    """One thing that URDF cannot say, one line, and none for anything else; two where the loss has a follower."""
    losses = formats.write(LOSSES[said], tmp_path / "m.urdf")
    assert len([line for line in losses if said in line]) == 1
    assert len(losses) == 1 + (said == "as joint 'j' is")


def test_nothing_is_lost_of_what_urdf_can_say(tmp_path):
    """A hinge with limits, losses and motor limits is no loss."""
    axis = {"effort": 1.0, "velocity": 2.0, "damping": 3.0, "friction": 4.0}
    assert formats.write(hinge(**axis), tmp_path / "m.urdf") == []
