# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials, primitives and meshes leave as Blender has them."""

import json
import struct

import bpy
import numpy as np
import pytest
import trimesh

from limberjack.addon.bridge.meshes.primitives import new_mesh
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.formats.mesh_output.obj import obj_files
from limberjack.core.geometry import Capsule, Cone, Ellipsoid, Material, Mesh, Polyline

from .conftest import link
from .scenes import difficult, lopsided, material, put, visual, whole


def painted(scene, build, tmp_path):
    """A cube with three materials, an image, and texture coordinates."""
    cube = build.cube("cube", size=1.0)
    image = bpy.data.images.new("check er", 4, 4)
    image.pixels = [0.25, 0.5, 0.75, 1.0] * 16
    red, shader = material("red", (0.8, 0.1, 0.2, 1.0))
    shader.inputs["Alpha"].default_value = 0.5
    shader.inputs["Emission Color"].default_value = (0.5, 0.25, 0.125, 1.0)
    shader.inputs["Emission Strength"].default_value = 2.0
    shader.inputs["Specular IOR Level"].default_value = 0.75
    wood, shader = material("wood", (1.0, 1.0, 1.0, 1.0))
    node = wood.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    wood.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    for item in (red, None, wood):
        cube.data.materials.append(item)
    cube.data.polygons.foreach_set("material_index", [0, 0, 1, 2, 2, 2])
    build.tag(cube)
    return image


def test_materials(scene, build, tmp_path):
    """Colours, alpha, emission, specular and the image of each face; an image that is in no file is written to one."""
    painted(scene, build, tmp_path)
    shape = visual(whole(scene).model, "cube")
    assert shape.material is None
    red, none, wood = shape.geometry.materials
    assert red == Material((0.8, 0.1, 0.2, 0.5), None, (0.75, 0.75, 0.75, 1.0), (1.0, 0.5, 0.25, 1.0))
    assert none == Material()
    assert wood.diffuse == (1.0, 1.0, 1.0, 1.0)
    assert shape.geometry.face_materials == (0, 0, 1, 2, 2, 2)
    kept = bpy.data.images.load(wood.texture)
    assert tuple(kept.size) == (4, 4)
    assert shape.geometry.uvs.shape == (24, 2)


def test_an_image_in_a_file_is_named_as_it_is(scene, build, tmp_path):
    """An image that lies beside the scene is not copied first."""
    image = painted(scene, build, tmp_path)
    image.filepath_raw, image.file_format = str(tmp_path / "own.png"), "PNG"
    image.save()
    shape = visual(whole(scene).model, "cube")
    assert shape.geometry.materials[2].texture == str((tmp_path / "own.png").resolve())


def test_obj_files(scene, build, tmp_path):
    """The .obj, its .mtl and the image, as another library reads them: faces, coordinates and materials."""
    painted(scene, build, tmp_path)
    files = obj_files(visual(whole(scene).model, "cube").geometry, "cube")
    names = list(files)
    assert names[:2] == ["cube.obj", "cube.mtl"]
    assert len(names) == 3
    assert names[2].endswith(".png")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert f"map_Kd {names[2]}" in files["cube.mtl"]
    for line in ("Kd 0.8 0.1 0.2", "d 0.5", "Ke 1.0 0.5 0.25", "Ks 0.75 0.75 0.75"):
        assert line in files["cube.mtl"].splitlines()
    read_back = trimesh.load(tmp_path / "cube.obj", process=False, group_material=False, split_object=False)
    meshes = read_back.dump() if isinstance(read_back, trimesh.Scene) else [read_back]
    assert sum(len(mesh.faces) for mesh in meshes) == 12
    assert files["cube.obj"].count("usemtl") == 3
    assert sum(mesh.area for mesh in meshes) == pytest.approx(6.0)


def test_primitives(scene, build):
    """Each kind of primitive leaves by the sizes of its mesh; a hull is the mesh's convex hull."""
    outlines = (((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)), ((1.0, 1.0), (2.0, 1.0), (1.5, 2.0)))
    shapes = [Capsule(0.5, 2.0), Cone(0.3, 0.7), Ellipsoid((1.0, 2.0, 3.0)), Polyline(outlines, 0.25)]
    base = build.cube("base")
    for shape in shapes:
        mesh, kind = new_mesh(type(shape).__name__, shape, 1.0)
        link(put(type(shape).__name__, mesh, base)).primitive = kind
    hull = put("hull", lopsided(), base)
    hull.modifiers.new("many", "ARRAY").count = 3
    link(hull).primitive = "HULL"
    bpy.context.view_layer.update()
    build.tag(base)
    model = read_scene(scene, with_shapes=True)
    for shape in shapes:
        assert visual(model, type(shape).__name__).geometry == shape
        assert visual(model, type(shape).__name__).pose[:3] == pytest.approx((0.0, 0.0, 0.0))
    assert len(visual(model, "hull").geometry.faces) == 12
    found = next(shape.geometry for shape in model.links[0].collisions if shape.name == "hull_collision")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    points = [vertex.co[:] for vertex in hull.evaluated_get(depsgraph).data.vertices]
    assert trimesh.Trimesh(found.vertices, [face[:3] for face in found.faces]).volume == pytest.approx(
        trimesh.convex.convex_hull(points).volume, rel=1e-5
    )


def test_capsule_that_was_scaled(scene, build):
    """A capsule that is no longer round leaves as a mesh."""
    mesh, kind = new_mesh("c", Capsule(0.5, 2.0), 1.0)
    capsule = put("c", mesh, scale=(1.0, 2.0, 1.0))
    link(capsule).primitive = kind
    build.tag(capsule)
    assert isinstance(visual(read_scene(scene, with_shapes=True), "c").geometry, Mesh)


def test_linked_duplicates_share(scene, build):
    """Objects that share a mesh leave with one set of points, whatever their scales."""
    base = build.cube("base")
    mesh = lopsided()
    for number in range(3):
        put(f"copy{number}", mesh, base, scale=(1.0 + number, 1.0, 1.0))
    bpy.context.view_layer.update()
    build.tag(base)
    model = read_scene(scene, with_shapes=True)
    meshes = [visual(model, f"copy{number}").geometry for number in range(3)]
    assert len({id(item.vertices) for item in meshes}) == 1
    assert [item.scale[0] for item in meshes] == [1.0, 2.0, 3.0]


def glb_points(content):
    """The points of a binary glTF file that has one mesh, by the specification's words."""
    length, _ = struct.unpack_from("<II", content, 12)
    about = json.loads(content[20 : 20 + length])
    start = 20 + length + 8
    points = []
    for primitive in about["meshes"][0]["primitives"]:
        accessor = about["accessors"][primitive["attributes"]["POSITION"]]
        view = about["bufferViews"][accessor["bufferView"]]
        offset = start + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        points.append(np.frombuffer(content, np.float32, 3 * accessor["count"], offset).reshape(-1, 3))
    return np.concatenate(points)


def test_gltf(scene, build, tmp_path):
    """Meshes as glTF have the same points, Y up; neither the scene nor the selection changes by it."""
    bpy.data.scenes.new("A scene that comes first")
    difficult(scene, build, 0.01)
    build.select(bpy.data.objects["floor"])
    counts = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "scenes", "collections")}
    model = whole(scene, mesh_format="GLTF").model
    assert counts == {kind: len(getattr(bpy.data, kind)) for kind in counts}
    assert bpy.context.selected_objects == [bpy.data.objects["floor"]]
    assert bpy.context.scene == scene
    for shape in (shape for item in model.links for shape in item.visuals):
        x, y, z = glb_points(shape.geometry.glb).T.astype(float)
        points = np.stack([x, -z, y], axis=1)
        assert points.min(axis=0) == pytest.approx(shape.geometry.vertices.min(axis=0), abs=1e-7)
        assert points.max(axis=0) == pytest.approx(shape.geometry.vertices.max(axis=0), abs=1e-7)
