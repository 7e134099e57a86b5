# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Collider: whatever somebody selects becomes a floor that holds, or one clear line says why it cannot."""

import math

import bpy
import pytest
from mathutils import Matrix

from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene

from .baked import matrix_at
from .conftest import link

ABOVE = 3.0
"""Where the lower side of what is dropped begins."""


def add(kind, **options):
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(**options)
    return bpy.context.object


def flat():
    return add("plane", size=6.0)


def slab():
    return add("cube", scale=(3.0, 3.0, 0.5))


def mirrored():
    obj = slab()
    obj.scale = (-3.0, 3.0, 0.5)
    return obj


def upside_down():
    obj = flat()
    obj.rotation_euler.x = math.pi
    return obj


def text():
    bpy.ops.object.text_add()
    obj = bpy.context.object
    obj.data.body, obj.data.extrude, obj.data.size = "MMM", 0.2, 8.0
    obj.data.align_x, obj.data.align_y = "CENTER", "CENTER"
    return obj


def curve():
    bpy.ops.curve.primitive_bezier_circle_add(radius=4.0)
    obj = bpy.context.object
    obj.data.dimensions, obj.data.fill_mode = "2D", "BOTH"
    return obj


def bare_curve():
    bpy.ops.curve.primitive_bezier_circle_add(radius=4.0)
    return bpy.context.object


def surface():
    bpy.ops.surface.primitive_nurbs_surface_surface_add(radius=2.0)
    return bpy.context.object


def metaball():
    bpy.ops.object.metaball_add(type="CUBE", radius=2.0)
    return bpy.context.object


def collection_instance():
    obj = slab()
    collection = bpy.data.collections.new("Slabs")
    bpy.context.scene.collection.children.link(collection)
    for each in obj.users_collection:
        each.objects.unlink(obj)
    collection.objects.link(obj)
    bpy.context.view_layer.layer_collection.children["Slabs"].exclude = True
    bpy.ops.object.collection_instance_add(collection="Slabs")
    return bpy.context.object


def shared_mesh():
    obj = slab()
    other = bpy.data.objects.new("Other", obj.data)
    other.location.x = 50.0
    bpy.context.collection.objects.link(other)
    return obj


def displaced():
    obj = flat()
    obj.modifiers.new("Solid", "SOLIDIFY").thickness = 0.4
    return obj


def sheared():
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    parent.scale = (1.0, 2.0, 1.0)
    obj = slab()
    obj.parent, obj.rotation_euler.z = parent, 0.6
    return obj


def hidden():
    obj = slab()
    obj.hide_viewport = True
    return obj


def with_holes():
    """A grid that has lost some of its faces, beside where the cube lands."""
    obj = add("grid", x_subdivisions=8, y_subdivisions=8, size=6.0)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for face in obj.data.polygons:
        face.select = abs(face.center.x) > 2.0
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.delete(type="FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def on_a_moving_parent():
    parent = bpy.data.objects.new("Carrier", None)
    bpy.context.collection.objects.link(parent)
    for frame, x in ((1, -0.1), (60, 0.1)):
        parent.location.x = x
        parent.keyframe_insert("location", frame=frame)
    obj = slab()
    obj.parent = parent
    return obj


HOLDS = (
    *(flat, slab, mirrored, upside_down, text, curve, surface, metaball, collection_instance, shared_mesh),
    *(displaced, sheared, hidden, with_holes, on_a_moving_parent),
)


@pytest.mark.parametrize("make", HOLDS, ids=lambda make: make.__name__)
def test_it_holds(scene, build, make):
    """Guards what a cube that is dropped onto it finds: a floor, at the height of what is seen, to a millimetre."""
    floor = make()
    bpy.context.view_layer.update()
    if floor.hide_viewport:
        floor.hide_viewport = False
        build.select(floor)
        assert bpy.ops.limberjack.collider_add() == {"FINISHED"}
        floor.hide_viewport = True
    else:
        build.select(floor)
        assert bpy.ops.limberjack.collider_add() == {"FINISHED"}
    cube = build.cube("cube", (0.0, 0.0, ABOVE + 0.25), 0.5)
    build.tag(cube)
    scene.frame_end = 48
    top = top_of(floor, scene)
    bpy.ops.limberjack.simulate()
    assert matrix_at(scene, cube, 48)[2, 3] - 0.25 == pytest.approx(top, abs=1e-3)
    assert not [problem for problem in show_rig(scene).problems if problem.severity == "error"]
    assert not (floor.animation_data and floor.animation_data.action)


def top_of(floor, scene):
    """The highest corner of what is seen [m]."""
    graph = bpy.context.evaluated_depsgraph_get()
    heights = []
    for instance in graph.object_instances:
        if instance.object.type not in ("MESH", "CURVE", "FONT", "SURFACE", "META") or instance.object.name == "cube":
            continue
        mesh = instance.object.to_mesh()
        heights += [(instance.matrix_world @ vertex.co).z for vertex in mesh.vertices]
    if not heights:  # it is hidden
        heights = [(floor.matrix_world @ vertex.co).z for vertex in floor.data.vertices]
    return max(heights)


def empty_mesh():
    obj = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    bpy.context.collection.objects.link(obj)
    return obj


def loose_edges():
    mesh = bpy.data.meshes.new("Edges")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1), (1, 2)], [])
    obj = bpy.data.objects.new("Edges", mesh)
    bpy.context.collection.objects.link(obj)
    return obj


def empty():
    bpy.ops.object.empty_add()
    return bpy.context.object


def camera():
    bpy.ops.object.camera_add()
    return bpy.context.object


def light():
    bpy.ops.object.light_add()
    return bpy.context.object


def scaled_to_nothing():
    obj = slab()
    obj.scale.z = 0.0
    return obj


def growing():
    obj = slab()
    for frame, size in ((1, 1.0), (20, 2.0)):
        obj.scale.x = size
        obj.keyframe_insert("scale", frame=frame)
    return obj


def deformed():
    bpy.ops.object.armature_add()
    armature = bpy.context.object
    obj = slab()
    obj.modifiers.new("Armature", "ARMATURE").object = armature
    return obj


def shape_of_a_link():
    carrier = slab()
    link(carrier).is_link = True
    obj = add("cube")
    obj.parent = carrier
    return obj


CANNOT = {
    empty_mesh: "has no faces that links could collide with",
    loose_edges: "has no faces that links could collide with",
    bare_curve: "has no faces that links could collide with",
    empty: "has no faces that links could collide with",
    camera: "is a camera",
    light: "is a light",
    scaled_to_nothing: "has a scale of zero",
    growing: "changes its size in its animation",
    deformed: "is deformed by the armature",
    shape_of_a_link: "is a shape of link",
}


@pytest.mark.parametrize("make", CANNOT, ids=lambda make: make.__name__)
def test_one_line_says_why_not(scene, build, make):
    """Guards the others: nothing is changed, and the line names the object, and says what to do."""
    obj = make()
    bpy.context.view_layer.update()
    build.select(obj)
    with pytest.raises(RuntimeError, match=CANNOT[make]) as told:
        bpy.ops.limberjack.collider_add()
    assert obj.name in str(told.value)
    assert ": " in str(told.value)
    assert len(str(told.value).strip().removeprefix("Error: ").splitlines()) == 1
    assert not link(obj).is_link


def test_a_moving_platform(scene, build):
    """Guards platforms: a box rides up and sideways on one that is keyed, as long as it starts and stops gently."""
    platform = slab()
    for frame, place in ((1, (0.0, 0.0, 0.0)), (73, (4.0, 0.0, 4.0))):  # eased: 2.7 m/s^2 at most
        platform.location = place
        platform.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    own = platform.animation_data.action
    box = build.cube("box", (0.0, 0.0, 0.75), 0.5)
    build.select(platform)
    assert bpy.ops.limberjack.collider_add() == {"FINISHED"}
    build.tag(box)
    scene.frame_end = 80
    bpy.ops.limberjack.simulate()
    assert platform.animation_data.action == own
    for frame in (1, 20, 37, 60, 80):
        below, above = matrix_at(scene, platform, frame)[:3, 3], matrix_at(scene, box, frame)[:3, 3]
        assert above - below == pytest.approx((0.0, 0.0, 0.75), abs=2e-3)


def test_many_at_once_and_what_cannot(scene, build):
    """Guards the operator on a selection: what can be a collider is one, and the others are told by name."""
    floor, wall, lamp = slab(), add("cube", location=(0.0, 5.0, 0.0)), light()
    build.select(floor, wall, lamp)
    assert bpy.ops.limberjack.collider_add() == {"FINISHED"}
    assert link(floor).motion == link(wall).motion == "KINEMATIC"
    assert not link(lamp).is_link


def test_duplicate_rename_and_append(scene, build, tmp_path):
    """Guards colliders that are copied, renamed, or appended into another file: they are colliders there, too."""
    floor = slab()
    build.select(floor)
    bpy.ops.limberjack.collider_add()
    floor.name = "Rostrum"
    build.select(floor)
    bpy.ops.object.duplicate()
    bpy.context.object.location.x = 20.0
    bpy.context.view_layer.update()
    assert sorted(each.name for each in read_scene(scene).links) == ["Rostrum", "Rostrum.001"]
    path = tmp_path / "floor.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path)) as (_, here):
        here.objects = ["Rostrum"]
    (appended,) = here.objects
    bpy.context.collection.objects.link(appended)
    cube = build.cube("cube", (0.0, 0.0, 2.0), 1.0)
    bpy.context.scene.limberjack.contact = True
    build.tag(cube)
    bpy.context.scene.frame_end = 48
    bpy.ops.limberjack.simulate()
    assert matrix_at(bpy.context.scene, cube, 48)[2, 3] == pytest.approx(1.0, abs=1e-5)
    assert appended.matrix_world == Matrix.Identity(4)
