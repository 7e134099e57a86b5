# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as OBJ: points, texture coordinates, and the materials and images of their faces."""

import numpy as np

from limberjack.core.formats.mesh_output.obj import obj_files, write_obj
from limberjack.core.geometry import Material, Mesh

POINTS = np.array([(0.1, 0.0, 0.0), (1.0 / 3.0, 1e-17, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1e20)])
FACES = ((0, 1, 2), (0, 3, 1))
UVS = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.5, 0.1), (1.0, 0.0)])
RED = Material((0.8, 0.1, 0.2, 0.5))
PNG = b"\x89PNG\r\n\x1a\n"


def words(text, tag):
    return [line.split()[1:] for line in text.splitlines() if line.split()[0] == tag]


def test_numbers_are_the_same_numbers():
    """Every coordinate reads as the very number that it was."""
    text = write_obj(POINTS, FACES, "m", uvs=UVS)
    assert np.array(words(text, "v"), dtype=float).tolist() == POINTS.tolist()
    places = np.array(words(text, "vt"), dtype=float)
    corners = [corner.split("/") for face in words(text, "f") for corner in face]
    assert [int(vertex) - 1 for vertex, _ in corners] == [vertex for face in FACES for vertex in face]
    assert [places[int(place) - 1].tolist() for _, place in corners] == UVS.tolist()
    assert len(places) == 4


def test_faces_have_their_materials(tmp_path):
    """Each face stands below the name of its material, which the library beside has; an image is told by what it is."""
    for name, content in (("a b.PNG", PNG + b"one"), ("c.png", PNG + b"two")):
        (tmp_path / name).write_bytes(content)
    wood = Material(texture=str(tmp_path / "a b.PNG"))
    files = obj_files(Mesh(vertices=POINTS, faces=FACES, materials=(RED, wood), face_materials=(1, 0)), "part")
    image = next(name for name in files if name.endswith(".png"))
    assert list(files) == ["part.obj", "part.mtl", image]
    assert files[image] == PNG + b"one"
    assert words(files["part.obj"], "mtllib") == [["part.mtl"]]
    assert words(files["part.obj"], "usemtl") == [["part_1"], ["part_0"]]
    assert words(files["part.mtl"], "newmtl") == [["part_0"], ["part_1"]]
    assert words(files["part.mtl"], "Kd") == [["0.8", "0.1", "0.2"]]
    assert words(files["part.mtl"], "d") == [["0.5"]]
    assert words(files["part.mtl"], "map_Kd") == [[image]]
    again = obj_files(Mesh(vertices=POINTS, faces=FACES, materials=(wood,)), "other")
    assert image in again
    assert words(again["other.obj"], "usemtl") == [["other_0"]]


def test_an_image_that_is_not_there():
    """It is named as the model names it, and nothing is written for it."""
    files = obj_files(Mesh(vertices=POINTS, faces=FACES, materials=(Material(texture="gone.png"),)), "part")
    assert list(files) == ["part.obj", "part.mtl"]
    assert words(files["part.mtl"], "map_Kd") == [["gone.png"]]


def test_without_materials():
    """A mesh of no colour is one file."""
    files = obj_files(Mesh(vertices=POINTS, faces=FACES), "part")
    assert list(files) == ["part.obj"]
    assert "usemtl" not in files["part.obj"]
