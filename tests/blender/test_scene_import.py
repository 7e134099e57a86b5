# SPDX-License-Identifier: GPL-3.0-or-later
"""Files come in as what they say, and an exported scene comes back as it was."""

import dataclasses
import json
import math
import os
from pathlib import Path

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.scene.write import write_scene
from limberjack.core.extras import Extra
from limberjack.core.formats import read, write
from limberjack.core.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Heightmap,
    Material,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from limberjack.core.model import WORLD, Frame, Joint, Light, Link, Model
from limberjack.core.simulation import simulate
from limberjack.core.spatial import quat_normalized, quat_to_mat
from support.shared import CORPUS, needs_corpus

from .conftest import link
from .scenes import difficult, evaluated_boxes, legal, require_same_boxes, whole

TURN = (math.cos(0.3), 0.0, math.sin(0.3), 0.0)
OUTLINES = (((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)), ((1.0, 1.0), (2.0, 1.0), (1.5, 2.0)))
SHAPES = (
    Box((1.0, 0.5, 0.2)),
    Sphere(0.3),
    Cylinder(0.1, 0.9),
    Capsule(0.25, 1.5),
    Capsule(0.25, 0.0),
    Cone(0.3, 0.7),
    Ellipsoid((0.1, 0.2, 0.3)),
    Polyline(OUTLINES, 0.25),
    Plane(size=(3.0, 2.0)),
)
HEIGHTS = ((0.0, 0.2, 0.1, 0.0), (0.3, 1.0, 1.0, 0.1), (0.2, 1.0, 1.0, 0.2), (0.0, 0.1, 0.3, 0.0))
"""Heights of terrain with a flat top in the middle."""

LOOKS = (
    Material((0.8, 0.1, 0.2, 0.5)),
    Material((0.0, 0.5, 1.0, 1.0), (0.1, 0.2, 0.3, 1.0), (0.75, 0.375, 0.0, 1.0), (0.2, 0.4, 0.8, 1.0)),
    None,
)


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy.context.scene


def load(path):
    """The file's model. Meshes beside it are found, where the reader has not done so."""
    model = read(path).model
    for body in model.links:
        for shape in (*body.visuals, *body.collisions):
            if isinstance(shape.geometry, Mesh) and not shape.geometry.path:
                there = str(path.parent / shape.geometry.uri)
                shape.geometry = dataclasses.replace(shape.geometry, path=there)
    return model


def assembly(shapes=SHAPES):
    """A model with every kind of shape, look, frame, light and kept text."""
    gadget = (Extra("SDF", "sensor", '<sensor name="imü" type="imu"><a b="c"/></sensor>'),)
    body = Link("body", 2.0, pose=(1.0, 2.0, 3.0, *TURN), extras=gadget)
    body.visuals = [
        Shape(f"s {i}", shape, (0.1 * i, 0.0, 0.2, *TURN), LOOKS[i % len(LOOKS)]) for i, shape in enumerate(shapes)
    ]
    body.collisions = [Shape("s 0", Box((2.0, 1.0, 1.0)), extras=(Extra("SDF", "surface", "<surface/>"),))]
    body.collisions.append(Shape("ground", Foreign("SDF", "heightmap", "<heightmap><uri>a.png</uri></heightmap>")))
    arm = Link("arm", 1.0, pose=(1.0, 2.0, 4.0, 1.0, 0.0, 0.0, 0.0))
    arm.visuals = [Shape("s 0", Box((1.0, 1.0, 1.0)))]
    joint = Joint("fix", "fixed", "world", "body", X_PJ=body.pose, extras=gadget)
    frames = [Frame("tool::tip", "arm", (0.1, 0.2, 0.3, *TURN)), Frame("home", pose=(4.0, 5.0, 6.0, *TURN))]
    lights = [
        Light("sun", "directional", pose=(0.0, 0.0, 9.0, *TURN), diffuse=(1.0, 0.5, 0.25, 1.0), intensity=2.0),
        Light("lamp", "point", "arm", (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0), range=20.0, linear=0.01, quadratic=0.001),
        Light("spot", "spot", intensity=0.5, inner_angle=0.25, outer_angle=0.5, falloff=0.8, cast_shadows=True),
    ]
    extras = (Extra("SDF", "plugin", '<plugin name="p" filename="q"/>'),)
    return Model("assembly", [body, arm], [joint], frames=frames, lights=lights, extras=extras)


def rounded(value):
    """The numbers of a core object to six digits, and what is not a number as it is."""
    if isinstance(value, float):
        return float(f"{value:.5g}") + 0.0 if abs(value) > 1e-6 else 0.0
    if isinstance(value, np.ndarray):
        return rounded(value.tolist())
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


def described(item):
    return {"kind": type(item).__name__, **rounded(dataclasses.asdict(item))}


def require_same_model(found, expected):
    """All of it, whatever the order."""
    for kind in ("links", "joints", "frames", "lights"):
        mine, theirs = ({item.name: item for item in getattr(model, kind)} for model in (found, expected))
        assert set(mine) == set(theirs), kind
        for name, item in theirs.items():
            if kind == "links":
                require_same_shapes(mine[name].visuals, item.visuals)
                require_same_shapes(mine[name].collisions, item.collisions)
                assert mine[name].extras == item.extras
                assert rounded(mine[name].pose) == rounded(item.pose)
            else:
                assert described(mine[name]) == described(item)
    assert found.extras == expected.extras


def require_same_shapes(mine, theirs):
    assert {shape.name for shape in mine} == {shape.name for shape in theirs}
    for there in theirs:
        here = next(shape for shape in mine if shape.name == there.name)
        assert described(here.geometry) == described(there.geometry), there.name
        assert rounded(here.pose) == rounded(there.pose), there.name
        assert rounded(dataclasses.astuple(here.material) if here.material else None) == rounded(
            dataclasses.astuple(there.material) if there.material else None
        )
        assert here.extras == there.extras


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_everything_comes_back(scene, unit):
    """Shapes, looks, frames, lights, and text that is kept: a model put into a scene reads as the same model."""
    scene.unit_settings.scale_length = unit
    expected = assembly()
    _, notes = write_scene(expected, scene)
    assert notes == ["link 'body': 'ground' is a <heightmap>, which is kept but not shown"]
    require_same_model(whole(scene).model, expected)


LENGTHS = st.floats(0.01, 10.0)
PLACES = st.tuples(*[st.floats(-5.0, 5.0)] * 3)
TURNS = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: sum(x * x for x in q) > 0.1).map(quat_normalized)
NAMES = st.text(st.characters(categories=("L", "N", "P", "Zs")), min_size=1, max_size=15).filter(
    lambda name: name.strip() == name and name != "world"
)
GEOMETRIES = st.one_of(
    st.builds(Box, st.tuples(LENGTHS, LENGTHS, LENGTHS)),
    st.builds(Sphere, LENGTHS),
    st.builds(Cylinder, LENGTHS, LENGTHS),
    st.builds(Capsule, LENGTHS, LENGTHS),
    st.builds(Cone, LENGTHS, LENGTHS),
    st.builds(Ellipsoid, st.tuples(LENGTHS, LENGTHS, LENGTHS)),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(NAMES, GEOMETRIES, PLACES, TURNS), max_size=4, unique_by=lambda item: item[0]), LENGTHS)
def test_any_shapes_come_back(shapes, unit):
    """Whatever their names, sizes and places, and whatever the scene's unit: within single precision the same."""
    scene = clear()
    scene.unit_settings.scale_length = unit
    body = Link("body", visuals=[Shape(name, *rest[:1], (*rest[1], *rest[2])) for name, *rest in shapes])
    write_scene(Model("any", [body]), scene)
    found = {shape.name: shape for shape in read_scene(scene, with_shapes=True).links[0].visuals}
    assert set(found) == {shape.name for shape in body.visuals}
    for there in body.visuals:
        here = found[there.name]
        sizes = [np.hstack(dataclasses.astuple(shape.geometry)) for shape in (here, there)]
        assert type(here.geometry) is type(there.geometry)
        assert sizes[0] == pytest.approx(sizes[1], rel=1e-5, abs=1e-6 * sizes[1].max())  # a short capsule may be thick
        assert here.pose[:3] == pytest.approx(there.pose[:3], abs=2e-6 * max(1.0, unit))
        assert abs(np.dot(here.pose[3:], there.pose[3:])) == pytest.approx(1.0, abs=1e-9)


def contents(scene):
    """What a scene holds: kinds, places, sizes, looks and settings of its objects, by name."""
    found = {}
    for obj in scene.objects:
        points = [] if obj.type != "MESH" else np.array([vertex.co[:] for vertex in obj.data.vertices]).tolist()
        look = [slot.material and tuple(slot.material.diffuse_color) for slot in obj.material_slots]
        parent = obj.parent.name if obj.parent else ""
        role = (link(obj).role, link(obj).primitive, link(obj).is_link, obj.limberjack_joint.type)
        matrix = np.array(obj.matrix_world).tolist()
        found[obj.name] = rounded_all([obj.type, parent, role, look, matrix, points])
    return found


def rounded_all(value):
    if isinstance(value, float):
        return round(value, 5) + 0.0
    return [rounded_all(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_a_scene_goes_out_and_comes_back(scene, build, tmp_path, unit):
    """What is exported and imported is where and as large as it was; a second time, the same scene in every object."""
    difficult(scene, build, unit)
    expected = legal(evaluated_boxes(scene))
    seen = []
    for number in range(2):
        path = tmp_path / f"scene{number}.sdf"
        write(whole(scene).model, path)
        scene = clear()
        scene.unit_settings.scale_length = unit
        write_scene(load(path), scene)
        boxes = {
            link(bpy.data.objects[name]).name_in_file: box
            for name, box in evaluated_boxes(scene).items()
            if link(bpy.data.objects[name]).role == "VISUAL"
        }
        require_same_boxes(legal(boxes), expected)
        seen.append(contents(scene))
    assert seen[0] == seen[1]


def test_joints_come_back_with_their_settings(scene, build, tmp_path):
    """Joints, limits and names with points, spaces and letters of any alphabet survive a trip through a file."""
    bars, joints = build.pendulum(3)
    for obj, name in ((bars[1], "bar.001"), (bars[2], "Glied drei"), (joints[1], "関節 1"), (joints[2], "j.001")):
        obj.name = name
    axis = joints[1].limberjack_joint.axes[0]
    axis.use_upper, axis.upper, axis.damping = True, 1.7, 0.25
    path = tmp_path / "scene.sdf"
    expected = whole(scene).model
    write(expected, path)
    scene = clear()
    assert bpy.ops.limberjack.import_model(filepath=str(path)) == {"FINISHED"}
    found = whole(scene).model
    assert {item.name for item in found.links} == {item.name for item in expected.links}
    for there in expected.joints:
        here = found.joint(there.name)
        assert (here.type, here.parent, here.child, here.axes) == (there.type, there.parent, there.child, there.axes)
        assert here.X_CJ == pytest.approx(there.X_CJ, abs=1e-6)


def test_names_that_blender_gives_once(scene):
    """Shapes of one name on many links keep it, though Blender calls them otherwise; a renamed one has its new name."""
    links = [Link(name, visuals=[Shape("visual", Box((1.0, 1.0, 1.0)))]) for name in "abc"]
    write_scene(Model("m", links), scene)
    assert [item.visuals[0].name for item in read_scene(scene, with_shapes=True).links] == ["visual"] * 3
    next(obj for obj in scene.objects if obj.parent and obj.parent.name == "b").name = "mine"
    found = read_scene(scene, with_shapes=True)
    assert [item.visuals[0].name for item in found.links] == ["visual", "mine", "visual"]


def test_texture_of_a_shape(scene, tmp_path):
    """A material's image is shown where its file is; where it is not, a note says so."""
    bpy.data.images.new("i", 2, 2).save(filepath=str(tmp_path / "i.png"))
    looks = [Material((1.0, 1.0, 1.0, 1.0), texture=str(tmp_path / name)) for name in ("i.png", "none.png")]
    shapes = [Shape(f"v{i}", Box((1.0, 1.0, 1.0)), material=look) for i, look in enumerate(looks)]
    _, notes = write_scene(Model("m", [Link("body", visuals=shapes)]), scene)
    assert len(notes) == 1
    assert "none.png' is not found" in notes[0]
    found = read_scene(scene, with_shapes=True).links[0].visuals
    assert [shape.material.texture for shape in found] == [str((tmp_path / "i.png").resolve()), ""]


def test_collisions_are_hidden(scene):
    """They lie in a collection of their own, which is seen neither in the viewport nor in renders."""
    write_scene(assembly(), scene)
    hidden = bpy.data.collections["assembly collisions"]
    assert hidden.hide_render
    assert {link(obj).role for obj in hidden.objects} == {"COLLISION"}
    assert len(hidden.objects) == 2
    for obj in scene.objects:
        is_collision = obj.name in hidden.objects
        assert obj.visible_get() is not is_collision
        if is_collision:
            assert obj.parent == bpy.data.objects["body"]
    again, _ = write_scene(assembly(), scene)
    assert len(again) == 3


def test_second_model_says_what_it_cannot_keep(scene):
    """A scene keeps the texts of one model; those of another are named in a note."""
    write_scene(assembly(), scene)
    _, notes = write_scene(assembly(), scene)
    assert any("<plugin> is left out" in note for note in notes)


def two_files(folder):
    for name in ("one", "two"):
        (folder / f"{name}.urdf").write_text(f'<robot name="{name}"><link name="{name}_base"/></robot>')


def test_several_files_at_once(scene, tmp_path):
    """Files that are dropped together come in together, each in a collection of its own."""
    two_files(tmp_path)
    files = [{"name": "one.urdf"}, {"name": "two.urdf"}]
    done = bpy.ops.limberjack.import_model(filepath=str(tmp_path / "one.urdf"), directory=str(tmp_path), files=files)
    assert done == {"FINISHED"}
    assert {item.name for item in read_scene(scene).links} == {"one_base", "two_base"}
    assert {"one", "two"} <= set(bpy.data.collections.keys())


def test_several_files_of_which_one_is_broken(scene, tmp_path):
    """All or none."""
    two_files(tmp_path)
    (tmp_path / "two.urdf").write_text("<robot")
    files = [{"name": "one.urdf"}, {"name": "two.urdf"}]
    with pytest.raises(RuntimeError, match=r"two\.urdf"):
        bpy.ops.limberjack.import_model(directory=str(tmp_path), files=files)
    assert not scene.objects


def test_a_place_for_the_model(scene, tmp_path):
    """A model that is dropped stands where it was dropped, with the joints and lights that it has in the world."""
    scene.unit_settings.scale_length = 0.01
    path = tmp_path / "model.sdf"
    expected = Model("m", [Link("a", pose=(1.0, 0.0, 0.0, *TURN))], [])
    expected.joints = [Joint("j", "revolute", "world", "a", X_PJ=expected.links[0].pose)]
    write(expected, path)
    bpy.ops.limberjack.import_model(filepath=str(path), place=(100.0, 200.0, 0.0))
    found = read_scene(scene)
    assert found.link("a").pose == pytest.approx((2.0, 2.0, 0.0, *TURN))
    assert found.joint("j").X_PJ == pytest.approx((2.0, 2.0, 0.0, *TURN))


def test_folders_to_search_reach_the_reader(scene, tmp_path, monkeypatch):
    """What the option says is searched, each folder by itself."""
    from limberjack.core import formats

    two_files(tmp_path)
    asked = []
    real = formats.read
    monkeypatch.setattr(formats, "read", lambda path, search=(): (asked.append(list(search)), real(path))[1])
    folders = os.pathsep.join(("a b", "c"))
    bpy.ops.limberjack.import_model(filepath=str(tmp_path / "one.urdf"), search=folders)
    assert asked == [["a b", "c"]]


GOLDEN = (
    ("urdf/erd_panda/panda.urdf", "mujoco"),
    ("urdf/erd_ur5_robot/ur5_robot.urdf", "mujoco"),
    ("urdf/drake_cassie_v2/cassie_v2.urdf", "mujoco"),
    ("sdf/erd_cassie_v2/cassie_v2.sdf", "libsdformat"),
    ("sdf/px4_standard_vtol/model.sdf", "libsdformat_as_1.9"),
    ("sdf/gzsim_demo_joint_types/demo_joint_types.sdf", "libsdformat"),
)


@needs_corpus
@pytest.mark.parametrize(("name", "judge"), GOLDEN, ids=[Path(name).parent.name for name, _ in GOLDEN])
def test_real_models_stand_where_judges_see_them(scene, name, judge):
    """The links of real robots are, in Blender, where libsdformat and MuJoCo put them."""
    path = CORPUS / name
    golden = json.loads(Path(f"{path}.golden.json").read_text())["readings"][judge]
    expected = {item["name"].split("::")[-1]: item["X_WL"] for item in golden["links"]}
    assert bpy.ops.limberjack.import_model(filepath=str(path)) == {"FINISHED"}
    bpy.context.view_layer.update()
    found = {obj.name.split("::")[-1]: obj.matrix_world for obj in scene.objects if link(obj).is_link}
    assert len(set(found) & set(expected)) >= 0.9 * len(expected)
    for body in set(found) & set(expected):
        there = np.eye(4)
        there[:3, :3] = np.reshape(quat_to_mat(quat_normalized(expected[body]["quat_wxyz"])), (3, 3))
        there[:3, 3] = expected[body]["xyz"]
        assert np.array(found[body]) == pytest.approx(there, abs=1e-5), body


ROBOT = """<robot name="r"><link name="{base}">{inertial}</link><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="shoulder" type="continuous">
<parent link="{base}"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
MASS = """<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""


@pytest.mark.parametrize(
    ("base", "inertial", "chosen", "motion"),
    [
        ("base_link", MASS, "AUTO", "STATIC"),
        ("Pedestal", MASS, "AUTO", "STATIC"),
        ("torso", "", "AUTO", "STATIC"),
        ("torso", MASS, "AUTO", "FREE"),
        ("torso", MASS, "FIXED", "STATIC"),
        ("base_link", MASS, "FREE", "FREE"),
    ],
)
def test_a_loose_base_is_fixed(scene, tmp_path, capfd, base, inertial, chosen, motion):
    """Guards robots whose files leave the base loose: it stands, by its Motion, and that is said."""
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.format(base=base, inertial=inertial))
    place = (1.0, 2.0, 0.0)
    assert bpy.ops.limberjack.import_model(filepath=str(path), fixed_base=chosen, place=place) == {"FINISHED"}
    told = capfd.readouterr().out
    assert link(bpy.data.objects[base]).motion == motion
    assert (f"base '{base}' fixed" in told) == (motion == "STATIC")
    assert "mass is 0 kg" not in told
    found = read_scene(scene)
    assert found.tree().roots == (() if motion == "STATIC" else (base,))
    assert found.link(base).pose[:3] == pytest.approx(place)
    assert {obj.name for obj in scene.objects} == {base, "arm", "shoulder"}, "what holds it is no joint of the scene's"


def test_a_massless_base_that_is_left_free_says_how_to_hold_it(scene, tmp_path):
    """Guards the way out: no singular matrix without a word of the base."""
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.format(base="torso", inertial=""))
    bpy.ops.limberjack.import_model(filepath=str(path), fixed_base="FREE")
    with pytest.raises(RuntimeError, match="Motion Static of 'torso' in Blender"):
        bpy.ops.limberjack.simulate("EXEC_DEFAULT", True)
    link(bpy.data.objects["torso"]).motion = "STATIC"
    assert bpy.ops.limberjack.simulate("EXEC_DEFAULT", True) == {"FINISHED"}


def test_static_links_of_files_are_static(scene, tmp_path):
    """Guards the way round: what a file calls static is the link's Motion, and written again it is the same."""
    bolted = Joint("b_static", "fixed", "world", "b", X_PJ=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0))  # not where it is drawn
    model = Model("m", [Link("a", pose=(1.0, 0.0, 0.0, *TURN)), Link("b")], [bolted])
    model.joints.append(Joint("a_static", "fixed", "world", "a", X_PJ=model.links[0].pose))
    write_scene(model, scene)
    assert (link(bpy.data.objects["a"]).motion, link(bpy.data.objects["b"]).motion) == ("STATIC", "FREE")
    assert {joint.name for joint in read_scene(scene).joints} == {"a_static", "b_static"}


def test_terrain_is_a_mesh_on_which_a_ball_rests(scene):
    """Guards height maps: they are seen as meshes, and what falls on them rests at the height of the terrain."""
    ground = Link("ground", mass=0.0, inertia=(0.0,) * 6)
    ground.collisions.append(Shape("hills", Heightmap("MJCF", "hfield", "", size=(4.0, 4.0, 0.5), heights=HEIGHTS)))
    ball = Link("ball", 1.0, inertia=(0.004, 0.0, 0.0, 0.004, 0.0, 0.004), pose=(0.0, 0.0, 0.61, 1.0, 0.0, 0.0, 0.0))
    ball.collisions.append(Shape("round", Sphere(0.1)))
    model = Model("terrain", [ground, ball], [Joint("still", "fixed", WORLD, "ground")])
    _, notes = write_scene(model, scene)
    assert notes == ["link 'ground': 'hills' is a height map, which becomes a mesh"]
    assert len(bpy.data.objects["hills"].data.vertices) == 16
    motion = simulate(read_scene(scene, with_shapes=True), 1.0)
    assert motion.link("ball")[-1, 2] == pytest.approx(0.6, abs=1e-3)
