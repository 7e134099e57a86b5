# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision shapes that are made for links."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.links import collision_fitting
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Mesh, Sphere, pieces
from limberjack.core.geometry.primitives.enclosing import enclosing_ball
from limberjack.core.spatial import quat_to_mat
from support.concave import SHAPES, sheet

from .conftest import link
from .scenes import lopsided, put

KINDS = {"BOX": Box, "SPHERE": Sphere, "CAPSULE": Capsule, "CYLINDER": Cylinder, "HULL": Mesh, "MESH": Mesh}


def machine(build):
    """A turned, mirrored and stretched link with a turned child, far from alike in any two directions."""
    base = put("base", lopsided(), location=(1.0, 2.0, 3.0), rotation_euler=(0.3, -0.4, 0.5), scale=(1.0, -2.0, 0.5))
    put("arm", lopsided("arm"), base, location=(0.4, 0.1, 0.2), rotation_euler=(0.0, 0.0, 0.7), scale=(-1, 1, 1))
    bpy.context.view_layer.update()
    build.tag(base)
    return base


def points_of(shape):
    """The points of a mesh in the link [m]."""
    return np.asarray(shape.geometry.vertices) * shape.geometry.scale @ turn_of(shape).T + shape.pose[:3]


def turn_of(shape):
    return np.array(quat_to_mat(shape.pose[3:])).reshape(3, 3)


def beyond(shape, points):
    """How far the points lie outside of a shape [m], shape (n,)."""
    own = (points - shape.pose[:3]) @ turn_of(shape)
    across, up = np.hypot(own[:, 0], own[:, 1]), np.abs(own[:, 2])
    match shape.geometry:
        case Box(size):
            return (np.abs(own) - np.array(size) / 2.0).max(axis=1)
        case Sphere(radius):
            return np.linalg.norm(own, axis=1) - radius
        case Cylinder(radius, length):
            return np.maximum(across - radius, up - length / 2.0)
        case Capsule(radius, length):
            return np.hypot(across, np.maximum(up - length / 2.0, 0.0)) - radius
        case Cone(radius, length):
            side = (across * length + (own[:, 2] - length / 2.0) * radius) / np.hypot(radius, length)
            return np.maximum(side, -length / 2.0 - own[:, 2])
        case Mesh():
            corners = points_of(shape)
            triangles = [
                (face[0], face[i], face[i + 1]) for face in shape.geometry.faces for i in range(1, len(face) - 1)
            ]
            a, b, c = (corners[list(column)] for column in zip(*triangles, strict=True))
            normals = np.cross(b - a, c - a)
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            return (np.einsum("pi,ni->pn", points, normals) - (a * normals).sum(axis=1)).max(axis=1)


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(scene, build, kind, unit):
    """Each is the link's only collision in the model, of the kind that was asked for, and holds all that is seen."""
    scene.unit_settings.scale_length = unit
    base = machine(build)
    assert bpy.ops.limberjack.collision_add(type=kind) == {"FINISHED"}
    found = read_scene(scene, with_shapes=True).links[0]
    (shape,) = found.collisions
    assert shape.name == "base_collision"
    assert type(shape.geometry) is KINDS[kind]
    assert len(found.visuals) == 2
    seen = np.concatenate([points_of(each) for each in found.visuals])
    if kind == "MESH":
        assert np.sort(points_of(shape), axis=0) == pytest.approx(np.sort(seen, axis=0), abs=1e-6 * unit)
    else:
        rounding = 1e-6 * np.ptp(seen, axis=0).max()
        assert beyond(shape, seen).max() < rounding
        assert beyond(shape, seen).max() > -rounding  # something touches
    obj = bpy.data.objects["base_collision"]
    assert (obj.parent, obj.display_type, obj.hide_render) == (base, "WIRE", True)
    assert found.mass == pytest.approx(read_scene(scene).links[0].mass)


def test_faces_of_a_mirrored_mesh_look_outward(scene, build):
    """The joined mesh keeps its outside outside, whatever is mirrored in the link."""
    base = machine(build)
    bpy.ops.limberjack.collision_add(type="MESH")
    joined = signed_volume(bpy.data.objects["base_collision"].data)
    assert joined == pytest.approx(link(base).volume, rel=1e-5)
    bpy.ops.limberjack.collision_add(type="HULL")
    assert signed_volume(bpy.data.objects["base_collision"].data) > joined


def signed_volume(mesh):
    mesh.calc_loop_triangles()
    corners = [[mesh.vertices[i].co for i in triangle.vertices] for triangle in mesh.loop_triangles]
    return np.linalg.det(np.array(corners, dtype=float)).sum() / 6.0


def test_a_new_one_takes_the_place_of_the_last(scene, build):
    """Only shapes that the operator made give way: one that the user made stays."""
    base = machine(build)
    own = put("own", lopsided("own"), base)
    link(own).role = "COLLISION"
    build.select(base)
    for kind in ("BOX", "CAPSULE", "CAPSULE"):
        bpy.ops.limberjack.collision_add(type=kind)
    found = read_scene(scene, with_shapes=True).links[0].collisions
    assert [(each.name, type(each.geometry)) for each in found] == [("base_collision", Capsule), ("own", Mesh)]
    assert len(bpy.data.meshes) == 4


def test_fits(scene, build):
    """A box of a cube is the cube; a wheel gets a flat cylinder along its axle; a rod a capsule along the rod."""
    cube = build.cube("cube", size=2.0)
    bpy.ops.mesh.primitive_cylinder_add(radius=1.0, depth=0.2, vertices=32)
    wheel = bpy.context.object
    bpy.ops.mesh.primitive_cylinder_add(radius=0.1, depth=3.0, vertices=32)
    rod = bpy.context.object
    for obj, axis in ((wheel, "X"), (rod, "Y")):
        obj.rotation_euler[axis == "X"] = np.pi / 2.0
        build.select(obj)
        bpy.ops.object.transform_apply(rotation=True)
    build.tag(cube, wheel, rod)
    for obj, kind in ((cube, "BOX"), (wheel, "CYLINDER"), (rod, "CAPSULE")):
        build.select(obj)
        bpy.ops.limberjack.collision_add(type=kind)
    model = read_scene(scene, with_shapes=True)
    box, disc, pill = (model.link(obj.name).collisions[0] for obj in (cube, wheel, rod))
    assert box.geometry == Box((2.0, 2.0, 2.0))
    assert (disc.geometry.radius, disc.geometry.length) == pytest.approx((1.0, 0.2), rel=1e-5)
    assert np.abs(turn_of(disc)[:, 2]) == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    assert pill.geometry.radius == pytest.approx(0.1, rel=1e-5)
    assert 2.8 <= pill.geometry.length <= 3.0
    assert np.abs(turn_of(pill)[:, 2]) == pytest.approx((0.0, 1.0, 0.0), abs=1e-6)


def test_leaning_rod(scene, build):
    """A rod that lies along no axis of its object is enclosed along itself."""
    bpy.ops.mesh.primitive_cylinder_add(radius=0.1, depth=3.0)
    rod = bpy.context.object
    rod.rotation_euler = (0.5, 0.6, 0.7)
    build.select(rod)
    bpy.ops.object.transform_apply(rotation=True)
    build.tag(rod)
    bpy.ops.limberjack.collision_add(type="CYLINDER")
    found = read_scene(scene, with_shapes=True).links[0].collisions[0].geometry
    assert (found.radius, found.length) == pytest.approx((0.1, 3.0), rel=1e-3)


def mesh_link(build, name, vertices, faces):
    """A link of one mesh, selected."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], [list(map(int, face)) for face in faces])
    obj = put(name, mesh)
    bpy.context.view_layer.update()
    build.tag(obj)
    return obj


def chosen(obj):
    """The kinds of the link's collision shapes, and what is said of them."""
    shapes = [child for child in obj.children if link(child).is_fitted]
    return [link(each).primitive for each in shapes], {link(each).fit_note for each in shapes}


@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (lambda: bpy.ops.mesh.primitive_cube_add(), "BOX", "Box, fits within 0.0 %"),
        (lambda: bpy.ops.mesh.primitive_uv_sphere_add(), "SPHERE", "Sphere, fits within 0.5 %"),
        (lambda: bpy.ops.mesh.primitive_cylinder_add(), "CYLINDER", "Cylinder, fits within 0.2 %"),
        (lambda: bpy.ops.mesh.primitive_cone_add(), "CONE", "Cone through the corners of the mesh"),
        (lambda: bpy.ops.mesh.primitive_plane_add(), "BOX", "Box, of what is flat"),
    ],
    ids=["cube", "sphere", "cylinder", "cone", "plane"],
)
@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.4, 0.5, 0.6)], ids=["upright", "aslant"])
def test_automatic(scene, build, make, kind, says, turn):
    """What Blender's own menu adds is told as what it is, however its mesh lies in its object; it is the default."""
    make()
    obj = bpy.context.object
    obj.rotation_euler = turn
    bpy.ops.object.transform_apply(rotation=True)
    build.tag(obj)
    link(obj).mass_source = "CUSTOM"  # what is flat weighs nothing
    assert bpy.ops.limberjack.collision_add() == {"FINISHED"}
    assert chosen(obj) == ([kind], {says})
    (shape,) = read_scene(scene, with_shapes=True).links[0].collisions
    assert abs(beyond(shape, np.array([vertex.co for vertex in obj.data.vertices])).max()) < 1e-5


def test_automatic_pieces(scene, build):
    """What is concave gets pieces that are near it, though its hull is a cylinder's."""
    obj = mesh_link(build, "cup", *SHAPES["L"])
    assert bpy.ops.limberjack.collision_add() == {"FINISHED"}
    assert chosen(obj) == (["HULL", "HULL"], {"2 pieces, same volume"})
    shapes = read_scene(scene, with_shapes=True).links[0].collisions
    assert [shape.name for shape in shapes] == ["cup_collision_1", "cup_collision_2"]
    volumes = [signed_volume(child.data) for child in obj.children]
    assert sorted(volumes) == pytest.approx([1.0, 2.0], rel=0.02)


def test_a_hollow_thing_is_no_box(build, monkeypatch):
    """A frame whose hull is a box is concave: without the library it gets that hull, with a word."""
    monkeypatch.setattr(pieces, "find_spec", lambda _name: None)
    monkeypatch.setattr(collision_fitting, "_cache", {})  # another test may have divided this mesh
    obj = mesh_link(build, "channel", *SHAPES["U"])
    assert bpy.ops.limberjack.collision_add() == {"FINISHED"}
    assert chosen(obj) == (["HULL"], {"Convex Hull, 29 % more volume"})
    with pytest.raises(RuntimeError, match="link 'channel' has no convex pieces: CoACD, which divides meshes, is not"):
        bpy.ops.limberjack.collision_add(type="PIECES")
    assert len(chosen(obj)[0]) == 1


def outdated(scene):
    """The links of which Problems says so."""
    bpy.context.view_layer.update()
    return {each.name for each in show_rig(scene).problems if each.code == "pieces-of-another-mesh"}


def test_pieces_of_the_same_mesh_stay(scene, build, monkeypatch):
    """To press again costs nothing and changes nothing; a changed mesh, which Problems tells of, or a piece that is
    gone, is divided anew."""
    obj = mesh_link(build, "corner", *SHAPES["L"])
    bpy.ops.limberjack.collision_add(type="PIECES")
    before = list(obj.children)
    with monkeypatch.context() as patched:
        patched.setattr(pieces, "find_spec", lambda _name: None)
        assert bpy.ops.limberjack.collision_add(type="PIECES") == {"FINISHED"}
    assert list(obj.children) == before
    bpy.data.objects.remove(before[0])
    build.select(obj)
    bpy.ops.limberjack.collision_add(type="PIECES")
    assert len(obj.children) == len(before)
    assert not outdated(scene)
    obj.data.vertices[0].co.x -= 0.5
    obj.data.update()
    assert outdated(scene) == {"corner"}
    bpy.ops.limberjack.collision_add(type="PIECES")
    assert len({link(child).fitted_from for child in obj.children}) == 1
    assert min(vertex.co.x for child in obj.children for vertex in child.data.vertices) < -0.4


def test_pieces_of_what_is_open(build):
    """It is said which link, why, and what to do; nothing is made."""
    obj = mesh_link(build, "sail", *sheet())
    with pytest.raises(RuntimeError, match="link 'sail' has no convex pieces: it is open, 20 edges have one face"):
        bpy.ops.limberjack.collision_add(type="PIECES")
    assert not obj.children


def test_smallest_ball():
    """The ball around points is no larger than any that a search over centres finds, and holds them all."""
    random = np.random.default_rng(1)
    for count in (2, 3, 4, 5, 50):
        points = random.normal(size=(count, 3)) * (1.0, 2.0, 0.5)
        centre, radius = enclosing_ball(points)
        assert np.linalg.norm(points - centre, axis=1).max() <= radius
        for step in (1e-2, 1e-4):
            nearby = centre + step * random.normal(size=(500, 3))
            others = np.linalg.norm(points[None] - nearby[:, None], axis=2).max(axis=1)
            assert others.min() > radius * (1.0 - 1e-9)


def test_own(scene, build):
    """The selected children of a link become what collides of it, and weigh nothing any more."""
    base = build.cube("base")
    child = build.cube("child", (0.0, 0.0, 3.0))
    child.parent = base
    build.tag(base)
    build.select(child)
    assert bpy.ops.limberjack.collision_add(type="OWN") == {"FINISHED"}
    found = read_scene(scene, with_shapes=True).links[0]
    assert [shape.name for shape in found.collisions] == ["child"]
    assert found.mass == pytest.approx(8000.0)
    build.select(base)
    with pytest.raises(RuntimeError, match="Select objects that are parented to a link"):
        bpy.ops.limberjack.collision_add(type="OWN")


def test_what_has_no_shape(scene, build):
    """A link without a mesh is refused before any other gets a shape; with nothing selected the button says why."""
    cube = build.cube("cube")
    empty = put("empty", None)
    build.tag(cube, empty)
    with pytest.raises(RuntimeError, match="link 'empty' has no mesh to fit a shape to"):
        bpy.ops.limberjack.collision_add(type="BOX")
    assert len(bpy.data.objects) == 2
    build.select()
    with pytest.raises(RuntimeError, match="Select links, or objects that are parented to links"):
        bpy.ops.limberjack.collision_add(type="BOX")
