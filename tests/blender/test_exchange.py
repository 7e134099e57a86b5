# SPDX-License-Identifier: GPL-3.0-or-later
"""Models leave and come in without losing anything."""

import dataclasses
import math

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.scene.write import store_joint, write_scene
from limberjack.core.extras import Extra
from limberjack.core.formats import read
from limberjack.core.geometry import Box, Cylinder, Material, Mesh, Shape, Sphere, Surface
from limberjack.core.model import Axis, ContactPair, Joint, Link, Mimic, Model
from limberjack.core.spatial import compose, inverse, quat_to_mat

from .conftest import joint, link

TURN = (math.cos(0.3), 0.0, math.sin(0.3), 0.0)
TETRAHEDRON = Mesh(
    vertices=np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]),
    faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
)


def machine():
    """A model with something of everything."""
    links = [
        Link("base", 3.0, (0.1, 0.2, 0.3), (1.0, 0.01, 0.02, 1.1, 0.03, 1.2), (1.0, 2.0, 3.0, *TURN)),
        Link("arm", 1.5, pose=(1.0, 2.0, 4.0, 1.0, 0.0, 0.0, 0.0)),
        Link("slide", 0.7, pose=(1.0, 2.0, 5.0, 1.0, 0.0, 0.0, 0.0)),
        Link("bob", 0.2, pose=(7.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
    ]
    red = (0.8, 0.1, 0.2, 1.0)
    links[0].visuals = [
        Shape("box", Box((1.0, 0.5, 0.2)), (0.0, 0.0, 0.1, *TURN), Material(red)),
        Shape("ball", Sphere(0.3), (0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), Material(red)),
        Shape("rod", Cylinder(0.1, 0.9)),
        Shape("tetra", TETRAHEDRON, material=Material((0.0, 0.5, 1.0, 0.5))),
    ]
    links[0].collisions = [Shape("hull", Box((1.1, 0.6, 0.3)))]
    links[1].visuals = [Shape("far", Mesh(uri="model://far/away.dae", scale=(2.0, 2.0, 2.0)))]
    down = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    limits = {"lower": -0.5, "upper": 1.25, "effort": 4.0, "velocity": 2.5}
    hinge = Axis((0.0, 1.0, 0.0), **limits, damping=0.1, friction=0.2, spring_stiffness=7.5)
    push = Axis((1.0, 0.0, 0.0), lower=0.1)
    joints = [
        Joint("turn", "revolute", "base", "arm", X_PJ=down, axes=[hinge], home=(0.25,)),
        Joint("push", "prismatic", "arm", "slide", X_PJ=(0.1, 0.2, 1.0, *TURN), axes=[push]),
        Joint("swing", "ball", "world", "bob", X_PJ=(7.0, 0.0, 0.0, *TURN)),
    ]
    joints[1].mimic = Mimic("turn", 2.0, 0.5, 0.1)
    return Model("machine", links, joints, gravity=(0.0, 0.0, -3.71))


def require_same(found, expected):
    """The same model, as far as Blender's single precision goes; joint frames and rest poses to the last bit."""
    assert found.name == expected.name
    assert found.gravity == pytest.approx(expected.gravity, rel=1e-12)
    assert {item.name for item in found.links} == {item.name for item in expected.links}
    carried = {item.child for item in expected.joints}
    for there in expected.links:
        here = found.link(there.name)
        assert (here.mass, *here.com, *here.inertia) == pytest.approx((there.mass, *there.com, *there.inertia))
        if there.name not in carried:
            assert here.pose == there.pose
        for mine, theirs in ((here.visuals, there.visuals), (here.collisions, there.collisions)):
            require_same_shapes(mine, theirs)
    for there in expected.joints:
        here = found.joint(there.name)
        assert (here.type, here.parent, here.child) == (there.type, there.parent, there.child)
        assert (here.X_PJ, here.X_CJ) == (there.X_PJ, there.X_CJ)
        assert (here.axes, here.home, here.mimic, here.pitch) == (there.axes, there.home, there.mimic, there.pitch)


def require_same_shapes(mine, theirs):
    assert {shape.name for shape in mine} == {shape.name for shape in theirs}
    for there in theirs:
        here = next(shape for shape in mine if shape.name == there.name)
        assert here.pose == pytest.approx(there.pose, abs=1e-6)
        assert here.color == there.color
        if isinstance(there.geometry, Mesh):
            assert (here.geometry.uri, here.geometry.scale) == (there.geometry.uri, there.geometry.scale)
            assert here.geometry.faces == there.geometry.faces
        else:
            assert here.geometry == there.geometry


def test_written_and_read_back(scene):
    """A model that is put into a scene reads back as the same model."""
    expected = machine()
    objects, notes = write_scene(expected, scene)
    require_same(read_scene(scene, with_shapes=True), expected)
    assert set(objects) == {"base", "arm", "slide", "bob", "turn", "push", "swing"}
    assert any("away.dae" in note for note in notes)


def test_written_in_centimetres(scene):
    """The same in a scene whose unit is a centimetre."""
    scene.unit_settings.scale_length = 0.01
    expected = machine()
    write_scene(expected, scene)
    found = read_scene(scene)
    assert found.link("base").pose == pytest.approx(expected.link("base").pose)
    assert found.joint("push").X_PJ == pytest.approx(expected.joint("push").X_PJ)
    assert found.joint("push").axes[0].lower == pytest.approx(0.1)


def test_names_that_are_taken(scene):
    """A second copy gets other names, says so, and is joined within itself."""
    write_scene(machine(), scene)
    objects, notes = write_scene(machine(), scene)
    assert objects["base"].name == "base.001"
    assert any("'base' is named 'base.001'" in note for note in notes)
    model = read_scene(scene)
    assert model.joint("turn.001").parent == "base.001"
    assert model.joint("push.001").mimic.leader == "turn.001"


def test_a_link_and_a_joint_of_one_name(scene):
    """URDF lets a joint have the name of a link; in Blender one of them is renamed, and nothing is mixed up."""
    model = Model("twins", [Link("arm"), Link("hand")], [Joint("arm", "revolute", "arm", "hand")])
    objects, notes = write_scene(model, scene)
    found = read_scene(scene).joints[0]
    assert (found.name, found.parent, found.child) == ("arm.001", "arm", "hand")
    assert link(objects["arm"]).is_link
    assert any("'arm' is named 'arm.001'" in note for note in notes)


def test_store_joint(scene):
    """A joint's numbers can be changed by script through the model, and the links and frames stay."""
    expected = machine()
    objects, _ = write_scene(expected, scene)
    expected.joint("turn").axes[0].damping = 2.5
    expected.joint("turn").home = (1.0,)
    store_joint(expected.joint("turn"), objects["turn"], scene)
    require_same(read_scene(scene, with_shapes=True), expected)


def four_bar():
    """Three links and four hinges: the last closes a loop."""
    at = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (1.0, 0.0, 0.0)]
    still = (1.0, 0.0, 0.0, 0.0)
    links = [Link(name, pose=(*place, *still)) for name, place in zip("abc", at, strict=False)]
    hinges = [("world", "a", at[0], at[0]), ("a", "b", at[1], at[0]), ("b", "c", at[3], at[0])]
    hinges.append(("world", "c", at[3], (0.0, 0.0, -1.0)))
    joints = [
        Joint(f"hinge{i}", "revolute", parent, child, (*p, *still), (*c, *still))
        for i, (parent, child, p, c) in enumerate(hinges)
    ]
    return Model("four_bar", links, joints)


def test_loops_are_read_and_exported(scene, tmp_path):
    """A loop is read as it was drawn, and its file has its four joints."""
    expected = four_bar()
    write_scene(expected, scene)
    found = read_scene(scene)
    for there in expected.links:
        assert found.link(there.name).pose == pytest.approx(there.pose, abs=1e-9)
    assert bpy.ops.limberjack.export_sdf(filepath=str(tmp_path / "loop.sdf")) == {"FINISHED"}
    assert len(read(tmp_path / "loop.sdf").model.loops()) == 1


def test_export_and_read_the_file(scene, build, tmp_path):
    """What is exported is what the scene says."""
    _, joints = build.pendulum(3)
    joint(joints[1]).axes[0].use_upper = True
    joint(joints[1]).axes[0].upper = 1.7
    path = tmp_path / "chain.sdf"
    assert bpy.ops.limberjack.export_sdf(filepath=str(path)) == {"FINISHED"}
    reading = read(path)
    assert reading.ok, reading.issues
    expected = read_scene(scene, with_shapes=True)
    for there in expected.links:
        here = reading.model.link(there.name)
        assert here.mass == pytest.approx(there.mass, rel=1e-9)
        assert here.inertia == pytest.approx(there.inertia, rel=1e-6, abs=1e-12)
        assert here.pose == pytest.approx(there.pose, abs=1e-9)
        assert [shape.name for shape in here.visuals] == [shape.name for shape in there.visuals]
    assert reading.model.joint(joints[1].name).axes[0].upper == 1.7


def test_import_operator(scene, build, tmp_path):
    """An exported file comes back as a scene that gives the same model."""
    build.pendulum(2)
    path = tmp_path / "chain.sdf"
    bpy.ops.limberjack.export_sdf(filepath=str(path))
    expected = read(path).model
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    assert bpy.ops.limberjack.import_model(filepath=str(path)) == {"FINISHED"}
    found = read_scene(scene)
    assert {item.name for item in found.links} == {item.name for item in expected.links}
    for item in expected.links:
        assert found.link(item.name).pose == pytest.approx(item.pose, abs=1e-6)
        assert found.link(item.name).mass == pytest.approx(item.mass, rel=1e-6)
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}


def test_import_of_nonsense(scene, tmp_path):
    """A file that is no model is refused in words, and nothing is added."""
    path = tmp_path / "broken.sdf"
    path.write_text("<sdf><model", encoding="utf-8")
    with pytest.raises(RuntimeError, match="Error: "):
        bpy.ops.limberjack.import_model(filepath=str(path))
    with pytest.raises(RuntimeError, match="Error: "):
        bpy.ops.limberjack.import_model(filepath=str(tmp_path / "missing.sdf"))
    assert not scene.objects


def test_export_of_a_broken_scene(build, tmp_path):
    """A scene that cannot be read writes no file."""
    _, joints = build.pendulum(2)
    joint(joints[0]).child = None
    with pytest.raises(RuntimeError, match="has no child"):
        bpy.ops.limberjack.export_sdf(filepath=str(tmp_path / "x.sdf"))
    assert not list(tmp_path.iterdir())


def test_primitives_follow_their_objects(scene, build):
    """A cube that is marked as a box leaves as a box as large as it is seen, wherever its origin is."""
    cube = build.cube(size=1.0, scale=(2.0, 3.0, 4.0))
    for vertex in cube.data.vertices:
        vertex.co.x += 0.5
    link(cube).primitive = "BOX"
    build.tag(cube)
    shape = read_scene(scene, with_shapes=True).links[0].visuals[0]
    assert shape.geometry == Box((2.0, 3.0, 4.0))
    assert shape.pose[:3] == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)


def test_sheared_child(scene, build):
    """A child that an uneven scale shears leaves as a mesh with its true points."""
    base, child = build.cube("base", scale=(1.0, 3.0, 1.0)), build.cube("child", rotation_euler=(0.0, 0.0, 0.6))
    child.parent = base
    bpy.context.view_layer.update()
    build.tag(base)
    shape = next(item for item in read_scene(scene, with_shapes=True).links[0].visuals if item.name == "child")
    seen = np.array([child.matrix_world @ vertex.co for vertex in child.data.vertices])
    assert shape.geometry.vertices == pytest.approx(seen, abs=1e-5)


def distinct():
    """A model in which no field has its default, nor the value of another field."""
    turned = (math.cos(0.2), 0.0, 0.0, math.sin(0.2))
    base = Link("base", 3.5, (0.11, 0.12, 0.13), (1.1, 0.01, 0.02, 1.2, 0.03, 1.3), (1.0, 2.0, 3.0, *TURN))
    numbers = {"lower": -0.7, "upper": 1.9, "stiffness": 2e5, "dissipation": 2.5, "restitution": 0.35}
    numbers |= {"effort": 31.0, "velocity": 4.5, "damping": 0.21, "friction": 0.22, "armature": 0.23}
    numbers |= {"spring_reference": 0.24, "spring_stiffness": 7.5}
    numbers |= {"drive_stiffness": 8.5, "drive_damping": 0.25, "drive_target": 0.27}
    joints = []
    for name, kind, shift, mode in (
        ("turn", "screw", 0.0, "force"),
        ("push", "prismatic", 0.5, "velocity"),
        ("swing", "free", 1.0, "off"),
    ):
        others = {name: number + 0.01 * shift for name, number in numbers.items()}
        axes = [] if kind == "free" else [Axis((0.6, 0.8, 0.0), locked=True, drive_mode=mode, **others)]
        X_PJ, X_CJ = (shift + 0.1, 0.2, 1.0, *TURN), (0.3, shift + 0.4, 2.0, *turned)
        joints.append(Joint(name, kind, "base", f"{name}er", X_PJ, X_CJ, axes, 0.05 + shift))
        joints[-1].closes_loop, joints[-1].enabled, joints[-1].released_at = True, False, 1.5 + shift
        joints[-1].break_force, joints[-1].break_torque = 120.5 + shift, 13.5 + shift
        joints[-1].home = (0.1, 0.2, 0.3, *TURN) if kind == "free" else (0.35 + shift,)
    joints[0].mimic = Mimic("push", 2.0, 0.5, 0.1)
    links = [base]
    for i, item in enumerate(joints):
        pose = compose(compose(base.pose, item.X_PJ), inverse(item.X_CJ))
        links.append(Link(item.child, 4.0 + i, (0.4, 0.5, 0.6 + i), (2.0, 0.1, 0.2, 2.1, 0.3, 2.2 + i), pose))
    for i, item in enumerate(links):
        item.linear_damping, item.angular_damping, item.gravity = 0.15 + i, 0.16 + i, False
        item.force, item.torque, item.force_turns_along = (1.7, -2.7 - i, 3.7), (0.17, -0.27, 0.37 + i), True
        item.velocity, item.angular_velocity = (1.9, -2.9 - i, 3.9), (0.19, -0.29, 0.39 + i)
        item.self_collide, item.family = True, f"family{i}"
    for item in (*links, *joints):
        item.extras = (Extra("SDF", "sensor", f'<sensor name="{item.name} ü" type="imu" />', ("axis",)),)
    return Model("distinct", links, joints, gravity=(0.5, -1.5, -3.71), wind=(2.5, -4.5, 0.75))


ELSEWHERE = {"turn", "slide", "point", "axes", "mimic", "visuals", "collisions"}
"""Fields that this model cannot have; tests of the joint types see to them."""


def require_no_default(item):
    bare = type(item)(*(getattr(item, field.name) for field in dataclasses.fields(item) if is_required(field)))
    for field in dataclasses.fields(item):
        if not is_required(field) and field.name not in ELSEWHERE:
            assert getattr(item, field.name) != getattr(bare, field.name), field.name


def is_required(field):
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def numbers_of(item):
    """All numbers of a core object, by their names."""
    found = {}
    for name, value in dataclasses.asdict(item).items():
        if isinstance(value, int | float | tuple) and name != "extras":
            found |= {f"{name}[{i}]": number for i, number in enumerate(np.ravel(value).tolist())}
    return found


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
def test_every_field_in_every_unit(scene, scale_length):
    """Each number of the model comes back in metres, whatever the scene's unit is; nothing is left at its default."""
    scene.unit_settings.scale_length = scale_length
    expected = distinct()
    _, notes = write_scene(expected, scene)
    assert notes == []
    found = read_scene(scene)
    assert tuple(scene.gravity) == pytest.approx([part / scale_length for part in expected.gravity])
    assert found.gravity == pytest.approx(expected.gravity, rel=1e-6)
    assert tuple(getattr(scene, ids.SCENE).wind) == pytest.approx([part / scale_length for part in expected.wind])
    assert found.wind == pytest.approx(expected.wind, rel=1e-6)
    for there in (*expected.links, *expected.joints):
        here = found.link(there.name) if isinstance(there, Link) else found.joint(there.name)
        require_no_default(there)
        assert here.extras == there.extras
        assert getattr(here, "family", "") == getattr(there, "family", "")
        assert numbers_of(here) == pytest.approx(numbers_of(there), rel=1e-6, abs=1e-9), there.name
    for there in (each for each in expected.joints if not each.kind.is_free):
        here = found.joint(there.name)
        for mine, theirs in zip(here.axes, there.axes, strict=True):
            require_no_default(theirs)
            assert numbers_of(mine) == pytest.approx(numbers_of(theirs), rel=1e-6), there.name
    mimic = found.joint("turn").mimic
    assert mimic.leader == "push"
    assert numbers_of(mimic) == pytest.approx(numbers_of(expected.joint("turn").mimic), rel=1e-6)


def test_how_collisions_touch_comes_back(scene):
    """Guards surfaces and layers of imported shapes, rigid ones too, and which two links are to meet."""
    model = machine()
    hull = model.link("base").collisions[0]
    hull.surface, hull.layers, hull.meets = Surface(0.3, 0.4, 0.2, dissipation=0.7), 3, 0xFF00
    model.contact_pairs = [ContactPair("arm", "bob", False)]
    _, notes = write_scene(model, scene)
    assert not [note for note in notes if "pair" in note]
    assert read_scene(scene, with_shapes=True).contact_pairs == model.contact_pairs
    (found,) = read_scene(scene, with_shapes=True).link("base").collisions
    assert (found.surface, found.layers, found.meets) == (hull.surface, 3, 0xFF00)
    assert read_scene(scene).link("arm").family == ""


def test_numbers_that_blender_cannot_hold(scene):
    """Properties have bounds; a number beyond them is changed, and the user is told."""
    model = machine()
    axis = model.joint("turn").axes[0]
    axis.damping, axis.friction, axis.spring_stiffness = -0.5, -0.25, -7.0
    _, notes = write_scene(model, scene)
    for name, value in (("damping", -0.5), ("friction", -0.25), ("spring stiffness", -7.0)):
        assert f"joint 'turn': its {name} {value} cannot be kept: it is 0.0 here" in notes


def test_gravity_of_a_second_model(scene):
    """A scene has one gravity: that of a model which joins others is left out, and the user is told."""
    _, notes = write_scene(machine(), scene)
    assert not any("gravity" in note for note in notes)
    again = machine()
    again.gravity = (0.0, 0.0, -1.62)
    _, notes = write_scene(again, scene)
    assert any("gravity (0.0, 0.0, -1.62) is left out: the scene's is (0.0, 0.0, -3.71)" in note for note in notes)
    assert read_scene(scene).gravity == (0.0, 0.0, -3.71)


@pytest.mark.parametrize("kind", ["MESH", "BOX"])
def test_mirrored_shape(scene, build, kind):
    """A mirrored mesh leaves with its points where they are seen, with a proper rotation."""
    cube = build.cube(size=1.0, scale=(-2.0, 1.0, 1.0), rotation_euler=(0.1, 0.2, 0.3))
    for vertex in cube.data.vertices:
        vertex.co.x += 0.5 + 0.1 * (vertex.co.y > 0.0) * (kind == "MESH")
    link(cube).primitive = kind
    build.tag(cube)
    found = read_scene(scene, with_shapes=True).links[0]
    shape = found.visuals[0]
    X_WS = compose(found.pose, shape.pose)
    seen = np.array([cube.matrix_world @ vertex.co for vertex in cube.data.vertices])
    if kind == "BOX":
        assert X_WS[:3] == pytest.approx(seen.mean(axis=0), abs=1e-6)
        return
    rotation = np.array(quat_to_mat(X_WS[3:])).reshape(3, 3)
    points = (shape.geometry.vertices * shape.geometry.scale) @ rotation.T + X_WS[:3]
    assert points == pytest.approx(seen, abs=1e-5)
