# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files of every kind come in as what they say, once, and with nothing beside."""

import math

import bpy
import numpy as np
import pytest
import trimesh
from mathutils import Matrix

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.scene.write import write_scene
from limberjack.core.geometry import Material, Mesh, Shape
from limberjack.core.mesh_files import read_mesh
from limberjack.core.model import Link, Model

from .scenes import evaluated_boxes, lopsided, put, require_same_boxes


def shown(scene, path):
    """The file as the only visual of a link; returns the notes."""
    return write_scene(Model("m", [Link("body", visuals=[Shape("part", Mesh(path.name, path=str(path)))])]), scene)[1]


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply", ".glb"])
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_mesh_files(scene, tmp_path, suffix, unit):
    """Each format comes in with the axes that robotics means, the file's scale and the unit once, shared, and alone."""
    scene.unit_settings.scale_length = unit
    path = tmp_path / f"part{suffix}"
    shape = trimesh.creation.box((1.0, 2.0, 3.0))
    shape.apply_translation((0.5, 0.0, 4.0))
    shape.export(path)
    parts = [Shape(f"v{i}", Mesh("model://x", (2.0, 1.0, 0.5 + i), str(path))) for i in range(2)]
    counts = {kind: len(getattr(bpy.data, kind)) for kind in ("cameras", "lights", "collections", "scenes", "meshes")}
    _, notes = write_scene(Model("m", [Link("body", visuals=parts)]), scene)
    assert notes == []
    low, high = (0.0, -1.0, 2.5), (1.0, 1.0, 5.5)
    if suffix == ".glb":  # Y up
        low, high = (0.0, -5.5, -1.0), (1.0, -2.5, 1.0)
    expected = {f"v{i}": (np.multiply(low, (2, 1, 0.5 + i)), np.multiply(high, (2, 1, 0.5 + i))) for i in range(2)}
    require_same_boxes(evaluated_boxes(scene), expected, tolerance=1e-5)
    assert bpy.data.objects["v0"].data == bpy.data.objects["v1"].data
    assert len(scene.objects) == 3
    after = {kind: len(getattr(bpy.data, kind)) for kind in counts}
    assert after == counts | {"collections": 1, "meshes": 1}


@pytest.mark.skipif("collada_export" not in dir(bpy.ops.wm), reason="this Blender has no COLLADA")
def test_collada(scene, tmp_path):
    """A COLLADA file in centimetres comes in as large as it is."""
    path = tmp_path / "part.dae"
    obj = put("part", lopsided())
    bpy.context.view_layer.update()
    expected = evaluated_boxes(scene)
    obj.select_set(True)
    bpy.ops.wm.collada_export(filepath=str(path), selected=True)
    text = path.read_text()
    assert '<unit name="meter" meter="1"/>' in text
    path.write_text(text.replace('<unit name="meter" meter="1"/>', '<unit name="centimeter" meter="0.01"/>'))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    write_scene(Model("m", [Link("body", visuals=[Shape("part", Mesh("part.dae", path=str(path)))])]), scene)
    centimetres = {name: (low / 100.0, high / 100.0) for name, (low, high) in expected.items()}
    require_same_boxes(evaluated_boxes(scene), centimetres)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.obj", "nothing", "it has no faces"),
        ("a.glb", "nothing", "it is no glTF"),
        ("a.x", "nothing", "'.x' files are not read; convert it to"),
    ],
)
def test_mesh_files_that_cannot_be_read(scene, tmp_path, name, content, words):
    """The note names link, file and reason, and the shape keeps its uri."""
    (tmp_path / name).write_text(content)
    shape = Shape("far", Mesh(f"model://x/{name}", (1.0, 2.0, 1.0), str(tmp_path / name)))
    _, notes = write_scene(Model("m", [Link("body", visuals=[shape])]), scene)
    assert len(notes) == 1
    assert notes[0].startswith(f"link 'body': the mesh 'model://x/{name}' is left out: ")
    assert words in notes[0]
    found = read_scene(scene, with_shapes=True).links[0].visuals[0].geometry
    assert (found.uri, found.scale) == (f"model://x/{name}", (1.0, 2.0, 1.0))
    assert {obj.name for obj in scene.objects} == {"body", "far"}


TRIANGLE = """<COLLADA><asset><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 2 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries></COLLADA>"""


def test_collada_where_blender_does_not_read_it(scene, tmp_path, monkeypatch):
    """Guards Blender 5.2, which has no COLLADA: the shape is shown, and the note says why it has no colours."""
    from limberjack.addon.bridge.meshes import mesh_importers

    path = tmp_path / "a.dae"
    path.write_text(TRIANGLE)
    monkeypatch.setattr(mesh_importers, "can_read_collada", lambda: False)
    shape = Shape("far", Mesh("a.dae", path=str(path)))
    _, notes = write_scene(Model("m", [Link("body", visuals=[shape])]), scene)
    assert "'a.dae' is shown without colours: this Blender reads no COLLADA; convert it to .glb or .obj" in notes[0]
    require_same_boxes(evaluated_boxes(scene), {"far": (np.zeros(3), np.array([1.0, 2.0, 0.0]))})


EXPORTERS = {
    ".obj": lambda path: bpy.ops.wm.obj_export(filepath=path, forward_axis="Y", up_axis="Z"),
    ".stl": lambda path: bpy.ops.wm.stl_export(filepath=path, forward_axis="Y", up_axis="Z"),
    ".ply": lambda path: bpy.ops.wm.ply_export(filepath=path, forward_axis="Y", up_axis="Z"),
    ".glb": lambda path: bpy.ops.export_scene.gltf(filepath=path, export_format="GLB"),
    ".dae": lambda path: bpy.ops.wm.collada_export(filepath=path),
}


@pytest.mark.parametrize(
    "suffix", [name for name in EXPORTERS if name != ".dae" or "collada_export" in dir(bpy.ops.wm)]
)
def test_collisions_are_read_as_blender_wrote_them(scene, tmp_path, suffix):
    """Every exporter of Blender against the reader that all routes share, with a parent that turns and scales."""
    carrier = bpy.data.objects.new("carrier", None)
    scene.collection.objects.link(carrier)
    carrier.rotation_euler, carrier.scale, carrier.location = (0.3, -0.7, 1.1), (1.0, 2.0, 1.5), (1.0, 2.0, -3.0)
    obj = put("part", lopsided())
    obj.parent = carrier
    bpy.context.view_layer.update()
    expected = np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])
    path = tmp_path / f"part{suffix}"
    EXPORTERS[suffix](str(path))
    vertices, triangles = read_mesh(path)
    used = np.unique(np.round(vertices[np.unique(triangles)], 4), axis=0)
    np.testing.assert_allclose(used, np.unique(np.round(expected, 4), axis=0), atol=2e-4)
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    assert (a * np.cross(b, c)).sum() > 0.0  # the faces look outward

    bpy.ops.wm.read_factory_settings(use_empty=True)
    write_scene(
        Model("m", [Link("body", collisions=[Shape("part", Mesh(path.name, path=str(path)))])]), bpy.context.scene
    )
    found = np.array([vertex.co for vertex in bpy.data.objects["part"].data.vertices])
    np.testing.assert_allclose(np.unique(np.round(found, 4), axis=0), used, atol=2e-4)


def test_materials_of_mesh_files(scene, tmp_path):
    """A mesh file's own materials and image come in; a material that the model gives comes before them."""
    bpy.data.images.new("i", 2, 2).save(filepath=str(tmp_path / "i.png"))
    (tmp_path / "a.mtl").write_text("newmtl one\nKd 0.8 0.1 0.2\nd 0.5\nnewmtl two\nKd 1 1 1\nmap_Kd i.png\n")
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n"
    (tmp_path / "a.obj").write_text(f"mtllib a.mtl\n{corners}usemtl one\nf 1/1 2/2 3/3\nusemtl two\nf 1/1 3/2 4/3\n")
    mesh = Mesh("a.obj", path=str(tmp_path / "a.obj"))
    blue = Material((0.0, 0.0, 1.0, 1.0))
    body = Link("body", visuals=[Shape("own", mesh), Shape("painted", mesh, material=blue)])
    write_scene(Model("m", [body]), scene)
    found = {shape.name: shape for shape in read_scene(scene, with_shapes=True).links[0].visuals}
    one, two = found["own"].geometry.materials
    assert one.diffuse == pytest.approx((0.8, 0.1, 0.2, 0.5))
    assert two.texture == str((tmp_path / "i.png").resolve())
    assert found["own"].geometry.face_materials == (0, 1)
    assert found["own"].geometry.uvs == pytest.approx(np.array([(0, 0), (1, 0), (0, 1)] * 2))
    assert found["painted"].geometry.materials == (blue, blue) or found["painted"].material == blue


def test_a_file_of_many_objects(scene, tmp_path):
    """Objects below turned and mirrored Empties, cameras and lights: the meshes become one, and nothing else stays."""
    turn = put("turn", None, rotation_euler=(0.3, 0.2, 0.1), location=(1.0, 2.0, 3.0), scale=(1.0, 1.0, -1.0))
    mesh = lopsided()
    for number in range(3):
        put(f"part{number}", mesh, turn, location=(float(number), 0.0, 0.0))
    put("camera", bpy.data.cameras.new("camera"))
    put("light", bpy.data.lights.new("light", "POINT"))
    bpy.context.view_layer.update()
    boxes = evaluated_boxes(scene).values()
    expected = np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)
    path = tmp_path / "many.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_cameras=True, export_lights=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    assert shown(scene, path) == []
    require_same_boxes(evaluated_boxes(scene), {"part": expected}, tolerance=2e-6)
    assert {obj.name for obj in bpy.data.objects} == {"body", "part"}
    assert [len(getattr(bpy.data, kind)) for kind in ("cameras", "lights", "meshes", "scenes")] == [0, 0, 1, 1]
    assert bpy.context.scene == scene
    points = [vertex.co[:] for vertex in bpy.data.objects["part"].data.vertices]
    faces = [tuple(face.vertices) for face in bpy.data.objects["part"].data.polygons]
    assert trimesh.Trimesh(points, faces).volume > 0.0


def test_selection_and_active_object_stay(scene, tmp_path):
    """Reading mesh files touches neither what the user has selected nor the scene in view."""
    bpy.data.scenes.new("A scene that comes first")
    mine = put("mine", lopsided())
    bpy.context.view_layer.objects.active = mine
    mine.select_set(True)
    for suffix in (".stl", ".glb"):
        path = tmp_path / f"part{suffix}"
        trimesh.creation.box((1.0, 1.0, 1.0)).export(path)
        assert not any("left out" in note for note in shown(scene, path))
    assert bpy.context.scene == scene
    assert bpy.context.selected_objects == [mine]
    assert bpy.context.view_layer.objects.active == mine


def test_turns_of_gltf(scene, tmp_path):
    """What our own export writes as glTF comes back where it was."""
    put("part", lopsided(), matrix_world=Matrix.Rotation(math.pi / 5.0, 4, "X"))
    bpy.context.view_layer.update()
    expected = evaluated_boxes(scene)
    path = tmp_path / "part.glb"
    bpy.ops.export_scene.gltf(filepath=str(path))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert shown(bpy.context.scene, path) == []
    require_same_boxes(evaluated_boxes(bpy.context.scene), expected)


def test_an_importer_that_dies_ends_itself_alone(scene, tmp_path, monkeypatch):
    """Guards this process: a file that ends its reader is told, and the next one is read all the same."""
    from limberjack.addon.bridge.meshes import mesh_files

    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "bad.stl")
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "good.stl")
    read = mesh_files._Reader.read

    def kill_first(reader, source, target):
        if source.name == "bad.stl":
            reader._process.kill()
        return read(reader, source, target)

    monkeypatch.setattr(mesh_files._Reader, "read", kill_first)
    parts = [Shape(name, Mesh(f"{name}.stl", path=str(tmp_path / f"{name}.stl"))) for name in ("bad", "good")]
    _, notes = write_scene(Model("m", [Link("body", visuals=parts)]), scene)
    assert len(notes) == 1
    assert "'bad.stl' is shown without colours: " in notes[0]
    assert len(bpy.data.objects["good"].data.polygons) == 12
    assert len(bpy.data.libraries) == 0


def test_images_of_a_scene_that_are_none(scene, tmp_path):
    """Guards exports of strangers' scenes: a file that is no image is not taken along, and one outside is told."""
    from limberjack.addon.bridge.values.materials import MaterialReader, new_material

    (tmp_path / "project").mkdir()
    bpy.data.images.new("i", 2, 2).save(filepath=str(tmp_path / "i.png"))
    material = new_material("m", Material((1.0, 1.0, 1.0, 1.0), texture=str(tmp_path / "i.png")))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "project" / "scene.blend"), copy=False)
    reader = MaterialReader()
    assert reader.read(material).texture == str(tmp_path / "i.png")
    assert "lies outside of the scene's folder" in reader.notes[0]
    (image,) = [image for image in bpy.data.images if image.filepath]
    image.filepath = "/etc/passwd"
    reader = MaterialReader()
    assert reader.read(material).texture == ""
    assert "'/etc/passwd', which is no image, and is left out" in reader.notes[0]


def test_a_missing_mesh_is_told_once(tmp_path, capsys):
    """Guards readable reports: the reader tells of it, and the scene that is made of it does not again."""
    from limberjack.addon.cli.opening import open_as_scene

    path = tmp_path / "m.urdf"
    mesh = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    path.write_text(f'<robot name="m"><link name="a"><inertial><mass value="1"/></inertial>{mesh}{mesh}</link></robot>')
    open_as_scene(path, [], [], None)
    assert capsys.readouterr().err.count("gone.stl") == 1


@pytest.mark.parametrize(("material", "notes"), [(None, 1), (Material((0.2, 0.3, 0.4, 1.0)), 0)])
def test_missing_colours_matter_only_where_the_model_gives_none(scene, tmp_path, material, notes):
    """Guards robots of MuJoCo, whose 57 meshes name a library that is not there, and have colours in the model."""
    path = tmp_path / "a.obj"
    path.write_text("mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    body = Link("body", visuals=[Shape("part", Mesh(path.name, path=str(path)), material=material)])
    _, told = write_scene(Model("m", [body]), scene)
    assert sum("gone.mtl" in note for note in told) == notes
