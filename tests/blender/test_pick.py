"""Joints by pointing, in the real Blender."""

import math
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from limberjack.addon.bridge import picking
from limberjack.addon.ops import pick
from limberjack.addon.ops.pick import LIMBERJACK_OT_joint_pick
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


def test_nothing_to_fit(build):
    """A ball, an unknown name and a missing face are refused in one line, and make no joint."""
    box = build.cube("box", (9.0, 0.0, 0.0))
    build.tag(box)
    ball = mesh_object(
        "ball", lambda content: bmesh.ops.create_uvsphere(content, u_segments=32, v_segments=16, radius=1)
    )
    hit = ray(ball, (5.0, 0.1, 0.2), (0.0, 0.1, 0.2))
    assert hit.obj == ball
    build.select()
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="Nothing to fit here"):
        pick_at(hit)
    with pytest.raises(RuntimeError, match="there is no object ''"):
        bpy.ops.limberjack.joint_pick()
    with pytest.raises(RuntimeError, match="has no face 6: it has 6"):
        bpy.ops.limberjack.joint_pick(object="box", face=6)
    assert not any(joint(obj).is_joint for obj in bpy.data.objects)
    assert picking.hit_along(bpy.context, (0.0, 0.0, 90.0), (0.0, 0.0, 1.0)) is None


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
    from limberjack.addon.bridge.read import read_scene

    bpy.context.scene.frame_set(1)
    found = read_scene(bpy.context.scene).joints[-1]
    assert found.X_PJ[:3] == pytest.approx((0.0, 0.0, 0.0), abs=2e-6)
    assert quat_rotate(found.X_PJ[3:], (0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


class Driven:
    """Stands in for Blender, which alone may make operators: the operator's own functions, on a plain object."""

    type = "revolute"
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
        "limberjack.addon.bridge.picking.hit_under", lambda context, _, __, coord: picking.hit_along(context, *coord)
    )
    monkeypatch.setattr(pick, "_reach_at", lambda *_: 0.01)
    return SimpleNamespace(handlers=handlers, headers=headers)


def event(kind, ray=None, value="PRESS"):
    return SimpleNamespace(type=kind, value=value, ray=ray)


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
    assert view.headers[-1] == "Nothing to fit here"
    assert driven.modal(bpy.context, event("LEFTMOUSE", AT_NOTHING)) == {"RUNNING_MODAL"}
    assert driven.modal(bpy.context, event("MOUSEMOVE", AT_SHAFT)) == {"RUNNING_MODAL"}
    assert view.headers[-1] == "Shaft, 1 m across: click to put the joint here"
    assert driven._preview._points.shape == (64 * 2 + 1 + 1, 2, 3)
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
    monkeypatch.setattr("limberjack.addon.bridge.picking.hit_under", lambda *_: 1 / 0)
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
    assert driven._preview._points is None
    driven.cancel(bpy.context)
    assert view.handlers.alive == []


def test_turned_like_keeps_x():
    """x stays as near as it can, and where it would lie along the new z, y decides."""
    z_up = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    turned = (0.0, 0.0, 0.0, math.cos(0.3), 0.0, 0.0, math.sin(0.3))
    assert pick.turned_like(z_up, turned) == pytest.approx(turned)
    on_side = (0.0, 0.0, 0.0, math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)  # its x along +z
    assert pick.turned_like(z_up, on_side) == pytest.approx(z_up, abs=1e-12)


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
