# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry: kinds, axes, scales, mirrors, and meshes."""

from itertools import pairwise

import numpy as np
import pytest

from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from limberjack.core.geometry.shape_mass import mass_properties_and_notes
from limberjack.core.spatial import quat_rotate
from support.usd import SOLID, TETRAHEDRON, body, codes_of, link_of, model_of, prim, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")


def shape_of(kind: str, content: str = "", unit: float = 1.0, **place: object):
    """The only collision of a body."""
    link = link_of(body("a", SOLID + prim(kind, "s", content, ["PhysicsCollisionAPI"], **place)), unit=unit)
    (shape,) = link.collisions
    return shape


@pytest.mark.parametrize(
    ("kind", "content", "geometry"),
    [
        ("Cube", "double size = 3", Box((3, 3, 3))),
        ("Cube", "", Box((2, 2, 2))),
        ("Sphere", "double radius = 3", Sphere(3)),
        ("Capsule", "double radius = 3\ndouble height = 4", Capsule(3, 4)),
        ("Capsule", "", Capsule(0.5, 1)),
        ("Cylinder", "double radius = 3\ndouble height = 4", Cylinder(3, 4)),
        ("Cylinder", "", Cylinder(1, 2)),
        ("Cone", "double radius = 3\ndouble height = 4", Cone(3, 4)),
        ("Capsule_1", "double radiusTop = 3\ndouble radiusBottom = 3\ndouble height = 4", Capsule(3, 4)),
        ("Cylinder_1", "double radiusTop = 3\ndouble radiusBottom = 3\ndouble height = 4", Cylinder(3, 4)),
        ("Cylinder_1", "", Cylinder(1, 2)),
    ],
)
def test_primitives(kind, content, geometry):
    """Sizes are those of the file, or UsdGeom's defaults."""
    assert shape_of(kind, content).geometry == geometry


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize("kind", ["Capsule", "Cylinder", "Cone", "Plane"])
def test_axes_and_scales(kind, axis):
    """A primitive lies along its axis; the height follows the scale along it, the radius the larger one across."""
    size = {"X": (4, 2, 3), "Y": (2, 4, 3), "Z": (2, 3, 4)}[axis]
    content = f'uniform token axis = "{axis}"' + ("" if kind == "Plane" else "\ndouble radius = 1\ndouble height = 5")
    shape = shape_of(kind, content, unit=0.01, size=size)
    assert quat_rotate(shape.pose[3:], (0, 0, 1)) == pytest.approx([float(axis == each) for each in "XYZ"])
    if kind != "Plane":
        assert (shape.geometry.radius, shape.geometry.length) == pytest.approx((0.03, 0.2))


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize("kind", ["Cone", "Plane"])
def test_a_mirror_turns_a_tip_only_along_its_axis(kind, axis):
    """Mirrored along its axis, a cone points the other way; mirrored across it, it does not."""
    for mirrored in "XYZ":
        size = [-1.0 if each == mirrored else 1.0 for each in "XYZ"]
        shape = shape_of(kind, f'uniform token axis = "{axis}"', size=size)
        sign = -1.0 if mirrored == axis else 1.0
        tip = quat_rotate(shape.pose[3:], (0, 0, 1))
        assert tip == pytest.approx([sign * (axis == each) for each in "XYZ"])


def test_scaled_cubes_and_spheres():
    """A cube becomes a box, and a sphere that is scaled unevenly an ellipsoid."""
    assert shape_of("Cube", "double size = 2", size=(1, 2, -3)).geometry == Box((2, 4, 6))
    assert shape_of("Sphere", "double radius = 2", size=(1, 2, -3)).geometry == Ellipsoid((2, 4, 6))
    assert shape_of("Sphere", "double radius = 2", size=(-3, 3, 3)).geometry == Sphere(6)


def test_poses_count_from_the_body():
    """A shape below two prims of a body that is turned and scaled lies where the file draws it."""
    cube = prim("Cube", "s", "double size = 1", ["PhysicsCollisionAPI"], at=(1, 0, 0))
    turned = prim("Xform", "x", cube, at=(0, 2, 0), turn=(0.5**0.5, 0, 0, 0.5**0.5))
    link = link_of(body("a", SOLID + turned, at=(7, 8, 9), turn=(0.5, 0.5, 0.5, 0.5), size=(2, 2, 2)))
    assert link.collisions[0].pose[:3] == pytest.approx((0, 6, 0))
    assert link.collisions[0].geometry.size == pytest.approx((2, 2, 2))


def volume_of(shape) -> float:
    """The signed volume of a mesh, above 0 if its faces look outwards."""
    mesh = shape.geometry
    points, total = mesh.vertices, 0.0
    for face in mesh.faces:
        for second, third in pairwise(face[1:]):
            total += np.linalg.det(points[[face[0], second, third]]) / 6.0
    return float(total)


@pytest.mark.parametrize("is_left", [False, True])
@pytest.mark.parametrize("size", [(1, 1, 1), (1, 1, -1), (-1, -1, 1), (-2, -3, -4)])
def test_faces_look_outwards(is_left, size):
    """Left-handed meshes and mirrored ones have the corners of their faces in the other order."""
    content = TETRAHEDRON
    if is_left:
        content = content.replace("[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]", "[1, 2, 0, 3, 1, 0, 3, 2, 1, 2, 3, 0]")
        content += 'uniform token orientation = "leftHanded"'
    shape = shape_of("Mesh", content, size=size)
    assert volume_of(shape) == pytest.approx(abs(np.prod(size)) / 6.0)
    placed = [np.add(shape.pose[:3], quat_rotate(shape.pose[3:], tuple(point))) for point in shape.geometry.vertices]
    assert np.array(placed) == pytest.approx(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) * size)


def test_meshes_keep_their_polygons():
    """Faces of more corners stay as they are, and those of two are left out."""
    content = (
        "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n"
        "int[] faceVertexCounts = [4, 2]\nint[] faceVertexIndices = [0, 1, 2, 3, 0, 1]"
    )
    assert shape_of("Mesh", content).geometry.faces == ((0, 1, 2, 3),)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "empty-mesh"),
        (TETRAHEDRON.replace("0, 2, 1, 0, 1, 3", "0, 2, 1, 0, 1, 9"), "bad-mesh"),
        (TETRAHEDRON.replace("0, 2, 1, 0, 1, 3", "0, 2, -1, 0, 1, 3"), "bad-mesh"),
        (TETRAHEDRON.replace("[3, 3, 3, 3]", "[3, 3, 3]"), "bad-mesh"),
        (TETRAHEDRON.replace("[3, 3, 3, 3]", "[-3, 9, 3, 3]"), "bad-mesh"),
        (TETRAHEDRON.replace("(0, 0, 1)", "(0, 0, nan)"), "bad-number"),
        (TETRAHEDRON.replace("[3, 3, 3, 3]", "[2, 2, 2, 2, 2, 2]"), "empty-mesh"),
    ],
)
def test_broken_meshes_are_left_out(content, code):
    """Each gives one line with the path of its prim, and touches nothing."""
    text = stage(body("a", SOLID + prim("Mesh", "s", content, ["PhysicsCollisionAPI"])))
    reading = reading_of(text, allow_errors=True)
    assert [(issue.code, issue.prim) for issue in reading.issues] == [(code, "/a/s")]
    assert reading.model.links[0].collisions == []


APPROXIMATED = "uniform token physics:approximation = "


def test_boxes_around_meshes_are_in_their_own_axes():
    """A bounding cube lies along the axes of the mesh, however it is turned in its body."""
    content = TETRAHEDRON + f'{APPROXIMATED}"boundingCube"'
    shape = shape_of("Mesh", content, turn=(0.9238795325112867, 0, 0, 0.3826834323650898), size=(2, 3, 4))
    half = 0.5**0.5
    assert shape.geometry.size == pytest.approx((2, 3, 4))
    assert shape.pose[:3] == pytest.approx((half * 1.0 - half * 1.5, half * 1.0 + half * 1.5, 2))


def test_other_approximations():
    """A bounding sphere holds all points; the others keep the mesh."""
    shape = shape_of("Mesh", TETRAHEDRON + f'{APPROXIMATED}"boundingSphere"', at=(5, 0, 0))
    assert shape.geometry == Sphere(pytest.approx(0.75**0.5))
    assert shape.pose[:3] == pytest.approx((5.5, 0.5, 0.5))
    for kind in ("none", "convexHull", "convexDecomposition", "meshSimplification", "sdf"):
        assert isinstance(shape_of("Mesh", TETRAHEDRON + f'{APPROXIMATED}"{kind}"').geometry, Mesh)


def test_shapes_without_a_body_are_surroundings():
    """Colliders without a body stand still in one link; other shapes without a body are counted in a note."""
    ground = prim("Plane", "ground", "", ["PhysicsCollisionAPI"], at=(0, 0, -1))
    reading = reading_of(stage(body("a", SOLID) + ground + prim("Cube", "seen")))
    _, link = reading.model.links
    assert isinstance(link.collisions[0].geometry, Plane)
    assert link.collisions[0].pose[2] == pytest.approx(-1)
    assert [joint.type for joint in reading.model.joints] == ["fixed"]
    assert any(note.startswith("1 shapes") for note in reading.notes)


def test_what_is_seen_of_a_component_that_stands_still():
    """A table is seen with its colliders if its kind says that it is one thing; what stands about is counted only."""
    box = prim("Cube", "touched", 'uniform token purpose = "guide"', ["PhysicsCollisionAPI"])
    parts = prim("Xform", "geometry", prim("Cube", "seen")) + box
    for kind, names, count in (("component", ["seen"], 1), ("subcomponent", ["seen"], 1), ("group", [], 2)):
        table = prim("Xform", "table", parts, metadata=f'kind = "{kind}"')
        reading = reading_of(stage(body("a", SOLID) + table + prim("Cube", "decoration")))
        assert [shape.name for shape in reading.model.links[1].visuals] == names
        assert [note.split(" ")[0] for note in reading.notes] == [str(count)]


def test_what_is_seen():
    """Guides and what is invisible collide and are not seen; what is seen need not collide."""
    hidden = prim("Cube", "h", 'token visibility = "invisible"', ["PhysicsCollisionAPI"])
    guide = prim("Cube", "g", 'uniform token purpose = "guide"', ["PhysicsCollisionAPI"])
    off = prim("Cube", "o", "bool physics:collisionEnabled = false", ["PhysicsCollisionAPI"])
    link = link_of(body("a", SOLID + hidden + guide + off + prim("Cube", "s")))
    assert [shape.name for shape in link.visuals] == ["o", "s"]
    assert [shape.name for shape in link.collisions] == ["h", "g"]


def test_geometry_that_is_not_read_is_told():
    """A collider of another kind gives a warning with its path."""
    curve = prim("BasisCurves", "c", "", ["PhysicsCollisionAPI"])
    reading = reading_of(stage(body("a", SOLID + curve)))
    assert [(issue.code, issue.prim) for issue in reading.issues] == [("unknown-shape", "/a/c")]
    group = reading_of(stage(body("a", SOLID + prim("Scope", "s", "", ["PhysicsCollisionAPI"]))))
    assert [issue.message for issue in group.issues] == ["it has no geometry of its own; it touches nothing"]


def test_tapered_capsules_are_told():
    """A capsule with two radii has the larger one at both ends."""
    content = "double radiusTop = 1\ndouble radiusBottom = 2\ndouble height = 3"
    text = body("a", SOLID + prim("Capsule_1", "s", content, ["PhysicsCollisionAPI"]))
    assert set(codes_of(text)) == {"approximated"}
    assert link_of(text).collisions[0].geometry == Capsule(2, 3)


def test_two_shapes_of_one_name():
    """Their names differ in the model."""
    parts = "".join(prim("Xform", x, prim("Cube", "s", "", ["PhysicsCollisionAPI"])) for x in "xy")
    link = model_of(body("a", SOLID + parts)).links[0]
    assert len({shape.name for shape in link.collisions}) == 2


def test_masses_of_mirrored_meshes():
    """The volume of a mirrored mesh is that of the mesh."""
    solid, _ = mass_properties_and_notes(shape_of("Mesh", TETRAHEDRON, size=(-1, 1, 1)).geometry)
    assert solid.volume == pytest.approx(1 / 6)
