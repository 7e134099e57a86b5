# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated characters that push links: their kinematic bones against kinematic objects of the same shapes."""

import bpy
import numpy as np
import pytest

from limberjack.addon import preview as previews
from limberjack.addon.bridge.animation.motion_sources import is_animated
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core.model import ModelError

from .baked import bake
from .bone_rig import pose_of
from .conftest import joint, link
from .rigs import armature, chain, tag

LEG = (
    ("hips", (0.0, 0.0, 1.0), (0.0, 0.3, 1.0), ""),
    ("thigh", (0.0, 0.0, 1.0), (0.0, 0.05, 0.55), "hips"),
    ("shin", (0.0, 0.05, 0.55), (0.0, 0.0, 0.1), "thigh"),
    ("arm", (0.0, 0.0, 1.3), (0.5, 0.0, 1.3), "hips"),
    ("hand", (0.5, 0.0, 1.3), (0.8, 0.0, 1.3), "arm"),
    ("goal", (0.0, 0.0, 0.1), (0.0, 0.2, 0.1), ""),
)


@pytest.fixture
def walker(scene):
    """An armature that walks: keyed hips, a leg that inverse kinematics moves, an arm that a driver turns."""
    rig = armature(LEG)
    bones = rig.pose.bones
    for frame, y, z in ((1, 0.0, 0.0), (8, 0.25, 0.1), (16, 0.6, 0.0), (24, 0.7, 0.0)):
        bones["goal"].location = (0.0, y, z)
        bones["goal"].keyframe_insert("location", frame=frame)
        bones["hips"].location = (0.0, 0.4 * y, -0.02)
        bones["hips"].keyframe_insert("location", frame=frame)
    constraint = bones["shin"].constraints.new("IK")
    constraint.target, constraint.subtarget, constraint.chain_count = rig, "goal", 2
    bones["arm"].rotation_mode = "XYZ"
    turn = bones["arm"].driver_add("rotation_euler", 2).driver
    turn.type, turn.expression = "SCRIPTED", "frame * 0.04 - 0.6"
    scene.frame_set(1)
    return rig


def stack(build):
    """Boxes that lean on each other in the way of leg and hand, on a floor."""
    boxes = [build.tagged_cube(f"box{i}", (0.02 * i, 0.42, 0.1 + 0.2 * i), 0.2) for i in range(4)]
    boxes.append(build.tagged_cube("far", (0.6, 0.35, 1.3), 0.2))
    return boxes


MOVED = ("hips", "thigh", "shin", "arm", "hand")


def kinematic_bones(rig):
    found = tag(rig, *MOVED)
    for bone in found:
        link(bone).motion = "KINEMATIC"
        joint(bone).is_joint = False
    return found


def kinematic_objects(rig):
    """Empties as links, at the bones by constraints.

    A parent would add the rounding of another matrix product in single precision.
    """
    for name in MOVED:
        holder = bpy.data.objects.new(f"Rig {name}", None)
        bpy.context.scene.collection.objects.link(holder)
        follow = holder.constraints.new("COPY_TRANSFORMS")
        follow.target, follow.subtarget = rig, name
        settings = link(holder)
        settings.is_link, settings.motion, settings.mass_source = True, "KINEMATIC", "CUSTOM"
    bpy.context.view_layer.update()


def poses_of_boxes(run, boxes):
    """Poses of boxes, shape (F, boxes, 7)."""
    return np.stack([run.trajectory.link(box.name) for box in boxes], axis=1)


def test_bones_push_as_objects_do(scene, build, walker):
    """Guards animated characters: keys, inverse kinematics and drivers of bones move what they hit exactly as kinematic
    objects of the same shapes and masses that follow the same bones."""
    boxes = stack(build)
    scene.limberjack.contact = scene.limberjack.ground = True
    bones = kinematic_bones(walker)
    run = bake(scene)
    found = poses_of_boxes(run, boxes)
    links = {item.name.replace("Rig:", "Rig "): item for item in run.reading.model.links}
    bpy.ops.limberjack.bake_clear()
    for bone in bones:
        link(bone).is_link = False
    kinematic_objects(walker)
    reading = scan_scene(scene)
    for item in reading.model.links:  # also their masses, on which the stiffness of contacts depends
        for field in ("collisions", "mass", "com", "inertia"):
            setattr(item, field, getattr(links[item.name], field))
    expected = poses_of_boxes(bake(scene, reading=reading), boxes)
    assert np.ptp(expected, axis=0)[:, :3].max(axis=1).min() > 0.01, "a box is not pushed"
    np.testing.assert_array_equal(found, expected)


def test_bones_in_a_chain_are_animated(walker):
    """Guards the thigh, which has no keys: inverse kinematics of the shin moves it, so it is not held in the world."""
    assert is_animated(walker.pose.bones["thigh"])
    constraint = walker.pose.bones["shin"].constraints[0]
    constraint.influence = 0.0
    walker.animation_data.action = None
    assert not is_animated(walker.pose.bones["thigh"])
    constraint.keyframe_insert("influence", frame=1)
    constraint.influence = 1.0
    constraint.keyframe_insert("influence", frame=24)
    bpy.context.scene.frame_set(1)
    assert constraint.influence == 0.0
    assert is_animated(walker.pose.bones["thigh"]), "inverse kinematics that is switched on later"


def test_the_model_of_a_chain_does_not_depend_on_the_frame(scene, walker):
    """Guards bones that inverse kinematics moves: they are read where they were tagged, at each frame."""
    kinematic_bones(walker)
    poses = []
    for frame in (1, 12, 24):
        scene.frame_set(frame)
        poses.append({item.name: item.pose for item in scan_scene(scene).model.links})
    assert poses[0] == poses[1] == poses[2]


def test_free_bones_start_as_the_animation_moves_them(scene, walker):
    """Guards Start From: Animation below kinematic bones: a free hand starts as its keys turn it, and then
    hangs on its arm, which a driver moves."""
    kinematic_bones(walker)
    (hand,) = tag(walker, "hand")
    link(hand).motion, hand.rotation_mode = "FREE", "XYZ"
    for frame, angle in ((1, 0.0), (25, 1.0)):
        hand.rotation_euler.x = angle
        hand.keyframe_insert("rotation_euler", index=0, frame=frame)
    for curve in fcurves_of(hand):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    scene.limberjack.bake.start = "KEYS"
    trajectory = bake(scene, overwrite=True).trajectory
    rates = trajectory.qd[0, list(trajectory.joints["Rig:hand"][1])]
    np.testing.assert_allclose(rates, (1.0, 0.0, 0.0), atol=1e-3)
    moved = trajectory.link("Rig:hand")
    for frame in (1, 9, 24):
        tail = pose_of(scene, walker, "arm", frame) @ (0.0, walker.data.bones["arm"].length, 0.0, 1.0)
        np.testing.assert_allclose(moved[frame - 1, :3], tail[:3], atol=1e-5)


def test_kinematic_bones_do_not_collide_with_each_other(scene, build, walker):
    """Guards characters whose bones overlap at rest and collide with their own machine: they touch the boxes only, the
    motion is finite, and nothing is told of them as overlapping."""
    boxes = stack(build)
    for frame in (1, 8, 16, 24):  # the character stands
        walker.pose.bones["hips"].keyframe_delete("location", frame=frame)
    for bone in kinematic_bones(walker):
        link(bone).bone_radius, link(bone).self_collide = 0.2, True
    scene.limberjack.contact = scene.limberjack.ground = True
    run = bake(scene)
    contacts = run.trajectory.contacts
    bones = {name for name in run.trajectory.link_names if name.startswith("Rig:")}
    touching = [
        (first in bones, second in bones) for first, second in zip(contacts.first, contacts.second, strict=True)
    ]
    assert (True, False) in touching or (False, True) in touching, "no bone touches a box"
    assert (True, True) not in touching
    assert np.abs(run.trajectory.X_WL[:, [run.trajectory.link_names.index(box.name) for box in boxes], :3]).max() < 5.0
    forget_rigs()
    told = [each.message for each in show_rig(scene).problems if each.code in ("overlapping", "many-overlapping")]
    told += [each.message for each in run.diagnose() if each.code == "overlapping-start" and "Rig:" in each.subject]
    assert not [message for message in told if "Rig:" in message], told


def test_a_kinematic_bone_cannot_hang_on_a_simulated_one(scene):
    """Guards colliders below free bones: what they are carried by moves them, so a bake and Play name the bone and the
    remedy, also if it has no keys."""
    rig = chain(3)
    tag(rig)
    link(rig.pose.bones["b2"]).motion = "KINEMATIC"
    told = "link 'Rig:b2' is to move as it is animated, but hangs on link 'Rig:b1', which is simulated: let it be Free"
    with pytest.raises(RuntimeError, match=told):
        bpy.ops.limberjack.simulate()
    with pytest.raises(ModelError, match=told):
        previews.begin(scene)
