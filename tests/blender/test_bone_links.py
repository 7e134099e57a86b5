# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as links and joints: what a scene with them is read as, against objects and against Blender's matrices."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from limberjack.addon.bridge.joints.frames import store_frames
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.naming import node_named
from limberjack.addon.props import is_joint, is_link
from limberjack.addon.props.members import has_joints, has_links, joints_in, links_in
from limberjack.core.geometry import Capsule
from limberjack.core.kinematics import tree_poses
from limberjack.core.simulation import Simulation
from support.models import dump

from .conftest import joint, link
from .rigs import armature, chain, hang_up, in_mode, select_bones, tag

NUMBERS = {"mass": 1.7, "com": (0.02, 0.5, -0.01), "inertia": (0.2, 0.01, 0.0, 0.05, 0.0, 0.21)}
"""Mass [kg], centre of mass [m] and inertia [kg m^2] of each link of the pendulums that are compared."""


def weigh(node):
    """Give a link the numbers above, and let it pass through all others."""
    settings = link(node)
    settings.mass_source, settings.collides = "CUSTOM", False
    for name, value in NUMBERS.items():
        setattr(settings, name, value)


def motion(scene):
    """Poses of the links, sorted by name without the armature's, over a second, shape (L, F, 7)."""
    model = read_scene(scene)
    run = Simulation(model, np.linspace(0.0, 1.0, 25), accuracy="exact").run()
    order = sorted(range(len(model.links)), key=lambda number: model.links[number].name.rpartition(":")[2])
    return run.X_WL[0, :, order] if run.X_WL.ndim == 4 else run.X_WL[:, order]


def frame_of(name, x_of_head):
    """An Empty that is a link at the head of a bone along y, 2 m high."""
    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = (0.0, x_of_head, 2.0)
    bpy.context.view_layer.update()
    return obj


def hinge_about_x(node):
    joint(node).type = "revolute"
    joint(node).axes[0].xyz = (1.0, 0.0, 0.0)


def join_by_empty(child, parent, X_PJ):
    """A joint of its own object, whose frame is that of the child."""
    obj = bpy.data.objects.new(f"{child.name}_joint", None)
    bpy.context.scene.collection.objects.link(obj)
    settings = joint(obj)
    settings.is_joint = True
    settings.parent_node, settings.child_node = parent, child
    hinge_about_x(obj)
    store_frames(obj, X_PJ, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    return obj


def at(y, z=0.0):
    return (0.0, y, z, 1.0, 0.0, 0.0, 0.0)


def pendulum_of_objects(scene, build):
    links = [frame_of(f"b{number}", float(number)) for number in range(2)]
    build.tag(*links)
    for obj in links:
        weigh(obj)
    join_by_empty(links[0], None, at(0.0, 2.0))
    join_by_empty(links[1], links[0], at(1.0))
    return motion(scene)


def test_a_pendulum_of_bones_moves_as_one_of_objects(scene, build):
    """Guards frames, inertias and names of bones: the same numbers give the same motion, to the last digits."""
    expected = pendulum_of_objects(scene, build)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bones = tag(chain())
    for bone in bones:
        weigh(bone)
        hinge_about_x(bone)
    hang_up(bones[0])
    found = motion(bpy.context.scene)
    assert np.ptp(expected[..., 2]) > 0.5
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("above", ["bone", "object"])
def test_bones_and_objects_are_joined_with_each_other(scene, build, above):
    """Guards chains of both kinds: a chosen parent is used, and the motion is that of a chain of objects."""
    expected = pendulum_of_objects(scene, build)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    (rig,) = [chain()]
    (bone,) = tag(rig, "b0" if above == "bone" else "b1")
    obj = frame_of("b1" if above == "bone" else "b0", 1.0 if above == "bone" else 0.0)
    build.tag(obj)
    weigh(bone)
    weigh(obj)
    hinge_about_x(bone)
    if above == "bone":
        hang_up(bone)
        join_by_empty(obj, bone, at(1.0))
    else:
        joint(bone).parent_node = obj
        join_by_empty(obj, None, at(0.0, 2.0))
    bpy.context.view_layer.update()
    ends = {(item.parent, item.child) for item in read_scene(scene).joints}
    assert ends == ({("world", "Rig:b0"), ("Rig:b0", "b1")} if above == "bone" else {("world", "b0"), ("b0", "Rig:b1")})
    np.testing.assert_allclose(motion(scene), expected, rtol=0.0, atol=1e-9)


def test_the_parent_is_the_nearest_link_above(scene, build):
    """Guards the tree of bones: untagged bones are skipped, and what carries the armature, be it a bone, comes next."""
    body = chain(3, "Body")
    hand = chain(2, "Hand")
    tag(body, "b0", "b2")
    tag(hand)
    assert [(item.parent, item.child) for item in read_scene(scene).joints] == [
        ("Body:b0", "Body:b2"),
        ("Hand:b0", "Hand:b1"),
    ]
    hand.parent, hand.parent_type, hand.parent_bone = body, "BONE", "b2"
    bpy.context.view_layer.update()
    assert ("Body:b2", "Hand:b0") in {(item.parent, item.child) for item in read_scene(scene).joints}


def test_tagging_makes_links_with_joints(scene):
    """Guards Tag as Links in Pose Mode: selected bones only, with ball joints, and a root that is free."""
    rig = chain(3)
    made = tag(rig, "b0", "b1")
    assert [is_link(bone) for bone in rig.pose.bones] == [True, True, False]
    assert [bone.name for bone in made if is_joint(bone)] == ["b1"]
    assert joint(made[1]).type == "ball"
    assert (links_in(scene), joints_in(scene)) == (made, [made[1]])
    hang_up(made[0])
    assert joints_in(scene) == made
    select_bones(rig, "b0")
    assert bpy.ops.limberjack.link_untag() == {"FINISHED"}
    assert (links_in(scene), joints_in(scene)) == ([made[1]], [])
    assert has_links(scene)
    assert not has_joints(scene), "the joint of the only bone that is left does not act"


def test_tagging_is_one_step(scene):
    """Guards one step of undo: links and joints of all bones are gone together."""
    select_bones(chain(3))
    bpy.ops.ed.undo_push(message="Made")
    assert bpy.ops.limberjack.link_tag("EXEC_DEFAULT", True) == {"FINISHED"}
    assert (len(links_in(scene)), len(joints_in(scene))) == (3, 2)
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert (links_in(scene), joints_in(scene)) == ([], [])


def scaled_to_zero(rig):
    rig.pose.bones["b1"].scale = (0.0, 1.0, 1.0)


def mirrored(rig):
    rig.scale = (-1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (scaled_to_zero, "bone 'Rig:b1' is scaled to zero: give it a size in all three directions"),
        (mirrored, "is mirrored by a negative scale: reset the scale of the bones of 'Rig'"),
    ],
)
def test_bones_that_cannot_be_links_are_refused(scene, spoil, words):
    """Guards bones of no size and mirrored ones: one sentence says what to do, and they stay as they were."""
    rig = chain()
    spoil(rig)
    bpy.context.view_layer.update()
    select_bones(rig, "b1")
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.limberjack.link_tag()
    assert not links_in(scene)


def test_linked_bones_are_refused(scene, tmp_path):
    """Guards bones of a library: what is stored on them would be lost with the file."""
    path = str(tmp_path / "rig.blend")
    bpy.data.libraries.write(path, {chain()})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    rig = wanted.objects[0]
    bpy.context.scene.collection.objects.link(rig)
    from limberjack.addon.bridge.links.tagging import obstacle_to_tagging

    assert obstacle_to_tagging(rig.pose.bones["b0"]).startswith(
        "bone 'Rig:b0' comes from the library 'rig.blend', and what is changed of it here is not saved"
    )


def test_edit_mode_is_refused(scene):
    """Guards Edit Mode, in which bones have no poses."""
    in_mode(chain(), "EDIT")
    assert not bpy.ops.limberjack.link_tag.poll()
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_armatures_of_any_size_and_place(scene, scale):
    """Guards armatures that are scaled, turned and parented: links are where Blender draws the bones, and as large."""
    rig = chain(3, tail=(0.3, 0.8, 0.5))
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    holder.location, holder.rotation_euler = (1.0, -2.0, 0.5), (0.4, -0.2, 1.0)
    rig.parent, rig.scale, rig.rotation_euler = holder, (scale,) * 3, (0.3, 0.2, -0.9)
    for number, bone in enumerate(rig.pose.bones):
        bone.rotation_mode, bone.rotation_euler = "XYZ", (0.3 * number, 0.1, -0.2)
    bpy.context.view_layer.update()
    model = (tag(rig), read_scene(scene, with_shapes=True))[1]
    length = scale * math.sqrt(0.3**2 + 0.8**2 + 0.5**2)
    assert [item.name for item in model.links] == ["Rig:b0", "Rig:b1", "Rig:b2"]
    initial = tree_poses(model, model.home())
    for item, bone in zip(model.links, rig.pose.bones, strict=True):
        pose = initial[item.name]
        drawn = rig.matrix_world @ bone.matrix
        reach = max(1.0, *np.abs(drawn.translation))
        np.testing.assert_allclose(pose[:3], drawn.translation, atol=2e-6 * reach)
        turn = drawn.to_3x3().normalized().to_quaternion()
        assert abs(np.dot(pose[3:], turn)) == pytest.approx(1.0, abs=1e-6)
        (shape,) = item.collisions
        assert shape.geometry == Capsule(pytest.approx(length / 10.0, 1e-6), pytest.approx(0.8 * length, 1e-6))
        volume = math.pi * (length / 10.0) ** 2 * (0.8 * length + 4.0 / 3.0 * length / 10.0)
        assert item.mass == pytest.approx(1000.0 * volume, rel=1e-5)
        np.testing.assert_allclose(item.com, (0.0, length / 2.0, 0.0), rtol=1e-6, atol=1e-12)


def test_objects_on_a_bone_are_its_shape(scene, build):
    """Guards objects that hang on a bone, and what these carry: they are weighed and collide, in place of a capsule."""
    rig = chain(2)
    bpy.context.view_layer.update()
    cube, knob = build.cube("cube", (0.3, 0.6, 2.1), size=0.4), build.cube("knob", (0.3, 0.6, 2.4), size=0.2)
    for child, parent, bone in ((cube, rig, "b0"), (knob, cube, "")):
        stands = child.matrix_world.copy()
        child.parent, child.parent_type, child.parent_bone = parent, "BONE" if bone else "OBJECT", bone
        bpy.context.view_layer.update()
        child.matrix_world = stands
        bpy.context.view_layer.update()
    tag(rig)
    links = {item.name: item for item in read_scene(scene, with_shapes=True).links}
    assert [shape.name for shape in links["Rig:b0"].visuals] == ["cube", "knob"]
    assert links["Rig:b0"].mass == pytest.approx(1000.0 * (0.4**3 + 0.2**3), rel=1e-5)
    middle = (0.4**3 * np.array((0.3, 0.6, 0.1)) + 0.2**3 * np.array((0.3, 0.6, 0.4))) / (0.4**3 + 0.2**3)
    np.testing.assert_allclose(links["Rig:b0"].com, middle, atol=1e-6)
    assert isinstance(links["Rig:b1"].collisions[0].geometry, Capsule)


def test_the_model_does_not_depend_on_the_frame(scene):
    """Guards rigs with animation: keys of bones, of the armature and of its parent leave the model as it was drawn."""
    rig = chain(3)
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    rig.parent = holder
    tag(rig)
    before = dump(read_scene(scene, with_shapes=True))
    for frame, angle in ((1, 0.3), (20, -0.8)):
        rig.pose.bones["b1"].rotation_mode = "XYZ"
        rig.pose.bones["b1"].rotation_euler.x = angle
        rig.pose.bones["b1"].keyframe_insert("rotation_euler", frame=frame)
        rig.location.x = holder.location.z = angle
        rig.keyframe_insert("location", frame=frame)
        holder.keyframe_insert("location", frame=frame)
    for frame in (1, 8, 20):
        scene.frame_set(frame)
        assert dump(read_scene(scene, with_shapes=True)) == before


def test_a_bone_rests_on_the_ground(scene):
    """Guards contact of bones: a free bone falls, and its capsule comes to rest a radius above the ground."""
    tag(chain(1))
    scene.limberjack.ground = True
    model = read_scene(scene)
    assert isinstance(model.link("Rig:b0").collisions[0].geometry, Capsule)
    run = Simulation(model, np.linspace(0.0, 2.0, 49)).run()
    number = [item.name for item in model.links].index("Rig:b0")
    assert run.X_WL[..., number, 2].ravel()[-1] == pytest.approx(0.1, abs=2e-3)


def test_a_posed_bone_is_an_edit(scene):
    """Guards bones that nothing animates: the model is as they are posed, as with objects."""
    rig = chain(2)
    bones = tag(rig)
    bones[0].rotation_mode, bones[0].rotation_euler = "XYZ", (math.pi / 2.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    found = read_scene(scene).links[1].pose
    np.testing.assert_allclose(found[:3], (0.0, 0.0, 3.0), atol=1e-6)


def test_names_with_colons_are_found(scene):
    """Guards names such as mixamorig:Hips, which contain the character between armature and bone."""
    rig = armature([("mixamorig:Hips", (0, 0, 0), (0, 1, 0), ""), ("Hips", (0, 1, 0), (0, 2, 0), "")], "man:1")
    tag(rig)
    for item in read_scene(scene).links:
        found = node_named(scene, item.name)
        assert f"man:1:{found.name}" == item.name
    assert node_named(scene, "man:1:Spine") is None
    assert node_named(scene, "man:1") == rig


def test_a_bone_that_is_added_by_a_copy_is_found(scene):
    """Guards the cache of links: bones that Edit Mode duplicates, renames and deletes."""
    rig = chain(2)
    tag(rig)
    assert len(links_in(scene)) == 2
    in_mode(rig, "EDIT")
    bpy.ops.armature.select_all(action="SELECT")
    bpy.ops.armature.duplicate()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(links_in(scene)) == 4
    rig.data.bones["b0"].name = "hip"
    assert {bone.name for bone in links_in(scene)} == {"hip", "b1", "b0.001", "b1.001"}
    in_mode(rig, "EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["b1.001"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert {bone.name for bone in links_in(scene)} == {"hip", "b1", "b0.001"}


def test_frames_follow_the_rotation_of_the_armature(scene):
    """Guards X_PJ of a bone's joint: it is the child's matrix in the parent's axes, and X_CJ is the identity."""
    rig = chain(2, tail=(0.3, 0.8, 0.5))
    rig.rotation_euler = (0.3, 0.2, -0.9)
    bones = tag(rig)
    (item,) = read_scene(scene).joints
    expected = bones[0].matrix.inverted() @ bones[1].matrix
    np.testing.assert_allclose(item.X_PJ[:3], expected.translation, atol=1e-6)
    assert abs(np.dot(item.X_PJ[3:], expected.to_quaternion())) == pytest.approx(1.0, abs=1e-6)
    assert item.X_CJ == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    assert Matrix(Euler((0.3, 0.2, -0.9)).to_matrix()).to_4x4() == rig.matrix_basis
