# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of the settings of bones that simulations follow: made in the panels, and followed as those of objects."""

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.animation.animated import animated_inputs, is_followed
from limberjack.addon.nodes.animation import animation_at, fcurves_of
from limberjack.addon.props.settings import data_path_of

from .conftest import joint, link
from .paper import draw
from .rigs import chain, hang_up, in_mode, tag
from .test_bone_links import at, frame_of, hinge_about_x, join_by_empty, weigh

FOLLOWED = {
    *("limberjack_link.animated", "limberjack_link.force", "limberjack_link.torque"),
    *("limberjack_joint.enabled", "limberjack_joint.drive_strength"),
    *(f"limberjack_joint.axes[0].{name}" for name in ("damping", "drive_target_angle", "drive_stiffness")),
    *(f"limberjack_joint.axes[0].{name}" for name in ("drive_damping", "effort")),
}
"""Settings that simulations follow on a bone with a driven hinge, by their data paths from the bone."""


@pytest.fixture
def bone(scene):
    """The second of two bones, a driven hinge, active in Pose Mode."""
    rig = chain()
    tag(rig)
    bone = rig.pose.bones["b1"]
    hinge_about_x(bone)
    joint(bone).axes[0].drive_mode = "position"
    in_mode(rig, "POSE")
    rig.data.bones.active = rig.data.bones["b1"]
    yield bone
    in_mode(rig, "OBJECT")


def dots(rig) -> list[str]:
    """Return the data paths of the settings that have a dot."""
    return [button.path for name, button in draw(rig).filled_in if name == ids.OP_SETTING_KEY]


def test_settings_that_simulations_follow_have_a_dot(bone):
    """Guards the only way to key settings of bones in the window: Blender's own dots and I do nothing there."""
    paths = {path.removeprefix('pose.bones["b1"].') for path in dots(bone.id_data)}
    assert paths == FOLLOWED


def test_a_dot_inserts_and_deletes_keys(scene, bone):
    """Guards a click on each dot: keys at this frame, which Blender plays, and after another click, none."""
    rig, set_at = bone.id_data, {1: 0.25, 11: 0.75}
    for path in dots(rig):
        *_, last = rig.path_resolve(path) if path.endswith(("force", "torque")) else (rig.path_resolve(path),)
        for frame, value in set_at.items():
            scene.frame_set(frame)
            owner, _, name = path.rpartition(".")
            new = frame > 1 if isinstance(last, bool) else (value,) * 3 if path.endswith(("force", "torque")) else value
            setattr(rig.path_resolve(owner), name, new)
            assert bpy.ops.limberjack.setting_key(path=path) == {"FINISHED"}
            assert animation_at(rig, path, frame).is_keyed
        assert not animation_at(rig, path, 5.0).is_keyed
        scene.frame_set(1)
        before = np.array(rig.path_resolve(path), dtype=float)
        scene.frame_set(11)
        assert (before != np.array(rig.path_resolve(path), dtype=float)).all(), path
    inputs = animated_inputs(scene)
    assert len(inputs) == len(FOLLOWED)
    assert all(map(is_followed, inputs))
    for frame in set_at:
        scene.frame_set(frame)
        for path in dots(rig):
            bpy.ops.limberjack.setting_key(path=path)
    assert list(fcurves_of(rig)) == []


def key(node, group, name, values):
    """Key a setting of a node by its data path, as values at frames."""
    owner = node if isinstance(node, bpy.types.Object) else node.id_data
    for frame, value in values.items():
        setattr(group, name, value)
        owner.keyframe_insert(data_path_of(group, name), frame=frame)


def swing(scene, links, joints):
    """Poses of two links, shape (F, 2, 7), that are pushed and driven by keys."""
    key(links[1], link(links[1]), "force", {1: (0.0, 0.0, 0.0), 12: (0.0, 9.0, 20.0), 24: (0.0, 0.0, 0.0)})
    axis = joint(joints[0]).axes[0]
    axis.drive_mode, axis.drive_stiffness, axis.drive_damping = "position", 30.0, 2.0
    key(joints[0], axis, "drive_target", {1: 0.0, 24: 1.5})
    key(joints[0], joint(joints[0]), "drive_strength", {1: 1.0, 24: 0.2})
    scene.frame_start, scene.frame_end = 1, 24
    bake = SimulationBake(scene)
    bake.run()
    return bake.trajectory.X_WL


def test_keys_of_bones_count_as_those_of_objects(scene, build):
    """Guards forces, targets and strengths that are keyed on bones: they act as those of objects do."""
    links = [frame_of(f"b{number}", float(number)) for number in range(2)]
    build.tag(*links)
    for obj in links:
        weigh(obj)
    joints = [join_by_empty(links[0], None, at(0.0, 2.0)), join_by_empty(links[1], links[0], at(1.0))]
    expected = swing(scene, links, joints)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bones = tag(chain())
    for bone in bones:
        weigh(bone)
        hinge_about_x(bone)
    hang_up(bones[0])
    found = swing(bpy.context.scene, bones, bones)
    assert np.ptp(expected[..., 2]) > 0.2
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


def test_drive_to_pose_keys_bones(scene, bone):
    """Guards Insert Keys of Drive to Pose, which keys the targets of bones at this frame."""
    rig = bone.id_data
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.limberjack.drive_to_pose(inserts_keys=True) == {"FINISHED"}
    path = 'pose.bones["b1"].limberjack_joint.axes[0].drive_target_angle'
    assert animation_at(rig, path, scene.frame_current).is_keyed
