# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, shapes, meshes and materials in the URDF that we write."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from limberjack.core import formats
from limberjack.core.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Material,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from limberjack.core.geometry.mass import mass_properties
from limberjack.core.kinematics import link_poses
from limberjack.core.model import Joint, Link, Model
from support.models import matrix, random_pose
from support.urdf import two_links, written


def test_names_that_urdf_cannot_say(tmp_path):
    """Control characters go, and what then is twice gets a number; each change is told."""
    model = Model("m", [Link("a\n"), Link("a"), Link("::x")], [Joint("j", "fixed", "a\n", "a")])
    model.joints.append(Joint("k", "fixed", "a", "::x"))
    back, losses = written(model, tmp_path)
    assert [link.name for link in back.links] == ["a", "a_2", "::x"]
    assert len(losses) == 2


TETRAHEDRON = Mesh(
    vertices=np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1 / 3]]),
    faces=((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
    scale=(1.0, 2.0, 3.0),
)


def corners(path) -> np.ndarray:
    lines = [line.split() for line in path.read_text().splitlines()]
    return np.array([[float(word) for word in words[1:]] for words in lines if words[0] == "v"])


def test_held_meshes_stand_where_they_stood(tmp_path):
    """A mesh held in the model is written beside it; its corners in the world are what they were."""
    rng = np.random.default_rng(1)
    model = two_links(Joint("j", "continuous", "a", "b", random_pose(rng), random_pose(rng)))
    model.links[1].visuals = [Shape("tet", TETRAHEDRON, random_pose(rng))]
    back, losses = written(model, tmp_path)
    assert losses == []
    shape = back.link("b").visuals[0]
    assert shape.geometry.path == str(tmp_path / "meshes/m_b_tet.obj")
    before = in_world(model, model.links[1].visuals[0], TETRAHEDRON.vertices)
    after = in_world(back, shape, corners(tmp_path / "meshes/m_b_tet.obj"))
    assert np.abs(after - before).max() < 1e-12


def in_world(model: Model, shape: Shape, points: np.ndarray) -> np.ndarray:
    """Points of a mesh on link b."""
    X = matrix(link_poses(model)["b"]) @ matrix(shape.pose)
    return points * shape.geometry.scale @ X[:3, :3].T + X[:3, 3]


def test_mesh_files_are_named_from_where_the_file_lies(tmp_path):
    """A relative uri leads to the same file from elsewhere; one with a scheme stays; one that is nowhere is told."""
    (tmp_path / "in/meshes").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "in/meshes/a.stl").write_text("")
    uris = ("meshes/a.stl", "package://m/b.stl", "gone.stl")
    shapes = "".join(f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>' for uri in uris)
    (tmp_path / "in/m.urdf").write_text(f'<robot name="m"><link name="a">{shapes}</link></robot>')
    losses = formats.write(formats.read(tmp_path / "in/m.urdf").model, tmp_path / "out/m.urdf")
    back = formats.read(tmp_path / "out/m.urdf", [tmp_path]).model
    assert [shape.geometry.uri for shape in back.links[0].visuals] == ["../in/meshes/a.stl", *uris[1:]]
    assert back.links[0].visuals[0].geometry.path == str(tmp_path / "in/meshes/a.stl")
    assert losses == [
        "link 'a': visual 'visual_1' names the mesh '../in/meshes/a.stl', outside of the file's folder; copy it there",
        "link 'a': visual 'visual_3' still names the mesh 'gone.stl', which was not found; copy it there",
    ]


SHAPES = {
    "box": Box((1.0, 2.0, 3.0)),
    "sphere": Sphere(0.5),
    "cylinder": Cylinder(0.5, 2.0),
    "capsule": Capsule(0.5, 2.0),
    "cone": Cone(0.5, 2.0),
    "ellipsoid": Ellipsoid((0.5, 1.0, 1.5)),
    "plane": Plane((0.6, 0.0, 0.8), (2.0, 3.0)),
    "polyline": Polyline((((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 0.5), (0.0, 2.0)),), 0.5),
    "polyline with a hole": Polyline((((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), ((0.1, 0.1), (0.2, 0.1), (0.1, 0.2))), 1.0),
    "of another format": Foreign("SDF", "heightmap", "<heightmap/>"),
    "of this one": Foreign("URDF", "superquadric", '<superquadric e="1"/>'),
}
KEPT = ("box", "sphere", "cylinder", "capsule", "of this one")
REPLACED = {"cone": "Mesh", "ellipsoid": "Mesh", "plane": "Box", "polyline": "Mesh"}


@pytest.mark.parametrize("substitute", [False, True])
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(tmp_path, name, substitute):
    """What URDF has comes back; the rest is told once, and left out or, if so asked, something near it."""
    model = Model(links=[Link("a", visuals=[Shape("s", SHAPES[name])])])
    back, losses = written(model, tmp_path, substitute=substitute)
    found = [type(shape.geometry).__name__ for shape in back.links[0].visuals]
    if name in KEPT:
        assert [shape.geometry for shape in back.links[0].visuals] == [SHAPES[name]]
        assert len(losses) == (name == "capsule")
    else:
        assert found == ([REPLACED[name]] if substitute and name in REPLACED else [])
        assert len(losses) == 1


@pytest.mark.parametrize(
    ("name", "volume"),
    [("cone", math.pi * 0.25 * 2.0 / 3.0), ("ellipsoid", 4.0 / 3.0 * math.pi * 0.75), ("polyline", 2.5 * 0.5)],
)
def test_meshes_for_shapes_hold_what_these_do(tmp_path, name, volume):
    """Guards facets' order and closedness: outward faces, and nearly the volume and the middle of what is round."""
    model = Model(links=[Link("a", visuals=[Shape("s", SHAPES[name])])])
    written(model, tmp_path, substitute=True)
    lines = (tmp_path / "meshes/m_a_s.obj").read_text().splitlines()
    faces = [[int(word) - 1 for word in line.split()[1:]] for line in lines if line.startswith("f ")]
    triangles = [(face[0], face[i], face[i + 1]) for face in faces for i in range(1, len(face) - 1)]
    solid = mass_properties(corners(tmp_path / "meshes/m_a_s.obj")[triangles])
    assert solid.volume == pytest.approx(volume, rel=0.03)
    edges = {(one, other) for a, b, c in triangles for one, other in ((a, b), (b, c), (c, a))}
    assert len(edges) == 3 * len(triangles)
    assert all((b, a) in edges for a, b in edges)


def test_a_plane_is_a_thin_box_below_it(tmp_path):
    """Its upper face is the plane."""
    model = Model(links=[Link("a", visuals=[Shape("s", SHAPES["plane"], (1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0))])])
    back, _ = written(model, tmp_path, substitute=True)
    box = back.links[0].visuals[0]
    assert box.geometry.size[:2] == (2.0, 3.0)
    top = matrix(box.pose) @ (0.4, 0.7, 0.5 * box.geometry.size[2], 1.0)
    assert (top[:3] - (1.0, 2.0, 3.0)) @ (0.6, 0.0, 0.8) == pytest.approx(0.0, abs=1e-12)


def test_materials_come_back(tmp_path):
    """Colours and images of visuals and collisions; two looks never share a name, whose colour loaders would mix up."""
    looks = [Material((1.0, 0.0, 0.0, 1.0)), Material((0.0, 1.0, 0.0, 0.5), texture="package://m/a.png"), None]
    shapes = [Shape(f"s{i}", Sphere(1.0), material=look) for i, look in enumerate([*looks, looks[0]])]
    back, losses = written(Model(links=[Link("a", visuals=shapes)]), tmp_path)
    assert [shape.material for shape in back.links[0].visuals] == [shape.material for shape in shapes]
    names = [element.get("name") for element in ElementTree.parse(tmp_path / "m.urdf").iter("material")]
    assert names[0] == names[2] != names[1]
    assert losses == []
