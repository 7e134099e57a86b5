# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files of every format: the same triangles as another library wrote, in metres with Z up, or one clear line."""

import json
import os
import struct
import zlib

import numpy as np
import pytest
import trimesh

from limberjack.core.mesh_files import READERS, MeshFileError, read_heights, read_mesh, read_parts

TURNED_FROM_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def shapes():
    """A shape without symmetry: its volume, area and middle tell wrong axes, scales and sides apart."""
    body = trimesh.creation.box((1.0, 2.0, 3.0)).subdivide()
    body.vertices += 0.1 * np.sin(3.0 * body.vertices[:, [1, 2, 0]]) + (0.5, -1.0, 2.0)
    return body


def require_same(path, theirs, turn=None, **options):
    """The same triangles in space, in any order: equal corners up to single precision, and equal orientation."""
    vertices, triangles = read_mesh(path, **options)
    mine, other = vertices[triangles], theirs.vertices[theirs.faces]
    other = other if turn is None else other @ turn.T
    assert len(mine) == len(other)

    def ordered(corners):
        first = np.array([np.lexsort(np.round(each, 4).T)[0] for each in corners])
        turned = np.stack([np.roll(each, -k, axis=0) for each, k in zip(corners, first, strict=True)]).reshape(-1, 9)
        return turned[np.lexsort(np.round(turned, 4).T)]

    np.testing.assert_allclose(ordered(mine), ordered(np.asarray(other)), atol=2e-6)


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply", ".glb"])
def test_files_of_another_library(tmp_path, suffix):
    path = tmp_path / f"body{suffix}"
    body = shapes()
    body.export(path)
    require_same(path, body, TURNED_FROM_Y_UP if suffix == ".glb" else None)


@pytest.mark.parametrize(("file_type", "encoding"), [("stl_ascii", None), ("ply", "ascii")])
def test_text_of_another_library(tmp_path, file_type, encoding):
    body = shapes()
    data = body.export(file_type=file_type, **({"encoding": encoding} if encoding else {}))
    path = tmp_path / f"body.{file_type[:3]}"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    require_same(path, body)


def test_gltf_with_buffers_beside_it(tmp_path):
    body = shapes()
    for name, data in trimesh.Scene(body).export(file_type="gltf").items():
        (tmp_path / name).write_bytes(data)
    require_same(tmp_path / "model.gltf", body, TURNED_FROM_Y_UP)


def test_placed_meshes_of_a_gltf(tmp_path):
    """Guards nodes in nodes, with turns and scales, and their names as sub-meshes."""
    scene = trimesh.Scene()
    body, turn = shapes(), trimesh.transformations.random_rotation_matrix(np.array([0.2, 0.5, 0.7]))
    turn[:3, 3] = 1.0, 2.0, 3.0
    scene.graph.update("carrier", matrix=turn)
    scene.add_geometry(
        body, node_name="arm", geom_name="arm mesh", parent_node_name="carrier", transform=np.diag([2, 2, 2, 1.0])
    )
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), node_name="box")
    path = tmp_path / "scene.glb"
    scene.export(path)
    moved = body.copy().apply_transform(turn @ np.diag([2.0, 2.0, 2.0, 1.0]))
    require_same(path, moved, TURNED_FROM_Y_UP, submesh="arm")
    vertices, triangles = read_mesh(path, submesh="arm", is_centered=True)
    used = vertices[triangles].reshape(-1, 3)
    np.testing.assert_allclose(used.min(axis=0) + used.max(axis=0), 0.0, atol=1e-6)
    with pytest.raises(MeshFileError, match=r"no sub-mesh 'leg'; it has .*'arm'"):
        read_mesh(path, submesh="leg")


POLYGON = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\n"


@pytest.mark.parametrize(
    ("text", "area"),
    [
        (f"{POLYGON}f 1 2 3 4 5\n", 2.5),  # a fan from the first corner would cover 2.5 only with signs
        (f"{POLYGON}f -5 -4 -3 \\\n -2 -1\n", 2.5),
        (f"{POLYGON}g one\nf 1//1 2//1 3//1 4//2 5//2\ng two\n", 2.5),
        ("v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 4/4\n", 1.0),
    ],
)
def test_polygons_of_an_obj(tmp_path, text, area):
    """Polygons that are not convex are cut without a triangle outside; numbers may count back."""
    path = tmp_path / "a.obj"
    path.write_text(text)
    vertices, triangles = read_mesh(path)
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    turned = np.cross(b - a, c - a)[:, 2]
    assert (turned > 0.0).all()
    assert turned.sum() / 2.0 == pytest.approx(area)


def test_groups_of_an_obj_are_sub_meshes(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 5\no low part\nf 1 2 3\no high\nf 1 2 4\n")
    assert [part.names for part in read_parts(path)] == [("low part",), ("high",)]
    assert read_mesh(path, submesh="low part")[0][:, 2].max() == 0.0


def test_an_obj_without_faces_keeps_its_vertices(tmp_path):
    """Guards files that hold points alone, of which MuJoCo makes the convex hull."""
    path = tmp_path / "a.obj"
    path.write_text("o points\nv 0 0 0\nv 1 2 3\n")
    (part,) = read_parts(path)
    np.testing.assert_array_equal(part.vertices, [(0.0, 0.0, 0.0), (1.0, 2.0, 3.0)])
    assert part.triangles.shape == (0, 3)
    with pytest.raises(MeshFileError, match="no faces"):
        read_mesh(path)


PLY = "ply\nformat {} 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty double y\nproperty short z\n"
PLY += "element face 2\nproperty uchar flags\nproperty list uchar int vertex_index\nend_header\n"
POINTS = [(0.0, 0.0, 0), (1.5, 0.0, 0), (1.5, 2.0, 0), (0.0, 2.0, 7)]


@pytest.mark.parametrize("order", ["binary_little_endian", "binary_big_endian", "ascii"])
def test_ply_with_faces_of_several_sizes(tmp_path, order):
    """Guards other properties before the list, mixed types and both byte orders."""
    sign = "<" if "little" in order else ">"
    if order == "ascii":
        body = "".join(f"{x} {y} {z}\n" for x, y, z in POINTS) + "9 4 0 1 2 3\n9 3 0 2 1\n"
        data = PLY.format(order).encode() + body.encode()
    else:
        body = b"".join(struct.pack(f"{sign}fdh", *point) for point in POINTS)
        body += struct.pack(f"{sign}BB4i", 9, 4, 0, 1, 2, 3) + struct.pack(f"{sign}BB3i", 9, 3, 0, 2, 1)
        data = PLY.format(order).encode() + body
    path = tmp_path / "a.ply"
    path.write_bytes(data)
    vertices, triangles = read_mesh(path)
    np.testing.assert_array_equal(vertices, POINTS)
    np.testing.assert_array_equal(triangles, [[0, 1, 2], [0, 2, 3], [0, 2, 1]])


def test_a_binary_stl_may_begin_with_solid(tmp_path):
    """Guards exporters that write 'solid' into the header of binary files."""
    body = shapes()
    data = bytearray(body.export(file_type="stl"))
    data[:20] = b"solid made elsewhere"
    (tmp_path / "a.stl").write_bytes(bytes(data))
    require_same(tmp_path / "a.stl", body)


def msh_of(body, normals=0, texcoords=0):
    """The bytes of a mesh as MuJoCo's documentation lays them out: counts, vertices, normals, texcoords, faces."""
    counts = struct.pack("<4i", len(body.vertices), normals, texcoords, len(body.faces))
    unused = np.full(3 * normals + 2 * texcoords, 7.0, "<f4")
    return counts + np.asarray(body.vertices, "<f4").tobytes() + unused.tobytes() + body.faces.astype("<i4").tobytes()


@pytest.mark.parametrize("has_normals", [False, True])
@pytest.mark.parametrize("has_texcoords", [False, True])
def test_msh(tmp_path, has_normals, has_texcoords):
    """Guards the place of the faces, which follow normals and texture coordinates if there are any."""
    body = shapes()
    count = len(body.vertices)
    (tmp_path / "a.msh").write_bytes(msh_of(body, count * has_normals, count * has_texcoords))
    require_same(tmp_path / "a.msh", body)


def test_msh_without_faces_keeps_its_vertices(tmp_path):
    """Guards files that hold points alone, of which MuJoCo makes the convex hull."""
    (tmp_path / "a.msh").write_bytes(struct.pack("<4i12f", 4, 0, 0, 0, *range(12)))
    (part,) = read_parts(tmp_path / "a.msh")
    np.testing.assert_array_equal(part.vertices, np.arange(12.0).reshape(4, 3))
    assert part.triangles.shape == (0, 3)
    with pytest.raises(MeshFileError, match="no faces"):
        read_mesh(tmp_path / "a.msh")


ASCII_PLY = b"ply\nformat ascii 1.0\nelement vertex 1\n"
WRONG = {
    "a.stl": [
        (b"solid x\nfacet\nvertex 0 0 zero\n", "no number"),
        (b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 60, "cannot hold"),
    ],
    "a.obj": [
        (b"v 0 0 0\nf 1 2 3\n", "names vertex"),
        (b"v 0 0\nf 1 1 1\n", "three numbers"),
        (b"v 1 1 1\n", "no faces"),
        (b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "finite"),
        (b"v 0 0 0\nf 0 1 1\n", "count from 1"),
        (b"", "no faces"),
    ],
    "a.ply": [
        (ASCII_PLY.replace(b"1\n", b"99999999999\n") + b"property float x\nend_header\n", "can hold"),
        (b"ply\nformat ascii 1.0\nend_header\n", "no x, y and z"),
        (b"plx", "no PLY"),
        (
            ASCII_PLY.replace(b"ascii", b"binary_big_endian") + b"property list uchar int n\nend_header\n\xff\0",
            "counts",
        ),
        (ASCII_PLY + b"property float x\nproperty float y\nend_header\n1\n", "counts"),
    ],
    "a.msh": [
        (b"\4\0\0\0", "fewer than a header"),
        (struct.pack("<4i", -1, 0, 0, 0), "counts -1 vertices"),
        (struct.pack("<4i", 4, 3, 0, 1), "counts 4 vertices, 3 normals"),
        (struct.pack("<4i", 2**31 - 1, 0, 0, 2**31 - 1), "counts data of"),
        (struct.pack("<4i", 1, 0, 0, 1) + b"\0" * 25, "counts data of 40 bytes, but has 41"),
        (struct.pack("<4i3f3i", 1, 0, 0, 1, 0, 0, 0, 0, 1, 0), "names vertex 1"),
        (struct.pack("<4i3f3i", 1, 0, 0, 1, 0, 0, float("nan"), 0, 0, 0), "finite"),
    ],
    "a.glb": [
        (b"glTF\2\0\0\0\x1c\0\0\0\xff\0\0\0JSON{}", "cut short"),
        (b"glTF\1\0\0\0", "version 2"),
    ],
    "a.gltf": [
        (b"{", "no glTF"),
        (b"[]", "specification"),
        (b'{"nodes":[{"mesh":0}]}', "specification"),
        (b'{"nodes":[{"children":[1]},{"children":[1]}],"scenes":[{"nodes":[0]}]}', "contain each other"),
    ],
    "a.dae": [
        (b"<COLLADA/>", "no faces"),
        (b"<x/>", "no COLLADA"),
        (b"<COLLADA", "not well-formed"),
        (b'<!DOCTYPE x [<!ENTITY y SYSTEM "/etc/passwd">]><COLLADA/>', "type definition"),
    ],
    "a.step": [(b"", "convert it to")],
}


@pytest.mark.parametrize(("name", "data", "words"), [(name, *case) for name, cases in WRONG.items() for case in cases])
def test_what_is_wrong_is_said_in_one_line(tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(MeshFileError, match=words) as caught:
        read_mesh(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_buffer_outside_of_the_folder_is_not_opened(tmp_path):
    """Guards files of strangers: what they name lies beside them, or in a folder that the user has named."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "secret.bin").write_bytes(b"\0" * 36)
    said = {
        "buffers": [{"uri": "../secret.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
    }
    path = tmp_path / "inner" / "a.gltf"
    path.write_text(json.dumps(said))
    with pytest.raises(MeshFileError, match="leads out of"):
        read_mesh(path)
    assert read_mesh(path, within=[str(tmp_path)])[1].shape == (1, 3)


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_damaged_files_are_read_or_refused(tmp_path, suffix):
    """Guards against tracebacks: 60 files, each with some bytes changed or its end cut off."""
    body = shapes()
    if suffix == ".gltf":
        data = json.dumps({"nodes": [{"mesh": 0, "children": []}], "meshes": [{"primitives": []}]}).encode()
    elif suffix == ".dae":
        data = DAE.format(up="Z_UP", faces=DAE_FACES["triangles"]).encode()
    elif suffix == ".msh":
        data = msh_of(body)
    else:
        data = body.export(file_type=suffix[1:])
        data = data if isinstance(data, bytes) else data.encode()
    random = np.random.default_rng(zlib.crc32(suffix.encode()))
    for number in range(60):
        damaged = bytearray(data[: random.integers(1, len(data))] if number % 3 == 0 else data)
        for at in random.integers(0, min(len(damaged), 3000), 4):
            damaged[at] = random.integers(0, 256)
        path = tmp_path / f"{number}{suffix}"
        path.write_bytes(bytes(damaged))
        try:
            vertices, triangles = read_mesh(path)
        except MeshFileError:
            continue
        assert triangles.max() < len(vertices)


DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g" name="wedge"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 0 200 0 0 0 300</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
{faces}
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="upper">
<translate>100 0 0</translate><rotate>0 0 1 90</rotate><scale>1 2 1</scale>
<node name="inner"><matrix>1 0 0 0 0 1 0 0 0 0 1 50 0 0 0 1</matrix><instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""
DAE_FACES = {
    "triangles": '<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" '
    'source="#p" offset="1"/><p>0 0 2 0 1 0 0 0 1 0 3 0 0 0 3 0 2 0 1 0 2 0 3 0</p></triangles>',
    "polylist": '<polylist count="4"><input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" '
    'source="#p" offset="0"/><vcount>3 3 3 3</vcount><p>0 0 0 2 0 1 0 0 0 1 0 3 0 0 0 3 0 2 0 1 0 2 0 3</p></polylist>',
    "polygons": '<polygons count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1</p><p>0 1 3</p><p>0 3 2'
    "</p><p>1 2 3</p></polygons>",
    "trifans": '<trifans count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 3 2</p><p>1 2 3</p>'
    "</trifans>",
    "tristrips": '<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 3 0 2</p></tristrips>',
}


@pytest.mark.parametrize("kind", sorted(DAE_FACES))
@pytest.mark.parametrize("up", ["Z_UP", "Y_UP", "X_UP"])
def test_collada(tmp_path, kind, up):
    """Centimetres, each axis up, nodes in nodes and each kind of primitive, against the transforms by hand."""
    path = tmp_path / "a.dae"
    path.write_text(DAE.format(up=up, faces=DAE_FACES[kind]))
    vertices, triangles = read_mesh(path, submesh="wedge")
    local = np.add([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], (0, 0, 0.5))
    x, y, z = (local * (1, 2, 1)).T
    in_file = np.stack([1.0 - y, x, z], axis=1)  # a quarter turn about z, then one metre along x
    x, y, z = in_file.T
    expected = np.stack({"Z_UP": (x, y, z), "Y_UP": (x, -z, y), "X_UP": (-y, -z, x)}[up], axis=1)
    np.testing.assert_allclose(vertices, expected, atol=1e-15)
    volume = np.linalg.det(vertices[triangles]).sum() / 6.0
    if kind != "tristrips":  # a strip cannot go round a tetrahedron: four of its faces, one way
        assert volume == pytest.approx(2.0)
    assert {name for part in read_parts(path) for name in part.names} == {"inner", "wedge", "g"}
    assert len(triangles) == 4


def test_collada_with_one_id_for_two_things(tmp_path):
    """Guards exporters that give a node the id of its scene, and fill the file up with zeros."""
    path = tmp_path / "a.dae"
    text = DAE.format(up="Z_UP", faces=DAE_FACES["triangles"]).replace('<node id="n"', '<node id="s"')
    path.write_bytes(text.encode() + b"\0" * 16)
    assert read_mesh(path)[1].shape == (4, 3)


def test_a_pipe_is_not_waited_for(tmp_path):
    """Guards against a file that keeps silent: meshes and height maps are regular files."""
    for name, read in (("a.stl", read_mesh), ("a.png", read_heights)):
        os.mkfifo(tmp_path / name)
        with pytest.raises(MeshFileError, match="a folder, a pipe or a device"):
            read(tmp_path / name)
