# SPDX-License-Identifier: GPL-3.0-or-later
"""The law: reading a scene at any frame, baked or not, gives the same model, byte for byte."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon.bridge.animation.motion_sources import starting_basis
from limberjack.addon.bridge.scene.read import read_scene
from support.models import dump

from .conftest import joint
from .test_posing import four_bar


def plain(scene, build):
    build.pendulum(3)


def floating(scene, build):
    """A free root, turned and scaled."""
    a = build.cube("a", (0.123, 4.567, 8.91), rotation_euler=(0.1, 0.2, 0.3), scale=(0.3, 0.7, 1.1))
    b = build.cube("b", (2.0, 4.0, 8.0), rotation_euler=(1.0, -0.5, 0.3))
    build.tag(a, b)
    build.join(b, a)


def parented(scene, build):
    """Each link below the last, with scale, and a floating tree."""
    bars, _ = build.pendulum(3)
    bpy.data.objects.remove(bpy.data.objects["bar0_joint"])
    for bar in bars:
        bar.scale = (0.7, 0.7, 0.7)
    for child, parent in ((bars[1], bars[0]), (bars[2], bars[1])):
        child.parent = parent
        child.matrix_parent_inverse = Matrix.Translation((0.3, 0.1, 0.2))
    bpy.context.view_layer.update()
    build.tag(*bars)


def with_children(scene, build):
    """Visuals below links, scaled and turned, and two separate floating bodies, one below the other."""
    a, b = build.cube("a", scale=(1.3, 1.3, 1.3)), build.cube("b", (5.0, 0.0, 1.0))
    c = build.cube("c", (1.0, 2.0, 3.0), rotation_euler=(0.4, 0.2, 0.1), scale=(0.3, 0.2, 0.1))
    for child in (b, c):
        child.parent = a
        child.matrix_parent_inverse = a.matrix_world.inverted()
    build.tag(a, b)


def with_a_spinning_child(scene, build):
    """A visual that turns on its link by the user's own keys."""
    bars, _ = build.pendulum(2)
    wheel = build.cube("wheel", size=0.2, rotation_euler=(0.1, 0.2, 0.3))
    wheel.delta_location = (0.1, 0.0, 0.3)
    wheel.parent = bars[1]
    for frame, angle in ((1, 0.3), (60, 5.0)):
        wheel.rotation_euler.z = angle
        wheel.keyframe_insert("rotation_euler", frame=frame)


def in_centimetres(scene, build):
    scene.unit_settings.scale_length = 0.01
    floating(scene, build)


def with_a_start(scene, build):
    _, joints = build.pendulum(2)
    joint(joints[0]).use_home = True
    joint(joints[0]).coordinates[0].home_angle = 0.7


def held_by_its_parent_link(scene, build):
    """A joint whose parent link hangs on its child link, which the world holds."""
    bars, joints = build.pendulum(2)
    bpy.data.objects.remove(joints[1])
    build.join(bars[0], bars[1])


def with_locked_axes(scene, build):
    """A joint of six axes, some of them locked away from zero."""
    _, joints = build.pendulum(2)
    settings = joint(joints[1])
    settings.type = "d6"
    settings.use_home = True
    for number in (0, 2, 4):
        settings.axes[number].locked = True
        settings.coordinates[number].home = 0.3


def key_values(scene, joints, *, at):
    """Keys on all joint values, with each joint of `joints` at a value of its own."""
    for frame, value in at:
        scene.frame_set(frame)
        for number, obj in enumerate(joints):
            joint(obj).coordinates[0].value_angle = value * (1.0 + number)
        bpy.ops.limberjack.pose_key(what="JOINTS")


def with_keyed_joints(scene, build):
    """A floating chain and one that hangs, whose joint values have keys."""
    _, joints = build.pendulum(3)
    bpy.data.objects.remove(joints[0])
    cube = build.cube("cube", (5.0, 0.0, 0.0))
    build.tag(cube)
    key_values(scene, [*joints[1:], build.join(cube)], at=((1, 0.1), (60, 0.9)))


def with_a_keyed_loop(scene, build):
    _, pins = four_bar(build)
    key_values(scene, [pins["a"]], at=((1, 0.0), (60, 0.5)))


def with_a_joint_moved_among_keys(scene, build):
    """A joint's Empty that was moved, and not settled yet, while keys of joint values move its links."""
    _, joints = build.pendulum(2)
    key_values(scene, joints, at=((1, 0.1), (60, 0.9)))
    scene.frame_set(30)
    joints[1].location.x += 0.2
    bpy.context.view_layer.update()


def with_keyed_links(scene, build):
    """Links that were posed, then keyed."""
    _, joints = build.pendulum(2)
    for frame, value in ((1, 0.2), (60, 0.7)):
        scene.frame_set(frame)
        joint(joints[1]).coordinates[0].value_angle = value
        bpy.ops.limberjack.pose_key(what="LINKS")


@pytest.mark.parametrize(
    "make",
    [
        plain,
        floating,
        parented,
        with_children,
        with_a_spinning_child,
        in_centimetres,
        with_a_start,
        held_by_its_parent_link,
        with_locked_axes,
        with_keyed_joints,
        with_a_keyed_loop,
        with_a_joint_moved_among_keys,
        with_keyed_links,
    ],
)
def test_same_model_at_any_frame(scene, build, make):
    """Frames 1, 57 and the last, before, after and after clearing the bake: one model."""
    make(scene, build)
    scene.frame_end = 80

    def readings():
        for frame in (1, 57, 80):
            scene.frame_set(frame)
            yield dump(read_scene(scene, with_shapes=True))

    before = set(readings())
    scene.frame_set(57)
    bpy.ops.limberjack.simulate(overwrite=True)
    baked = set(readings())
    bpy.ops.limberjack.bake_clear()
    assert len(before) == 1
    assert baked == before
    assert set(readings()) == before


def test_keys_by_hand_are_a_pose(scene, build):
    """Animation that the user made is no edit of the rig either."""
    bars, _ = build.pendulum(2)
    free = build.cube("free", (9.0, 0.0, 0.0))
    build.tag(free)
    before = dump(read_scene(scene))
    for obj in (*bars, free):
        obj.keyframe_insert("location", frame=1)
        obj.location = (7.0, 7.0, 7.0)
        obj.keyframe_insert("location", frame=20)
    for frame in (1, 10, 20):
        scene.frame_set(frame)
        assert dump(read_scene(scene)) == before


def test_animated_children_are_weighed_where_they_start(scene, build):
    """What is worked out from the keys is what Blender shows at the first of them, in every rotation mode."""
    base, wheel = build.cube("base"), build.cube("wheel", size=0.5)
    wheel.parent = base
    wheel.delta_location, wheel.delta_scale = (0.5, 0.1, 0.2), (1.0, 2.0, 3.0)
    wheel.delta_rotation_euler, wheel.delta_rotation_quaternion = (0.3, 0.2, 0.1), (0.9, 0.1, 0.2, 0.3)
    for mode, channel in (
        ("XZY", "rotation_euler"),
        ("QUATERNION", "rotation_quaternion"),
        ("AXIS_ANGLE", "rotation_axis_angle"),
    ):
        wheel.rotation_mode = mode
        wheel.rotation_axis_angle = (0.4, 0.1, 0.9, 0.2)
        wheel.rotation_quaternion = (0.5, 0.5, 0.1, -0.2)
        wheel.keyframe_insert(channel, frame=1)
        shown = np.array(wheel.matrix_basis)
        setattr(wheel, channel, [1.0] * len(getattr(wheel, channel)))
        wheel.keyframe_insert(channel, frame=20)
        scene.frame_set(15)
        assert starting_basis(wheel) == pytest.approx(shown, abs=1e-6), mode


def test_moving_a_still_root_is_an_edit(scene, build):
    """An object that nothing animates is where the user put it."""
    free = build.cube("free", (9.0, 0.0, 0.0))
    build.tag(free)
    free.location = (1.5, 0.0, 0.0)
    assert read_scene(scene).links[0].pose[:3] == (1.5, 0.0, 0.0)


def test_save_and_reopen(scene, build, tmp_path):
    """A saved file holds the same model and the same bake."""
    build.pendulum(3)
    bpy.ops.limberjack.simulate()
    scene.frame_set(20)
    before = dump(read_scene(scene, with_shapes=True))
    place = tuple(bpy.data.objects["bar2"].matrix_world.translation)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert dump(read_scene(bpy.context.scene, with_shapes=True)) == before
    assert tuple(bpy.data.objects["bar2"].matrix_world.translation) == place
    bpy.ops.limberjack.bake_clear()
    assert dump(read_scene(bpy.context.scene, with_shapes=True)) == before


def test_renaming_after_the_bake(scene, build):
    """A baked scene whose links are renamed still simulates, bakes and clears."""
    bars, _ = build.pendulum(2)
    bpy.ops.limberjack.simulate()
    bars[1].name = "arm"
    bpy.ops.limberjack.simulate()
    assert len(bpy.data.actions) == 1
    bpy.ops.limberjack.bake_clear()
    assert not bpy.data.actions
