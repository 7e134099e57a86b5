# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole scene leaves as what Blender shows. `formats 7.N` names a bug that users reported on other exporters."""

import math
import xml.etree.ElementTree as ET

import bpy
import numpy as np
import pytest
import trimesh

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.formats import read
from limberjack.core.geometry import Box, Mesh

from .conftest import link
from .scenes import (
    difficult,
    evaluated_boxes,
    legal,
    lopsided,
    matrix_of,
    put,
    require_same_boxes,
    visual,
    whole,
    written_boxes,
)


def exported(path, **options):
    assert bpy.ops.limberjack.export_sdf(filepath=str(path), **options) == {"FINISHED"}
    return path


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_meshes_are_where_blender_shows_them(scene, build, tmp_path, unit):
    """Formats 7.11: uneven, negative and inherited scales, shear, instances and units, each applied exactly once."""
    difficult(scene, build, unit)
    expected = evaluated_boxes(scene)
    path = exported(tmp_path / "model.sdf")
    found = written_boxes(path)
    assert len(expected) == 12, sorted(expected)
    require_same_boxes(legal(found), legal(expected))
    collisions = {name.removesuffix("_collision"): box for name, box in written_boxes(path, "collision").items()}
    require_same_boxes(legal(collisions), legal(expected))


def test_faces_look_outward(scene, build):
    """A mirrored mesh leaves with its faces turned: what it encloses counts as full, not as hollow."""
    difficult(scene, build)
    for shape in whole(scene).model.links[0].visuals:
        if isinstance(shape.geometry, Mesh) and "open" not in shape.name:
            mesh = shape.geometry
            solid = trimesh.Trimesh(mesh.vertices * mesh.scale, [f[:3] for f in mesh.faces if len(f) == 3])
            if solid.is_watertight:
                assert solid.volume > 0.0, shape.name
            assert min(mesh.scale) > 0.0


def test_links_are_where_they_stand(scene, build, tmp_path):
    """Formats 7.1 and 7.24: no link is at the origin that is not there, the first one as little as the others."""
    bars, _ = build.pendulum(2)
    root = ET.parse(exported(tmp_path / "model.sdf")).getroot()
    model = next(root.iter("model"))
    for body in model.findall("link"):
        place = matrix_of(model) @ matrix_of(body)
        assert place[:3, 3] == pytest.approx(bpy.data.objects[body.get("name")].matrix_world.translation, abs=1e-6)
    assert len(model.findall("link")) == len(bars)


def test_names_of_shapes_are_distinct(scene, build):
    """Formats 7.8: no two shapes of a link have one name, whatever their objects' are."""
    base = build.cube("base")
    kit = bpy.data.collections.new("kit")
    put("a", lopsided(), None, kit)
    for name in ("x", "x_a"):
        holder = put(name, None, base)
        holder.instance_type, holder.instance_collection = "COLLECTION", kit
    put("x_a_a", lopsided(), base)
    bpy.context.view_layer.update()
    build.tag(base)
    found = read_scene(scene, with_shapes=True).links[0]
    for shapes in (found.visuals, found.collisions):
        names = [shape.name for shape in shapes]
        assert len(names) == len(set(names)) == 4


def test_without_material_and_without_mesh(scene, build, tmp_path):
    """Formats 7.9: no material, an empty slot and an empty mesh stop no export; what is left out is told."""
    difficult(scene, build)
    reading = whole(scene)
    assert "object 'empty' has no faces, so it is left out" in reading.notes
    assert visual(reading.model, "テスト::b").material is None
    root = ET.parse(exported(tmp_path / "model.sdf")).getroot()
    assert root.get("version") == "1.9"
    for uri in root.iter("uri"):
        assert (tmp_path / uri.text).is_file()
        assert uri.text.startswith("meshes/")


@pytest.mark.parametrize("size", [(1e-3, 1e-3, 1e-3), (1.0, 1.0, 1e-5), (1e-4, 0.2, 0.3)])
def test_small_and_thin_links_keep_their_mass(scene, build, tmp_path, size):
    """Formats 7.13: the smallest part and the thinnest plate leave with their mass, and an inertia that can be."""
    build.tag(build.cube(size=1.0, scale=size))
    body = next(ET.parse(exported(tmp_path / "model.sdf")).getroot().iter("link"))
    mass = float(body.findtext("inertial/mass"))
    assert mass == pytest.approx(1000.0 * math.prod(size), rel=1e-5)
    x, y, z = (float(body.findtext(f"inertial/inertia/{tag}")) for tag in ("ixx", "iyy", "izz"))
    squares = np.square(size)
    assert (x, y, z) == pytest.approx(mass / 12.0 * (squares.sum() - squares), rel=1e-4)
    assert 0.0 < x <= y + z
    assert y <= x + z
    assert z <= (x + y) * (1.0 + 1e-12)


def test_what_cannot_be_said_is_told(scene, build, tmp_path):
    """Formats 7.20: a joint that SDF has no word for is named in what the operator reports, not dropped in silence."""
    from limberjack.core.formats import write

    _, joints = build.pendulum(2)
    joints[1].limberjack_joint.type = "planar"
    losses = write(whole(scene).model, tmp_path / "model.sdf")
    assert any("'bar1'" in loss or f"'{joints[1].name}'" in loss for loss in losses)


def test_surroundings(scene, build):
    """What belongs to no link is fixed to the world; what is hidden stays out; without the option, all of it does."""
    box = build.cube("box", location=(0.0, 0.0, 5.0))
    put("knob", lopsided(), box)
    bpy.context.view_layer.update()
    build.tag(box)
    put("floor", lopsided(), location=(0.0, 0.0, -1.0), scale=(4.0, 4.0, 1.0))
    put("ghost", lopsided()).hide_set(True)
    put("camera", bpy.data.cameras.new("camera"), scale=(0.0, 0.0, 0.0))
    reading = whole(scene)
    model = reading.model
    assert {item.name for item in model.links} == {"box", "floor"}
    assert reading.notes == []
    fixed = model.joint("floor_static")
    assert (fixed.type, fixed.parent, fixed.child) == ("fixed", "world", "floor")
    assert fixed.X_PJ == model.link("floor").pose
    assert model.link("floor").pose[2] == -1.0
    assert {item.name for item in read_scene(scene, with_shapes=True).links} == {"box"}


def test_what_hangs_on_a_joint_is_told(scene, build):
    """An object below a joint's Empty belongs to no link: it is left out in words, not fixed to the world."""
    _, joints = build.pendulum(1)
    put("dial", lopsided(), joints[0])
    bpy.context.view_layer.update()
    reading = whole(scene)
    assert [item.name for item in reading.model.links] == ["bar0"]
    assert any("'dial' hangs on joint" in note for note in reading.notes)


def test_lights(scene, build):
    """Kinds, colours and places of lights, in the world and on a link; watts as the documentation says."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube("box", location=(0.0, 0.0, 500.0), scale=(2.0, 1.0, 1.0))
    build.tag(cube)
    for kind in ("POINT", "SUN", "SPOT", "AREA"):
        data = bpy.data.lights.new(kind, kind)
        data.energy, data.color = 1000.0, (1.0, 0.5, 0.25)
        put(kind, data, cube if kind == "SPOT" else None, location=(100.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    reading = whole(scene)
    lights = {light.name: light for light in reading.model.lights}
    assert {name: light.kind for name, light in lights.items()} == {
        **{"POINT": "point", "AREA": "point"},
        **{"SUN": "directional", "SPOT": "spot"},
    }
    assert any("'AREA'" in note and "point" in note for note in reading.notes)
    assert lights["SUN"].intensity == pytest.approx(1000.0 / math.pi, rel=1e-5)
    assert lights["POINT"].intensity == pytest.approx(1000.0 * 0.01**2 / (4.0 * math.pi**2), rel=1e-5)
    assert lights["POINT"].diffuse == (1.0, 0.5, 0.25, 1.0)
    assert lights["POINT"].pose[:3] == pytest.approx((1.0, 0.0, 0.0))
    assert lights["SPOT"].link == "box"
    assert lights["SPOT"].pose[:3] == pytest.approx((2.0, 0.0, 0.0))


def test_export_changes_nothing(scene, build, tmp_path):
    """An export leaves no data behind and the scene as it was."""
    difficult(scene, build)
    counts = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "materials", "images", "scenes")}
    exported(tmp_path / "model.sdf")
    assert counts == {kind: len(getattr(bpy.data, kind)) for kind in counts}


def test_hidden_collisions_keep_their_modifiers(scene, build):
    """A collision shape that is hidden by the eye leaves with its modifiers."""
    base = build.cube("base", size=1.0)
    wall = put("wall", lopsided(), base)
    wall.modifiers.new("far", "ARRAY").count = 4
    link(wall).role = "COLLISION"
    build.tag(base)
    wall.hide_set(True)
    found = read_scene(scene, with_shapes=True).links[0].collisions
    assert [len(shape.geometry.vertices) for shape in found] == [16]


def test_a_box_of_a_hidden_kind_stays_a_box(scene, build):
    """Primitives count in surroundings too."""
    build.tag(build.cube("part"))
    link(build.cube("wall", scale=(3.0, 1.0, 1.0))).primitive = "BOX"
    assert visual(whole(scene).model, "wall").geometry == Box((6.0, 2.0, 2.0))


def test_lights_of_the_world_are_no_part_of_a_model(scene, build, tmp_path):
    """One model leaves without the lights of the world, which says so; the whole scene has them."""
    build.tag(build.cube("box"))
    put("sun", bpy.data.lights.new("sun", "SUN"))
    assert [light.name for light in whole(scene).model.lights] == ["sun"]
    root = ET.parse(exported(tmp_path / "model.sdf")).getroot()
    assert root.find("model") is not None
    assert not list(root.iter("light"))


def scattered(scene, base):
    """Geometry nodes that put an instance of the object's own mesh at each of its points, and leave the mesh away."""
    nodes = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    nodes.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    nodes.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    start, end = nodes.nodes.new("NodeGroupInput"), nodes.nodes.new("NodeGroupOutput")
    spread, cube = nodes.nodes.new("GeometryNodeInstanceOnPoints"), nodes.nodes.new("GeometryNodeMeshCube")
    cube.inputs["Size"].default_value = (0.1, 0.2, 0.3)
    nodes.links.new(start.outputs[0], spread.inputs["Points"])
    nodes.links.new(cube.outputs["Mesh"], spread.inputs["Instance"])
    nodes.links.new(spread.outputs[0], end.inputs[0])
    holder = put("holder", lopsided(), base, location=(1.0, 0.0, 0.0), scale=(1.0, 2.0, 1.0))
    holder.modifiers.new("scatter", "NODES").node_group = nodes
    return holder


def test_instances_of_geometry_nodes(scene, build):
    """Each instance is a visual, where Blender shows it; they share one mesh."""
    base = build.cube("base")
    holder = scattered(scene, base)
    bpy.context.view_layer.update()
    build.tag(base)
    shapes = [shape for shape in read_scene(scene, with_shapes=True).links[0].visuals if "holder" in shape.name]
    seen = [holder.matrix_world @ vertex.co for vertex in holder.data.vertices]
    assert len(shapes) == 4
    found = sorted(shape.pose[:3] for shape in shapes)
    assert np.array(found) == pytest.approx(np.array(sorted(tuple(point) for point in seen)), abs=1e-6)
    assert len({id(shape.geometry.vertices) for shape in shapes}) == 1
    assert np.ptp(shapes[0].geometry.vertices, axis=0) * shapes[0].geometry.scale == pytest.approx((0.1, 0.4, 0.3))


def test_children_put_up_on_vertices(scene, build):
    """A child that is instanced on its parent's vertices leaves where its instances are seen, and only there."""
    base = build.cube("base")
    holder = put("holder", lopsided(), base)
    holder.instance_type = "VERTS"
    put("leaf", lopsided("leaf"), holder, scale=(0.1, 0.1, 0.1))
    bpy.context.view_layer.update()
    build.tag(base)
    names = [shape.name for shape in read_scene(scene, with_shapes=True).links[0].visuals]
    assert names == ["base", "holder", "holder_leaf", "holder_leaf_2", "holder_leaf_3", "holder_leaf_4"]


def test_urdf(scene, build, tmp_path):
    """URDF leaves by its operator."""
    build.pendulum(2)
    assert bpy.ops.limberjack.export_urdf(filepath=str(tmp_path / "model.urdf")) == {"FINISHED"}
    assert {item.name for item in read(tmp_path / "model.urdf").model.links} >= {"bar0", "bar1"}
