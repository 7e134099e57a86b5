# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints by pointing, in the real Blender."""

import math
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
import pytest
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Euler, Matrix, Quaternion, Vector

from limberjack.addon.bridge.viewport import picking
from limberjack.addon.bridge.viewport.silhouettes import edge_beside
from limberjack.addon.ops.joints import pick
from limberjack.addon.ops.joints.pick import LIMBERJACK_OT_joint_pick
from limberjack.core.spatial import quat_rotate

from .conftest import joint, link
from .paper import draw_all

TURN = Euler((0.4, -0.7, 1.1))
SCALE = (2.0, 2.0, 0.5)


def mesh_object(name, make, **settings):
    mesh = bpy.data.meshes.new(name)
    content = bmesh.new()
    make(content)
    content.to_mesh(mesh)
    content.free()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    for key, value in settings.items():
        setattr(obj, key, value)
    bpy.context.view_layer.update()
    return obj


def cylinder(content, radius=0.5, depth=4.0, segments=32):
    bmesh.ops.create_cone(content, cap_ends=True, segments=segments, radius1=radius, radius2=radius, depth=depth)


def plate(content):
    bmesh.ops.create_cube(content, size=1.0, matrix=Matrix.Diagonal((4.0, 3.0, 0.5, 1.0)))


@pytest.fixture
def drilled():
    """A plate drilled by a boolean modifier, off its middle, scaled unevenly and turned; and its hole's true axis."""
    drill = mesh_object("drill", cylinder)
    obj = mesh_object("plate", plate)
    drill.parent = obj
    drill.location = (1.0, 0.25, 0.0)
    cut = obj.modifiers.new("cut", "BOOLEAN")
    cut.operation, cut.object, cut.solver = "DIFFERENCE", drill, "EXACT"
    obj.scale, obj.rotation_euler, obj.location = SCALE, TURN, (3.0, -2.0, 1.5)
    drill.hide_set(True)
    drill.hide_viewport = True
    bpy.context.view_layer.update()
    return obj


def ray(obj, start, end):
    """What a ray between two points in the object's axes meets."""
    a, b = (obj.matrix_world @ Vector(at) for at in (start, end))
    return picking.hit_along(bpy.context, a, (b - a).normalized())


def pick_at(hit, reach=0.0, **options):
    return bpy.ops.limberjack.joint_pick(
        object=hit.obj.name, face=hit.face, point=tuple(hit.point), reach=reach, **options
    )


def frame_in_world(empty):
    bpy.context.view_layer.update()
    matrix = np.array(empty.matrix_world)
    return matrix[:3, 3], matrix[:3, 2]


def expected(obj, place, axis=(0.0, 0.0, 1.0)):
    """A place and a direction of the object's axes in the world; directions across what is scaled stay across."""
    matrix = np.array(obj.matrix_world)
    direction = np.array(obj.matrix_world.to_quaternion() @ Vector(axis))
    return matrix[:3, :3] @ place + matrix[:3, 3], direction * (1 if direction[2] > 0 else -1)


def tag(obj):
    link(obj).is_link = True


def test_a_drilled_hole_takes_a_joint(drilled, build):
    """A hole cut by a modifier, in a mesh scaled unevenly and turned, gets the joint on its axis, midway."""
    tag(drilled)
    build.select()
    bpy.context.view_layer.objects.active = None
    hit = ray(drilled, (1.0, 0.25, 0.05), (1.45, 0.4, 0.05))
    assert hit.obj == drilled
    assert pick_at(hit, type="prismatic") == {"FINISHED"}
    made = bpy.context.active_object
    settings = joint(made)
    assert (settings.child, settings.parent, settings.type, settings.to_world) == (drilled, None, "prismatic", True)
    origin, direction = frame_in_world(made)
    true_origin, true_direction = expected(drilled, (1.0, 0.25, 0.0))
    assert origin == pytest.approx(true_origin, abs=4e-6)
    assert direction == pytest.approx(true_direction, abs=2e-6)


def test_a_mirrored_plate(drilled, build):
    """Under a mirror modifier and a negative scale a hole is still a hole, and the other half has one too."""
    tag(drilled)
    mirror = drilled.modifiers.new("mirror", "MIRROR")
    mirror.use_mirror_merge = False
    drilled.modifiers["mirror"].use_axis = (True, False, False)
    drilled.location.x += 1.0
    drilled.scale = (-2.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    hit = ray(drilled, (-1.0, 0.25, 0.05), (-1.45, 0.4, 0.05))
    feature = picking.Surfaces().feature_under(bpy.context, hit, 0.0)
    assert (feature.kind, feature.radius) == ("hole", pytest.approx(1.0, rel=1e-5))
    assert feature.origin == pytest.approx(expected(drilled, (-1.0, 0.25, 0.0))[0], abs=4e-6)
    outside = ray(drilled, (1.9, 1.0, 1.0), (1.9, 1.0, 0.0))
    face = picking.Surfaces().feature_under(bpy.context, outside, 0.0)
    normal = np.array(drilled.matrix_world.to_3x3().inverted().transposed() @ Vector((0.0, 0.0, 1.0)))
    assert face.kind == "face"
    assert face.direction == pytest.approx(normal / np.linalg.norm(normal), abs=2e-6)


def test_the_selected_joint_moves(drilled, build):
    """A selected joint moves to the feature and keeps its links where they are, its x as near as can be to what it
    was."""
    tag(drilled)
    made = build.join(drilled)
    before = tuple(tuple(row) for row in drilled.matrix_world)
    hit = ray(drilled, (1.0, 0.25, 0.05), (1.45, 0.4, 0.05))
    assert pick_at(hit) == {"FINISHED"}
    assert bpy.context.active_object == made
    assert sum(joint(obj).is_joint for obj in bpy.data.objects) == 1
    origin, direction = frame_in_world(made)
    true_origin, true_direction = expected(drilled, (1.0, 0.25, 0.0))
    assert origin == pytest.approx(true_origin, abs=4e-6)
    assert direction == pytest.approx(true_direction, abs=2e-6)
    x = np.array((1.0, 0.0, 0.0)) - true_direction[0] * true_direction
    assert np.array(made.matrix_world)[:3, 0] == pytest.approx(x / np.linalg.norm(x), abs=2e-6)
    assert tuple(tuple(row) for row in drilled.matrix_world) == before


def test_selected_links_are_joined(build):
    """With two links selected, the active one is joined to the other at the feature, whatever is pointed at."""
    a, b, shaft = build.cube("a"), build.cube("b", (5.0, 0.0, 0.0)), mesh_object("shaft", cylinder, location=(0, 9, 0))
    build.tag(a, b)
    build.select(a, b)
    assert pick_at(ray(shaft, (3.0, 0.2, 0.1), (0.0, 0.0, 0.1))) == {"FINISHED"}
    settings = joint(bpy.context.active_object)
    assert (settings.parent, settings.child) == (a, b)
    assert frame_in_world(bpy.context.active_object)[0] == pytest.approx((0.0, 9.0, 0.0), abs=2e-6)


def test_one_selected_link_is_the_parent_of_what_is_pointed_at(build):
    """Who has selected a link and points at another hangs this one on it; at itself or at no link, on the world."""
    a, b, wall = build.cube("a"), build.cube("b", (5.0, 0.0, 0.0)), build.cube("wall", (0.0, 9.0, 0.0))
    build.tag(a, b)
    ends = []
    for obj in (b, a, wall):
        build.select(a)
        assert pick_at(ray(obj, (0.1, 0.2, 5.0), (0.1, 0.2, 0.0))) == {"FINISHED"}
        settings = joint(bpy.context.active_object)
        ends.append((settings.parent, settings.child))
    assert ends == [(a, b), (None, a), (None, a)]


def test_what_is_pointed_at_becomes_a_link(build):
    """In a scene without links, a click on an edge tags the object and hangs it on the world, weighed and all."""
    cube = build.cube("cube")
    build.select()
    bpy.context.view_layer.objects.active = None
    draw_all(cube)
    assert pick_at(ray(cube, (0.97, 0.1, 5.0), (0.97, 0.1, 0.0)), 0.1) == {"FINISHED"}
    assert link(cube).is_link
    assert link(cube).mass_shown == pytest.approx(8000.0)
    assert (joint(bpy.context.active_object).parent, joint(bpy.context.active_object).child) == (None, cube)


def test_two_selected_objects_become_links_and_the_next_joint_hangs_in_the_world(build):
    """Nobody has to tag first; once the two are joined, what is pointed at is joined to the world."""
    a, b = build.cube("a"), build.cube("b", (0.0, 4.0, 0.0))
    ends = []
    for place in ((0.0, 0.97), (0.0, 4.97)):
        build.select(b, a)
        hit = ray(b if place[1] > 2.0 else a, (place[0], 0.97, 5.0), (place[0], 0.97, 0.0))
        assert pick_at(hit, 0.1) == {"FINISHED"}
        settings = joint(bpy.context.active_object)
        ends.append((settings.parent, settings.child))
    assert [link(each).is_link for each in (a, b)] == [True, True]
    assert ends == [(b, a), (None, b)]


def test_rims_edges_and_faces(build):
    """Near an edge the edge is meant, away from it the face: of one box and one shaft, all the kinds."""
    box = build.cube("box", (0.0, 0.0, 0.0))
    shaft = mesh_object("shaft", cylinder, location=(5.0, 0.0, 0.0))
    surfaces = picking.Surfaces()

    def found(obj, start, end):
        return surfaces.feature_under(bpy.context, ray(obj, start, end), 0.1)

    top = found(box, (0.2, 0.1, 3.0), (0.2, 0.1, 0.0))
    assert (top.kind, top.origin.tolist()) == ("face", [0, 0, 1])
    assert top.direction == pytest.approx((0, 0, 1))
    edge = found(box, (0.95, 0.1, 3.0), (0.95, 0.1, 0.0))
    assert (edge.kind, edge.origin.tolist()) == ("edge", [1, 0, 1])
    assert edge.direction == pytest.approx((0, 1, 0))
    rim = found(shaft, (0.45, 0.0, 3.0), (0.45, 0.0, 0.0))
    assert (rim.kind, rim.radius) == ("rim", pytest.approx(0.5, rel=1e-6))
    assert rim.origin == pytest.approx((5.0, 0.0, 2.0), abs=1e-6)
    wall = found(shaft, (3.0, 0.02, 0.3), (0.0, 0.02, 0.3))
    assert (wall.kind, wall.origin) == ("shaft", pytest.approx((5.0, 0.0, 0.0), abs=1e-6))
    below = found(box, (0.2, 0.1, -3.0), (0.2, 0.1, 0.0))
    assert below.direction == pytest.approx((0, 0, -1))


def uv_sphere(content):
    bmesh.ops.create_uvsphere(content, u_segments=32, v_segments=16, radius=1)


def pointed_cone(content):
    bmesh.ops.create_cone(content, cap_ends=True, segments=24, radius1=1.0, radius2=0.3, depth=2.0)


def test_a_cone_takes_a_joint(build):
    """On a cone that is scaled and turned, and along its axis: midway, whichever side of it is pointed at."""
    cone = mesh_object("cone", pointed_cone, location=(1.0, 2.0, 3.0), rotation_euler=TURN, scale=(0.5, 0.5, 0.5))
    tag(cone)
    build.select()
    bpy.context.view_layer.objects.active = None
    origin, direction = expected(cone, (0.0, 0.0, 0.0))
    for start in ((3.0, 0.2, 0.1), (-3.0, 0.4, 0.3)):
        feature = picking.Surfaces().feature_under(bpy.context, ray(cone, start, (0.0, 0.0, 0.1)), 0.0)
        assert (feature.kind, feature.radius) == ("cone", pytest.approx(0.5, rel=1e-5))
    assert pick_at(ray(cone, (3.0, 0.2, 0.1), (0.0, 0.0, 0.1))) == {"FINISHED"}
    found = frame_in_world(bpy.context.active_object)
    assert found[0] == pytest.approx(origin, abs=4e-6)
    assert found[1] == pytest.approx(direction, abs=4e-6)


def test_a_ball_takes_a_ball_joint(build):
    """At its centre, of the type that turns every way, unless another is asked for; a joint that moves there keeps its
    type and how it is turned."""
    ball = mesh_object("ball", uv_sphere, location=(1.0, 2.0, 3.0), rotation_euler=TURN, scale=(0.3, 0.3, 0.3))
    tag(ball)
    build.select()
    bpy.context.view_layer.objects.active = None
    hit = ray(ball, (5.0, 0.1, 0.2), (0.0, 0.1, 0.2))
    assert pick_at(hit) == {"FINISHED"}
    made = bpy.context.active_object
    assert joint(made).type == "ball"
    assert frame_in_world(made)[0] == pytest.approx((1.0, 2.0, 3.0), abs=2e-6)
    bpy.data.objects.remove(made)
    bpy.context.view_layer.objects.active = None
    assert pick_at(hit, type="prismatic") == {"FINISHED"}
    assert joint(bpy.context.active_object).type == "prismatic"
    bpy.data.objects.remove(bpy.context.active_object)
    kept = build.join(ball)
    kept.rotation_mode, kept.rotation_euler = "XYZ", (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    bpy.ops.limberjack.joint_frames_from_empty()
    before = kept.matrix_world.to_quaternion()
    build.select(kept)
    assert pick_at(hit) == {"FINISHED"}
    bpy.context.view_layer.update()
    assert joint(kept).type == "revolute"
    assert kept.matrix_world.translation[:] == pytest.approx((1.0, 2.0, 3.0), abs=2e-6)
    assert abs(kept.matrix_world.to_quaternion().dot(before)) == pytest.approx(1.0, abs=1e-6)


def test_any_place_takes_a_joint(build):
    """Where no shape is recognized, the joint is put on the place, along the normal there."""
    egg = mesh_object("egg", uv_sphere, scale=(1.3, 1.0, 0.6))
    tag(egg)
    build.select()
    bpy.context.view_layer.objects.active = None
    hit = ray(egg, (0.3, 0.2, 5.0), (0.3, 0.2, 0.0))
    assert pick_at(hit) == {"FINISHED"}
    a, b, c, d = (np.array(egg.matrix_world @ egg.data.vertices[i].co) for i in egg.data.polygons[hit.face].vertices)
    normal = np.cross(c - a, d - b)
    found = frame_in_world(bpy.context.active_object)
    assert found[0] == pytest.approx(hit.point, abs=2e-6)
    assert found[1] == pytest.approx(normal / np.linalg.norm(normal), abs=2e-6)


def test_nothing_to_point_at(build):
    """An unknown name and a missing face are refused in one line, and make no joint."""
    box = build.cube("box", (9.0, 0.0, 0.0))
    build.tag(box)
    with pytest.raises(RuntimeError, match="there is no object ''"):
        bpy.ops.limberjack.joint_pick()
    with pytest.raises(RuntimeError, match="has no face 6: it has 6"):
        bpy.ops.limberjack.joint_pick(object="box", face=6)
    assert not any(joint(obj).is_joint for obj in bpy.data.objects)
    assert picking.hit_along(bpy.context, (0.0, 0.0, 90.0), (0.0, 0.0, 1.0)) is None


class View:
    """A region of 400 by 400 pixels that looks down on the origin, or at it from aslant, as Blender's views do."""

    def __init__(self, turn=(1.0, 0.0, 0.0, 0.0), is_perspective=False):
        self.width = self.height = 400
        turned = Quaternion(turn).to_matrix().to_4x4()
        self.view_matrix = (turned @ Matrix.Translation((0.0, 0.0, 20.0))).inverted()
        seen = 2.0 / 8.0  # 8 m across, in the plane through the origin
        flat = Matrix(((seen, 0, 0, 0), (0, seen, 0, 0), (0, 0, -0.02, -1.0), (0, 0, 0, 1)))
        deep = Matrix(((20 * seen, 0, 0, 0), (0, 20 * seen, 0, 0), (0, 0, -1.0, -0.2), (0, 0, -1, 0)))
        self.is_perspective = is_perspective
        self.view_perspective = "PERSP" if is_perspective else "ORTHO"
        self.window_matrix = deep if is_perspective else flat
        self.perspective_matrix = self.window_matrix @ self.view_matrix

    def beside(self, point, pixels):
        """So many pixels to the right of a point of the world."""
        x, y = location_3d_to_region_2d(self, self, Vector(point))
        return x + pixels, y


@pytest.mark.parametrize("is_perspective", [False, True])
@pytest.mark.parametrize("pixels", [1.0, 4.0, 7.0])
def test_an_edge_is_found_from_beside_it(build, is_perspective, pixels):
    """Some pixels beside a box and a disc, where the ray meets nothing or a floor far below, the edge and the rim are
    found, and found again by what is told of them; farther off they are not."""
    build.cube("box")
    disc = mesh_object("disc", lambda content: cylinder(content, 0.8, 0.4), location=(2.5, 0.0, 0.0))
    surfaces = picking.Surfaces()
    for turn in ((1.0, 0.0, 0.0, 0.0), (0.94, 0.34, 0.0, 0.0)):
        view = View(turn, is_perspective)
        for obj, point, kind in (("box", (1.0, 0.2, 1.0), "edge"), (disc.name, (3.3, 0.0, 0.2), "rim")):
            at = view.beside(point, pixels)
            for floor in (False, True):
                if floor:
                    build.cube("floor", (0.0, 0.0, -20.0), 30.0)
                bpy.context.view_layer.update()
                behind = picking.hit_under(bpy.context, view, view, at)
                assert (behind and behind.obj.name) == ("floor" if floor else None)
                hit, reach, feature = edge_beside(bpy.context, surfaces, view, view, at, 8.0, behind)
                assert (hit.obj.name, feature.kind) == (obj, kind)
                again = surfaces.feature_under(bpy.context, hit, reach)
                assert again.origin.tolist() == feature.origin.tolist()
                assert np.linalg.norm(feature.outline - point, axis=1).min() < 1.5
                off = view.beside(point, 10.0)
                assert edge_beside(bpy.context, surfaces, view, view, off, 8.0, behind) is None
            bpy.data.objects.remove(bpy.data.objects["floor"])


def test_beside_what_has_no_edge_is_nothing(build):
    """The rim of a ball as it is seen is no edge of its mesh."""
    mesh_object("ball", uv_sphere)
    view = View()
    at = view.beside((1.0, 0.0, 0.0), 4.0)
    assert edge_beside(bpy.context, picking.Surfaces(), view, view, at, 8.0, None) is None


def test_hidden_objects_are_looked_through(build):
    """What the user has hidden is not hit, nor is a joint's Empty in the way."""
    front, back = build.cube("front", (0.0, 0.0, 5.0)), build.cube("back")
    build.tag(back)
    made = build.join(back)
    made.location = (0.1, 0.2, 2.5)
    assert picking.hit_along(bpy.context, (0.1, 0.2, 9.0), (0.0, 0.0, -1.0)).obj == front
    front.hide_set(True)
    bpy.context.view_layer.update()
    assert picking.hit_along(bpy.context, (0.1, 0.2, 9.0), (0.0, 0.0, -1.0)).obj == back


def test_collision_shapes_are_looked_through(build):
    """What the user sees is picked, not the wire around it."""
    box = build.cube("box")
    build.tag(box)
    build.select(box)
    bpy.ops.limberjack.collision_add(type="SPHERE")
    bpy.context.view_layer.update()
    assert picking.hit_along(bpy.context, (0.1, 0.2, 9.0), (0.0, 0.0, -1.0)).obj == box


def test_instances(build):
    """Of a collection shown twice, the instance that was pointed at gets the joint."""
    shaft = mesh_object("shaft", cylinder)
    parts = bpy.data.collections.new("parts")
    parts.objects.link(shaft)
    bpy.context.scene.collection.objects.unlink(shaft)
    for name, x in (("one", 4.0), ("two", 8.0)):
        shown = bpy.data.objects.new(name, None)
        shown.instance_type, shown.instance_collection, shown.location = "COLLECTION", parts, (x, 0.0, 0.0)
        bpy.context.scene.collection.objects.link(shown)
    box = build.cube("box", (0.0, 9.0, 0.0))
    build.tag(box)
    hit = picking.hit_along(bpy.context, (8.02, -5.0, 0.1), (0.0, 1.0, 0.0))
    assert hit.obj == shaft
    build.select(box)
    if bpy.context.scene.objects.get("shaft"):
        assert pick_at(hit) == {"FINISHED"}
        assert frame_in_world(bpy.context.active_object)[0] == pytest.approx((8.0, 0.0, 0.0), abs=2e-6)


def test_a_link_that_has_moved_since(build):
    """On a link that an animation has carried off, the joint lands on the same place of the link as it was drawn."""
    shaft = mesh_object("shaft", cylinder)
    build.tag(shaft)
    build.join(shaft)
    shaft.keyframe_insert("location", frame=1)
    shaft.location = (3.0, 0.0, 1.0)
    shaft.keyframe_insert("location", frame=10)
    bpy.context.scene.frame_set(10)
    build.select(shaft)
    assert pick_at(ray(shaft, (3.0, 0.02, 0.1), (0.0, 0.02, 0.1))) == {"FINISHED"}
    from limberjack.addon.bridge.scene.read import read_scene

    bpy.context.scene.frame_set(1)
    found = read_scene(bpy.context.scene).joints[-1]
    assert found.X_PJ[:3] == pytest.approx((0.0, 0.0, 0.0), abs=2e-6)
    assert quat_rotate(found.X_PJ[3:], (0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


class Driven:
    """Stands in for Blender, which alone may make operators: the operator's own functions, on a plain object."""

    type, by_tool, bl_label = "revolute", False, LIMBERJACK_OT_joint_pick.bl_label
    properties = SimpleNamespace(is_property_set=lambda _: False)
    object, face, point, reach = "", 0, (0.0, 0.0, 0.0), 0.0

    def __init__(self):
        self.reports = []
        self.begin(bpy.context)

    def report(self, kind, message):
        self.reports.append((kind, message))


for name, value in vars(LIMBERJACK_OT_joint_pick).items():
    if name in ("begin", "modal", "cancel", "execute") or (name.startswith("_") and not name.startswith("__")):
        setattr(Driven, name, value)


class Handlers:
    """Counts what is drawn in 3D views."""

    def __init__(self):
        self.alive = []

    def add(self, function, *_):
        self.alive.append(function)
        return function

    def remove(self, handle, _):
        self.alive.remove(handle)


@pytest.fixture
def view(monkeypatch):
    """A 3D view whose mouse is a ray in the world: events carry where they point."""
    handlers, headers = Handlers(), []
    area = SimpleNamespace(header_text_set=headers.append)
    space = SimpleNamespace(draw_handler_add=handlers.add, draw_handler_remove=handlers.remove)
    monkeypatch.setattr(
        "limberjack.addon.overlays.feature.bpy", SimpleNamespace(types=SimpleNamespace(SpaceView3D=space))
    )
    monkeypatch.setattr(pick, "view_under", lambda _, event: event.ray and (area, None, None, event.ray))
    monkeypatch.setattr(
        "limberjack.addon.bridge.viewport.picking.hit_under",
        lambda context, _, __, coord: picking.hit_along(context, *coord),
    )
    monkeypatch.setattr("limberjack.addon.bridge.viewport.silhouettes.reach_at", lambda *_: 0.01)
    monkeypatch.setattr("limberjack.addon.bridge.viewport.silhouettes.edge_beside", lambda *_: None)
    return SimpleNamespace(handlers=handlers, headers=headers)


def event(kind, ray=None, value="PRESS", shift=False):
    return SimpleNamespace(type=kind, value=value, ray=ray, shift=shift)


AT_SHAFT = ((-5.0, 0.02, 0.1), (1.0, 0.0, 0.0))
AT_NOTHING = ((0.0, 0.0, 90.0), (0.0, 0.0, 1.0))


@pytest.fixture
def shaft(build):
    obj = mesh_object("shaft", cylinder)
    tag(obj)
    build.select()
    bpy.context.view_layer.objects.active = None
    return obj


def test_hover_then_click(shaft, view, scene):
    """Hovering says and shows what a click would fit; the click makes what execute makes, and the preview is gone."""
    scene.unit_settings.length_unit = "MILLIMETERS"
    driven = Driven()
    assert driven.modal(bpy.context, event("MOUSEMOVE", AT_NOTHING)) == {"RUNNING_MODAL"}
    assert view.headers[-1] == "Point at a hole, a shaft, an edge or a face"
    assert driven.modal(bpy.context, event("LEFTMOUSE", AT_NOTHING)) == {"RUNNING_MODAL"}
    assert driven.modal(bpy.context, event("MOUSEMOVE", AT_SHAFT)) == {"RUNNING_MODAL"}
    assert view.headers[-1] == "Shaft, 1 m across: click to put the joint here"
    assert driven._overlay._points.shape == (64 * 2 + 1 + 1, 2, 3)
    assert not any(joint(obj).is_joint for obj in bpy.data.objects)
    assert driven.modal(bpy.context, event("LEFTMOUSE", AT_SHAFT)) == {"FINISHED"}
    assert view.handlers.alive == []
    assert view.headers[-1] is None
    clicked = bpy.context.active_object
    frames = joint(clicked).X_PJ, joint(clicked).X_CJ
    bpy.data.objects.remove(clicked)
    bpy.context.view_layer.objects.active = None
    assert bpy.ops.limberjack.joint_pick(
        object=driven.object, face=driven.face, point=tuple(driven.point), reach=driven.reach
    ) == {"FINISHED"}
    assert (joint(bpy.context.active_object).X_PJ, joint(bpy.context.active_object).X_CJ) == frames


def test_shift_goes_on_picking(shaft, view):
    """Each Shift-click makes a joint and leaves the selection; a plain click ends it."""
    shaft.select_set(True)
    bpy.context.view_layer.objects.active = shaft
    driven = Driven()
    for count in (1, 2):
        assert driven.modal(bpy.context, event("LEFTMOUSE", AT_SHAFT, shift=True)) == {"RUNNING_MODAL"}
        assert sum(joint(obj).is_joint for obj in bpy.data.objects) == count
        assert bpy.context.selected_objects == [shaft]
    assert driven.modal(bpy.context, event("LEFTMOUSE", AT_SHAFT)) == {"FINISHED"}
    assert sum(joint(obj).is_joint for obj in bpy.data.objects) == 3
    assert view.handlers.alive == []


def test_the_tool_is_released_on_the_place(shaft, view):
    """With the button held from the beginning, its release makes the joint, and beside all objects makes none."""
    driven = Driven()
    driven.by_tool = True
    assert driven.modal(bpy.context, event("LEFTMOUSE", AT_SHAFT)) == {"RUNNING_MODAL"}
    assert driven.modal(bpy.context, event("LEFTMOUSE", AT_NOTHING, "RELEASE")) == {"CANCELLED"}
    assert (view.handlers.alive, len(bpy.data.objects)) == ([], 1)
    driven.begin(bpy.context)
    assert driven.modal(bpy.context, event("LEFTMOUSE", AT_SHAFT, "RELEASE")) == {"FINISHED"}
    assert joint(bpy.context.active_object).is_joint


@pytest.mark.parametrize("kind", ["ESC", "RIGHTMOUSE"])
def test_cancelling_leaves_nothing(shaft, view, kind):
    """Esc and the right button end the tool with no joint, no preview and no text."""
    driven = Driven()
    driven.modal(bpy.context, event("MOUSEMOVE", AT_SHAFT))
    assert len(view.handlers.alive) == 1
    assert driven.modal(bpy.context, event(kind)) == {"CANCELLED"}
    assert view.handlers.alive == []
    assert view.headers[-1] is None
    assert len(bpy.data.objects) == 1


def test_faults_leave_no_preview(shaft, view, monkeypatch):
    """A fault on the way is told, and takes the preview with it."""
    driven = Driven()
    monkeypatch.setattr("limberjack.addon.bridge.viewport.picking.hit_under", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        driven.modal(bpy.context, event("MOUSEMOVE", AT_SHAFT))
    assert view.handlers.alive == []


def test_the_view_can_be_turned(shaft, view):
    """Navigation passes through; other keys do not, and a mouse above a panel shows nothing."""
    driven = Driven()
    for kind in ("MIDDLEMOUSE", "WHEELUPMOUSE", "TRACKPADPAN", "NDOF_MOTION"):
        assert driven.modal(bpy.context, event(kind)) == {"PASS_THROUGH"}
    assert driven.modal(bpy.context, event("X")) == {"RUNNING_MODAL"}
    driven.modal(bpy.context, event("MOUSEMOVE", AT_SHAFT))
    driven.modal(bpy.context, event("MOUSEMOVE", None))
    assert driven._overlay._points is None
    driven.cancel(bpy.context)
    assert view.handlers.alive == []


def test_with_nearest_x_keeps_x():
    """x stays as near as it can, and where it would lie along the new z, y decides."""
    z_up = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    turned = (0.0, 0.0, 0.0, math.cos(0.3), 0.0, 0.0, math.sin(0.3))
    assert pick.with_nearest_x(z_up, turned) == pytest.approx(turned)
    on_side = (0.0, 0.0, 0.0, math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)  # its x along +z
    assert pick.with_nearest_x(z_up, on_side) == pytest.approx(z_up, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "local"),
    [
        ("revolute", (1.0, 0.0, 0.0)),
        ("universal", (0.0, 3.0, 4.0)),
        ("cylindrical", (0.0, 0.0, -1.0)),
        ("planar", None),
        ("ball", None),
    ],
)
def test_a_moved_joint_keeps_its_axis_in_its_own_frame(build, shaft, kind, local):
    """The frame turns so that the first axis that the user points lies along the fit, or z where the type decides."""
    made = build.join(shaft, type=kind)
    settings = joint(made)
    if local:
        settings.axes[0].xyz = local
    shaft.rotation_euler = TURN
    bpy.context.view_layer.update()
    build.select(made)
    hit = ray(shaft, (3.0, 0.02, 0.1), (0.0, 0.02, 0.1))
    assert pick_at(hit) == {"FINISHED"}
    if local:
        assert tuple(settings.axes[0].xyz) == pytest.approx(local)
    bpy.context.view_layer.update()
    at = np.array(Vector(local or (0.0, 0.0, 1.0)).normalized())
    pointed = np.array(made.matrix_world)[:3, :3] @ at
    assert pointed == pytest.approx(expected(shaft, (0.0, 0.0, 0.0))[1], abs=2e-6)
