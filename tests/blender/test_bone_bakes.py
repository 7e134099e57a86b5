# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of bones, compared with the trajectory in the matrices that Blender evaluates."""

import itertools

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from limberjack.addon import preview as previews
from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.baked_machines.displacement_problems import problems_of_machines
from limberjack.addon.bridge.baked_machines.machines import LEFT_BEHIND
from limberjack.addon.bridge.joints.bone_joints import add_bone_joint
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes import animation
from limberjack.core import cli as core_cli

from .baked import bake, show, turns_of, turns_of_poses
from .conftest import joint, link
from .test_cli import run as run_command

ACCURACY = 1e-5
"""Largest distance between a bone and the trajectory, relative to the size of the rig, and largest angle [rad]."""

NAMES = ("root", "upper", "middle", "lower", "tip")

SIZE = 4.0
"""Length of the rig with all of its bones [Blender units of the armature]."""


def armature(scene, name="Rig"):
    """An armature with a chain of bones with roll: connected ones, one that is offset, and one that is not tagged."""
    obj = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    root, upper, middle, lower, tip = (obj.data.edit_bones.new(each) for each in NAMES)
    places = {
        root: ((0.1, 0.0, 4.0), (0.8, 0.1, 4.1)),
        upper: ((0.8, 0.1, 4.1), (1.5, 0.3, 3.8)),
        middle: ((1.7, 0.2, 3.9), (2.3, 0.1, 3.9)),
        lower: ((2.3, 0.1, 3.9), (2.9, 0.0, 4.2)),
        tip: ((2.9, 0.0, 4.2), (3.4, -0.3, 4.3)),
    }
    for number, (bone, (head, tail)) in enumerate(places.items()):
        bone.head, bone.tail, bone.roll = head, tail, 0.5 * number - 0.8
    upper.parent, middle.parent, lower.parent, tip.parent = root, upper, middle, lower
    upper.use_connect = tip.use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def tag(obj, names=("root", "upper", "lower", "tip"), to_world=("root",)):
    """Tag bones as links with ball joints. Those of `to_world` hang on the world."""
    for name in names:
        bone = obj.pose.bones[name]
        link(bone).is_link = True
        add_bone_joint(bone)
        joint(bone).to_world = name in to_world
    bpy.context.view_layer.update()
    return [obj.pose.bones[name] for name in names]


def errors(scene, run, size):
    """How far, relative to the size of the rig, and how much turned [rad] the bones are, the worst of all frames."""
    names, X_WL = run.trajectory.link_names, run.trajectory.X_WL
    way = turned = 0.0
    assert len(names) > 0
    seen = np.empty((len(run.frames), len(names), 4, 4))
    for number, frame in enumerate(run.frames.tolist()):
        show(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for column, name in enumerate(names):
            owner, bone = name.split(":")
            shown = bpy.data.objects[owner].evaluated_get(depsgraph)
            seen[number, column] = np.array(shown.matrix_world, dtype=np.float64) @ shown.pose.bones[bone].matrix
    for column in range(len(names)):
        matrices = seen[:, column]
        scale = np.linalg.norm(matrices[:, :3, :3], axis=1)
        assert np.ptp(scale, axis=0).max() < 1e-5 * scale.max()
        way = max(way, np.abs(matrices[:, :3, 3] - X_WL[:, column, :3]).max() / size)
        apart = turns_of_poses(X_WL[:, column]).inv() * turns_of(matrices, scale[0])
        turned = max(turned, apart.magnitude().max())
    moved = np.abs(X_WL[:, :, :3] - X_WL[:1, :, :3]).max()
    assert moved > 0.05 * size, "nothing moves"
    return way, turned


def assert_exact(scene, run, size=SIZE):
    way, turned = errors(scene, run, size)
    assert max(way, turned) < ACCURACY, (way, turned)


def test_a_chain_of_bones_moves_as_simulated(scene):
    """Guards keys of bones with roll and offset, connected or not, with one between them that is not tagged."""
    tag(armature(scene))
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_every_rotation_mode_is_keyed_and_kept(scene, mode):
    """Guards keys in the rotation mode of each bone, which stays as it is."""
    bones = tag(armature(scene))
    for bone in bones:
        bone.rotation_mode = mode
    assert_exact(scene, bake(scene))
    assert {bone.rotation_mode for bone in bones} == {mode}
    keyed = {animation.path_in(bone, curve) for bone in bones for curve in animation.fcurves_of(bone)}
    assert len(keyed) == 2  # location of the root, which is not connected, and one kind of rotation


INHERITANCE = [*itertools.product(("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"), (0, 1), (0, 1))]


@pytest.mark.parametrize(("scale", "rotation", "location"), INHERITANCE)
def test_every_way_to_inherit_is_undone(scene, scale, rotation, location):
    """Guards keys of bones, and of those between them, that inherit rotation, scale or location only in part."""
    rig = armature(scene)
    for bone in rig.data.bones:
        bone.inherit_scale, bone.use_inherit_rotation = scale, bool(rotation)
        bone.use_local_location = bool(location)
    tag(rig)
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_an_armature_has_any_scale_place_and_parent(scene, scale):
    """Guards keys below an armature that is scaled, turned and parented to an object."""
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    holder.location, holder.rotation_euler = (1.0, -2.0, 0.5), (0.3, -0.2, 0.7)
    rig = armature(scene)
    rig.parent = holder
    rig.location, rig.rotation_euler, rig.scale = (0.5, 0.2, -0.3), (0.4, 0.1, -0.6), (scale, scale, scale)
    scene.gravity = (0.0, 0.0, -9.81 * scale)
    tag(rig)
    assert_exact(scene, bake(scene), SIZE * scale)


@pytest.mark.parametrize(("fps", "first"), [(24, 1), (30, 117), (60, 0)])
def test_any_frame_rate_and_start(scene, fps, first):
    """Guards keys at other frame rates, and from a frame in the middle of the timeline on."""
    scene.render.fps = fps
    scene.frame_start, scene.frame_end = first, first + fps
    tag(armature(scene))
    run = bake(scene)
    assert_exact(scene, run)
    assert list(run.frames[[0, -1]]) == [first, first + fps]


def test_reduced_keys_stay_within_their_tolerance(scene):
    """Guards the reduction of keys of bones: children compensate for the errors of their parents."""
    settings = scene.limberjack.bake
    settings.reduces, settings.distance, settings.angle = True, 1e-3, 1e-3
    tag(armature(scene))
    run = bake(scene)
    way, turned = errors(scene, run, 1.0)
    assert way < 1.1e-3
    assert turned < 1.1e-3


def curves_of(rig):
    return {
        (curve.data_path, curve.array_index): [
            (*point.co, *point.handle_left, *point.handle_right, point.interpolation) for point in curve.keyframe_points
        ]
        for curve in animation.fcurves_of(rig)
    }


def key_others(rig):
    """Give the armature an action of the user: keys of a bone that is no link, of a baked one, and of the armature."""
    bones = rig.pose.bones
    for frame, angle in ((1, 0.0), (10, 0.7), (24, -0.3)):
        bones["middle"].rotation_mode = "XYZ"
        bones["middle"].rotation_euler = (angle, 0.2 * angle, -angle)
        bones["middle"].keyframe_insert("rotation_euler", frame=frame, group="middle")
        bones["upper"].rotation_quaternion = (1.0, angle, 0.0, 0.0)
        bones["upper"].keyframe_insert("rotation_quaternion", frame=frame)
        rig.location.x = angle
        rig.keyframe_insert("location", index=0, frame=frame)
        bones["upper"]["stretch"] = angle
        bones["upper"].keyframe_insert('["stretch"]', frame=frame)
    scene = bpy.context.scene
    scene.frame_set(scene.frame_current)


def test_animation_of_other_bones_plays_on(scene):
    """Guards a user's action: keys of the armature and of a bone between baked ones play on, and are compensated."""
    rig = armature(scene)
    key_others(rig)
    before = curves_of(rig)
    tag(rig)
    assert_exact(scene, bake(scene, overwrite=True))
    after = curves_of(rig)
    kept = {key: keys for key, keys in before.items() if 'bones["upper"].rotation' not in key[0]}
    assert len(kept) == 5
    assert {key: after[key] for key in kept} == kept
    assert any("stretch" in path for path, _ in kept)


def dump(scene):
    """All that a bake of bones changes and Clear Bake restores."""
    found = {}
    for obj in scene.objects:
        data = obj.animation_data
        found[obj.name] = (
            [*itertools.chain(*obj.matrix_basis)],
            (data.action.name if data.action else "", data.action_slot.identifier if data.action_slot else "")
            if data
            else None,
            curves_of(obj),
        )
        for bone in obj.pose.bones if obj.pose else ():
            channels = [*bone.location, *bone.rotation_euler, *bone.rotation_quaternion, *bone.rotation_axis_angle]
            found[obj.name, bone.name] = [*channels, *bone.scale, bone.rotation_mode]
    found["actions"] = sorted(
        (action.name, action.use_fake_user, [slot.identifier for slot in action.slots], [*action.keys()])
        for action in bpy.data.actions
    )
    return found


@pytest.mark.parametrize("has_action", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_clear_bake_restores_action_slot_and_pose(scene, has_action, times):
    """Guards Clear Bake after one or two bakes: poses of bones, action, slot and the list of actions are as before."""
    rig = armature(scene)
    rig.pose.bones["lower"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    rig.pose.bones["middle"].location = (0.1, 0.0, 0.05)
    if has_action:
        key_others(rig)
    tag(rig)
    before = dump(scene)
    for _ in range(times):
        bake(scene, overwrite=True)
        scene.frame_set(17)
    assert dump(scene) != before
    scene.frame_set(1)
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    assert dump(scene) == before


def test_what_the_user_keys_after_the_bake_is_kept(scene):
    """Guards new keys of other bones, made while a bake plays: they do not count as an edit of it, and survive it."""
    rig = armature(scene)
    key_others(rig)
    tag(rig)
    bake(scene, overwrite=True)
    rig.pose.bones["middle"].location = (0.0, 0.3, 0.0)
    rig.pose.bones["middle"].keyframe_insert("location", frame=5)
    bake(scene)  # without overwriting
    bpy.ops.limberjack.bake_clear()
    assert ('pose.bones["middle"].location', 1) in curves_of(rig)
    assert len(bpy.data.actions) == 1


def test_a_renamed_bone_keeps_its_bake(scene):
    """Guards baked bones that are renamed: the bake counts as unchanged, and Clear Bake removes it."""
    rig = armature(scene)
    tag(rig)
    before = dump(scene)
    bake(scene)
    rig.data.bones["upper"].name = "arm.L"
    bake(scene)  # raises if the bake counts as edited
    rig.data.bones["arm.L"].name = "upper"
    scene.frame_set(1)
    bpy.ops.limberjack.bake_clear()
    assert dump(scene) == before


def test_a_bone_that_is_no_link_any_more_loses_its_bake(scene):
    """Guards a bake after a bone was untagged: the bone plays its own animation again."""
    rig = armature(scene)
    key_others(rig)
    own = curves_of(rig)
    tag(rig)
    bake(scene, overwrite=True)
    for name in ("upper", "lower", "tip"):
        bone = rig.pose.bones[name]
        link(bone).is_link = joint(bone).is_joint = False
    bake(scene, overwrite=True)
    path = 'pose.bones["upper"].rotation_quaternion'
    assert {key: keys for key, keys in curves_of(rig).items() if key[0] == path} == {
        key: keys for key, keys in own.items() if key[0] == path
    }


@pytest.mark.parametrize("has_action", [False, True])
def test_a_bake_of_bones_is_up_to_date_until_something_changes(scene, has_action):
    """Guards the digests of a scene with bones: the same at every frame of a bake, and others after a change."""
    rig = armature(scene)
    if has_action:
        key_others(rig)
    tag(rig)
    bake(scene, overwrite=True)
    for frame in (1, 9, 24):
        show(scene, frame)
        assert out_of_date(scene, read_scene(scene)) == ""
    link(rig.pose.bones["tip"]).density *= 2.0
    assert out_of_date(scene, read_scene(scene)) == "links, joints or gravity were changed"


@pytest.mark.parametrize("start", ["POSE", "KEYS"])
def test_a_simulation_starts_from_the_pose_or_the_animation(scene, start):
    """Guards starts of bones from the present pose, and from keys, whose motion before the first frame is kept."""
    rig = armature(scene)
    for frame, angle in ((1, 0.0), (10, 0.4), (20, 1.4)):
        bone = rig.pose.bones["upper"]
        bone.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), angle)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    tag(rig)
    show(scene, 7)
    before = {frame: pose_of(scene, rig, "tip", frame) for frame in (3, 7)}
    run = bake(scene, start=start, overwrite=True, first=7)
    assert_exact(scene, run)
    np.testing.assert_allclose(pose_of(scene, rig, "tip", 7), before[7], atol=SIZE * ACCURACY)
    if start == "KEYS":
        np.testing.assert_allclose(pose_of(scene, rig, "tip", 3), before[3], atol=SIZE * ACCURACY)


def pose_of(scene, rig, name, frame):
    show(scene, frame)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(shown.matrix_world @ shown.pose.bones[name].matrix)


@pytest.mark.parametrize("onto", ["BOTH", "JOINTS"])
def test_keys_on_joints_move_the_bones(scene, onto):
    """Guards keys of joint values on bones, alone and beside those of the bones."""
    rig = armature(scene)
    tag(rig)
    before = dump(scene)
    assert_exact(scene, bake(scene, onto=onto))
    assert any("coordinates" in path for path, _ in curves_of(rig))
    scene.frame_set(1)
    bpy.ops.limberjack.bake_clear()
    assert dump(scene) == before


def test_a_kinematic_bone_follows_its_armature_and_moves_others(scene):
    """Guards a bone whose motion is Kinematic: it moves as it is animated, and the bones below it follow."""
    rig = armature(scene)
    for frame, turn in ((1, 0.0), (24, 0.6)):
        rig.pose.bones["root"].rotation_quaternion = Quaternion((0.0, 0.0, 1.0), turn)
        rig.pose.bones["root"].keyframe_insert("rotation_quaternion", frame=frame)
    tag(rig, to_world=())
    link(rig.pose.bones["root"]).motion = "KINEMATIC"
    before = pose_of(scene, rig, "root", 13)
    run = bake(scene)
    assert_exact(scene, run)
    np.testing.assert_allclose(pose_of(scene, rig, "root", 13), before, atol=1e-6)
    bake(scene)
    assert_exact(scene, run)


def test_a_connected_bone_that_cannot_follow_is_told(scene):
    """Guards a connected bone whose parent does not turn with the simulation: an error, and nothing has changed."""
    rig = armature(scene)
    rig.data.bones["middle"].use_inherit_rotation = False
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["lower"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    tag(rig)
    before = dump(scene)
    with pytest.raises(BakeError, match=r"'Rig:lower' moves .* away from the bone to which it is connected"):
        bake(scene)
    assert dump(scene) == before


def test_an_armature_at_rest_is_told(scene):
    """Guards an armature that shows its rest position, in which keys have no effect."""
    rig = armature(scene)
    tag(rig)
    rig.data.pose_position = "REST"
    bpy.context.view_layer.update()
    with pytest.raises(BakeError, match="shows its rest position only"):
        bake(scene)


@pytest.mark.parametrize(("chain_count", "is_moved"), [(2, False), (3, True), (0, True)])
def test_inverse_kinematics_that_moves_a_link_is_told(scene, chain_count, is_moved):
    """Guards a constraint on another bone that moves a link against its keys: an error; a shorter chain is none."""
    rig = armature(scene)
    tag(rig, ("root", "upper"))
    goal = bpy.data.objects.new("goal", None)
    scene.collection.objects.link(goal)
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = goal, chain_count
    bpy.context.view_layer.update()
    if is_moved:
        with pytest.raises(BakeError, match=r"constraint 'IK' of bone 'lower' moves 'Rig:(root|upper)'"):
            bake(scene)
    else:
        assert_exact(scene, bake(scene))


def test_a_deleted_bone_ends_the_bake(scene):
    """Guards a bake during which a baked bone is deleted in Edit Mode."""
    rig = armature(scene)
    tag(rig)
    run = SimulationBake(scene)
    while not run.step():
        continue
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["tip"])
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(BakeError, match=r"'Rig:.*' was deleted while it was simulated"):
        run.finish()
    assert not bpy.data.actions


@pytest.fixture
def _no_preview_stays():
    yield
    previews.end()


@pytest.mark.usefixtures("_no_preview_stays")
@pytest.mark.parametrize("has_action", [False, True])
def test_play_moves_bones_and_stopping_restores_them(scene, has_action):
    """Guards previews of bones: the poses of the bake, and those before once it is stopped or undone."""
    rig = armature(scene)
    if has_action:
        key_others(rig)
    bones = tag(rig)
    scene.frame_set(7)
    motion = SimulationBake(scene, overwrite=True).simulation.run()
    before = dump(scene)
    preview = previews.begin(scene)
    preview.tick(0.0)
    for number in range(24):
        assert preview.shown == number
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for column, name in enumerate(motion.link_names):
            matrix = np.array(shown.matrix_world @ shown.pose.bones[name.split(":")[1]].matrix)[None]
            pose = motion.X_WL[number, column]
            assert np.abs(matrix[0, :3, 3] - pose[:3]).max() < ACCURACY * SIZE
            assert (turns_of(matrix, np.ones(3)).inv() * turns_of_poses(pose[None])).magnitude()[0] < ACCURACY
        preview.tick(1.0 / 24.0)
        bpy.context.view_layer.update()
    assert all(link(bone).before_preview for bone in bones)
    preview.stop()
    assert scene.frame_current == 7
    assert dump(scene) == before
    assert not any(link(bone).before_preview for bone in bones)


def test_the_command_bakes_the_same_keys(scene, tmp_path):
    """Guards `limberjack bake` on a scene with bones: the keys are those of the operator."""
    rig = armature(scene)
    tag(rig)
    source, out = tmp_path / "rig.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    assert bpy.ops.limberjack.simulate("EXEC_DEFAULT") == {"FINISHED"}
    keys = curves_of(rig)
    assert run_command("bake", source, "-o", out) == core_cli.DONE
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert curves_of(bpy.data.objects["Rig"]) == keys
    assert len(keys) == 2 * 3 + 4 * 4


def test_operators_run_in_pose_mode(scene):
    """Guards Simulate and Bake and Clear Bake in Pose Mode, with the same keys as in Object Mode."""
    rig = armature(scene)
    tag(rig)
    before = dump(scene)
    assert bpy.ops.limberjack.simulate("EXEC_DEFAULT") == {"FINISHED"}
    keys = curves_of(rig)
    bpy.ops.limberjack.bake_clear()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.limberjack.simulate("EXEC_DEFAULT") == {"FINISHED"}
    assert curves_of(rig) == keys
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert dump(scene) == before


def test_a_bake_moves_along_with_its_armature(scene):
    """Guards an armature that is moved after its bake: the bake moves along, and is up to date."""
    rig = armature(scene)
    tag(rig)
    bake(scene)
    before = pose_of(scene, rig, "tip", 12)
    scene.frame_set(1)
    rig.location.x += 1.0
    bpy.context.view_layer.update()
    assert [code for code, _, _ in problems_of_machines(scene)] == [LEFT_BEHIND]
    assert bpy.ops.limberjack.bake_move_along() == {"FINISHED"}
    moved = pose_of(scene, rig, "tip", 12) - before
    np.testing.assert_allclose(moved[:3, 3], (1.0, 0.0, 0.0), atol=1e-6)
    assert not [*problems_of_machines(scene)]
    assert out_of_date(scene, read_scene(scene)) == ""


@pytest.mark.parametrize("is_linked", [False, True])
def test_a_copy_of_a_baked_armature_gets_a_bake_of_its_own(scene, is_linked):
    """Guards a duplicated armature, with a copy of the action or with the same one: both can be baked and cleared."""
    rig = armature(scene)
    tag(rig)
    bake(scene)
    scene.frame_set(1)
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    if is_linked:
        bpy.data.actions.remove(copy.animation_data.action)
        copy.animation_data.action = rig.animation_data.action
        copy.animation_data.action_slot = rig.animation_data.action_slot
    copy.location.y += 2.0
    bpy.context.view_layer.update()
    assert [code for code, _, _ in problems_of_machines(scene)] == [LEFT_BEHIND]
    assert bpy.ops.limberjack.bake_move_along() == {"FINISHED"}
    assert copy.animation_data.action != rig.animation_data.action
    assert_exact(scene, bake(scene))
    bpy.ops.limberjack.bake_clear()
    assert not bpy.data.actions
