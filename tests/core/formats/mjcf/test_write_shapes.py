# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes as geoms, and their meshes, images and colours."""

import struct
from xml.etree import ElementTree

import numpy as np
import png
import pytest

from limberjack.core.formats import read, write
from limberjack.core.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Material,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from limberjack.core.geometry.mesh_data import mesh_triangles
from limberjack.core.model import WORLD, Joint, Link, Model
from support.models import random_pose

SOLID = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
TETRAHEDRON = Mesh(vertices=CORNERS, faces=FACES)


def one_link(*, visuals=(), collisions=(), kind="continuous") -> Model:
    link = Link("l", 1.0, inertia=SOLID, visuals=list(visuals), collisions=list(collisions))
    return Model("m", [link], [Joint("j", kind, WORLD, "l")])


def written(model: Model, folder):
    losses = write(model, folder / "m.xml")
    return ElementTree.parse(folder / "m.xml").getroot(), losses


def text_stl(name: str) -> str:
    """The tetrahedron as a text, which MuJoCo does not read."""
    lines = [f"solid {name}"]
    for face in FACES:
        corners = "".join(f"vertex {' '.join(map(str, CORNERS[corner]))}\n" for corner in face)
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    return "\n".join([*lines, f"endsolid {name}\n"])


def binary_stl() -> bytes:
    faces = (struct.pack("<12fH", 0.0, 0.0, 0.0, *CORNERS[list(face)].ravel(), 0) for face in FACES)
    return bytes(80) + struct.pack("<I", len(FACES)) + b"".join(faces)


PRIMITIVES = {
    "box": Box((0.1, 0.2, 0.3)),
    "sphere": Sphere(0.2),
    "cylinder": Cylinder(0.1, 0.5),
    "capsule": Capsule(0.1, 0.5),
    "ellipsoid": Ellipsoid((0.1, 0.2, 0.3)),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives_come_back(name, tmp_path):
    """Guards sizes, which MuJoCo has as halves, and poses."""
    shape = Shape("shape", PRIMITIVES[name], random_pose(np.random.default_rng(0)), Material((0.1, 0.2, 0.3, 1.0)))
    _, losses = written(one_link(visuals=[shape], collisions=[shape]), tmp_path)
    link = read(tmp_path / "m.xml").model.link("l")
    for again in (link.visuals[0], link.collisions[0]):
        assert again.geometry == shape.geometry
        assert again.pose == pytest.approx(shape.pose)
    assert link.visuals[0].material.diffuse == shape.material.diffuse
    assert losses == []


def test_a_shape_that_is_shown_and_collides_is_one_geom(tmp_path):
    """Guards the groups of visuals and collisions, and that a common shape is not there twice."""
    both, shown, hidden = (Shape(name, Sphere(0.1)) for name in ("both", "shown", "hidden"))
    root, _ = written(one_link(visuals=[both, shown], collisions=[both, hidden]), tmp_path)
    geoms = {geom.get("name"): geom for geom in root.iter("geom")}
    assert set(geoms) == {"both", "shown", "hidden"}
    assert [geoms["shown"].get(name) for name in ("contype", "conaffinity", "group")] == ["0", "0", "2"]
    assert (geoms["both"].get("group"), geoms["hidden"].get("group")) == (None, "3")


@pytest.mark.parametrize("geometry", [Cone(0.3, 0.5), Polyline((((0.0, 0.0), (0.2, 0.0), (0.0, 0.3)),), 0.4)])
def test_what_mjcf_lacks_is_a_mesh(geometry, tmp_path):
    """Guards cones and polylines."""
    root, losses = written(one_link(collisions=[Shape("s", geometry)]), tmp_path)
    assert root.find(".//geom").get("type") == "mesh"
    assert (tmp_path / root.find("asset/mesh").get("file")).is_file()
    assert losses == []


def test_planes_stand_still(tmp_path):
    """Guards planes, which MuJoCo has only in bodies that do not move."""
    plane = Shape("floor", Plane((0.0, 0.6, 0.8), (2.0, 3.0)))
    root, losses = written(one_link(collisions=[plane], kind="fixed"), tmp_path)
    assert root.find(".//geom").get("type") == "plane"
    assert losses == []
    root, losses = written(one_link(collisions=[plane]), tmp_path)
    assert root.find(".//geom") is None
    assert losses == ["link 'l': 'floor' is left out: in MuJoCo no plane moves"]


def test_meshes_are_written_beside_the_file_once(tmp_path):
    """Guards meshes of a scene: one file, one asset for each scale, and the same corners when read again."""
    shapes = [Shape(name, TETRAHEDRON) for name in ("a", "b")]
    scaled = Shape("c", Mesh(vertices=CORNERS, faces=FACES, scale=(1.0, -2.0, 0.5)))
    root, losses = written(one_link(visuals=shapes, collisions=[scaled]), tmp_path)
    assets = root.findall("asset/mesh")
    assert {asset.get("scale") for asset in assets} == {None, "1 -2 0.5"}
    assert len(assets) == 2
    assert len({asset.get("file") for asset in assets}) == len([*(tmp_path / "meshes").iterdir()]) == 1
    assert losses == []
    link = read(tmp_path / "m.xml").model.link("l")
    vertices, _ = mesh_triangles(link.collisions[0].geometry)
    assert {tuple(corner) for corner in vertices} == {tuple(corner) for corner in CORNERS * (1.0, -2.0, 0.5)}


@pytest.mark.parametrize("uri", ["parts/tetra.stl", "package://robot/parts/tetra.stl"])
def test_mesh_files_are_named_where_they_are(uri, tmp_path):
    """Guards files that MuJoCo reads: they stay, and the name in the file is a path, whatever it was."""
    (tmp_path / "parts").mkdir()
    file = tmp_path / "parts" / "tetra.stl"
    file.write_bytes(binary_stl())
    root, losses = written(one_link(visuals=[Shape("s", Mesh(uri, path=str(file)))]), tmp_path)
    assert root.find("asset/mesh").get("file") == "parts/tetra.stl"
    assert losses == []


@pytest.mark.parametrize("suffix", ["stl", "ply"])
def test_mesh_files_that_mujoco_cannot_read_are_written_as_obj(suffix, tmp_path):
    """Guards texts in STL, and formats that MuJoCo lacks. Two files do not become one."""
    shapes = []
    for number, scale in enumerate((1.0, 2.0)):
        file = tmp_path / f"tetra{number}.{suffix}"
        if suffix == "stl":
            file.write_text(text_stl("t").replace("3.0", f"{3.0 * scale}"))
        else:
            corners = "".join(f"{x} {y} {z * scale}\n" for x, y, z in CORNERS)
            faces = "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES)
            head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
            file.write_text(
                f"{head}element face 4\nproperty list uchar int vertex_indices\nend_header\n{corners}{faces}"
            )
        shapes.append(Shape(f"s{number}", Mesh(file.name, path=str(file))))
    root, losses = written(one_link(visuals=shapes), tmp_path)
    files = [asset.get("file") for asset in root.findall("asset/mesh")]
    heights = [
        max(float(line.split()[3]) for line in (tmp_path / file).open() if line.startswith("v ")) for file in files
    ]
    assert heights == [3.0, 6.0]
    assert losses == [
        f"link 'l': 's{number}': its mesh is written as OBJ, since MuJoCo cannot read 'tetra{number}.{suffix}'"
        for number in range(2)
    ]


def test_meshes_that_mujoco_refuses_are_left_out(tmp_path):
    """Guards meshes that would make MuJoCo refuse the whole file: absent, broken, small, flat if they collide."""
    broken = tmp_path / "broken.obj"
    broken.write_text("nothing\n")
    flat = Mesh(vertices=np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), faces=((0, 1, 2, 3),))
    triangle = Mesh(vertices=CORNERS[:3], faces=((0, 1, 2),))
    visuals = [
        Shape("absent", Mesh("absent.stl")),
        Shape("broken", Mesh("broken.obj", path=str(broken))),
        Shape("triangle", triangle),
        Shape("flat", flat),
    ]
    root, losses = written(one_link(visuals=visuals, collisions=[Shape("wall", flat)]), tmp_path)
    assert [geom.get("name") for geom in root.iter("geom")] == ["flat"]
    assert [loss.partition(" is left out: ")[0] for loss in losses] == [
        "link 'l': 'wall'",
        "link 'l': 'absent'",
        "link 'l': 'broken'",
        "link 'l': 'triangle'",
    ]


def test_images_are_written_beside_the_file(tmp_path):
    """Guards materials with an image, once for all shapes; one that was not found would make MuJoCo refuse the file."""
    image = tmp_path / "image.png"
    png.from_array([[255, 0, 0], [0, 255, 0]], "RGB").save(image)
    found, lost = Material(texture=str(image)), Material((0.1, 0.2, 0.3, 1.0), texture="assets/lost.png")
    shapes = [Shape(name, Sphere(0.1), material=found) for name in ("a", "b")]
    root, losses = written(one_link(visuals=[*shapes, Shape("c", Sphere(0.1), material=lost)]), tmp_path)
    (texture,) = root.findall("asset/texture")
    assert (tmp_path / texture.get("file")).read_bytes() == image.read_bytes()
    geoms = {geom.get("name"): geom for geom in root.iter("geom")}
    assert geoms["a"].get("material") == geoms["b"].get("material") == root.find("asset/material").get("name")
    assert geoms["c"].get("rgba") == "0.1 0.2 0.3 1"
    assert losses == ["link 'l': 'c': the image 'assets/lost.png' is left out, since it was not found"]
