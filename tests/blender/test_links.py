# SPDX-License-Identifier: GPL-3.0-or-later
"""Tagging links and weighing them."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.model import ModelError

from .conftest import link
from .paper import draw


def read_one(scene):
    return read_scene(scene).links[0]


def test_cube(scene, build):
    """A cube of 2 m and 1000 kg/m^3 weighs 8000 kg, with a solid cube's inertia."""
    cube = build.cube()
    build.tag(cube)
    found = read_one(scene)
    assert found.mass == pytest.approx(8000.0, rel=1e-12)
    assert found.com == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    i = 8000.0 * 4.0 / 6.0
    assert found.inertia == pytest.approx((i, 0.0, 0.0, i, 0.0, i), rel=1e-12, abs=1e-9)
    assert link(cube).mass_shown == pytest.approx(8000.0)


def test_scaled_and_turned(scene, build):
    """Scale belongs to the shape and not to the frame; a rotation changes nothing in the link's own axes."""
    build.tag(build.cube(size=1.0, scale=(2.0, 0.5, 0.1), rotation_euler=(0.3, -0.4, 1.0), location=(1, 2, 3)))
    found = read_one(scene)
    assert found.mass == pytest.approx(100.0, rel=1e-9)
    expected = [100.0 / 12.0 * (a * a + b * b) for a, b in ((0.5, 0.1), (2.0, 0.1), (2.0, 0.5))]
    assert (found.inertia[0], found.inertia[3], found.inertia[5]) == pytest.approx(expected, rel=1e-9)
    assert np.linalg.norm(found.pose[3:]) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("scale", [(-1.0, 1.0, 1.0), (-1.0, -1.0, -1.0)])
def test_mirrored(scene, build, scale):
    """A mirrored object has the same mass, and its frame stays right-handed and where the rotation says."""
    build.tag(build.cube(scale=scale, rotation_euler=(0.0, 0.0, 0.5)))
    found = read_one(scene)
    assert found.mass == pytest.approx(8000.0)
    assert found.pose[3:] == pytest.approx((math.cos(0.25), 0.0, 0.0, math.sin(0.25)), abs=1e-6)


def test_moved_origin(scene, build):
    """The centre of mass is where the mesh is, not where the object's origin is."""
    cube = build.cube()
    for vertex in cube.data.vertices:
        vertex.co.x += 3.0
    build.tag(cube)
    found = read_one(scene)
    assert found.com == pytest.approx((3.0, 0.0, 0.0), abs=1e-9)
    i = 8000.0 * 4.0 / 6.0
    assert found.inertia == pytest.approx((i, 0.0, 0.0, i, 0.0, i), rel=1e-9, abs=1e-6)


def test_children_are_part_of_the_link(scene, build):
    """Children are weighed with their parent by the parallel-axis theorem; collision shapes are not."""
    left, right = build.cube("left", (-2.0, 0.0, 0.0)), build.cube("right", (2.0, 0.0, 0.0))
    ghost = build.cube("ghost", (0.0, 5.0, 0.0))
    link(ghost).role = "COLLISION"
    for child in (right, ghost):
        child.parent = left
        child.matrix_parent_inverse = left.matrix_world.inverted()
    build.tag(left)
    found = read_one(scene)
    assert found.mass == pytest.approx(16000.0)
    assert found.com == pytest.approx((2.0, 0.0, 0.0), abs=1e-9)
    own = 2 * 8000.0 * 4.0 / 6.0
    assert found.inertia[3] == pytest.approx(own + 16000.0 * 4.0, rel=1e-9)
    model = read_scene(scene, with_shapes=True)
    assert [shape.name for shape in model.links[0].visuals] == ["left", "right"]
    assert [shape.name for shape in model.links[0].collisions] == ["ghost"]


def test_modifiers_count(scene, build):
    """The mesh is weighed as it is seen, with its modifiers."""
    cube = build.cube()
    array = cube.modifiers.new("Array", "ARRAY")
    array.count = 3
    build.tag(cube)
    assert read_one(scene).mass == pytest.approx(24000.0)


def test_open_mesh(scene, build):
    """An open mesh is weighed by its convex hull, and the user is told so."""
    cube = build.cube()
    cube.data.clear_geometry()
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    cube.data.from_pydata(corners, [], [(0, 1, 3, 2)])
    build.tag(cube)
    assert read_one(scene).mass == pytest.approx(8000.0)
    assert "convex hull" in link(cube).mass_note


def test_mixed_normals(scene, build):
    """A face turned inside out does not change the mass."""
    cube = build.cube()
    cube.data.polygons[0].flip()
    cube.data.update()
    build.tag(cube)
    assert read_one(scene).mass == pytest.approx(8000.0)
    assert "normals" in link(cube).mass_note


def test_inside_out(scene, build):
    """A mesh whose normals all point inward weighs as much as any other."""
    cube = build.cube()
    cube.data.flip_normals()
    cube.data.update()
    build.tag(cube)
    assert read_one(scene).mass == pytest.approx(8000.0)


def test_flat_mesh(scene, build):
    """A plane cannot be weighed: the error names it and says what to do."""
    bpy.ops.mesh.primitive_plane_add()
    build.tag(bpy.context.object)
    with pytest.raises(ModelError, match=r"'Plane' cannot be weighed.*Custom"):
        read_scene(scene)


def test_link_without_a_mesh(scene, build):
    """An Empty becomes a link with a mass of its own, as nothing can be weighed."""
    bpy.ops.object.empty_add()
    build.tag(bpy.context.object)
    assert link(bpy.context.object).mass_source == "CUSTOM"
    assert read_one(scene).mass == 1.0


def test_typed_numbers_stay_as_typed(scene, build):
    """Blender's single precision does not show: 1.7 kg is 1.7 kg in the model."""
    cube = build.cube()
    build.tag(cube)
    link(cube).mass_source = "CUSTOM"
    link(cube).mass = 1.7
    link(cube).com = (0.1, 0.2, 0.3)
    found = read_one(scene)
    assert (found.mass, found.com) == (1.7, (0.1, 0.2, 0.3))


def test_density_updates_the_mass_shown(build):
    """Changing the density changes the mass in the panel at once."""
    cube = build.cube()
    build.tag(cube)
    link(cube).density = 500.0
    assert link(cube).mass_shown == pytest.approx(4000.0)


def test_unit_scale(scene, build):
    """In a scene in centimetres a cube of 2 units weighs 8 grams per g/cm^3, and lengths come out in metres."""
    scene.unit_settings.scale_length = 0.01
    build.tag(build.cube(location=(100.0, 0.0, 0.0)))
    found = read_one(scene)
    assert found.mass == pytest.approx(8e-3)
    assert found.pose[0] == pytest.approx(1.0)
    assert found.inertia[0] == pytest.approx(8e-3 * 4e-4 / 6.0)


def test_nothing_selected(build):
    """With nothing selected the button is grey and says why."""
    build.cube()
    build.select()
    with pytest.raises(RuntimeError, match="Select the objects"):
        bpy.ops.limberjack.link_tag()


def test_links_come_in_the_order_of_their_names(scene, build):
    """Order of creation does not show in the model."""
    for name in ("b", "c", "a"):
        build.tag(build.cube(name))
    assert [item.name for item in read_scene(scene).links] == ["a", "b", "c"]


def test_changing_scale_is_refused(scene, build):
    """A link whose size is animated is no rigid body."""
    cube = build.cube()
    build.tag(cube)
    cube.keyframe_insert("scale", frame=1)
    cube.scale = (2.0, 2.0, 2.0)
    cube.keyframe_insert("scale", frame=10)
    with pytest.raises(ModelError, match="changes its size"):
        read_scene(scene)


def test_untag(scene, build):
    """Untagging makes it an ordinary object again, and tells which joints lose a link."""
    cube = build.cube()
    build.tag(cube)
    build.select(cube)
    bpy.ops.limberjack.link_untag()
    assert not read_scene(scene).links


def key_scale(obj):
    for frame, size in ((1, 1.0), (10, 2.0)):
        obj.scale = (size, size, size)
        obj.keyframe_insert("scale", frame=frame)


def drive_scale(obj):
    obj.driver_add("scale", 0).driver.expression = "frame"


def play_scale(obj):
    key_scale(obj)
    data = obj.animation_data
    data.nla_tracks.new().strips.new("strip", 1, data.action)
    data.action = None


@pytest.mark.parametrize("change", [key_scale, drive_scale, play_scale])
def test_changing_scale_of_a_carrier_is_refused(scene, build, change):
    """What carries a link would change its size too, so the model would depend on the frame."""
    cube, holder, top = build.cube(), build.cube("holder"), build.cube("top")
    cube.parent, holder.parent = holder, top
    build.tag(cube)
    change(top)
    with pytest.raises(ModelError, match="object 'top' changes its size in its animation, and it carries link 'Cube'"):
        read_scene(scene)


def test_driven_scale_is_refused(scene, build):
    """A driver changes the size of a link as keys do."""
    cube = build.cube()
    build.tag(cube)
    drive_scale(cube)
    with pytest.raises(ModelError, match="link 'Cube' changes its size"):
        read_scene(scene)


def test_tagging_what_has_no_size(scene, build):
    """A scale of zero is refused before any of the selected objects becomes a link."""
    good, flat = build.cube("good"), build.cube("flat", scale=(1.0, 1.0, 0.0))
    with pytest.raises(RuntimeError, match="'flat' has a scale of zero") as caught:
        build.tag(flat, good)
    assert "Traceback" not in str(caught.value)
    assert not link(good).is_link
    assert not link(flat).is_link
    assert not link(good).rest_pose


def test_shapes_on_a_bone(scene, build):
    """A mesh on a bone moves against the armature: the error names it; what is no shape may hang there."""
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    shell, hand, lamp = build.cube("shell"), build.cube("hand"), bpy.data.objects.new("lamp", None)
    scene.collection.objects.link(lamp)
    for obj in (hand, lamp):
        obj.parent, obj.parent_type, obj.parent_bone = rig, "BONE", rig.pose.bones[0].name
    shell.parent = hand
    build.tag(rig)
    with pytest.raises(ModelError, match=r"'hand' is a shape of link 'Armature' but hangs on a bone .*: parent it to"):
        read_scene(scene)
    shell.parent, hand.parent_type = None, "OBJECT"
    assert link(rig).is_link
    link(rig).mass_source = "DENSITY"
    assert read_one(scene).mass == pytest.approx(8000.0)


def test_children_are_looked_up_once(scene, build, monkeypatch):
    """Blender searches the whole file for an object's children, so that asking each object takes quadratic time."""

    def children(obj):
        raise AssertionError(f"'{obj.name}' was searched for")

    base, child = build.cube("base"), build.cube("child", (5.0, 0.0, 0.0))
    child.parent = base
    monkeypatch.setattr(bpy.types.Object, "children", property(children))
    build.tag(base)
    assert len(read_scene(scene, with_shapes=True).links[0].visuals) == 2


def test_untagging_a_baked_link(scene, build):
    """The bake goes with the link, since nothing could take it off an object that is no link."""
    bars, _ = build.pendulum(2)
    before = [tuple(row) for row in bars[1].matrix_world]
    bpy.ops.limberjack.simulate()
    scene.frame_set(20)
    build.select(bars[1])
    bpy.ops.limberjack.link_untag()
    bpy.context.view_layer.update()
    assert bars[1].animation_data is None
    assert [tuple(row) for row in bars[1].matrix_world] == before
    assert bars[0].animation_data.action
    bpy.ops.limberjack.bake_clear()
    assert not bpy.data.actions


@pytest.mark.parametrize("source", ["DENSITY", "CUSTOM"])
def test_damping_and_gravity_of_a_link(scene, build, source):
    """Both are read wherever the mass comes from, shown in the panel, and act: a balloon stays, thick air brakes."""
    cube = build.cube()
    build.tag(cube)
    assert {"linear_damping", "angular_damping", "gravity"} <= set(draw(cube).props)
    settings = link(cube)
    found = read_scene(scene).links[0]
    assert (found.linear_damping, found.angular_damping, found.gravity) == (0.0, 0.0, True)
    settings.mass_source = source
    settings.linear_damping, settings.angular_damping = 0.5, 0.25
    found = read_scene(scene).links[0]
    assert (found.linear_damping, found.angular_damping, found.gravity) == (0.5, 0.25, True)
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    scene.frame_set(24)
    time = 23 / 24
    fallen = 9.81 / 0.5 * (time - (1.0 - math.exp(-0.5 * time)) / 0.5)
    assert cube.matrix_world.translation.z == pytest.approx(-fallen, rel=1e-3)
    settings.gravity = False
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    scene.frame_set(24)
    assert tuple(cube.matrix_world.translation) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
