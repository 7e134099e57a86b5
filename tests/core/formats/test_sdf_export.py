# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole scenes as SDF: models in models, worlds, folders, and what stands by."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from limberjack.core import formats
from limberjack.core.extras import Extra
from limberjack.core.formats import UnwritableError
from limberjack.core.geometry import Box, Capsule, Cone, Ellipsoid, Heightmap, Material, Mesh, Polyline, Shape
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import Axis, Frame, Gearbox, Joint, Light, Link, Mimic, Model
from limberjack.core.model.editing.zeroing import zero_at_home
from limberjack.core.spatial import IDENTITY, compose, inverse, quat_of_rotvec, quat_to_mat

TILTED = (0.3, -0.2, 0.5, *quat_of_rotvec((0.4, -0.3, 0.8)))
TETRAHEDRON = Mesh(
    vertices=np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float),
    faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
)
PNG = b"\x89PNG\r\n\x1a\n"


def near(pose):
    return pytest.approx(pose, abs=1e-12)


def chain(*names: str) -> Model:
    """Links in a row, each hinged to the one before it, at odd poses."""
    model = Model("chain")
    pose = IDENTITY
    for name in names:
        model.links.append(Link(name, pose=pose))
        pose = compose(pose, TILTED)
    for one, other in zip(model.links, model.links[1:], strict=False):
        X_PJ = compose(inverse(one.pose), other.pose)
        model.joints.append(Joint(f"{other.name}_hinge", "revolute", one.name, other.name, X_PJ=X_PJ))
    return model


def there_and_back(model: Model, path, **options) -> Model:
    formats.write(model, path, **options)
    reading = formats.read(path)
    assert reading.ok, reading.issues
    return reading.model


def same_motion(model: Model, other: Model, q: dict, other_q: dict) -> None:
    ours, theirs = tree_poses(model, q), tree_poses(other, other_q)
    assert ours.keys() == theirs.keys()
    for name, pose in ours.items():
        assert theirs[name][:3] == pytest.approx(pose[:3], abs=1e-9)
        assert np.allclose(quat_to_mat(theirs[name][3:]), quat_to_mat(pose[3:]), atol=1e-9)


# ---- models in models


def test_scoped_names_become_models_in_models(tmp_path):
    """Guards nesting: links and joints keep the names `outer::inner`, and the joint between two models stands above."""
    model = chain("a::x", "a::y", "b::c::z")
    back = there_and_back(model, tmp_path / "m.sdf")
    assert {link.name: link.pose for link in back.links} == {link.name: near(link.pose) for link in model.links}
    assert {joint.name for joint in back.joints} == {"a::y_hinge", "b::c::z_hinge"}
    root = ElementTree.parse(tmp_path / "m.sdf").getroot()
    assert [joint.get("name") for joint in root.findall("model/joint")] == ["b__c__z_hinge"]
    assert [link.get("name") for link in root.findall("model/model[@name='b']/model/link")] == ["z"]


def test_before_1_8_there_are_no_models_in_models(tmp_path):
    """Guards old versions, whose references cannot cross models: names are flattened, and come back."""
    model = chain("a::x", "a::y")
    losses = formats.write(model, tmp_path / "m.sdf", sdf_version="1.7")
    assert sum("is named 'a__" in loss for loss in losses) == 3
    assert "<model" not in (tmp_path / "m.sdf").read_text().partition("<link")[2]
    assert {link.name for link in formats.read(tmp_path / "m.sdf").model.links} == {"a::x", "a::y"}


# ---- worlds and folders


def two_pieces() -> Model:
    model = chain("a", "b")
    model.name = "yard"
    model.links += [Link("ground"), Link("arm::base"), Link("arm::hand")]
    model.joints += [
        Joint("ground_static", "fixed", "world", "ground"),
        Joint("arm::wrist", "revolute", "arm::base", "arm::hand"),
    ]
    return model


def test_a_world_has_a_model_for_each_articulation(tmp_path):
    """Guards worlds: what hangs together is one model, what is held is static, and all names come back."""
    model = two_pieces()
    back = there_and_back(model, tmp_path / "w.sdf", world=True)
    root = ElementTree.parse(tmp_path / "w.sdf").getroot()
    assert [element.get("name") for element in root.findall("world/model")] == ["yard", "ground", "arm"]
    assert root.findtext("world/model[@name='ground']/static") == "true"
    assert {link.name for link in back.links} == {link.name for link in model.links}
    assert {joint.name for joint in back.joints} == {joint.name for joint in model.joints}


def test_a_folder_for_each_articulation(tmp_path):
    """Guards folders: each is a whole model of its own, and the world includes them all."""
    model = two_pieces()
    model.link("ground").visuals = [Shape("stone", TETRAHEDRON)]
    back = there_and_back(model, tmp_path / "w.sdf", folders=True, uris="model")
    assert {link.name for link in back.links} == {link.name for link in model.links}
    alone = formats.read(tmp_path / "ground" / "model.sdf").model.link("ground")
    assert alone.visuals[0].geometry.uri == "model://ground/meshes/ground_stone.obj"
    assert (tmp_path / "ground" / "meshes" / "ground_stone.obj").is_file()
    config = ElementTree.parse(tmp_path / "arm" / "model.config").getroot()
    assert (config.findtext("name"), config.findtext("sdf")) == ("arm", "model.sdf")


# ---- joints


def test_a_gearbox_goes_out_and_comes_back(tmp_path):
    """Guards SDF's gearbox, its axes in a frame of its own, on links that are turned against each other."""
    model = chain("rack", "input")
    model.links.append(Link("output", pose=compose(TILTED, TILTED)))
    model.joints.append(Joint("out", "revolute", "rack", "output", X_PJ=model.links[-1].pose))
    gearbox = Gearbox("box", "input", "output", "rack", 2.5, (0.6, 0.8, 0.0), (0.0, 0.6, 0.8), X_CJ=TILTED)
    model.couplings.append(gearbox)
    (back,) = there_and_back(model, tmp_path / "m.sdf").couplings
    assert (back.parent, back.child, back.reference, back.ratio) == ("input", "output", "rack", 2.5)
    assert (back.axis, back.axis2) == (near(gearbox.axis), near(gearbox.axis2))
    assert back.X_CJ[:3] == near(TILTED[:3])


def test_states_of_1_12(tmp_path):
    """Guards <model_state>: a start, in nested models too; older versions tell the loss once."""
    model = chain("a::x", "a::y", "b")
    model.joints[0].home, model.joints[1].home = (0.5,), (-0.25,)
    back = there_and_back(model, tmp_path / "m.sdf", sdf_version="1.12")
    assert (back.joint("a::y_hinge").home, back.joint("b_hinge").home) == ((0.5,), (-0.25,))
    losses = formats.write(model, tmp_path / "m.sdf")
    assert sum("home 0.5" in loss for loss in losses) == 1


def test_states_may_be_in_degrees(tmp_path):
    """Guards the attribute `degrees` of a position, which is for angles alone."""
    (tmp_path / "m.sdf").write_text(
        '<sdf version="1.12"><model name="m"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="h" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
        '<joint name="s" type="prismatic"><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>'
        '<model_state name="m"><joint_state name="h"><axis_state><position degrees="true">90</position></axis_state>'
        '</joint_state><joint_state name="s"><axis_state><position degrees="true">2</position></axis_state>'
        '</joint_state><joint_state name="gone"/></model_state></model></sdf>'
    )
    reading = formats.read(tmp_path / "m.sdf")
    assert reading.model.joint("h").home == near((math.pi / 2,))
    assert reading.model.joint("s").home == (2.0,)
    assert [issue.code for issue in reading.issues] == ["unknown-joint"]


def moved() -> Model:
    """A chain of a hinge, a cross, a plane and a ball, all away from zero, one of them a follower."""
    model = chain("a", "b", "c", "d", "e")
    model.joints[0].axes = [Axis((0.0, 0.6, 0.8), lower=-1.0, upper=2.0, spring_reference=0.5)]
    model.joints[0].home = (0.75,)
    for number, (kind, home) in enumerate(
        (("universal", (0.4, -0.3)), ("planar", (0.1, 0.2, 0.5)), ("ball", quat_of_rotvec((0.1, 0.2, 0.3)))), start=1
    ):
        old = model.joints[number]
        axes = [Axis((1.0, 0.0, 0.0)), Axis((0.0, 1.0, 0.0))] if kind == "universal" else []
        model.joints[number] = Joint(old.name, kind, old.parent, old.child, old.X_PJ, axes=axes, home=home)
    model.links.append(Link("f"))
    follower = Mimic("b_hinge", multiplier=2.0, offset=0.1, reference=0.3)
    model.joints.append(Joint("follows", "revolute", "a", "f", mimic=follower, home=(2.0 * (0.75 - 0.3) + 0.1,)))
    return model


def test_the_home_pose_becomes_the_zero_pose():
    """Guards zero_at_home by the motion: the same model, counted from home; limits, springs and followers too."""
    model = moved()
    zeroed, left = zero_at_home(model)
    assert left == []
    assert all(joint.home == joint.neutral for joint in zeroed.joints)
    hinge = zeroed.joint("b_hinge").axes[0]
    assert (hinge.lower, hinge.upper, hinge.spring_reference) == (-1.75, 1.25, -0.25)
    same_motion(model, zeroed, model.home(), zeroed.home())
    q = {"b_hinge": (1.1,), "c_hinge": (0.7, -0.1), "d_hinge": (0.3, 0.1, -0.2)}
    counted = {"b_hinge": (0.35,), "c_hinge": (0.3, 0.2), "d_hinge": (0.2, -0.1, -0.7)}
    same_motion(model, zeroed, model.home() | q, zeroed.home() | counted)
    mimic = zeroed.joint("follows").mimic
    leader = 1.1
    wanted = 2.0 * (leader - 0.3) + 0.1 - model.joint("follows").home[0]
    assert mimic.multiplier * (leader - 0.75 - mimic.reference) + mimic.offset == pytest.approx(wanted)


def test_what_cannot_be_counted_from_home_is_told():
    """Guards three hinges in a row: the middle one is turned by both others."""
    model = chain("a", "b")
    old = model.joints[0]
    model.joints = [Joint("j", "euler_xyz", "a", "b", old.X_PJ, home=(0.1, 0.2, 0.3))]
    zeroed, left = zero_at_home(model)
    assert len(left) == 1
    assert zeroed.joint("j").home == (0.1, 0.2, 0.3)


def test_export_in_the_home_pose(tmp_path):
    """Guards pose="home": the links stand in the file where a simulation starts."""
    model = moved()
    back = there_and_back(model, tmp_path / "m.sdf", pose="home")
    expected = tree_poses(model, model.home())
    for link in back.links:
        assert link.pose[:3] == pytest.approx(expected[link.name][:3], abs=1e-9)


# ---- what stands by


def test_all_geometries_come_back(tmp_path):
    """Guards every kind of shape, and colours of every sort; the cone asks for a newer version."""
    heights = "<heightmap><uri>file://hills.png</uri></heightmap>"
    geometries = [
        Capsule(0.1, 0.5),
        Ellipsoid((0.1, 0.2, 0.3)),
        Polyline((((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), ((0.1, 0.1), (0.2, 0.1), (0.1, 0.2))), 0.5),
        Heightmap("SDF", "heightmap", heights, "file://hills.png"),
        None,
        Cone(0.2, 0.4),
    ]
    red, dark = (1.0, 0.0, 0.0, 1.0), (0.1, 0.1, 0.1, 1.0)
    paint = Material(red, ambient=dark, specular=(0.5, 0.5, 0.5, 1.0), emissive=(0.0, 0.0, 0.2, 1.0))
    model = Model("m", [Link("a", visuals=[Shape(f"s{i}", g, material=paint) for i, g in enumerate(geometries)])])
    assert "SDF 1.11" in formats.write(model, tmp_path / "m.sdf")[0]
    back = formats.read(tmp_path / "m.sdf").model.link("a").visuals
    assert [shape.geometry for shape in back] == geometries
    assert {shape.material for shape in back} == {paint}
    losses = formats.write(model, tmp_path / "m.sdf", sdf_version="1.9")
    assert sum("is a cone" in loss for loss in losses) == 1


def test_frames_and_lights_come_back(tmp_path):
    """Guards frames on links and in the world, lights on links and in the world."""
    model = chain("a", "b")
    model.frames = [Frame("tool", "b", TILTED), Frame("corner", pose=TILTED)]
    model.lights = [
        Light("sun", "directional", direction=(0.0, 0.6, -0.8), cast_shadows=True, intensity=0.5),
        Light(
            "b::lamp", "spot", "b", TILTED, inner_angle=0.2, outer_angle=0.6, range=3.0, diffuse=(1.0, 0.5, 0.0, 1.0)
        ),
    ]
    back = there_and_back(model, tmp_path / "m.sdf")
    assert {frame.name: frame.link for frame in back.frames} == {"tool": "b", "corner": "world"}
    for frame in back.frames:
        assert frame.pose == near(TILTED)
    lights = {light.name: light for light in back.lights}
    for light in model.lights:
        assert lights[light.name].pose == near(light.pose)
        lights[light.name].pose = light.pose
        assert lights[light.name] == light


def test_a_light_beside_the_only_model_keeps_its_name(tmp_path):
    """A world's one model gives the whole its name; what stands beside the model has no name of it to lose."""
    path = tmp_path / "yard.sdf"
    lamp = '<light name="lamp" type="point"><pose>0 0 3 0 0 0</pose></light>'
    path.write_text(
        f'<sdf version="1.9"><world name="yard">{lamp}<model name="m"><link name="a"><light name="eye" type="spot"/>'
        "</link></model></world></sdf>"
    )
    model = formats.read(path).model
    assert [(light.name, light.link) for light in model.lights] == [("a::eye", "a"), ("lamp", "world")]
    assert {light.name for light in there_and_back(model, tmp_path / "m.sdf").lights} == {"a::eye", "lamp"}


@pytest.mark.parametrize(("in_the_way", "is_folder"), [("m", False), ("m/model.sdf", True)])
def test_what_is_in_the_way_is_named(tmp_path, in_the_way, is_folder):
    """A file where a folder must come, or the other way round, stops the writing before it begins."""
    place = tmp_path / in_the_way
    if is_folder:
        place.mkdir(parents=True)
    else:
        place.touch()
    before = sorted(tmp_path.rglob("*"))
    model = chain("a", "b")
    model.name = "m"
    with pytest.raises(formats.UnwritableError, match=f"{in_the_way}' is a .*; move it away"):
        formats.write(model, tmp_path / "world.sdf", folders=True)
    assert sorted(tmp_path.rglob("*")) == before


PLUGIN = '<plugin name="p" filename="libp.so"><gain>2 &lt; 3</gain><who:am xmlns:who="urn:who" who:x="1"/></plugin>'


def test_what_was_kept_comes_back_in_its_place(tmp_path):
    """Guards plugins, sensors and surfaces: on model, world, link, shape and joint, and inside what we write too."""
    source = tmp_path / "in.sdf"
    source.write_text(
        f'<sdf version="1.9"><world name="w"><physics type="ode"><max_step_size>0.001</max_step_size></physics>'
        f'<model name="m">{PLUGIN}<link name="a"><sensor name="s" type="imu"/><collision name="c"><geometry><box><size>'
        f"1 1 1</size></box></geometry><surface><bounce/></surface></collision></link><link name='b'/>"
        f'<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit><lower>0'
        f"</lower></limit></axis><physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody><ode><cfm>0.1"
        f"</cfm></ode></physics></joint></model></world></sdf>"
    )
    first = formats.read(source)
    assert formats.write(first.model, tmp_path / "out.sdf") == []
    second = formats.read(tmp_path / "out.sdf")
    assert second.model.extras == first.model.extras
    assert [link.extras for link in second.model.links] == [link.extras for link in first.model.links]
    assert second.model.link("a").collisions[0].extras == first.model.link("a").collisions[0].extras
    assert (
        second.model.joint("j").extras
        == first.model.joint("j").extras
        == (Extra("SDF", "ode", "<ode><cfm>0.1</cfm></ode>", ("physics",)),)
    )
    assert second.model.joint("j").closes_loop
    root = ElementTree.parse(tmp_path / "out.sdf").getroot()
    assert root.find("world/physics/max_step_size") is not None
    assert len(root.findall("world/model/joint/physics")) == 1


def test_what_belongs_to_another_format_is_told(tmp_path):
    """Guards against silence: a transmission means nothing in SDF."""
    model = chain("a", "b")
    model.joints[0].extras = (Extra("URDF", "safety_controller", "<safety_controller/>"),)
    model.extras = (Extra("URDF", "transmission", "<transmission/>"),)
    losses = formats.write(model, tmp_path / "m.sdf")
    assert [loss.partition(": ")[2] for loss in losses] == [
        "<safety_controller> means nothing in SDF, and is left out",
        "<transmission> means nothing in SDF, and is left out",
    ]


# ---- meshes and options


def test_meshes_are_named_from_the_new_folder(tmp_path):
    """The new file leads to the same mesh: from its own folder, by its folder's name, or out of it, which is told."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.stl").write_bytes(b"solid")
    (tmp_path / "there" / "m.sdf").write_text(
        '<sdf version="1.9"><model name="m"><link name="a"><visual name="v"><geometry><mesh><uri>a.stl</uri></mesh>'
        "</geometry></visual></link></model></sdf>"
    )
    (tmp_path / "here").mkdir()
    model = formats.read(tmp_path / "there" / "m.sdf").model
    (told,) = formats.write(model, tmp_path / "here" / "m.sdf")
    assert "names the mesh '../there/a.stl', outside of the file's folder" in told
    assert "<uri>../there/a.stl</uri>" in (tmp_path / "here" / "m.sdf").read_text()
    for uris, uri in (("relative", "a.stl"), ("model", "model://there/a.stl")):
        assert formats.write(model, tmp_path / "there" / "n.sdf", uris=uris) == []
        assert f"<uri>{uri}</uri>" in (tmp_path / "there" / "n.sdf").read_text()


@pytest.mark.parametrize("option", [{"uris": "fuel"}, {"pose": "now"}, {"sdf_version": "2.0"}])
def test_unknown_options_are_refused(tmp_path, option):
    """Guards callers from scripts: an option that is none is told, with those that there are."""
    with pytest.raises(UnwritableError, match="is not known"):
        formats.write(chain("a"), tmp_path / "m.sdf", **option)
    assert not (tmp_path / "m.sdf").exists()


def test_a_box_keeps_its_mirrored_twin(tmp_path):
    """Guards shapes of equal names in one link: the second is renamed, and told."""
    twins = [Shape("s", Box((1.0, 1.0, 1.0))), Shape("s", Box((2.0, 1.0, 1.0)))]
    losses = formats.write(Model("m", [Link("a", visuals=twins)]), tmp_path / "m.sdf")
    assert losses == ["link 'a': visual 's' is named 's_2'"]


@pytest.mark.parametrize("name", ["m.sdf", "m.urdf"])
def test_an_image_goes_along(tmp_path, name):
    """Guards textures of primitives: the image lies beside the file, which holds no path of this machine."""
    (tmp_path / "wood.png").write_bytes(PNG)
    (tmp_path / "out").mkdir()
    wood = Shape("s", Box((1.0, 1.0, 1.0)), material=Material(texture=str(tmp_path / "wood.png")))
    assert formats.write(Model("m", [Link("a", visuals=[wood])]), tmp_path / "out" / name) == []
    (image,) = (tmp_path / "out" / "meshes").glob("wood_*.png")
    assert image.read_bytes() == PNG
    text = (tmp_path / "out" / name).read_text()
    assert f"meshes/{image.name}" in text
    assert str(tmp_path) not in text
