# SPDX-License-Identifier: GPL-3.0-or-later
"""What a link collides as right after it was tagged: the primitive that its mesh was made as, where it is one."""

import bmesh
import bpy
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Mesh, Sphere

from .conftest import link
from .scenes import put

ADD = bpy.ops.mesh
MADE = {
    "UV sphere": (lambda: ADD.primitive_uv_sphere_add(radius=0.5), Sphere(0.5)),
    "UV sphere of 16 x 8": (lambda: ADD.primitive_uv_sphere_add(radius=0.5, segments=16, ring_count=8), Sphere(0.5)),
    "icosphere of 2": (lambda: ADD.primitive_ico_sphere_add(radius=0.5, subdivisions=2), Sphere(0.5)),
    "icosphere of 3": (lambda: ADD.primitive_ico_sphere_add(radius=0.5, subdivisions=3), Sphere(0.5)),
    "cylinder": (lambda: ADD.primitive_cylinder_add(radius=0.5, depth=1.7), Cylinder(0.5, 1.7)),
    "cylinder of 12": (lambda: ADD.primitive_cylinder_add(radius=0.5, depth=1.7, vertices=12), Cylinder(0.5, 1.7)),
    "cone": (lambda: ADD.primitive_cone_add(radius1=0.5, depth=1.7), Cone(0.5, 1.7)),
    "cube": (lambda: ADD.primitive_cube_add(size=0.3), Box((0.3, 0.3, 0.3))),
}
EXACT = 2e-7
"""Relative error of a size that was stored in single precision."""


def made(make, build, **settings):
    """A tagged object; settings: of the object, before it is tagged."""
    make()
    obj = bpy.context.object
    for name, value in settings.items():
        setattr(obj, name, value)
    bpy.context.view_layer.update()
    build.tag(obj)
    return obj


def collision(scene):
    (shape,) = read_scene(scene, with_shapes=True).links[0].collisions
    return shape


def lengths(geometry):
    return [*geometry.size] if isinstance(geometry, Box) else [*vars(geometry).values()]


@pytest.mark.parametrize(("make", "expected"), MADE.values(), ids=MADE)
def test_what_the_menu_adds(scene, build, make, expected):
    """Guards the size: it is the one that was typed, though the mesh is smaller than the primitive."""
    obj = made(make, build, location=(1.0, 2.0, 3.0), rotation_euler=(0.4, 0.5, 0.6))
    shape = collision(scene)
    assert type(shape.geometry) is type(expected)
    assert lengths(shape.geometry) == pytest.approx(lengths(expected), rel=EXACT)
    assert shape.pose[:3] == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert link(obj).primitive == "MESH", "the visible shape has become a primitive, too"
    assert isinstance(read_scene(scene, with_shapes=True).links[0].visuals[0].geometry, Mesh)


@pytest.mark.parametrize(
    ("make", "scale", "expected"),
    [
        (MADE["UV sphere"][0], (2.0, 2.0, 2.0), Sphere(1.0)),
        (MADE["UV sphere"][0], (-2.0, 2.0, 2.0), Sphere(1.0)),
        (MADE["UV sphere"][0], (2.0, 2.0, 1.0), None),
        (MADE["cylinder of 12"][0], (2.0, 2.0, 3.0), Cylinder(1.0, 5.1)),
        (MADE["cylinder of 12"][0], (2.0, 1.0, 1.0), None),
        (MADE["cone"][0], (1.0, 1.0, -2.0), Cone(0.5, 3.4)),
        (MADE["cube"][0], (1.0, 2.0, 3.0), Box((0.3, 0.6, 0.9))),
    ],
)
def test_scaled_objects(scene, build, make, scale, expected):
    """Guards objects whose scale is not applied: a sphere that is scaled along one axis is none any more."""
    made(make, build, scale=scale)
    geometry = collision(scene).geometry
    assert type(geometry) is (Mesh if expected is None else type(expected))
    if expected is not None:
        assert lengths(geometry) == pytest.approx(lengths(expected), rel=EXACT)


def test_a_cone_that_a_scale_turns_over(scene, build):
    """Guards the pose: the tip of a mirrored cone points down, so the z axis of the shape does."""
    made(MADE["cone"][0], build, scale=(1.0, 1.0, -1.0))
    w, x, y, z = collision(scene).pose[3:]
    assert 1.0 - 2.0 * (x * x + y * y) == pytest.approx(-1.0), (w, x, y, z)


def test_units(scene, build):
    """Guards scenes whose unit is not a metre: shapes are in metres."""
    scene.unit_settings.scale_length = 0.01
    made(lambda: ADD.primitive_uv_sphere_add(radius=5.0, location=(0.0, 0.0, 9.0)), build)
    assert collision(scene).geometry.radius == pytest.approx(0.05, rel=EXACT)


def test_a_child_beside_its_link(scene, build):
    """Guards the place of a shape that is a child of the link, in the link's axes."""
    frame = put("frame", None, location=(1.0, 0.0, 0.0))
    ADD.primitive_uv_sphere_add(radius=0.25)
    ball = bpy.context.object
    ball.parent, ball.location, ball.scale = frame, (0.0, 2.0, 0.5), (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    build.tag(frame)
    shape = collision(scene)
    assert shape.geometry == Sphere(pytest.approx(0.5, rel=EXACT))
    assert shape.pose[:3] == pytest.approx((0.0, 2.0, 0.5), abs=1e-6)


def test_links_of_older_files(scene, build):
    """Guards motions of existing scenes: a link that was not tagged by this version keeps the mesh that is stored."""
    obj = made(MADE["UV sphere"][0], build)
    link(obj).property_unset("recognizes")
    assert isinstance(collision(scene).geometry, Mesh)
    bpy.ops.limberjack.link_tag()  # of what is a link already
    assert isinstance(collision(scene).geometry, Mesh)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("role", "BOTH"), ("primitive", "HULL"), ("motion", "KINEMATIC")],
)
def test_what_somebody_has_chosen(scene, build, setting, value):
    """Guards explicit choices, and colliders, whose triangles are touched as they are drawn."""
    obj = made(MADE["UV sphere"][0], build)
    setattr(link(obj), setting, value)
    assert isinstance(collision(scene).geometry, Mesh)


def test_an_edited_mesh(scene, build):
    """Guards edits after tagging: a sphere with a spike collides as its hull, and as a sphere once that is gone."""
    obj = made(MADE["UV sphere"][0], build)
    top = max(obj.data.vertices, key=lambda vertex: vertex.co.z)
    top.co.z = 0.8
    bpy.context.view_layer.update()
    assert isinstance(collision(scene).geometry, Mesh)
    top.co.z = 0.5
    bpy.context.view_layer.update()
    assert collision(scene).geometry == Sphere(pytest.approx(0.5, rel=EXACT))


def test_a_hollow_mesh(scene, build):
    """Guards bowls and gears, whose hulls may be primitives: Problems tells that their hollows are filled."""
    ADD.primitive_cylinder_add(radius=0.5, depth=1.0, vertices=24)
    obj = bpy.context.object
    shape = bmesh.new()
    shape.from_mesh(obj.data)
    lid = max(shape.faces, key=lambda face: face.normal.z)
    bmesh.ops.poke(shape, faces=[lid], offset=-0.5)
    shape.to_mesh(obj.data)
    shape.free()
    bpy.context.view_layer.update()
    build.tag(obj)
    assert isinstance(collision(scene).geometry, Mesh)


def test_capsules(scene, build):
    """Guards capsules that somebody has made of a sphere: its halves were moved apart by half a metre each."""
    ADD.primitive_uv_sphere_add(radius=0.5)
    obj = bpy.context.object
    halves = [vertex.co for vertex in obj.data.vertices if abs(vertex.co.z) > 1e-6]
    rim = [vertex.co.copy() for vertex in obj.data.vertices if abs(vertex.co.z) <= 1e-6]
    points = [(x, y, z + (0.5 if z > 0.0 else -0.5)) for x, y, z in halves]
    points += [(x, y, z) for x, y, _ in rim for z in (-0.5, 0.5)]
    obj.data.clear_geometry()
    obj.data.from_pydata(points, [], [])
    with bpy.context.temp_override(object=obj, active_object=obj):
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.convex_hull()
        bpy.ops.object.mode_set(mode="OBJECT")
    build.tag(obj)
    assert collision(scene).geometry == Capsule(pytest.approx(0.5, rel=1e-5), pytest.approx(1.0, rel=1e-5))


def test_it_is_told(scene, build, capfd):
    """Guards what the artist learns when links are tagged: how many collide as which primitive."""
    for x in range(3):
        ADD.primitive_uv_sphere_add(radius=0.5, location=(2.0 * x, 0.0, 0.0))
    ADD.primitive_cube_add(location=(0.0, 4.0, 0.0))
    ADD.primitive_monkey_add(location=(0.0, 8.0, 0.0))
    for obj in scene.objects:
        obj.select_set(True)
    capfd.readouterr()
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}
    assert "Info: 5 links tagged; recognized for collisions: 1 box and 3 spheres" in capfd.readouterr().out
